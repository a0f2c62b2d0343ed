"""Attention weights as an attribution: what the decoder attends to when it predicts a word."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from endophora.context.attribution.alti import (
    Batch,
    architecture_of,
    as_batch,
    observed,
    own_part,
    plain_attention,
    watch,
)
from endophora.context.attribution.alti import run as run_batch
from endophora.context.attribution.alti_logit import STACK, stack_of
from endophora.context.attribution.blocks import Block
from endophora.context.attribution.flows import EncodedExample, Floats


@dataclass(frozen=True, slots=True)
class Attention:
    """The decoder's attention weights, on average over heads and layers, as inseq has them.

    Of a model with an encoder, cross-attention and attention to the prefix count alike. It is not what a token
    contributed: values and residuals are not looked at.
    """

    signature: str = "attention mean over heads and layers"

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:
        """Return the weights of each example; a model that is not known is E260."""
        if examples and not examples[0].encoders:
            return [self._read(model, example) for example in examples]
        return self._joined(model, examples, as_batch(examples, pad, model.device))

    @torch.no_grad()
    def _joined(self, model: Any, examples: Sequence[EncodedExample], given: Batch) -> list[Floats]:
        architecture, seen = architecture_of(model), _Seen()
        with observed(model, architecture, seen.take), plain_attention(model):
            run_batch(model, architecture, given)
        found = torch.cat([seen.mean(own=False), seen.mean(own=True)], -1).double().cpu().numpy() / 2
        return [own_part(found[index], example, given) for index, example in enumerate(examples)]

    @torch.no_grad()
    def _read(self, model: Any, example: EncodedExample) -> Floats:
        stack, seen = stack_of(model), _Seen()
        with plain_attention(model), ExitStack() as hooks:
            for layer in stack.layers:
                watch(hooks, layer, "self_attn", STACK, "", seen.take)
            stack(input_ids=torch.tensor([example.decoder], device=model.device), use_cache=False)
        rows = slice(example.first, example.first + len(example.rows))
        return seen.mean(own=True)[0, rows].double().cpu().numpy()


class _Seen:
    """The weights of the decoder's blocks, means over heads."""

    def __init__(self) -> None:
        self._found: dict[bool, list[Tensor]] = {True: [], False: []}

    def take(self, place: str, block: Block) -> None:
        """Take up a block, if it is the decoder's."""
        if not place:
            self._found[block.own].append(block.weights.mean(1))

    def mean(self, *, own: bool) -> Tensor:
        """Return the mean over layers, (B, T, S), of attention to the prefix or of cross-attention."""
        return torch.stack(self._found[own]).mean(0)
