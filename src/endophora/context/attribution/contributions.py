"""From distances to contributions: how a row of a block is normalised.

Ferrando et al. (2022), “Towards Opening the Black Box of Neural Machine Translation”, section 3.1: the nearer a
transformed vector lies to the block's output, in the L1 norm, the more its position contributes.
"""

from __future__ import annotations

from enum import StrEnum

import torch
from torch import Tensor


class Normalisation(StrEnum):
    """How the distances of a row become contributions that sum to 1."""

    MIN_SUM = "min_sum"
    """max(0, norm of the output − distance), divided by their sum: the published tables' way."""
    MIN_SUM_NO_NORM = "min_sum_no_norm"
    """Largest distance of the row − distance, divided by their sum."""
    SUM_ONE = "sum_one"
    """Distances divided by their sum, so that the farther counts the more; published, and kept for comparison only."""


def normalise(
    distances: Tensor,
    norms: Tensor,
    how: Normalisation = Normalisation.MIN_SUM,
    reachable: Tensor | None = None,
) -> Tensor:
    """Return contributions, in rows that sum to 1.

    A row in which no vector brings the output nearer has no contribution under ``min_sum``, and the published code
    divides zero by zero there: such a row is normalised by ``min_sum_no_norm``; one whose distances are all alike
    is divided evenly.

    Args:
        distances: (…, T, S) L1 distance of each transformed vector from the output of its row.
        norms: (…, T) L1 norm of each output.
        how: the variant.
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
