"""Parallel documents as token ids, and the batches of an epoch drawn from them."""

from __future__ import annotations

import hashlib
import random
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import torch
from torch import Tensor

from endophora.corpus.records import Document
from endophora.corpus.streams import REFERENCE
from endophora.models.layout import Architecture, Ids, LaidOut, Layout, batches
from endophora.models.tokenization import Vocabulary
from endophora.models.torch_model import masked, padded
from endophora.training.translation.card import TextPart
from endophora.training.translation.settings import TrainingSettings


class Sentences(Sequence[Ids]):
    """Sentences of ids behind one another in one array, with 0 and the end of each; tuples are made when asked for."""

    def __init__(self) -> None:
        self._ids = array("i")
        self.ends = array("q", [0])

    def append(self, sentence: Ids) -> None:
        """Add a sentence at the end."""
        self._ids.extend(sentence)
        self.ends.append(len(self._ids))

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> Ids: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Ids, ...]: ...

    def __getitem__(self, index: int | slice) -> Ids | tuple[Ids, ...]:
        """Return a sentence, or those of a stretch."""
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        return tuple(self._ids[self.ends[at] : self.ends[at + 1]])

    def tokens(self, first: int, behind: int) -> int:
        """Return the tokens of the sentences from ``first`` to the one before ``behind``."""
        return self.ends[behind] - self.ends[first]


@dataclass(frozen=True, slots=True)
class TokenDocument:
    """A document's segments as ids, without special tokens: sources and targets, parallel."""

    sources: tuple[Ids, ...]
    targets: tuple[Ids, ...]


class TokenText:
    """Parallel documents as ids; ``starts`` has the number of each document's first segment, and of all segments."""

    def __init__(self, documents: Iterable[TokenDocument]) -> None:
        self.sources, self.targets = Sentences(), Sentences()
        self.starts = array("q", [0])
        for document in documents:
            for source, target in zip(document.sources, document.targets, strict=True):
                self.sources.append(source)
                self.targets.append(target)
            self.starts.append(len(self.sources))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> TokenDocument:
        """Return a document."""
        at = range(len(self))[number]
        span = slice(self.starts[at], self.starts[at + 1])
        return TokenDocument(self.sources[span], self.targets[span])


