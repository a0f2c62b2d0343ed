"""Correlation of metrics with human scores at segment, document and system level, with bootstrap intervals.

People's scores are (systems, items), metrics' (metrics, systems, items), NaN where missing; an item is a segment or a
document, or the whole test set at system level. Arrays that do not fit one another are E110. What is correlated is, as
in WMT's metrics task, all of them as one list (``none``), the systems' scores of each item (``item``) or the items'
scores of each system (``system``); the last two give the mean of many coefficients.

The coefficients themselves (Pearson's, Spearman's, Kendall's, WMT's variant of tau) take many groups and resamples at
once: arrays (groups, n), the second also (1, n) for all groups, of which a pair counts only if both are there, and
weights (samples, n): how often each position is in each resample. What they give, (samples, groups), is what the
coefficient would be on the resample written out in full, repetitions and all; NaN where a side is constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.statistics.resampling import Average, Coefficient
from endophora.statistics.significance import bootstrap_weights, percentile_interval
from endophora.statistics.units import BoolArray, FloatArray, IntArray, Units, each_row

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


Drawn: TypeAlias = Literal["items", "systems"]


@dataclass(frozen=True, slots=True, eq=False)
class Correlation:
    """How well each metric agrees with people; arrays are (metrics,), NaN where undefined, as for a constant metric.

    ``samples``, (resamples, metrics), are the coefficients of the resamples; ``groups`` says over how many groups a
    value is the mean, ``counts`` how many pairs of scores there are.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    counts: IntArray
    groups: IntArray
    samples: FloatArray
    coefficient: Coefficient
    average: Average


def correlate(
    metrics: FloatArray,
    human: FloatArray,
    *,
    coefficient: Coefficient = "pearson",
    average: Average = "none",
    units: Units | None = None,
    drawn: Drawn = "items",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    threshold: float = 0.0,
) -> Correlation:
    """Correlate metrics with human scores, and draw items or systems again for intervals.

    A pair of scores counts where both are there, for each metric by itself. The draws depend on the seed and the units
    alone, so that two metrics may be compared sample by sample.

    ``kendall`` is tau-b, ``kendall-wmt`` of :func:`wmt_pairs`, pooled over groups; ``units`` says which items are drawn
    together, each alone by default.
    """
    check_shapes(metrics, human, units)
    systems, items = human.shape
    chosen = units or each_row(items, "segments")
    size = systems if drawn == "systems" else chosen.count
    rows = weights_with_whole(size, resamples, seed)
    once = np.ones((1, chosen.count if drawn == "systems" else systems))
    unit_weights, system_weights = (once, rows) if drawn == "systems" else (rows, once)
    values = np.full((1 + resamples, len(metrics)), np.nan)
    groups = np.zeros(len(metrics), dtype=np.intp)
    for number, metric in enumerate(metrics):
        values[:, number], groups[number] = _coefficients(
            metric,
            human,
            unit_weights,
            system_weights,
            index=chosen.index,
            coefficient=coefficient,
            average=average,
            threshold=threshold,
        )
    low, high = percentile_interval(values[1:] if size > 1 else values[:0], confidence)
    counts = np.count_nonzero(~np.isnan(metrics + human), axis=(1, 2))
    return Correlation(values[0], low, high, counts, groups, values[1:], coefficient, average)


