"""Correction for testing many hypotheses at once."""

from __future__ import annotations

import numpy as np

from endophora.statistics.units import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted by Holm's step-down method (1979), which holds the family-wise error rate.

    The k-th smallest of m p-values, counted from 0, becomes the largest of (m - j) · p_j over j ≤ k, at most 1.

    Args:
        p_values: of any shape, such as (systems, phenomena); NaN is no hypothesis: it stays NaN and is not counted.
    """
    adjusted = np.array(p_values, dtype=np.float64)
    tested = ~np.isnan(adjusted)
    values = adjusted[tested]
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    adjusted[tested] = values
    return adjusted
