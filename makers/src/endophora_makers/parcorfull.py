"""Reads the talks of ParCorFull: English with German, coreference marked by hand on both sides.

ParCorFull: Lapshinova-Koltunski et al. (2018), *ParCorFull: a Parallel Corpus Annotated with Full Coreference*.
It marks spans without their heads, so that the head is that of an annotation. For research: measured with,
never learned from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.annotate.records import NOUNS, AnnotatedText
from endophora.corefer.mentions import Lexicon
from endophora.errors import Fault, InputError
from endophora_makers.coreference_evaluation import GoldPronoun, Noun

_WORD = re.compile(r'<word id="word_(\d+)"[^>]*>([^<]*)</word>')
_MARKABLE = re.compile(r"<markable ([^>]*?)/?>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
_EMPTY = frozenset({"pleonastic"})


@dataclass(frozen=True, slots=True)
class Markable:
    """A marked span: its segment, its characters there, its chain (empty for none) and what kind it is."""

    segment: int
    start: int
    end: int
    chain: str
    mention: str
    kind: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk: its English segments, the German ones beside them, and the markables of the English."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    markables: tuple[Markable, ...]


def read_talks(folder: Path) -> list[Talk]:
    """Return the talks of an unpacked ParCorFull, by name.

    Raises:
        InputError: the folder has no English talks (E062).
    """
    base = folder / "TED" / "EN"
    names = [path.name.removesuffix("_words.xml") for path in sorted((base / "Basedata").glob("*_words.xml"))]
    if not names:
        advice = "unpack parcorfull-ted-de.tar.xz and name its folder"
        raise InputError(Fault("E062", "holds no talks", advice, str(base / "Basedata")))
    return [_read_talk(folder, name) for name in names]


def _read_talk(folder: Path, name: str) -> Talk:
    base = folder / "TED" / "EN"
    source = _lines(base / "Source" / f"{name}.txt")
    target = _lines(folder / "TED" / "DE" / "Source" / f"{name}.txt.de")
    words = {
        int(number): _plain(form) for number, form in _WORD.findall(_text(base / "Basedata" / f"{name}_words.xml"))
    }
    sentences = sorted(
        _span(one["span"]) for one in _markables(base / "Markables" / f"{name}_sentence_level.xml") if "span" in one
    )
    places = dict(_places(source, words, sentences))
    markables: list[Markable] = []
    for one in _markables(base / "Markables" / f"{name}_coref_level.xml"):
        first, last = _span(one["span"])
        if first in places and last in places and places[first][0] == places[last][0]:
            chain = one.get("coref_class", "empty")
            markables.append(
                Markable(
                    *places[first][:2],
                    places[last][2],
                    "" if chain == "empty" else chain,
                    one.get("mention", ""),
                    one.get("type", ""),
                )
            )
    markables.sort(key=lambda one: (one.segment, one.start, -one.end))
    return Talk(name, tuple(source), tuple(beside(source, target)), tuple(markables))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


_BEADS = {(1, 1): 0.0, (1, 2): 2.3, (2, 1): 3.0, (1, 3): 4.5, (1, 0): 4.5, (0, 1): 4.5, (2, 2): 5.0}
"""Kinds of bead, segments of either side, and what each costs, in nats, beside a pair."""


def beside(source: Sequence[str], target: Sequence[str]) -> list[str]:
    """Return for each segment what stands beside it on the other side, found by lengths (Gale and Church 1993)."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    ratio = sum(map(len, target)) / max(1, sum(map(len, source)))
    for i in range(len(source) + 1):
        for j in range(max(0, i - 60), min(len(target), i + 120) + 1):
            ways = (
                (best[i - m, j - n][0] + cost + _apart(source[i - m : i], target[j - n : j], ratio), (m, n))
                for (m, n), cost in _BEADS.items()
                if (i - m, j - n) in best
            )
            if i or j:
                found = min(ways, default=None)
                if found is not None:
                    best[i, j] = found
    texts = [""] * len(source)
    i, j = len(source), len(target)
    while (i, j) in best and (i or j):
        m, n = best[i, j][1]
        if m:
            texts[i - m] = " ".join(target[j - n : j])
        i, j = i - m, j - n
    return texts


def _apart(one: Sequence[str], other: Sequence[str], ratio: float) -> float:
    if not one or not other:
        return 0.0
    here, there = sum(map(len, one)) * ratio, sum(map(len, other))
    return (there - here) ** 2 / (2 * 6.8 * max(1.0, (here + there) / 2))


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in _text(path).splitlines()] if path.is_file() else []


def _plain(text: str) -> str:
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return text


def _markables(path: Path) -> Iterator[dict[str, str]]:
    for found in _MARKABLE.findall(_text(path)):
        yield dict(_ATTRIBUTE.findall(found))


def _span(text: str) -> tuple[int, int]:
    """Return the first and the last word of a span; the first part of one in parts."""
    first, _, last = text.split(",")[0].replace("word_", "").partition("..")
    return int(first), int(last or first)


def _places(
    source: Sequence[str], words: dict[int, str], sentences: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield each word with its segment and its characters there; one that is not found stands after the one before."""
    for segment, (first, last) in enumerate(sentences[: len(source)]):
        position = 0
        for number in range(first, last + 1):
            form = words.get(number, "")
            found = source[segment].find(form, position) if form else -1
            start = position if found < 0 else found
            position = start if found < 0 else start + len(form)
            yield number, (segment, start, position)


def talk_pronouns(talk: Talk, texts: Sequence[AnnotatedText], lexicon: Lexicon, window: int = 5) -> list[GoldPronoun]:
    """Return the gold pronouns of a talk, in the tokens of an annotation of it.

    A pronoun is non-referential if it is marked as pleonastic; one that is not marked at all is left out.
    """
    chains: dict[str, list[tuple[Markable, Noun]]] = {}
    marked: dict[tuple[int, int, int], Markable] = {}
    for one in talk.markables:
        marked[one.segment, one.start, one.end] = one
        noun = _noun(one, texts[one.segment])
        if one.chain and one.mention == "np" and noun is not None:
            chains.setdefault(one.chain, []).append((one, noun))
    found: list[GoldPronoun] = []
    for segment, text in enumerate(texts):
        for index, token in enumerate(text.tokens):
            pronoun = lexicon.pronouns.get(token.form.lower())
            one = marked.get((segment, token.start, token.end))
            if pronoun is None or one is None:
                continue
            nouns = frozenset(
                noun
                for other, noun in chains.get(one.chain, ())
                if (other.segment, other.end) <= (segment, token.start) and segment - other.segment <= window
            )
            found.append(GoldPronoun(segment, index, pronoun.group, one.kind in _EMPTY, nouns, one.chain))
    return found


def _noun(one: Markable, text: AnnotatedText) -> Noun | None:
    found = head_of(text, one.start, one.end)
    return None if found is None else (one.segment, *found)


def head_of(text: AnnotatedText, start: int, end: int) -> tuple[int, bool] | None:
    """Return the head of a span of characters in an annotation, a noun if one may be, and whether it is coordinated."""
    inside = [i for i, token in enumerate(text.tokens) if start <= token.start and token.end <= end]
    heads = [i for i in inside if text.tokens[i].head not in inside and text.tokens[i].upos != "PUNCT"]
    nouns = [i for i in heads if text.tokens[i].upos in NOUNS]
    if not heads:
        return None
    head = (nouns or heads)[0]
    conjuncts = (i for i in inside if text.tokens[i].head == head)
    return head, any(text.tokens[i].relation.partition(":")[0] == "conj" for i in conjuncts)
