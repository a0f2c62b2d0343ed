"""How good an alignment is: the alignment error rate, and the readers of gold alignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.errors import Fault, InputError

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GoldSegment:
    """The hand alignment of a segment: sure links, and possible ones, the sure among them."""

    sure: frozenset[Point]
    possible: frozenset[Point]


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """An alignment against a gold one (Och and Ney 2003, §5), each figure between 0 and 1.

    Attributes:
        error_rate: 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|).
    """

    error_rate: float
    precision: float
    recall: float
    links: int


def alignment_error_rate(links: Iterable[Iterable[Point]], gold: Iterable[GoldSegment]) -> AlignmentScore:
    """Score the links (source, target) of segments against their gold alignments, over all segments together.

    Where nothing is to be found and nothing was, the error rate is 0.
    """
    found = sure = sure_found = possible_found = 0
    for segment, answer in zip(links, gold, strict=True):
        points = set(segment)
        found += len(points)
        sure += len(answer.sure)
        sure_found += len(points & answer.sure)
        possible_found += len(points & answer.possible)
    return AlignmentScore(
        1 - (sure_found + possible_found) / (found + sure) if found + sure else 0.0,
        possible_found / found if found else 1.0,
        sure_found / sure if sure else 1.0,
        found,
    )


def points(links: Iterable[Link]) -> list[Point]:
    """Return links as pairs of indices."""
    return [(link.source, link.target) for link in links]


def read_gold(path: Path) -> list[GoldSegment]:
    """Read a gold alignment: one segment a line, ``i-j`` a sure link and ``ipj`` a possible one, from 0.

    Raises:
        InputError: a line holds something else (E055, all of them at once).
    """
    segments: list[GoldSegment] = []
    faults: list[Fault] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n")[:-1], 1):
        links: dict[str, set[Point]] = {"-": set(), "p": set()}
        for item in line.split():
            mark = "p" if "p" in item else "-"
            first, _, second = item.partition(mark)
            if not (first.isdecimal() and second.isdecimal()):
                faults.append(Fault("E055", f"“{item}” is no link", "write i-j or ipj", str(path), number))
                continue
            links[mark].add((int(first), int(second)))
        segments.append(GoldSegment(frozenset(links["-"]), frozenset(links["-"] | links["p"])))
    if faults:
        raise InputError(faults)
    return segments


def tokenised(line: str) -> AnnotatedText:
    """Return a line whose tokens are set apart by spaces as an annotated text that knows its forms only."""
    tokens: list[Token] = []
    at = 0
    for form in line.split():
        start = line.index(form, at)
        at = start + len(form)
        tokens.append(Token(form, form, "X", "", {}, -1, "", "", start, at))
    return AnnotatedText(line, tuple(tokens), (0,) if tokens else ())


def in_documents(segments: Sequence[AnnotatedText], size: int) -> list[Sequence[AnnotatedText]]:
    """Cut segments into documents of ``size``; the last may be shorter."""
    return [segments[at : at + size] for at in range(0, len(segments), size)]
