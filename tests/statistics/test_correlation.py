"""Correlations: scipy's values, resamples written out in full, WMT's averages, missing scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from endophora.errors import InputError
from endophora.statistics.correlation import correlate, correlate_means, kendall, pearson, spearman, wmt_pairs
from endophora.statistics.significance import bootstrap_weights, percentile_interval
from endophora.statistics.units import choose_units, each_row

PLAIN = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
NAN = float("nan")


def scores(seed: int, shape: tuple[int, ...], ties: bool = True) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=shape)
    return np.round(values * 2) / 2 if ties else values


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("size", [5, 40, 90])
def test_coefficients_are_those_of_scipy(name, size):
    x, y = scores(size, (3, size)), scores(size + 1, (3, size))
    found = PLAIN[name](x, y, np.ones((1, size)))[0]
    assert found == pytest.approx([SCIPY[name](a, b).statistic for a, b in zip(x, y, strict=True)], abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_weights_stand_for_a_resample_written_out(name):
    x, y = scores(3, (2, 30)), scores(4, (2, 30))
    weights = np.random.default_rng(5).integers(0, 4, size=(7, 30)).astype(float)
    found = PLAIN[name](x, y, weights)
    for row, drawn in zip(found, weights.astype(int), strict=True):
        expected = [SCIPY[name](np.repeat(a, drawn), np.repeat(b, drawn)).statistic for a, b in zip(x, y, strict=True)]
        assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_missing_on_one_side_is_left_out_on_both(name):
    x, y = scores(6, (1, 20)), scores(7, (1, 20))
    kept = np.ones(20, dtype=bool)
    kept[[2, 5, 11]] = False
    expected = SCIPY[name](x[0, kept], y[0, kept]).statistic
    x[0, 2] = y[0, 5] = x[0, 11] = y[0, 11] = NAN
    assert PLAIN[name](x, y, np.ones((1, 20)))[0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_a_constant_metric_has_no_correlation(name):
    x, y = np.full((1, 6), 0.1), np.arange(6.0)[None]
    assert np.isnan(PLAIN[name](x, y, np.ones((1, 6)))).all()
    assert np.isnan(PLAIN[name](x, y, np.full((2, 6), 2.0))).all()
    assert np.isnan(PLAIN[name](np.full((1, 6), NAN), y, np.ones((1, 6)))).all()


# WMT's metrics-evaluation toolkit publishes these values in its tests, with scores of two systems on three segments.
GOLD, METRIC = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[[2.0, 1, 4], [3, 3, 7]]])


@pytest.mark.parametrize(
    ("name", "average", "expected"),
    [
        ("pearson", "none", 0.776),
        ("pearson", "system", 0.760),
        ("pearson", "item", 1.0),
        ("kendall", "none", 0.552),
        ("kendall", "system", 0.575),
        ("kendall", "item", 1.0),
    ],
)
def test_averages_are_those_of_wmt(name, average, expected):
    found = correlate(METRIC, GOLD, coefficient=name, average=average, resamples=0)
    assert found.values[0] == pytest.approx(expected, abs=5e-4)
    assert (found.counts[0], found.groups[0]) == (6, {"none": 1, "system": 2, "item": 3}[average])


def test_wmt_kendall_counts_a_tie_of_the_metric_as_an_error():
    gold, metric = np.array([[10.0, 11, 100, 150]]), np.array([[[2.0, 1, 4, 3]]])
    options = {"coefficient": "kendall-wmt", "average": "system", "resamples": 0}
    assert correlate(metric, gold, **options).values[0] == pytest.approx(2 / 6)
    assert correlate(metric, gold, **options, threshold=25).values[0] == pytest.approx(3 / 5)
    # One tie of people, left out; one of the metric, wrong: four right, one wrong of the five that count.
    gold, metric = np.array([[1.0], [1], [2], [3]]), np.array([[[1.0], [2], [3], [3]]])
    assert correlate(metric, gold, **(options | {"average": "item"})).values[0] == pytest.approx(3 / 5)


@pytest.mark.parametrize("name", [*PLAIN, "kendall-wmt"])
@pytest.mark.parametrize("average", ["none", "item", "system"])
@pytest.mark.parametrize("drawn", ["items", "systems"])
def test_intervals_are_those_of_resamples_written_out(name, average, drawn):
    metrics, human = scores(1, (1, 4, 12)), scores(2, (4, 12))
    units = choose_units([0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4, 5])
    options = {"coefficient": name, "average": average}
    found = correlate(metrics, human, units=units, drawn=drawn, resamples=9, seed=3, **options)
    (weights,) = bootstrap_weights(6 if drawn == "items" else 4, 9, 3, 9)
    for sample, drawn_times in zip(found.samples[:, 0], weights.astype(int), strict=True):
        if drawn == "items":
            index = np.repeat(np.arange(12), drawn_times[units.index])
            again = correlate(metrics[:, :, index], human[:, index], resamples=0, **options)
        else:
            index = np.repeat(np.arange(4), drawn_times)
            again = correlate(metrics[:, index], human[index], resamples=0, **options)
        assert sample == pytest.approx(again.values[0], abs=1e-12, nan_ok=True)
    low, high = percentile_interval(found.samples, 0.95)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_means_are_correlated_as_system_scores_and_resampled_by_document():
    metrics, human = scores(8, (2, 5, 10), ties=False), scores(9, (5, 10), ties=False)
    human[1, 3] = metrics[0, 2, 4] = NAN
    units = choose_units([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    found = correlate_means(metrics, human, units, resamples=20, seed=2)
    plain = [stats.pearsonr(np.nanmean(m, axis=1), np.nanmean(human, axis=1)).statistic for m in metrics]
    assert found.values == pytest.approx(plain)
    (weights,) = bootstrap_weights(5, 20, 2, 20)
    index = np.repeat(np.arange(10), weights[4].astype(int)[units.index])
    again = [
        stats.pearsonr(np.nanmean(m[:, index], axis=1), np.nanmean(human[:, index], axis=1)).statistic for m in metrics
    ]
    assert found.samples[4] == pytest.approx(again)


def test_one_unit_gives_a_value_and_no_interval():
    found = correlate(METRIC, GOLD, units=choose_units([0, 0, 0], "documents"), resamples=10)
    assert not np.isnan(found.low[0])  # a single document: its segments are drawn, as choose_units says
    alone = correlate(METRIC[:, :, :1], GOLD[:, :1], units=each_row(1, "segments"), resamples=10)
    assert np.isnan(alone.low[0])
    assert alone.values[0] == pytest.approx(1.0)


def test_same_seed_same_interval_and_metrics_share_their_draws():
    metrics, human = scores(1, (1, 4, 12)).repeat(2, axis=0), scores(2, (4, 12))
    one, two = (correlate(metrics, human, resamples=50, seed=5) for _ in range(2))
    assert (one.samples == two.samples).all()
    assert (one.samples[:, 0] == one.samples[:, 1]).all()


def test_scores_of_other_shapes_are_refused():
    with pytest.raises(InputError, match=r"\[E110\]"):
        correlate(np.ones((1, 2, 3)), np.ones((2, 4)))
    with pytest.raises(InputError, match=r"\[E110\]"):
        correlate(np.ones((1, 2, 3)), np.ones((2, 3)), units=each_row(4, "segments"))
    with pytest.raises(InputError, match=r"\[E111\]"):
        correlate(np.ones((1, 2, 9000)), np.ones((2, 9000)), coefficient="kendall-wmt", resamples=1)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12), st.floats(1e-6, 1e6))
def test_ranks_do_not_know_the_scale(pairs, factor):
    x, y = (np.array([values], dtype=float) for values in zip(*pairs, strict=True))
    ones = np.ones((1, x.shape[1]))
    for one in (spearman, kendall):
        found, scaled, turned = (one(z, y, ones)[0, 0] for z in (x, x * factor, -x))
        assert scaled == pytest.approx(found, nan_ok=True)
        assert turned == pytest.approx(-found, nan_ok=True)


def test_correlation_without_options_is_pearsons_over_all_scores_with_a_thousand_draws():
    rng = np.random.default_rng(6)
    metrics, human = rng.normal(size=(1, 3, 8)), rng.normal(size=(3, 8))
    usual = correlate(metrics, human)
    named = correlate(
        metrics,
        human,
        coefficient="pearson",
        average="none",
        drawn="items",
        resamples=1000,
        confidence=0.95,
        seed=12345,
    )
    assert (usual.values[0], usual.low[0], usual.high[0]) == (named.values[0], named.low[0], named.high[0])
    assert usual.values[0] == pytest.approx(np.corrcoef(metrics[0].ravel(), human.ravel())[0, 1])
    assert (usual.counts[0], usual.groups[0], usual.coefficient, usual.average) == (24, 1, "pearson", "none")
    assert usual.samples.shape == (1000, 1)
    assert correlate(metrics, human, seed=1).low[0] != usual.low[0]
    wide = correlate(metrics, human, confidence=0.999)
    assert wide.low[0] < usual.low[0] < usual.high[0] < wide.high[0]
    units = each_row(8, "segments")
    means = correlate_means(metrics, human, units)
    said = correlate_means(
        metrics, human, units, coefficient="pearson", resamples=1000, confidence=0.95, seed=12345, threshold=0.0
    )
    assert (means.low[0], means.high[0]) == (said.low[0], said.high[0])
    assert means.values[0] == pytest.approx(np.corrcoef(metrics[0].mean(axis=1), human.mean(axis=1))[0, 1])
    assert means.samples.shape == (1000, 1)
    assert means.counts.tolist() == [3]


def test_correlation_of_ranks_by_hand():
    """Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: ρ = 4.5 / √(4.5 · 5); of six pairs five agree and x ties one."""
    x, y = np.array([[1.0, 2, 2, 9]]), np.array([[1.0, 5, 3, 8]])
    once = np.ones((1, 4))
    assert spearman(x, y, once)[0, 0] == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert kendall(x, y, once)[0, 0] == pytest.approx(5 / (5 * 6) ** 0.5)
    twice = np.array([[1.0, 0, 2, 1]])
    # 1, 2, 2, 9 with 1, 3, 3, 8: five pairs that are ordered alike, and one of an item with itself.
    assert kendall(x, y, twice)[0, 0] == pytest.approx(1)
    assert spearman(x, y, twice)[0, 0] == pytest.approx(1)


def test_correlation_of_wmt_counts_pairs_that_differ_by_the_threshold_itself():
    metric, human = np.array([[1.0, 2, 2]]), np.array([[0.0, 25, 50]])
    once = np.ones((1, 3))
    assert [int(part[0, 0]) for part in wmt_pairs(metric, human, once)] == [1, 3]
    assert [int(part[0, 0]) for part in wmt_pairs(metric, human, once, 25)] == [1, 3]
    assert [int(part[0, 0]) for part in wmt_pairs(metric, human, once, 25.5)] == [1, 1]
    # The first item drawn twice: its pairs count twice, and it is no pair with itself.
    assert [int(part[0, 0]) for part in wmt_pairs(metric, human, np.array([[2.0, 1, 1]]))] == [3, 5]
