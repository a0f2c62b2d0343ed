"""The record of an attribution: for each predicted piece what every token contributed; by words, and by parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from endophora.models.layout import Architecture, Ids, Layout
from endophora.models.records import ContextSentence, ModelInput
from endophora.models.tokenization import Pieces
from endophora.signature import keyed

Cut = Callable[[ContextSentence], Pieces]
"""Cuts a sentence into sub-words with their places in it."""


class Part(StrEnum):
    """What a token belongs to, in the order in which parts are shown."""

    SOURCE_CONTEXT = "source context"
    SOURCE = "source"
    TARGET_CONTEXT = "target context"
    TARGET_PREFIX = "target prefix"
    PROMPT = "prompt"
    """What a language model's prompt has around the segments: instruction, turns, names of languages."""

    @property
    def is_context(self) -> bool:
        """Whether it is of another sentence than the current one."""
        return self in (Part.SOURCE_CONTEXT, Part.TARGET_CONTEXT)


@dataclass(frozen=True, slots=True)
class Piece:
    """A token.

    Attributes:
        text: what it is of its sentence; empty for a token that no sentence has (end, separator, language).
        part: what it belongs to; a separator belongs to the sentence before it, the decoder's start to the prefix.
        sentence: number of the sentence in its context, the oldest 0; 0 in the current sentence; −1 for a token that no
            sentence has.
    """

    text: str
    part: Part
    sentence: int = -1
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class EncodedExample:
    """One segment, its context and its target as token ids.

    Attributes:
        encoders: ids that each encoder reads, in the order in which their outputs are joined; empty for nothing.
            There is none in a decoder-only model.
        decoder: (T,) ids that the decoder reads, its start or the prompt first.
        against: for each predicted token the one that it is compared with; empty if there is no comparison.
        ending: the target's last piece and its id, where the rows end before it: no token that is read has them.
    """

    encoders: tuple[Ids, ...]
    decoder: Ids
    columns: tuple[Piece, ...]
    rows: tuple[Piece, ...]
    first: int
    predicted: Ids
    against: Ids = ()
    ending: tuple[tuple[Piece, int], ...] = ()

    def contrasted(self, other: EncodedExample) -> EncodedExample | None:
        """Return the first piece in which another target differs, against that one's; ``None`` if one has no such."""
        pairs = enumerate(zip(self.predicted, other.predicted, strict=False))
        place = next((place for place, (one, two) in pairs if one != two), None)
        if place is None:
            return None
        against = other.predicted[place : place + 1]
        return replace(self._cut(place, place + 1), against=against)

    def narrowed(self, start: int, end: int) -> EncodedExample:
        """Return it with the rows of the pieces alone that overlap a stretch of the target, and those between them."""
        word = Span(Part.TARGET_PREFIX, 0, start, end)
        found = [number for number, piece in enumerate(self.rows) if word.covers(piece)]
        return self._cut(found[0], found[-1] + 1) if found else self

    def _cut(self, begin: int, end: int) -> EncodedExample:
        rows, predicted = self.rows[begin:end], self.predicted[begin:end]
        ending = self.ending if end == len(self.rows) else self.ending or ((self.rows[-1], self.predicted[-1]),)
        return replace(self, rows=rows, first=self.first + begin, predicted=predicted, ending=ending)

    @property
    def length(self) -> int:
        """Tokens of the joined encoders or of the decoder, whichever is more."""
        return max(sum(map(len, self.encoders)), len(self.decoder))


