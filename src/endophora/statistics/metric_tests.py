"""Whether one metric agrees better with people than another: permutation tests, and Williams' test.

PERM-BOTH of Deutsch et al. (2021, “A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
Methods”): if two metrics are equally good, it does not matter which of them gave an output its score. After the
metrics' scores are brought to one scale, they are swapped at random, output by output, and the p-value is how often the
difference of correlations becomes as large as the one observed. WMT's metrics task uses it since 2022; for accuracy
with ties it swaps the metrics' verdicts on each pair.

Williams' test (Williams, 1959; Steiger, 1980) is for the difference of two correlations that share a variable; Graham
and Baldwin (2014, “Testing for Significance of Increased Correlation with Human Judgment”) brought it to the evaluation
of metrics: two metrics are correlated with the same human scores, and with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.statistics.accuracy import agreements, group_pairs, group_scores
from endophora.statistics.correlation import FLAT, PLAIN, check_shapes, pearson, weighted_mean, wmt_pairs
from endophora.statistics.resampling import Average, Coefficient
from endophora.statistics.significance import draw_swaps
from endophora.statistics.units import BoolArray, FloatArray, IntArray, at_least

BLOCK = 1 << 21
"""Scores in the largest block of trials; it decides which are swapped, since each drawing begins with new bits."""


class Permutation(NamedTuple):
    """The test of two metrics: agreement of the first less that of the second, over the scores that both have."""

    difference: float
    p_value: float


def permute_correlations(
    first: FloatArray,
    second: FloatArray,
    human: FloatArray,
    *,
    coefficient: Coefficient = "pearson",
    average: Average = "none",
    trials: int = 1000,
    two_sided: bool = True,
    seed: int = 12345,
) -> Permutation:
    """Test whether one metric correlates better with people than the other; one-sided, for the first being better.

    All arrays are (systems, items), NaN where missing; what one metric lacks is left out of both (E075, E110).
    """
    one, other, people = _shared(first, second, human, trials)
    one, other = _standard(one), _standard(other)
    if average == "none":
        kept = ~np.isnan(people)
        one, other, people = one[kept][None], other[kept][None], people[kept][None]
    observed = _agreement(np.stack((one, other)), people, coefficient, average)
    difference = float(observed[0] - observed[1])
    if np.isnan(difference):
        return Permutation(np.nan, np.nan)
    reached = defined = 0
    for kept in draw_swaps(people.shape, trials, seed, BLOCK):
        if coefficient == "pearson" and average == "none":
            changes = _linear_changes(one[0], other[0], people[0], kept[:, 0])
        else:
            swapped = np.stack((np.where(kept, one, other), np.where(kept, other, one)))
            values = _agreement(swapped.reshape(-1, *people.shape), people, coefficient, average).reshape(2, -1)
            changes = values[0] - values[1]
        changes = changes[~np.isnan(changes)]
        reached += _reached(changes, difference, two_sided)
        defined += len(changes)
    return Permutation(difference, (reached + 1) / (defined + 1) if defined else np.nan)


def permute_accuracies(
    first: FloatArray,
    second: FloatArray,
    human: FloatArray,
    epsilons: tuple[float, float],
    *,
    average: Average = "item",
    trials: int = 1000,
    two_sided: bool = True,
    seed: int = 12345,
) -> Permutation:
    """Test whether one metric orders pairs better than the other, each with its own threshold of ties.

    Verdicts on a pair are swapped, which matters only where one metric is right and the other wrong: so a group's
    trial is a draw from the binomial distribution of such pairs. Arrays and errors are those of
    :func:`permute_correlations`.
    """
    one, other, people = _shared(first, second, human, trials)
    rows: list[tuple[int, int, int]] = []
    for (x, y), (z, _) in zip(group_scores(one, people, average), group_scores(other, people, average), strict=True):
        right, also = agreements(*group_pairs(x, y), epsilons[0]), agreements(*group_pairs(z, y), epsilons[1])
        if len(right):
            rows.append((int((right & ~also).sum()), int((also & ~right).sum()), len(right)))
    if not rows:
        return Permutation(np.nan, np.nan)
    won, lost, size = np.array(rows).T
    difference = float(((won - lost) / size).mean())
    open_pairs = won + lost
    draws = np.random.default_rng(seed).binomial(open_pairs, 0.5, size=(trials, len(rows)))
    changes: FloatArray = ((2 * draws - open_pairs) / size).mean(axis=1)
    return Permutation(difference, (_reached(changes, difference, two_sided) + 1) / (trials + 1))


def _shared(
    first: FloatArray, second: FloatArray, human: FloatArray, trials: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the scores that both metrics and the people have, NaN elsewhere, after a check of shapes and trials."""
    for scores in (first, second):
        check_shapes(scores[None], human)
    if trials < 1:
        raise InputError(Fault("E075", f"{trials} trials are asked for", "ask for at least 1; 1000 is usual"))
    missing = np.isnan(first + second + human)
    one, other, people = (np.where(missing, np.nan, scores) for scores in (first, second, human))
    return one, other, people


