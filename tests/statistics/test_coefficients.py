"""Coefficients, pairs and resamples so small that they are counted on paper."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.statistics import correlation as module
from endophora.statistics.correlation import _parts, _weighted_ranks, kendall, pearson, spearman, wmt_pairs

NAN = float("nan")
ONCE = np.ones((1, 3))


def row(*values: float) -> np.ndarray:
    return np.array([values], dtype=float)


def test_coefficients_of_wmt_count_each_pair_as_often_as_both_are_drawn():
    metric, human = row(1, 3, 2), row(1, 2, 3)
    balance, total = wmt_pairs(metric, human, np.array([[1.0, 1, 1], [2, 1, 0], [0, 1, 3], [1, 0, 0]]))
    # Two pairs in people's order and one not; then the first pair twice; the last, discordant, three times; none.
    assert balance[:, 0].tolist() == [1, 2, -3, 0]
    assert total[:, 0].tolist() == [3, 2, 3, 0]


def test_coefficients_of_wmt_leave_out_ties_of_people_and_what_is_missing():
    balance, total = wmt_pairs(row(1, 1, 2, NAN), row(1, 2, 2, 3), np.ones((1, 4)))
    # (1, 2): the metric's tie is an error; (1, 3) agrees; (2, 3) is people's tie; the fourth has no score.
    assert (balance[0, 0], total[0, 0]) == (0, 2)


def test_coefficients_of_wmt_refuse_more_pairs_than_can_be_looked_at(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LARGEST", 6)
    assert wmt_pairs(row(1, 2, 3), row(1, 2, 3), np.ones((2, 3)))[1].tolist() == [[3], [3]]
    with pytest.raises(InputError, match=r"\[E111\].*3 scores in one list.*average “item”"):
        wmt_pairs(row(1, 2, 3), row(1, 2, 3), np.ones((3, 3)))


def test_coefficients_are_computed_in_blocks_that_cover_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BLOCK", 4)
    assert [(one.start, one.stop) for one in _parts(5, 2)] == [(0, 2), (2, 4), (4, 6)]
    assert [(one.start, one.stop) for one in _parts(2, 9)] == [(0, 1), (1, 2)]
    assert [(one.start, one.stop) for one in _parts(3, 0)] == [(0, 4)]


@pytest.mark.parametrize("coefficient", [spearman, kendall, lambda *given: np.stack(wmt_pairs(*given))])
def test_coefficients_do_not_depend_on_the_size_of_blocks(coefficient, monkeypatch: pytest.MonkeyPatch):
    generator = np.random.default_rng(1)
    x, y = generator.integers(0, 4, size=(2, 3, 7)).astype(float)
    weights = generator.integers(0, 3, size=(5, 7)).astype(float)
    whole, once = coefficient(x, y, weights), coefficient(x, y, np.ones((1, 7)))
    monkeypatch.setattr(module, "BLOCK", 20)
    assert coefficient(x, y, weights) == pytest.approx(whole, nan_ok=True)
    assert coefficient(x, y, np.ones((1, 7))) == pytest.approx(once, nan_ok=True)


def test_ranks_of_a_resample_are_the_middle_of_those_that_equal_values_take():
    ranks = _weighted_ranks(np.array([5.0, 3.0, 5.0, 9.0]), np.array([[1.0, 1, 1, 1], [2, 1, 1, 2]]))
    # 3 5 5 9 → 1 2.5 2.5 4; 3 5 5 5 9 9 → 1 3 3 3 5.5 5.5.
    assert ranks.tolist() == [[2.5, 1, 2.5, 4], [3, 1, 3, 5.5]]


def test_spearman_of_a_resample_is_that_of_its_own_ranks():
    """1 1 3 and 4 4 2, of the positions drawn twice, not and once, are in opposite order."""
    assert spearman(row(1, 2, 3), row(4, 1, 2), np.array([[2.0, 0, 1]]))[0, 0] == pytest.approx(-1)
    assert np.isnan(spearman(row(1, 2, 3), row(4, 1, 2), np.array([[3.0, 0, 0]]))[0, 0])
    assert np.isnan(spearman(row(NAN, NAN, NAN), row(4, 1, 2), ONCE)[0, 0])
    # 1 3 2 against 2 3 1 without the missing one: d is 1, 0, 1 and rho 1 - 6 · 2 / (3 · 8).
    assert spearman(row(1, 30, 2, NAN), row(2, 3, 1, 9), np.ones((1, 4)))[0, 0] == pytest.approx(0.5)


def test_kendall_of_cells_draws_what_belongs_together():
    x, y, cells = row(1, 2, 3, 4), row(2, 1, 3, 4), np.array([0, 0, 1, 1])
    found = kendall(x, y, np.array([[1.0, 1], [1, 0], [0, 1], [2, 0], [0, 0]]), cells)[:, 0]
    # Five pairs of six; the first cell alone, in the wrong order, once or twice; the second in the right one; nothing.
    assert found[:4] == pytest.approx([4 / 6, -1, 1, -1])
    assert np.isnan(found[4])
    # Cells need not be in the order of the positions.
    turned = kendall(x[:, ::-1], y[:, ::-1], np.array([[1.0, 0]]), np.array([1, 1, 0, 0]))
    assert turned[0, 0] == pytest.approx(-1)


@pytest.mark.parametrize("small", [1, 64])
def test_kendall_is_the_same_by_pairs_and_by_sorting(monkeypatch: pytest.MonkeyPatch, small: int):
    monkeypatch.setattr(module, "SMALL", small)

    def tau(x: np.ndarray, y: np.ndarray) -> float:
        return float(kendall(x, y, np.ones((1, x.shape[1])))[0, 0])

    assert tau(row(1, 2, 3, NAN), row(1, 3, 2, 9)) == pytest.approx(1 / 3)
    # A tie on one side: two pairs of three are untied there.
    assert tau(row(1, 1, 2), row(1, 2, 3)) == pytest.approx(2 / np.sqrt(2 * 3))
    assert tau(row(1, 2, NAN), row(5, 6, 7)) == pytest.approx(1)
    assert np.isnan(tau(row(1, NAN, NAN), row(5, 6, 7)))
    assert np.isnan(tau(row(1, 1, 1), row(5, 6, 7)))


def test_pearson_knows_neither_size_nor_shift_and_nothing_of_what_is_constant():
    assert pearson(row(1e300, 2e300, 3e300), row(1e-9, 2e-9, 3e-9), ONCE)[0, 0] == pytest.approx(1)
    # Around the mean: -1 0 1 and 0 1 -1: -1 / 2.
    assert pearson(row(1001, 1002, 1003), row(2, 3, 1), ONCE)[0, 0] == pytest.approx(-0.5)
    assert np.isnan(pearson(row(0.1, 0.1, 0.1), row(1, 2, 3), ONCE)[0, 0])
    assert np.isnan(pearson(row(1, 2, 3), row(0, 0, 0), ONCE)[0, 0])
    assert np.isnan(pearson(row(1, NAN, 3), row(1, 2, NAN), ONCE)[0, 0])
    assert pearson(row(1, NAN, 3, 4), row(5, 1, 4, NAN), np.ones((1, 4)))[0, 0] == pytest.approx(-1)
    assert pearson(row(1, 2, 3), row(1, 2, 9), np.array([[1.0, 1, 0]]))[0, 0] == pytest.approx(1)
