"""What the units, swaps and draws of resampling are, written out."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.statistics.significance import bootstrap_weights, draw_swaps, holm, is_significant
from endophora.statistics.units import Units, at_least, baseline_index, choose_units, each_row


def test_units_apart_are_rows_of_their_own_with_the_same_kind_and_warning():
    found = Units("documents", np.array([0, 0, 1]), 2, ("few",)).apart()
    assert (found.kind, found.index.tolist(), found.count, found.warnings) == ("documents", [0, 1], 2, ("few",))


def test_units_of_nothing_have_sums_of_nothing():
    assert each_row(0, "segments").sums(np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert (choose_units([]).count, choose_units(["a"]).kind) == (0, "segments")


def test_units_that_take_part_in_no_group_have_sums_of_zero():
    statistics = np.array([[[1.0], [2.0], [4.0]], [[10.0], [20.0], [40.0]]])
    members = np.array([[True, False], [True, True], [False, False]])
    sums = Units("documents", np.array([0, 1, 2]), 3).group_sums(statistics, members)
    assert sums[..., 0].tolist() == [[[1, 0], [2, 2], [0, 0]], [[10, 0], [20, 20], [0, 0]]]


def test_units_reach_a_threshold_up_to_a_rounding_error_of_the_scale():
    values = np.array([1.0, 1 - 1e-11, 1 - 1e-9])
    assert at_least(values, np.array(1.0), np.array(1.0)).tolist() == [True, True, False]
    assert at_least(values, np.array(1.0), np.array(100.0)).tolist() == [True, True, True]


def test_units_are_compared_with_one_system_or_one_for_each_column():
    statistics = np.zeros((2, 4, 3))
    assert baseline_index(statistics, 1) == (1,)
    rows, columns = baseline_index(statistics, [1, 0, 1])
    assert (rows.tolist(), columns.tolist()) == ([1, 0, 1], [0, 1, 2])
    for wrong in (2, -1):
        with pytest.raises(InputError, match=rf"\[E076\].*the baseline is system {wrong}, and there are 2"):
            baseline_index(statistics, wrong)
    with pytest.raises(InputError) as raised:
        baseline_index(statistics, [3, 0, 2, 3])
    assert [one.cause[:24] for one in raised.value.faults] == ["the baseline is system 2", "the baseline is system 3"]


def test_resamples_have_as_many_units_as_there_are_and_are_drawn_in_blocks():
    blocks = list(bootstrap_weights(4, 5, 1, rows=2))
    assert [one.shape for one in blocks] == [(2, 4), (2, 4), (1, 4)]
    assert {float(one) for block in blocks for one in block.sum(axis=1)} == {4.0}
    assert [one.shape for one in bootstrap_weights(0, 3, 1)] == [(3, 0)]
    many = next(iter(bootstrap_weights(5, 1000, 1)))
    assert many.mean(axis=0) == pytest.approx([1] * 5, abs=0.15)


def test_swaps_come_in_blocks_and_are_of_every_second_item():
    blocks = list(draw_swaps((3,), 5, 1, 6))
    assert [one.shape for one in blocks] == [(2, 3), (2, 3), (1, 3)]
    assert [one.shape for one in draw_swaps((2, 3), 2, 1, 1)] == [(1, 2, 3), (1, 2, 3)]
    [many] = draw_swaps((2,), 4000, 1, 8000)
    assert many.dtype == np.bool_
    assert many.mean() == pytest.approx(0.5, abs=0.03)
    assert not np.array_equal(many, next(draw_swaps((2,), 4000, 2, 8000)))


def test_holm_never_makes_a_larger_p_the_smaller_one():
    # Sorted .01 .02 .03: 3 · .01, 2 · .02, then 1 · .03 raised to .04.
    assert holm(np.array([0.03, 0.01, 0.02])) == pytest.approx([0.04, 0.03, 0.04])
    given = np.array([0.5, 0.01])
    holm(given)
    assert given.tolist() == [0.5, 0.01]
    assert not is_significant(float("nan"), 0.05)
