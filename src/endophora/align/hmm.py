"""Forward–backward of the alignment HMM, over sentences of like length at once.

The model is that of Vogel, Ney and Tillmann (1996) with the null states of Och and Ney (2003): a state is a position
on the conditioning side, a null state remembers the position that it came from, and a transition depends on the jump
alone. Every sentence is computed by the same operations whatever stands beside it, so that its posteriors are the same
bytes alone and among others.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

REACH = 100
"""Jumps beyond this many positions share the weight of the longest."""


def jump_matrix(jumps: Floats, size: int) -> Floats:
    """Return the weight of going from each position to each.

    Args:
        jumps: weights of the jumps ``-REACH … REACH``, shape (2 · REACH + 1,).
        size: number of positions, the start (position 0) included.

    Returns:
        Weights, shape (size, size); nothing goes to the start.
    """
    steps = np.arange(size)[None, :] - np.arange(size)[:, None]
    matrix = jumps[np.clip(steps, -REACH, REACH) + REACH]
    matrix[:, 0] = 0
    return matrix


def jump_totals(jumps: Floats, size: int, lengths: Ints) -> Floats:
    """Return, for sentences of the given lengths, the sum of jump weights that leave each position.

    Returns:
        Shape (sentences, size); a position outside the sentence has 1.
    """
    matrix = jump_matrix(jumps, size)
    # Column n holds the sum over the targets 1 … n, that is over the valid positions of a sentence of n words.
    sums = np.cumsum(matrix, axis=1, dtype=np.float64).astype(np.float32)
    totals = sums[:, lengths].T.copy()
    totals[np.arange(size)[None, :] > lengths[:, None]] = 1
    return totals


def posteriors(
    emission: Floats, active: Ints, matrix: Floats, totals: Floats, jumps: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the probability of each state at each word, and of the null states together.

    Args:
        emission: word × sentence × position, (J, B, S): how much more probable the word is from the position than from
            null, times the odds of not being null; position 0 (the start) and padding hold 0.
        active: how many sentences, of the B, have a word j; they come longest first, shape (J,).
        matrix: see :func:`jump_matrix`, (S, S).
        totals: see :func:`jump_totals`, (B, S).
        jumps: where to add the expected number of goings from each position to each, (S, S); for training.

    Returns:
        Posteriors (J, B, S) and null posteriors (J, B); rows beyond a sentence's end hold 0.
    """
    steps, _, _ = emission.shape
    # With the state probabilities kept divided by their totals, the transition is the plain matrix.
    emission = emission / totals
    real = np.zeros_like(emission)
    both = np.zeros_like(emission)
    state = _start(totals)
    for j in range(steps):
        n = int(active[j])
        state = state[:n]
        here = np.matmul(state[:, None, :], matrix)[:, 0, :]
        np.multiply(here, emission[j, :n], out=real[j, :n])
        np.add(real[j, :n], state, out=both[j, :n])
        state = both[j, :n] / both[j, :n].sum(axis=1, keepdims=True)
    null = np.zeros(emission.shape[:2], dtype=np.float32)
    back = totals.copy()
    transposed = np.ascontiguousarray(matrix.T)
    for j in range(steps - 1, -1, -1):
        n = int(active[j])
        here = back[:n]
        whole = np.einsum("bs,bs->b", both[j, :n], here)
        real[j, :n] *= here
        real[j, :n] /= whole[:, None]
        null[j, :n] = 1 - real[j, :n].sum(axis=1)
        ahead = emission[j, :n] * here
        if jumps is not None:
            came = both[j - 1, :n] / both[j - 1, :n].sum(axis=1, keepdims=True) if j else _start(totals)[:n]
            jumps += matrix * (came.T @ (ahead / whole[:, None]))
        before = np.matmul(ahead[:, None, :], transposed)[:, 0, :]
        before += here
        before /= before.max(axis=1, keepdims=True)
        back[:n] = before
    return real, null


def _start(totals: Floats) -> Floats:
    state = np.zeros_like(totals)
    state[:, 0] = 1 / totals[:, 0]
    return state


@lru_cache(maxsize=64)
def padded(length: int) -> int:
    """Return the number of positions, start included, to which a sentence of this length is padded.

    The steps grow with the length, so that few groups hold all sentences and little is padding.
    """
    size = 8
    while size < length + 1:
        size += max(8, size // 4 // 8 * 8)
    return size
