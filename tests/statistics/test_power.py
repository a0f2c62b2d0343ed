"""The smallest difference that a test set tells: against formulas, and against the tests themselves."""

import numpy as np
import pytest
from scipy.stats import norm

from endophora.statistics.comparison import in_a_column, quotient
from endophora.statistics.power import POWER, Power, _draws, _swaps, pulls, unit_sizes
from endophora.statistics.significance import bootstrap, randomise
from endophora.statistics.units import Units, each_row


def normal(units: int) -> np.ndarray:
    """What units of a mean 0 and a standard deviation 1 add to a difference of means."""
    values = norm.ppf((np.arange(units) + 0.5) / units)
    return values / values.std() / units


@pytest.mark.parametrize(("units", "level"), [(200, 0.05), (200, 0.001), (60, 0.05)])
def test_many_units_need_what_the_formula_for_paired_means_says(units: int, level: float):
    """(z of 1 - α/2 + z of the power) · σ / √n."""
    wanted = (norm.ppf(1 - level / 2) + norm.ppf(POWER)) / np.sqrt(units)
    assert Power(level, 10_000).smallest_difference(normal(units), np.ones(units)) == pytest.approx(wanted, rel=0.05)


def test_koehns_bootstrap_is_one_sided_and_so_tells_less():
    wanted = (norm.ppf(0.95) + norm.ppf(POWER)) / np.sqrt(200)
    found = Power(0.05, 1000, "bootstrap").smallest_difference(normal(200), np.ones(200))
    assert found == pytest.approx(wanted, rel=0.05)


def test_paired_right_and_wrong_judgments_need_what_mcnemars_test_does():
    """Of 400 judgments 10 % are right in the first system only and as many in the second: σ is √.2."""
    changes = np.repeat([1.0, -1.0, 0.0], [40, 40, 320]) / 400
    wanted = (norm.ppf(0.975) + norm.ppf(POWER)) * np.sqrt(0.2 / 400)
    assert Power(0.05, 10_000).smallest_difference(changes, np.ones(400)) == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("test", ["approximate-randomisation", "bootstrap"])
def test_the_test_itself_finds_that_difference_in_eight_of_ten_drawn_sets(test: str):
    generator = np.random.default_rng(5)
    units, level = 12, 0.05
    sizes = generator.integers(1, 20, units).astype(float)
    noise = generator.normal(size=units) * sizes**0.5 / sizes.sum()
    noise -= sizes / sizes.sum() * noise.sum()
    smallest = Power(level, 1000, test).smallest_difference(noise, sizes)
    found = 0
    for drawn in generator.integers(units, size=(150, units)):
        # Right and judged of two systems, whose scores differ by the noise and the true difference.
        rights = np.stack([np.zeros(units), (noise * sizes.sum() + smallest * sizes)[drawn]])
        counts = np.stack([rights, np.stack([sizes[drawn]] * 2)], axis=-1)
        run = bootstrap if test == "bootstrap" else randomise
        amount = {"resamples": 300} if test == "bootstrap" else {"trials": 1000}
        (p_value,) = run(counts, in_a_column(quotient), each_row(units, "documents"), **amount).p_values[1]
        found += p_value <= level
    assert found / 150 == pytest.approx(POWER, abs=0.1)


def test_six_documents_tell_nothing_at_one_in_a_hundred():
    """The least p-value of six documents is 2 / 64."""
    assert Power(0.03, 10_000).smallest_difference(normal(6), np.ones(6)) == np.inf
    assert Power(0.05, 10_000).smallest_difference(normal(6), np.ones(6)) < np.inf


def test_four_times_the_documents_tell_half_the_difference():
    once = Power(0.01, 10_000).smallest_difference(normal(50), np.ones(50))
    four = Power(0.01, 10_000).smallest_difference(normal(200), np.ones(200))
    assert once / four == pytest.approx(2, rel=0.08)


def test_nothing_counted_and_a_single_unit_tell_nothing():
    assert Power(0.05, 1000).smallest_difference(np.zeros(1), np.ones(1)) == np.inf
    assert Power(0.05, 1000).smallest_difference(np.zeros(9), np.zeros(9)) == np.inf


def test_a_unit_pulls_a_ratio_by_what_it_changes_when_left_out():
    counts = np.array([[[1.0, 2.0], [2.0, 2.0], [3.0, 6.0]]])
    units = Units("documents", np.array([0, 0, 1]), 2)
    assert pulls(counts, in_a_column(quotient), units)[0, :, 0] == pytest.approx([6 / 10 - 3 / 6, 6 / 10 - 3 / 4])
    assert unit_sizes(counts, 1, units).tolist() == [[[2.0], [1.0]]]
    assert unit_sizes(counts[:, :, None], 1, units).tolist() == [[[7.0], [9.0]]]


def test_power_swaps_in_all_ways_or_by_chance_and_draws_as_many_as_there_are():
    assert _swaps(2, 9, True, 1).tolist() == [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    swaps = _swaps(3, 500, False, 1)
    assert (swaps.shape, set(swaps.ravel().tolist())) == ((500, 3), {-1.0, 1.0})
    assert abs(swaps.mean()) < 0.1
    draws = _draws(4, 500, 1)
    assert (draws.shape, set(draws.sum(axis=1).tolist())) == ((500, 4), {4.0})
    assert draws.mean(axis=0) == pytest.approx([1] * 4, abs=0.15)


def test_power_sizes_have_units_without_rows_and_every_system():
    units = Units("documents", np.array([0, 0, 1]), 3)
    assert unit_sizes(np.ones((2, 3, 4)), 2, units).tolist() == [[[2, 2], [1, 1], [0, 0]]] * 2


def test_power_takes_a_unit_for_nothing_without_which_there_is_no_score():
    counts = np.array([[[1.0, 2.0], [0.0, 0.0]]])
    assert pulls(counts, in_a_column(quotient), each_row(2, "documents"))[0, :, 0].tolist() == [0, 0]


def test_power_depends_on_ratios_of_sizes_and_not_on_the_difference_that_is_there():
    sizes = np.array([1.0, 2, 3, 1, 2, 3, 1, 2])
    changes = np.array([3.0, -2, 1, -1, 2, -3, 1, -1]) / 40
    plain = Power(0.05, 300).smallest_difference(changes, sizes)
    assert Power(0.05, 300).smallest_difference(changes, 7 * sizes) == pytest.approx(plain)
    shifted = changes + 0.3 * sizes / sizes.sum()
    assert Power(0.05, 300).smallest_difference(shifted, sizes) == pytest.approx(plain, rel=1e-3)
    assert Power(0.05, 300).smallest_difference(3 * changes, sizes) == pytest.approx(3 * plain, rel=1e-3)


def test_power_of_five_documents_begins_at_the_least_p_that_they_have():
    """All of 32 ways of swapping; the one there is and its opposite reach it: 2 / 32."""
    assert Power(2 / 32, 32).smallest_difference(normal(5), np.ones(5)) < np.inf
    assert Power(1.99 / 32, 32).smallest_difference(normal(5), np.ones(5)) == np.inf
