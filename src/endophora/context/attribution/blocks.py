"""An attention block taken apart: the transformed vector that each input position adds to each output.

Ferrando et al. (2022), section 3.1, after Kobayashi et al. (2021). With A the attention weights of head h, the output
of a block at position i is the sum over j of T_ij = Σ_h A_ij^h v_j^h O^h, with the residual in j = i (or in a
separate column, where the block attends to an encoder), and of the projection's bias. A layer norm after the sum is
linear except for its standard deviation, which is that of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor, nn


class Normalisation(StrEnum):
    """How the distances of a row become contributions that sum to 1."""

    MIN_SUM = "min_sum"
    """max(0, norm of the output − distance), divided by their sum: the published tables' way."""
    MIN_SUM_NO_NORM = "min_sum_no_norm"
    """Largest distance of the row − distance, divided by their sum."""
    SUM_ONE = "sum_one"
    """Distances divided by their sum, so that the farther counts the more; published, and kept for comparison only."""


def normalise(
    distances: Tensor, norms: Tensor, how: Normalisation = Normalisation.MIN_SUM, reachable: Tensor | None = None
) -> Tensor:
    """Return contributions, in rows that sum to 1.

    A row in which no vector brings the output nearer has no contribution under ``min_sum``, and the published code
    divides zero by zero there: such a row is normalised by ``min_sum_no_norm``; one whose distances are all alike
    is divided evenly.

    Args:
        distances: (…, T, S) L1 distance of each transformed vector from the output of its row.
        norms: (…, T) L1 norm of each output.
        reachable: (…, T, S) false where position S has no way to row T (padding, or it comes later), whose contribution
            is zero; ``None`` if all have one. Each row has at least one.
    """
    seen = torch.ones_like(distances, dtype=torch.bool) if reachable is None else reachable
    if how is Normalisation.SUM_ONE:
        return _divided(distances.masked_fill(~seen, 0.0), seen)
    farthest = distances.masked_fill(~seen, -torch.inf).amax(-1, keepdim=True)
    nearness = (farthest - distances).masked_fill(~seen, 0.0)
    if how is Normalisation.MIN_SUM:
        gained = (norms.unsqueeze(-1) - distances).clamp(min=0.0).masked_fill(~seen, 0.0)
        nearness = torch.where(gained.sum(-1, keepdim=True) > 0, gained, nearness)
    return _divided(nearness, seen)


def _divided(values: Tensor, seen: Tensor) -> Tensor:
    """Divide rows by their sums; a row of zeros is divided evenly among the positions seen."""
    total = values.sum(-1, keepdim=True)
    even = seen / seen.sum(-1, keepdim=True).clamp(min=1)
    return torch.where(total > 0, values / torch.where(total > 0, total, 1.0), even.to(values.dtype))


MEMORY = {"cpu": 1 << 20, "cuda": 1 << 28}
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


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A block after the linear part of its layer norm; what is left of the norm is a factor of each output.

    Attributes:
        projection: (H, e, d) what makes of each head's values its vectors.
        residual: (B, T, d) the residual.
        rest: (B, T, d) what belongs to no position: the biases.
        output: (B, T, d) the block's output.
        factor: (B, T) of each output: one over the standard deviation, or 1 without a norm.
    """

    projection: Tensor
    residual: Tensor
    rest: Tensor
    output: Tensor
    factor: Tensor

    def target(self, resultant: Resultant) -> Tensor:
        """Return (B, T, d), what distances are measured from."""
        return self.output if resultant is Resultant.OUTPUT else self.output - self.rest


def linearise(block: Block) -> Linear:
    """Return a block's vectors through the linear part of its layer norm; the projection goes through it for all."""
    summed = block.residual + block.attended
    bias = torch.zeros_like(summed[0, 0]) if block.bias is None else block.bias
    if block.norm is None:
        factor = torch.ones_like(summed[..., 0])
        return Linear(block.projection, block.residual, bias.expand_as(summed), summed, factor)
    norm = block.norm
    weight, shift = (one.detach().to(bias.dtype) for one in (norm.weight, norm.bias))
    apart = summed - summed.mean(-1, keepdim=True)
    factor = torch.rsqrt(apart.square().mean(-1) + norm.eps)
    scaled = factor.unsqueeze(-1)
    rest = _centred(bias, norm) * scaled + shift
    output = apart * weight * scaled + shift
    projection = _centred(block.projection, norm)
    return Linear(projection, _centred(block.residual, norm) * scaled, rest, output, factor)