def correlate_means(
    metrics: FloatArray,
    human: FloatArray,
    units: Units,
    *,
    coefficient: Coefficient = "pearson",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
    threshold: float = 0.0,
) -> Correlation:
    """Correlate the systems' mean scores, and draw items again: system level where its scores are such means.

    The interval says how much depends on which documents were judged; :func:`correlate` with ``drawn="systems"`` says
    how much depends on which systems took part. Missing scores are left out of the mean.
    """
    check_shapes(metrics, human, units)
    weights = weights_with_whole(units.count, resamples, seed)[:, units.index]
    people = _means(human, weights)
    values = np.full((1 + resamples, len(metrics)), np.nan)
    counts = np.zeros(len(metrics), dtype=np.intp)
    once = np.ones((1, len(human)))
    for number, metric in enumerate(metrics):
        means = _means(metric, weights)
        counts[number] = np.count_nonzero(~np.isnan(means[0] + people[0]))
        if coefficient == "kendall-wmt":
            balance, total = wmt_pairs(means, people, once, threshold)
            values[:, number] = ratio(balance[0], total[0])
        else:
            values[:, number] = PLAIN[coefficient](means, people, once)[0]
    low, high = percentile_interval(values[1:] if units.count > 1 else values[:0], confidence)
    return Correlation(values[0], low, high, counts, np.ones_like(counts), values[1:], coefficient, "none")


def check_shapes(metrics: FloatArray, human: FloatArray, units: Units | None = None) -> None:
    """Check that scores are of the same systems and items (E110)."""
    if metrics.ndim != 3 or metrics.shape[1:] != human.shape:
        cause = f"metric scores of shape {metrics.shape} do not fit human scores of shape {human.shape}"
        raise InputError(Fault("E110", cause, "give (metrics, systems, items) and (systems, items)"))
    if units is not None and len(units.index) != human.shape[1]:
        cause = f"units of {len(units.index)} items do not fit scores of {human.shape[1]}"
        raise InputError(Fault("E110", cause, "give each item its unit"))


def weights_with_whole(count: int, resamples: int, seed: int) -> FloatArray:
    """Return how often each unit is in each resample, (1 + resamples, units), after a row with each once."""
    return np.concatenate((np.ones((1, count)), *bootstrap_weights(count, resamples, seed)))


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean over the last axis, NaN left out; NaN where nothing is left."""
    there = ~np.isnan(values)
    return ratio((weights * np.where(there, values, 0.0)).sum(axis=-1), (weights * there).sum(axis=-1))


def _coefficients(
    metric: FloatArray,
    human: FloatArray,
    unit_weights: FloatArray,
    system_weights: FloatArray,
    *,
    index: IntArray,
    coefficient: Coefficient,
    average: Average,
    threshold: float,
) -> tuple[FloatArray, int]:
    """Return the coefficient of each resample, and over how many groups the first one is the mean."""
    item_weights = unit_weights[:, index]
    if average == "item":
        x, y, weights, group_weights = metric.T, human.T, system_weights, item_weights
    elif average == "system":
        x, y, weights, group_weights = metric, human, item_weights, system_weights
    else:
        x, y, group_weights = metric.reshape(1, -1), human.reshape(1, -1), np.ones((1, 1))
        # All scores as one list, system after system.
        weights = system_weights[:, :, None] * item_weights[:, None, :]
        weights = weights.reshape(len(weights), -1)
    if coefficient == "kendall-wmt":
        balance, total = wmt_pairs(x, y, weights, threshold)
        pooled = ratio((group_weights * balance).sum(axis=1), (group_weights * total).sum(axis=1))
        return pooled, int((total[0] > 0).sum())
    if coefficient == "kendall" and average != "item":
        # The positions are items: what is drawn together is one cell.
        cells, drawn = index, unit_weights
        if average == "none" and len(system_weights) > 1:
            cells, drawn = np.arange(metric.shape[0], dtype=np.intp).repeat(len(index)), system_weights
        elif average == "none":
            cells = np.tile(index, metric.shape[0])
        values = kendall(x, y, drawn, cells)
    else:
        values = PLAIN[coefficient](x, y, weights)
    return weighted_mean(values, group_weights), int(np.count_nonzero(~np.isnan(values[0])))


def _means(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return each system's mean in each resample, (systems, items), (samples, items) → (samples, systems)."""
    there = ~np.isnan(scores)
    return ratio(weights @ np.where(there, scores, 0.0).T, weights @ there.T.astype(np.float64))
