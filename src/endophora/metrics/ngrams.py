"""Clipped n-gram matches of whole corpora, counted in numpy.

An n-gram of the references is named by the number of its first n - 1 items and by its last item, so that the names of
each order are made from those of the order below, exactly, without hashing. A hypothesis is looked up order by order,
and what was not found is not looked up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from endophora.metrics.records import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """The distinct n-grams of one order: sorted names, each with its segment and its count."""

    names: IntArray
    segments: IntArray
    counts: IntArray


class _Numbers(dict[str, int]):
    """Numbers of items from 1; 0 is any that is not there, unless numbers are being given."""

    giving = True

    def __missing__(self, item: str) -> int:
        if not self.giving:
            return 0
        number = self[item] = len(self) + 1
        return number


class NgramTable:
    """The n-grams of the references' segments.

    With several references, the count of an n-gram in a segment is the largest that it has in any of them.

    Args:
        references: for each reference its segments, each a sequence of items: words, or a string of characters.
        order: the highest n.
    """

    def __init__(self, references: Sequence[Sequence[Sequence[str]]], order: int) -> None:
        self.segments = len(references[0])
        self.order = order
        self._numbers = _Numbers()
        self._orders: list[_Order] = []
        numbers, positions, ends, rows = self._flatten(list(chain.from_iterable(references)))
        self._numbers.giving = False
        reference, prefix = np.divmod(rows, max(self.segments, 1))
        segments = np.arange(self.segments)
        for n in range(1, order + 1):
            names, inverse, counts = np.unique(
                self._names(prefix, numbers[positions + n - 1]), return_inverse=True, return_counts=True
            )
            if len(references) > 1:
                each = np.bincount(reference * len(names) + inverse, minlength=len(references) * len(names))
                counts = each.reshape(len(references), -1).max(axis=0)
            segments = segments[names // self._base]
            self._orders.append(_Order(names, segments, counts))
            alive = positions + n < ends
            positions, ends, reference, prefix = (a[alive] for a in (positions, ends, reference, inverse))

    def matches(self, hypotheses: Sequence[Sequence[str]]) -> FloatArray:
        """Return how many n-grams of each segment are in the references, (segments, order), each clipped there."""
        matches = np.zeros((self.segments, self.order))
        numbers, positions, ends, prefix = self._flatten(hypotheses)
        for n, known in enumerate(self._orders, start=1):
            if not len(known.names):
                break
            names = self._names(prefix, numbers[positions + n - 1])
            found = np.minimum(np.searchsorted(known.names, names), len(known.names) - 1)
            alive = known.names[found] == names
            clipped = np.minimum(np.bincount(found[alive], minlength=len(known.names)), known.counts)
            matches[:, n - 1] = np.bincount(known.segments, weights=clipped, minlength=self.segments)
            alive &= positions + n < ends
            positions, ends, prefix = positions[alive], ends[alive], found[alive]
        return matches

    def counts(self) -> FloatArray:
        """Return how many n-grams each segment of the references has, (segments, order)."""
        each = [np.bincount(o.segments, weights=o.counts, minlength=self.segments) for o in self._orders]
        return np.stack(each, axis=1).astype(np.float64)

    @property
    def _base(self) -> int:
        return len(self._numbers) + 1

    def _names(self, prefix: IntArray, last: IntArray) -> IntArray:
        return prefix * self._base + last

    def _flatten(self, texts: Sequence[Sequence[str]]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return all items' numbers (0 if unknown), their positions, where their texts end, and their texts."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        items = chain.from_iterable(texts)
        numbers = np.fromiter(map(self._numbers.__getitem__, items), np.int64, lengths.sum())
        ends = np.repeat(np.cumsum(lengths), lengths)
        return numbers, np.arange(len(numbers)), ends, np.repeat(np.arange(len(texts)), lengths)


def totals(lengths: FloatArray, order: int) -> FloatArray:
    """Return how many n-grams of each order texts of these lengths have, (texts, order)."""
    return np.maximum(lengths[:, np.newaxis] - np.arange(order), 0)
