"""Parallel documents as token ids, and the examples of an epoch drawn from them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from endophora.corpus import Document
from endophora.corpus.streams import REFERENCE
from endophora.models.layout import Ids, LaidOut, Layout
from endophora.models.vocabulary import Vocabulary
from endophora.training.translation.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class TokenDocument:
    """A document's segments as ids, without special tokens: sources and targets, parallel."""

    sources: tuple[Ids, ...]
    targets: tuple[Ids, ...]


def tokenised(documents: Iterable[Document], vocabulary: Vocabulary) -> list[TokenDocument]:
    """Return documents as ids; the target is each segment's reference."""
    return [
        TokenDocument(
            tuple(vocabulary.ids(segment.source) for segment in document.segments),
            tuple(vocabulary.ids(segment.references[REFERENCE]) for segment in document.segments),
        )
        for document in documents
    ]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an example is from: a document, a segment in it, and how many segments before it are its context."""

    document: int
    segment: int
    context: int


class Examples:
    """Turns places of a text into laid-out examples.

    Args:
        documents: the text.
        layout: how the model takes context.
        settings: context size, word dropout and the longest example.
    """

    def __init__(self, documents: Sequence[TokenDocument], layout: Layout, settings: TrainingSettings) -> None:
        self.documents = documents
        self._layout = layout
        self._settings = settings

    def places(self, draw: random.Random | None) -> list[Place]:
        """Return one place for each segment.

        Args:
            draw: draws the context sizes where they are dynamic; ``None`` takes as much context as there is.
        """
        most = self._settings.context_size
        made: list[Place] = []
        for number, document in enumerate(self.documents):
            for segment in range(len(document.sources)):
                size = draw.randint(0, most) if draw and self._settings.dynamic else most
                made.append(Place(number, segment, min(size, segment)))
        return made

    def example(self, place: Place, draw: random.Random | None = None) -> LaidOut:
        """Return the sequences of a place.

        Args:
            place: the segment.
            draw: draws the words of the source that are left out; ``None`` leaves all as they are.
        """
        document = self.documents[place.document]
        first = place.segment - place.context
        source = document.sources[place.segment]
        share = self._settings.word_dropout
        if draw is not None and share:
            source = tuple(Vocabulary.unknown if draw.random() < share else token for token in source)
        return self._layout.lay_out(
            source,
            document.targets[place.segment],
            document.sources[first : place.segment],
            document.targets[first : place.segment],
        )

    def length(self, place: Place) -> int:
        """Return the tokens of a place's example: the longer one of both sides."""
        document = self.documents[place.document]
        span = slice(place.segment - place.context, place.segment + 1)
        sides = (document.sources[span], document.targets[span])
        return max(sum(len(sentence) + 1 for sentence in side) for side in sides)
