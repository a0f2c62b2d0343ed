"""Permutation tests for the difference of two metrics' agreement with people.

PERM-BOTH of Deutsch et al. (2021, “A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
Methods”): if two metrics are equally good, it does not matter which of them gave an output its score. After the
metrics' scores are brought to one scale, they are swapped at random, output by output, and the p-value is how often the
difference of correlations becomes as large as the one observed. WMT's metrics task uses it since 2022; for accuracy
with ties it swaps the metrics' verdicts on each pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.statistics.accuracy import agreements, group_pairs, group_scores
from endophora.statistics.coefficients import FLAT, Coefficient, pearson, spearman
from endophora.statistics.correlation import Average, check_shapes
from endophora.statistics.kendall import kendall, wmt_pairs
from endophora.statistics.units import FloatArray, at_least

BLOCK = 1 << 21
"""Scores in the largest block of trials."""


@dataclass(frozen=True, slots=True)
class Permutation:
    """The test of two metrics.

    Attributes:
        difference: agreement of the first less that of the second, over the scores that both have.
        p_value: two-sided, or one-sided for the first being the better; (c + 1) / (n + 1).
    """

    difference: float
    p_value: float
    trials: int
    two_sided: bool


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
    """Test whether one metric correlates better with people than the other.

    Args:
        first: (systems, items), NaN where missing; what one metric lacks is left out of both.
        second: (systems, items), of the other metric.
        human: (systems, items), NaN where missing.

    Raises: InputError: the arrays do not fit one another (E110), or there is no trial (E075).
    """
    for scores in (first, second):
        check_shapes(scores[None], human)
    _check_trials(trials)
    missing = np.isnan(first + second + human)
    one, other, people = (np.where(missing, np.nan, scores) for scores in (first, second, human))
    one, other = _standard(one), _standard(other)
    if average == "none":
        kept = ~missing
        one, other, people = one[kept][None], other[kept][None], people[kept][None]
    observed = _agreement(np.stack((one, other)), people, coefficient, average)
    difference = float(observed[0] - observed[1])
    if np.isnan(difference):
        return Permutation(np.nan, np.nan, trials, two_sided)
    reached = defined = 0
    for kept_scores in _swaps(people.shape, trials, seed):
        if coefficient == "pearson" and average == "none":
            changes = _linear_changes(one[0], other[0], people[0], kept_scores[:, 0])
        else:
            swapped = np.stack((np.where(kept_scores, one, other), np.where(kept_scores, other, one)))
            values = _agreement(swapped.reshape(-1, *people.shape), people, coefficient, average).reshape(2, -1)
            changes = values[0] - values[1]
        kept = changes[~np.isnan(changes)]
        reached += _reached(kept, difference, two_sided)
        defined += len(kept)
    p_value = (reached + 1) / (defined + 1) if defined else np.nan
    return Permutation(difference, p_value, trials, two_sided)


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
    trial is a draw from the binomial distribution of such pairs.

    Args:
        first: (systems, items), NaN where missing; what one metric lacks is left out of both.
        second: (systems, items), of the other metric.
        human: (systems, items), NaN where missing.

    Raises: InputError: the arrays do not fit one another (E110), or there is no trial (E075).
    """
    for scores in (first, second):
        check_shapes(scores[None], human)
    _check_trials(trials)
    missing = np.isnan(first + second + human)
    one, other, people = (np.where(missing, np.nan, scores) for scores in (first, second, human))
    rows: list[tuple[int, int, int]] = []
    for (x, y), (z, _) in zip(group_scores(one, people, average), group_scores(other, people, average), strict=True):
        right, also = agreements(*group_pairs(x, y), epsilons[0]), agreements(*group_pairs(z, y), epsilons[1])
        if len(right):
            rows.append((int((right & ~also).sum()), int((also & ~right).sum()), len(right)))
    if not rows:
        return Permutation(np.nan, np.nan, trials, two_sided)
    won, lost, size = np.array(rows).T
    difference = float(((won - lost) / size).mean())
    open_pairs = won + lost
    draws = np.random.default_rng(seed).binomial(open_pairs, 0.5, size=(trials, len(rows)))
    changes: FloatArray = ((2 * draws - open_pairs) / size).mean(axis=1)
    reached = _reached(changes, difference, two_sided)
    return Permutation(difference, (reached + 1) / (trials + 1), trials, two_sided)


def _swaps(shape: tuple[int, ...], trials: int, seed: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield in blocks (block, systems, items) which scores stay with their metric."""
    generator = np.random.default_rng(seed)
    rows = max(1, BLOCK // max(int(np.prod(shape)), 1))
    for start in range(0, trials, rows):
        yield generator.integers(2, size=(min(rows, trials - start), *shape), dtype=np.bool_)


def _linear_changes(
    first: FloatArray, second: FloatArray, human: FloatArray, kept: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return the difference of Pearson's r in each trial, from sums that are linear in what was kept.

    Args:
        first: (scores,), none missing.
        second: (scores,), none missing.
        human: (scores,), none missing.
        kept: (trials, scores).
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
        return np.divide(balance, total, out=np.full(count, np.nan), where=total > 0)
    values = {"pearson": pearson, "spearman": spearman, "kendall": kendall}[coefficient](x, y, ones)
    values = values.reshape(count, -1)
    there = ~np.isnan(values)
    total = there.sum(axis=1)
    summed = np.where(there, values, 0.0).sum(axis=1)
    return np.divide(summed, total, out=np.full(count, np.nan), where=total > 0)


def _standard(scores: FloatArray) -> FloatArray:
    """Return scores of mean 0 and deviation 1, NaN where missing; of a constant metric, zeros."""
    there = scores[~np.isnan(scores)]
    if not len(there):
        return scores
    deviation = float(there.std())
    return (scores - there.mean()) / (deviation if deviation > 0 else 1.0)


def _reached(changes: FloatArray, difference: float, two_sided: bool) -> int:
    values, threshold = (np.abs(changes), abs(difference)) if two_sided else (changes, difference)
    return int(np.count_nonzero(at_least(values, np.array(threshold), np.array(1.0))))


def _check_trials(trials: int) -> None:
    if trials < 1:
        raise InputError(Fault("E075", f"{trials} trials are asked for", "ask for at least 1; 1000 is usual"))
