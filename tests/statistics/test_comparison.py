"""The kernel that studies share: figures, tests against baselines, families, and what is not tested.

Six rows, in each of which the first system gets 5 of 10. All 2⁶ ways of swapping are tried: differences of one sign and
size reach their sum in 2 of 64 ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from endophora.errors import Fault, InputError
from endophora.signature import keyed
from endophora.statistics.comparison import Table, compare, find_baseline, in_a_column, percentage, quotient
from endophora.statistics.resampling import Bootstrapping, Resampling
from endophora.statistics.significance import bootstrap, randomise
from endophora.statistics.units import Units, choose_units, each_row

ROWS = each_row(6, "documents")


def table(*rights: float, counted: int = 10, **more: Any) -> Table[str]:
    """One column; each system has so many right of ten in every row."""
    statistics = np.array([[[[right, counted]]] * 6 for right in rights], dtype=float)
    return Table(columns=["c"], statistics=statistics, score=quotient, units=ROWS, **more)


def test_a_system_differs_from_the_baseline_by_what_hand_and_count_say():
    (found,) = compare([table(5, 6, 4, baseline=0)], Resampling())
    assert found.difference(0, 0) is None
    better, worse = found.difference(1, 0), found.difference(2, 0)
    assert better is not None
    assert worse is not None
    assert better["difference"] == pytest.approx(0.1)
    assert worse["difference"] == pytest.approx(-0.1)
    assert (better["p_value"], better["p_adjusted"], better["significant"]) == (2 / 64, 4 / 64, False)
    assert found.figure(1, 0)["value"] == pytest.approx(0.6)


def test_a_difference_can_be_given_from_the_other_side():
    uneven = np.array([[[[5, 10]]] * 6, [[[5 + each, 10]] for each in (3, 2, 1, 0, 0, -1)]], dtype=float)
    (found,) = compare(
        [Table(columns=["c"], statistics=uneven, score=quotient, units=ROWS, baseline=0)], Bootstrapping()
    )
    there, back = found.difference(1, 0), found.difference(1, 0, turned=True)
    assert there is not None
    assert back is not None
    assert there["interval"]
    assert back["interval"]
    assert back["difference"] == -there["difference"]
    assert (back["interval"].low, back["interval"].high) == (-there["interval"].high, -there["interval"].low)
    assert back["p_value"] == there["p_value"]


def test_families_are_corrected_over_all_tables_each_by_itself():
    one = [table(5, 6, baseline=0, families=[name]) for name in ("a", "b", "a")]
    adjusted = [each.p_adjusted[1, 0] for each in compare(one, Resampling())]
    assert adjusted == [4 / 64, 2 / 64, 4 / 64]
    together = [each.p_adjusted[1, 0] for each in compare([table(5, 6, baseline=0)] * 3, Resampling())]
    assert together == [6 / 64] * 3


def test_what_has_not_enough_units_has_no_interval_no_test_and_is_no_hypothesis():
    masked = table(5, 6, baseline=0, enough=np.array([False]))
    hidden, shown = compare([masked, table(5, 6, baseline=0)], Resampling())
    assert hidden.figure(1, 0) == {"value": pytest.approx(0.6), "interval": None}
    assert hidden.difference(1, 0) is None
    assert shown.p_adjusted[1, 0] == 2 / 64


def test_without_a_baseline_nothing_is_tested():
    (found,) = compare([table(5, 6)], Resampling())
    assert found.figure(1, 0)["interval"] is not None
    assert found.difference(1, 0) is None


def test_without_resamples_there_are_values_alone():
    @keyed()
    @dataclass(frozen=True, slots=True)
    class Free(Resampling):
        least_resamples = 0

    (found,) = compare([table(5, 6, baseline=0)], Free(resamples=0))
    assert found.figure(1, 0) == {"value": pytest.approx(0.6), "interval": None}
    assert found.difference(1, 0) is None


def test_p_values_without_a_test_of_their_own_are_those_of_the_bootstrap():
    uneven = np.array([[[5, 10]] * 6, [[5 + each, 10] for each in (3, 2, 1, 0, 0, -1)]], dtype=float)
    one = Table(columns=["c"], statistics=uneven, score=in_a_column(quotient), units=ROWS, baseline=0)
    for two_sided in (False, True):
        (found,) = compare([one], Bootstrapping(), two_sided=two_sided)
        drawn = bootstrap(uneven, quotient, ROWS, seed=1, two_sided=two_sided)
        assert found.p_values[1, 0] == drawn.p_values[1]


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("rows", "least"), [(2, 1 / 2), (5, 1 / 16), (6, 1 / 100)])
def test_a_bootstrap_of_few_units_is_no_surer_than_randomisation_can_be(rows: int, least: float, two_sided: bool):
    """The same difference in every row is never reached by chance: of 99 resamples p would be 1/100."""
    statistics = np.array([[[[right, 10]]] * rows for right in (5, 6, 5)], dtype=float)
    units = each_row(rows, "segments")
    few = Table(columns=["c"], statistics=statistics, score=quotient, units=units, baseline=0)
    (found,) = compare([few], Resampling(test="bootstrap", resamples=99), two_sided=two_sided)
    assert found.p_values[1:, 0].tolist() == [least, 1]
    assert found.p_adjusted[1, 0] == 2 * least
    (exact,) = compare([few], Resampling())
    assert exact.p_values[1, 0] == 2 / 2**rows


def test_values_can_be_over_some_rows_alone():
    statistics = np.array([[[float(row), 1.0]] for row in range(6)])[None].repeat(2, axis=0)
    one = Table(columns=["c"], statistics=statistics, score=quotient, units=ROWS)
    assert one.values().tolist() == [[2.5], [2.5]]
    assert one.values(np.arange(6) > 3).tolist() == [[4.5], [4.5]]
    assert one.values(np.array([np.arange(6) > 3, np.arange(6) < 1])).tolist() == [[4.5], [0.0]]
    assert np.isnan(one.values(np.zeros(6, dtype=bool))).all()


def test_the_baseline_is_a_name_or_the_best_of_those_with_a_value():
    values = np.array([np.nan, 2.0, 3.0, 3.0])
    assert find_baseline("b", "abcd") == 1
    assert find_baseline("best", "abcd", values) == 2
    assert find_baseline("best", "abcd", values, higher_is_better=False) == 1
    assert find_baseline("best", "abcd", np.full(4, np.nan)) == 0
    with pytest.raises(InputError, match=r"\[E105\].*“x”.*a, b or best"):
        find_baseline("x", "ab", values[:2])
    with pytest.raises(InputError, match=r"\[E105\].*“best”.*a, b"):
        find_baseline("best", "ab")


@pytest.mark.parametrize("test", ["bootstrap", "approximate-randomisation"])
def test_the_segments_of_a_single_document_tell_no_systems_apart(test: str):
    """Exchanging the only document or not are two outcomes of one probability: p is 1."""
    statistics = np.stack([np.column_stack([right, np.ones(40)]) for right in (np.ones(40), np.zeros(40))])
    options = Resampling(resamples=100, test=test)

    def found(units: Units):
        table = Table(columns=["x"], statistics=statistics, score=in_a_column(quotient), units=units, baseline=0)
        return compare([table], options)[0].difference(1, 0)

    single, asked = found(choose_units(["d"] * 40)), found(choose_units(["d"] * 40, "segments"))
    assert single is not None
    assert asked is not None
    assert (single["p_value"], single["significant"], asked["significant"]) == (1.0, False, True)


def test_groups_are_summed_within_units():
    units = choose_units(["x", "y", "x", "z", "w", "v", "u"])
    members = np.array([[True, index % 2 == 0] for index in range(7)])
    values = np.arange(14, dtype=float).reshape(1, 7, 2)
    sums = units.group_sums(values, members)
    assert sums.shape == (1, 6, 2, 2)
    assert sums[0, 0].tolist() == [[4, 6], [4, 6]]
    assert sums[0, 1].tolist() == [[2, 3], [0, 0]]
    assert sums[0, :, 1].sum(axis=0).tolist() == values[0, ::2].sum(axis=0).tolist()
    apart = units.apart()
    assert (apart.kind, apart.count, apart.index.tolist()) == ("documents", 6, list(range(6)))


def test_percentage_and_quotient_know_nothing_of_nothing():
    sums = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert percentage(sums)[0] == 75
    assert np.isnan(percentage(sums)[1])
    assert quotient(sums)[0] == 0.75
    assert np.isnan(quotient(sums)[1])


def test_options_of_a_study_are_checked_together_with_those_of_statistics():
    @keyed()
    @dataclass(frozen=True, slots=True)
    class Own(Resampling):
        size: int = 1
        known_tests = ("bootstrap",)

        def faults(self) -> list[Fault]:
            return [Fault("E326", f"{self.size} is too small", "more")] if self.size < 1 else []

    with pytest.raises(InputError) as raised:
        Own(size=0, alpha=2, test="approximate-randomisation")
    assert [fault.code for fault in raised.value.faults] == ["E075", "E075", "E326"]
    assert Own(test="bootstrap", resamples=7, trials_per_resample=3).trials == 21


def uneven(rows: int, seed: int = 4) -> np.ndarray:
    """Three systems, so many rows, two columns that are scored as quotients."""
    return np.random.default_rng(seed).integers(1, 9, size=(3, rows, 2, 2)).astype(float)


@pytest.mark.parametrize("test", ["bootstrap", "approximate-randomisation"])
def test_every_option_of_resampling_reaches_the_test(test: Any):
    statistics, units = uneven(25), each_row(25, "segments")
    options = Resampling(test=test, resamples=60, trials_per_resample=4, confidence=0.7, seed=9)
    (found,) = compare([Table(columns="ab", statistics=statistics, score=quotient, units=units, baseline=1)], options)
    drawn = bootstrap(statistics, quotient, units, baseline=1, resamples=60, confidence=0.7, seed=9)
    swapped = randomise(statistics, quotient, units, baseline=1, trials=240, seed=9)
    assert found.drawn is not None
    np.testing.assert_array_equal(found.drawn.low, drawn.low)
    np.testing.assert_array_equal(found.drawn.difference_high, drawn.difference_high)
    np.testing.assert_array_equal(found.p_values, (drawn if test == "bootstrap" else swapped).p_values)
    assert drawn.p_values[0, 0] != swapped.p_values[0, 0]


def test_two_systems_are_enough_for_a_test_and_one_is_not():
    statistics, units = uneven(25), each_row(25, "segments")
    two, one = compare(
        [Table(columns="ab", statistics=statistics[:size], score=quotient, units=units, baseline=0) for size in (2, 1)],
        Resampling(resamples=30),
    )
    assert not np.isnan(two.p_values[1]).any()
    assert np.isnan(one.p_values).all()


def test_a_column_scored_alone_is_asked_for_where_baselines_differ():
    statistics, units = uneven(25), each_row(25, "segments")
    asked: list[list[int]] = []

    def alone(columns: Any) -> Any:
        asked.append(list(columns))
        return lambda sums: quotient(sums)[..., list(columns)]

    table = Table(columns="ab", statistics=statistics, score=quotient, units=units, baseline=[2, 0], alone=alone)
    (found,) = compare([table], Resampling(resamples=20))
    assert asked == [[0], [1]]
    assert [found.baseline(0), found.baseline(1)] == [2, 0]
    assert np.isnan(found.p_values).tolist() == [[False, True], [False, False], [True, False]]


def test_no_difference_is_zero_from_either_side():
    (found,) = compare([table(5, 5, baseline=0)], Resampling())
    for turned in (False, True):
        difference = found.difference(1, 0, turned=turned)
        assert difference is not None
        assert str(difference["difference"]) == "0.0"
        assert (difference["p_value"], difference["significant"]) == (1.0, False)


def test_a_difference_at_the_level_is_significant():
    (found,) = compare([table(5, 6, baseline=0)], Resampling(alpha=2 / 64))
    (stricter,) = compare([table(5, 6, baseline=0)], Resampling(alpha=2 / 65))
    verdicts = [each.difference(1, 0) for each in (found, stricter)]
    assert [each is not None and each["significant"] for each in verdicts] == [True, False]


def test_without_a_baseline_the_first_system_stands_for_it():
    (found,) = compare([table(5, 6)], Resampling())
    assert found.baseline(0) == 0
    (second,) = compare([table(5, 6, baseline=1)], Resampling())
    assert second.baseline(0) == 1
    assert np.isnan(second.p_values[:, 0]).tolist() == [False, True]


def test_no_tables_are_no_comparisons():
    assert compare([], Resampling()) == []


def test_nobody_is_compared_with_a_baseline_that_has_too_little():
    enough = np.array([[False], [True], [True]])
    for baseline in (0, [0]):
        (found,) = compare([table(5, 6, 4, baseline=baseline, enough=enough)], Resampling())
        assert np.isnan(found.p_values).all()
    (found,) = compare([table(5, 6, 4, baseline=1, enough=enough)], Resampling())
    assert found.difference(0, 0) is None
    assert found.difference(2, 0) is not None
