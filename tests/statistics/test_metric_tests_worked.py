"""Parts of the tests of metrics, and of accuracy and kappa, by examples of a few numbers."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.statistics import accuracy as accuracy_module
from endophora.statistics.accuracy import agreements, group_pairs, group_scores, system_accuracy, tie_accuracy
from endophora.statistics.agreement import kappa, pairwise_kappa, rater_table, verdicts
from endophora.statistics.metric_tests import _r, _reached, _standard, permute_accuracies, williams, williams_t

NAN = float("nan")


def test_metric_tests_make_scores_of_one_scale_and_zeros_of_a_constant():
    assert _standard(np.array([[1.0, 3.0], [NAN, 5.0]]))[0].tolist() == pytest.approx([-np.sqrt(1.5), 0])
    assert np.isnan(_standard(np.array([1.0, NAN]))[1])
    assert _standard(np.array([4.0, 4.0])).tolist() == [0, 0]


def test_metric_tests_count_what_reaches_the_difference_on_one_side_or_on_both():
    changes = np.array([0.5, -0.5, 0.2, -0.9, 0.5 - 1e-12])
    assert _reached(changes, 0.5, two_sided=True) == 4
    assert _reached(changes, 0.5, two_sided=False) == 2
    assert _reached(changes, -0.5, two_sided=True) == 4
    assert _reached(changes, -0.5, two_sided=False) == 4  # all but -.9


def test_metric_tests_know_the_correlation_of_sums():
    """x = 1 2 3 and y = -1 0 1: sums 6, 14, 2, and 2 of y²; a constant x has none."""
    assert _r(np.array([[6.0, 14, 2], [6, 14, -1], [6, 12, 0]]), 2.0, 3)[:2] == pytest.approx([1, -0.5])
    assert np.isnan(_r(np.array([[6.0, 12, 0]]), 2.0, 3)[0])
    assert np.isnan(_r(np.array([[6.0, 14, 0]]), 0.0, 3)[0])


def test_metric_tests_of_three_metrics_have_every_pair_twice_and_no_metric_with_itself():
    human = np.array([[1.0, 2, 3, 4, 5, 6]])
    metrics = np.array([[[1.0, 2, 3, 4, 6, 5]], [[2.0, 1, 4, 3, 6, 5]], [[6.0, 1, 5, 2, 4, 3]]])
    found = williams(metrics, human)
    # Σd² of the ranks 2, 6 and 44: r is 1 - 6 Σd² / 210.
    r = [1 - 6 * each / 210 for each in (2, 6, 44)]
    for first in range(3):
        for second in range(3):
            assert found.differences[first, second] == pytest.approx(r[first] - r[second])
    assert found.counts.tolist() == [[0, 6, 6], [6, 0, 6], [6, 6, 0]]
    assert (found.statistics[0, 2], found.statistics[1, 2]) > (0, 0)
    with pytest.raises(InputError, match=r"\[E110\].*no metric to test"):
        williams(np.zeros((0, 1, 6)), human)


def test_williams_of_a_metric_that_is_peoples_own():
    # r₁ = 1, r₂ = .5, r₁₂ = .5: K = 1 - 1 - .25 - .25 + .5 = 0; t = .5 √(9 · 1.5) / √(.5625 · .125).
    found = williams_t(np.array(1.0), np.array(0.5), np.array(0.5), 10)
    assert found == pytest.approx(0.5 * np.sqrt(13.5) / np.sqrt(0.5625 * 0.125))


def test_metric_tests_of_verdicts_are_means_over_groups_that_have_pairs():
    """The second item has one score: the first alone counts, where one metric is right and the other wrong."""
    human = np.array([[1.0, 5], [2, NAN]])
    good, bad = np.array([[1.0, 0], [2, 0]]), np.array([[2.0, 0], [1, 0]])
    found = permute_accuracies(good, bad, human, (0.0, 0.0), trials=9)
    assert (found.difference, found.p_value) == (1.0, 1.0)
    # A threshold of the second metric's makes ties of both its pairs, which is as wrong.
    assert permute_accuracies(bad, bad, human, (0.0, 9.0), trials=9).difference == 0.0


def test_accuracy_takes_groups_by_item_by_system_or_all_in_one():
    metric, human = np.array([[1.0, 2], [3, 4], [5, 6]]), -np.array([[1.0, 2], [3, 4], [5, 6]])
    assert [x.tolist() for x, _ in group_scores(metric, human, "item")] == [[1, 3, 5], [2, 4, 6]]
    assert [y.tolist() for _, y in group_scores(metric, human, "system")] == [[-1, -2], [-3, -4], [-5, -6]]
    assert [(x.tolist(), y.tolist()) for x, y in group_scores(metric, human, "none")] == [
        ([1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6])
    ]


def test_accuracy_knows_of_each_pair_the_gap_the_tie_and_the_order():
    gap, tied, agreeing = group_pairs(np.array([1.0, 3, NAN, 3]), np.array([2.0, 1, 5, 2]))
    # (1, 3) against (2, 1); (1, 3) against (2, 2); (3, 3) against (1, 2).
    assert (gap.tolist(), tied.tolist(), agreeing.tolist()) == ([2, 2, 0], [False, True, False], [False] * 3)
    assert agreements(gap, tied, agreeing, 2.0).tolist() == [False, True, False]
    assert agreements(gap, tied, agreeing, 1.9).tolist() == [False, False, False]
    gap, tied, agreeing = group_pairs(np.array([1.0, 3]), np.array([1.0, 2]))
    assert agreements(gap, tied, agreeing, 1.0).tolist() == [True]


def test_accuracy_of_more_pairs_than_can_be_sorted_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(accuracy_module, "LARGEST", 6)
    metric, human = np.array([[[1.0, 4], [2, 5], [3, 6]]]), np.array([[1.0, 4], [2, 5], [3, 6]])
    assert tie_accuracy(metric, human, resamples=0).pairs[0] == 6
    with pytest.raises(InputError, match=r"\[E111\].*15 pairs"):
        tie_accuracy(metric, human, average="none", resamples=0)
    # What is missing makes no pairs: four scores have six.
    human[0] = NAN
    assert tie_accuracy(metric, human, average="none", resamples=0).pairs[0] == 6


@pytest.mark.parametrize("epsilons", [[-1.0], [NAN], [0.0, 0.0], []])
def test_accuracy_needs_a_threshold_for_each_metric(epsilons: list[float]):
    scores = np.array([[1.0], [2.0]])
    with pytest.raises(InputError, match=r"\[E110\]"):
        tie_accuracy(scores[None], scores, epsilons=np.array(epsilons), resamples=0)


def test_accuracy_takes_the_smallest_of_equally_good_thresholds():
    # People order all three and the metric does too: any threshold below the least gap, so none.
    scores = np.array([[1.0, 2.0, 4.0]])
    found = tie_accuracy(scores[None], scores, average="system", resamples=0)
    assert (found.epsilons[0], found.values[0]) == (0.0, 1.0)
    # People tie all: the largest gap.
    found = tie_accuracy(scores[None], np.ones((1, 3)), average="system", resamples=0)
    assert (found.epsilons[0], found.values[0]) == (3.0, 1.0)


def test_accuracy_of_systems_passes_over_those_without_a_score():
    found = system_accuracy(np.array([[1.0, NAN, 3.0], [NAN, 1.0, 2.0]]), np.array([1.0, 2.0, NAN]), resamples=0)
    assert (found.agreeing.tolist(), found.pairs.tolist()) == ([0, 0], [0, 0])
    assert np.isnan(found.values).all()


def test_agreement_of_weights_falls_with_the_distance():
    """Three categories, each rater's verdicts in the corners: far apart 0, one apart 1/2 or 3/4."""
    table = np.array([[1.0, 1, 0], [0, 0, 0], [1, 0, 1]])
    assert kappa(table).observed == 0.5
    assert kappa(table, "linear").observed == (1 + 0.5 + 0 + 1) / 4
    assert kappa(table, "quadratic").observed == (1 + 0.75 + 0 + 1) / 4
    # Rows 2 0 2, columns 2 1 1: expected (2·2 + 2·1) / 16.
    assert kappa(table).expected == 6 / 16
    assert kappa(table).value == pytest.approx((0.5 - 0.375) / 0.625)


