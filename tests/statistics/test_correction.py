from __future__ import annotations

import ast
from collections.abc import Iterator
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import endophora
from endophora.statistics.significance import holm, is_significant, randomise
from endophora.statistics.units import each_row


def test_hand_worked_case():
    # 4 × .005, 3 × .01, 2 × .03, 1 × .04 raised to the one before it.
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])


def test_adjusted_values_stop_at_one():
    assert holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]


def test_nan_is_no_hypothesis_and_shapes_stay():
    p_values = np.array([[np.nan, 0.02], [0.01, np.nan]])
    np.testing.assert_allclose(holm(p_values), [[np.nan, 0.02], [0.02, np.nan]])
    assert np.isnan(p_values).sum() == 2


def test_nothing_to_test():
    assert holm(np.array([])).tolist() == []
    assert np.isnan(holm(np.full((2, 2), np.nan))).all()


@given(arrays.arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1)), st.floats(0.001, 0.5))
def test_rejects_what_the_step_down_procedure_rejects(p_values: np.ndarray, alpha: float):
    rejected = np.zeros(len(p_values), dtype=bool)
    for step, index in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[index] * (len(p_values) - step) > alpha:
            break
        rejected[index] = True
    assert ((holm(p_values) <= alpha) == rejected).all()


def test_each_family_of_columns_is_corrected_by_itself():
    p_values = np.array([[0.01, 0.02, np.nan, 0.01], [0.03, 0.04, 0.5, 0.04]])
    # “a” holds columns 0 and 2: .01 × 3, .03 × 2, .5; “b” columns 1 and 3: .01 × 4, .02 × 3, .04 × 2, .04 raised.
    expected = [[0.03, 0.06, np.nan, 0.04], [0.06, 0.08, 0.5, 0.08]]
    np.testing.assert_allclose(holm(p_values, ["a", "b", "a", "b"]), expected)
    np.testing.assert_allclose(holm(p_values[1], ["a", "b", "a", "b"]), [0.06, 0.08, 0.5, 0.08])
    np.testing.assert_allclose(holm(p_values, "aaaa"), holm(p_values))
    assert holm(np.array([]), []).tolist() == []


def test_the_level_itself_is_significant_and_nothing_above_it():
    assert is_significant(0.05, 0.05)
    assert is_significant(0.049, 0.05)
    assert not is_significant(0.0500001, 0.05)
    assert not is_significant(np.nan, 0.05)


def test_rounding_does_not_move_a_corrected_p_off_the_level():
    # As from 20 × tests − 1 trials, none of which reaches the difference.
    for tests in range(1, 200):
        assert is_significant(holm(np.full(tests, 1 / (20 * tests)))[0], 0.05), tests


@pytest.mark.parametrize("alpha", [2 / 64, 0.05, 14 / 64, 0.3, 44 / 64])
def test_a_randomisation_test_rejects_at_its_level_and_not_beyond_it(alpha: float):
    # If the systems do not differ, the signs of six equal differences are 64 equally likely outcomes.
    rejected = 0
    for turned in range(7):
        changes = np.array([-1.0] * turned + [1.0] * (6 - turned))
        statistics = np.stack([np.zeros((6, 1)), changes[:, None]])
        p_value = randomise(statistics, lambda sums: sums[..., 0], each_row(6, "documents")).p_values[1]
        rejected += comb(6, turned) * is_significant(p_value, alpha)
    assert rejected / 64 <= alpha
    # No other border rejects more within the level: the next p-value is above it.
    assert rejected / 64 == max((p for p in (2 / 64, 14 / 64, 44 / 64, 1) if p <= alpha), default=0)


def comparisons_with_a_level(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            names = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node)}
            if "alpha" in names:
                yield node.lineno


def test_what_is_significant_is_decided_in_one_place():
    root = Path(endophora.__file__).parent
    found = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if "alpha" in (text := file.read_text("utf-8")) and any(comparisons_with_a_level(ast.parse(text)))
    }
    assert found == {"statistics/significance.py"}


def test_every_legend_says_that_the_level_itself_is_significant():
    root = Path(endophora.__file__).parent
    for file in (*root.glob("report/*.py"), *root.glob("cli/*_tables.py")):
        lines = file.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if "alpha:g}" in line:
                assert "p ≤ " in "".join(lines[number - 1 : number + 1]), f"{file.name}:{number + 1}"
