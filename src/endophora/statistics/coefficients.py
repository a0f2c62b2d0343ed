"""Pearson's, Spearman's and Kendall's coefficients and WMT's variant of tau, for many groups and resamples at once.

All take arrays (groups, n), the second also (1, n) for all groups, where NaN is a missing value and a pair counts
only if both are there, and weights (samples, n): how often each position is in each resample. What they give,
(samples, groups), is what the coefficient would be on the resample written out in full, repetitions and all; NaN where
a side is constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.statistics.units import BoolArray, FloatArray, IntArray

BLOCK = 1 << 22
"""Cells of the largest matrix held at once."""
FLAT = 1e-12
"""A variance below this share of the mean square is rounding: the values are constant."""
LARGEST = 1 << 27
"""Pairs × samples of a group that are looked at one by one at most."""
SMALL = 64
"""Up to so many positions all pairs of a group are looked at; with more, scipy's merge sort is the faster."""


def pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's r."""
    there = ~(np.isnan(x) | np.isnan(y))
    first, second = _centred(x, there), _centred(y, there)
    count = weights @ there.T.astype(np.float64)
    sums = [weights @ values.T for values in (first, second, first * first, second * second, first * second)]
    return _product_moment(count, *sums)


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's rho, Pearson's r of mid-ranks.

    Each resample has its own ranks; they follow from the order of the values and the weights without sorting again.
    """
    if len(weights) == 1 and np.all(weights == 1) and not np.isnan(x + y).any():
        rank = _scipy_stats().rankdata
        return pearson(rank(x, axis=1), rank(y, axis=1), weights)
    values = np.full((len(weights), len(x)), np.nan)
    for group, (one, other) in enumerate(zip(x, np.broadcast_to(y, x.shape), strict=True)):
        there = ~(np.isnan(one) | np.isnan(other))
        if there.any():
            for part in _parts(len(weights), int(there.sum())):
                block = weights[part][:, there]
                ranks = _weighted_ranks(one[there], block), _weighted_ranks(other[there], block)
                values[part, group] = _by_rows(*ranks, block)
    return values


def kendall(x: FloatArray, y: FloatArray, weights: FloatArray, cells: IntArray | None = None) -> FloatArray:
    """Return Kendall's tau-b.

    A resample's tau needs no look at its pairs: the pairs are counted once for each two cells (positions that are
    always drawn together), and a resample that has the cells w times has wᵀ M w of them. ``cells``, (n,), are those of
    the positions, each alone by default; weights are then (samples, cells).
    """
    y = np.broadcast_to(y, x.shape)
    if cells is None and len(weights) == 1 and np.all(weights == 1):
        return _unweighted_tau(x, y)[None]
    values = np.full((len(weights), len(x)), np.nan)
    index: IntArray = np.arange(x.shape[1], dtype=np.intp) if cells is None else cells
    for group, (one, other) in enumerate(zip(x, y, strict=True)):
        tables = _pair_tables(one, other, index, weights.shape[1])
        agreeing, first, second = (((weights @ table) * weights).sum(axis=1) for table in tables)
        untied = first * second
        defined = untied > 0
        values[defined, group] = agreeing[defined] / np.sqrt(untied[defined])
    return values


def wmt_pairs(
    metric: FloatArray, human: FloatArray, weights: FloatArray, threshold: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return concordant less discordant pairs, and their number, for WMT's variant of Kendall's tau.

    A pair counts if its human scores differ, and by ``threshold`` at least (25 for direct assessment in 2017–2020);
    it is discordant unless the metric puts it in the same order, so that a metric's tie is an error (Mathur et al.,
    2020, “Results of the WMT20 Metrics Shared Task”). Tau is the quotient, summed over groups before dividing. Too many
    pairs in a group are E111.
    """
    number, count = metric.shape
    human = np.broadcast_to(human, metric.shape)
    if len(weights) * count * (count - 1) // 2 > LARGEST:
        cause = f"{count:,} scores in one list have too many pairs for kendall-wmt"
        raise InputError(Fault("E111", cause, "compare the systems of each item: average “item”"))
    first, second = np.triu_indices(count, k=1)
    drawn = weights[:, first] * weights[:, second]
    balance, total = (np.zeros((len(weights), number)) for _ in range(2))
    for part in _parts(number, len(first)):
        change = human[part][:, first] - human[part][:, second]
        order = np.sign(metric[part][:, first] - metric[part][:, second])
        counted = (np.abs(change) >= threshold) & (change != 0) & ~np.isnan(order + change)
        verdict = np.where(order == np.sign(change), 1.0, -1.0) * counted
        balance[:, part], total[:, part] = drawn @ verdict.T, drawn @ counted.T.astype(np.float64)
    return balance, total


