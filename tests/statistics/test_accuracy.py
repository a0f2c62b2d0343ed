"""Pairwise accuracy: hand-worked examples, the published toolkit's values, and the search for epsilon by trying all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.statistics.accuracy import system_accuracy, tie_accuracy
from endophora.statistics.units import choose_units

NAN = float("nan")


def plain_accuracy(metric: np.ndarray, human: np.ndarray, epsilon: float) -> float:
    """By the definition: one pair after the other."""
    right, pairs = 0, 0
    for i in range(len(metric)):
        for j in range(i):
            change = metric[i] - metric[j]
            verdict = 0 if abs(change) <= epsilon else np.sign(change)
            right += verdict == np.sign(human[i] - human[j])
            pairs += 1
    return right / pairs


def test_system_accuracy_by_hand():
    human = np.array([4.0, 3.0, 2.0, 1.0])
    metrics = np.array([[4.0, 3, 2, 1], [1, 2, 3, 4], [4, 3, 1, 2], [4, 4, 2, NAN]])
    found = system_accuracy(metrics, human, resamples=50)
    assert found.agreeing.tolist() == [6, 0, 5, 2]
    assert found.pairs.tolist() == [6, 6, 6, 3]
    assert found.values == pytest.approx([1, 0, 5 / 6, 2 / 3])
    assert (found.low[0], found.high[0]) == (1, 1)


def test_agreement_on_a_tie_of_systems_counts():
    """The published toolkit's example: five of ten pairs."""
    found = system_accuracy(np.array([[1.0, 1, 2, 1, 2]]), np.array([1.0, 2, 3, 3, 4]), resamples=0)
    assert (found.agreeing[0], found.pairs[0]) == (5, 10)


def test_tie_accuracy_has_the_published_toolkits_values():
    """Its tests have .6 without a threshold, .4 with one of 2, and .7 with the best."""
    human, metric = np.array([[1.0, 2, 2, 3, 4]]), np.array([[[2.0, 1, 1.5, 5, 3]]])
    given = tie_accuracy(metric, human, average="none", epsilons=np.array([0.0]), resamples=0)
    assert given.values[0] == pytest.approx(0.6)
    assert not given.calibrated
    best = tie_accuracy(metric, human, average="none", resamples=0)
    assert best.values[0] == pytest.approx(0.7)
    assert best.epsilons[0] == pytest.approx(0.5)
    assert best.calibrated
    wide = tie_accuracy(metric, human, average="none", epsilons=np.array([2.0]), resamples=0)
    assert wide.values[0] == pytest.approx(0.4)


VALUES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.25, 3.0]), min_size=6, max_size=6)


@given(VALUES, VALUES, st.sampled_from(["none", "item", "system"]))
def test_no_threshold_is_better_than_the_one_found(metric, human, average):
    x, y = np.array(metric).reshape(3, 2), np.array(human).reshape(3, 2)
    found = tie_accuracy(x[None], y, average=average, resamples=0)
    groups = {"none": [(x.ravel(), y.ravel())], "item": zip(x.T, y.T, strict=True), "system": zip(x, y, strict=True)}
    cases = list(groups[average])
    candidates = sorted({0.0, *(abs(a - b) for a in metric for b in metric)})
    values = [np.mean([plain_accuracy(a, b, epsilon) for a, b in cases]) for epsilon in candidates]
    assert found.values[0] == pytest.approx(max(values))
    assert found.epsilons[0] == candidates[int(np.argmax(np.array(values) >= max(values) - 1e-9))]


def test_groups_weigh_alike_however_many_scores_are_missing():
    human = np.array([[3.0, 1], [2, 2], [1, NAN]])
    metric = np.array([[[3.0, 2], [2, 1], [1, 5]]])
    found = tie_accuracy(metric, human, epsilons=np.array([0.0]), resamples=0)
    assert found.values[0] == pytest.approx((1 + 0) / 2)
    assert found.pairs[0] == 4


