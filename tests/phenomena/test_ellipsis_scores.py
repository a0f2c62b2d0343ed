"""Precision, recall, F1 and their intervals against scipy and hand-worked figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from endophora.phenomena.ellipsis_classifier import Counts, count, wilson


@given(st.integers(1, 300), st.integers(0, 300), st.sampled_from([0.9, 0.95, 0.99]))
def test_wilsons_interval_is_that_of_scipy(trials: int, successes: int, confidence: float):
    successes = min(successes, trials)
    expected = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_nothing_is_known_of_no_trials():
    assert wilson(0, 0) == (0, 1)
    assert Counts(0, 0, 0, 5).f1 == 0


def test_figures_of_hand_worked_counts():
    counts = count([True, True, True, False, False, False], [True, True, False, True, False, False])
    assert counts == Counts(found=2, wrong=1, missed=1, passed=2)
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert "precision 0.667 [0.208, 0.939]" in str(counts)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_every_figure_lies_in_its_interval_and_f1_is_the_harmonic_mean(found: int, wrong: int, missed: int):
    counts = Counts(found, wrong, missed, 9)
    total = counts.precision + counts.recall
    assert counts.f1 == pytest.approx(2 * counts.precision * counts.recall / total if total else 0)
    for name in ("precision", "recall", "f1"):
        low, high = getattr(counts, f"{name}_interval")()
        assert low - 1e-9 <= getattr(counts, name) <= high + 1e-9
