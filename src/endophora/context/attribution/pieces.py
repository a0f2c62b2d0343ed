"""The tokens of one example as a model reads them, and what each of them is: of which sentence, and where in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from endophora.models.layout import Ids, Layout
from endophora.models.presets import Architecture
from endophora.models.records import ContextSentence, ModelInput
from endophora.models.vocabulary import Pieces

Cut = Callable[[ContextSentence], Pieces]
"""Cuts a sentence into sub-words that know where they stand in it."""


class Part(StrEnum):
    """What a token belongs to, in the order in which parts are shown."""

    SOURCE_CONTEXT = "source context"
    SOURCE = "source"
    TARGET_CONTEXT = "target context"
    TARGET_PREFIX = "target prefix"

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
        start, end: where it stands in its sentence, in characters, without the blank before a word.
    """

    text: str
    part: Part
    sentence: int = -1
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """One segment, its context and its target as token ids.

    Attributes:
        encoders: ids that each encoder reads, in the order in which their outputs are joined; empty for nothing.
        decoder: (T,) ids that the decoder reads, its start first.
        columns: what each token of the encoders, then of the decoder is.
        rows: the pieces of the target, the end of sentence left out.
        first: position of the decoder at which the first of them is predicted.
        predicted: ids of the rows.
    """

    encoders: tuple[Ids, ...]
    decoder: Ids
    columns: tuple[Piece, ...]
    rows: tuple[Piece, ...]
    first: int
    predicted: Ids

    @property
    def length(self) -> int:
        """Tokens of the joined encoders or of the decoder, whichever is more."""
        return max(sum(map(len, self.encoders)), len(self.decoder))


class Encoder:
    """Lays examples out as the model is used to, and keeps account of what each token is.

    Args:
        layout: how the model takes context.
        source, target: cut sentences of either language.
        start: the decoder's start token.
    """

    def __init__(self, layout: Layout, source: Cut, target: Cut, start: int) -> None:
        self.layout = layout
        self._cut = {True: source, False: target}
        self._start = start

    def encode(self, given: ModelInput, target: str) -> Example:
        """Return an example. Context that the model has no room for is left out, the oldest first.

        Args:
            given: the source with its context.
            target: the text whose words are to be explained.
        """
        # The layout joins ids without looking at them, so numbers of pieces, all negative, take their place.
        known: list[tuple[int, Piece]] = []
        source = self._numbered(given.source, Part.SOURCE, 0, known)
        wanted = self._numbered(target, Part.TARGET_PREFIX, 0, known)
        before = self._context(given.source_context, Part.SOURCE_CONTEXT, known)
        preceding = self._context(given.target_context, Part.TARGET_CONTEXT, known)
        laid = self.layout.lay_out(source, wanted, before, preceding)

        def resolved(ids: Ids, part: Part, context: Part | None = None) -> list[tuple[int, Piece]]:
            """Return where each token of a sequence is from."""
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
        return Example(
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
    """Return ids and pieces of numbers.

    Args:
        numbers: numbers of pieces, and ids of tokens that no sentence has.
        known: the pieces.
        part: what such a token belongs to.
        context: what it belongs to if a piece of this part comes before it and none of ``part`` yet.
        ahead: tokens at the beginning that belong to ``part`` in any case.
    """
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
