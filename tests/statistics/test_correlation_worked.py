"""What is correlated with what, by scores that can be averaged on paper."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.statistics.correlation import (
    check_shapes,
    correlate,
    correlate_means,
    weighted_mean,
    weights_with_whole,
)
from endophora.statistics.units import Units, each_row

NAN = float("nan")


def test_correlation_of_means_leaves_missing_scores_out_of_the_mean():
    human = np.array([[1.0, 3], [4, NAN], [6, 6]])  # 2, 4, 6
    metrics = np.array([[[5.0, NAN], [7, 9], [6, 6]], [[NAN, NAN], [1, 1], [2, 2]]])  # 5, 8, 6 and -, 1, 2
    found = correlate_means(metrics, human, each_row(2, "documents"), resamples=20)
    # Around their means -2 0 2 and -4/3 5/3 -1/3: 2 / √(8 · 42/9).
    assert found.values == pytest.approx([2 / np.sqrt(8 * 42 / 9), 1])
    assert found.counts.tolist() == [3, 2]
    assert found.groups.tolist() == [1, 1]
    wmt = correlate_means(metrics, human, each_row(2, "documents"), coefficient="kendall-wmt", resamples=0)
    # 5 < 8, 5 < 6, 8 > 6: two of three.
    assert wmt.values == pytest.approx([1 / 3, 1])
    far = correlate_means(metrics, human, each_row(2, "documents"), coefficient="kendall-wmt", resamples=0, threshold=4)
    assert far.values[0] == 1


def test_correlation_counts_groups_that_have_a_coefficient():
    human = np.array([[1.0, 5, 1], [2, 5, 2], [3, 5, 3]])
    metrics = np.array([[[1.0, 1, 3], [2, 2, 2], [3, 3, 1]]])
    found = correlate(metrics, human, average="item", resamples=0)
    # 1 and -1; of the second item all are equal to people.
    assert (found.values[0], found.groups[0], found.counts[0]) == (pytest.approx(0), 2, 9)
    pooled = correlate(metrics, human, average="item", coefficient="kendall-wmt", resamples=0)
    assert (pooled.values[0], pooled.groups[0]) == (pytest.approx(0), 2)


def test_correlation_draws_units_or_systems():
    human = np.array([[1.0, 2, 3, 4], [2, 4, 3, 1]])
    metrics = np.array([[[1.0, 2, 4, 3], [2, 3, 4, 1]]])
    pair = Units("documents", np.array([0, 0, 1, 1]), 2)
    drawn = correlate(metrics, human, average="system", units=pair, resamples=200)
    # The first two or the last two items twice, or both: three values at most for each system.
    assert len({round(float(one), 9) for one in drawn.samples[:, 0]}) == 3
    one = Units("documents", np.zeros(4, dtype=np.intp), 1)
    assert np.isnan(correlate(metrics, human, average="system", units=one, resamples=20).low[0])
    of_systems = correlate(metrics, human, average="system", units=one, resamples=20, drawn="systems")
    assert not np.isnan(of_systems.low[0])


def test_correlation_means_weigh_what_is_there():
    values = np.array([[1.0, NAN, 4.0], [NAN, NAN, NAN]])
    assert weighted_mean(values, np.array([2.0, 5.0, 1.0]))[0] == 2
    assert np.isnan(weighted_mean(values, np.ones(3))[1])
    assert np.isnan(weighted_mean(values, np.array([0.0, 1.0, 0.0]))[0])


def test_correlation_has_the_whole_before_the_resamples():
    weights = weights_with_whole(3, 4, 1)
    assert weights.shape == (5, 3)
    assert weights[0].tolist() == [1, 1, 1]
    assert set(weights.sum(axis=1)) == {3.0}
    assert weights_with_whole(2, 0, 1).tolist() == [[1, 1]]


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 4), (1, 3, 3), (1, 1, 2, 3)])
def test_correlation_needs_scores_of_the_same_systems_and_items(shape: tuple[int, ...]):
    check_shapes(np.zeros((1, 2, 3)), np.zeros((2, 3)), each_row(3, "segments"))
    with pytest.raises(InputError, match=r"\[E110\].*do not fit human scores of shape \(2, 3\)"):
        check_shapes(np.zeros(shape), np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"\[E110\].*units of 2 items do not fit scores of 3"):
        check_shapes(np.zeros((1, 2, 3)), np.zeros((2, 3)), each_row(2, "segments"))
