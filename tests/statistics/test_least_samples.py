"""The fewest samples, trials, pairs and systems that a figure can have, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.statistics.accuracy import system_accuracy
from endophora.statistics.correlation import correlate
from endophora.statistics.significance import bootstrap_weights, percentile_interval


def test_the_interval_of_one_sample_is_that_sample():
    low, high = percentile_interval(np.array([[3.0, np.nan]]), 0.95)
    assert low[0] == high[0] == 3.0
    assert np.isnan([low[1], high[1]]).all()


def test_the_interval_of_two_samples_is_both():
    low, high = percentile_interval(np.array([[5.0], [1.0]]), 0.95)
    assert (low[0], high[0]) == (1.0, 5.0)


def test_half_of_four_samples_are_the_two_in_the_middle():
    low, high = percentile_interval(np.array([[4.0], [1.0], [3.0], [2.0]]), 0.5)
    assert (low[0], high[0]) == (2.0, 3.0)


def test_no_sample_has_no_interval():
    assert all(np.isnan(bound).all() for bound in percentile_interval(np.empty((0, 2)), 0.95))


def test_every_resample_has_as_many_units_as_there_are():
    blocks = list(bootstrap_weights(5, 7, 1, rows=3))
    assert [len(block) for block in blocks] == [3, 3, 1]
    assert all(block.dtype == np.float64 for block in blocks)
    assert np.vstack(blocks).sum(axis=1).tolist() == [5.0] * 7
    assert np.array_equal(np.vstack(blocks)[:3], next(bootstrap_weights(5, 3, 1, rows=3)))


def test_one_resample_of_systems_is_its_own_interval():
    metrics, human = np.array([[1.0, 2.0, 3.0]]), np.array([1.0, 3.0, 2.0])
    found = system_accuracy(metrics, human, resamples=1, seed=5)
    assert found.values.tolist() == [pytest.approx(2 / 3)]
    assert (found.agreeing.tolist(), found.pairs.tolist()) == ([2], [3])
    (weights,) = np.vstack(list(bootstrap_weights(3, 1, 5)))
    # Pairs of unlike systems, drawn as often as the product says; that of the last two is the one in the wrong order.
    pairs = {(0, 1): 1, (0, 2): 1, (1, 2): 0}
    total = sum(weights[a] * weights[b] for a, b in pairs)
    right = sum(weights[a] * weights[b] * ok for (a, b), ok in pairs.items())
    expected = right / total if total else np.nan
    assert np.array_equal([found.low[0], found.high[0]], [expected] * 2, equal_nan=True)


def test_a_group_with_one_pair_counts_as_a_group():
    metrics, human = np.array([[[1.0, 5.0], [2.0, 4.0]]]), np.array([[1.0, 7.0], [2.0, 7.0]])
    found = correlate(metrics, human, coefficient="kendall-wmt", average="item", resamples=0)
    # The second item has a tie of the people, which is no pair; the first one is in the right order.
    assert found.values.tolist() == [1.0]
    assert found.groups.tolist() == [1]
