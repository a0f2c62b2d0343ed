"""Correction for testing many hypotheses at once, and what is significant after it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from endophora.statistics.units import FloatArray

ROUNDING = 1e-12
"""A p-value above the level by less than this share of it is equal to it: 3 · (1 / 60) is not exactly .05."""


def holm(p_values: FloatArray, families: Sequence[Hashable] | None = None) -> FloatArray:
    """Return p-values adjusted by Holm's step-down method (1979), which holds the family-wise error rate.

    The k-th smallest of a family's m p-values, counted from 0, becomes the largest of (m - j) · p_j over j ≤ k, at
    most 1.

    Args:
        p_values: of any shape, such as (systems, phenomena); NaN is no hypothesis: it stays NaN and is not counted.
        families: for each place of the last axis its family; each is corrected by itself. Without it all are one.
    """
    adjusted = np.array(p_values, dtype=np.float64)
    if families is not None:
        for family in dict.fromkeys(families):
            members = [other == family for other in families]
            adjusted[..., members] = holm(adjusted[..., members])
        return adjusted
    tested = ~np.isnan(adjusted)
    values = adjusted[tested]
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    adjusted[tested] = values
    return adjusted


def is_significant(p_value: float, alpha: float) -> bool:
    """Return whether a p-value, after correction, is significant: p ≤ α. NaN never is.

    The border belongs to significance: a p-value is the smallest level at which its test rejects, Holm's procedure
    rejects where p ≤ α / (m - k), and a randomisation test keeps its level so: of n + 1 ways of swapping, all equally
    likely if the systems do not differ, at most α · (n + 1) have p ≤ α. With 19 trials at .05, p < α never rejects.
    """
    return p_value <= alpha * (1 + ROUNDING)
