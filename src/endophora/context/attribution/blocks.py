"""An attention block taken apart: the transformed vector that each input position adds to each output.

Ferrando et al. (2022), section 3.1, after Kobayashi et al. (2021). With A the attention weights of head h, the output
of a block at position i is the sum over j of T_ij = Σ_h A_ij^h v_j^h O^h, with the residual in j = i (or in a column of
its own, where the block attends to an encoder), and of the projection's bias. A layer norm after the sum is linear but
for its standard deviation, which is that of the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import torch
from torch import Tensor, nn

MEMORY = {"cpu": 1 << 22, "cuda": 1 << 28}
"""Bytes for the transformed vectors that are there at a time, by device: on a processor what its cache has room for."""
OTHER = 1 << 26
"""The same for a device of another type."""


class Resultant(StrEnum):
    """What the distance of a transformed vector is measured from."""

    OUTPUT = "output"
    """The block's output, with the biases of projection and layer norm: the published code's way."""
    SUM = "sum"
    """The sum of the transformed vectors, without the biases."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One attention block of a layer as it ran on a batch.

    Attributes:
        weights: (B, H, T, S) attention weights.
        values: (B, H, S, e) values.
        projection: (H, e, d) output projection of each head.
        bias: (d,) its bias; ``None`` for none.
        residual: (B, T, d) what is added to the attention's output.
        attended: (B, T, d) the attention's output, bias included.
        norm: the layer norm after the sum; ``None`` where it stands before the block.
        own: the residual belongs to position j = i of S; if not (an encoder is attended to), to a column after all.
        causal: positions j > i are out of reach.
    """

    weights: Tensor
    values: Tensor
    projection: Tensor
    bias: Tensor | None
    residual: Tensor
    attended: Tensor
    norm: nn.LayerNorm | None
    own: bool
    causal: bool = False

    def of(self, examples: slice) -> Block:
        """Return the block of some examples of the batch."""
        return replace(
            self,
            weights=self.weights[examples],
            values=self.values[examples],
            residual=self.residual[examples],
            attended=self.attended[examples],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A block after the linear part of its layer norm; what is left of the norm is a factor of each output.

    Attributes:
        values: (B, S, H, d) what each head makes of each position.
        residual: (B, T, d) the residual.
        rest: (B, T, d) what belongs to no position: the biases.
        output: (B, T, d) the block's output.
        factor: (B, T) of each output: one over the standard deviation, or 1 without a norm.
    """

    values: Tensor
    residual: Tensor
    rest: Tensor
    output: Tensor
    factor: Tensor

    def target(self, resultant: Resultant) -> Tensor:
        """Return (B, T, d), what distances are measured from."""
        return self.output if resultant is Resultant.OUTPUT else self.output - self.rest


def linearise(block: Block) -> Linear:
    """Return a block's vectors through the linear part of its layer norm."""
    values = torch.einsum("bhse,hed->bshd", block.values, block.projection)
    summed = block.residual + block.attended
    bias = torch.zeros_like(summed[0, 0]) if block.bias is None else block.bias
    if block.norm is None:
        factor = torch.ones_like(summed[..., 0])
        return Linear(values, block.residual, bias.expand_as(summed), summed, factor)
    norm = block.norm
    factor = torch.rsqrt(summed.var(-1, correction=0) + norm.eps)
    scaled = factor.unsqueeze(-1)
    shift = norm.bias.to(bias.dtype)
    rest = _centred(bias, norm) * scaled + shift
    output = _centred(summed, norm) * scaled + shift
    return Linear(_centred(values, norm), _centred(block.residual, norm) * scaled, rest, output, factor)


