"""Forward–backward against the sum over all alignments, written out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.align.hmm import REACH, jump_matrix, jump_totals, padded, posteriors


def by_enumeration(emission: np.ndarray, jumps: np.ndarray) -> np.ndarray:
    """Posterior of each state at each word, (J, I), from all (I + 1) ** J alignments; 0 is null."""
    words, states = emission.shape
    result = np.zeros((words, states))
    whole = 0.0
    for path in product(range(states + 1), repeat=words):
        weight, place = 1.0, 0
        for word, state in enumerate(path):
            if state:
                total = sum(jumps[to - place + REACH] for to in range(1, states + 1))
                weight *= jumps[state - place + REACH] / total * emission[word, state - 1]
                place = state
        whole += weight
        for word, state in enumerate(path):
            if state:
                result[word, state - 1] += weight
    return result / whole


def run(sentences: list[np.ndarray], jumps: np.ndarray) -> list[np.ndarray]:
    size = padded(max(one.shape[1] for one in sentences))
    sentences = sorted(sentences, key=lambda one: -one.shape[0])
    lengths = [one.shape[0] for one in sentences]
    cells = np.zeros((lengths[0], len(sentences), size), np.float32)
    for b, one in enumerate(sentences):
        cells[: one.shape[0], b, 1 : one.shape[1] + 1] = one
    active = np.array([sum(length > j for length in lengths) for j in range(lengths[0])])
    totals = jump_totals(jumps, size, np.array([one.shape[1] for one in sentences]))
    real, null = posteriors(cells, active, jump_matrix(jumps, size), totals)
    for b, one in enumerate(sentences):
        rows = real[: one.shape[0], b].sum(axis=1) + null[: one.shape[0], b]
        assert rows == pytest.approx(np.ones(one.shape[0]), abs=1e-5)
    return [real[: one.shape[0], b, 1 : one.shape[1] + 1] for b, one in enumerate(sentences)]


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 10_000))
def test_posteriors_are_those_of_the_sum_over_all_alignments(words: int, states: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    emission = chance.gamma(0.5, 4.0, (words, states)).astype(np.float32)
    jumps = chance.uniform(0.01, 1, 2 * REACH + 1).astype(np.float32)
    assert run([emission], jumps)[0] == pytest.approx(by_enumeration(emission, jumps), abs=2e-5)


def test_posteriors_are_the_same_bytes_alone_and_among_others() -> None:
    chance = np.random.default_rng(3)
    jumps = chance.uniform(0.01, 1, 2 * REACH + 1).astype(np.float32)
    sentences = [chance.gamma(0.5, 4.0, (j, 30)).astype(np.float32) for j in (40, 33, 33, 12, 5, 1)]
    together = run(sentences, jumps)
    for one, result in zip(sentences, together, strict=True):
        assert run([one], jumps)[0].tobytes() == result.tobytes()


def test_jumps_are_counted_once_a_linked_word() -> None:
    chance = np.random.default_rng(5)
    jumps = np.ones(2 * REACH + 1, np.float32)
    size = padded(4)
    cells = np.zeros((6, 1, size), np.float32)
    cells[:, 0, 1:5] = chance.gamma(1, 1, (6, 4))
    taken = np.zeros((size, size), np.float32)
    totals = jump_totals(jumps, size, np.array([4]))
    real, _ = posteriors(cells, np.ones(6, np.int64), jump_matrix(jumps, size), totals, taken)
    assert taken.sum() == pytest.approx(real.sum(), rel=1e-5)
    assert taken[:, 1:5].sum(axis=0) == pytest.approx(real.sum(axis=(0, 1))[1:5], rel=1e-4)


def test_padded_leaves_room_for_the_start() -> None:
    sizes = [padded(length) for length in range(1, 600)]
    assert all(size > length for length, size in enumerate(sizes, 1))
    assert sizes == sorted(sizes)
    assert len(set(sizes)) < 25
