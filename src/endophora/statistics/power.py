"""The smallest difference that a test set can tell, by simulation from its own documents.

Two real systems give what documents differ by where there is no difference: how each document pulls the scores of both
apart, less the difference of the whole. Such documents are drawn again, a true difference is added to each by its size,
and the test is run. The smallest true difference that it finds in the share :data:`POWER` of the draws is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from endophora.statistics.resampling import TestName
from endophora.statistics.significance import ROUNDING, draw_swaps
from endophora.statistics.units import FloatArray, IntArray, Score, Units

POWER = 0.8
"""Share of the draws in which a difference must be found."""

DRAWS = 1000
"""Test sets that are drawn; with so many the answer is exact to some 2 %."""

_NEAR = 50
"""Draws on either side of the one in question on which the test itself is run; a formula puts all in their order."""

_REACHING = 20
"""Trials that may reach the observed difference at the level: of a test with more trials so many do for a bound."""

_NOTHING = 1e-5
"""Share of the size below which what a trial swaps is nothing: sums are in single precision."""

_LEAST = 1000
"""Trials at least."""

_MOST = 1 << 27
"""Truth values drawn at once."""

_Floats: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Power:
    """A test whose power is asked for.

    Attributes:
        level: the p-value from which it rejects, after any correction.
        trials: swaps or resamples of one test.
        test: its name.
        seed: of draws and trials.
    """

    level: float
    trials: int
    test: TestName = "approximate-randomisation"
    seed: int = 1

    def smallest_difference(self, changes: FloatArray, sizes: FloatArray) -> float:
        """Return the smallest true difference of two systems that is found with :data:`POWER`; infinite if none is.

        Args:
            changes: (units,) what each unit adds to the difference of the two scores.
            sizes: (units,) how much of a difference each unit carries; only their ratios count.
        """
        units = len(changes)
        if units < 2 or not sizes.sum():
            return float("inf")
        shares = sizes / sizes.sum()
        noise = changes - shares * changes.sum()
        drawn = np.random.default_rng(self.seed).integers(units, size=(DRAWS, units))
        asked = round(POWER * DRAWS)
        near = drawn[np.argsort(self._expected(noise[drawn], shares[drawn]))[asked - _NEAR : asked + _NEAR]]
        return float(np.sort(self._found(noise[near].astype(np.float32), shares[near].astype(np.float32)))[_NEAR - 1])

    def _expected(self, noise: FloatArray, shares: FloatArray) -> FloatArray:
        """Return what :meth:`_found` is if sums of swapped units were normally distributed."""
        from scipy import special

        reach = special.ndtri(1 - self.level / 2) ** 2
        total, size = noise.sum(axis=1), shares.sum(axis=1)
        square = size**2 - reach * (shares**2).sum(axis=1)
        half = total * size - reach * (noise * shares).sum(axis=1)
        rest = total**2 - reach * (noise**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            root = (np.sqrt(half**2 - square * rest) - half) / square
        return np.where(square > 0, root, np.inf)

    def _found(self, noise: _Floats, shares: _Floats) -> _Floats:
        """Return from which true difference on each drawn test set, (draws, units), has a significant one.

        A trial reaches the observed difference as long as the true one is below a bound of the trial, so the bounds of
        all trials say how many reach it.
        """
        total, size = noise.sum(axis=1), shares.sum(axis=1)
        units, drawn = noise.shape[1], self.test == "bootstrap"
        exact = not drawn and units < 63 and 2**units <= self.trials
        trials = min(self.trials, max(_LEAST, round(_REACHING / self.level)))
        weights = _draws(units, trials, self.seed) if drawn else _swaps(units, trials, exact, self.seed)
        moved, kept = weights @ noise.T, weights @ shares.T  # (trials, draws)
        with np.errstate(divide="ignore", invalid="ignore"):
            if drawn:
                moved /= kept
                bounds = moved - np.nanmean(moved, axis=0) - total / size
                bounds[kept <= 0] = np.inf
            else:
                bounds = np.maximum((moved - total) / (size - kept), (-moved - total) / (size + kept))
                # A trial that swaps nothing, or everything, always reaches it.
                bounds[np.abs(kept) > (1 - _NOTHING) * size] = np.inf
        allowed = self.level * (1 + ROUNDING) * (len(weights) + (not exact)) - (not exact)
        if allowed < 0:
            return np.full(len(noise), np.inf, dtype=np.float32)
        return -np.partition(-bounds, int(allowed), axis=0)[int(allowed)]


def _swaps(units: int, trials: int, exact: bool, seed: int) -> _Floats:
    """Return the sign of each unit in each trial, -1 where it is swapped: (trials, units)."""
    if exact:
        return np.array([[1 - 2 * (number >> at & 1) for at in range(units)] for number in range(2**units)], np.float32)
    swapped = np.concatenate(list(draw_swaps((units,), trials, seed, _MOST)))
    return np.where(swapped, -1, 1).astype(np.float32)


def _draws(units: int, trials: int, seed: int) -> _Floats:
    """Return how often each unit is drawn in each trial: (trials, units)."""
    counts = np.random.default_rng(seed).multinomial(units, np.full(units, 1 / units), trials)
    return counts.astype(np.float32)


def pulls(statistics: FloatArray, score: Score, units: Units) -> FloatArray:
    """Return what each unit adds to each score: that of the whole less that without the unit; (systems, units, …)."""
    sums = units.sums(statistics)
    totals = sums.sum(axis=1)
    return np.nan_to_num(score(totals)[:, None] - score(totals[:, None] - sums))


def unit_sizes(statistics: FloatArray, columns: int, units: Units) -> FloatArray:
    """Return how much each unit has of each column: what is counted there, or else its rows; (systems, units, columns).

    Statistics with an axis of columns, (systems, rows, columns, statistics), count for each column what it is made of.
    """
    if statistics.ndim == 4 and statistics.shape[2] == columns:
        return units.sums(statistics).sum(axis=-1)
    rows: IntArray = np.bincount(units.index, minlength=units.count)
    return np.broadcast_to(rows[None, :, None].astype(np.float64), (len(statistics), units.count, columns))
