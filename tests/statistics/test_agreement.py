"""Cohen's kappa: the tables of Cohen (1960) and hand-worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.statistics.agreement import kappa, pairwise_kappa, rater_table, verdicts

COHEN = np.array([[88.0, 14, 18], [10, 40, 10], [2, 6, 12]])
"""Two raters and 200 patients in three categories (Cohen, 1960): .70 observed, .41 expected, kappa .492."""


def test_kappa_of_cohen_1960():
    found = kappa(COHEN)
    assert (found.observed, found.expected, found.count) == (pytest.approx(0.70), pytest.approx(0.41), 200)
    assert found.value == pytest.approx(0.492, abs=5e-4)


def test_weighted_kappa_by_hand():
    """Linear, with distances 0, 1/2 and 1: observed (140 + 40 / 2) / 200 = .8, expected .41 + .2 + .07 …"""
    rows, columns = COHEN.sum(axis=1) / 200, COHEN.sum(axis=0) / 200
    near = rows[0] * columns[1] + rows[1] * (columns[0] + columns[2]) + rows[2] * columns[1]
    expected = 0.41 + near / 2
    found = kappa(COHEN, "linear")
    assert found.observed == pytest.approx(0.8)
    assert found.expected == pytest.approx(expected)
    assert found.value == pytest.approx((0.8 - expected) / (1 - expected))
    assert kappa(COHEN, "quadratic").observed == pytest.approx((140 + 40 * 3 / 4) / 200)


def test_two_categories_weigh_alike():
    table = np.array([[20.0, 5], [10, 15]])
    assert kappa(table).value == pytest.approx(0.4)
    assert kappa(table, "linear").value == kappa(table, "quadratic").value == pytest.approx(0.4)


def test_several_raters_and_missing_verdicts():
    ratings = [["a", "b", None, "a"], ["a", "b", "b", "b"], [None, None, "b", "a"]]
    found = pairwise_kappa(ratings, "ab")
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    assert found[0, 1].count == 3
    assert found[0, 1].value == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert found[0, 2].count == 1
    assert np.isnan(found[0, 2].value)  # one category only: chance agrees fully


def test_relative_ranking_is_agreement_on_pairs():
    """Two raters rank three outputs of two segments: of six verdicts five agree, if the tie counts as a verdict."""
    one = np.array([[1.0, 1], [2, 1], [3, 2]])
    other = np.array([[1.0, 1], [2, 2], [3, 3]])
    first, second = verdicts(one), verdicts(other)
    assert first == [-1, 0, -1, -1, -1, -1]
    assert second == [-1, -1, -1, -1, -1, -1]
    found = kappa(rater_table(first, second, (-1, 0, 1)))
    assert found.observed == pytest.approx(5 / 6)
    assert found.value == pytest.approx(0)
    assert verdicts(np.array([[1.0], [np.nan]])) == [None]


def test_no_shared_item_is_no_kappa():
    assert np.isnan(kappa(np.zeros((3, 3))).value)


def test_bad_tables_and_verdicts_are_refused():
    for table in (np.ones((2, 3)), -np.ones((2, 2)), np.full((2, 2), np.nan)):
        with pytest.raises(InputError, match=r"\[E125\]"):
            kappa(table)
    with pytest.raises(InputError, match=r"\[E125\]"):
        rater_table(["a"], ["a", "b"], "ab")
    with pytest.raises(InputError, match=r"\[E125\].*c"):
        rater_table(["a"], ["c"], "ab")


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=30), st.sampled_from(["none", "linear", "quadratic"]))
def test_a_rater_agrees_with_himself(ratings, weighting):
    found = kappa(rater_table(ratings, ratings, "abc"), weighting)
    assert np.isnan(found.value) if len(set(ratings)) == 1 else found.value == pytest.approx(1)
