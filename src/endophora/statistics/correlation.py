"""Correlation of metrics with human scores at segment, document and system level, with bootstrap intervals.

People's scores are (systems, items), metrics' (metrics, systems, items), NaN where missing; an item is a segment or a
document, or the whole test set at system level. Arrays that do not fit one another are E110. What is correlated is, as
in WMT's metrics task, all of them as one list (``none``), the systems' scores of each item (``item``) or the items'
scores of each system (``system``); the last two give the mean of many coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.statistics.coefficients import PLAIN, kendall, wmt_pairs
from endophora.statistics.resampling import Average, Coefficient
from endophora.statistics.significance import bootstrap_weights, percentile_interval
from endophora.statistics.units import FloatArray, IntArray, Units, each_row

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
