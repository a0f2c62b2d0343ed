"""Kendall's tau-b and WMT's variant of tau, each for many groups and many resamples at once.

A resample's tau needs no look at its pairs: the pairs are counted once for each two cells (positions that are always
drawn together), and a resample that has the cells w times has wᵀ M w of them. Arrays and weights are as in
:mod:`~endophora.statistics.coefficients`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.statistics.units import FloatArray, IntArray

LARGEST = 1 << 27
"""Pairs × samples of a group that are looked at one by one at most."""
BLOCK = 1 << 22
"""Cells of the largest matrix held at once."""
SMALL = 64
"""Up to so many positions all pairs of a group are looked at; with more, scipy's merge sort is the faster."""


def kendall(x: FloatArray, y: FloatArray, weights: FloatArray, cells: IntArray | None = None) -> FloatArray:
    """Return Kendall's tau-b, (groups, n) twice and (samples, n) → (samples, groups); NaN where a side is constant.

    Args:
        x: (groups, n), NaN where missing.
        y: (groups, n), NaN where missing.
        weights: (samples, n), or (samples, cells) if ``cells`` is given.
        cells: (n,), the cell of each position; each position alone by default.
    """
    y = np.broadcast_to(y, x.shape)
    if cells is None and len(weights) == 1 and np.all(weights == 1):
        return _unweighted(x, y)[None]
    values = np.full((len(weights), len(x)), np.nan)
    index: IntArray = np.arange(x.shape[1], dtype=np.intp) if cells is None else cells
    for group, (one, other) in enumerate(zip(x, y, strict=True)):
        agreeing, first, second = pair_tables(one, other, index, weights.shape[1])
        untied = _quadratic(weights, first) * _quadratic(weights, second)
        defined = untied > 0
        numerator = _quadratic(weights, agreeing)
        values[defined, group] = numerator[defined] / np.sqrt(untied[defined])
    return values


def pair_tables(x: FloatArray, y: FloatArray, cells: IntArray, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return for each two cells, over their pairs: concordant less discordant, untied in x, untied in y.

    Args:
        x: (n,), NaN where missing.
        y: (n,), NaN where missing.
        cells: (n,), the cell of each position.

    Returns:
        Three symmetric matrices (count, count); within a cell a pair counts twice, as (i, j) and (j, i).
    """
    there = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
    tables = np.zeros((3, count, count))
    if not len(there):
        return tables[0], tables[1], tables[2]
    there = there[np.argsort(cells[there], kind="stable")]
    owners, first, second = cells[there], _dense(x[there]), _dense(y[there])
    after = np.zeros_like(tables)
    rows = max(1, BLOCK // len(there))
    for start in range(0, len(there), rows):
        part, rest = slice(start, start + rows), slice(start + rows, None)
        _count(tables, first, second, owners, part, part)
        _count(after, first, second, owners, part, rest)
    tables += after + after.transpose(0, 2, 1)
    return tables[0], tables[1], tables[2]


def wmt_pairs(
    metric: FloatArray, human: FloatArray, weights: FloatArray, threshold: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return concordant less discordant pairs, and their number, for WMT's variant of Kendall's tau.

    A pair counts if its human scores differ, and by ``threshold`` at least (25 for direct assessment in 2017–2020);
    it is discordant unless the metric puts it in the same order, so that a metric's tie is an error (Mathur et al.,
    2020, “Results of the WMT20 Metrics Shared Task”).

    Args:
        metric: (groups, n), NaN where missing.
        human: (groups, n), NaN where missing.
        weights: (samples, n).

    Returns:
        Two arrays (samples, groups); tau is their quotient, summed over groups before dividing.

    Raises: InputError: the pairs of a group are too many (E111).
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


def _count(
    tables: FloatArray,
    x: npt.NDArray[np.int32],
    y: npt.NDArray[np.int32],
    owners: IntArray,
    rows: slice,
    columns: slice,
) -> None:
    """Add the pairs of some rows with some columns to the tables of :func:`pair_tables`; owners are in order."""
    there = owners[columns]
    if not len(there):
        return
    starts = np.flatnonzero(np.r_[True, there[1:] != there[:-1]])
    one, other = _signs(x[rows], x[columns]), _signs(y[rows], y[columns])
    for table, matrix in zip(tables, (one * other, np.abs(one), np.abs(other)), strict=True):
        summed = np.add.reduceat(matrix, starts, axis=1, dtype=np.int32)
        np.add.at(table, np.ix_(owners[rows], there[starts]), summed)


def _unweighted(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return tau-b of each group as it is, (groups, n) twice → (groups,)."""
    number, count = x.shape
    if count > SMALL:
        return np.array([_sorted_tau(one, other) for one, other in zip(x, y, strict=True)], dtype=np.float64)
    values = np.full(number, np.nan)
    first, second = np.triu_indices(count, k=1)
    for part in _parts(number, len(first)):
        one = np.sign(x[part][:, first] - x[part][:, second])
        other = np.sign(y[part][:, first] - y[part][:, second])
        there = ~np.isnan(one + other)
        one, other = np.where(there, one, 0.0), np.where(there, other, 0.0)
        untied = np.abs(one).sum(axis=1) * np.abs(other).sum(axis=1)
        numerator = (one * other).sum(axis=1)
        values[part] = np.divide(numerator, np.sqrt(untied), out=np.full(len(one), np.nan), where=untied > 0)
    return values


def _sorted_tau(x: FloatArray, y: FloatArray) -> float:
    there = ~np.isnan(x + y)
    if np.count_nonzero(there) < 2:
        return np.nan
    from scipy import stats  # it takes a second to load, and few commands correlate

    return float(cast("Any", stats).kendalltau(x[there], y[there]).statistic)


def _parts(groups: int, pairs: int) -> Iterator[slice]:
    rows = max(1, BLOCK // max(pairs, 1))
    for start in range(0, groups, rows):
        yield slice(start, start + rows)


def _quadratic(weights: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return wᵀ M w of each row of weights."""
    return ((weights @ matrix) * weights).sum(axis=1)


def _dense(values: FloatArray) -> npt.NDArray[np.int32]:
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _signs(rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    return (rows[:, None] > columns).astype(np.int8) - (rows[:, None] < columns)
