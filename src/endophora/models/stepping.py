"""The decoder of a model of ``transformers`` as the beam search drives it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache

from endophora.models.forward import Encoded, decoder_logits


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
