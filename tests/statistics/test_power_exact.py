"""The power of a test on so few units that its bounds can be worked out."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.statistics.power import Power, _draws, _swaps, pulls, unit_sizes
from endophora.statistics.units import Units

F = np.float32


def test_power_of_all_swaps_is_that_of_each_number_in_binary():
    assert _swaps(2, 0, exact=True, seed=1).tolist() == [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    drawn = _swaps(3, 500, exact=False, seed=1)
    assert drawn.shape == (500, 3)
    assert set(np.unique(drawn)) == {-1, 1}
    assert abs(drawn.mean()) < 0.1
    assert np.array_equal(drawn, _swaps(3, 500, exact=False, seed=1))
    assert not np.array_equal(drawn, _swaps(3, 500, exact=False, seed=2))


def test_power_of_resamples_draws_as_many_units_as_there_are():
    drawn = _draws(4, 300, seed=1)
    assert drawn.shape == (300, 4)
    assert set(drawn.sum(axis=1)) == {4}
    assert drawn.mean() == 1


def found(noise: list[float], level: float, units: int = 6) -> float:
    """Return from which difference on all 2⁶ swaps reject: six units of the same size."""
    shares = np.full((1, units), 1 / units, F)
    return float(Power(level, 100)._found(np.array([noise], F), shares)[0])


def test_power_without_noise_finds_any_difference_where_two_of_64_ways_are_few_enough():
    """Without noise a trial of swaps reaches no difference above 0 except with none or all swapped: p is 2 / 64."""
    assert found([0.0] * 6, 2 / 64) == 0
    assert found([0.0] * 6, 0.99 * 2 / 64) == np.inf
    assert found([0.0] * 6, 1 / 64) == np.inf


def test_power_with_one_unit_apart_needs_what_the_worst_allowed_swap_leaves():
    """One unit is 1 lower than the others' 0, all of size 1/6, and the true difference is d.

    The whole is d - 1. Swapping the one alone gives d · 4/6 + 1, and reaches it as long as d ≤ 6; swapping another
    alone, d · 4/6 - 1, not for d > 0. At 2/64 no swap but none and all may reach it, so d is 6; at 4/64 the one alone
    and its opposite may as well, and the next are those of it and another, d · 2/6 + 1: d ≤ 3.
    """
    noise = [-1.0, 0, 0, 0, 0, 0]
    assert found(noise, 2 / 64) == pytest.approx(6)
    assert found(noise, 3.9 / 64) == pytest.approx(6)
    assert found(noise, 4 / 64) == pytest.approx(3)


def test_power_of_drawn_swaps_counts_the_found_one_as_a_trial():
    """The smallest p-value of 99 drawn trials, none of which reaches it, is 1 / 100."""
    shares, noise = np.full((1, 40), 1 / 40, F), np.zeros((1, 40), F)
    assert np.isfinite(Power(0.01, 99)._found(noise, shares)[0])
    assert Power(0.0099, 99)._found(noise, shares)[0] == np.inf


def test_power_is_asked_of_two_units_with_sizes_at_least():
    assert Power(0.5, 100).smallest_difference(np.zeros(2), np.ones(2)) < np.inf
    assert Power(0.5, 100).smallest_difference(np.zeros(1), np.ones(1)) == np.inf
    assert Power(0.5, 100).smallest_difference(np.zeros(2), np.zeros(2)) == np.inf


def test_power_depends_on_the_ratios_of_sizes_alone():
    changes = np.linspace(-1, 1, 8)
    power = Power(0.1, 500)
    assert power.smallest_difference(changes, np.ones(8)) == pytest.approx(
        power.smallest_difference(changes, np.full(8, 7.0)), rel=1e-5
    )
    # A true difference is nothing of the noise: it is taken off first.
    assert power.smallest_difference(changes + 5.0, np.ones(8)) == pytest.approx(
        power.smallest_difference(changes, np.ones(8)), rel=1e-4
    )


def test_units_without_a_score_pull_by_nothing_and_rows_are_sizes_where_columns_differ():
    counts = np.array([[[1.0, 2.0], [0.0, 0.0]]])
    units = Units("documents", np.array([0, 1]), 2)

    def score(sums: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (sums[..., 0] / sums[..., 1])[..., None]

    assert pulls(counts, score, units)[0, :, 0].tolist() == [0.0, 0.0]
    assert unit_sizes(counts, 3, units).shape == (1, 2, 3)
    assert unit_sizes(counts, 3, Units("documents", np.array([0, 0]), 1)).tolist() == [[[2.0, 2.0, 2.0]]]
