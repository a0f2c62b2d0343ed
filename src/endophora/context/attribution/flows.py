"""The record of an attribution: for each predicted piece what every token contributed; by words, and by parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from endophora.context.attribution.pieces import Part, Piece

Floats = NDArray[np.float64]


class Rows(StrEnum):
    """Which rows speak for a word."""

    WORD = "word"
    """Those of the word's own pieces."""
    PREFIX_MEAN = "prefix-mean"
    """Those of the sentence from its first piece to the word's last, on average: the published code's way."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one sentence of an example.

    Attributes:
        part: the part in which the sentence stands.
        sentence: its number in the context, the oldest 0; 0 in the current sentence.
        start, end: in characters.
    """

    part: Part
    sentence: int
    start: int
    end: int

    def covers(self, piece: Piece) -> bool:
        """Tell whether a piece stands in it, or at least begins before it ends and ends after it begins."""
        same = piece.part is self.part and piece.sentence == self.sentence
        return same and piece.start < self.end and self.start < piece.end


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """How much each token of an example contributed to each predicted piece.

    Attributes:
        rows: (R,) the predicted pieces of the target.
        columns: (C,) the tokens of source context, source, target context and target prefix, in this order.
        matrix: (R, C) contributions; each row sums to 1.
    """

    rows: tuple[Piece, ...]
    columns: tuple[Piece, ...]
    matrix: Floats

    def row(self, start: int, end: int, which: Rows = Rows.WORD) -> Floats:
        """Return (C,) what contributed to a word of the target.

        A word of several pieces has the mean of their rows: each is a distribution over what was there to predict the
        piece from, and so is the mean.

        Args:
            start: where the word begins in the target, in characters.
            end: where it ends.
            which: rows.

        Raises:
            ValueError: no piece of the target stands there.
        """
        word = Span(Part.TARGET_PREFIX, 0, start, end)
        found = [number for number, piece in enumerate(self.rows) if word.covers(piece)]
        if not found:
            raise ValueError(f"no piece of the target stands at {start}–{end}")
        first = 0 if which is Rows.PREFIX_MEAN else found[0]
        return self.matrix[first : found[-1] + 1].mean(0)

    def by_words(self) -> Flow:
        """Return the same flow with words for pieces: columns summed, rows averaged.

        Sums, since what contributed through either half of a word contributed through the word; means, since rows are
        distributions. Words are what blanks separate; a sentence without a blank keeps its pieces.
        """
        rows, columns = words(self.rows), words(self.columns)
        summed = np.stack([self.matrix[:, group].sum(1) for _, group in columns], 1)
        means = np.stack([summed[group].mean(0) for _, group in rows])
        return Flow(tuple(word for word, _ in rows), tuple(word for word, _ in columns), means)


def ordered(rows: Sequence[Piece], columns: Sequence[Piece], matrix: Floats) -> Flow:
    """Return a flow whose columns are ordered by part; within a part they stay as they are."""
    parts = list(Part)
    order = sorted(range(len(columns)), key=lambda index: parts.index(columns[index].part))
    return Flow(tuple(rows), tuple(columns[index] for index in order), matrix[:, order])


def words(pieces: Sequence[Piece]) -> list[tuple[Piece, list[int]]]:
    """Group pieces to words: each word with the numbers of its pieces."""
    apart = {(one.part, one.sentence) for one, two in pairwise(pieces) if _blank(one, two)}
    groups: list[tuple[Piece, list[int]]] = []
    for number, piece in enumerate(pieces):
        if groups and (piece.part, piece.sentence) in apart and _one_word(groups[-1][0], piece):
            last, members = groups[-1]
            groups[-1] = (replace(last, text=last.text + piece.text, end=piece.end), [*members, number])
        else:
            groups.append((piece, [number]))
    return groups


@dataclass(frozen=True, slots=True)
class Shares:
    """What a row is made of; context and current sentence are together 1.

    Attributes:
        support: of the supporting words in the context.
        context: of source and target context, their separators included.
        current: of the source and the target prefix.
        current_support: of supporting words in the current sentence, a part of ``current``.
        parts: of each part.
    """

    support: float
    context: float
    current: float
    current_support: float
    parts: dict[Part, float]


def shares(row: Floats, columns: Sequence[Piece], support: Iterable[Span]) -> Shares:
    """Return the shares of a row (Mohammed and Niculae 2024, Tables 1 and 3).

    Args:
        row: (C,) contributions that sum to 1.
        columns: (C,) what they are of.
        support: the supporting words; a token that stands in several is counted once.
    """
    spans = tuple(support)
    supporting = np.array([any(span.covers(piece) for span in spans) for piece in columns], dtype=bool)
    parts = {part: float(row[[piece.part is part for piece in columns]].sum()) for part in Part}
    before = np.array([piece.part.is_context for piece in columns], dtype=bool)
    return Shares(
        support=float(row[supporting & before].sum()),
        context=sum(share for part, share in parts.items() if part.is_context),
        current=sum(share for part, share in parts.items() if not part.is_context),
        current_support=float(row[supporting & ~before].sum()),
        parts=parts,
    )


def _together(one: Piece, two: Piece) -> bool:
    return one.sentence >= 0 and (one.part, one.sentence) == (two.part, two.sentence)


def _blank(one: Piece, two: Piece) -> bool:
    return _together(one, two) and one.end < two.start


def _one_word(one: Piece, two: Piece) -> bool:
    return _together(one, two) and two.start <= one.end
