"""Batches of training examples as tensors, in an order that a seed and an epoch determine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from endophora.models.batching import batches, masked, padded
from endophora.models.layout import LaidOut
from endophora.models.presets import Architecture
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.text import Examples, Place

IGNORED = -100
"""Label of what is not to be learned."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass over the text.

    Attributes:
        shortened: examples that have less context than was drawn for them.
    """

    batches: list[list[Place]]
    shortened: int
    left_out: int


def epoch_batches(examples: Examples, settings: TrainingSettings, number: int) -> Epoch:
    """Return the batches of an epoch, examples of like length together and the batches in random order."""
    draw = random.Random(f"{settings.seed} {number}")  # noqa: S311 - not for secrets
    drawn = examples.draw(draw)
    places = drawn.places
    draw.shuffle(places)
    # Both sides of an example count, and both are about as long.
    made = batches([examples.length(place) for place in places], settings.batch_tokens // 2)
    chosen = [[places[index] for index in batch] for batch in made]
    draw.shuffle(chosen)
    return Epoch(chosen, drawn.shortened, drawn.left_out)


@dataclass(frozen=True, slots=True)
class TensorBatch:
    """A batch as a model takes it.

    Attributes:
        inputs: name of the argument → (batch, length) tensor.
        labels: (batch, T) what the decoder should say; :data:`IGNORED` where it is not counted.
    """

    inputs: dict[str, Tensor]
    labels: Tensor
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
