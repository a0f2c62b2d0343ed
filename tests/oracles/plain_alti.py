"""ALTI+ the plain way: all transformed vectors of a block at once, and the layers of a rollout one after the other."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from endophora.context.attribution.alti import DecoderRollout
from endophora.context.attribution.blocks import Block, linearise


def transformed_vectors(block: Block) -> tuple[Tensor, Tensor]:
    """Return the parts of a block's output, all at once: for tests and for small inputs.

    Returns:
        (B, T, S, d) the transformed vectors, or (B, T, S + 1, d) with the residual last where it has its own column;
        (B, T, d) the biases. The vectors' sum over S and the biases are together the block's output.
    """
    linear = linearise(block)
    weights = block.weights * linear.factor[:, None, :, None]
    values = torch.einsum("bhse,hed->bshd", block.values, linear.projection)
    vectors = torch.einsum("bhts,bshd->btsd", weights, values)
    if not block.own:
        return torch.cat([vectors, linear.residual.unsqueeze(2)], 2), linear.rest
    positions = torch.arange(vectors.shape[1], device=vectors.device)
    vectors[:, positions, positions] += linear.residual
    return vectors, linear.rest


def encoder_rollout(layers: Iterable[Tensor]) -> Tensor:
    """Return the product of an encoder's layers, (…, S, S) each, the lowest first."""
    iterator = iter(layers)
    product = next(iterator)
    for layer in iterator:
        product = layer @ product
    return product


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