class Encoder:
    """Lays examples out as the model is used to, and keeps account of what each token is."""

    def __init__(self, layout: Layout, source: Cut, target: Cut, start: int) -> None:
        self.layout = layout
        self._cut = {True: source, False: target}
        self._start = start

    @property
    def longest(self) -> int:
        """Most tokens of a side."""
        return self.layout.longest

    @property
    def unread(self) -> frozenset[Part]:
        """The sides of the context that the model never reads."""
        sides = {
            Part.SOURCE_CONTEXT: self.layout.takes_source_context,
            Part.TARGET_CONTEXT: self.layout.takes_target_context,
        }
        return frozenset(part for part, read in sides.items() if not read)

    def encode(self, given: ModelInput, target: str) -> EncodedExample:
        """Return an example. Context that the model has no room for is left out, the oldest first."""
        # The layout joins ids without looking at them, so numbers of pieces, all negative, take their place.
        known: list[tuple[int, Piece]] = []
        source = self._numbered(given.source, Part.SOURCE, 0, known)
        wanted = self._numbered(target, Part.TARGET_PREFIX, 0, known)
        before = self._context(given.source_context, Part.SOURCE_CONTEXT, known)
        preceding = self._context(given.target_context, Part.TARGET_CONTEXT, known)
        laid = self.layout.lay_out(source, wanted, before, preceding)

        def resolved(ids: Ids, part: Part, context: Part | None = None) -> list[tuple[int, Piece]]:
            return _resolved(ids, known, part, context, len(self.layout.source_start))

        encoders = [resolved(laid.source, Part.SOURCE, Part.SOURCE_CONTEXT)]
        if self.layout.architecture is Architecture.MULTI_ENCODER:
            encoders.insert(0, resolved(laid.source_context, Part.SOURCE_CONTEXT))
            encoders.append(resolved(laid.target_context, Part.TARGET_CONTEXT))
        rows = resolved(laid.target[: len(wanted)], Part.TARGET_PREFIX)
        start = (self._start, Piece("", Part.TARGET_PREFIX))
        prefix = _resolved(laid.prefix, known, Part.TARGET_PREFIX, Part.TARGET_CONTEXT, len(self.layout.target_start))
        # The last piece of the target is predicted and never read.
        decoder = [start, *prefix, *rows[:-1]]
        return EncodedExample(
            tuple(_ids(encoder) for encoder in encoders),
            _ids(decoder),
            tuple(piece for part in (*encoders, decoder) for _, piece in part),
            tuple(piece for _, piece in rows),
            len(prefix),
            _ids(rows),
        )

    def _context(self, sentences: Sequence[ContextSentence], part: Part, known: list[tuple[int, Piece]]) -> list[Ids]:
        return [self._numbered(sentence, part, number, known) for number, sentence in enumerate(sentences)]

    def _numbered(self, sentence: ContextSentence, part: Part, number: int, known: list[tuple[int, Piece]]) -> Ids:
        """Cut a sentence, put its pieces among those known and return their numbers, −1 for the first known."""
        cut = self._cut[part in (Part.SOURCE, Part.SOURCE_CONTEXT)](sentence)
        first = len(known)
        for token, written, (start, end) in zip(cut.ids, cut.pieces, cut.spans, strict=True):
            text = sentence[start:end] if isinstance(sentence, str) else written
            known.append((token, Piece(text, part, number, start, end)))
        return tuple(-index for index in range(first + 1, len(known) + 1))


def _resolved(
    numbers: Ids, known: Sequence[tuple[int, Piece]], part: Part, context: Part | None = None, ahead: int = 0
) -> list[tuple[int, Piece]]:
    """Return ids and pieces of numbers."""
    made: list[tuple[int, Piece]] = []
    last = next((place for place, n in enumerate(numbers) if n < 0 and known[-n - 1][1].part is part), len(numbers))
    has_context = context is not None and any(n < 0 and known[-n - 1][1].part is context for n in numbers)
    for place, number in enumerate(numbers):
        if number < 0:
            made.append(known[-number - 1])
        else:
            of_context = context is not None and has_context and ahead <= place < last
            made.append((number, Piece("", context if of_context and context is not None else part)))
    return made


def _ids(tokens: Sequence[tuple[int, Piece]]) -> Ids:
    return tuple(token for token, _ in tokens)


Floats = NDArray[np.float64]


class Rows(StrEnum):
    """Which rows are used for a word."""

    WORD = "word"
    """Those of the word's own pieces."""
    PREFIX_MEAN = "prefix-mean"
    """Those of the sentence from its first piece to the word's last, on average: the published code's way."""


