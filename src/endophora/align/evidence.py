"""How much more probable a word is next to another than alone: priors, the document, and the shape of the words.

The estimates back off from pairs of words to pairs of classes (first letters) to the word alone, each by a Dirichlet
prior centred on the next (MacKay and Bauman Peto 1995).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from endophora.align.batch import Batch, Grid, Ints, Side, number_keys
from endophora.align.priors import Priors, PriorSide
from endophora.align.words import similarities
from endophora.signature import keyed

Floats = NDArray[np.float32]


@keyed()
@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers that the estimates depend on; see ``docs/models/aligner.md`` for how they were chosen."""

    word: float = 5.0  # weight of the class estimate in a word's, in counts (β)
    letters: float = 0.25  # weight of the word alone in a class's, in counts (γ)
    null: float = 100.0  # weight of the word alone among unlinked words, in counts
    document: float = 0.5  # what a count in the document is worth relative to one in the priors
    alike: float = 5.0  # count of a class pair for a pair of identical words
    unseen: float = 0.5  # count given to every word of the document, seen beforehand or not


@dataclass(frozen=True, slots=True)
class _Types:
    """One side's types: document, probability alone, and the prior counts of words and classes."""

    document: Ints
    alone: Floats
    linked: Floats
    unlinked: Floats
    class_alone: Floats
    class_linked: Floats
    total_unlinked: float


Ratios = tuple[Floats, Floats]
"""What :meth:`Evidence.ratios` says of one direction: of its pairs of types, and of its types and no word."""

GRAMMAR = np.float32(0.1)
"""Share of the rarer word's links that a pair has at least, if grammar knows it."""


