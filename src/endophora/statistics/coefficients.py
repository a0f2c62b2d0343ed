"""Pearson's and Spearman's correlation, each for many groups and many resamples at once.

All take arrays (groups, n), the second also (1, n) for all groups, where NaN is a missing value and a pair counts
only if both are there, and weights (samples, n): how often each position stands in each resample. What they give is
what the coefficient would be on the resample written out in full, repetitions and all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from endophora.statistics.units import FloatArray

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall-wmt"]

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall", "kendall-wmt")

BLOCK = 1 << 22
"""Cells of the largest matrix held at once."""
FLAT = 1e-12
"""A variance below this share of the mean square is rounding: the values are constant."""


def pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's r, (groups, n) twice and (samples, n) → (samples, groups); NaN where a side is constant."""
    there = ~(np.isnan(x) | np.isnan(y))
    first, second = _centred(x, there), _centred(y, there)
    count = weights @ there.T.astype(np.float64)
    sums = [weights @ values.T for values in (first, second, first * first, second * second, first * second)]
    return _product_moment(count, *sums)


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's rho, Pearson's r of mid-ranks: shapes as in :func:`pearson`.

    A resample has ranks of its own; they follow from the order of the values and the weights without sorting again.
    """
    if len(weights) == 1 and np.all(weights == 1) and not np.isnan(x + y).any():
        return pearson(_ranks(x), _ranks(y), weights)
    values = np.full((len(weights), len(x)), np.nan)
    for group, (one, other) in enumerate(zip(x, np.broadcast_to(y, x.shape), strict=True)):
        there = ~(np.isnan(one) | np.isnan(other))
        if there.any():
            for start, block in _blocks(weights[:, there]):
                first = weighted_ranks(one[there], block)
                second = weighted_ranks(other[there], block)
                values[start : start + len(block), group] = _by_rows(first, second, block)
    return values


def weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mid-ranks of values that stand ``weights`` times each, from 1: (n,), (samples, n) → (samples, n)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(tied, axis=1) - (tied - 1) / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = np.repeat(middle, np.diff(np.r_[starts, len(values)]), axis=1)
    return ranks


def _ranks(values: FloatArray) -> FloatArray:
    from scipy import stats  # it takes a second to load, and few commands correlate

    return cast("Any", stats).rankdata(values, axis=1)


def _centred(values: FloatArray, there: npt.NDArray[np.bool_]) -> FloatArray:
    """Return values of each group less their mean and of a size about 1, zero where missing."""
    filled = np.where(there, values, 0.0)
    scale = np.abs(filled).max(axis=1, keepdims=True, initial=0.0)
    filled = filled / np.where(scale > 0, scale, 1.0)
    mean = filled.sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1, keepdims=True), 1)
    centred = np.where(there, filled - mean, 0.0)
    spread = np.abs(centred).max(axis=1, keepdims=True, initial=0.0)
    return centred / np.where(spread > FLAT, spread, np.inf)


def _product_moment(
    count: FloatArray, x: FloatArray, y: FloatArray, xx: FloatArray, yy: FloatArray, xy: FloatArray
) -> FloatArray:
    size = np.maximum(count, 1)
    first, second = xx - x * x / size, yy - y * y / size
    defined = (count > 1) & (first > FLAT * xx) & (second > FLAT * yy)
    below = np.sqrt(np.where(defined, first * second, 1.0))
    return np.where(defined, np.clip((xy - x * y / size) / below, -1.0, 1.0), np.nan)


def _by_rows(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's r of each row, (samples, n) three times → (samples,)."""
    count = weights.sum(axis=1)
    size = np.maximum(count, 1)[:, None]
    x = x - (weights * x).sum(axis=1, keepdims=True) / size
    y = y - (weights * y).sum(axis=1, keepdims=True) / size
    sums = [(weights * values).sum(axis=1) for values in (x, y, x * x, y * y, x * y)]
    return _product_moment(count, *sums)


def _blocks(weights: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    rows = max(1, BLOCK // max(weights.shape[1], 1))
    for start in range(0, len(weights), rows):
        yield start, weights[start : start + rows]
