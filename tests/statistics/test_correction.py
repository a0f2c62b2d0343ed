from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from endophora.statistics import holm


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
