"""Tests that compare two metrics or two systems: published values, scipy, hand-worked examples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from endophora.errors import InputError
from endophora.statistics.accuracy import tie_accuracy
from endophora.statistics.metric_tests import (
    _linear_changes,
    permute_accuracies,
    permute_correlations,
    williams,
    williams_p,
    williams_t,
)
from endophora.statistics.significance import paired_t

NAN = float("nan")


def as_arrays(*values: float) -> tuple[np.ndarray, ...]:
    return tuple(np.array(value) for value in values)


def test_williams_gives_the_value_of_steiger_1980():
    """His Case A: verbal ability with masculinity .5 and femininity .4, which correlate .1, in 103 people; t = .89."""
    t = williams_t(*as_arrays(0.5, 0.4, 0.1), 103)
    assert t == pytest.approx(0.89, abs=5e-3)
    assert williams_p(t, 103) == pytest.approx(0.37, abs=5e-3)


def test_williams_gives_the_value_of_bruceR():
    """The example of its function cor_diff: .20 and .45, .80 with each other, n = 100: t(97) = -4.56, p = 1e-05."""
    t = williams_t(*as_arrays(0.20, 0.45, 0.80), 100)
    assert t == pytest.approx(-4.56, abs=5e-3)
    assert williams_p(t, 100) == pytest.approx(1e-5, abs=6e-6)


def test_williams_by_hand():
    """r .6 and 0, .5 with each other, n = 7: K = 1 - .36 - .25 = .39, t = .6 √9 / √(2·.39·6/4 + .09·.125)."""
    t = williams_t(*as_arrays(0.6, 0.0, 0.5), 7)
    assert t == pytest.approx(1.8 / np.sqrt(1.17 + 0.01125))
    assert williams_p(t, 7, two_sided=False) == pytest.approx(stats.t.sf(t, 4))
    assert williams_p(-t, 7, two_sided=False) == pytest.approx(stats.t.cdf(t, 4))
    assert williams_p(-t, 7) == pytest.approx(2 * stats.t.sf(t, 4))


def test_williams_of_metrics_leaves_out_what_one_lacks():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(4, 10))
    metrics = human + rng.normal(size=(3, 4, 10)) * np.array([0.5, 1.0, 3.0])[:, None, None]
    metrics[0, 0, 0] = human[2, 3] = NAN
    found = williams(metrics, human)
    there = ~np.isnan(metrics[0] + metrics[2] + human)
    x, y, people = metrics[0][there], metrics[2][there], human[there]
    r = [stats.pearsonr(a, b).statistic for a, b in ((x, people), (y, people), (x, y))]
    assert found.counts[0, 2] == 38
    assert found.differences[0, 2] == pytest.approx(r[0] - r[1])
    assert found.statistics[0, 2] == pytest.approx(float(williams_t(*as_arrays(*r), 38)))
    assert found.statistics[2, 0] == -found.statistics[0, 2]
    assert found.p_values[0, 2] == found.p_values[2, 0]
    one_sided = williams(metrics, human, two_sided=False).p_values
    assert one_sided[0, 2] + one_sided[2, 0] == pytest.approx(1)
    assert np.isnan(found.p_values.diagonal()).all()


def test_williams_of_a_metric_with_itself_finds_no_difference():
    human = np.random.default_rng(2).normal(size=(3, 8))
    metric = human + np.random.default_rng(3).normal(size=(3, 8))
    found = williams(np.stack((metric, metric)), human)
    assert (found.statistics[0, 1], found.p_values[0, 1]) == (0.0, 1.0)
    assert np.isnan(williams_t(*as_arrays(0.5, 0.4, 0.1), 3))


def test_paired_t_is_scipys_with_the_sign_of_the_better_system():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(2, 3, 12))
    found = paired_t(first, second)
    expected = stats.ttest_rel(second, first, axis=1)
    assert found.statistics == pytest.approx(expected.statistic)
    assert found.p_values == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval()
    assert found.low == pytest.approx(interval.low)
    assert found.high == pytest.approx(interval.high)
    error_rate = paired_t(first, second, higher_is_better=False)
    assert error_rate.statistics == pytest.approx(-found.statistics)
    assert error_rate.differences == pytest.approx(found.differences)


def test_paired_t_counts_documents_that_both_systems_have():
    first, second = np.array([1.0, 2, NAN, 4, 0]), np.array([2.0, NAN, 3, 6, 3])
    found = paired_t(first, second)
    assert (found.counts, found.differences) == (3, 2.0)
    assert found.statistics == pytest.approx(2 / (1 / np.sqrt(3)))


def test_paired_t_of_equal_differences():
    first = np.array([0.1, 0.2, 0.3])
    assert paired_t(first, first + 0.1).statistics == np.inf
    assert paired_t(first, first + 0.1).p_values == 0
    same = paired_t(first, first)
    assert np.isnan(same.statistics)
    assert (same.differences, same.low, same.high) == (0, 0, 0)
    assert np.isnan(paired_t(first[:1], first[:1] + 1).statistics)
    with pytest.raises(InputError, match=r"\[E110\]"):
        paired_t(first, first[:2])


def metrics_of_unequal_worth() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    human = np.round(rng.normal(size=(5, 18)))
    return human + rng.normal(size=human.shape) * 0.7, human + rng.normal(size=human.shape) * 4, human


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall-wmt"])
@pytest.mark.parametrize("average", ["none", "item", "system"])
def test_permutation_finds_the_better_metric_and_no_difference_where_there_is_none(name, average):
    good, bad, human = metrics_of_unequal_worth()
    options = {"coefficient": name, "average": average, "trials": 99}
    found = permute_correlations(good, bad, human, **options)
    assert found.difference > 0.1
    assert found.p_value == pytest.approx(0.01)
    turned = permute_correlations(bad, good, human, **options, two_sided=False)
    assert turned.difference == pytest.approx(-found.difference)
    assert turned.p_value == pytest.approx(1)
    assert permute_correlations(good, good, human, **options).p_value == 1


def test_permutation_is_that_of_all_swaps():
    """With four scores all sixteen swaps can be written out; the drawn p comes near their share."""
    human = np.array([[1.0], [2], [4], [3]])
    one, other = np.array([[1.0], [2], [3], [2.5]]), np.array([[2.0], [1], [0], [3]])
    first, second = ((scores - scores.mean()) / scores.std() for scores in (one, other))
    observed = stats.pearsonr(first[:, 0], human[:, 0])[0] - stats.pearsonr(second[:, 0], human[:, 0])[0]
    reached = 0
    for swap in itertools.product([True, False], repeat=4):
        x, y = np.where(swap, first[:, 0], second[:, 0]), np.where(swap, second[:, 0], first[:, 0])
        change = stats.pearsonr(x, human[:, 0])[0] - stats.pearsonr(y, human[:, 0])[0]
        reached += abs(change) >= abs(observed) - 1e-9
    found = permute_correlations(one, other, human, trials=4000)
    assert found.difference == pytest.approx(observed)
    assert found.p_value == pytest.approx(reached / 16, abs=0.03)


def test_permuted_verdicts_are_that_of_a_sign_test():
    """With all pairs in one group, verdicts differ on k pairs and the p-value is that of the sign test."""
    good, bad, human = metrics_of_unequal_worth()
    good, bad, human = good[:, :2], bad[:, :2], human[:, :2]
    epsilons = tie_accuracy(np.stack((good, bad)), human, average="none", resamples=0).epsilons
    found = permute_accuracies(good, bad, human, tuple(epsilons), average="none", trials=20000)
    right = []
    for metric, epsilon in zip((good, bad), epsilons, strict=True):
        gap = metric.ravel()[:, None] - metric.ravel()
        verdict = np.where(np.abs(gap) <= epsilon, 0, np.sign(gap))
        right.append((verdict == np.sign(human.ravel()[:, None] - human.ravel()))[np.triu_indices(10, 1)])
    won, lost = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    assert found.difference == pytest.approx((won - lost) / 45)
    assert found.p_value == pytest.approx(stats.binomtest(won, won + lost).pvalue, abs=0.01)
    again = permute_accuracies(good, bad, human, tuple(epsilons), average="none", trials=20000)
    assert again == found


def test_sums_give_the_differences_that_swapped_scores_give():
    rng = np.random.default_rng(8)
    first, second, human = rng.normal(size=(3, 12))
    kept = rng.integers(2, size=(6, 12)).astype(bool)
    for row, change in zip(kept, _linear_changes(first, second, human, kept), strict=True):
        x, y = np.where(row, first, second), np.where(row, second, first)
        assert change == pytest.approx(stats.pearsonr(x, human)[0] - stats.pearsonr(y, human)[0])


def test_no_shared_score_is_no_test():
    empty = np.full((2, 3), NAN)
    found = permute_correlations(empty, np.ones((2, 3)), np.ones((2, 3)), trials=9)
    assert np.isnan([found.difference, found.p_value]).all()
    assert np.isnan(permute_accuracies(empty, empty, empty, (0.0, 0.0)).p_value)


def test_four_scores_are_enough_for_williams_and_three_are_not():
    t = williams_t(*as_arrays(0.6, 0.0, 0.5), 4)
    # K = .39, t = .6 √(3 · 1.5) / √(2 · .39 · 3 / 1 + .09 · .125), one degree of freedom.
    assert t == pytest.approx(0.6 * np.sqrt(4.5) / np.sqrt(2.34 + 0.01125))
    assert williams_p(t, 4) == pytest.approx(2 * stats.t.sf(t, 1))
    assert np.isnan(williams_t(*as_arrays(0.6, 0.0, 0.5), 3))
    assert np.isnan(williams_t(*as_arrays(0.6, NAN, 0.5), 9))


def test_two_metrics_that_order_alike_and_differ_from_people_alike_do_not_differ():
    assert williams_t(*as_arrays(0.5, 0.5, 1.0), 20) == 0.0


def four_scores() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(systems, items) = (2, 3): the first metric is people's, the second is turned round in the second system."""
    human = np.array([[1.0, 2, 4], [2.0, 5, 3]])
    return human.copy(), np.array([[1.0, 2, 4], [3.0, 0, 2]]), human


