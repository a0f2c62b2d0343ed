"""The correlations of a result's columns are scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from endophora.evaluation.figures import correlate_columns
from endophora.evaluation.result import Score


def score(column: str, system: str, documents: list[float | None]) -> Score:
    return Score(column=column, system=system, value=None, interval=None, documents=documents)


def test_columns_correlate_as_in_scipy_over_all_documents_that_both_have():
    generator = np.random.default_rng(3)
    values = generator.normal(size=(3, 2, 12))
    values[2] = 4.0
    scores = [
        score(name, system, [None if (name, at) == ("B", 2) else float(value) for at, value in enumerate(row)])
        for name, block in zip("ABC", values, strict=True)
        for system, row in zip("xy", block, strict=True)
    ]
    found = {(each.first, each.second): each for each in correlate_columns("ABC", scores)}
    assert list(found) == [("A", "B"), ("A", "C"), ("B", "C")]
    kept = [0, 1, *range(3, 12)]
    wanted = stats.pearsonr(values[0][:, kept].ravel(), values[1][:, kept].ravel()).statistic
    assert found["A", "B"].pearson == pytest.approx(wanted, abs=1e-12)
    assert found["A", "B"].pairs == 22
    assert found["A", "C"].pearson is None


@pytest.mark.parametrize(("pairs", "shown"), [(19, False), (20, True)])
def test_fewer_than_twenty_pairs_are_too_few_to_correlate(pairs: int, shown: bool):
    values = [float(at % 7) for at in range(pairs)]
    found = correlate_columns("AB", [score("A", "x", values), score("B", "x", values[::-1])])
    assert (found[0].pearson is not None) == shown
    assert found[0].pairs == pairs