def group_pairs(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return source word → target words."""
    grouped: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        grouped[source].add(target)
    return {source: frozenset(targets) for source, targets in grouped.items()}


class Evidence:
    """The estimates for one batch of documents; ``grammar`` has for source words the target words that translate it."""

    def __init__(
        self, batch: Batch, priors: Priors, weights: Weights, grammar: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self._batch = batch
        self._weights = weights
        first, second = batch.pairs
        known = (_numbers(batch.source, priors.source), _numbers(batch.target, priors.target))
        self._words = priors.words.look_up(known[0][0].take(first), known[1][0].take(second))
        grid = Grid(batch.source.class_documents, batch.target.class_documents)
        cells = grid.rows[batch.source.classes].take(first) + grid.columns[batch.target.classes].take(second)
        classes, self._class_pair = number_keys(cells, grid.size)
        self._class_pairs = grid.pairs(classes)
        self._classes = priors.classes.look_up(known[0][1][self._class_pairs[0]], known[1][1][self._class_pairs[1]])
        alike = similarities(batch.source.words, batch.target.words, batch.pairs)
        bonus = np.zeros(len(classes), dtype=np.float32)
        shown = np.flatnonzero(alike)
        np.maximum.at(bonus, self._class_pair[shown], weights.alike * alike[shown] ** 2)
        self._classes += bonus
        self._source = self._types(batch.source, priors.source, known[0])
        self._target = self._types(batch.target, priors.target, known[1])
        self._alone = self._source.alone.take(first), self._target.alone.take(second)
        self._class_alone = tuple(
            types.class_alone[at] for types, at in zip((self._source, self._target), self._class_pairs, strict=True)
        )
        self._add_grammar(grammar or {})

    def _add_grammar(self, grammar: Mapping[str, frozenset[str]]) -> None:
        """Give pairs that grammar knows at least a share of both words' links, however rare they were in the priors."""
        first, second = self._batch.pairs
        sources, targets = self._batch.source.words, self._batch.target.words
        known = np.fromiter((word in grammar for word in sources), np.bool_, len(sources))
        places = [at for at in np.flatnonzero(known.take(first)) if targets[second[at]] in grammar[sources[first[at]]]]
        least = np.minimum(self._source.linked[first[places]], self._target.linked[second[places]]) * GRAMMAR
        self._words[places] = np.maximum(self._words[places], least)

    def _types(self, side: Side, prior: PriorSide, known: tuple[Ints, Ints]) -> _Types:
        weights = self._weights
        words, classes = known
        document = np.repeat(np.arange(len(side.documents) - 1), np.diff(side.documents))
        here = np.bincount(side.tokens, minlength=len(side.words))
        mass = _take(prior.frequency, words) + weights.document * here + weights.unseen
        rest = max(0.0, prior.total)
        totals = np.bincount(document, weights.document * here + weights.unseen, len(side.documents) - 1) + rest
        alone = (mass / totals[document]).astype(np.float32)
        class_alone = np.bincount(side.classes, alone, len(side.class_names)).astype(np.float32)
        return _Types(
            document,
            alone,
            _take(prior.linked, words),
            _take(prior.unlinked, words),
            class_alone,
            _take(prior.class_linked, classes),
            float(prior.unlinked.sum()),
        )

    def ratios(self, counts: Floats | None, unlinked: tuple[Floats, Floats]) -> tuple[Ratios, Ratios]:
        """Return for each type pair t(f|e) ÷ p(f), and for each type of the word side t(f|null) ÷ p(f).

        Those of target words given source words come first, then the reverse.

        Args:
            counts: expected count of each type pair in its document, shape (type pairs,); ``None`` where all are 0.
            unlinked: expected count of each word type without a link, shape (types of the word side,), target first.
        """
        here: Floats | None = None
        if counts is not None:
            here = cast("Floats", counts * np.float32(self._weights.document))
        words, classes = self._words, self._classes
        if here is not None:
            words = cast("Floats", words + here)
            classes = classes + np.bincount(self._class_pair, here, len(classes)).astype(np.float32)
        return (
            (self._given(0, words, classes, here), self._null(self._target, unlinked[0])),
            (self._given(1, words, classes, here), self._null(self._source, unlinked[1])),
        )

    def _given(self, given: int, words: Floats, classes: Floats, here: Floats | None) -> Floats:
        """Return t(f|e) ÷ p(f) of each type pair from the counts of words and classes, the document's included."""
        types, at, class_at = (self._source, self._target)[given], self._batch.pairs[given], self._class_pairs[given]
        mass, class_mass = types.linked, types.class_linked
        if here is not None:
            mass = mass + np.bincount(at, here, len(mass)).astype(np.float32)
            found = np.bincount(class_at, classes - self._classes, len(class_mass))
            class_mass = (class_mass + found).astype(np.float32)
        gamma, beta = np.float32(self._weights.letters), np.float32(self._weights.word)
        backed = (classes / self._class_alone[1 - given] + gamma) / (class_mass.take(class_at) + gamma)
        # In place: these arrays are the largest that there are.
        ratio = words / self._alone[1 - given]
        ratio += (beta * backed).take(self._class_pair)
        ratio /= (mass + beta).take(at)
        return ratio

    def _null(self, types: _Types, unlinked: Floats) -> Floats:
        weights = self._weights
        here = unlinked * np.float32(weights.document)
        documents = int(types.document[-1]) + 1 if len(types.document) else 0
        totals = np.bincount(types.document, here, documents)[types.document] + types.total_unlinked
        return (((types.unlinked + here) / types.alone + weights.null) / (totals + weights.null)).astype(np.float32)


def _numbers(side: Side, prior: PriorSide) -> tuple[Ints, Ints]:
    words, classes = prior.word_numbers, prior.class_numbers
    return (
        np.array([words.get(word, -1) for word in side.words], dtype=np.int64),
        np.array([classes.get(name, -1) for name in side.class_names], dtype=np.int64),
    )


def _take(values: Floats, places: Ints) -> Floats:
    if not len(values):
        return np.zeros(len(places), dtype=np.float32)
    return np.where(places >= 0, values[places], np.float32(0)).astype(np.float32)
