"""One pass of a model over a batch: encoder states that inputs share, and logits only where they are needed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutput

from endophora.models.batching import masked, padded
from endophora.models.layout import LaidOut


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


def encode(
    model: Any, examples: Sequence[LaidOut], pad: int, run: Callable[[Tensor, Tensor], Tensor] | None = None
) -> Encoded:
    """Run the encoder over a batch, once for examples whose sources are the same.

    Args:
        run: what runs a model's only encoder on ids and mask, (B, S) both; by default the encoder itself.
    """
    keys = [sources_key(example) for example in examples]
    distinct = list(dict.fromkeys(keys))
    found = _encode(model, distinct, pad, run)
    if len(distinct) == len(keys):
        return found
    place = {key: number for number, key in enumerate(distinct)}
    return found.rows(torch.tensor([place[key] for key in keys], device=found.mask.device))


def _encode(
    model: Any,
    keys: Sequence[tuple[tuple[int, ...], ...]],
    pad: int,
    run: Callable[[Tensor, Tensor], Tensor] | None,
) -> Encoded:
    device = model.device
    source = [key[0] for key in keys]
    ids, mask = padded(source, pad, device), masked(source, device)
    if not hasattr(model, "encode"):
        if run is not None:
            return Encoded(run(ids, mask), mask)
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