@torch.no_grad()
def distances(
    block: Block, resultant: Resultant = Resultant.OUTPUT, *, memory: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return how far each transformed vector lies from the block's output, in the L1 norm.

    Args:
        memory: bytes for the vectors that are there at a time, at least one output of one example; by default
            :data:`MEMORY` of the device.

    Returns:
        (B, T, S) the distances, (B, T, S + 1) with the residual's last where it has its own column; (B, T) the norm of
        what they are measured from; and, of the distances' shape, which positions have a way to which output.
    """
    given = MEMORY.get(block.residual.device.type, OTHER) if memory is None else memory
    linear = linearise(block)
    target = linear.target(resultant)
    far, norms = _distances(block, linear, target, given), _length(target)
    reachable = block.weights.amax(1) > 0
    if block.own:
        reachable |= torch.eye(reachable.shape[1], dtype=torch.bool, device=far.device)
        return far, norms, reachable
    beyond = _length(target - linear.residual).unsqueeze(-1)
    return torch.cat([far, beyond], -1), norms, torch.cat([reachable, torch.ones_like(reachable[..., :1])], -1)


def _distances(block: Block, linear: Linear, target: Tensor, memory: int) -> Tensor:
    """Return the distances of the vectors from a target (B, T, d): (B, T, S).

    Those of some examples and outputs are there at a time, in memory that is used again: on a processor they stay in
    its cache, where most of the speed comes from.
    """
    batch, heads, outputs, inputs = block.weights.shape
    size = inputs * target.shape[-1] * target.element_size()
    found = target.new_zeros((batch, outputs, inputs))
    # As many examples as all heads' values have room for, then as many outputs of each as their vectors have.
    together = min(batch, max(1, memory // (size * heads)))
    step = min(outputs, max(1, memory // (size * together)))
    space = target.new_empty(inputs * together * step * target.shape[-1])
    for first in range(0, batch, together):
        examples = slice(first, min(batch, first + together))
        values = _values(block.values[examples], linear.projection)
        weights = (block.weights[examples] * linear.factor[examples, None, :, None]).permute(3, 0, 2, 1).contiguous()
        for start in range(0, outputs, step):
            rows = slice(start, min(outputs, start + step))
            columns = rows.stop if block.causal else inputs
            # (S · B, t, H) @ (S · B, H, d): one small product for each input position.
            shares = weights[:columns, :, rows].flatten(0, 1)
            part = space[: len(shares) * shares.shape[1] * target.shape[-1]].view(len(shares), shares.shape[1], -1)
            torch.bmm(shares, values[: len(shares)], out=part)
            vectors = part.view(columns, -1, shares.shape[1], target.shape[-1])
            if block.own:
                vectors[rows].diagonal(0, 0, 2).add_(linear.residual[examples, rows].transpose(1, 2))
            vectors -= target[examples, rows]
            found[examples, rows, :columns] = vectors.abs_().sum(-1).permute(1, 2, 0)
    return found


def _values(values: Tensor, projection: Tensor) -> Tensor:
    """Return what each head makes of each position, (S · B, H, d), of values (B, H, S, e)."""
    made = torch.bmm(values.permute(1, 2, 0, 3).flatten(1, 2), projection)
    # Each is read once for every few outputs: in one piece it is read sooner.
    return made.transpose(0, 1).contiguous()


def _length(vectors: Tensor) -> Tensor:
    """Return the L1 norm of vectors, (…, d) → (…); this way is faster than that of ``torch.linalg``."""
    return vectors.abs().sum(-1)


def _centred(vectors: Tensor, norm: nn.LayerNorm) -> Tensor:
    """Take vectors (…, d) through the linear part of a layer norm: less their mean, times the norm's weights."""
    centred = vectors - vectors.mean(-1, keepdim=True)
    return centred * norm.weight.detach().to(vectors.dtype)
