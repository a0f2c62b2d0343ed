"""How the columns of a result agree with each other over all systems' documents (Jiang et al. 2022, Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from endophora.evaluation.result import Correlation, Score
from endophora.statistics.coefficients import pearson

FEWEST_PAIRS = 3


def correlate_columns(names: Sequence[str], scores: Sequence[Score]) -> list[Correlation]:
    """Return Pearson's r of every two columns.

    Returns:
        Each pair of columns once; no value where a column is constant or fewer than three documents have both.
    """
    if len(names) < 2:
        return []
    rows = {name: [value for score in scores if score.column == name for value in score.documents] for name in names}
    values = np.array([rows[name] for name in names], dtype=np.float64)
    pairs = list(combinations(range(len(names)), 2))
    first, second = (values[[pair[side] for pair in pairs]] for side in (0, 1))
    there = (~(np.isnan(first) | np.isnan(second))).sum(axis=1)
    coefficients = pearson(first, second, np.ones((1, values.shape[1])))[0]
    return [
        Correlation(
            first=names[one],
            second=names[other],
            pearson=None if count < FEWEST_PAIRS or np.isnan(value) else float(value),
            pairs=int(count),
        )
        for (one, other), count, value in zip(pairs, there, coefficients, strict=True)
    ]