@keyed()
@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one sentence of an example; sentences are numbered as in :class:`Piece`."""

    part: Part
    sentence: int
    start: int
    end: int

    def covers(self, piece: Piece) -> bool:
        """Return whether a piece overlaps it."""
        same = piece.part is self.part and piece.sentence == self.sentence
        return same and piece.start < self.end and self.start < piece.end


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """How much each token of an example contributed to each predicted piece.

    Attributes:
        rows: (R,) the predicted pieces of the target.
        columns: (C,) the tokens of source context, source, target context, target prefix and prompt, in this order.
        matrix: (R, C) contributions; each row sums to 1.
        residue: by how much integrated gradients miss what they must sum to, where the most points are too few.
    """

    rows: tuple[Piece, ...]
    columns: tuple[Piece, ...]
    matrix: Floats
    residue: float = 0.0

    def row(self, start: int, end: int, which: Rows = Rows.WORD) -> Floats:
        """Return (C,) what contributed to a word of the target: the mean of its pieces' rows, which sums to 1 too."""
        word = Span(Part.TARGET_PREFIX, 0, start, end)
        found = [number for number, piece in enumerate(self.rows) if word.covers(piece)]
        if not found:
            raise ValueError(f"no piece of the target is at {start}–{end}")
        first = 0 if which is Rows.PREFIX_MEAN else found[0]
        return self.matrix[first : found[-1] + 1].mean(0)

    def by_words(self) -> Flow:
        """Return the same flow with words, what blanks separate, for pieces: columns summed, rows averaged."""
        rows, columns = words(self.rows), words(self.columns)
        summed = np.stack([self.matrix[:, group].sum(1) for _, group in columns], 1)
        means = np.stack([summed[group].mean(0) for _, group in rows])
        return Flow(tuple(word for word, _ in rows), tuple(word for word, _ in columns), means)


def ordered(rows: Sequence[Piece], columns: Sequence[Piece], matrix: Floats) -> Flow:
    """Return a flow whose columns are ordered by part; within a part they keep their order."""
    parts = list(Part)
    order = sorted(range(len(columns)), key=lambda index: parts.index(columns[index].part))
    return Flow(tuple(rows), tuple(columns[index] for index in order), matrix[:, order])


def _together(one: Piece, two: Piece) -> bool:
    return one.sentence >= 0 and (one.part, one.sentence) == (two.part, two.sentence)


def words(pieces: Sequence[Piece]) -> list[tuple[Piece, list[int]]]:
    """Group pieces to words: each word with the numbers of its pieces."""
    # Sentences without a blank keep their pieces.
    apart = {(one.part, one.sentence) for one, two in pairwise(pieces) if _together(one, two) and one.end < two.start}
    groups: list[tuple[Piece, list[int]]] = []
    for number, piece in enumerate(pieces):
        last, members = groups[-1] if groups else (piece, [])
        joins = (piece.part, piece.sentence) in apart and _together(last, piece) and piece.start <= last.end
        if groups and joins:
            groups[-1] = (replace(last, text=last.text + piece.text, end=piece.end), [*members, number])
        else:
            groups.append((piece, [number]))
    return groups


@dataclass(frozen=True, slots=True)
class Shares:
    """What a row is made of; context, current sentence and the words of the prompt are together 1."""

    support: float
    context: float
    current: float
    current_support: float
    parts: dict[Part, float]
    residue: float = 0.0

    @property
    def percentages(self) -> list[float]:
        """In the order of the measures of :mod:`endophora.context.attribution.results`."""
        first = (self.support, self.context, self.current, self.current_support)
        return [100 * value for value in (*first, *(self.parts[part] for part in Part))]


def shares(row: Floats, columns: Sequence[Piece], support: Iterable[Span]) -> Shares:
    """Return the shares of a row, (C,), that sums to 1 (Mohammed and Niculae 2024, Tables 1 and 3).

    A token that is in several supporting words is counted once.
    """
    spans = tuple(support)
    supporting = np.array([any(span.covers(piece) for span in spans) for piece in columns], dtype=bool)
    parts = {part: float(row[[piece.part is part for piece in columns]].sum()) for part in Part}
    before = np.array([piece.part.is_context for piece in columns], dtype=bool)
    return Shares(
        support=float(row[supporting & before].sum()),
        context=sum(share for part, share in parts.items() if part.is_context),
        current=parts[Part.SOURCE] + parts[Part.TARGET_PREFIX],
        current_support=float(row[supporting & ~before].sum()),
        parts=parts,
    )
