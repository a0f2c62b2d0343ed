"""The figures of the main job against tables that are worked out by hand.

Six documents, in each of which the baseline gets 5 of 10. All 2⁶ ways of swapping are tried, so p-values are fractions
of 64 that can be counted: differences of one sign and size reach their sum in 2 ways (p = 2/64), with one of six the
other way round in 14 (all alike: 2, one turned: 12), 3, 2 and 1 beside three documents without any in 2 of 8, and no
difference at all in every way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.evaluation.columns import choice_columns
from endophora.evaluation.figures import Figures, MetricTable, compute_figures
from endophora.evaluation.result import Column, Comparison
from endophora.evaluation.setup import EvaluationOptions
from endophora.metrics.records import ratio
from endophora.statistics.significance import randomise
from endophora.statistics.units import Units, each_row

SYSTEMS = ("base", "good", "bad")
ALL, MOST, FEW, NONE = (1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, -1), (3, 2, 1, 0, 0, 0), (0, 0, 0, 0, 0, 0)
MISSING = None


def less(changes: Sequence[int]) -> tuple[int, ...]:
    return tuple(-change for change in changes)


def share(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


def measured(kind: Any, columns: dict[str, tuple[Any, ...]], lower: Sequence[str] = (), **options: Any) -> MetricTable:
    """Columns with what each system has more than 5 of 10 in each document, or ``MISSING`` for nothing to count."""
    statistics = np.zeros((len(next(iter(columns.values()))), 6, len(columns), 2))
    for place, changes in enumerate(columns.values()):
        for system, change in enumerate(changes):
            if change is not MISSING:
                statistics[system, :, place, 0] = 5 + np.array(change)
                statistics[system, :, place, 1] = 10
    made = tuple(
        Column(name=name, kind=kind, scale=1, higher_is_better=name not in lower, signature="") for name in columns
    )
    rows = each_row(6, "documents")
    return MetricTable(columns=made, statistics=statistics, score=share, units=rows, documents=rows, **options)


TABLES = (
    measured("phenomenon", {"pronouns": (NONE, ALL, less(ALL)), "formality": (NONE, FEW, NONE)}),
    measured("text", {"BLEU": (NONE, ALL, less(MOST)), "TER": (NONE, less(ALL), NONE)}, lower=["TER"]),
    measured("category", {"BlonDe tense": (NONE, ALL, MISSING)}),
)


def compute(alpha: float = 0.05, baseline: str = "base", **options: Any) -> Figures:
    return compute_figures(TABLES, SYSTEMS, EvaluationOptions(alpha=alpha, baseline=baseline, **options))


def by_name(found: Figures) -> dict[tuple[str, str], Comparison]:
    return {(one.column, one.system): one for one in found.comparisons}


# What is compared: difference, p, and p by Holm within the family.
BY_HAND = {
    # phenomena: 2/64 × 4, 2/64 × 3 raised to the one before it, 2/8 × 2, 1
    ("pronouns", "good"): (0.1, 2 / 64, 8 / 64),
    ("pronouns", "bad"): (-0.1, 2 / 64, 8 / 64),
    ("formality", "good"): (0.1, 2 / 8, 4 / 8),
    ("formality", "bad"): (0.0, 1.0, 1.0),
    # text metrics: 2/64 × 4, again, 14/64 × 2, 1
    ("BLEU", "good"): (0.1, 2 / 64, 8 / 64),
    ("BLEU", "bad"): (-4 / 60, 14 / 64, 28 / 64),
    ("TER", "good"): (-0.1, 2 / 64, 8 / 64),
    ("TER", "bad"): (0.0, 1.0, 1.0),
    # categories: the only hypothesis, since the other system has nothing to count
    ("BlonDe tense", "good"): (0.1, 2 / 64, 2 / 64),
}


def test_differences_and_p_values_are_those_counted_by_hand():
    found = by_name(compute())
    assert found.keys() == BY_HAND.keys()
    for key, (difference, p_value, p_adjusted) in BY_HAND.items():
        one = found[key]
        assert one.baseline == "base"
        assert one.difference == pytest.approx(difference, abs=1e-12), key
        assert (one.p_value, one.p_adjusted) == pytest.approx((p_value, p_adjusted), abs=1e-12), key


@pytest.mark.parametrize("alpha", [0.03, 2 / 64, 0.05, 0.12, 8 / 64, 0.43, 28 / 64, 4 / 8, 0.6])
def test_significant_is_what_holms_p_does_not_put_above_the_level(alpha: float):
    found = {key for key, one in by_name(compute(alpha)).items() if one.significant}
    assert found == {key for key, (_, _, p_adjusted) in BY_HAND.items() if p_adjusted <= alpha}


def test_the_order_of_the_tables_does_not_move_a_p_value_to_another_column():
    options = EvaluationOptions(baseline="base")
    for tables in (TABLES[::-1], (TABLES[1], TABLES[0], TABLES[2])):
        found = by_name(compute_figures(tables, SYSTEMS, options))
        assert {key: one.p_adjusted for key, one in found.items()} == {
            key: by_hand[2] for key, by_hand in BY_HAND.items()
        }


def test_equal_differences_have_an_interval_without_width():
    found = by_name(compute())
    for (column, system), sign in ((("pronouns", "good"), 1), (("pronouns", "bad"), -1), (("TER", "good"), -1)):
        interval = found[column, system].interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((sign * 0.1, sign * 0.1))


def test_another_baseline_turns_the_differences_round():
    found = by_name(compute(baseline="good"))
    assert {one.baseline for one in found.values()} == {"good"}
    assert ("pronouns", "good") not in found
    assert found["pronouns", "base"].difference == pytest.approx(-0.1)
    assert found["pronouns", "bad"].difference == pytest.approx(-0.2)
    assert found["TER", "bad"].difference == pytest.approx(0.1)


def test_the_best_system_of_each_column_is_its_baseline():
    found = by_name(compute(baseline="best"))
    assert {key: one.baseline for key, one in found.items()} == {
        ("pronouns", "base"): "good",
        ("pronouns", "bad"): "good",
        ("formality", "base"): "good",
        ("formality", "bad"): "good",
        ("BLEU", "base"): "good",
        ("BLEU", "bad"): "good",
        ("TER", "base"): "good",
        ("TER", "bad"): "good",
        ("BlonDe tense", "base"): "good",
    }
    worse = {key: np.sign(one.difference) for key, one in found.items()}
    assert all(sign == (1 if column == "TER" else -1) for (column, _), sign in worse.items())


def test_of_equally_good_systems_the_first_given_is_the_baseline():
    table = measured("text", {"BLEU": (less(ALL), ALL, ALL), "TER": (ALL, NONE, NONE)}, lower=["TER"])
    found = compute_figures([table], SYSTEMS, EvaluationOptions())
    assert {one.baseline for one in found.comparisons} == {"good"}
    assert {(one.system, one.p_value) for one in found.comparisons} == {("base", 2 / 64), ("bad", 1.0)}


def test_a_system_with_nothing_to_count_is_no_baseline():
    table = measured("text", {"BLEU": (MISSING, NONE, ALL), "TER": (MISSING, NONE, ALL)}, lower=["TER"])
    found = by_name(compute_figures([table], SYSTEMS, EvaluationOptions()))
    assert {key: one.baseline for key, one in found.items()} == {("BLEU", "good"): "bad", ("TER", "bad"): "good"}


def test_the_best_with_enough_words_is_the_baseline_or_the_best_of_all_where_none_has_enough():
    columns = {"pronouns": (NONE, less(ALL), ALL), "terms": (NONE, less(ALL), ALL)}
    enough = np.array([[True, False], [True, False], [False, False]])
    found = compute_figures([measured("phenomenon", columns, enough=enough)], SYSTEMS, EvaluationOptions())
    assert [(one.column, one.system, one.baseline) for one in found.comparisons] == [("pronouns", "good", "base")]


def test_outputs_with_the_same_scores_everywhere_show_no_smallest_difference():
    table = measured("text", {"BLEU": (NONE, NONE), "chrF": (NONE, FEW)})
    found = compute_figures([table], ("one", "other"), EvaluationOptions())
    assert [column.detectable is None for column in found.columns] == [True, False]


def test_a_smallest_difference_beyond_the_scale_is_none():
    wild, steady = (5, -5, 5, -5, 5, -5), NONE
    table = measured("text", {"BLEU": (wild, steady)})
    whole = replace(table, columns=[table.columns[0].model_copy(update={"scale": 0.01})])
    for one, none in ((table, False), (whole, True)):
        (column,) = compute_figures([one], ("x", "y"), EvaluationOptions(alpha=0.5)).columns
        assert column.detectable is not None
        assert (column.detectable.difference is None) == none


def test_a_column_in_which_no_system_has_anything_to_count_is_not_compared():
    table = measured("text", {"BLEU": (MISSING, MISSING), "chrF": (NONE, ALL)})
    found = compute_figures([table], ("one", "other"), EvaluationOptions())
    assert [(one.column, one.system) for one in found.comparisons] == [("chrF", "one")]
    assert [one.value for one in found.scores] == [None, None, 0.5, 0.6]
    assert [one.interval is None for one in found.scores] == [True, True, False, False]


def test_a_baseline_that_is_no_system_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"\[E105\].*“other”.*base, good, bad"):
        compute(baseline="other")


def test_scores_are_of_the_corpus_and_of_each_document():
    scores = {(one.column, one.system): one for one in compute().scores}
    assert len(scores) == 15
    few = scores["formality", "good"]
    assert few.value == pytest.approx(36 / 60)
    assert few.documents == pytest.approx([0.8, 0.7, 0.6, 0.5, 0.5, 0.5])
    assert scores["BLEU", "bad"].value == pytest.approx(26 / 60)
    assert scores["BLEU", "bad"].documents == pytest.approx([0.4] * 5 + [0.6])
    assert scores["BlonDe tense", "bad"].documents == [None] * 6
    assert (few.precision, few.recall, few.counts) == (None, None, {})


def test_precision_recall_and_counts_stand_beside_their_own_figure():
    def halves(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return sums[..., 0] / 100, sums[..., 1] / 100

    table = measured("phenomenon", {"a": (NONE, ALL), "b": (FEW, NONE)}, halves=halves, counts=("right", "all"))
    found = {
        (one.column, one.system): (one.precision, one.recall, one.counts)
        for one in compute_figures([table], ("x", "y"), EvaluationOptions()).scores
    }
    for key, right in {("a", "x"): 30, ("a", "y"): 36, ("b", "x"): 36, ("b", "y"): 30}.items():
        assert found[key] == (right / 100, 0.6, {"right": right, "all": 60})


def test_the_test_that_is_asked_for_gives_the_p_values():
    swapped, resampled = (by_name(compute(test=test)) for test in ("approximate-randomisation", "bootstrap"))
    # In every resample the difference is the same, so that |d*| - mean |d*| is 0 and never reaches .1: p = 1 / 1001.
    assert resampled["pronouns", "good"].p_value == pytest.approx(1 / 1001)
    assert resampled["pronouns", "good"].p_adjusted == pytest.approx(4 / 1001)
    assert swapped["pronouns", "good"].p_value == 2 / 64


def test_trials_are_so_many_for_each_resample_and_drawn_with_the_seed():
    # 60 trials are fewer than the 64 ways there are: then they are drawn.
    few = by_name(compute(resamples=6, trials_per_resample=10, seed=3))
    drawn = randomise(TABLES[0].statistics, share, each_row(6, "documents"), trials=60, seed=3).p_values
    assert not np.isin(drawn[1:] * 64 % 1, 0).all()
    for row, system in ((1, "good"), (2, "bad")):
        for column, name in enumerate(("pronouns", "formality")):
            assert few[name, system].p_value == drawn[row, column]
    enough = by_name(compute(resamples=32, trials_per_resample=2))
    assert {key: one.p_value for key, one in enough.items()} == {key: by_hand[1] for key, by_hand in BY_HAND.items()}


def test_each_warning_is_given_once():
    tables = [measured("text", {name: (NONE, ALL)}, warning=warning) for name, warning in (("a", "x"), ("b", ""))]
    again = measured("text", {"c": (NONE, ALL)}, warning="x")
    assert compute_figures([*tables, again], ("one", "other"), EvaluationOptions()).warnings == ["x"]


def test_without_columns_there_are_no_figures():
    assert compute_figures([], SYSTEMS, EvaluationOptions()) == Figures([], [], [], [])


def test_of_fewer_than_six_documents_no_number_of_segments_would_be_enough():
    counts = np.zeros((1, 6, 1, 4))
    counts[..., 0] = 1  # six segments with a right one each
    options = EvaluationOptions(minimum=12)
    for documents, needed in (
        (each_row(6, "documents"), 12),
        (Units("documents", np.zeros(6, dtype=np.intp), 1), None),
    ):
        (column,), enough = choice_columns(["pronouns"], counts, documents, options)
        assert (column.needed, column.enough, enough.any()) == (needed, False, False)
