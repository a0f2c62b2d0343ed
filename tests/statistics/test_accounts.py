"""Every figure says how it was computed: options, counts, seeds; what cannot be computed is refused or undefined."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from endophora.errors import InputError
from endophora.statistics import correlation, significance
from endophora.statistics.accuracy import system_accuracy, tie_accuracy
from endophora.statistics.correlation import correlate, correlate_means, kendall, pearson, spearman, wmt_pairs
from endophora.statistics.metric_tests import permute_accuracies, permute_correlations, williams
from endophora.statistics.significance import bootstrap, paired_t, percentile_interval, randomise
from endophora.statistics.units import choose_units, each_row

NAN = float("nan")
RNG = np.random.default_rng(3)
HUMAN = RNG.normal(size=(5, 12))
METRICS = HUMAN + RNG.normal(size=(2, 5, 12)) * np.array([0.5, 2.0])[:, None, None]
UNITS = choose_units([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4])


def mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


STATISTICS = np.stack([np.stack([row, np.ones(12)], axis=-1) for row in HUMAN])


def test_a_bootstrap_says_what_it_drew():
    found = bootstrap(STATISTICS, mean, UNITS, baseline=2, resamples=40, confidence=0.8, seed=7)
    assert found.scores == pytest.approx(HUMAN.mean(axis=1))
    assert found.differences == pytest.approx(HUMAN.mean(axis=1) - HUMAN[2].mean())
    assert found.undefined.tolist() == [0] * 5
    assert np.isnan(found.p_values).tolist() == [False, False, True, False, False]


def test_a_randomisation_says_what_it_tried():
    found = randomise(STATISTICS, mean, UNITS, baseline=2, trials=20, seed=7)
    assert (found.trials, found.exact) == (20, False)
    exact = randomise(STATISTICS, mean, UNITS, trials=32)
    assert (exact.trials, exact.exact) == (32, True)
    assert np.isnan(exact.p_values).tolist() == [True, False, False, False, False]
    assert not randomise(STATISTICS, mean, UNITS, trials=31).exact


def test_defaults_are_those_of_sacrebleu():
    explicit = bootstrap(STATISTICS, mean, UNITS, baseline=0, resamples=1000, confidence=0.95, seed=12345)
    default = bootstrap(STATISTICS, mean, UNITS)
    assert (default.low.tolist(), default.p_values[1:].tolist()) == (
        explicit.low.tolist(),
        explicit.p_values[1:].tolist(),
    )
    many = each_row(12, "segments")
    drawn, default = (randomise(STATISTICS, mean, many, **given) for given in ({"trials": 10_000, "seed": 12345}, {}))
    assert drawn.p_values[1:].tolist() == default.p_values[1:].tolist()


def test_statistics_of_no_rows_have_no_score():
    found = bootstrap(np.zeros((2, 0, 2)), lambda sums: np.full(sums.shape[:-1], np.nan), each_row(0, "segments"))
    assert np.isnan(found.scores).all()
    assert np.isnan(found.p_values).all()


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall-wmt"])
@pytest.mark.parametrize("average", ["none", "item", "system"])
def test_a_correlation_says_of_what_it_is(name: Any, average: Any):
    human = HUMAN.copy()
    human[0, 0] = NAN
    found = correlate(
        METRICS, human, coefficient=name, average=average, units=UNITS, resamples=30, confidence=0.8, seed=4
    )
    assert (found.coefficient, found.average) == (name, average)
    assert found.counts.tolist() == [59, 59]
    assert found.groups.tolist() == [{"none": 1, "item": 12, "system": 5}[average]] * 2
    low, high = percentile_interval(found.samples, 0.8)
    assert (found.low.tolist(), found.high.tolist()) == (low.tolist(), high.tolist())
    assert found.samples.shape == (30, 2)
    assert (found.low < found.high).all()


def test_without_resamples_there_is_no_interval():
    for found in (correlate(METRICS, HUMAN, resamples=0), correlate_means(METRICS, HUMAN, UNITS, resamples=0)):
        assert np.isnan([found.low, found.high]).all()
        assert found.samples.shape == (0, 2)
        assert not np.isnan(found.values).any()


def wmt_tau(metric: np.ndarray, human: np.ndarray, threshold: float) -> float:
    pairs = [(i, j) for i, j in combinations(range(len(human)), 2) if abs(human[i] - human[j]) >= threshold]
    right = sum((metric[i] - metric[j]) * (human[i] - human[j]) > 0 for i, j in pairs)
    return (2 * right - len(pairs)) / len(pairs)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("pearson", lambda x, y: stats.pearsonr(x, y).statistic),
        ("spearman", lambda x, y: stats.spearmanr(x, y).statistic),
        ("kendall", lambda x, y: stats.kendalltau(x, y).statistic),
        ("kendall-wmt", lambda x, y: wmt_tau(x, y, 0.2)),
    ],
)
def test_correlated_means_are_of_the_systems(name: Any, plain: Any):
    threshold = {"threshold": 0.2} if name == "kendall-wmt" else {}
    options = {"coefficient": name, "resamples": 25, "confidence": 0.6, "seed": 9} | threshold
    found = correlate_means(METRICS, HUMAN, UNITS, **options)
    assert found.values == pytest.approx([plain(one.mean(axis=1), HUMAN.mean(axis=1)) for one in METRICS])
    assert (found.coefficient, found.average, found.samples.shape) == (name, "none", (25, 2))
    assert (found.counts.tolist(), found.groups.tolist()) == ([5, 5], [1, 1])
    low, high = percentile_interval(found.samples, 0.6)
    assert (found.low.tolist(), found.high.tolist()) == (low.tolist(), high.tolist())


def test_systems_without_any_score_have_no_mean():
    metrics = METRICS.copy()
    metrics[0, 3] = NAN
    found = correlate_means(metrics, HUMAN, UNITS, resamples=5)
    assert found.counts.tolist() == [4, 5]
    kept = [0, 1, 2, 4]
    expected = stats.pearsonr(METRICS[0, kept].mean(axis=1), HUMAN[kept].mean(axis=1)).statistic
    assert found.values[0] == pytest.approx(expected)
    alone = correlate_means(METRICS, HUMAN, each_row(12, "segments"), coefficient="kendall-wmt", threshold=99)
    assert np.isnan(alone.values).all()


def test_a_permutation_says_by_how_much_metrics_differ():
    for two_sided in (True, False):
        found = permute_correlations(METRICS[0], METRICS[1], HUMAN, trials=50, two_sided=two_sided)
        assert found.p_value == pytest.approx(1 / 51)
        assert found.difference == pytest.approx(
            float(np.subtract(*(stats.pearsonr(one.ravel(), HUMAN.ravel()).statistic for one in METRICS)))
        )
        found = permute_accuracies(METRICS[0], METRICS[1], HUMAN, (0.0, 0.0), trials=50, two_sided=two_sided)
        right = [tie_accuracy(one[None], HUMAN, epsilons=np.zeros(1), resamples=0).values[0] for one in METRICS]
        assert found.difference == pytest.approx(right[0] - right[1])


@pytest.mark.parametrize(
    "permute", [permute_correlations, lambda *one, **two: permute_accuracies(*one, (0.0, 0.0), **two)]
)
def test_permutations_are_drawn_by_their_seed_and_need_a_trial(permute: Any):
    noise = METRICS[1] + np.random.default_rng(8).normal(size=HUMAN.shape)
    drawn = [permute(METRICS[1], noise, HUMAN, trials=400, seed=seed).p_value for seed in (1, 1, 2, 12345)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert permute(METRICS[1], noise, HUMAN, trials=400).p_value == drawn[3]
    with pytest.raises(InputError, match=r"\[E075\]"):
        permute(METRICS[0], METRICS[1], HUMAN, trials=0)
    with pytest.raises(InputError, match=r"\[E110\]"):
        permute(METRICS[0], METRICS[1][:2], HUMAN)
    one = permute(METRICS[0], METRICS[1], HUMAN, trials=1)
    assert one.p_value in (0.5, 1.0)


def test_a_one_sided_permutation_looks_for_the_first_being_better():
    better = permute_correlations(*METRICS, HUMAN, trials=99, two_sided=False).p_value
    worse = permute_correlations(*METRICS[::-1], HUMAN, trials=99, two_sided=False).p_value
    assert better == pytest.approx(0.01)
    assert worse == 1.0


def test_accuracies_say_how_many_pairs_agree():
    human, metric = np.array([1.0, 2, 3, 4]), np.array([[1.0, 2, 4, 3], [1, NAN, 2, 3]])
    found = system_accuracy(metric, human, resamples=200, confidence=0.5, seed=3)
    assert (found.agreeing.tolist(), found.pairs.tolist()) == ([5, 3], [6, 3])
    assert found.values.tolist() == [5 / 6, 1.0]
    wide = system_accuracy(metric, human, resamples=200, confidence=0.99, seed=3)
    assert wide.low[0] < found.low[0] <= found.high[0] <= wide.high[0] == 1.0
    assert found.low[1] == found.high[1] == 1.0
    none = system_accuracy(metric, human, resamples=0)
    assert np.isnan([none.low, none.high]).all()
    assert np.isnan(system_accuracy(metric[:, :1], human[:1]).low).all()


def test_tie_accuracy_says_whether_its_threshold_was_found_on_the_scores():
    for average in ("item", "system", "none"):
        found = tie_accuracy(METRICS, HUMAN, average=average, resamples=0)
        pairs = {"item": 12 * 10, "system": 5 * 66, "none": 60 * 59 // 2}[average]
        assert (found.calibrated, found.pairs.tolist()) == (True, [pairs, pairs])
        assert np.isnan([found.low, found.high]).all()
    given = tie_accuracy(METRICS, HUMAN, epsilons=np.array([0.0, 0.1]), units=UNITS, resamples=50)
    assert (given.calibrated, given.epsilons.tolist()) == (False, [0.0, 0.1])
    assert (given.low < given.values).all()
    assert (given.values < given.high).all()


def test_williams_asks_for_metrics():
    with pytest.raises(InputError, match=r"\[E110\]"):
        williams(np.zeros((0, 2, 3)), np.zeros((2, 3)))
    found = williams(METRICS, HUMAN, two_sided=False)
    assert found.counts.tolist() == [[0, 60], [60, 0]]
    assert found.p_values[0, 1] == pytest.approx(1 - found.p_values[1, 0])


def test_paired_t_says_how_sure_its_interval_is():
    found = paired_t(METRICS[:, 0], METRICS[:, 1], confidence=0.9)
    expected = stats.ttest_rel(METRICS[:, 1], METRICS[:, 0], axis=1).confidence_interval(0.9)
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_ranks_of_long_lists_are_those_of_short_ones():
    x, y = np.random.default_rng(5).integers(9, size=(2, 3, 70)).astype(float)
    x[0, 3] = NAN
    for group in range(3):
        there = ~np.isnan(x[group])
        expected = stats.kendalltau(x[group][there], y[group][there]).statistic
        assert kendall(x, y, np.ones((1, 70)))[0, group] == pytest.approx(expected)
        assert kendall(x, y, np.ones((2, 70)))[1, group] == pytest.approx(expected)
        assert kendall(x[:, :64], y[:, :64], np.ones((1, 64)))[0, 1] == pytest.approx(
            stats.kendalltau(x[1, :64], y[1, :64]).statistic
        )


@pytest.mark.parametrize("size", [3, 70])
@pytest.mark.parametrize("samples", [1, 2])
def test_nothing_in_common_is_no_correlation(size: int, samples: int):
    x, y = np.full((1, size), NAN), np.arange(size, dtype=float)[None]
    for coefficient in (pearson, spearman, kendall):
        assert np.isnan(coefficient(x, y, np.ones((samples, size)))).all()


def test_a_list_with_too_many_pairs_is_refused():
    scores = np.zeros((1, 16_386))
    with pytest.raises(InputError, match=r"\[E111\]"):
        wmt_pairs(scores, scores, np.ones((1, 16_386)))


def same(one: Any, other: Any, names: str) -> None:
    for name in names.split():
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_defaults_of_agreement_with_people_are_those_documented():
    usual = {"resamples": 1000, "confidence": 0.95, "seed": 12345}
    explicit = correlate(METRICS, HUMAN, coefficient="pearson", average="none", drawn="items", threshold=0, **usual)
    same(correlate(METRICS, HUMAN), explicit, "values low high samples")
    explicit = correlate_means(METRICS, HUMAN, UNITS, coefficient="pearson", threshold=0, **usual)
    same(correlate_means(METRICS, HUMAN, UNITS), explicit, "values low high samples")
    explicit = system_accuracy(METRICS[..., 0], HUMAN[:, 0], **usual)
    same(system_accuracy(METRICS[..., 0], HUMAN[:, 0]), explicit, "values low high")
    explicit = tie_accuracy(METRICS, HUMAN, average="item", units=each_row(12, "segments"), **usual)
    same(tie_accuracy(METRICS, HUMAN), explicit, "values low high epsilons")


def test_defaults_of_the_tests_of_metrics_are_those_documented():
    noise = METRICS[1] + np.random.default_rng(8).normal(size=HUMAN.shape)
    usual = {"trials": 1000, "two_sided": True, "seed": 12345}
    pair = METRICS[1], noise, HUMAN
    assert permute_correlations(*pair) == permute_correlations(*pair, coefficient="pearson", average="none", **usual)
    ties = (0.1, 0.2)
    assert permute_accuracies(*pair, ties) == permute_accuracies(*pair, ties, average="item", **usual)
    assert permute_accuracies(*pair, ties).difference != permute_accuracies(*pair, ties[::-1]).difference
    same(williams(METRICS, HUMAN), williams(METRICS, HUMAN, two_sided=True), "p_values statistics differences")
    same(
        paired_t(METRICS[:, 0], METRICS[:, 1]),
        paired_t(METRICS[:, 0], METRICS[:, 1], higher_is_better=True, confidence=0.95),
        "statistics low high",
    )


def test_one_pair_is_no_correlation_and_two_are():
    for coefficient in (pearson, spearman, kendall):
        for samples in (1, 2):
            assert np.isnan(coefficient(np.array([[3.0]]), np.array([[4.0]]), np.ones((samples, 1)))).all()
            two = coefficient(np.array([[3.0, 5.0]]), np.array([[4.0, 1.0]]), np.ones((samples, 2)))
            assert two.ravel().tolist() == pytest.approx([-1.0] * samples)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_scale_of_any_size_does_not_matter(scale: float):
    x, y = METRICS[0].ravel()[None], HUMAN.ravel()[None]
    for weights in (np.ones((1, 60)), np.random.default_rng(2).integers(3, size=(4, 60)).astype(float)):
        assert pearson(x * scale, y, weights) == pytest.approx(pearson(x, y, weights))
        assert pearson(x, y * scale, weights) == pytest.approx(pearson(x, y, weights))
        assert (pearson(x, x, weights) <= 1).all()


def test_a_pair_at_the_threshold_counts():
    human, metric = np.array([[0.0, 25.0, 49.0]]), np.array([[1.0, 2.0, 3.0]])
    balance, total = wmt_pairs(metric, human, np.ones((1, 3)), 25.0)
    assert (balance.tolist(), total.tolist()) == ([[2.0]], [[2.0]])
    # Without a threshold all three count, and a pair drawn twice on a side counts twice.
    balance, total = wmt_pairs(metric[:, ::-1], human, np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]))
    assert (balance.tolist(), total.tolist()) == ([[-3.0], [-2.0]], [[3.0], [2.0]])


def test_a_constant_metric_cannot_be_tested_against_another():
    constant = np.full(HUMAN.shape, 0.1)
    for average in ("none", "item", "system"):
        found = permute_correlations(constant, METRICS[0], HUMAN, average=average, trials=5)
        assert np.isnan([found.difference, found.p_value]).all()


def test_a_percentile_interval_of_nothing_is_nan():
    for samples in (np.zeros((0, 3)), np.full((4, 3), NAN)):
        low, high = percentile_interval(samples, 0.9)
        assert (low.shape, high.shape) == ((3,), (3,))
        assert np.isnan([low, high]).all()


def test_a_single_system_or_unit_has_a_value_without_an_interval():
    one = correlate(METRICS[:, :1], HUMAN[:1], drawn="systems", resamples=20)
    assert not np.isnan(one.values).any()
    assert np.isnan([one.low, one.high]).all()
    two = correlate(METRICS[:, :2], HUMAN[:2], drawn="systems", resamples=20)
    assert not np.isnan([two.low, two.high]).any()
    lonely = correlate_means(METRICS[:, :, :1], HUMAN[:, :1], each_row(1, "segments"), resamples=20)
    assert np.isnan([lonely.low, lonely.high]).all()
    pair = correlate_means(METRICS[:, :, :2], HUMAN[:, :2], each_row(2, "segments"), resamples=20)
    assert not np.isnan([pair.low, pair.high]).any()


def test_results_do_not_depend_on_how_much_is_held_at_once(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(6)
    x, y = rng.integers(9, size=(2, 4, 20)).astype(float)
    x[1, 3] = NAN
    ones, weights = np.ones((1, 20)), rng.integers(3, size=(5, 20)).astype(float)
    cells = np.arange(20, dtype=np.intp) // 3

    def everything() -> list[np.ndarray]:
        swapped = randomise(STATISTICS, mean, UNITS, trials=20)
        drawn = bootstrap(STATISTICS, mean, UNITS, resamples=20)
        return [
            kendall(x, y, ones),
            kendall(x, y, weights),
            kendall(x, y, weights[:, :7], cells),
            spearman(x, y, weights),
            *wmt_pairs(x, y, weights),
            swapped.p_values,
            randomise(STATISTICS, mean, UNITS, trials=32).p_values,
            drawn.low,
            drawn.p_values,
        ]

    whole = everything()
    monkeypatch.setattr(correlation, "BLOCK", 70)
    monkeypatch.setattr(significance, "BLOCK", 30)
    for one, other in zip(everything(), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
