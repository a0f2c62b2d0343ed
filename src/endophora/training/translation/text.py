"""Parallel documents as token ids, and the examples of an epoch drawn from them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from endophora.corpus import Document
from endophora.corpus.streams import REFERENCE
from endophora.models.layout import LaidOut, Layout
from endophora.models.vocabulary import Vocabulary
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.tokens import TokenDocument, TokenText


@dataclass(frozen=True, slots=True)
class TextSummary:
    """What a text is.

    Attributes:
        source_words, target_words: runs of characters without blanks.
    """

    documents: int
    segments: int
    source_words: int
    target_words: int
    digest: str


def summarised(documents: Iterable[Document]) -> TextSummary:
    """Count a text and hash it."""
    digest = hashlib.blake2b(digest_size=16)
    counts = [0, 0, 0, 0]
    for document in documents:
        counts[0] += 1
        for segment in document.segments:
            texts = (document.id, segment.source, segment.references[REFERENCE])
            counts[1] += 1
            counts[2] += len(texts[1].split())
            counts[3] += len(texts[2].split())
            for text in texts:
                data = text.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
    return TextSummary(counts[0], counts[1], counts[2], counts[3], digest.hexdigest())


def tokenised(documents: Iterable[Document], vocabulary: Vocabulary) -> TokenText:
    """Return documents as ids; the target is each segment's reference."""
    return TokenText(
        TokenDocument(
            tuple(vocabulary.ids(segment.source) for segment in document.segments),
            tuple(vocabulary.ids(segment.references[REFERENCE]) for segment in document.segments),
        )
        for document in documents
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Where an example is from: a document, a segment in it, and how many segments before it are its context."""

    document: int
    segment: int
    context: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The examples of an epoch.

    Attributes:
        shortened: how many have less context than was drawn for them, since more is too long.
    """

    places: list[Place]
    shortened: int
    left_out: int


class Examples:
    """Turns places of a text into laid-out examples.

    Attributes:
        words_per_token: of the targets, ends of sentences included; 1 if nobody has counted.
    """

    def __init__(self, documents: TokenText, layout: Layout, settings: TrainingSettings, words: int = 0) -> None:
        self.documents = documents
        # Every target has its end besides.
        tokens = documents.targets.tokens(0, len(documents.targets)) + len(documents.targets)
        self.words_per_token = words / tokens if words else 1.0
        self._layout = layout
        self._settings = settings

    def draw(self, draw: random.Random | None) -> Drawn:
        """Return one place for each segment that is not too long by itself.

        Args:
            draw: draws the context sizes where they are dynamic, each of 0 … ``context_size`` alike; ``None`` takes as
                much context as there is.
        """
        most = self._settings.context_size
        places: list[Place] = []
        shortened = left_out = 0
        for number, (start, end) in enumerate(pairwise(self.documents.starts)):
            for segment in range(end - start):
                size = draw.randint(0, most) if draw and self._settings.dynamic else most
                wanted = min(size, segment)
                fitting = self._fitting(start + segment, wanted)
                shortened += 0 <= fitting < wanted
                left_out += fitting < 0
                if fitting >= 0:
                    places.append(Place(number, segment, fitting))
        return Drawn(places, shortened, left_out)

    def example(self, place: Place, draw: random.Random | None = None) -> LaidOut:
        """Return the sequences of a place.

        Args:
            draw: draws the words of the source that are left out; ``None`` leaves all as they are.
        """
        at = self.documents.starts[place.document] + place.segment
        sources, targets = self.documents.sources, self.documents.targets
        source = sources[at]
        share = self._settings.word_dropout
        if draw is not None and share:
            source = tuple(Vocabulary.unknown if draw.random() < share else token for token in source)
        before = slice(at - place.context, at)
        return self._layout.lay_out(source, targets[at], sources[before], targets[before])

    def length(self, place: Place) -> int:
        """Return the tokens of a place's example: the longer one of both sides, each with its context."""
        return self._tokens(self.documents.starts[place.document] + place.segment, place.context)

    def _tokens(self, at: int, context: int) -> int:
        """Return the tokens of the longer side of a segment, counted through all documents, with so much context."""
        sides = (self.documents.sources, self.documents.targets)
        return max(side.tokens(at - context, at + 1) for side in sides) + context + 1

    def _fitting(self, at: int, wanted: int) -> int:
        """Return how many sentences of context fit, −1 if not even the segment itself does."""
        if self._tokens(at, 0) > self._settings.longest:
            return -1
        most = self._settings.most_with_context
        return next((taken - 1 for taken in range(1, wanted + 1) if self._tokens(at, taken) > most), wanted)