def test_metric_tests_without_an_average_are_over_all_scores_by_pearson_on_both_sides():
    good, bad, human = four_scores()
    usual = permute_correlations(good, bad, human)
    assert usual.difference == pytest.approx(1 - stats.pearsonr(bad.ravel(), human.ravel())[0])
    named = permute_correlations(
        good, bad, human, coefficient="pearson", average="none", trials=1000, two_sided=True, seed=12345
    )
    assert usual == named
    one_sided = permute_correlations(good, bad, human, two_sided=False)
    assert one_sided.p_value < usual.p_value
    assert permute_correlations(good, bad, human, seed=1).p_value != usual.p_value
    # Of 1000 trials (c + 1) / 1001.
    assert usual.p_value * 1001 == pytest.approx(round(usual.p_value * 1001))


def test_metric_tests_by_system_are_means_over_systems_and_by_item_over_items():
    good, bad, human = four_scores()
    by_system = permute_correlations(good, bad, human, average="system", trials=9)
    # In the first system both are people's own; in the second 1 against r of (3, 0, 2) with (2, 5, 3).
    assert by_system.difference == pytest.approx((1 - stats.pearsonr([3, 0, 2], [2, 5, 3])[0]) / 2)
    by_item = permute_correlations(good, bad, human, average="item", trials=9)
    # Two systems order an item alike or not: (1, 3), (2, 0), (4, 2) against (1, 2), (2, 5), (4, 3): 1, -1, 1.
    assert by_item.difference == pytest.approx(1 - 1 / 3)


