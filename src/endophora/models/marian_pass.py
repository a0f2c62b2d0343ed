"""One pass of a Marian model over given tokens, with fewer and larger products than the library's own modules make.

It computes what ``transformers`` computes, from the same weights, for scoring alone: no cache, no dropout. Projections
of the same states are one product; sums are in place; the output layer is taken in blocks of the vocabulary that stay
in a processor's cache, of which only the normaliser is kept.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, linear, scaled_dot_product_attention
from transformers import MarianMTModel

from endophora.models.forward import Encoded
from endophora.models.multi_encoder import MultiEncoderForTranslation

BLOCK = {"cpu": 1 << 18}
"""Logits of a block by device: 1 MiB of float32, of which a core's second cache holds some."""
LARGE_BLOCK = 1 << 26
"""The same for other devices."""


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Several projections of the same states as one."""

    weight: Tensor
    bias: Tensor

    @classmethod
    def of(cls, *layers: nn.Linear) -> _Joined:
        """Join the layers."""
        return cls(torch.cat([layer.weight for layer in layers]), torch.cat([layer.bias for layer in layers]))

    def split(self, states: Tensor, heads: int, parts: int) -> tuple[Tensor, ...]:
        """Project (B, L, hidden); return for each layer (B, heads, L, size)."""
        batch, length, _ = states.shape
        made = linear(states, self.weight, self.bias).view(batch, length, parts, heads, -1)
        return made.permute(2, 0, 3, 1, 4).unbind()


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What a layer of the decoder keeps of tokens that it has read.

    Attributes:
        crossed: keys and values of its attention to the encoder, (B, heads, S, size) both.
    """

    keys: Tensor
    values: Tensor
    crossed: tuple[Tensor, Tensor]

    def rows(self, numbers: Tensor) -> Kept:
        """Return these rows, (N,); a row may be there several times."""
        keys, values = self.crossed
        return Kept(self.keys[numbers], self.values[numbers], (keys[numbers], values[numbers]))


