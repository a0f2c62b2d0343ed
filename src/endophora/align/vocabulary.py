"""What the words of a text say for the sentences of its source: ratios of their words, known once for all documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.align.ratios import Ratios, Word
from endophora.corpus.scripts import unspaced

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LETTER = 0.5
"""What a letter of a script without spaces says, to a word of several."""
CHANCE, SURE = 5.0, 4.0
"""Of words that stand in the same segments: segments by chance that each word is given; and the least logarithm of how
much more often than by chance, times how often."""
MOST = 3.0
"""What a pair of words at a border says at most, before it is weighed."""


class Vocabulary:
    """The ratios of all words of source and text; each document is asked of by its own (:class:`Evidence`)."""

    def __init__(self, ratios: Ratios, source: Iterable[Sequence[Word]], target: Iterable[Sequence[Word]]) -> None:
        from scipy.sparse import coo_matrix

        self.source, self.target = _numbered(source), _numbered(target)
        rows, columns, ratio = ratios.pairs(list(self.source), list(self.target))
        table: Any = coo_matrix((ratio, (columns, rows)), shape=(len(self.target), len(self.source)))
        table.has_canonical_format = True  # each pair is there once: nothing is to be summed
        self._table: Any = table.tocsr()

    def some(self, source: Ints, target: Ints) -> Any:
        """Return the ratios of some words as a sparse table, (target words, source words)."""
        from scipy.sparse import csr_matrix

        local = np.full(len(self.source), -1, dtype=np.int64)
        local[source] = np.arange(len(source))
        starts = self._table.indptr[target].astype(np.int64)
        sizes = self._table.indptr[target + 1] - starts
        ends = np.cumsum(sizes)
        at = np.repeat(starts - ends + sizes, sizes) + np.arange(int(sizes.sum()))
        columns = local[self._table.indices[at]]
        kept = columns >= 0
        borders = np.concatenate(([0], np.cumsum(kept)))[np.concatenate(([0], ends))]
        return csr_matrix((self._table.data[at[kept]], columns[kept], borders), shape=(len(target), len(source)))

    def translations(self, least: float) -> Any:
        """Return which words have at least some ratio, (target words, source words)."""
        from scipy.sparse import csr_matrix

        kept = self._table.data >= least
        borders = np.concatenate(([0], np.cumsum(kept)))[self._table.indptr]
        return csr_matrix((np.ones(int(kept.sum())), self._table.indices[kept], borders), shape=self._table.shape)

    def taught(self, segments: Iterable[tuple[Iterable[Sequence[Word]], Sequence[Word]]]) -> Vocabulary:
        """Return the same with what pairs of segments show: their words of the source, by unit, and of the text.

        A pair is as probable as it is often in one segment, without one of the times, so that no segment speaks for
        itself; it counts where that is much more than by chance (Dunning 1993).
        """
        from scipy.sparse import csr_matrix

        sides: tuple[list[set[int]], list[set[int]]] = [], []
        for units, words in segments:
            sides[0].append({self.source[word[0]] for unit in units for word in unit})
            sides[1].append({self.target[word[0]] for word in words})
        there: list[Any] = []
        for held, size in zip(sides, (len(self.source), len(self.target)), strict=True):
            borders = np.cumsum([0, *map(len, held)])
            places = np.fromiter(chain.from_iterable(held), np.int64, int(borders[-1]))
            there.append(csr_matrix((np.ones(len(places)), places, borders), shape=(len(held), size)))
        both: Any = (there[1].T @ there[0]).tocoo()
        kept = both.data > 1
        rows, columns, together = both.row[kept], both.col[kept], both.data[kept] - 1
        one, other = (np.asarray(side.sum(axis=0)).ravel() for side in there)
        chance = other[rows] / len(sides[0])
        ratios = (together + CHANCE * chance) / ((one[columns] + CHANCE) * (chance + 1 / len(sides[0])))
        sure = together * np.log(together / (one[columns] * chance)) > SURE
        sure &= ratios > 2
        shape = len(self.target), len(self.source)
        learned: Any = csr_matrix((ratios[sure].astype(np.float32), (rows[sure], columns[sure])), shape=shape)
        taught = copy(self)
        taught._table = self._table.maximum(learned).tocsr()
        return taught


def _numbered(texts: Iterable[Sequence[Word]]) -> dict[str, int]:
    return {form: place for place, form in enumerate(dict.fromkeys(word[0] for text in texts for word in text))}


class Evidence:
    """What words say: of a text for each unit of its source, and of those at a border of both."""

    def __init__(
        self, units: Sequence[Sequence[Word]], words: Sequence[Word], gaps: Ints, known: Vocabulary, linked: float
    ) -> None:
        self._sizes = np.array(list(map(len, units)), dtype=np.int64)
        numbers = np.array([known.source[word[0]] for word in chain.from_iterable(units)], dtype=np.int64)
        source, self._source = np.unique(numbers, return_inverse=True)
        target, self._target = np.unique([known.target[word[0]] for word in words], return_inverse=True)
        self._pairs = known.some(source, target)
        self._gaps, self._linked = gaps, linked
        plain = [unit and [word[0][0].isalnum() for word in unit] for unit in units]
        starts = np.cumsum(self._sizes) - self._sizes
        self._first = np.where(self._sizes > 0, starts, -1)
        # The last word up to each, signs left out.
        last = [next((at for at in range(len(one) - 1, -1, -1) if one[at]), -1) for one in plain]
        self._last = np.where(np.array(last) >= 0, starts + last, -1)
        # A word of a script without spaces that is not known is in letters.
        self._worth = np.array([LETTER if len(word[0]) == 1 and unspaced(word[0]) else 1.0 for word in words])
        letters = [place if word[0][0].isalnum() else 0 for place, word in enumerate(words)]
        self._latest = np.maximum.accumulate(np.array(letters, dtype=np.int64))

    def said(self) -> Floats:
        """Return what each word says for each unit, the logarithm of a ratio, (words, units)."""
        units, sizes = len(self._sizes), self._sizes
        shares = np.zeros((self._pairs.shape[1], units))
        numbers = np.repeat(np.arange(units), sizes)
        np.add.at(shares, (self._source, numbers), 1 / np.maximum(4, sizes)[numbers])
        said = np.log(1 - self._linked + self._linked * (self._pairs @ shares))[self._target]
        return said * self._worth[:, None]

    def first(self) -> Floats:
        """Return what is said for a border before each unit by the words after a gap, (gaps, units)."""
        return self._beside(self._first, self._gaps[:-1], slice(0, -1))

    def last(self) -> Floats:
        """Return what is said for a border after each unit by the words before a gap, (gaps, units)."""
        return self._beside(self._last, self._latest[self._gaps[1:] - 1], slice(1, None))

    def _beside(self, words: Ints, places: Ints, gaps: slice) -> Floats:
        some = np.flatnonzero(words >= 0)
        one = np.zeros((self._pairs.shape[1], len(words)))
        one[self._source[words[some]], some] = 1.0
        table = np.minimum(MOST, np.log1p(self._pairs @ one))
        found = np.zeros((len(self._gaps), len(words)))
        found[gaps] = table[self._target[places]]
        return found