def test_metric_tests_leave_out_what_one_of_three_lacks():
    good, bad, human = four_scores()
    whole = permute_correlations(good[:, :2], bad[:, :2], human[:, :2], trials=99)
    for lacking in range(3):
        given = [scores.copy() for scores in (good, bad, human)]
        given[lacking][:, 2] = NAN
        # The scale is of the scores that both have too.
        assert permute_correlations(*given, trials=99) == whole


def test_metric_tests_of_verdicts_count_pairs_on_which_one_metric_alone_is_right():
    """Two systems, three items: the first metric is right in all of three pairs, the second in two of them."""
    good, bad, human = four_scores()
    found = permute_accuracies(good, bad, human, (0.0, 0.0), trials=999)
    assert found.difference == pytest.approx(1 / 3)
    # One pair is open: half of the draws are 1/3, half -1/3, and both are as far apart as the one found.
    assert found.p_value == 1.0
    one_sided = permute_accuracies(good, bad, human, (0.0, 0.0), trials=999, two_sided=False)
    assert one_sided.p_value == pytest.approx(0.5, abs=0.05)
    # With a threshold of 9 the first metric ties everywhere, where people never do.
    assert permute_accuracies(good, bad, human, (9.0, 0.0), trials=9).difference == pytest.approx(-2 / 3)


@pytest.mark.parametrize("trials", [0, -1])
def test_metric_tests_need_a_trial(trials: int):
    for run in (permute_correlations, lambda *given, **more: permute_accuracies(*given, (0.0, 0.0), **more)):
        with pytest.raises(InputError, match=r"\[E075\]"):
            run(*four_scores(), trials=trials)
    assert permute_correlations(*four_scores(), trials=1).p_value in (0.5, 1.0)
