"""Sentences of two texts that translate each other: beads of one or several on either side, by a dynamic program.

A bead is worth what its words say, of the target by the source and of the source by the target (each as a mixture of
the other side's words, in the manner of Brown et al. 1993, model 1), its lengths (Gale and Church 1993), and how often
beads of its shape are. Memory is the product of one side and a band of the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from endophora.align.ratios import Ratios, Word, product
from endophora.signature import keyed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Bead = tuple[range, range]
"""Numbers of sentences of source and target that translate each other; either may be empty."""

_MORE = -3.0
SHAPES = {(1, 1): 0.0, (2, 2): 2 * _MORE - 1, (2, 3): 3 * _MORE - 1, (3, 2): 3 * _MORE - 1} | {
    shape: (several - 1) * _MORE for several in (2, 3, 4) for shape in ((1, several), (several, 1))
}
"""Sentences on either side, and the logarithm of how often they are, to one and one."""
GROUP = 4
"""Most sentences of a side in a bead."""
BLOCK = 100
"""Sentences of which what words say is computed at once."""


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWeights:
    """The numbers that beads depend on."""

    linked: float = 0.4  # share of words that come from a word of the other side
    alone: float = 8.0  # against a sentence without counterpart
    length: float = 1.0  # what lengths say, times this
    spread: float = 6.8  # characters of variance for a character (Gale and Church 1993)
    band: int = 300  # sentences on either side of the diagonal, at least


class SentenceAligner:
    """Aligns sentences of a pair of languages; without priors of the pair, through English."""

    def __init__(self, source_language: str, target_language: str, weights: SentenceWeights | None = None) -> None:
        self.weights = weights or SentenceWeights()
        self._forward = Ratios(source_language, target_language)
        self._backward = Ratios(target_language, source_language)
        self._split = [lru_cache(maxsize=1 << 12)(split) for split in self._forward.splitters]

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return the beads in order; every sentence of both sides is in one."""
        words = [[split(text) for text in texts] for split, texts in zip(self._split, (source, target), strict=True)]
        if not source or not target:
            return [(range(at, at + 1), range(0)) for at in range(len(source))] + [
                (range(0), range(at, at + 1)) for at in range(len(target))
            ]
        lengths = [np.array([len(text.strip()) for text in texts], dtype=np.float64) for texts in (source, target)]
        band = _Band(len(source), len(target), self.weights.band)
        forward = _evidence(words[0], words[1], self._forward, band.columns(), self.weights.linked)
        backward = _evidence(words[1], words[0], self._backward, band.rows(), self.weights.linked)
        return _beads(_Said(forward, band.columns()), _Said(backward, band.rows()), lengths, self.weights)


@dataclass(frozen=True)
class _Band:
    """Which sentences of both sides may meet."""

    source: int
    target: int
    width: int

    def rows(self) -> list[tuple[int, int]]:
        """Return for each source sentence the first target sentence of its band, and the one after the last."""
        return self._spans(self.source, self.target)

    def columns(self) -> list[tuple[int, int]]:
        """Return the same for each target sentence."""
        return self._spans(self.target, self.source)

    def _spans(self, count: int, other: int) -> list[tuple[int, int]]:
        width = self.width + abs(count - other)
        middles = [round((at + 0.5) * other / count) for at in range(count)]
        return [(max(0, middle - width), min(other, middle + width + 1)) for middle in middles]


def _evidence(
    units: Sequence[Sequence[Word]],
    others: Sequence[Sequence[Word]],
    ratios: Ratios,
    spans: Sequence[tuple[int, int]],
    linked: float,
) -> list[Floats]:
    """Return for each of ``others`` what its words say for groups of units, (groups, units in its span + 1).

    The groups at ``[a, i]`` are the ``a + 1`` units from the ``i``-th of the span on.
    """
    found = list[Floats]()
    for start in range(0, len(others), BLOCK):
        some = others[start : start + BLOCK]
        low, high = spans[start][0], spans[start + len(some) - 1][1]
        sums, sizes, places = _sums(units[low:high], some, ratios)
        for number, one in enumerate(places, start=start):
            first, last = spans[number][0] - low, spans[number][1] - low
            held = sums[one, first:last]
            summed = np.concatenate((np.zeros((len(one), 1)), np.cumsum(held, axis=1)), axis=1)
            counted = np.concatenate(([0.0], np.cumsum(sizes[first:last])))
            result = np.full((GROUP, last - first + 1), -np.inf)
            for group in range(1, min(GROUP, last - first) + 1):
                several = (summed[:, group:] - summed[:, :-group]) / np.maximum(4, counted[group:] - counted[:-group])
                result[group - 1, : last - first + 1 - group] = np.log(1 - linked + linked * several).sum(axis=0)
            found.append(result)
    return found