def _linear_changes(first: FloatArray, second: FloatArray, human: FloatArray, kept: BoolArray) -> FloatArray:
    """Return the difference of Pearson's r in each trial, from sums that are linear in what was kept.

    (scores,) three times, none missing, and (trials, scores) → (trials,)
    """
    people = human - human.mean()
    one, other = (np.stack((x, x * x, x * people), axis=1) for x in (first, second))
    mine = kept.astype(np.float64) @ (one - other) + other.sum(axis=0)
    values = [_r(sums, float(people @ people), len(people)) for sums in (mine, one.sum(0) + other.sum(0) - mine)]
    return values[0] - values[1]


def _r(sums: FloatArray, spread: float, count: int) -> FloatArray:
    """Return Pearson's r of (trials, 3) sums of x, x² and x·y; y has mean 0 and ``spread`` as its sum of squares."""
    around = sums[:, 1] - sums[:, 0] ** 2 / count
    defined = (around > FLAT * sums[:, 1]) & (spread > 0)
    below = np.sqrt(np.where(defined, around * spread, 1.0))
    return np.where(defined, sums[:, 2] / below, np.nan)


def _agreement(metrics: FloatArray, human: FloatArray, coefficient: Coefficient, average: Average) -> FloatArray:
    """Return each metric's correlation, (metrics, systems, items) → (metrics,)."""
    count, (systems, items) = len(metrics), human.shape
    if average == "none":
        x, y = metrics.reshape(count, -1), human.reshape(1, -1)
    elif average == "item":
        x = metrics.transpose(0, 2, 1).reshape(-1, systems)
        y = np.broadcast_to(human.T, (count, items, systems)).reshape(-1, systems)
    else:
        x = metrics.reshape(-1, items)
        y = np.broadcast_to(human, (count, systems, items)).reshape(-1, items)
    ones = np.ones((1, x.shape[1]))
    if coefficient == "kendall-wmt":
        balance, total = (part.reshape(count, -1).sum(axis=1) for part in wmt_pairs(x, y, ones))
        return ratio(balance, total)
    return weighted_mean(PLAIN[coefficient](x, y, ones).reshape(count, -1), np.ones(1))


def _standard(scores: FloatArray) -> FloatArray:
    """Return scores of mean 0 and deviation 1, NaN where missing; of a constant metric, zeros."""
    there = scores[~np.isnan(scores)]
    if not len(there):
        return scores
    return (scores - there.mean()) / (float(there.std()) or 1.0)


def _reached(changes: FloatArray, difference: float, two_sided: bool) -> int:
    values, threshold = (np.abs(changes), abs(difference)) if two_sided else (changes, difference)
    return int(np.count_nonzero(at_least(values, np.array(threshold), np.array(1.0))))


