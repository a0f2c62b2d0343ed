"""Correlation of metrics with human scores at segment, document and system level, with bootstrap intervals.

Scores are (systems, items), where an item is a segment or a document, or the whole test set at system level. What is
correlated is, as in WMT's metrics task, all of them as one list (``none``), the systems' scores of each item
(``item``) or the items' scores of each system (``system``); the last two give the mean of many coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.bootstrap import bootstrap_weights, percentile_interval
from endophora.statistics.coefficients import Coefficient, pearson, spearman
from endophora.statistics.kendall import kendall, wmt_pairs
from endophora.statistics.units import FloatArray, IntArray, Units, each_row

Average: TypeAlias = Literal["none", "item", "system"]
Drawn: TypeAlias = Literal["items", "systems"]

AVERAGES: tuple[Average, ...] = ("none", "item", "system")


@dataclass(frozen=True, slots=True, eq=False)
class Correlation:
    """How well each metric agrees with people; arrays are (metrics,).

    Attributes:
        values: the coefficients; NaN where undefined, as for a constant metric.
        low, high: percentile intervals; NaN where there are none.
        samples: (resamples, metrics), the coefficients of the resamples; NaN where undefined, and left out of the
            intervals.
        drawn: what was resampled: ``items`` by their units (documents, or segments), or ``systems``.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    counts: IntArray
    groups: IntArray
    samples: FloatArray
    coefficient: Coefficient
    average: Average
    drawn: Drawn
    resamples: int
    confidence: float
    seed: int


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
    """Correlate metrics with human scores, and draw items or systems anew for intervals.

    A pair of scores counts where both are there, for each metric by itself. The draws depend on the seed and the units
    alone, so that two metrics may be compared sample by sample.

    Args:
        metrics: (metrics, systems, items), NaN where missing.
        human: (systems, items), NaN where missing.
        coefficient: ``pearson``, ``spearman``, ``kendall`` (tau-b) or ``kendall-wmt`` (:func:`wmt_pairs`, pooled
            over groups).
        units: which items are drawn together; each item alone by default.

    Raises: InputError: the arrays do not fit one another (E110).
    """
    check_shapes(metrics, human, units)
    systems, items = human.shape
    chosen = units or each_row(items, "segments")
    weights = _draw(chosen, systems, drawn, resamples, seed)
    values = np.full((1 + resamples, len(metrics)), np.nan)
    groups = np.zeros(len(metrics), dtype=np.intp)
    for number, metric in enumerate(metrics):
        values[:, number], groups[number] = _settle(
            metric, human, *weights, index=chosen.index, coefficient=coefficient, average=average, threshold=threshold
        )
    samples = values[1:]
    drawable = (systems if drawn == "systems" else chosen.count) > 1 and resamples > 0
    low, high = percentile_interval(samples, confidence) if drawable else (np.full(len(metrics), np.nan),) * 2
    return Correlation(
        values=values[0],
        low=low,
        high=high,
        counts=np.count_nonzero(~np.isnan(metrics + human), axis=(1, 2)),
        groups=groups,
        samples=samples,
        coefficient=coefficient,
        average=average,
        drawn=drawn,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )


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
    """Correlate the systems' mean scores, and draw items anew: system level where its scores are such means.

    The interval says how much hangs on which documents were judged; :func:`correlate` with ``drawn="systems"`` says
    how much hangs on which systems took part.

    Args:
        metrics: (metrics, systems, items), NaN where missing; left out of the mean.
        human: (systems, items), NaN where missing.

    Raises: InputError: the arrays do not fit one another (E110).
    """
    check_shapes(metrics, human, units)
    rows = np.concatenate((np.ones((1, units.count)), *bootstrap_weights(units.count, resamples, seed, 1024)))
    weights = rows[:, units.index]
    people = _means(human, weights)
    values = np.full((1 + resamples, len(metrics)), np.nan)
    counts = np.zeros(len(metrics), dtype=np.intp)
    one = np.ones((1, len(human)))
    for number, metric in enumerate(metrics):
        means = _means(metric, weights)
        counts[number] = np.count_nonzero(~np.isnan(means[0] + people[0]))
        if coefficient == "kendall-wmt":
            balance, total = wmt_pairs(means, people, one, threshold)
            values[:, number] = np.divide(balance[0], total[0], out=np.full(len(means), np.nan), where=total[0] > 0)
        else:
            values[:, number] = _PLAIN[coefficient](means, people, one)[0]
    samples = values[1:]
    drawable = units.count > 1 and resamples > 0
    low, high = percentile_interval(samples, confidence) if drawable else (np.full(len(metrics), np.nan),) * 2
    return Correlation(
        values=values[0],
        low=low,
        high=high,
        counts=counts,
        groups=np.ones(len(metrics), dtype=np.intp),
        samples=samples,
        coefficient=coefficient,
        average="none",
        drawn="items",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )


