"""Parallel documents as token ids, and the examples of an epoch drawn from them."""

from __future__ import annotations

import hashlib
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


@dataclass(frozen=True, slots=True)
class TextSummary:
    """What a text is.

    Attributes:
        documents, segments: how many there are.
        source_words, target_words: runs of characters without blanks.
        digest: of all ids and texts, in order.
    """

    documents: int
    segments: int
    source_words: int
    target_words: int
    digest: str


def summarised(documents: Iterable[Document]) -> TextSummary:
    """Count a text and hash it.

    Args:
        documents: the text; the target is each segment's reference.
    """
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """The examples of an epoch.

    Attributes:
        places: where they are from.
        shortened: how many have less context than was drawn for them, since more is too long.
        left_out: how many segments are too long by themselves.
    """

    places: list[Place]
    shortened: int
    left_out: int


class Examples:
    """Turns places of a text into laid-out examples.

    Args:
        documents: the text.
        layout: how the model takes context.
        settings: context size, word dropout and the longest example.
        words: of the targets; 0 if nobody has counted.

    Attributes:
        words_per_token: of the targets, ends of sentences included; 1 if nobody has counted.
    """

    def __init__(
        self, documents: Sequence[TokenDocument], layout: Layout, settings: TrainingSettings, words: int = 0
    ) -> None:
        self.documents = documents
        tokens = sum(len(target) + 1 for document in documents for target in document.targets)
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
        for number, document in enumerate(self.documents):
            for segment in range(len(document.sources)):
                size = draw.randint(0, most) if draw and self._settings.dynamic else most
                wanted = min(size, segment)
                fitting = self._fitting(document, segment, wanted)
                shortened += 0 <= fitting < wanted
                left_out += fitting < 0
                if fitting >= 0:
                    places.append(Place(number, segment, fitting))
        return Drawn(places, shortened, left_out)

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
        """Return the tokens of a place's example: the longer one of both sides, each with its context."""
        document = self.documents[place.document]
        span = slice(place.segment - place.context, place.segment + 1)
        sides = (document.sources[span], document.targets[span])
        return max(sum(len(sentence) + 1 for sentence in side) for side in sides)

    def _fitting(self, document: TokenDocument, segment: int, wanted: int) -> int:
        """Return how many sentences of context fit, −1 if not even the segment itself does."""
        source = target = 0
        for taken, at in enumerate(range(segment, segment - wanted - 1, -1)):
            source += len(document.sources[at]) + 1
            target += len(document.targets[at]) + 1
            if max(source, target) > self._settings.longest:
                return taken - 1
        return wanted