class MarianPass:
    """A Marian model, or the decoder of a multi-encoder, reading given tokens.

    Args:
        model: as :func:`takes` wants it. Its weights are copied in part: what is changed later is not seen.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._encoder: Any = model.get_encoder()
        self._decoder: Any = model.get_decoder()
        self._own = [_own(layer) for layer in self._decoder.layers]
        self._joined = [_own(layer) for layer in self._encoder.layers]
        self._crossed = [_Joined.of(x.encoder_attn.k_proj, x.encoder_attn.v_proj) for x in self._decoder.layers]
        # Logits are in float32 whatever the weights are: rounded ones would cost more than rounded states do.
        self._output: Tensor = model.lm_head.weight.float()
        bias = model.final_logits_bias.float()[0]
        self._bias: Tensor | None = bias if bool(bias.any()) else None

    def encoder_states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return what the encoder makes of (B, S) ids of which the mask is 1 where there is a token: (B, S, hidden)."""
        states, seen = _embedded(self._encoder, ids), _seen(mask, self._model.dtype)
        for layer, joined in zip(self._encoder.layers, self._joined, strict=True):
            attention = layer.self_attn
            queries, keys, values = joined.split(states, attention.num_heads, 3)
            found = scaled_dot_product_attention(queries, keys, values, seen)
            states = _summed(states, found, attention.out_proj, layer.self_attn_layer_norm)
            states = _fed(layer, states)
        return states

    def read(
        self, encoded: Encoded, tokens: Tensor, before: Sequence[Kept] = (), owners: Tensor | None = None
    ) -> tuple[Tensor, list[Kept]]:
        """Let the decoder read tokens.

        Args:
            tokens: (B, T), padding at the end.
            owners: (B,) for each row of ``tokens`` the row of ``before`` and of ``encoded`` that it goes on from.

        Returns:
            What the decoder makes of them, (B, T, hidden), and of each layer what is kept.
        """
        start = before[0].keys.shape[2] if before else 0
        mask = encoded.mask if owners is None else encoded.mask[owners]
        states, seen = _embedded(self._decoder, tokens, start), _seen(mask, self._model.dtype)
        earlier = _earlier(tokens.shape[1], start, states) if before else None
        kept: list[Kept] = []
        for number, layer in enumerate(self._decoder.layers):
            old = before[number].rows(owners) if before and owners is not None else None
            attention = layer.self_attn
            queries, keys, values = self._own[number].split(states, attention.num_heads, 3)
            if old is not None:
                keys, values = torch.cat([old.keys, keys], 2), torch.cat([old.values, values], 2)
            found = scaled_dot_product_attention(queries, keys, values, earlier, is_causal=old is None)
            states = _summed(states, found, attention.out_proj, layer.self_attn_layer_norm)
            attention = layer.encoder_attn
            asked = linear(states, attention.q_proj.weight, attention.q_proj.bias)
            queries = asked.view(*asked.shape[:2], attention.num_heads, -1).transpose(1, 2)
            if old is not None:
                crossed_keys, crossed_values = old.crossed
            else:
                crossed_keys, crossed_values = self._crossed[number].split(encoded.states, attention.num_heads, 2)
            found = scaled_dot_product_attention(queries, crossed_keys, crossed_values, seen)
            states = _summed(states, found, attention.out_proj, layer.encoder_attn_layer_norm)
            states = _fed(layer, states)
            kept.append(Kept(keys, values, (crossed_keys, crossed_values)))
        return states, kept

    def logprobs(self, states: Tensor, wanted: Tensor) -> Tensor:
        """Return log-probabilities of (N,) tokens by the decoder's states, (N, hidden), where they are due; float32."""
        narrow = states.dtype is torch.bfloat16
        states = states.float()
        chosen = (states * self._output[wanted]).sum(1)
        if self._bias is not None:
            chosen += self._bias[wanted]
        step = max(64, BLOCK.get(states.device.type, LARGE_BLOCK) // len(states))
        space = states.new_empty(len(states) * step)
        found: list[Tensor] = []
        with _rounded(narrow):
            for start in range(0, len(self._output), step):
                weight = self._output[start : start + step]
                logits = torch.mm(states, weight.t(), out=space[: len(states) * len(weight)].view(len(states), -1))
                if self._bias is not None:
                    logits += self._bias[start : start + step]
                found.append(logits.logsumexp(1))
        return chosen - torch.stack(found, 1).logsumexp(1)


def takes(model: Any) -> bool:
    """Tell whether a model is one that :class:`MarianPass` reads as ``transformers`` does."""
    if type(model) not in (MarianMTModel, MultiEncoderForTranslation) or model.training:
        return False
    return model.dtype in (torch.float32, torch.bfloat16)


def _own(layer: Any) -> _Joined:
    return _Joined.of(layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj)


def _embedded(part: Any, ids: Tensor, start: int = 0) -> Tensor:
    """Return the embeddings of ids that stand at a place and after it, (B, L, hidden)."""
    states = part.embed_tokens(ids) * part.embed_scale
    return states.add_(part.embed_positions.weight[start : start + ids.shape[1]])


def _earlier(length: int, start: int, like: Tensor) -> Tensor:
    """Return what is added to attention's logits where tokens go on from earlier ones, (1, 1, L, start + L)."""
    return torch.full((length, start + length), -torch.inf, dtype=like.dtype, device=like.device).triu_(start + 1)[
        None, None
    ]


def _seen(mask: Tensor, dtype: torch.dtype) -> Tensor | None:
    """Return what is added to attention's logits, (B, 1, 1, S), or ``None`` where there is no padding."""
    if bool(mask.all()):
        return None
    hidden = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(mask == 0, -torch.inf)
    return hidden[:, None, None]


def _summed(states: Tensor, heads: Tensor, projection: nn.Linear, norm: nn.LayerNorm) -> Tensor:
    """Project what the heads found, (B, H, L, size), add it to the states, and take the norm."""
    made = linear(heads.transpose(1, 2).flatten(2), projection.weight, projection.bias).add_(states)
    return layer_norm(made, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _fed(layer: Any, states: Tensor) -> Tensor:
    """Take states through a layer's feed-forward network."""
    inner = linear(states, layer.fc1.weight, layer.fc1.bias)
    inner = inner.relu_() if isinstance(layer.activation_fn, nn.ReLU) else layer.activation_fn(inner)
    made = linear(inner, layer.fc2.weight, layer.fc2.bias).add_(states)
    norm = layer.final_layer_norm
    return layer_norm(made, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


@contextmanager
def _rounded(narrow: bool) -> Generator[None]:
    """Let products of float32 round what goes in to bfloat16, where the processor is made for that; sums stay exact."""
    before = torch.get_float32_matmul_precision()
    if narrow:
        torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
