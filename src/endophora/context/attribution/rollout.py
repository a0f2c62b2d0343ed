"""From the contributions of layers to those of the model: products over layers, and the paths of the target prefix.

Ferrando et al. (2022), section 3.2 and 3.3; for several encoders Mohammed and Niculae (2024), section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor


def encoder_rollout(layers: Iterable[Tensor]) -> Tensor:
    """Return how much each input of an encoder contributes to each of its outputs: the product of its layers.

    Args:
        layers: (…, S, S) of each layer, the lowest first; at least one.
    """
    iterator = iter(layers)
    product = next(iterator)
    for layer in iterator:
        product = layer @ product
    return product


def block_diagonal(encoders: Sequence[Tensor]) -> Tensor:
    """Join the encoders of a multi-encoder, of which each has seen its own sequence only.

    Args:
        encoders: (…, S_k, S_k) of each, in the order in which their outputs are joined.

    Returns:
        (…, S, S), S the sum of all S_k.
    """
    if len(encoders) == 1:
        return encoders[0]
    sizes = [encoder.shape[-1] for encoder in encoders]
    joined = encoders[0].new_zeros((*encoders[0].shape[:-2], sum(sizes), sum(sizes)))
    start = 0
    for encoder, size in zip(encoders, sizes, strict=True):
        joined[..., start : start + size, start : start + size] = encoder
        start += size
    return joined


class DecoderRollout:
    """What source and target prefix contribute to each position of a decoder, taken up layer by layer.

    Args:
        encoder: (…, S, S) rollout of the encoder.
        positions: T, those of the decoder.
    """

    def __init__(self, encoder: Tensor, positions: int) -> None:
        self._encoder = encoder
        prefix = torch.eye(positions, dtype=encoder.dtype, device=encoder.device)
        self._prefix = prefix.expand(*encoder.shape[:-2], positions, positions)
        self._source = encoder.new_zeros((*encoder.shape[:-2], positions, encoder.shape[-1]))

    def add(self, self_attention: Tensor, cross_attention: Tensor) -> None:
        """Take up the next layer.

        Args:
            self_attention: (…, T, T) contributions of its self-attention block.
            cross_attention: (…, T, S + 1) contributions of its cross-attention block, the residual last.
        """
        residual, crossed = cross_attention[..., -1:], cross_attention[..., :-1]
        self._source = crossed @ self._encoder + residual * (self_attention @ self._source)
        self._prefix = residual * (self_attention @ self._prefix)

    def result(self) -> Tensor:
        """Return (…, T, S + T): the row of a position is that of the token which is predicted there, and sums to 1."""
        return torch.cat([self._source, self._prefix], -1)


def decoder_rollout(encoder: Tensor, layers: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
    """Return what source and target prefix contribute to each position of a decoder.

    Args:
        encoder: (…, S, S) rollout of the encoder.
        layers: of each layer, the lowest first, contributions (…, T, T) of its self-attention and (…, T, S + 1) of its
            cross-attention, the residual last; at least one.

    Returns:
        (…, T, S + T).
    """
    rollout: DecoderRollout | None = None
    for self_attention, cross_attention in layers:
        rollout = rollout or DecoderRollout(encoder, self_attention.shape[-1])
        rollout.add(self_attention, cross_attention)
    if rollout is None:
        raise ValueError("a decoder has at least one layer")
    return rollout.result()