def test_intervals_draw_documents_with_the_threshold_kept():
    rng = np.random.default_rng(1)
    human = rng.integers(0, 3, size=(5, 40)).astype(float)
    metric = (human + rng.normal(size=human.shape))[None]
    units = choose_units([i // 4 for i in range(40)])
    one, two = (tie_accuracy(metric, human, units=units, resamples=200, seed=3) for _ in range(2))
    assert one.low[0] < one.values[0] < one.high[0]
    assert (one.low[0], one.high[0]) == (two.low[0], two.high[0])


def test_nothing_to_compare_is_no_accuracy():
    empty = tie_accuracy(np.full((1, 2, 2), NAN), np.ones((2, 2)), resamples=10)
    assert np.isnan([empty.values[0], empty.epsilons[0], empty.low[0]]).all()
    assert np.isnan(system_accuracy(np.ones((1, 1)), np.ones(1)).values[0])


def test_bad_thresholds_and_too_many_pairs_are_refused():
    with pytest.raises(InputError, match=r"\[E110\]"):
        tie_accuracy(np.ones((1, 2, 2)), np.ones((2, 2)), epsilons=np.array([-1.0]))
    with pytest.raises(InputError, match=r"\[E111\]"):
        tie_accuracy(np.ones((1, 2, 9000)), np.ones((2, 9000)), average="none")


def test_accuracy_without_options_draws_a_thousand_times_with_the_usual_seed():
    rng = np.random.default_rng(3)
    metrics, human = rng.normal(size=(1, 9)), rng.normal(size=9)
    usual = system_accuracy(metrics, human)
    named = system_accuracy(metrics, human, resamples=1000, confidence=0.95, seed=12345)
    assert (usual.low[0], usual.high[0]) == (named.low[0], named.high[0])
    wide = system_accuracy(metrics, human, confidence=0.999)
    assert wide.low[0] < usual.low[0] < usual.high[0] < wide.high[0]
    scores, people = rng.normal(size=(1, 5, 40)), rng.normal(size=(5, 40))
    ties = tie_accuracy(scores, people)
    said = tie_accuracy(scores, people, average="item", epsilons=None, resamples=1000, confidence=0.95, seed=12345)
    assert (ties.low[0], ties.high[0], ties.values[0]) == (said.low[0], said.high[0], said.values[0])
    other = tie_accuracy(scores, people, seed=1)
    assert (other.low[0], other.high[0]) != (ties.low[0], ties.high[0])
    # Ten pairs of five systems for each of forty items.
    assert (ties.pairs[0], ties.calibrated) == (400, True)
    assert tie_accuracy(scores, people, average="system").pairs[0] == 5 * 780
    assert np.isnan(tie_accuracy(scores, people, average="system").low[0])
    assert np.isnan(tie_accuracy(scores, people, resamples=0).low[0])


def test_accuracy_of_systems_counts_each_pair_once_and_none_with_itself():
    """Of three systems the metric ties two that people order: one of three pairs is lost."""
    found = system_accuracy(np.array([[1.0, 1.0, 2.0]]), np.array([1.0, 2.0, 3.0]), resamples=20)
    assert (found.agreeing[0], found.pairs[0], found.values[0]) == (2, 3, pytest.approx(2 / 3))
    alone = system_accuracy(np.array([[1.0]]), np.array([1.0]), resamples=20)
    assert (alone.agreeing[0], alone.pairs[0]) == (0, 0)
    assert np.isnan([alone.values[0], alone.low[0], alone.high[0]]).all()


def test_accuracy_takes_a_difference_of_the_threshold_itself_for_a_tie():
    """The metric's differences are 1, 2 and 3; people tie the first two."""
    metric, human = np.array([[[0.0, 1.0, 3.0]]]), np.array([[5.0, 5.0, 7.0]])

    def right(epsilon: float) -> float:
        return tie_accuracy(metric, human, average="system", epsilons=np.array([epsilon]), resamples=0).values[0]

    assert right(0.99) == pytest.approx(2 / 3)
    assert right(1.0) == 1
    assert right(1.99) == 1
    assert right(2.0) == pytest.approx(2 / 3)
    best = tie_accuracy(metric, human, average="system", resamples=0)
    assert (best.epsilons[0], best.values[0], best.pairs[0]) == (1.0, 1.0, 3)
