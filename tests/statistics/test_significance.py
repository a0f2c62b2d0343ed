"""Resampling and swapping on so few units that all can be counted; defaults, blocks and borders."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.statistics import significance
from endophora.statistics.comparison import in_a_column, quotient
from endophora.statistics.significance import (
    bootstrap,
    bootstrap_weights,
    draw_swaps,
    holm,
    is_significant,
    paired_t,
    percentile_interval,
    randomise,
)
from endophora.statistics.units import each_row

NAN = float("nan")


def whole(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0]


def counts(*systems: list[float]) -> np.ndarray:
    """(systems, units, 1)."""
    return np.array(systems, dtype=float)[..., None]


def test_significance_by_swapping_counts_all_ways_where_they_are_no_more_than_the_trials():
    """Differences 3, 2, 1: sums of 6 in two of the eight ways, of 4 or more in four."""
    table, units = counts([0.0, 0, 0], [3.0, 2, 1]), each_row(3, "documents")
    found = randomise(table, whole, units, trials=8)
    assert (found.exact, found.trials, found.p_values[1], found.differences[1]) == (True, 8, 2 / 8, 6.0)
    assert np.isnan(found.p_values[0])
    drawn = randomise(table, whole, units, trials=7)
    assert (drawn.exact, drawn.trials) == (False, 7)
    # (reached + 1) / (7 + 1)
    assert drawn.p_values[1] * 8 == round(drawn.p_values[1] * 8) >= 1


@pytest.mark.parametrize(("last", "p_value"), [(3.0, 2 / 8), (-1.0, 4 / 8), (0.0, 4 / 8), (-5.0, 1.0)])
def test_significance_counts_a_way_that_is_just_as_far_apart(last: float, p_value: float):
    """Of ±3 ± 2 ± 3: |8| twice. Of ±3 ± 2 ± 1, 4 found: 6 and 4, four ways. With 0: 5 in four. With -5: 0 in all."""
    table = counts([0.0, 0, 0], [3.0, 2, last])
    assert randomise(table, whole, each_row(3, "documents"), trials=8).p_values[1] == p_value


def test_significance_of_columns_with_baselines_of_their_own():
    table = np.array([[[0.0, 3.0], [0, 3]], [[3.0, 0.0], [3, 0]]])
    found = randomise(table, lambda sums: sums, each_row(2, "documents"), baseline=[0, 1], trials=4)
    assert np.isnan(found.p_values[[0, 1], [0, 1]]).all()
    assert (found.p_values[1, 0], found.p_values[0, 1]) == (0.5, 0.5)
    assert (found.differences[1, 0], found.differences[0, 1]) == (6.0, 6.0)
    asked: list[list[int]] = []

    def alone(columns):
        asked.append(list(columns))
        return lambda sums: sums[..., columns]

    again = randomise(table, lambda sums: sums, each_row(2, "documents"), baseline=[0, 1], trials=4, alone=alone)
    assert np.array_equal(again.p_values, found.p_values, equal_nan=True)
    assert asked == [[0], [1]]


def test_significance_does_not_depend_on_how_many_resamples_are_summed_at_once(monkeypatch: pytest.MonkeyPatch):
    generator = np.random.default_rng(1)
    table, units = generator.normal(size=(2, 5, 3)), each_row(5, "documents")
    once = bootstrap(table, lambda sums: sums, units, resamples=50)
    monkeypatch.setattr(significance, "BLOCK", 1)
    apart = bootstrap(table, lambda sums: sums, units, resamples=50)
    assert apart.p_values == pytest.approx(once.p_values, nan_ok=True)
    assert apart.low == pytest.approx(once.low)


def test_significance_of_a_resample_without_a_score_is_left_out_and_counted():
    """One unit of two has something to count: a resample of the other alone, a quarter of them, has no score."""
    table = np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]])
    found = bootstrap(table, in_a_column(quotient), each_row(2, "documents"), resamples=400)
    assert 70 < found.undefined[1, 0] < 130
    assert (found.low[0, 0], found.high[0, 0], found.scores[1, 0]) == (1.0, 1.0, 0.0)
    # Each resample with a score has the same difference, so that none is further from their mean.
    assert found.p_values[1, 0] == pytest.approx(1 / (401 - found.undefined[1, 0]))


def test_significance_of_equal_systems_is_one_in_the_bootstrap():
    table = counts([1.0, 2, 3], [1.0, 2, 3])
    assert bootstrap(table, whole, each_row(3, "documents"), resamples=9).p_values[1] == 1


def test_significance_of_one_unit_is_undefined():
    table = counts([1.0], [2.0])
    drawn = bootstrap(table, whole, each_row(1, "documents"), resamples=9)
    assert np.isnan([drawn.low, drawn.high, drawn.difference_low, drawn.difference_high, drawn.p_values]).all()
    assert drawn.scores.tolist() == [1.0, 2.0]
    swapped = randomise(table, whole, each_row(1, "documents"))
    assert np.isnan(swapped.p_values).all()
    assert swapped.differences.tolist() == [0.0, 1.0]
    two = counts([1.0, 1], [2.0, 2])
    assert np.isfinite(bootstrap(two, whole, each_row(2, "documents"), resamples=9).p_values[1])
    assert np.isfinite(randomise(two, whole, each_row(2, "documents")).p_values[1])


def test_intervals_cut_off_as_many_at_either_end():
    samples = np.arange(100.0)[::-1, None]
    low, high = percentile_interval(samples, 0.9)
    assert (low[0], high[0]) == (5, 94)
    low, high = percentile_interval(np.array([[1.0], [NAN], [3.0]]), 0.9)
    assert (low[0], high[0]) == (1, 3)
    assert np.isnan(percentile_interval(np.zeros((0, 1)), 0.9)).all()
    assert np.isnan(percentile_interval(np.full((3, 1), NAN), 0.9)).all()


def test_resamples_have_as_many_units_as_the_corpus_whatever_the_blocks():
    one = np.concatenate(list(bootstrap_weights(4, 10, 3, rows=10)))
    blocks = list(bootstrap_weights(4, 10, 3, rows=4))
    assert [len(block) for block in blocks] == [4, 4, 2]
    assert np.array_equal(np.concatenate(blocks), one)
    assert set(one.sum(axis=1)) == {4}


def test_swaps_are_drawn_in_blocks_of_at_most_so_many():
    assert [len(block) for block in draw_swaps((3,), 10, 1, 12)] == [4, 4, 2]
    assert [len(block) for block in draw_swaps((3,), 2, 1, 1)] == [1, 1]
    assert [block.shape for block in draw_swaps((2, 3), 5, 1, 100)] == [(5, 2, 3)]


@pytest.mark.parametrize("amount", [0, -1])
def test_significance_needs_a_trial(amount: int):
    table, units = counts([1.0, 2], [2.0, 3]), each_row(2, "documents")
    with pytest.raises(InputError, match=r"\[E075\]"):
        randomise(table, whole, units, trials=amount)
    with pytest.raises(InputError, match=r"\[E075\]"):
        bootstrap(table, whole, units, resamples=amount)
    for confidence in (0, 1):
        with pytest.raises(InputError, match=r"\[E075\]"):
            bootstrap(table, whole, units, confidence=confidence)
    assert randomise(table, whole, units, trials=1).trials == 1
    assert bootstrap(table, whole, units, resamples=1).scores.tolist() == [3, 5]


def test_significance_after_holm_by_hand():
    """.01 · 3; .02 · 2 = .04; .03 · 1 is raised to it. Each family is by itself, and NaN is no hypothesis."""
    assert holm(np.array([0.03, 0.01, NAN, 0.02])) == pytest.approx([0.04, 0.03, NAN, 0.04], nan_ok=True)
    assert holm(np.array([0.03, 0.01, 0.02]), ["a", "b", "a"]) == pytest.approx([0.04, 0.01, 0.04])
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]


def test_the_level_itself_is_significant():
    assert is_significant(0.05, 0.05)
    assert is_significant(3 * (1 / 60), 0.05)
    assert not is_significant(0.0501, 0.05)
    assert not is_significant(NAN, 0.05)


def test_paired_t_by_hand():
    """Differences 1, 2, 3: mean 2, deviation 1, error 1/√3, t = 2√3; the quantile of t(2) at .975 is 4.302653."""
    found = paired_t(np.array([0.0, 0, 0, NAN]), np.array([1.0, 2, 3, 4]))
    assert (found.counts, found.differences) == (3, 2.0)
    assert found.statistics == pytest.approx(2 * 3**0.5)
    assert (found.low, found.high) == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    # With two degrees of freedom p = 1 - t / √(2 + t²).
    assert found.p_values == pytest.approx(1 - (12 / 14) ** 0.5)
    turned = paired_t(np.array([0.0, 0, 0]), np.array([1.0, 2, 3]), higher_is_better=False)
    assert (turned.statistics, turned.p_values) == pytest.approx((-2 * 3**0.5, 1 - (12 / 14) ** 0.5))
    alone = paired_t(np.array([0.0, NAN]), np.array([1.0, NAN]))
    assert (alone.counts, alone.differences) == (1, 1.0)
    assert np.isnan([alone.statistics, alone.p_values, alone.low]).all()
    assert np.isnan(paired_t(np.array([NAN]), np.array([1.0])).differences)
