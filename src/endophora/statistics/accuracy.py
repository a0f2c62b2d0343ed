"""Pairwise accuracy: how often a metric orders two outputs as people do.

Of systems, as in Kocmi et al. (2021, “To Ship or Not to Ship”); of segments with ties, as in Deutsch et al. (2023,
“Ties Matter”), where a pair that people find equal must be equal for the metric too, up to a threshold epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.statistics.bootstrap import bootstrap_weights, percentile_interval
from endophora.statistics.correlation import Average, check_shapes
from endophora.statistics.units import FloatArray, IntArray, Units, each_row

LARGEST = 1 << 26
"""Pairs among which a threshold is looked for at most; they take about 40 bytes each."""


@dataclass(frozen=True, slots=True, eq=False)
class SystemAccuracy:
    """Accuracy over pairs of systems; arrays are (metrics,).

    Attributes:
        values: agreeing / pairs; NaN without a pair.
        low, high: percentile intervals, systems drawn anew; NaN where there are none.
        agreeing: pairs that the metric orders as people do; with ``pairs``, language pairs can be pooled.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    agreeing: IntArray
    pairs: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TieAccuracy:
    """Accuracy over pairs of segment scores with ties; arrays are (metrics,).

    Attributes:
        values: mean over groups of the share of pairs that are ordered alike or tied alike; NaN without a pair.
        low, high: percentile intervals, items drawn anew with epsilon as it is; NaN where there are none.
        calibrated: whether epsilon was chosen on these very scores, which flatters a metric, or given.
        average: what the pairs are of: one item's systems (``item``), one system's items, or all.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    epsilons: FloatArray
    calibrated: bool
    pairs: IntArray
    average: Average


def system_accuracy(
    metrics: FloatArray, human: FloatArray, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 12345
) -> SystemAccuracy:
    """Return the share of pairs of systems that a metric orders as people do; both finding a tie agrees too.

    Args:
        metrics: (metrics, systems), NaN where missing.
        human: (systems,), NaN where missing.

    Raises: InputError: the arrays do not fit one another (E110).
    """
    check_shapes(metrics[..., None], human[..., None])
    count = len(human)
    drawn = np.concatenate((np.ones((1, count)), *bootstrap_weights(count, resamples, seed, 1024)))
    values = np.full((1 + resamples, len(metrics)), np.nan)
    agreeing, pairs = (np.zeros(len(metrics), dtype=np.intp) for _ in range(2))
    for number, metric in enumerate(metrics):
        there = ~np.isnan(metric + human)
        known = there[:, None] & there & ~np.eye(count, dtype=np.bool_)
        alike = known & (_order(metric) == _order(human))
        agreeing[number], pairs[number] = alike.sum() // 2, known.sum() // 2
        above, below = (((drawn @ table.astype(np.float64)) * drawn).sum(axis=1) for table in (alike, known))
        values[:, number] = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    low, high = percentile_interval(values[1:], confidence) if resamples and count > 1 else _nothing(len(metrics))
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

    Every difference of two metric scores in a group is a candidate for epsilon, and one sort of them tries all: where
    epsilon passes a pair's difference, the pair becomes a tie, right if people tie and else wrong. The smallest of the
    best is taken.

    Args:
        metrics: (metrics, systems, items), NaN where missing.
        human: (systems, items), NaN where missing.
        epsilons: (metrics,), thresholds found on other data; by default each metric's best on these.
        units: which items are drawn together for the intervals; each alone by default.

    Raises: InputError (E110, E110, E111).
    """
    check_shapes(metrics, human, units)
    if epsilons is not None and (epsilons.shape != (len(metrics),) or not np.all(epsilons >= 0)):
        raise InputError(Fault("E110", "the thresholds are not one for each metric", "give numbers, none below zero"))
    chosen = units or each_row(human.shape[1], "segments")
    values, best = np.full(len(metrics), np.nan), np.full(len(metrics), np.nan)
    low, high = _nothing(len(metrics))
    pairs = np.zeros(len(metrics), dtype=np.intp)
    for number, metric in enumerate(metrics):
        found = list(_pairs(metric, human, average))
        pairs[number] = sum(len(gap) for gap, *_ in found)
        groups = np.count_nonzero([len(gap) for gap, *_ in found])
        if not groups:
            continue
        best[number] = calibrate(found) if epsilons is None else epsilons[number]
        shares = np.array([_share(*group, best[number]) for group in found])
        values[number] = np.nansum(shares) / groups
        if average == "item" and resamples and chosen.count > 1:
            low[number], high[number] = _interval(shares, chosen, resamples, confidence, seed)
    return TieAccuracy(values, low, high, best, epsilons is None, pairs, average)


def calibrate(groups: list[tuple[FloatArray, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]) -> float:
    """Return the smallest epsilon with the highest mean accuracy over groups, 0 if none is better."""
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


def group_pairs(
    metric: FloatArray, human: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return of all pairs of scores in a group, (n,) twice, three arrays (pairs,).

    They are: the metric's difference without its sign, whether people tie, whether both put it in the same order.
    """
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


def agreements(
    gap: FloatArray, tied: npt.NDArray[np.bool_], agreeing: npt.NDArray[np.bool_], epsilon: float
) -> npt.NDArray[np.bool_]:
    """Return of each pair whether metric and people agree on it, given a threshold of ties."""
    return np.where(gap <= epsilon, tied, agreeing)


def _pairs(
    metric: FloatArray, human: FloatArray, average: Average
) -> Iterator[tuple[FloatArray, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]:
    groups = list(group_scores(metric, human, average))
    sizes = [int(np.count_nonzero(~np.isnan(x + y))) for x, y in groups]
    if (total := sum(size * (size - 1) // 2 for size in sizes)) > LARGEST:
        cause = f"{total:,} pairs are too many to look for a threshold among"
        raise InputError(Fault("E111", cause, "compare the systems of each item: average “item”"))
    for x, y in groups:
        yield group_pairs(x, y)


def _share(gap: FloatArray, tied: npt.NDArray[np.bool_], agreeing: npt.NDArray[np.bool_], epsilon: float) -> float:
    return float(agreements(gap, tied, agreeing, epsilon).mean()) if len(gap) else np.nan


def _interval(shares: FloatArray, units: Units, resamples: int, confidence: float, seed: int) -> tuple[float, float]:
    weights = np.concatenate(list(bootstrap_weights(units.count, resamples, seed, 1024)))[:, units.index]
    there = ~np.isnan(shares)
    total = weights @ there.astype(np.float64)
    mean = np.divide(weights @ np.where(there, shares, 0.0), total, out=np.full(resamples, np.nan), where=total > 0)
    low, high = percentile_interval(mean[:, None], confidence)
    return float(low[0]), float(high[0])


def _order(scores: FloatArray) -> FloatArray:
    return np.sign(scores[:, None] - scores)


def _nothing(count: int) -> tuple[FloatArray, FloatArray]:
    return np.full(count, np.nan), np.full(count, np.nan)
