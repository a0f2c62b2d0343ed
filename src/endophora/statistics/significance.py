"""Whether systems differ: paired bootstrap, approximate randomisation, Student's paired t, Holm's correction.

All systems are resampled alike, all metrics with the same seed too. A resample is a vector of how often each unit was
drawn, and a trial of the randomisation test one of which units are swapped, so that all of them are one matrix product
with the units' sums.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from endophora.errors import Fault, InputError, refuse
from endophora.statistics.units import (
    BLOCK,
    Baseline,
    BoolArray,
    FloatArray,
    IntArray,
    Score,
    Units,
    at_least,
    baseline_index,
)

DRAW = 1 << 26
"""Truth values drawn at once; it decides which they are, since each drawing begins with new bits."""
FLAT = 1e-13
"""A standard deviation below this share of the scores is rounding: all differences are equal."""
ROUNDING = 1e-12
"""A p-value above the level by less than this share of it is equal to it: 3 · (1 / 60) is not exactly .05."""


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Scores, percentile intervals and p-values; arrays are (systems, …), where … is what the metric yields.

    Intervals and p-values are NaN where undefined, for fewer than two units, and p-values for the baseline itself.
    ``undefined`` counts the resamples that are left out, since they have no score or no difference.
    """

    scores: FloatArray
    low: FloatArray
    high: FloatArray
    differences: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    p_values: FloatArray
    undefined: IntArray


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
    """Resample units with replacement, and compare every system with the baseline (Koehn, 2004).

    With d the difference on the corpus and d* that of a resample, the p-value is the share of resamples, (c + 1) /
    (n + 1), in which |d*| - mean |d*| reaches |d|, as in sacreBLEU and in Moses before it: in effect a one-sided test.
    ``two_sided`` takes |d* - mean d*| instead. Other than in sacreBLEU a tie counts as reached, so that
    equal systems get p = 1 and not the smallest p there is.

    Args:
        statistics: (systems, rows, …, columns).
        score: (…, columns) → (…), NaN where undefined.

    Raises: InputError (E074, E075, E076).
    """
    faults: list[Fault] = []
    if resamples < 1:
        faults.append(Fault("E075", f"{resamples} resamples are asked for", "ask for at least 1; 1000 is usual"))
    if not 0 < confidence < 1:
        faults.append(Fault("E075", f"the confidence is {confidence}", "give a number between 0 and 1, such as 0.95"))
    refuse(faults)
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
    undefined = np.isnan(changes).sum(axis=0)
    return Bootstrap(observed, low, high, differences, change_low, change_high, p_values, undefined)