def check_shapes(metrics: FloatArray, human: FloatArray, units: Units | None = None) -> None:
    """Check that scores are of the same systems and items.

    Args:
        metrics: (metrics, systems, items).
        human: (systems, items).

    Raises: InputError: they are not (E110).
    """
    if metrics.ndim != 3 or metrics.shape[1:] != human.shape:
        cause = f"metric scores of shape {metrics.shape} do not fit human scores of shape {human.shape}"
        raise InputError(Fault("E110", cause, "give (metrics, systems, items) and (systems, items)"))
    if units is not None and len(units.index) != human.shape[1]:
        cause = f"units of {len(units.index)} items do not fit scores of {human.shape[1]}"
        raise InputError(Fault("E110", cause, "give each item its unit"))


_PLAIN = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def _draw(units: Units, systems: int, drawn: Drawn, resamples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return how often each unit and each system stand in each resample.

    What is drawn has a first row of ones, the scores as they are; what is not drawn has only that row.
    """
    ones = np.ones((1, units.count)), np.ones((1, systems))
    kept = ones[drawn == "systems"]
    rows = np.concatenate((kept, *bootstrap_weights(kept.shape[1], resamples, seed, 1024)))
    return (rows, ones[1]) if drawn == "items" else (ones[0], rows)


def _settle(
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
        x, y = metric.reshape(1, -1), human.reshape(1, -1)
        weights, group_weights = _flat(item_weights, system_weights), np.ones((1, 1))
    if coefficient == "kendall-wmt":
        balance, total = wmt_pairs(x, y, weights, threshold)
        pairs = (group_weights * total).sum(axis=1)
        summed = (group_weights * balance).sum(axis=1)
        return np.divide(summed, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0), int((total[0] > 0).sum())
    if coefficient == "kendall" and average != "item":
        values = _kendall_by_cells(x, y, unit_weights, system_weights, index, average)
    else:
        values = _PLAIN[coefficient](x, y, weights)
    there = ~np.isnan(values)
    total = (group_weights * there).sum(axis=1)
    summed = (group_weights * np.where(there, values, 0.0)).sum(axis=1)
    mean = np.divide(summed, total, out=np.full(len(total), np.nan), where=total > 0)
    return mean, int(there[0].sum())


def _kendall_by_cells(
    x: FloatArray,
    y: FloatArray,
    unit_weights: FloatArray,
    system_weights: FloatArray,
    index: IntArray,
    average: Average,
) -> FloatArray:
    """Return tau-b where the positions are items: what is drawn together is one cell."""
    systems = system_weights.shape[1]
    if average == "system":
        return kendall(x, y, unit_weights, index)
    if len(system_weights) > 1:
        repeated: IntArray = np.arange(systems, dtype=np.intp).repeat(len(index))
        return kendall(x, y, system_weights, repeated)
    return kendall(x, y, unit_weights, np.tile(index, systems))


def _flat(item_weights: FloatArray, system_weights: FloatArray) -> FloatArray:
    """Return the weights of all scores as one list, system after system."""
    weights = system_weights[:, :, None] * item_weights[:, None, :]
    return weights.reshape(len(weights), -1)


def _means(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return each system's mean in each resample, (systems, items), (samples, items) → (samples, systems)."""
    there = ~np.isnan(scores)
    count = weights @ there.T.astype(np.float64)
    total = weights @ np.where(there, scores, 0.0).T
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