@pytest.mark.parametrize("table", [[1.0, 2.0], [[1.0, 2.0]], [[1.0, -1.0], [0.0, 1.0]], [[1.0, NAN], [0.0, 1.0]]])
def test_agreement_needs_a_square_of_counts(table: list[object]):
    with pytest.raises(InputError, match=r"\[E125\]"):
        kappa(np.array(table))


def test_agreement_of_nobody_or_of_one_category_has_no_kappa():
    empty = kappa(np.zeros((2, 2)))
    assert empty.count == 0
    assert np.isnan([empty.value, empty.observed, empty.expected]).all()
    one = kappa(np.array([[5.0]]), "linear")
    assert (one.observed, one.expected, one.count, np.isnan(one.value)) == (1.0, 1.0, 5, True)


def test_agreement_has_the_first_rater_in_the_rows_and_skips_what_one_left_out():
    table = rater_table(["a", "a", "b", None, "b"], ["b", "b", "a", "a", None], ["a", "b"])
    assert table.tolist() == [[0, 2], [1, 0]]
    with pytest.raises(InputError, match=r"\[E125\].*2 verdicts of one rater against 1"):
        rater_table(["a", "b"], ["a"], ["a", "b"])
    with pytest.raises(InputError, match=r"\[E125\].*no categories: x, y"):
        rater_table(["y", "a"], ["a", "x"], ["a"])
    weighted = pairwise_kappa([["a", "c"], ["b", "c"]], "abc", "linear")
    assert weighted[0, 1].observed == 0.75


def test_agreement_of_rankings_is_of_each_two_systems_and_each_item():
    assert verdicts(np.array([[1.0, 5], [2, 5], [0, NAN]])) == [-1, 0, 1, None, 1, None]