@dataclass(frozen=True, slots=True, eq=False)
class Williams:
    """The test of each ordered pair of metrics, (first, second): t is positive where the first correlates better.

    ``counts`` are the scores that both metrics and the people gave; degrees of freedom are three less.
    """

    differences: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    counts: IntArray


def williams_t(
    first: FloatArray, second: FloatArray, between: FloatArray, count: FloatArray | IntArray | int
) -> FloatArray:
    """Return Williams' t (T₂ in Steiger, 1980), with count - 3 degrees of freedom, in the arguments' common shape.

    t = (r₁ - r₂) · √((n - 1)(1 + r₁₂)) / √(2 K (n - 1) / (n - 3) + r̄² (1 - r₁₂)³), where r̄ is the mean of r₁ and r₂
    and K = 1 - r₁² - r₂² - r₁₂² + 2 r₁ r₂ r₁₂ the determinant of the three correlations. It is 0 for two metrics of
    perfect mutual correlation that are equally good, NaN where fewer than four scores are or the denominator is zero.
    """
    first, second, between = (np.asarray(values, dtype=np.float64) for values in (first, second, between))
    size = np.asarray(count, dtype=np.float64)
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    determinant = np.maximum(determinant, 0.0)  # below zero by rounding only
    mean = (first + second) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        above = (first - second) * np.sqrt((size - 1) * (1 + between))
        below = np.sqrt(2 * determinant * (size - 1) / (size - 3) + mean**2 * (1 - between) ** 3)
        values = np.where(below > 1e-12, above / below, np.where(np.abs(above) < 1e-9, 0.0, np.nan))
    return np.where((size > 3) & ~np.isnan(first + second + between), values, np.nan)


def williams_p(statistics: FloatArray, count: FloatArray | IntArray | int, *, two_sided: bool = True) -> FloatArray:
    """Return the p-values of :func:`williams_t`; one-sided is for the first correlation being the higher."""
    from scipy import special  # as in significance.py

    freedom = np.maximum(np.asarray(count, dtype=np.float64) - 3, 1)
    values = np.abs(statistics) if two_sided else statistics
    tail: FloatArray = special.stdtr(freedom, -values)
    return 2 * tail if two_sided else tail


def williams(metrics: FloatArray, human: FloatArray, *, two_sided: bool = True) -> Williams:
    """Test for every two metrics whether one correlates better with the human scores (Pearson).

    For each two, the scores count that both of them and the people gave. The test takes the scores as independent;
    segments of one document, or the outputs of one segment, are not, and then p is too small. Arrays are as in
    :mod:`~endophora.statistics.correlation`; without a metric it is E110.
    """
    check_shapes(metrics, human)
    if not len(metrics):
        raise InputError(Fault("E110", "there is no metric to test", "give the scores of two at least"))
    flat, people = metrics.reshape(len(metrics), 1, -1), human.reshape(1, -1)
    ones = np.ones((1, people.shape[1]))
    square = (len(metrics), len(metrics))
    differences, statistics = np.zeros(square), np.full(square, np.nan)
    counts = np.zeros(square, dtype=np.intp)
    for j, i in combinations(range(len(metrics)), 2):
        missing = np.isnan(flat[i] + flat[j] + people)
        shared, first = np.where(missing, np.nan, people), np.where(missing, np.nan, flat[i])
        pairs = ((first, shared), (flat[j], shared), (first, flat[j]))
        one, other, between = (pearson(*pair, ones)[0, 0] for pair in pairs)
        counts[i, j] = counts[j, i] = np.count_nonzero(~missing)
        statistics[i, j] = williams_t(one, other, between, int(counts[i, j]))
        differences[i, j] = one - other
        statistics[j, i], differences[j, i] = -statistics[i, j], -differences[i, j]
    return Williams(differences, statistics, williams_p(statistics, counts, two_sided=two_sided), counts)
