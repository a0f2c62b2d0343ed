"""Reads LitBank: openings of English novels with coreference of persons, places, vehicles and organisations.

LitBank: Bamman, Lewke and Mansoor (2020), *An Annotated Dataset of Coreference in English Literature*, CC BY 4.0.
Pronouns of other things are not marked, so that a pronoun without a chain says nothing and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.errors import Fault, InputError

_GLUED = re.compile(r"[.,:;!?%)\]’”]+|'|''|n't|n’t|['’](s|m|d|re|ll|ve|S)")
_OPENING = frozenset("([“‘")


@dataclass(frozen=True, slots=True)
class Marked:
    """A marked span: its segment, its characters there, and its chain."""

    segment: int
    start: int
    end: int
    chain: str


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening of a novel: one sentence a segment, and what is marked in them."""

    id: str
    segments: tuple[str, ...]
    marked: tuple[Marked, ...]


def read_litbank(folder: Path) -> list[Opening]:
    """Return the openings of an unpacked LitBank, by name.

    Raises:
        InputError: the folder has none (E062).
    """
    paths = sorted((folder / "coref" / "conll").glob("*.conll"))
    if not paths:
        advice = "unpack litbank.tar.xz and name its folder"
        raise InputError(Fault("E062", "holds no coref/conll", advice, str(folder)))
    return [_read(path) for path in paths]


def _read(path: Path) -> Opening:
    segments: list[str] = []
    marked: list[Marked] = []
    for number, rows in enumerate(_sentences(path)):
        text, places = _joined([form for form, _ in rows])
        segments.append(text)
        opened: dict[str, list[int]] = {}
        for (start, end), (_, column) in zip(places, rows, strict=True):
            for item in column.split("|") if column != "_" else ():
                chain = item.strip("()")
                if item.startswith("("):
                    opened.setdefault(chain, []).append(start)
                if item.endswith(")") and opened.get(chain):
                    marked.append(Marked(number, opened[chain].pop(), end, chain))
    return Opening(path.stem, tuple(segments), tuple(marked))


def _sentences(path: Path) -> Iterator[list[tuple[str, str]]]:
    rows: list[tuple[str, str]] = []
    for line in path.read_text("utf-8").splitlines():
        fields = line.split("\t")
        if line.startswith("#"):
            continue
        if len(fields) > 4:
            rows.append((fields[3], next((field for field in reversed(fields) if field), "_")))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _joined(forms: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the words as running text, and the characters of each."""
    text = ""
    places: list[tuple[int, int]] = []
    for number, form in enumerate(forms):
        apart = number and not _GLUED.fullmatch(form) and forms[number - 1] not in _OPENING
        text += " " if apart else ""
        places.append((len(text), len(text) + len(form)))
        text += form
    return text, places