def _sums(
    units: Sequence[Sequence[Word]], others: Sequence[Sequence[Word]], ratios: Ratios
) -> tuple[Floats, Floats, list[Ints]]:
    """Return the ratios of each word of ``others`` to all words of each unit, their sizes, and where words are."""
    one = {form: place for place, form in enumerate(dict.fromkeys(word[0] for unit in units for word in unit))}
    other = {form: place for place, form in enumerate(dict.fromkeys(word[0] for unit in others for word in unit))}
    pairs = ratios.pairs(list(one), list(other))
    sizes = np.array(list(map(len, units)), dtype=np.int64)
    counts = np.zeros((len(one), len(units)))
    numbers = np.repeat(np.arange(len(units)), sizes)
    np.add.at(counts, (np.array([one[word[0]] for unit in units for word in unit], dtype=np.int64), numbers), 1)
    sums = product(pairs, (len(one), len(other)), counts)
    places = [np.array([other[word[0]] for word in unit], dtype=np.int64) for unit in others]
    return sums, sizes.astype(np.float64), places


class _Said:
    """What the words of one side say for groups of the other, looked up along a row or a column of the program."""

    def __init__(self, evidence: Sequence[Floats], spans: Sequence[tuple[int, int]]) -> None:
        self._low = np.array([low for low, _ in spans], dtype=np.int64)
        self._held = np.full((len(evidence), GROUP, max(one.shape[1] for one in evidence)), -np.inf, dtype=np.float32)
        for held, one in zip(self._held, evidence, strict=True):
            held[:, : one.shape[1]] = one

    def of(self, own: Ints, group: int, first: Ints) -> Floats:
        """Return what sentences ``own`` say for groups of so many that begin at ``first``, one by one."""
        at = first - self._low[own]
        there = (at >= 0) & (at < self._held.shape[2])
        return np.where(there, self._held[own, group - 1, np.where(there, at, 0)], -np.inf)


def _beads(forward: _Said, backward: _Said, lengths: Sequence[Floats], weights: SentenceWeights) -> list[Bead]:
    """Return the best beads; rows of the program are the sentences of the source, columns those of the target."""
    source, target = (np.concatenate(([0.0], np.cumsum(one))) for one in lengths)
    ratio = float(target[-1] / max(1.0, source[-1]))
    count = len(target)
    shapes = list(SHAPES)
    moves = np.zeros((len(source), count), dtype=np.int8)
    before = list[Floats]()  # the rows before, the last first
    for row in range(len(source)):
        scores = np.full(count, -np.inf)
        scores[0] = -np.inf if row else 0.0
        for number, (a, b) in enumerate(shapes, start=1):
            if a > row or b >= count:
                continue
            starts = np.flatnonzero(before[a - 1][: count - b] > -np.inf)
            said = before[a - 1][starts] + SHAPES[a, b]
            for one in range(b):
                said += forward.of(starts + one, a, np.full(len(starts), row - a))
            for one in range(a):
                said += backward.of(np.full(len(starts), row - a + one), b, starts)
            grown = target[starts + b] - target[starts]
            said += weights.length * _by_length(float(source[row] - source[row - a]), grown, ratio, weights.spread)
            better = said > scores[starts + b]
            at = starts[better] + b
            scores[at], moves[row, at] = said[better], number
        if row:
            alone = before[0] - weights.alone
            better = alone > scores
            scores[better], moves[row, better] = alone[better], _SOURCE_ALONE
        # Sentences of the target alone, any number of them.
        steps = weights.alone * np.arange(count)
        top = np.maximum.accumulate(scores + steps)
        moves[row, top > scores + steps] = _TARGET_ALONE
        before = [top - steps, *before[: GROUP - 1]]
    return _path(moves, shapes)


_SOURCE_ALONE, _TARGET_ALONE = -1, -2


def _by_length(source: float, target: Floats, ratio: float, spread: float) -> Floats:
    """Return what the lengths of beads say: the logarithm of how probable a difference at least so large is."""
    deviation = np.sqrt(spread * np.maximum(1.0, (source * ratio + target) / 2))
    return np.maximum(
        -20.0, np.log(np.maximum(1e-12, erfc(np.abs(target - source * ratio) / deviation / math.sqrt(2))))
    )


def _path(moves: NDArray[np.int8], shapes: Sequence[tuple[int, int]]) -> list[Bead]:
    """Return the beads, from the last cell back."""
    found = list[Bead]()
    row, column = moves.shape[0] - 1, moves.shape[1] - 1
    while row or column:
        move = int(moves[row, column])
        a, b = (1, 0) if move == _SOURCE_ALONE else (0, 1) if move == _TARGET_ALONE else shapes[move - 1]
        found.append((range(row - a, row), range(column - b, column)))
        row, column = row - a, column - b
    return found[::-1]
