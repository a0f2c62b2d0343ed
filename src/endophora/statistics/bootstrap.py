"""Paired bootstrap resampling (Koehn, 2004, “Statistical Significance Tests for Machine Translation Evaluation”).

All systems are resampled alike, all metrics with the same seed too. A resample is a vector of how often each unit was
drawn, so that all of them are one matrix product with the units' sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.units import (
    BLOCK,
    Baseline,
    FloatArray,
    IntArray,
    Kind,
    Score,
    Units,
    at_least,
    baseline_index,
)


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Scores, intervals and p-values; arrays are (systems, …), where … is what the metric yields, such as tags.

    Attributes:
        scores: of the corpus as it is; NaN where undefined.
        low, high: percentile interval of each score; NaN where there is none (fewer than two units).
        p_values: of each difference; NaN for the baseline itself and where undefined.
        undefined: in how many resamples the score or its difference is undefined; these are left out.
    """

    scores: FloatArray
    low: FloatArray
    high: FloatArray
    differences: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    p_values: FloatArray
    undefined: IntArray
    baseline: Baseline
    resamples: int
    confidence: float
    seed: int
    units: Kind
    warnings: tuple[str, ...]


def bootstrap(
    statistics: FloatArray,
    score: Score,
    units: Units,
    *,
    baseline: Baseline = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
    two_sided: bool = False,
    seed: int = 12345,
) -> Bootstrap:
    """Resample units with replacement, and compare every system with the baseline.

    With d the difference on the corpus and d* that of a resample, the p-value is the share of resamples, (c + 1) /
    (n + 1), in which |d*| - mean |d*| reaches |d|, as in sacreBLEU and in Moses before it: in effect a one-sided test.
    ``two_sided`` takes |d* - mean d*| instead. Other than in sacreBLEU a tie counts as reached, so that
    equal systems get p = 1 and not the smallest p there is.

    Args:
        statistics: (systems, rows, …, columns).
        score: (…, columns) → (…), NaN where undefined.

    Raises: InputError (E074, E075, E076).
    """
    _check_options(resamples, confidence)
    of_baseline = baseline_index(statistics, baseline)
    sums = np.moveaxis(units.sums(statistics), 1, 0)
    observed = score(sums.sum(axis=0))
    samples = np.concatenate([score(drawn) for drawn in _resampled(sums, resamples, seed)])
    changes = samples - samples[:, *of_baseline][:, None]
    low, high = percentile_interval(samples, confidence)
    change_low, change_high = percentile_interval(changes, confidence)
    differences = observed - observed[of_baseline]
    p_values = _p_values(changes, differences, np.abs(observed), two_sided)
    p_values[of_baseline] = np.nan
    if units.count < 2:
        for values in (low, high, change_low, change_high, p_values):
            values[...] = np.nan
    return Bootstrap(
        scores=observed,
        low=low,
        high=high,
        differences=differences,
        difference_low=change_low,
        difference_high=change_high,
        p_values=p_values,
        undefined=np.isnan(changes).sum(axis=0),
        baseline=baseline,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        units=units.kind,
        warnings=units.warnings,
    )


def bootstrap_weights(units: int, resamples: int, seed: int, rows: int) -> Iterator[FloatArray]:
    """Yield how often each unit stands in each resample, in blocks of (at most ``rows``, units).

    The draws do not depend on the size of the blocks.
    """
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.integers(max(units, 1), size=(size, units)) + units * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def percentile_interval(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds between which the middle samples lie, (resamples, …) → two of (…).

    The bounds are samples, and as many are cut off at either end; NaNs are left out, and where there are only NaNs
    the bounds are NaN.
    """
    ordered = np.sort(samples, axis=0)
    defined = np.count_nonzero(~np.isnan(samples), axis=0)
    cut = (defined * (1 - confidence) / 2 + 1e-9).astype(np.intp)
    low = np.take_along_axis(ordered, cut[None], axis=0)[0]
    high = np.take_along_axis(ordered, np.maximum(defined - 1 - cut, 0)[None], axis=0)[0]
    return low, high


def _resampled(sums: FloatArray, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks of resampled sums: (units, systems, …, columns) → (block, systems, …, columns)."""
    units, shape = len(sums), sums.shape[1:]
    flat = sums.reshape(units, int(np.prod(shape)))
    rows = max(1, BLOCK // max(units, flat.shape[1], 1))
    for weights in bootstrap_weights(units, resamples, seed, rows):
        yield (weights @ flat).reshape(len(weights), *shape)


def _p_values(changes: FloatArray, differences: FloatArray, scale: FloatArray, two_sided: bool) -> FloatArray:
    """Return the p-values of (systems, …) differences, from the (resamples, systems, …) differences of resamples."""
    defined = ~np.isnan(changes)
    count = defined.sum(axis=0)
    values = changes if two_sided else np.abs(changes)
    mean = np.where(defined, values, 0).sum(axis=0) / np.maximum(count, 1)
    extremes = np.abs(values - mean) if two_sided else values - mean
    reached = np.sum(at_least(extremes, np.abs(differences), scale), axis=0)
    return np.where(np.isnan(differences) | (count == 0), np.nan, (reached + 1) / (count + 1))


def _check_options(resamples: int, confidence: float) -> None:
    faults: list[Fault] = []
    if resamples < 1:
        faults.append(Fault("E075", f"{resamples} resamples are asked for", "ask for at least 1; 1000 is usual"))
    if not 0 < confidence < 1:
        faults.append(Fault("E075", f"the confidence is {confidence}", "give a number between 0 and 1, such as 0.95"))
    if faults:
        raise InputError(faults)