PLAIN = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
"""The coefficients whose value for several groups is the mean of their values; WMT's is one of summed pairs."""


def _scipy_stats() -> Any:
    from scipy import stats  # it takes a second to load, and few commands correlate

    return cast("Any", stats)


def _centred(values: FloatArray, there: BoolArray) -> FloatArray:
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
    """Return Pearson's r, given the number of pairs and the sums of x, y, x², y² and x·y."""
    size = np.maximum(count, 1)
    first, second = xx - x * x / size, yy - y * y / size
    defined = (count > 1) & (first > FLAT * xx) & (second > FLAT * yy)
    below = np.sqrt(np.where(defined, first * second, 1.0))
    return np.where(defined, np.clip((xy - x * y / size) / below, -1.0, 1.0), np.nan)


def _weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mid-ranks of values that stand ``weights`` times each, from 1: (n,), (samples, n) → (samples, n)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(tied, axis=1) - (tied - 1) / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = np.repeat(middle, np.diff(np.r_[starts, len(values)]), axis=1)
    return ranks


def _by_rows(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's r of each row, (samples, n) three times → (samples,)."""
    count = weights.sum(axis=1)
    size = np.maximum(count, 1)[:, None]
    x = x - (weights * x).sum(axis=1, keepdims=True) / size
    y = y - (weights * y).sum(axis=1, keepdims=True) / size
    return _product_moment(count, *((weights * values).sum(axis=1) for values in (x, y, x * x, y * y, x * y)))


def _unweighted_tau(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return tau-b of each group without weights, (groups, n) twice → (groups,)."""
    number, count = x.shape
    values = np.full(number, np.nan)
    if count > SMALL:
        there = ~np.isnan(x + y)
        for group in np.flatnonzero(there.sum(axis=1) > 1):
            kept = there[group]
            values[group] = _scipy_stats().kendalltau(x[group, kept], y[group, kept]).statistic
        return values
    first, second = np.triu_indices(count, k=1)
    for part in _parts(number, len(first)):
        one = np.sign(x[part][:, first] - x[part][:, second])
        other = np.sign(y[part][:, first] - y[part][:, second])
        there = ~np.isnan(one + other)
        one, other = np.where(there, one, 0.0), np.where(there, other, 0.0)
        untied = np.abs(one).sum(axis=1) * np.abs(other).sum(axis=1)
        values[part] = ratio((one * other).sum(axis=1), np.sqrt(untied))
    return values


def _pair_tables(x: FloatArray, y: FloatArray, cells: IntArray, count: int) -> FloatArray:
    """Return for each two cells, over their pairs: concordant less discordant, untied in x, untied in y.

    (n,) three times → three symmetric matrices (3, count, count); within a cell a pair counts twice, as (i, j) and
    (j, i).
    """
    there = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
    there = there[np.argsort(cells[there], kind="stable")]
    owners = cells[there]
    first, second = (np.unique(side[there], return_inverse=True)[1].astype(np.int32) for side in (x, y))
    tables = np.zeros((3, count, count))
    after = np.zeros_like(tables)
    rows = max(1, BLOCK // max(len(there), 1))
    for start in range(0, len(there), rows):
        part, rest = slice(start, start + rows), slice(start + rows, None)
        _count_pairs(tables, first, second, owners, part, part)
        _count_pairs(after, first, second, owners, part, rest)
    return tables + after + after.transpose(0, 2, 1)


def _count_pairs(
    tables: FloatArray,
    x: npt.NDArray[np.int32],
    y: npt.NDArray[np.int32],
    owners: IntArray,
    rows: slice,
    columns: slice,
) -> None:
    """Add the pairs of some rows with some columns to the tables of :func:`_pair_tables`; owners are in order."""
    there = owners[columns]
    if not len(there):
        return
    starts = np.flatnonzero(np.r_[True, there[1:] != there[:-1]])
    one, other = (
        (side[rows, None] > side[columns]).astype(np.int8) - (side[rows, None] < side[columns]) for side in (x, y)
    )
    for table, matrix in zip(tables, (one * other, np.abs(one), np.abs(other)), strict=True):
        summed = np.add.reduceat(matrix, starts, axis=1, dtype=np.int32)
        np.add.at(table, np.ix_(owners[rows], there[starts]), summed)


def _parts(groups: int, cells: int) -> Iterator[slice]:
    """Yield slices of groups, or samples, of so many cells each that a block of them is held at once."""
    rows = max(1, BLOCK // max(cells, 1))
    for start in range(0, groups, rows):
        yield slice(start, start + rows)