def transformed_vectors(block: Block) -> tuple[Tensor, Tensor]:
    """Return the parts of a block's output, all at once: for tests and for small inputs.

    Returns:
        (B, T, S, d) the transformed vectors, or (B, T, S + 1, d) with the residual last where it has its own column;
        (B, T, d) the biases. The vectors' sum over S and the biases are together the block's output.
    """
    linear = linearise(block)
    weights = block.weights * linear.factor[:, None, :, None]
    vectors = torch.einsum("bhts,bshd->btsd", weights, linear.values)
    if not block.own:
        return torch.cat([vectors, linear.residual.unsqueeze(2)], 2), linear.rest
    positions = torch.arange(vectors.shape[1], device=vectors.device)
    vectors[:, positions, positions] += linear.residual
    return vectors, linear.rest


def distances(
    block: Block, resultant: Resultant = Resultant.OUTPUT, *, memory: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return how far each transformed vector lies from the block's output, in the L1 norm.

    The vectors of some examples and some outputs are there at a time, never those of the whole batch. On a processor
    they stay in its cache, which is where most of the speed comes from.

    Args:
        block: the block.
        resultant: what distances are measured from.
        memory: bytes for the vectors that are there at a time, at least one output of one example; by default
            :data:`MEMORY` of the device.

    Returns:
        (B, T, S) the distances, (B, T, S + 1) with the residual's last where it has its own column; (B, T) the norm of
        what they are measured from; and, of the distances' shape, which positions have a way to which output.
    """
    given = MEMORY.get(block.residual.device.type, OTHER) if memory is None else memory
    found = [_some_distances(block.of(examples), resultant, given) for examples in _examples(block, given)]
    far, norms, beyond = (torch.cat(parts) for parts in zip(*found, strict=True))
    reachable = block.weights.amax(1) > 0
    if block.own:
        reachable |= torch.eye(reachable.shape[1], dtype=torch.bool, device=far.device)
        return far, norms, reachable
    return torch.cat([far, beyond], -1), norms, torch.cat([reachable, torch.ones_like(reachable[..., :1])], -1)


def _some_distances(block: Block, resultant: Resultant, memory: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distances (B, T, S) of a few examples, the norms (B, T), and the residual's distances (B, T, 1)."""
    linear = linearise(block)
    target = linear.target(resultant)
    _, _, outputs, inputs = block.weights.shape
    found = target.new_zeros((len(target), outputs, inputs))
    step = max(1, memory // (_size(block) * len(target)))
    for start in range(0, outputs, step):
        rows = slice(start, min(outputs, start + step))
        columns = rows.stop if block.causal else inputs
        weights = block.weights[:, :, rows, :columns] * linear.factor[:, None, rows, None]
        # (B, S, t, H) @ (B, S, H, d): one small product for each input position.
        vectors = weights.permute(0, 3, 2, 1) @ linear.values[:, :columns]
        if block.own:
            places = torch.arange(rows.start, rows.stop, device=vectors.device)
            vectors[:, places, places - rows.start] += linear.residual[:, rows]
        vectors -= target[:, None, rows]
        found[:, rows, :columns] = vectors.abs_().sum(-1).transpose(1, 2)
    return found, _length(target), _length(target - linear.residual).unsqueeze(-1)


def _length(vectors: Tensor) -> Tensor:
    """Return the L1 norm of vectors, (…, d) → (…); this way is faster than that of ``torch.linalg``."""
    return vectors.abs().sum(-1)


def _centred(vectors: Tensor, norm: nn.LayerNorm) -> Tensor:
    """Take vectors (…, d) through the linear part of a layer norm: less their mean, times the norm's weights."""
    centred = vectors - vectors.mean(-1, keepdim=True)
    return centred * norm.weight.to(vectors.dtype)


def _size(block: Block) -> int:
    """Return the bytes of the transformed vectors of one output."""
    return block.weights.shape[-1] * block.projection.shape[-1] * block.residual.element_size()


def _examples(block: Block, memory: int) -> Iterator[slice]:
    """Yield which examples are computed together: as many as all heads' values have room for."""
    batch, heads = block.weights.shape[:2]
    step = max(1, memory // (_size(block) * heads))
    for first in range(0, batch, step):
        yield slice(first, min(batch, first + step))
