"""From statistics to figures: pairs of systems, correlations, and the smallest difference, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from endophora.evaluation.figures import (
    MetricTable,
    _beyond,
    _reasons,
    compute_figures,
    correlate_columns,
    paired_columns,
    paired_tests,
)
from endophora.evaluation.result import Column, Score
from endophora.evaluation.setup import EvaluationOptions
from endophora.judgments.records import REASONS
from endophora.metrics.records import ratio
from endophora.statistics.power import DRAWS, POWER, Power
from endophora.statistics.units import each_row

NAN = float("nan")


def column(name: str = "m", *, higher: bool = True, scale: float = 1, kind: Any = "text") -> Column:
    return Column(name=name, kind=kind, scale=scale, higher_is_better=higher, signature="")


def scores(name: str, system: str, documents: list[float | None]) -> Score:
    return Score(column=name, system=system, value=None, interval=None, documents=documents)


def test_figures_of_neighbouring_systems_are_tested_in_each_column():
    """Differences 1, 2, 3: t = 2√3. The third system is not neighbour of the first."""
    made = [scores(name, system, [at * shift for at in (1.0, 2, 3)])
            for name in ("up", "down") for system, shift in (("a", 0), ("b", 1), ("c", 3))]  # fmt: skip
    found = paired_columns([column("up"), column("down", higher=False)], made, ["a", "b", "c"], 0.95)
    assert [(one.column, one.first, one.second) for one in found] == [
        ("up", "a", "b"), ("up", "b", "c"), ("down", "a", "b"), ("down", "b", "c"),
    ]  # fmt: skip
    assert [one.statistic for one in found] == pytest.approx([2 * 3**0.5] * 2 + [-2 * 3**0.5] * 2)
    assert [one.difference for one in found] == pytest.approx([2, 4, 2, 4])
    assert [one.documents for one in found] == [3] * 4
    interval = found[0].interval
    assert interval is not None
    # The quantile of Student's distribution with two degrees of freedom is 4.3027, the error 1/√3.
    assert (interval.low, interval.high) == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    narrower = paired_columns([column("up")], made[:3], ["a", "b"], 0.9)[0].interval
    assert narrower is not None
    assert narrower.low > interval.low


def test_figures_of_one_document_are_not_tested_and_equal_differences_have_no_t():
    one = {"m": {"a": np.array([1.0]), "b": np.array([2.0])}}
    assert paired_tests(one, ["a", "b"], (), 0.95) == []
    [same] = paired_tests({"m": {"a": np.array([1.0, 2]), "b": np.array([2.0, 3])}}, ["a", "b"], (), 0.95)
    assert (same.statistic, same.p_value, same.difference, same.documents) == (None, 0.0, 1.0, 2)
    [empty] = paired_tests({"m": {"a": np.array([1.0, NAN]), "b": np.array([NAN, 2.0])}}, ["a", "b"], (), 0.95)
    assert (empty.statistic, empty.p_value, empty.difference, empty.interval, empty.documents) == (None,) * 4 + (0,)


@pytest.mark.parametrize(("pairs", "value"), [(19, None), (20, -1.0)])
def test_figures_of_twenty_documents_are_correlated(pairs: int, value: float | None):
    """Two systems together have the documents; one of them has a gap, which counts in no pair."""
    made = [
        scores("x", "a", [float(at) for at in range(10)]),
        scores("x", "b", [float(at) for at in range(10, pairs + 1)]),
        scores("y", "a", [-2.0 * at for at in range(10)]),
        scores("y", "b", [None, *(-2.0 * at for at in range(11, pairs + 1))]),
    ]
    [found] = correlate_columns(["x", "y"], made)
    assert (found.first, found.second, found.pairs) == ("x", "y", pairs)
    assert found.pearson == (None if value is None else pytest.approx(value))
    assert correlate_columns(["x"], made) == []
    assert len(correlate_columns(["x", "y", "x"], made)) == 3


def test_figures_name_the_reasons_that_were_counted():
    left = np.zeros(len(REASONS))
    left[[1, 3]] = 2, 5
    assert _reasons(left) == {REASONS[1]: 2, REASONS[3]: 5}


def test_figures_cannot_differ_by_more_than_the_scale_of_a_score():
    assert [_beyond(size, column(scale=100)) for size in (99.9, 100.0, 100.1)] == [False, False, True]
    assert not _beyond(1000.0, column(scale=100, higher=False))


def share(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


def test_figures_tell_the_smallest_difference_of_the_pair_in_the_middle():
    """Of three systems against the best the one whose documents vary neither most nor least gives it."""
    steps = np.array([1, -1, 2, -2, 3, -3, 0, 0])
    statistics = np.zeros((4, 8, 1, 2))
    statistics[:, :, 0, 1] = 10
    for system, factor in enumerate((0, 1.5, 0.5, 1.0)):
        statistics[system, :, 0, 0] = 5 - (system > 0) + factor * steps / 3
    rows = each_row(8, "documents")
    table = MetricTable(
        columns=[column(kind="phenomenon")], statistics=statistics, score=share, units=rows, documents=rows
    )
    options = EvaluationOptions(resamples=100, alpha=0.3, seed=4)
    found = compute_figures([table], ("best", "wild", "calm", "mean"), options)
    detectable = found.columns[0].detectable
    assert detectable is not None
    assert detectable.systems == ["mean", "best"]
    assert (detectable.power, detectable.draws, detectable.units) == (POWER, DRAWS, 8)
    # Differences of 0.1 in every document and more: those that Holm's method rejects no longer share the level.
    rejected = sum(one.significant for one in found.comparisons)
    assert detectable.level == pytest.approx(0.3 / max(3 - rejected, 1))
    # Without a document 70 are judged: it pulls by its step / 70. Its size is what both systems count there: 10 and 4
    # with its step, 10 and 5 in the best.
    noise, sizes = steps / 3 / 70, (14 + steps / 3 + 15) / 2
    alone = Power(detectable.level, 1000, "approximate-randomisation", 4).smallest_difference(noise, sizes)
    assert detectable.difference == pytest.approx(alone, rel=1e-4)
