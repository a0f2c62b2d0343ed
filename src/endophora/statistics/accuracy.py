"""Pairwise accuracy: how often a metric orders two outputs as people do.

Of systems, as in Kocmi et al. (2021, “To Ship or Not to Ship”); of segments with ties, as in Deutsch et al. (2023,
“Ties Matter”), where a pair that people find equal must be equal for the metric too, up to a threshold epsilon. Arrays
are as in :mod:`~endophora.statistics.correlation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.statistics.correlation import check_shapes, weights_with_whole
from endophora.statistics.resampling import Average
from endophora.statistics.significance import percentile_interval
from endophora.statistics.units import BoolArray, FloatArray, IntArray, Units, each_row

LARGEST = 1 << 26
"""Pairs among which a threshold is looked for at most; they take about 40 bytes each."""

Pairs: TypeAlias = tuple[FloatArray, BoolArray, BoolArray]
"""Of each pair the metric's difference without its sign, whether people tie, whether both put it in the same order."""


@dataclass(frozen=True, slots=True, eq=False)
class SystemAccuracy:
    """Accuracy over pairs of systems, agreeing / pairs; arrays are (metrics,), NaN where there is nothing.

    With ``agreeing`` and ``pairs``, language pairs can be pooled.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    agreeing: IntArray
    pairs: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TieAccuracy:
    """Accuracy over pairs of segment scores with ties; arrays are (metrics,), NaN where there is nothing.

    ``values`` are means over groups of the share of pairs that are ordered alike or tied alike; the intervals keep the
    epsilons. ``calibrated`` says that these were chosen on these very scores, which flatters a metric.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    epsilons: FloatArray
    calibrated: bool
    pairs: IntArray


def system_accuracy(
    metrics: FloatArray, human: FloatArray, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 12345
) -> SystemAccuracy:
    """Return the share of pairs of systems that a metric orders as people do; both finding a tie agrees too.

    (metrics, systems), (systems,); E110 if they do not fit one another.
    """
    check_shapes(metrics[..., None], human[..., None])
    count = len(human)
    drawn = weights_with_whole(count, resamples, seed)
    values = np.full((1 + resamples, len(metrics)), np.nan)
    agreeing, pairs = (np.zeros(len(metrics), dtype=np.intp) for _ in range(2))
    for number, metric in enumerate(metrics):
        there = ~np.isnan(metric + human)
        known = there[:, None] & there & ~np.eye(count, dtype=np.bool_)
        first, second = (np.sign(scores[:, None] - scores) for scores in (metric, human))
        alike = known & (first == second)
        agreeing[number], pairs[number] = alike.sum() // 2, known.sum() // 2
        values[:, number] = ratio(
            *(((drawn @ table.astype(np.float64)) * drawn).sum(axis=1) for table in (alike, known))
        )
    low, high = percentile_interval(values[1:] if count > 1 else values[:0], confidence)
    return SystemAccuracy(values[0], low, high, agreeing, pairs)


def tie_accuracy(
    metrics: FloatArray,
    human: FloatArray,
    *,
    average: Average = "item",
    epsilons: FloatArray | None = None,
    units: Units | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> TieAccuracy:
    """Return accuracy with tie calibration, acc*eq of Deutsch et al. (2023), §4 and §5.

    Args:
        average: what the pairs are of; intervals are of ``item`` only.
        epsilons: (metrics,), thresholds found on other data; by default each metric's best on these.
        units: which items are drawn together for the intervals; each alone by default.

    Raises: InputError (E110, E111).
    """
    check_shapes(metrics, human, units)
    if epsilons is not None and (epsilons.shape != (len(metrics),) or not np.all(epsilons >= 0)):
        raise InputError(Fault("E110", "the thresholds are not one for each metric", "give numbers, none below zero"))
    chosen = units or each_row(human.shape[1], "segments")
    values, best, low, high = np.full((4, len(metrics)), np.nan)
    pairs = np.zeros(len(metrics), dtype=np.intp)
    for number, metric in enumerate(metrics):
        scored = list(group_scores(metric, human, average))
        sizes = [int(np.count_nonzero(~np.isnan(x + y))) for x, y in scored]
        if (total := sum(size * (size - 1) // 2 for size in sizes)) > LARGEST:
            cause = f"{total:,} pairs are too many to look for a threshold among"
            raise InputError(Fault("E111", cause, "compare the systems of each item: average “item”"))
        groups = [group_pairs(x, y) for x, y in scored]
        pairs[number] = sum(len(gap) for gap, *_ in groups)
        if not pairs[number]:
            continue
        best[number] = _calibrate(groups) if epsilons is None else epsilons[number]
        shares = np.array([agreements(*group, best[number]).mean() if len(group[0]) else np.nan for group in groups])
        values[number] = np.nanmean(shares)
        if average == "item" and resamples and chosen.count > 1:
            weights = weights_with_whole(chosen.count, resamples, seed)[1:, chosen.index]
            there = ~np.isnan(shares)
            means = ratio(weights @ np.where(there, shares, 0.0), weights @ there.astype(np.float64))
            low[number], high[number] = percentile_interval(means, confidence)
    return TieAccuracy(values, low, high, best, epsilons is None, pairs)


def group_pairs(metric: FloatArray, human: FloatArray) -> Pairs:
    """Return all pairs of scores in a group, (n,) twice."""
    there = np.flatnonzero(~np.isnan(metric + human))
    first, second = np.triu_indices(len(there), k=1)
    x, y = metric[there], human[there]
    gap, change = x[first] - x[second], y[first] - y[second]
    return np.abs(gap), change == 0, (np.sign(gap) == np.sign(change)) & (change != 0)


def group_scores(metric: FloatArray, human: FloatArray, average: Average) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield metric and human scores of each group, given (systems, items) twice."""
    if average == "none":
        yield metric.ravel(), human.ravel()
    else:
        yield from zip(*((metric.T, human.T) if average == "item" else (metric, human)), strict=True)


def agreements(gap: FloatArray, tied: BoolArray, agreeing: BoolArray, epsilon: float) -> BoolArray:
    """Return of each pair whether metric and people agree on it, given a threshold of ties."""
    return np.where(gap <= epsilon, tied, agreeing)


def _calibrate(groups: Sequence[Pairs]) -> float:
    """Return the smallest epsilon with the highest mean accuracy over groups, 0 if none is better.

    Every difference of two metric scores in a group is a candidate, and one sort of them tries all: where epsilon
    passes a pair's difference, the pair becomes a tie, right if people tie and else wrong.
    """
    filled = [group for group in groups if len(group[0])]
    gaps = np.concatenate([gap for gap, *_ in filled])
    change = np.concatenate([(tied.astype(np.float64) - agreeing) / len(gap) for gap, tied, agreeing in filled])
    order = np.argsort(gaps, kind="stable")
    gaps, gains = gaps[order], np.cumsum(change[order])
    last = np.flatnonzero(np.r_[gaps[1:] != gaps[:-1], True])
    candidates, gains = gaps[last], gains[last]
    if candidates[0] > 0:
        candidates, gains = np.r_[0.0, candidates], np.r_[0.0, gains]
    # Sums in another order must not make a larger threshold look better than an equally good smaller one.
    return float(candidates[np.argmax(gains >= gains.max() - 1e-9)])
