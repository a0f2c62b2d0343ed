"""Attributions of many examples: laid out, in batches of like length, by one of the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
import torch

from endophora.context.attribution.flows import Floats, Flow, ordered
from endophora.context.attribution.pieces import Encoder, Example
from endophora.context.attribution.tracing import DEFAULT, Batch, Settings, trace
from endophora.errors import Fault, InputError
from endophora.models.batching import batches, masked, padded
from endophora.models.records import ModelInput
from endophora.models.torch_model import TorchModel


class Method(StrEnum):
    """How contributions are found."""

    ALTI = "alti"
    """ALTI+ (Ferrando et al. 2022)."""
    GRADIENT = "gradient"
    """Gradient of the token's log-probability times the embedding."""
    INTEGRATED = "integrated"
    """Integrated gradients (Sundararajan et al. 2017) from embeddings of zero."""


class Attribution(Protocol):
    """Finds the contributions of a batch of examples."""

    @property
    def signature(self) -> str:
        """Method and variants."""
        ...

    def batch(self, model: Any, examples: Sequence[Example], pad: int) -> list[Floats]:
        """Return the contributions of each example, (R, C) each, rows that sum to 1."""
        ...


class Alti:
    """ALTI+ as an attribution.

    Args:
        settings: variants and memory.
    """

    def __init__(self, settings: Settings = DEFAULT) -> None:
        self._settings = settings

    @property
    def signature(self) -> str:
        """Method and variants."""
        return f"alti+ norm:{self._settings.normalisation} from:{self._settings.resultant}"

    def batch(self, model: Any, examples: Sequence[Example], pad: int) -> list[Floats]:
        """Return the contributions of each example, (R, C) each.

        Args:
            model: of ``transformers``.
            examples: what it reads.
            pad: the padding token.

        Raises:
            InputError: the model cannot be taken apart (E260, E261).
        """
        given = as_batch(examples, pad, model.device)
        found = trace(model, given, self._settings).double().cpu().numpy()
        return [_own(found[index], example, given) for index, example in enumerate(examples)]


BATCH_TOKENS = {"cpu": 256}
"""Most tokens of a batch by device: padding costs by its square, a processor by what its caches do not hold."""
MANY_TOKENS = 16_384
"""The same for other devices."""


def attributor_of(model: object, method: Attribution | None = None, *, batch_tokens: int | None = None) -> Attributor:
    """Return the attributor of a model.

    Args:
        model: a translator or scorer that can be looked into.
        method: how contributions are found.
        batch_tokens: most tokens of a batch, padding included; by default what suits the device.

    Raises:
        InputError: it is a service or another model that cannot be looked into (E265).
    """
    if not isinstance(model, TorchModel):
        cause = f"{getattr(model, 'signature', model)}: this model cannot be looked into"
        raise InputError(Fault("E265", cause, "take a sequence-to-sequence model on torch", "--model"))
    coder = model.coder
    encoder = Encoder(model.layout, coder.source, coder.target, coder.start)
    most = batch_tokens or BATCH_TOKENS.get(model.model.device.type, MANY_TOKENS)
    return Attributor(model.model, encoder, coder.pad, method, batch_tokens=most)


class Attributor:
    """Attributes the words of targets to what a model read.

    Args:
        model: of ``transformers``.
        encoder: lays examples out.
        pad: the padding token.
        method: how contributions are found.
        batch_tokens: most tokens of a batch, padding included.
    """

    def __init__(
        self, model: Any, encoder: Encoder, pad: int, method: Attribution | None = None, *, batch_tokens: int = 4096
    ) -> None:
        self._model = model
        self._encoder = encoder
        self._pad = pad
        self._method = method or Alti()
        self._batch_tokens = batch_tokens

    @property
    def signature(self) -> str:
        """Method and variants."""
        return self._method.signature

    @property
    def takes_target_context(self) -> bool:
        """Whether the model reads target context at all."""
        return self._encoder.layout.takes_target_context

    def flows(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> Iterator[tuple[int, Flow]]:
        """Yield the number of each input and its flow, the longest first.

        Args:
            inputs: sources with their contexts.
            targets: for each the text whose pieces are explained; one without any piece is passed over, and so is one
                that the model has no room for, even without context.

        Raises:
            ValueError: the two have not the same length.
            InputError: the model cannot be taken apart (E260, E261).
        """
        pairs = zip(inputs, targets, strict=True)
        examples = [self._encoder.encode(given, target) for given, target in pairs]
        for numbers in batches([example.length for example in examples], self._batch_tokens):
            batch = [(number, examples[number]) for number in numbers if self._takes(examples[number])]
            if not batch:
                continue
            found = self._method.batch(self._model, [example for _, example in batch], self._pad)
            for (number, example), matrix in zip(batch, found, strict=True):
                yield number, ordered(example.rows, example.columns, matrix)

    def _takes(self, example: Example) -> bool:
        longest = max(map(len, (*example.encoders, example.decoder)))
        return bool(example.rows) and longest <= self._encoder.layout.longest


def as_batch(examples: Sequence[Example], pad: int, device: torch.device | str = "cpu") -> Batch:
    """Return examples as padded tensors.

    Args:
        examples: of one model.
        pad: the padding token.
        device: where the tensors are.
    """
    read: list[tuple[torch.Tensor, torch.Tensor] | None] = []
    for sequences in zip(*(example.encoders for example in examples), strict=True):
        some = any(sequences)
        read.append((padded(sequences, pad, device), masked(sequences, device)) if some else None)
    return Batch(tuple(read), padded([example.decoder for example in examples], pad, device))


def _own(found: Floats, example: Example, batch: Batch) -> Floats:
    """Return an example's rows and columns, (R, C), of a batch's (T, S + T)."""
    start, kept = 0, list[int]()
    for ids, tensors in zip(example.encoders, batch.encoders, strict=True):
        kept += range(start, start + len(ids))
        start += 0 if tensors is None else tensors[0].shape[1]
    kept += range(start, start + len(example.decoder))
    rows = slice(example.first, example.first + len(example.rows))
    return np.ascontiguousarray(found[rows][:, kept])
