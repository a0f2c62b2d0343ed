"""Reads the GUM corpus: gold parses, entities, and coreference in the OntoGUM scheme.

GUM: Zeldes (2017), *The GUM corpus*; OntoGUM: Zhu et al. (2021). One sentence becomes one segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from endophora.annotate.records import AnnotatedText, Token
from endophora.errors import Fault, InputError

_BRACKETS = re.compile(r"\(([^()]*)\)|\(([^()]*)|([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Span:
    """A mention as it is marked: a segment, and the characters from ``start`` to ``end``.

    Attributes:
        head: offset of the first character of its head word.
        coordinated: whether its head word has a conjunct within the mention.
        upos: part of speech of the head word.
        chain: number of its chain or entity.
        kind: entity type; empty where the scheme has none.
        link: how GUM links it to the mention before (``"ana"``, ``"cata"``, …); empty in OntoGUM.
    """

    segment: int
    start: int
    end: int
    head: int
    coordinated: bool
    upos: str
    chain: str
    kind: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A document with gold parse and coreference.

    Attributes:
        genre: its genre (``"news"``).
        texts: one sentence a segment, with the gold parse.
        mentions: of OntoGUM, which leaves out entities mentioned only once.
    """

    id: str
    genre: str
    split: str
    texts: tuple[AnnotatedText, ...]
    mentions: tuple[Span, ...]
    entities: tuple[Span, ...]


@dataclass(slots=True)
class _Row:
    form: str
    lemma: str
    upos: str
    xpos: str
    features: dict[str, str]
    head: int
    relation: str
    entity: str
    start: int = 0


@dataclass(slots=True)
class _Sentence:
    text: str = ""
    rows: list[_Row] = field(default_factory=list[_Row])


def read_gum(folder: Path) -> list[GoldDocument]:
    """Return all documents of an unpacked GUM (``dep/``, ``coref/ontogum/conllu/``, ``splits.md``), by name.

    Raises:
        InputError: the folder lacks one of these (E062).
    """
    dependencies, ontogum, splits = folder / "dep", folder / "coref" / "ontogum" / "conllu", folder / "splits.md"
    absent = [path for path in (dependencies, ontogum, splits) if not path.exists()]
    if absent:
        raise InputError(Fault("E062", "is not there", "unpack gum.tar.xz and name its folder", str(p)) for p in absent)
    split_of = _read_splits(splits)
    return [
        _read_document(path, ontogum / path.name, split_of.get(path.stem, "train"))
        for path in sorted(dependencies.glob("*.conllu"))
    ]


def _read_splits(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    split = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            split = line[3:].strip()
        elif line.strip().startswith("* "):
            found[line.strip()[2:].strip()] = split
    return found


def _read_document(path: Path, ontogum: Path, split: str) -> GoldDocument:
    sentences = list(_read_sentences(path))
    texts = tuple(_annotated(sentence) for sentence in sentences)
    return GoldDocument(
        id=path.stem,
        genre=path.stem.split("_")[1],
        split=split,
        texts=texts,
        mentions=tuple(_spans(list(_read_sentences(ontogum)), texts)),
        entities=tuple(_spans(sentences, texts)),
    )


def read_sentences(path: Path) -> list[AnnotatedText]:
    """Return the sentences of a CoNLL-U file with their gold parse."""
    return [_annotated(sentence) for sentence in _read_sentences(path)]


def _read_sentences(path: Path) -> Iterator[_Sentence]:
    sentence = _Sentence()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# text = "):
            sentence.text = line[9:]
        elif line[:1].isdigit():
            fields = line.split("\t")
            if fields[0].isdigit():
                sentence.rows.append(_row(fields))
        elif not line and sentence.rows:
            yield _place(sentence)
            sentence = _Sentence()
    if sentence.rows:
        yield _place(sentence)


def _row(fields: list[str]) -> _Row:
    features = dict(pair.split("=", 1) for pair in fields[5].split("|")) if fields[5] != "_" else {}
    entity = next((item[7:] for item in fields[9].split("|") if item.startswith("Entity=")), "")
    lemma = fields[1] if fields[2] == "_" else fields[2]
    return _Row(fields[1], lemma, fields[3], fields[4], features, int(fields[6]) - 1, fields[7], entity)


def _place(sentence: _Sentence) -> _Sentence:
    """Find where each word starts in the text; a word that is not found starts where the one before ended."""
    position = 0
    for row in sentence.rows:
        found = sentence.text.find(row.form, position)
        row.start = found if found >= 0 else position
        position = row.start + (len(row.form) if found >= 0 else 0)
    return sentence


def _annotated(sentence: _Sentence) -> AnnotatedText:
    tokens = tuple(
        Token(r.form, r.lemma, r.upos, r.xpos, r.features, r.head, r.relation, "", r.start, r.start + len(r.form))
        for r in sentence.rows
    )
    return AnnotatedText(sentence.text, tokens, (0,))


def _spans(sentences: list[_Sentence], texts: tuple[AnnotatedText, ...]) -> Iterator[Span]:
    """Yield the marked mentions, ordered by their end; one part of a discontinuous mention stands for it."""
    for segment, sentence in enumerate(sentences):
        tokens = texts[segment].tokens
        opened: list[tuple[str, int, list[str]]] = []
        for index, row in enumerate(sentence.rows):
            for single, opening, closing in _BRACKETS.findall(row.entity):
                if single or opening:
                    name, *rest = (single or opening).split("-")
                    entry = (name.partition("[")[0], index, rest)
                    if opening:
                        opened.append(entry)
                    else:
                        yield _span(segment, tokens, entry, index)
                elif closing:
                    name = closing.partition("[")[0].split("-")[0]
                    place = next((i for i in reversed(range(len(opened))) if opened[i][0] == name), None)
                    if place is not None:
                        yield _span(segment, tokens, opened.pop(place), index)


def _span(segment: int, tokens: tuple[Token, ...], entry: tuple[str, int, list[str]], last: int) -> Span:
    name, first, rest = entry
    inside = range(first, last + 1)
    head = next((i for i in inside if tokens[i].head not in inside and tokens[i].upos != "PUNCT"), first)
    coordinated = any(
        tokens[i].head == head and tokens[i].relation.partition(":")[0] == "conj" and tokens[i].upos != "VERB"
        for i in inside
    )
    return Span(
        segment=segment,
        start=tokens[first].start,
        end=tokens[last].end,
        head=tokens[head].start,
        coordinated=coordinated,
        upos=tokens[head].upos,
        chain=name,
        kind=rest[0] if rest else "",
        # Identity names may hold hyphens, so the link is counted from the left: type, status, salience, …
        link=rest[5] if len(rest) > 5 else "",
    )
