"""Forward–backward of the alignment HMM, over sentences of like length at once.

The model is that of Vogel, Ney and Tillmann (1996) with the null states of Och and Ney (2003): a state is a position
on the conditioning side, a null state remembers the position that it came from, and a transition depends on the jump
alone. Every sentence is computed by the same operations for any batch, so that its posteriors are the same
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
    """Return the weight of going from each position to each, (size, size); nothing goes to the start, position 0.

    ``jumps`` are the weights of the jumps -REACH … REACH, (2 · REACH + 1,).
    """
    steps = np.arange(size)[None, :] - np.arange(size)[:, None]
    matrix = jumps[np.clip(steps, -REACH, REACH) + REACH]
    matrix[:, 0] = 0
    return matrix


def jump_totals(jumps: Floats, size: int, lengths: Ints) -> Floats:
    """Return for sentences the sum of jump weights that leave each position, (sentences, size); 1 outside of one."""
    matrix = jump_matrix(jumps, size)
    # Column n holds the sum over the targets 1 … n, that is over the valid positions of a sentence of n words.
    sums = np.cumsum(matrix, axis=1, dtype=np.float64).astype(np.float32)
    totals = sums[:, lengths].T.copy()
    totals[np.arange(size)[None, :] > lengths[:, None]] = 1
    return totals


def posteriors(
    emission: Floats, active: Ints, matrix: Floats, totals: Floats, jumps: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the probability of each state at each word, (J, B, S), and of the null states together, (J, B).

    Rows beyond a sentence's end hold 0.

    Args:
        emission: word × sentence × position, (J, B, S): how much more probable the word is from the position than from
            null, times the odds of not being null; position 0 (the start) and padding hold 0.
        active: how many sentences, of the B, have a word j; they come longest first, shape (J,).
        matrix: see :func:`jump_matrix`, (S, S).
        totals: see :func:`jump_totals`, (B, S).
        jumps: where to add the expected number of goings from each position to each, (S, S); for training.
    """
    # With the state probabilities kept divided by their totals, the transition is the plain matrix.
    emission = emission / totals
    real, both = np.zeros_like(emission), np.zeros_like(emission)
    numbers: list[int] = active.tolist()
    state = _start(totals)
    for j, n in enumerate(numbers):
        here, state = real[j, :n], state[:n]
        np.matmul(state[:, None, :], matrix, out=here[:, None, :])
        here *= emission[j, :n]
        whole = np.add(here, state, out=both[j, :n])
        state = whole / np.add.reduce(whole, axis=1, keepdims=True)
    # From each word on, what follows; a sentence's rows begin at its own last word.
    ahead = np.zeros_like(emission)
    back = totals.copy()
    transposed = np.ascontiguousarray(matrix.T)
    for j in range(len(numbers) - 1, -1, -1):
        n = numbers[j]
        here, rows = ahead[j, :n], back[:n]
        here[:] = rows
        np.matmul((emission[j, :n] * here)[:, None, :], transposed, out=rows[:, None, :])
        rows += here
        rows /= np.maximum.reduce(rows, axis=1, keepdims=True)
    whole = np.einsum("jbs,jbs->jb", both, ahead)
    whole[whole == 0] = 1
    real *= ahead
    real /= whole[:, :, None]
    null = 1 - np.add.reduce(real, axis=2)
    null[np.arange(real.shape[1]) >= active[:, None]] = 0
    if jumps is not None:
        shares = emission * ahead / whole[:, :, None]
        came = _start(totals)
        for j in range(len(both)):
            jumps += matrix * (came.T @ shares[j])
            came = both[j] / np.maximum(both[j].sum(axis=1, keepdims=True), np.float32(1e-30))
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