def bootstrap_weights(units: int, resamples: int, seed: int, rows: int = 1024) -> Iterator[FloatArray]:
    """Yield how often each unit is in each resample, in blocks (rows, units) on which the draws do not depend."""
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.integers(max(units, 1), size=(size, units)) + units * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def percentile_interval(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds between which the middle samples lie, (resamples, …) → two of (…), NaN where nothing else is.

    The bounds are samples, and as many are cut off at either end.
    """
    if not len(samples):
        low, high = np.full((2, *samples.shape[1:]), np.nan)
        return low, high
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


@dataclass(frozen=True, slots=True, eq=False)
class Randomisation:
    """p-values of a two-sided test, (systems, …); NaN where undefined, for the baseline itself, and of a single unit.

    ``exact`` says that all ways of swapping were tried, ``trials`` how many were.
    """

    differences: FloatArray
    p_values: FloatArray
    trials: int
    exact: bool


def randomise(
    statistics: FloatArray,
    score: Score,
    units: Units,
    *,
    baseline: Baseline = 0,
    trials: int = 10_000,
    seed: int = 12345,
    alone: Callable[[Sequence[int]], Score] | None = None,
) -> Randomisation:
    """Compare every system with the baseline by swapping their outputs (Noreen, 1989; Riezler & Maxwell, 2005).

    If two systems do not differ, it does not matter which of them wrote a document: swap their outputs at random, unit
    by unit, and see how often the difference is as large as the one observed. The p-value is that share of the trials,
    (c + 1) / (n + 1), as in sacreBLEU, where however a tie does not count. With so few units that all ways of swapping
    are within the trials asked for, all are tried once, and the p-value is their plain share. Arguments are those of
    :func:`bootstrap`; trials without a score are left out. ``alone`` is columns → what scores these alone, where that
    is less work than to score them all: columns with another baseline are another test.

    Raises: InputError (E074, E075, E076).
    """
    if trials < 1:
        raise InputError(Fault("E075", f"{trials} trials are asked for", "ask for at least 1; 10000 is usual"))
    of_baseline = baseline_index(statistics, baseline)
    sums = np.moveaxis(units.sums(statistics), 1, 0)
    totals = sums.sum(axis=0)
    observed = score(totals)
    differences = observed - observed[of_baseline]
    exact = units.count < 63 and 2**units.count <= trials
    reached, defined = np.zeros(differences.shape), np.zeros(differences.shape)
    for other, where, chosen in _tests(baseline, score, alone):
        threshold, scale = np.abs(differences[where]), np.abs(observed[where])
        for moved in _moved(sums, other, trials, seed, exact):
            changes = np.abs(chosen(totals - moved) - chosen(totals[other] + moved))
            reached[where] += np.sum(at_least(changes, threshold, scale), axis=0)
            defined[where] += np.sum(~np.isnan(changes), axis=0)
    drawn = 0 if exact else 1
    undefined = np.isnan(differences) | (defined == 0)
    p_values = np.where(undefined, np.nan, (reached + drawn) / np.maximum(defined + drawn, 1))
    p_values[of_baseline] = np.nan
    if units.count < 2:
        p_values[...] = np.nan
    return Randomisation(differences, p_values, 2**units.count if exact else trials, exact)


def draw_swaps(shape: tuple[int, ...], trials: int, seed: int, most: int) -> Iterator[BoolArray]:
    """Yield blocks (trials, …) of which items are swapped, with at most so many truth values in one."""
    generator = np.random.default_rng(seed)
    rows = max(1, most // max(int(np.prod(shape)), 1))
    for start in range(0, trials, rows):
        yield generator.integers(2, size=(min(rows, trials - start), *shape), dtype=np.bool_)


def _tests(
    baseline: Baseline, score: Score, alone: Callable[[Sequence[int]], Score] | None
) -> Iterator[tuple[int, Any, Score]]:
    """Yield every baseline, the index of the columns that have it, and what scores these."""
    if isinstance(baseline, int):
        yield baseline, (...,), score
        return
    for each in dict.fromkeys(baseline):
        columns = [column for column, other in enumerate(baseline) if other == each]
        where = (..., columns)
        yield each, where, alone(columns) if alone is not None else lambda sums, where=where: score(sums)[where]


def _moved(sums: FloatArray, baseline: int, trials: int, seed: int, exact: bool) -> Iterator[FloatArray]:
    """Yield in blocks what each trial's swaps move from a system to the baseline.

    (units, systems, …, columns) → (block, systems, …, columns)
    """
    units, shape = len(sums), sums.shape[1:]
    surplus = (sums - sums[:, baseline : baseline + 1]).reshape(units, int(np.prod(shape)))
    rows = max(1, BLOCK // max(units, surplus.shape[1], 1))
    # All ways of swapping are the numbers below 2 ** units, in binary.
    all_swaps = (np.arange(2**units if exact else 0, dtype=np.int64)[:, np.newaxis] >> np.arange(units)) % 2 == 1
    for selection in [all_swaps] if exact else draw_swaps((units,), trials, seed, DRAW):
        for start in range(0, len(selection), rows):
            block = selection[start : start + rows].astype(np.float64)
            yield (block @ surplus).reshape(len(block), *shape)


@dataclass(frozen=True, slots=True, eq=False)
class PairedT:
    """The test of two systems; arrays have the leading axes of the scores, such as metrics.

    t is positive where the second system is the better; infinite if it is better by the same in every document, NaN
    where undefined: fewer than two documents, or no difference in any. ``differences`` are means of second less first
    in the metric's own scale and sign, ``counts`` the documents that both systems have a score of.
    """

    statistics: FloatArray
    p_values: FloatArray
    differences: FloatArray
    low: FloatArray
    high: FloatArray
    counts: IntArray


def paired_t(
    first: FloatArray, second: FloatArray, *, higher_is_better: bool = True, confidence: float = 0.95
) -> PairedT:
    """Compare two systems by Student's paired t over documents (BlonDe, §5.2 and Table 4).

    Scores are (…, documents) of both (E110), as :func:`~endophora.statistics.units.unit_scores` gives them, NaN where a
    document has none. Where lower ones are better, t is reversed.
    """
    # scipy.special takes a third of the time that scipy.stats, with its own paired t, takes to load.
    from scipy import special

    if first.shape != second.shape or not first.ndim:
        cause = f"scores of shapes {first.shape} and {second.shape} are not of the same documents"
        raise InputError(Fault("E110", cause, "give (…, documents) for both systems"))
    change = second - first
    there = ~np.isnan(change)
    count = there.sum(axis=-1)
    size = np.maximum(count, 1)
    mean = np.where(there, change, 0.0).sum(axis=-1) / size
    around = np.where(there, change - mean[..., None], 0.0)
    deviation = np.sqrt((around**2).sum(axis=-1) / np.maximum(count - 1, 1))
    scale = np.where(there, np.maximum(np.abs(first), np.abs(second)), 0.0).max(axis=-1, initial=0.0)
    error = np.where(deviation <= FLAT * scale, 0.0, deviation) / np.sqrt(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(count > 1, mean / error, np.nan)
    freedom = np.maximum(count - 1, 1)
    p_values: FloatArray = 2 * special.stdtr(freedom, -np.abs(statistics))
    reach = np.where(count > 1, special.stdtrit(freedom, (1 + confidence) / 2) * error, np.nan)
    mean = np.where(count > 0, mean, np.nan)
    turned = statistics if higher_is_better else -statistics
    return PairedT(turned, p_values, mean, mean - reach, mean + reach, count)


def holm(p_values: FloatArray, families: Sequence[Hashable] | None = None) -> FloatArray:
    """Return p-values adjusted by Holm's step-down method (1979), which holds the family-wise error rate.

    The k-th smallest of a family's m p-values, counted from 0, becomes the largest of (m - j) · p_j over j ≤ k, at
    most 1. NaN is no hypothesis: it stays NaN and is not counted. ``families`` has for each place of the last axis its
    family, which is corrected by itself; by default all are one.
    """
    adjusted = np.array(p_values, dtype=np.float64)
    if families is not None:
        for family in dict.fromkeys(families):
            members = [other == family for other in families]
            adjusted[..., members] = holm(adjusted[..., members])
        return adjusted
    tested = ~np.isnan(adjusted)
    values = adjusted[tested]
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    adjusted[tested] = values
    return adjusted


def is_significant(p_value: float, alpha: float) -> bool:
    """Return whether a p-value, after correction, is significant: p ≤ α. NaN never is.

    The border belongs to significance: a p-value is the smallest level at which its test rejects, Holm's procedure
    rejects where p ≤ α / (m - k), and a randomisation test keeps its level so: of n + 1 ways of swapping, all equally
    likely if the systems do not differ, at most α · (n + 1) have p ≤ α. With 19 trials at .05, p < α never rejects.
    """
    return p_value <= alpha * (1 + ROUNDING)
