"""What the words of a text say for the sentences of its source: ratios of their words, known once for all documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.align.ratios import Ratios, Word
from endophora.align.text import Text, Weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_ONCE = 2_048
"""Words of the source whose ratios are looked up at once."""
CHANCE, SURE = 5.0, 4.0
"""Of words that stand in the same segments: segments by chance that each word is given; and the least logarithm of how
much more often than by chance, times how often."""
FEWEST = 4
"""Words that a sentence is thought to have at least."""
ANSWERED = 0.5
"""Share of the words of a sentence that come from a word of its text; the others come from nowhere."""
AROUND = 4
"""Sentences on either side of one that are looked at to tell whether text is a translation."""
MOST = 3.0
"""What a pair of words at a border says at most, before it is weighed."""


class Vocabulary:
    """The ratios of all words of source and text; each document is asked of by its own (:class:`Evidence`)."""

    def __init__(self, ratios: Ratios, source: dict[str, int], target: dict[str, int]) -> None:
        """Look up the words of both sides, with their numbers."""
        from scipy.sparse import coo_matrix, hstack  # pyright: ignore[reportUnknownVariableType]

        self.source, self.target = source, target
        words, others = list(source), list(target)
        tables: list[Any] = []
        # What is looked up takes ten times as much as what is found.
        for begin in range(0, max(1, len(words)), AT_ONCE):
            some = words[begin : begin + AT_ONCE]
            rows, columns, ratio = ratios.pairs(some, others)
            table: Any = coo_matrix((ratio, (columns, rows)), shape=(len(others), len(some)))
            table.has_canonical_format = True  # each pair is there once: nothing is to be summed
            tables.append(table.tocsr())
        self._table: Any = tables[0] if len(tables) == 1 else hstack(tables, format="csr")

    def some(self, source: Ints, target: Ints) -> Any:
        """Return the ratios of some words as a sparse table, (target words, source words)."""
        return self._table[target][:, source]

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


def numbered(forms: Iterable[str]) -> dict[str, int]:
    """Return words, each once, with their numbers."""
    return {form: place for place, form in enumerate(dict.fromkeys(forms))}


class Units:
    """The words of sentences, which all texts of a source are compared with."""

    def __init__(self, units: Sequence[Sequence[Word]]) -> None:
        self.forms = numbered(word[0] for unit in units for word in unit)
        self.at = [[self.forms[word[0]] for word in unit] for unit in units]
        """The words of each sentence, by the numbers of their forms."""
        # The last word, signs left out.
        last = [next((word[0] for word in reversed(unit) if word[0][0].isalnum()), "") for unit in units]
        count, sizes = len(units), [len(at) for at in self.at]
        inside = np.repeat(np.arange(count), sizes), np.fromiter(chain.from_iterable(self.at), np.int64, sum(sizes))
        first = [(count + number, at[0]) for number, at in enumerate(self.at) if at]
        latest = [(2 * count + number, self.forms[form]) for number, form in enumerate(last) if form]
        # Where the columns have a number, and which.
        self._cells = inside[1] * (3 * count) + inside[0]
        self._shares = 1 / np.maximum(FEWEST, np.repeat(sizes, sizes))
        self._ones = np.array([form * 3 * count + column for column, form in (*first, *latest)], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.at)

    def columns(self) -> Floats:
        """Return the shares of words in each sentence, the first word of each, and the last, (forms, 3 · sentences)."""
        size = len(self.forms) * 3 * len(self)
        found = np.bincount(self._cells, self._shares, size).astype(np.float64, copy=False)
        found[self._ones] = 1.0
        return found.reshape(len(self.forms), 3 * len(self))


class Evidence:
    """What words say: of a text for each unit of its source, and of those at a border of both."""

    def __init__(self, units: Units, text: Text, known: Vocabulary, linked: float) -> None:
        source, target = (
            np.array([numbers[form] for form in forms], dtype=np.int64)
            for numbers, forms in ((known.source, units.forms), (known.target, text.forms))
        )
        self._ratios = known.some(source, target)
        found: Floats = self._ratios @ units.columns()
        count, self._text, self._units = len(units), text, units
        self.said: Floats = np.log(1 - linked + linked * found[:, :count]) * text.worth[:, None]
        """What each form says for each unit, the logarithm of a ratio, (forms, units)."""
        border = np.minimum(MOST, np.log1p(found[:, count:]))
        self._first, self._last = border[:, :count], border[:, count:]

    def at_border(self, weights: Weights) -> Floats:
        """Return what words say for a border at each gap after each unit, (gaps, units)."""
        text = self._text
        said = np.zeros((len(text.gaps), self.said.shape[1]))
        said[1:] = weights.last * self._last[text.latest[text.gaps[1:] - 1]]
        said[:-1, :-1] += weights.first * self._first[text.at[text.gaps[:-1]], 1:]
        return said

    def answers(self, weights: Weights) -> Answers:
        """Return what speaks for stretches of the text since they answer words of a unit."""
        counted = weights.answered, weights.translated
        return Answers(self._ratios.toarray(), self._text.at, self._text.gaps, self._units.at, *counted)


class Answers:
    """How much more likely the words of each unit are beside a stretch of the text than alone.

    A pair of words has the same ratio in both directions. A stretch is thought to be as long as its unit, so that a
    word more in it does not make the others less likely.
    """

    def __init__(
        self,
        ratios: Floats,
        at: Ints,
        gaps: Ints,
        units: Sequence[Sequence[int]],
        weight: float,
        least: float,
    ) -> None:
        """Take ratios, (forms of the text, forms of the units), the form of each word of the text, and its gaps.

        What is returned is times a weight; in a translation the words of units are answered by ``least`` on the mean.
        """
        self._ratios, self._at, self._gaps, self._units = ratios, at, gaps, units
        self._weight, self._least = weight, least

    def __call__(self, unit: int, begins: Ints, ends: Ints) -> Floats:
        """Return the logarithm of the ratio of stretches from gaps to gaps, (begins, ends); 0 of those without text."""
        words, first = self._units[unit], self._gaps[begins[0]]
        inside = self._ratios[self._at[first : self._gaps[max(begins[-1], ends[-1])], None], words]
        sums = np.concatenate((np.zeros((1, len(words))), np.cumsum(inside, axis=0, dtype=np.float64)))
        found = sums[np.maximum(0, self._gaps[ends] - first)] - sums[self._gaps[begins] - first][:, None]
        found = (np.maximum(0.0, found) / max(FEWEST, len(words))).astype(np.float32)
        return self._weight * np.log1p(ANSWERED * (found - 1)).sum(axis=2) * (ends > begins[:, None])

    def translated(self, begins: Sequence[int], ends: Sequence[int]) -> NDArray[np.bool_]:
        """Return which units have text that translates them and those about them, by their gaps, (units,).

        Units without text say nothing of it.
        """
        some = zip(self._units, self._gaps[begins].tolist(), self._gaps[ends].tolist(), strict=True)
        found = [
            self._ratios[self._at[start:end, None], words].sum(axis=0) / max(FEWEST, len(words))
            for words, start, end in some
            if end > start
        ]
        sizes = np.zeros(len(self._units), dtype=np.int64)
        sizes[np.greater(ends, begins)] = list(map(len, found))
        said = np.log1p(ANSWERED * (np.concatenate([*found, np.zeros(0)]) - 1))
        sums, borders = np.concatenate(([0.0], np.cumsum(said))), np.concatenate(([0], np.cumsum(sizes)))
        number = np.arange(len(sizes))
        first, last = borders[np.maximum(0, number - AROUND)], borders[np.minimum(len(sizes), number + AROUND + 1)]
        return sums[last] - sums[first] >= self._least * (last - first)
