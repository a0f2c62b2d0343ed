from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from scipy import stats

from endophora.errors import InputError
from endophora.metrics import load_metric
from endophora.metrics.records import ratio
from endophora.statistics.significance import bootstrap, bootstrap_weights, percentile_interval
from endophora.statistics.units import choose_units, each_row


def share(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


@pytest.mark.parametrize(("name", "scorer"), [("bleu", BLEU()), ("chrf", CHRF())])
def test_p_values_and_intervals_are_sacrebleus_for_the_same_seed(name: str, scorer: Any, made_up: Any):
    systems = [(str(index), output) for index, output in enumerate(made_up.systems)]
    _, expected = PairedTest(systems, {name: scorer}, [made_up.reference], test_type="bs", n_samples=500)()
    baseline, *others = next(values for key, values in expected.items() if key != "System")
    metric = load_metric(name, "")
    counts = np.stack([metric.statistics(output, [made_up.reference]) for output in made_up.systems])
    found = bootstrap(counts, metric.score, each_row(60, "segments"), resamples=500, seed=12345)
    assert np.isnan(found.p_values[0])
    assert found.p_values[1:].tolist() == pytest.approx([result.p_value for result in others], abs=1e-12)
    assert found.scores.tolist() == pytest.approx([result.score for result in (baseline, *others)], abs=1e-9)
    # sacreBLEU sums in single precision.
    widths = (found.high - found.low) / 2
    assert widths.tolist() == pytest.approx([result.ci for result in (baseline, *others)], rel=1e-4)
    assert 0.001 < found.p_values[1] < 0.999


def test_interval_of_a_share_is_the_binomials():
    outcomes = np.repeat([1.0, 0.0], [30, 70])
    statistics = np.stack([outcomes, np.ones(100)], axis=-1)[None]
    found = bootstrap(statistics, share, each_row(100, "segments"), resamples=20_000)
    expected = stats.binom.ppf([0.025, 0.975], 100, 0.3) / 100
    assert [found.low[0], found.high[0]] == pytest.approx(expected, abs=0.0101)
    wide = bootstrap(statistics, share, each_row(100, "segments"), resamples=20_000, confidence=0.5)
    expected = stats.binom.ppf([0.25, 0.75], 100, 0.3) / 100
    assert [wide.low[0], wide.high[0]] == pytest.approx(expected, abs=0.0101)


def test_interval_of_a_difference_is_the_pairwise_one():
    # The systems go up and down together: each score varies, their difference does not.
    first = np.tile([1.0, 0.0], 20)
    statistics = np.stack([np.stack([first, np.ones(40)], -1), np.stack([first + 0.5, np.ones(40)], -1)])
    found = bootstrap(statistics, share, each_row(40, "segments"))
    assert found.high[1] - found.low[1] > 0.2
    assert [found.difference_low[1], found.difference_high[1]] == pytest.approx([0.5, 0.5])


def test_documents_are_drawn_whole():
    # Within a document all segments are alike, so that only documents vary.
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0], 50)
    statistics = np.stack([values, np.ones(400)], axis=-1)[None]
    by_document = bootstrap(statistics, share, choose_units(np.repeat(np.arange(8), 50).tolist()))
    by_segment = bootstrap(statistics, share, each_row(400, "segments"))
    assert set(np.round(np.array([by_document.low[0], by_document.high[0]]) * 8, 9) % 1) == {0.0}
    assert by_document.high[0] - by_document.low[0] > 5 * (by_segment.high[0] - by_segment.low[0])


@pytest.mark.parametrize("two_sided", [False, True])
def test_equal_systems_have_p_one_and_no_difference(two_sided: bool):
    rng = np.random.default_rng(0)
    one = np.stack([rng.random(30) / 3, np.ones(30) / 7], axis=-1)
    found = bootstrap(np.stack([one, one, one]), share, each_row(30, "segments"), two_sided=two_sided)
    assert found.p_values[1:].tolist() == [1.0, 1.0]
    assert found.difference_low.tolist() == found.difference_high.tolist() == [0.0, 0.0, 0.0]


def test_two_sided_p_of_a_mean_is_near_the_normal_approximation():
    rng = np.random.default_rng(1)
    change = rng.normal(size=400)
    change += 0.1 - change.mean()
    statistics = np.stack([np.zeros((400, 2)), np.stack([change, np.ones(400)], -1)])
    statistics[0, :, 1] = 1
    found = bootstrap(statistics, share, each_row(400, "segments"), resamples=20_000, two_sided=True)
    expected = 2 * stats.norm.sf(0.1 / (change.std() / 20))
    assert found.p_values[1] == pytest.approx(expected, abs=0.01)


