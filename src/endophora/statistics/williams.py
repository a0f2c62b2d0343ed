"""Williams' test for the difference of two correlations that share a variable (Williams, 1959; Steiger, 1980).

Graham and Baldwin (2014, “Testing for Significance of Increased Correlation with Human Judgment”) brought it to the
evaluation of metrics: two metrics are correlated with the same human scores, and with each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.coefficients import pearson
from endophora.statistics.correlation import check_shapes
from endophora.statistics.units import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Williams:
    """The test of each ordered pair of metrics; arrays are (first, second).

    Attributes:
        statistics: Williams' t, positive where the first correlates better; NaN where undefined.
        counts: scores that both metrics and the people gave; degrees of freedom are three less.
    """

    differences: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    counts: IntArray
    two_sided: bool


def williams_t(
    first: FloatArray, second: FloatArray, between: FloatArray, count: FloatArray | IntArray | int
) -> FloatArray:
    """Return Williams' t (T₂ in Steiger, 1980), with count - 3 degrees of freedom.

    t = (r₁ - r₂) · √((n - 1)(1 + r₁₂)) / √(2 K (n - 1) / (n - 3) + r̄² (1 - r₁₂)³), where r̄ is the mean of r₁ and r₂
    and K = 1 - r₁² - r₂² - r₁₂² + 2 r₁ r₂ r₁₂ the determinant of the three correlations.

    Returns:
        In the arguments' common shape; 0 for two metrics of perfect mutual correlation that are equally good, NaN
        where fewer than four scores are or the denominator is zero.
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
    from scipy import special  # as in paired.py

    freedom = np.maximum(np.asarray(count, dtype=np.float64) - 3, 1)
    values = np.abs(statistics) if two_sided else statistics
    tail: FloatArray = special.stdtr(freedom, -values)
    return 2 * tail if two_sided else tail


def williams(metrics: FloatArray, human: FloatArray, *, two_sided: bool = True) -> Williams:
    """Test for every two metrics whether one correlates better with the human scores (Pearson).

    For each two, the scores count that both of them and the people gave. The test takes the scores as independent;
    segments of one document, or the outputs of one segment, are not, and then p is too small.

    Args:
        metrics: (metrics, systems, items), NaN where missing.
        human: (systems, items), NaN where missing.

    Raises: InputError: the arrays do not fit one another (E110), or there is no metric (E110).
    """
    check_shapes(metrics, human)
    if not len(metrics):
        raise InputError(Fault("E110", "there is no metric to test", "give the scores of two at least"))
    people = human.reshape(1, -1)
    ones = np.ones((1, people.shape[1]))
    number = len(metrics)
    differences, statistics = np.zeros((number, number)), np.full((number, number), np.nan)
    counts = np.zeros((number, number), dtype=np.intp)
    for i in range(number):
        for j in range(i):
            one, other = metrics[i].reshape(1, -1), metrics[j].reshape(1, -1)
            missing = np.isnan(one + other + people)
            shared = np.where(missing, np.nan, people)
            r = [float(pearson(*pair, ones)[0, 0]) for pair in ((one, shared), (other, shared))]
            between = float(pearson(np.where(missing, np.nan, one), other, ones)[0, 0])
            counts[i, j] = counts[j, i] = np.count_nonzero(~missing)
            statistics[i, j] = williams_t(np.array(r[0]), np.array(r[1]), np.array(between), int(counts[i, j]))
            differences[i, j] = r[0] - r[1]
            statistics[j, i], differences[j, i] = -statistics[i, j], -differences[i, j]
    p_values = williams_p(statistics, counts, two_sided=two_sided)
    return Williams(differences, statistics, p_values, counts, two_sided)
