"""What each token of a language model's prompt is: a segment's, or of the words around the segments."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.context.attribution.flows import EncodedExample, Part, Piece
from endophora.models.language_model import LanguageModel
from endophora.models.prompting import PromptReading
from endophora.models.records import ModelInput


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """Lays examples out as a decoder-only model reads them."""

    model: LanguageModel
    unread: frozenset[Part] = frozenset()

    @property
    def longest(self) -> int:
        """Most tokens of prompt and target."""
        return self.model.longest

    def encode(self, given: ModelInput, target: str) -> EncodedExample:
        """Return an example. Context that the model has no room for is left out, the oldest first."""
        read = self.model.read_with(given, target)
        ahead, pieces = _parts(read, given), list[Piece]()
        for written, (start, end) in zip(read.before.pieces, read.before.spans, strict=True):
            pieces.append(ahead.piece(written, start, end))
        rows = [
            Piece(target[start:end] or written, Part.TARGET_PREFIX, 0, start, end)
            for written, (start, end) in zip(read.target.pieces, read.target.spans, strict=True)
        ]
        ids = (*read.before.ids, *read.target.ids)
        # The last piece of the target is predicted and never read; the prompt's last token predicts the first.
        return EncodedExample(
            (), ids[:-1], (*pieces, *rows[:-1]), tuple(rows), len(read.before.ids) - 1, read.target.ids
        )


@dataclass(frozen=True, slots=True)
class _Segments:
    """Where segments are in a prompt: part, number of the sentence, beginning, end."""

    text: str
    places: tuple[tuple[Part, int, int, int], ...]

    def piece(self, written: str, start: int, end: int) -> Piece:
        """Return what a token of the prompt is: of the first segment that it reaches into, or of none."""
        for part, sentence, first, last in self.places:
            if start < last and first < end:
                begin, stop = max(start, first), min(end, last)
                return Piece(self.text[begin:stop], part, sentence, begin - first, stop - first)
        return Piece(self.text[start:end] or written, Part.PROMPT)


def _parts(read: PromptReading, given: ModelInput) -> _Segments:
    """Return the segments of a prompt; sentences of context are numbered as they were given."""
    sources, targets = len(read.given.source_context), len(read.given.target_context)
    cut = len(given.source_context) - sources, len(given.target_context) - targets
    names = [
        *((Part.SOURCE_CONTEXT, cut[0] + number) for number in range(sources)),
        (Part.SOURCE, 0),
        *((Part.TARGET_CONTEXT, cut[1] + number) for number in range(targets)),
    ]
    return _Segments(read.text, tuple((*names[number], start, end) for number, start, end in read.places))