def test_resamples_without_anything_to_count_are_left_out_and_counted():
    # One segment of three has the tag: (2/3)³ of the resamples miss it.
    statistics = np.array([[[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]])
    found = bootstrap(statistics, share, each_row(3, "segments"), resamples=2000)
    assert [found.scores[0], found.low[0], found.high[0]] == [0.5, 0.5, 0.5]
    assert found.undefined[0] / 2000 == pytest.approx((2 / 3) ** 3, abs=0.03)


def test_nothing_to_count_at_all_gives_nan_everywhere():
    found = bootstrap(np.zeros((2, 5, 2)), share, each_row(5, "segments"), resamples=50)
    for values in (found.scores, found.low, found.high, found.differences, found.p_values):
        assert np.isnan(values).all()
    assert found.undefined.tolist() == [50, 50]


def test_tags_are_resampled_together_but_scored_apart():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 9, size=(3, 40, 4, 2)).astype(float)
    units = each_row(40, "segments")
    together = bootstrap(counts, share, units)
    for tag in range(4):
        apart = bootstrap(counts[:, :, tag], share, units)
        np.testing.assert_array_equal(together.p_values[:, tag], apart.p_values)
        np.testing.assert_array_equal(together.low[:, tag], apart.low)


def test_another_baseline_turns_the_difference_round():
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, size=(2, 40, 2)).astype(float)
    first, second = (bootstrap(counts, share, each_row(40, "segments"), baseline=b) for b in (0, 1))
    assert first.differences[1] == -second.differences[0]
    assert first.p_values[1] == second.p_values[0]
    assert [first.difference_low[1], first.difference_high[1]] == [
        -second.difference_high[0],
        -second.difference_low[0],
    ]


def test_one_unit_has_no_interval_and_no_p_value():
    found = bootstrap(np.ones((2, 1, 2)), share, each_row(1, "documents"))
    assert found.scores.tolist() == [1.0, 1.0]
    for values in (found.low, found.high, found.difference_low, found.difference_high, found.p_values):
        assert np.isnan(values).all()


def test_of_a_single_document_the_segments_are_drawn():
    statistics = np.random.default_rng(3).random((2, 9, 2))
    found = bootstrap(statistics, share, choose_units(["a"] * 9))
    assert found.low.tolist() == bootstrap(statistics, share, each_row(9, "segments")).low.tolist()
    assert (found.low < found.high).all()


def test_the_seed_decides():
    counts = np.random.default_rng(6).integers(1, 99, size=(2, 40, 2)).astype(float)
    units = each_row(40, "segments")
    first, again, other = (bootstrap(counts, share, units, seed=seed).low for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_draws_do_not_depend_on_the_size_of_the_blocks():
    whole = np.concatenate(list(bootstrap_weights(7, 100, 9, 100)))
    parts = np.concatenate(list(bootstrap_weights(7, 100, 9, 33)))
    np.testing.assert_array_equal(whole, parts)
    assert (whole.sum(axis=1) == 7).all()


def test_percentile_interval_leaves_out_nan():
    samples = np.arange(100, dtype=float)
    np.random.default_rng(0).shuffle(samples)
    assert percentile_interval(samples, 0.95) == (2.0, 97.0)
    assert percentile_interval(np.concatenate([samples, np.full(50, np.nan)]), 0.9) == (5.0, 94.0)


def test_all_wrong_options_are_reported():
    with pytest.raises(InputError) as raised:
        bootstrap(np.ones((1, 2, 2)), share, each_row(2, "segments"), resamples=0, confidence=95)
    assert [fault.code for fault in raised.value.faults] == ["E075", "E075"]


def test_a_baseline_that_is_no_system_is_an_error():
    with pytest.raises(InputError, match=r"\[E076\]"):
        bootstrap(np.ones((2, 2, 2)), share, each_row(2, "segments"), baseline=2)


def test_columns_with_baselines_of_their_own_are_those_of_each_baseline():
    counts = np.random.default_rng(7).integers(1, 9, size=(3, 30, 4, 2)).astype(float)
    units = each_row(30, "segments")
    baselines = [2, 0, 2, 1]
    together = bootstrap(counts, share, units, baseline=baselines, resamples=200)
    for column, baseline in enumerate(baselines):
        apart = bootstrap(counts, share, units, baseline=baseline, resamples=200)
        np.testing.assert_array_equal(together.p_values[:, column], apart.p_values[:, column])
        np.testing.assert_array_equal(together.difference_low[:, column], apart.difference_low[:, column])
        np.testing.assert_array_equal(together.differences[:, column], apart.differences[:, column])


def test_every_baseline_that_is_no_system_is_told():
    with pytest.raises(InputError) as raised:
        bootstrap(np.ones((2, 2, 3, 2)), share, each_row(2, "segments"), baseline=[0, 2, -1])
    assert [fault.code for fault in raised.value.faults] == ["E076", "E076"]
