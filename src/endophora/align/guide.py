"""Where a long text is at each part of its source, roughly: runs of sentences beside chunks of words.

Each run is placed at the chunk that has most translations of its rarer words (cosine of words weighed by how few runs
have them), where that chunk has none closer. The heaviest chain of such places in the order of both sides is kept
(Melamed 1999 finds bitext maps in this way), of which those count that their neighbours agree with.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.align.ratios import Word
from endophora.align.vocabulary import Floats, Ints, Vocabulary

RUN, CHUNK = 10, 60
"""Sentences of a run; words of a chunk."""
BLOCK = 256
"""Runs that are compared with all chunks at once."""
TRANSLATES = 8.0
"""Ratio from which a word is taken for a translation of another."""
APART, TIED = 8, 0.8
"""Chunks from a run's place to others, of which none may be this part as much alike: what is repeated says nothing."""
NEAR, AGREEING = 6, 2
"""Runs about a place whose places are compared with it, and how many must agree."""
HOLE = 0.5
"""Part of the usual words for some sentences below which some of these have none."""
STRETCHED, SPARE = 0.5, 3
"""How far from the usual chunks a run neighbours may be: this part of them, and so many chunks."""


@dataclass(frozen=True)
class Guide:
    """Where a text is at some sentences of its source.

    Attributes:
        units, words: sentences, and the words that stand about there, both rising.
        rate: words for a sentence.
        sizes: how many sentences and words there are.
    """

    units: Ints
    words: Ints
    rate: float
    sizes: tuple[int, int]

    @property
    def holes(self) -> NDArray[np.bool_]:
        """Return which sentences stand where the text has far too few words for all of them, (sentences,)."""
        held = np.zeros(self.sizes[0], dtype=bool)
        # What a run is beside is there; nothing is beside what comes before the first.
        places = zip([-RUN, *self.units.tolist(), self.sizes[0]], [0, *self.words.tolist(), self.sizes[1]], strict=True)
        for (unit, word), (next_unit, next_word) in pairwise(places):
            if next_word - word + CHUNK + RUN * self.rate < HOLE * self.rate * (next_unit - unit):
                held[unit + RUN : next_unit] = True
        return held

    def behind(self, unit: int, more: int) -> tuple[int, int] | None:
        """Return the first place from a sentence on: a sentence, and a word that its run's translation ends before.

        Behind a hole it is some sentences further on, so that what stands there is not taken for what is left out.
        """
        at = int(np.searchsorted(self.units, unit))
        if at < len(self.units) and self.units[at] > unit + 2 * RUN:
            at = int(np.searchsorted(self.units, int(self.units[at]) + more))
        if at == len(self.units):
            return None
        return int(self.units[at]), int(self.words[at] + 2 * CHUNK + 2 * RUN * self.rate)


def find_guide(units: Sequence[Sequence[Word]], words: Sequence[Word], known: Vocabulary) -> Guide | None:
    """Return where the units of a source are in a text of some words; ``None`` if too little is alike to say."""
    runs = [list(chain.from_iterable(units[at : at + RUN])) for at in range(0, len(units), RUN)]
    chunks = [words[at : at + CHUNK] for at in range(0, len(words), CHUNK)]
    rows, columns = _chain(*_closest(runs, chunks, known))
    if len(rows) <= AGREEING:
        return None
    kept = _agreeing(rows, columns)
    if len(kept) <= AGREEING:
        return None
    rows, columns = rows[kept], columns[kept]
    steps = np.diff(columns) / np.diff(rows)
    rate = float(np.median(steps)) * CHUNK / RUN
    return Guide(rows * RUN, columns * CHUNK, rate, (len(units), len(words)))


def _closest(
    runs: Sequence[Sequence[Word]], chunks: Sequence[Sequence[Word]], known: Vocabulary
) -> tuple[Ints, Ints, Floats]:
    """Return runs, chunks and how alike they are, of those that are closest to each other."""
    there = _incidence(runs, known.source)
    spread = np.asarray(there.sum(axis=0)).ravel()
    rare = np.log(len(runs) / np.maximum(1, spread))
    # What the words of a chunk translate, each once.
    said = (_incidence(chunks, known.target) @ known.translations(TRANSLATES)).sign()
    sides: tuple[Any, Any] = said, there
    one, other = (np.sqrt(np.maximum(1e-9, side @ rare)) for side in sides)
    weighed: Any = said.multiply(rare[None, :]).tocsr()
    best, at = np.zeros(len(runs)), np.zeros(len(runs), dtype=np.int64)
    top, held = np.zeros(len(chunks)), np.zeros(len(chunks), dtype=np.int64)
    for begin in range(0, len(runs), BLOCK):
        some = slice(begin, begin + BLOCK)
        alike: Floats = (weighed @ there[some].T).toarray() / one[:, None] / other[some]
        at[some], best[some] = alike.argmax(axis=0), alike.max(axis=0)
        row = alike.max(axis=1)
        held = np.where(row > top, begin + alike.argmax(axis=1), held)
        top = np.maximum(top, row)
        away = np.abs(np.arange(len(chunks))[:, None] - at[some]) > APART
        best[some] *= (alike * away).max(axis=0) < TIED * best[some]
    rows: Ints = np.flatnonzero((best > 0) & (np.abs(held[at] - np.arange(len(runs))) <= 1)).astype(np.int64)
    return rows, at[rows], best[rows]


def _incidence(texts: Sequence[Sequence[Word]], numbers: dict[str, int]) -> Any:
    """Return which words are in which texts, (texts, words)."""
    from scipy.sparse import csr_matrix

    held = [sorted({numbers[word[0]] for word in text}) for text in texts]
    borders = np.cumsum([0, *map(len, held)])
    places = np.fromiter(chain.from_iterable(held), np.int64, int(borders[-1]))
    return csr_matrix((np.ones(len(places)), places, borders), shape=(len(texts), len(numbers)))


def _chain(rows: Ints, columns: Ints, worth: Floats) -> tuple[Ints, Ints]:
    """Return the heaviest places that rise on both sides; two runs may be in one chunk."""
    total, before = worth.astype(np.float64).copy(), np.full(len(rows), -1)
    for at in range(1, len(rows)):
        earlier = np.where(columns[:at] <= columns[at], total[:at], -np.inf)
        place = int(earlier.argmax())
        if earlier[place] > 0:
            total[at] += earlier[place]
            before[at] = place
    kept, at = list[int](), int(total.argmax()) if len(total) else -1
    while at >= 0:
        kept.append(at)
        at = int(before[at])
    return rows[kept[::-1]], columns[kept[::-1]]


def _agreeing(rows: Ints, columns: Ints) -> list[int]:
    """Return which places have neighbours that are as far away on one side as on the other."""
    usual = float(np.median(np.diff(columns) / np.diff(rows)))
    kept = list[int]()
    for at, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        near = slice(bisect_left(rows, row - NEAR), bisect_left(rows, row + NEAR + 1))
        steps = rows[near] - row
        away = np.abs(columns[near] - column - usual * steps)
        if np.count_nonzero(away <= STRETCHED * usual * np.abs(steps) + SPARE) > AGREEING:
            kept.append(at)
    return kept
