"""Tensors of batches, one pass of a model over them, and a decoder that keeps what it has read."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from endophora.models.layout import LaidOut


def padded(sequences: Sequence[Sequence[int]], filler: int, device: torch.device | str = "cpu") -> Tensor:
    """Return sequences as one tensor (N, longest), filled up at the end."""
    width = max((len(sequence) for sequence in sequences), default=0)
    rows = [[*sequence, *[filler] * (width - len(sequence))] for sequence in sequences]
    return torch.tensor(rows, dtype=torch.long, device=device).reshape(len(sequences), width)


def masked(sequences: Sequence[Sequence[int]], device: torch.device | str = "cpu") -> Tensor:
    """Return the mask (N, longest) of sequences: 1 where a token stands, 0 where it is padding."""
    return padded([[1] * len(sequence) for sequence in sequences], 0, device)


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the encoder, or all encoders joined, have made of a batch.

    Attributes:
        states: (B, S, hidden).
        mask: (B, S), 1 where a token stands.
    """

    states: Tensor
    mask: Tensor

    def rows(self, numbers: Tensor) -> Encoded:
        """Return these examples of the batch, (N,) numbers; an example may be there several times."""
        return Encoded(self.states[numbers], self.mask[numbers])


def sources_key(example: LaidOut) -> tuple[tuple[int, ...], ...]:
    """Return what the encoders read of an example: examples that have it in common are encoded once."""
    return example.source, example.source_context, example.target_context


def encode(model: Any, examples: Sequence[LaidOut], pad: int) -> Encoded:
    """Run the encoder over a batch, once for examples whose sources are the same."""
    keys = [sources_key(example) for example in examples]
    distinct = list(dict.fromkeys(keys))
    found = _encode(model, distinct, pad)
    if len(distinct) == len(keys):
        return found
    place = {key: number for number, key in enumerate(distinct)}
    return found.rows(torch.tensor([place[key] for key in keys], device=found.mask.device))


def _encode(model: Any, keys: Sequence[tuple[tuple[int, ...], ...]], pad: int) -> Encoded:
    device = model.device
    source = [key[0] for key in keys]
    ids, mask = padded(source, pad, device), masked(source, device)
    if not hasattr(model, "encode"):
        return Encoded(model.get_encoder()(input_ids=ids, attention_mask=mask)[0], mask)
    more: list[Tensor | None] = []
    for number in (1, 2):
        sequences = [key[number] for key in keys]
        some = any(sequences)
        more += [padded(sequences, pad, device), masked(sequences, device)] if some else [None, None]
    return Encoded(*model.encode(ids, mask, *more))


@contextmanager
def _only(model: Any, rows: Tensor) -> Generator[None]:
    """Let the output layer see only some of the decoder's states."""

    def choose(layer: Any, arguments: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Replace the states (batch, length, hidden) by those that are wanted (1, N, hidden)."""
        del layer
        states, *others = arguments
        return (states.flatten(0, -2)[rows][None], *others)

    handle = model.get_output_embeddings().register_forward_pre_hook(choose)
    try:
        yield
    finally:
        handle.remove()


def decoder_logits(
    model: Any, encoded: Encoded | None, tokens: Tensor, rows: Tensor, cache: Any = None
) -> tuple[Tensor, Any]:
    """Return the logits of a decoder at some places.

    Args:
        model: of ``transformers``; a decoder-only one if there is nothing encoded.
        tokens: (B, T) what it reads.
        rows: (N,) places in the flattened tokens (B · T) whose next token is asked for.

    Returns:
        Logits (N, vocabulary), as the model computes them, and the cache with these tokens.
    """
    given: dict[str, Any] = {"use_cache": cache is not None, "past_key_values": cache}
    if encoded is None:
        given |= {"input_ids": tokens}
    else:
        given |= {
            "encoder_outputs": BaseModelOutput(last_hidden_state=encoded.states),  # type: ignore[arg-type]
            "attention_mask": encoded.mask,
            "decoder_input_ids": tokens,
        }
    with _only(model, rows):
        output = model(**given)
    return output.logits[0], output.past_key_values if cache is not None else None


class TorchSteps:
    """Steps of a decoder that keeps keys and values of what it has read."""

    def __init__(self, model: Any, encoded: Encoded | None) -> None:
        self._model = model
        self._encoded = encoded
        own = DynamicCache(config=model.config)
        self._own: Any = own
        self._cache: Any = own if encoded is None else EncoderDecoderCache(own, DynamicCache(config=model.config))

    def begin(self, tokens: Tensor) -> Tensor:
        """Read the first tokens, (B, T), and return the logits of the next one, (B, vocabulary)."""
        count, width = tokens.shape
        last = torch.arange(1, count + 1, device=tokens.device) * width - 1
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens, last, self._cache)
        return logits

    def step(self, tokens: Tensor) -> Tensor:
        """Read one more token of each, (N,), and return the logits of the next one, (N, vocabulary)."""
        rows = torch.arange(len(tokens), device=tokens.device)
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens[:, None], rows, self._cache)
        return logits

    def read(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Read more tokens of each, (N, T), and return the logits at (M,) places of the flattened (N · T)."""
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens, rows, self._cache)
        return logits

    def repeat(self, times: int) -> None:
        """Make each example of the batch so many, one after the other."""
        self._cache.batch_repeat_interleave(times)
        if self._encoded is not None:
            states, mask = self._encoded.states, self._encoded.mask
            self._encoded = Encoded(states.repeat_interleave(times, 0), mask.repeat_interleave(times, 0))

    def reorder(self, rows: Tensor) -> None:
        """Let each row, (N,), go on from another one of the same example: what the encoder said stays the same."""
        self._own.reorder_cache(rows)

    def keep(self, rows: Tensor) -> None:
        """Forget all but some rows, (M,); a row may be there several times."""
        self._cache.batch_select_indices(rows)
        if self._encoded is not None:
            self._encoded = self._encoded.rows(rows)
