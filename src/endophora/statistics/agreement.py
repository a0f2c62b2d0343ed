"""Cohen's kappa: how far raters agree beyond chance (Cohen, 1960; weighted, Cohen, 1968; BlonDe, Appendix E)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.units import FloatArray

Weighting: TypeAlias = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, slots=True)
class Kappa:
    """The agreement of two raters; the value is NaN without a shared item, or if chance alone agrees fully."""

    value: float
    observed: float
    expected: float
    count: int


def kappa(table: FloatArray, weighting: Weighting = "none") -> Kappa:
    """Return Cohen's kappa, (observed - expected) / (1 - expected), of a table of counts.

    The table has how many items the first rater put in the row's category and the second in the column's, in order if
    weighted (E125). Categories i and j of k agree by 1 where i = j, and else by 0, or, with d = |i - j| / (k - 1), by
    1 - d (``linear``) or 1 - d² (``quadratic``).
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not np.all(counts >= 0):
        cause = f"a table of shape {counts.shape} is no table of two raters' counts"
        raise InputError(Fault("E125", cause, "give a square table of counts, none below zero"))
    total = counts.sum()
    if not total:
        return Kappa(np.nan, np.nan, np.nan, 0)
    index = np.arange(len(counts))
    distance = np.abs(index[:, None] - index) / max(len(counts) - 1, 1)
    weights = {"none": distance == 0, "linear": 1 - distance, "quadratic": 1 - distance**2}[weighting]
    observed = float((weights * counts).sum() / total)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total**2
    expected = float((weights * chance).sum())
    # A rounding error must not make a kappa out of raters who know one category only.
    value = (observed - expected) / (1 - expected) if expected < 1 - 1e-12 else np.nan
    return Kappa(value, observed, expected, int(total))


def rater_table(first: Sequence[Hashable], second: Sequence[Hashable], categories: Sequence[Hashable]) -> FloatArray:
    """Return the table of two raters' verdicts on the same items, ``None`` for no verdict (E125)."""
    if len(first) != len(second):
        cause = f"{len(first)} verdicts of one rater against {len(second)} of the other"
        raise InputError(Fault("E125", cause, "give both for the same items, None where there is none"))
    number = {category: index for index, category in enumerate(categories)}
    if unknown := {str(v) for v in (*first, *second) if v is not None and v not in number}:
        raise InputError(Fault("E125", f"no categories: {', '.join(sorted(unknown))}", "list all categories"))
    table = np.zeros((len(number), len(number)))
    for one, other in zip(first, second, strict=True):
        if one is not None and other is not None:
            table[number[one], number[other]] += 1
    return table


def pairwise_kappa(
    ratings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable], weighting: Weighting = "none"
) -> dict[tuple[int, int], Kappa]:
    """Return the kappa of every two of several raters over the items that both rated, (first, second) → kappa.

    ``ratings`` are (raters, items), ``None`` where a rater did not rate an item (E125).
    """
    return {
        (i, j): kappa(rater_table(ratings[i], ratings[j], categories), weighting)
        for i, j in combinations(range(len(ratings)), 2)
    }


def verdicts(scores: FloatArray) -> list[int | None]:
    """Return a rater's relative ranking: for every item and two systems which is better, 1, 0 or -1.

    Relative ranking is judged by its pairwise verdicts (BlonDe, Appendices D and E): with categories (-1, 0, 1) these
    go to :func:`pairwise_kappa`.

    ``scores``: (systems, items), NaN where the rater gave none.
    """
    first, second = np.triu_indices(len(scores), k=1)
    change = scores[first] - scores[second]
    return [None if np.isnan(each) else int(np.sign(each)) for each in change.ravel().tolist()]