def summarised(documents: Iterable[Document]) -> TextPart:
    """Count a text and hash it."""
    digest = hashlib.blake2b(digest_size=16)
    counts = Counter[str](documents=0, segments=0, source_words=0, target_words=0)
    for document in documents:
        counts["documents"] += 1
        for segment in document.segments:
            texts = (document.id, segment.source, segment.references[REFERENCE])
            counts["segments"] += 1
            counts["source_words"] += len(texts[1].split())
            counts["target_words"] += len(texts[2].split())
            for text in texts:
                data = text.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
    found: dict[str, Any] = dict(counts)
    return TextPart(digest=digest.hexdigest(), **found)


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
class ExamplePlace:
    """Where an example is from: a document, a segment in it, and how many segments before it are its context."""

    document: int
    segment: int
    context: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The examples of an epoch, and how many have less context than was drawn or are left out, for their length."""

    places: list[ExamplePlace]
    shortened: int
    left_out: int


class Examples:
    """Turns places of a text into laid-out examples."""

    def __init__(self, documents: TokenText, layout: Layout, settings: TrainingSettings, words: int = 0) -> None:
        self.documents = documents
        # Words for each token of the targets, ends of sentences included; 1 if nobody has counted.
        tokens = documents.targets.tokens(0, len(documents.targets)) + len(documents.targets)
        self.words_per_token = words / tokens if words else 1.0
        self._layout = layout
        # A side of which no context is read has none of its tokens either.
        self._sides = (documents.sources, layout.takes_source_context), (documents.targets, layout.takes_target_context)
        self._settings = settings

    def draw(self, draw: random.Random | None) -> Drawn:
        """Return one place for each segment that is not too long by itself.

        ``draw`` draws the context sizes where they are dynamic, each of 0 … ``context_size`` alike; ``None`` takes as
        much context as there is.
        """
        most = self._settings.context_size
        places: list[ExamplePlace] = []
        shortened = left_out = 0
        for number, (start, end) in enumerate(pairwise(self.documents.starts)):
            for segment in range(end - start):
                size = draw.randint(0, most) if draw and self._settings.dynamic else most
                wanted = min(size, segment)
                fitting = self._fitting(start + segment, wanted)
                shortened += 0 <= fitting < wanted
                left_out += fitting < 0
                if fitting >= 0:
                    places.append(ExamplePlace(number, segment, fitting))
        return Drawn(places, shortened, left_out)

    def example(self, place: ExamplePlace, draw: random.Random | None = None) -> LaidOut:
        """Return the sequences of a place; ``draw`` draws the words of the source that are left out."""
        at = self.documents.starts[place.document] + place.segment
        sources, targets = self.documents.sources, self.documents.targets
        source = sources[at]
        share = self._settings.word_dropout
        if draw is not None and share:
            source = tuple(Vocabulary.unknown if draw.random() < share else token for token in source)
        before = slice(at - place.context, at)
        return self._layout.lay_out(source, targets[at], sources[before], targets[before])

    def length(self, place: ExamplePlace) -> int:
        """Return the tokens of a place's example: the longer one of both sides, each with its context."""
        return self._tokens(self.documents.starts[place.document] + place.segment, place.context)

    def _tokens(self, at: int, context: int) -> int:
        """Return the tokens of the longer side of a segment, counted through all documents, with so much context."""
        return max(side.tokens(at - context * taken, at + 1) + context * taken for side, taken in self._sides) + 1

    def _fitting(self, at: int, wanted: int) -> int:
        """Return how many sentences of context fit, −1 if not even the segment itself does."""
        if self._tokens(at, 0) > self._settings.longest:
            return -1
        most = self._settings.most_with_context
        return next((taken - 1 for taken in range(1, wanted + 1) if self._tokens(at, taken) > most), wanted)


IGNORED = -100
"""Label of what is not to be learned."""


def epoch_batches(examples: Examples, settings: TrainingSettings, number: int) -> list[list[ExamplePlace]]:
    """Return the batches of an epoch, examples of like length together and the batches in random order."""
    draw = random.Random(f"{settings.seed} {number}")  # noqa: S311 - not for secrets
    places = examples.draw(draw).places
    draw.shuffle(places)
    # Both sides of an example count, and both are about as long.
    made = batches([examples.length(place) for place in places], settings.batch_tokens // 2)
    chosen = [[places[index] for index in batch] for batch in made]
    draw.shuffle(chosen)
    return chosen


@dataclass(frozen=True, slots=True)
class TensorBatch:
    """A batch as a model takes it."""

    inputs: dict[str, Tensor]  # name of the argument → (batch, length) tensor
    labels: Tensor  # (batch, T); ``IGNORED`` where they are not counted
    tokens: int


def tensor_batch(
    examples: Sequence[LaidOut], pad: int, architecture: Architecture, *, context_loss: bool, device: torch.device
) -> TensorBatch:
    """Return laid-out examples as tensors."""
    inputs = {
        "input_ids": padded([one.source for one in examples], pad, device),
        "attention_mask": masked([one.source for one in examples], device),
        "decoder_input_ids": padded([(pad, *one.prefix, *one.target[:-1]) for one in examples], pad, device),
    }
    if architecture is Architecture.MULTI_ENCODER:
        for name in ("source_context", "target_context"):
            sequences: list[tuple[int, ...]] = [getattr(one, name) for one in examples]
            if any(sequences):
                inputs[f"{name}_ids"] = padded(sequences, pad, device)
                inputs[f"{name}_mask"] = masked(sequences, device)
    wanted = [(one.prefix if context_loss else (IGNORED,) * len(one.prefix)) + one.target for one in examples]
    # Counted here: on a GPU, asking a tensor would wait for all work before it.
    tokens = sum(label != IGNORED for row in wanted for label in row)
    return TensorBatch(inputs, padded(wanted, IGNORED, device), tokens)
