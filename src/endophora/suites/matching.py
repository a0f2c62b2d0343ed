"""Whether an output has the expected form: how texts are compared, by which criterion, and their last sentence.

The last sentence is looked at where context was joined to a segment and no separator survived. A sentence ends after a
word that ends in ``.``, ``?`` or ``!``, with or without closing quotes and brackets, where the next word begins with a
capital or a letter of a script without capitals, opening quotes and brackets aside; after a full stop it may also begin
with a digit. A full stop ends no sentence after an abbreviation, an initial or an acronym. That is nearly the rule of
the splitter of Koehn & Schroeder (Europarl) which ctxpro's scores were made with; ``europarl`` is that rule to the
letter.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain, pairwise
from typing import NamedTuple

from endophora.errors import Fault, InputError
from endophora.suites.records import Criterion, Item

RIGHT, WRONG, UNDECIDED = 1, 0, -1
"""The outcomes of an item; an undecided one is not counted."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How an output and a form are compared, both in lower case.

    Attributes:
        symbols: which characters are punctuation: ``unicode`` (all that Unicode calls so, and ASCII's symbols) or
            ``ascii``.
    """

    description: str
    symbols: str = "unicode"
    spaced: bool = False
    forms: bool = True
    whole: bool = True


DEFAULT_MATCHING: dict[Criterion, str] = {"present": "unicode", "absent": "spaced", "matched": "unicode"}
"""For each criterion the way of comparing that its publication used, except for punctuation that is not ASCII."""

MATCHINGS: dict[str, Matching] = {
    "unicode": Matching("whole words, all punctuation left out"),
    "ascii": Matching("whole words, ASCII punctuation left out of outputs: as published", symbols="ascii", forms=False),
    "spaced": Matching("whole words, punctuation separates words, so that elided forms are found", spaced=True),
    "substring": Matching("anywhere in the text, for scripts without spaces", whole=False),
}
"""Ways of comparing by name."""


def find_matching(name: str) -> Matching:
    """Return a way of comparing."""
    if name not in MATCHINGS:
        known = "; ".join(f"{key} ({matching.description})" for key, matching in MATCHINGS.items())
        raise InputError(Fault("E181", f"“{name}” is no way of comparing", f"known: {known}", "--match"))
    return MATCHINGS[name]


_ASCII = bytes(range(128))
_SYMBOLS = string.punctuation.encode()
_SPACED = bytes.maketrans(_SYMBOLS, b" " * len(_SYMBOLS))


@cache
def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def normalise(texts: Sequence[str], matching: Matching) -> list[str]:
    """Return texts in the compared form: lower case, without punctuation. A line break in a text becomes a space."""
    if not texts:
        return []
    # All at once: a call a text would cost more than the work.
    joined = "\n".join(texts)
    if joined.count("\n") >= len(texts):
        joined = "\n".join(text.replace("\n", " ") for text in texts)
    # Bytes, since what ``str.translate`` does to a text that is not ASCII costs ten times as much.
    body = joined.lower().encode("utf-8", "surrogatepass")
    body = body.translate(_SPACED) if matching.spaced else body.translate(None, _SYMBOLS)
    joined = body.decode("utf-8", "surrogatepass")
    if matching.symbols != "ascii" and not joined.isascii():
        others = set(body.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
        for character in filter(_is_punctuation, others):
            joined = joined.replace(character, " " if matching.spaced else "")
    return joined.split("\n")


def judge(items: Sequence[Item], outputs: Sequence[str], matchings: Mapping[Criterion, Matching]) -> list[int]:
    """Return the outcome of each item, by its criterion and the way of comparing of that."""
    outcomes = [UNDECIDED] * len(items)
    for criterion, matching in matchings.items():
        places = [place for place, item in enumerate(items) if item.criterion == criterion]
        if criterion == "matched":
            found = [_matched(items[place], outputs[place], matching.whole) for place in places]
        else:
            present = criterion == "present"
            attribute, hit, miss = ("expected", RIGHT, WRONG) if present else ("forbidden", WRONG, RIGHT)
            sought: list[tuple[str, ...]] = [getattr(items[place], attribute) for place in places]
            stands = stand(sought, [outputs[place] for place in places], matching)
            found = [hit if stood else miss for stood in stands]
        for place, outcome in zip(places, found, strict=True):
            outcomes[place] = outcome
    return outcomes


def _matched(item: Item, output: str, whole: bool) -> int:
    """Return the outcome of an item of phrases: as published, they are compared as they stand, capitals too.

    A phrase is found if all its words are among the output's (Nadejde et al., 2022, and their scorer), in a script
    without spaces if it is part of the output.
    """
    words = frozenset(output.split())

    def found(phrases: Iterable[str]) -> bool:
        """Return whether any phrase is found."""
        return any((words.issuperset(phrase.split()) if whole else phrase in output) for phrase in phrases if phrase)

    right, wrong = found(item.expected), found(item.forbidden)
    if right == wrong:
        return UNDECIDED
    return RIGHT if right else WRONG


def stand(wanted: Sequence[tuple[str, ...]], outputs: Sequence[str], matching: Matching) -> Iterator[bool]:
    """Yield for each output whether any of its forms is in it."""
    # Each form is normalised once: items share most of them.
    known = list(dict.fromkeys(chain.from_iterable(wanted)))
    if matching.forms:
        bare = [" ".join(words.split()) for words in normalise(known, matching)]
    else:
        bare = [form.lower() for form in known]
    # What can never be found where nothing is left of a form.
    padded = ["\n" if not one else f" {one} " if matching.whole else one for one in bare]
    sought = dict(zip(known, padded, strict=True))
    for forms, output in zip(wanted, normalise(outputs, matching), strict=True):
        text = f" {output} " if matching.whole else output
        # Between the words of a form a text may have more than one space.
        single = f" {' '.join(text.split())} " if matching.forms and "  " in text else ""
        yield any(
            words in text or (single and " " in words[1:-1] and words in single)
            for words in (sought[form] for form in forms)
        )


_OPENING = "'\"([¿¡‘‛“‟«‹"
_CLOSING = "'\")]’”»›"
_IDEOGRAPHIC = re.compile(r"[。！？]+[」』”’）]*(?=.)")
_ACRONYM = re.compile(r"\.[A-ZÀ-ÖØ-Þ\u0400-\u042f-]+\.*$")
_ENDING = frozenset(".?!…" + _CLOSING)
_TAIL = re.compile(r"[\w.\-]*$")


class Abbreviations(NamedTuple):
    """A language's abbreviations, those that count only before a number, and whether numbers are ordinals."""

    always: frozenset[str]
    number: frozenset[str]
    ordinals: bool


@cache
def abbreviations(language: str) -> Abbreviations:
    """Return a language's abbreviations."""
    text = (files("endophora.suites") / "data" / "abbreviations.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    kinds = {kind: words.split() for code, kind, words in rows if code == language}
    always, number = (frozenset(kinds.get(name, ())) for name in ("always", "number"))
    return Abbreviations(always, number, "ordinals" in kinds)


def split_sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a text, their words joined by single spaces."""
    known, words, start = abbreviations(language), text.split(), 0
    found = list[str]()
    for index, word in enumerate(words):
        last = index + 1 == len(words)
        if last or (word[-1] in _ENDING and not words[index + 1][0].islower() and _ends(words, index, known)):
            sentence, start = " ".join(words[start : index + 1]), index + 1
            borders = [0, *(mark.end() for mark in _IDEOGRAPHIC.finditer(sentence)), len(sentence)]
            found += [sentence[one:other].strip() for one, other in pairwise(borders)]
    return found


def last_sentences(texts: Iterable[str], language: str) -> list[str]:
    """Return the last sentence of each text, its words joined by single spaces."""
    known = abbreviations(language)
    return [_last(text.split(), known) for text in texts]


def as_many_sentences(texts: Iterable[str], language: str, others: Iterable[str], other_language: str) -> list[str]:
    """Return as many of the last sentences of each text as another text has in all: a segment without its context."""
    known, theirs = abbreviations(language), abbreviations(other_language)
    found: list[str] = []
    for text, other in zip(texts, others, strict=True):
        words, rest = text.split(), other.split()
        end = len(words)
        while end and rest:
            end -= max(1, len(_last(words[:end], known).split()))
            rest = rest[: len(rest) - max(1, len(_last(rest, theirs).split()))]
        found.append(" ".join(words[end:]))
    return found


def _last(words: list[str], known: Abbreviations) -> str:
    for index in range(len(words) - 2, -1, -1):
        if words[index][-1] in _ENDING and not words[index + 1][0].islower() and _ends(words, index, known):
            words = words[index + 1 :]
            break
    sentence = " ".join(words)
    if not sentence.isascii() and (marks := list(_IDEOGRAPHIC.finditer(sentence))):
        return sentence[marks[-1].end() :].lstrip()
    return sentence


def _ends(words: list[str], index: int, known: Abbreviations) -> bool:
    """Return whether a sentence ends after a word."""
    word, following = words[index], words[index + 1]
    first = following[0]
    if not first.isupper():
        following = following.lstrip(_OPENING)
        if not following:
            # A quote by itself: what begins stands after it.
            following = words[index + 2] if index + 2 < len(words) else ""
        first = following[:1]
    starts = first.isupper() or (first.isalpha() and not first.islower())
    core = word.rstrip(_CLOSING)
    if not core:
        # A closing quote by itself; an opening one has its word after it and no mark before it.
        core = words[index - 1] if index else ""
        return starts and core[-1:] in (".", "?", "!")
    last = core[-1]
    if last in "?!":
        return starts
    if last == "…":
        return starts
    if last != "." or not (starts or first.isdigit()):
        return False
    if core != word:
        return starts
    return core.endswith("..") or not _is_abbreviation(core[:-1], following, known)


def _is_abbreviation(stem: str, following: str, known: Abbreviations) -> bool:
    """Return whether a full stop after a stem belongs to it."""
    always, number, ordinals = known
    prefix = stem
    if not stem.isalnum() and (tail := _TAIL.search(stem)):
        prefix = tail.group()
    if prefix in always or (len(prefix) == 1 and prefix.isupper()):
        return True
    if prefix.isdigit():
        return ordinals and len(prefix) <= 2
    return ("." in stem and _ACRONYM.search(stem) is not None) or (prefix in number and following[:1].isdigit())
