"""Clipped n-gram matches of whole corpora, counted in numpy.

An n-gram's name is one integer, with its segment and the numbers of its items as digits: exact, without hashing. The
names of a hypothesis are sorted and looked up among those of its references, which are sorted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from endophora.metrics.records import FloatArray, IntArray

_LARGEST = 2**62
"""Names stay below it: they are numbers of 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """Texts one after the other."""

    vocabulary: Sequence[str]
    items: IntArray
    lengths: IntArray


ItemTexts: TypeAlias = "Flat | Sequence[Sequence[str]]"


class _Numbered(NamedTuple):
    """Texts one after the other: of each item its number (0 if unknown), its text, and how many are left from it on."""

    numbers: IntArray
    rows: IntArray
    left: IntArray


@dataclass(frozen=True, eq=False)
class _Order:
    """How the n-grams of one order are named, and those of the references."""

    n: int
    # None if a name continues the name of its first n - 1 items; where that would become too large, the names of the
    # order below, distinct and sorted, whose places continue instead. A last one, larger than any, is of unknown ones.
    below: IntArray | None
    divisor: int
    owners: IntArray
    names: IntArray

    @cached_property
    def counted(self) -> tuple[IntArray, IntArray]:
        """The different names, in order, and how often the references have each."""
        return np.unique(self.names, return_counts=True)

    def segments(self, names: IntArray) -> IntArray:
        """Return the segments of names that the references have."""
        return self.owners[names // self.divisor]


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
    """

    def __init__(self, references: Sequence[ItemTexts], order: int) -> None:
        self.order = order
        self._numbers = _Numbers()
        flat = [flatten(each) for each in references]
        self.segments = len(flat[0].lengths)
        texts = [self._number(each) for each in flat]
        self._numbers.giving = False
        self._base = len(self._numbers) + 1
        self._orders: list[_Order] = []
        below, divisor, owners = None, self._base, np.arange(self.segments)
        names = [each.rows for each in texts]
        for n in range(1, order + 1):
            if len(owners) * divisor >= _LARGEST and self._orders:
                last = self._orders[-1]
                known = np.unique(last.names)
                below, divisor, owners = (
                    np.append(known, np.iinfo(np.int64).max),
                    self._base,
                    np.append(last.segments(known), 0),
                )
            names = [self._longer(n, below, *each) for each in zip(names, texts, strict=True)]
            counted = [within[text.left[: len(within)] >= n] for within, text in zip(names, texts, strict=True)]
            self._orders.append(_Order(n, below, divisor, owners, _largest_counts(counted)))
            below, divisor = None, divisor * self._base

    def matches(self, hypotheses: ItemTexts) -> FloatArray:
        """Return how many n-grams of each segment are in the references, (segments, order), each clipped there."""
        matches = np.zeros((self.segments, self.order))
        text = self._number(flatten(hypotheses))
        names = text.rows
        for known in self._orders:
            names = self._longer(known.n, known.below, names, text)
            found = names[text.left[: len(names)] >= known.n]
            theirs, most = known.counted
            ours, counts = np.unique(found, return_counts=True)
            places = np.minimum(np.searchsorted(theirs, ours), max(0, len(theirs) - 1))
            shared = np.flatnonzero(theirs[places] == ours) if len(theirs) else places[:0]
            clipped = np.minimum(most[places[shared]], counts[shared])
            segments = known.segments(ours[shared])
            matches[:, known.n - 1] = np.bincount(segments, weights=clipped, minlength=self.segments)
        return matches

    def counts(self) -> FloatArray:
        """Return how many n-grams each segment of the references has, (segments, order)."""
        each = [np.bincount(known.segments(known.names), minlength=self.segments) for known in self._orders]
        return np.stack(each, axis=1).astype(np.float64)

    def _longer(self, n: int, below: IntArray | None, names: IntArray, text: _Numbered) -> IntArray:
        """Return the names of n items from every item on, of those of n - 1; some reach beyond their text."""
        last = text.numbers[n - 1 :]
        names = names[: len(last)]
        if below is not None:
            places = np.searchsorted(below, names)
            names = np.where(below[places] == names, places, len(below) - 1)
        return names * self._base + last

    def _number(self, texts: Flat) -> _Numbered:
        lengths = texts.lengths
        numbers = np.array([self._numbers[item] for item in texts.vocabulary], np.int64)[texts.items]
        left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(numbers))
        return _Numbered(numbers, np.repeat(np.arange(len(lengths)), lengths), left)


def flatten(texts: ItemTexts) -> Flat:
    """Return texts, each a sequence of words or a string of characters, one after the other."""
    if isinstance(texts, Flat):
        return texts
    return index_items(list(chain.from_iterable(texts)), np.array([len(text) for text in texts], np.int64))


def index_items(items: Sequence[str], lengths: IntArray) -> Flat:
    """Return texts of these lengths whose words or characters are these, text after text."""
    places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    return Flat(list(places), np.fromiter(map(places.__getitem__, items), np.int64, len(items)), lengths)


def totals(lengths: FloatArray | IntArray, order: int) -> FloatArray:
    """Return how many n-grams of each order texts of these lengths have, (texts, order)."""
    return np.maximum(lengths[:, np.newaxis] - np.arange(order, dtype=np.float64), 0)


def _largest_counts(references: Sequence[IntArray]) -> IntArray:
    """Return each name as often as it is in the reference that has it most often."""
    if len(references) == 1:
        return references[0]
    counted = [np.unique(names, return_counts=True) for names in references]
    known = np.unique(np.concatenate([names for names, _ in counted]))
    most = np.zeros(len(known), np.int64)
    for names, counts in counted:
        places = np.searchsorted(known, names)
        most[places] = np.maximum(most[places], counts)
    return np.repeat(known, most)
