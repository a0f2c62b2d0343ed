"""The dynamic program over sentences and places to cut, which finds what is best of all cuts of a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endophora.align.borders import end_kind, start_kind
from endophora.align.text import Text, Weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 1 << 16
"""Sentences times places to cut whose lengths are compared at once."""
NEVER = 30.0
"""Against an addition that begins or ends inside a sentence."""


class _Row(NamedTuple):
    """What is best at each gap before a unit and behind it, and whether an addition, an omission, a strange text is."""

    before: Floats
    filled: Floats
    opened: NDArray[np.bool_]
    empty: NDArray[np.bool_]
    strange: NDArray[np.bool_]


class Program:
    """The dynamic program over sentences and gaps; its memory is the product of both, its time little more."""

    def __init__(
        self,
        units: Sequence[str],
        text: Text,
        gained: Floats,
        at_border: Floats,
        weights: Weights,
        rate: float | None,
        omissions: Floats,
    ) -> None:
        self._omissions = omissions
        self._units = units
        self._text = text
        # By sentence, so that a row is in one place.
        self._gained, self._at_border = np.ascontiguousarray(gained.T), np.ascontiguousarray(at_border.T)
        self._weights = weights
        lengths = np.array([len(unit.strip()) + 1 for unit in units], dtype=np.float64)
        self._expected: Floats = lengths * (text.length[-1] / lengths.sum() if rate is None else rate)
        self._open = rate is not None
        self._slope: Floats = 1 / (weights.spread * np.sqrt(self._expected))
        self._inside = np.where(text.ended(), 0, NEVER)
        self._any = np.minimum(0, text.at_borders(None, weights, 0.0)) - self._inside
        kinds = [(end_kind(one), start_kind(other)) for one, other in pairwise([*units, ""])]
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        self._kinds: Ints = np.array([numbers[kind] for kind in kinds])
        self._signs = np.stack([text.at_borders(kind, weights, 6.0) for kind in numbers])

    def run(self) -> tuple[list[int], list[tuple[int, int, int]], list[int]]:
        """Return the gap after which the text of each unit ends, and what is beside or in the place of a translation.

        That is stretches that are of no unit, with the one that they are behind; and units whose text answers to none.
        """
        weights, count = self._weights, len(self._text.gaps)
        best = self._any - weights.addition
        best[0] = 0
        held: list[_Row] = []
        block = max(1, BLOCK // count)
        for begin in range(0, len(self._kinds), block):
            some = slice(begin, begin + block)
            border = self._signs[self._kinds[some]] + self._at_border[some]
            said, ended = self._gained[some] + border, border - self._inside - weights.strange
            lengths = _Lengths(self._text.length, self._expected[some], self._slope[some], weights.farthest)
            for place, gained in enumerate(self._gained[some]):
                strange = np.full(count, -np.inf)
                filled = lengths.filled(best - gained, place) + said[place]
                omitted = best - self._omissions[begin + place]
                strange[1:] = np.maximum.accumulate(best + self._any)[:-1] + ended[place][1:]
                filled = np.maximum(np.maximum(filled, omitted), strange)
                opened = np.maximum.accumulate(filled + self._any) - weights.addition + self._any
                held.append(_Row(best, filled, opened > filled, omitted >= filled, strange >= filled))
                best = np.maximum(filled, opened)
        return self._back(held, int(np.argmax(best)) if self._open else count - 1)

    def scores(self, begins: Ints, ends: Ints) -> Floats:
        """Return what speaks for stretches of units, with their ends, from gaps (units, begins) to gaps (units, ends).

        They are (units, begins, ends).
        """
        units = np.arange(len(ends))[:, None]
        ended = self._gained[units, ends] + self._at_border[units, ends] + self._signs[self._kinds[:, None], ends]
        start, end = begins[:, :, None], ends[:, None, :]
        gained = (
            ended[:, None, :] - self._gained[units, begins][:, :, None] - self._against(units[:, :, None], start, end)
        )
        return np.where(end > start, gained, np.where(end == start, -self._omissions[:, None, None], -np.inf))

    def _against(self, unit: Ints | int, start: Ints, end: Ints | int) -> Floats:
        """Return what the length of stretches speaks against them."""
        away = self._text.length[end] - self._text.length[start]
        return np.minimum(np.abs(away - self._expected[unit]) * self._slope[unit], self._weights.farthest)

    def _back(self, held: Sequence[_Row], at: int) -> tuple[list[int], list[tuple[int, int, int]], list[int]]:
        ends, added, strangers = list[int](), list[tuple[int, int, int]](), list[int]()
        for number in range(len(held) - 1, -1, -1):
            before, filled, opened, empty, strange = held[number]
            if opened[at]:
                start = int(np.argmax((filled + self._any)[: at + 1]))
                added.append((number, start, at))
                at = start
            ends.append(at)
            if empty[at]:
                continue
            if strange[at]:
                strangers.append(number)
                at = int(np.argmax((before + self._any)[:at]))
                continue
            against = self._against(number, np.arange(at), at)
            at = int(np.argmax(before[:at] - self._gained[number, :at] - against))
        if at:
            added.append((-1, 0, at))
        return ends[::-1], added[::-1], strangers


class _Lengths:
    """Of each gap the best start before it, less what the length of the stretch speaks against it, for some units."""

    def __init__(self, length: Floats, expected: Floats, slope: Floats, farthest: float) -> None:
        count, shifted = len(length), length - expected[:, None]
        # The first gap that makes a stretch shorter than expected; from it on to each gap lie so many.
        middle = self._middle = np.searchsorted(length, shifted, side="right")
        sizes = np.arange(count) - middle
        self._sloped, self._slope = slope[:, None] * length, slope
        self._against, self._farthest = slope[:, None] * shifted, farthest
        # The largest value of a range is that of two of 2 ** level values that overlap; none is at place ``count``.
        level = np.maximum(np.frexp(sizes.astype(np.float64))[1] - 1, 0)
        rows = level * (count + 1)
        self._one = np.where(sizes > 0, rows + middle, count)
        self._other = np.where(sizes > 0, rows + np.arange(count) - (1 << level), count)
        self._levels = level.max(axis=1, initial=0) + 1
        self._table = np.full((int(self._levels.max(initial=1)), count + 1), -np.inf)
        self._rising = np.full(count + 1, -np.inf)

    def filled(self, before: Floats, unit: int) -> Floats:
        """Return what is best at each gap, by what is best at each start, (gaps,)."""
        result = np.full(len(before), -np.inf)
        # Whatever the length.
        result[1:] = np.maximum.accumulate(before)[:-1] - self._farthest
        sloped, against, table = self._sloped[unit], self._against[unit], self._table
        # Longer than expected: the start is at or before the expected one.
        np.maximum.accumulate(before + sloped, out=self._rising[1:])
        np.maximum(result, self._rising[self._middle[unit]] - against, out=result)
        # Shorter: it is after that, up to the gap before this one.
        np.subtract(before, sloped, out=table[0, :-1])
        for level in range(1, int(self._levels[unit])):
            last, step = table[level - 1, :-1], 1 << (level - 1)
            table[level, :-1] = last
            np.maximum(last[:-step], last[step:], out=table[level, : -1 - step])
        flat = table.ravel()
        top = np.maximum(flat[self._one[unit]], flat[self._other[unit]])
        return np.maximum(result, top + against)
