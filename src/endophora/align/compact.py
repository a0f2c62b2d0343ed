"""The compact aligner: a hidden Markov model in each direction that agree, with shipped priors.

Two models (Vogel, Ney and Tillmann 1996) are fitted to the document with the product of their posteriors as the
expected counts, so that they learn to agree (Liang, Taskar and Klein 2006), starting from the counts of the priors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from endophora.align.batch import Batch, Ints, Layout, Numbered, factors, join, lay_out, number, pair_up, part_numbers
from endophora.align.evidence import Evidence, Ratios, Weights, group_pairs
from endophora.align.hmm import REACH, jump_matrix, jump_totals, posteriors
from endophora.align.pieces import Documents, Links, align_in_parts
from endophora.align.priors import Priors, PriorSide
from endophora.align.records import Link, Symmetrisation
from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, refuse
from endophora.signature import digest_of

Floats = NDArray[np.float32]

VERSION = 4
"""Raised whenever the same input may give other links."""

NULL = 0.2
"""Probability that a word has no counterpart."""

_CEILING = np.float32(1e8)
_BATCH = 750_000


@dataclass(frozen=True, slots=True)
class Posteriors:
    """What one direction of the model says."""

    pairs: Floats  # probability of each pair of tokens, shape (token pairs,)
    null: Floats  # probability that a token of the word side has no counterpart, over all segments, shape (tokens,)


@dataclass(frozen=True, slots=True)
class _Text:
    """One side of a document: its words numbered, and the number of each token's part of speech."""

    numbered: Numbered
    parts: Ints


class CompactAligner:
    """Aligns documents with the compact hidden Markov model.

    The document's own counts are learned so many ``iterations`` before the links are drawn; ``grammar`` are pairs of
    lower-cased words that it knows to translate each other, such as *it* and *sie*.
    """

    def __init__(
        self,
        priors: Priors,
        symmetrisation: Symmetrisation | None = None,
        *,
        iterations: int = 1,
        weights: Weights | None = None,
        grammar: Collection[tuple[str, str]] = (),
    ) -> None:
        self._priors = priors
        self._grammar = group_pairs(grammar)
        self._symmetrisation = symmetrisation or Symmetrisation()
        self._iterations = iterations
        self._weights = weights or Weights()
        # The source documents of the last call; what is kept alive keeps its id.
        self._sources: dict[int, tuple[Sequence[AnnotatedText], _Text]] = {}

    def with_grammar(self, grammar: Collection[tuple[str, str]]) -> CompactAligner:
        """Return the same aligner with other pairs of words that grammar knows."""
        other = copy(self)
        other._grammar = group_pairs(grammar)
        return other

    @property
    def signature(self) -> str:
        """Name, version, priors hash, symmetrisation and parameters."""
        weights = digest_of((self._weights, self._grammar))[:8]
        parameters = f"{self._symmetrisation}, iterations {self._iterations}, weights and grammar {weights}"
        return f"compact v{VERSION}, priors {self._priors.hash}, {parameters}"

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target."""
        return self.align_many([(source, target)])[0]

    def align_many(self, documents: Documents) -> list[Links]:
        """Link several documents, each by itself: the same links as one by one, in a fraction of the time."""
        check_lengths(documents)
        return align_in_parts(documents, self._align_many)

    def _align_many(self, documents: Documents) -> list[Links]:
        sides = self._priors.source, self._priors.target
        prepared: list[tuple[_Text, _Text]] = []
        kept: dict[int, tuple[Sequence[AnnotatedText], _Text]] = {}
        for source, target in documents:
            # The systems of an evaluation translate one source, which is numbered once.
            known = kept.get(id(source)) or (self._sources.get(id(source)) if isinstance(source, tuple) else None)
            kept[id(source)] = source, _text(source, sides[0]) if known is None else known[1]
            prepared.append((kept[id(source)][1], _text(target, sides[1])))
        self._sources = kept
        results: list[Links] = []
        for some in _batches(prepared):
            batch = pair_up(join([one.numbered for one, _ in some]), join([other.numbered for _, other in some]))
            source, target = (np.concatenate([pair[side].parts for pair in some]) for side in (0, 1))
            links = iter(self._links(batch, factors(source[batch.source_at], target[batch.target_at])))
            results += [[next(links) for _ in one.numbered.lengths] for one, _ in some]
        return results

    def _links(self, batch: Batch, fit: Floats) -> list[tuple[Link, ...]]:
        forward, backward = self.posteriors(batch, fit)
        confidence = np.round(np.sqrt(forward.pairs * backward.pairs), 4)
        chosen = (best(batch, forward, states="source"), best(batch, backward, states="target"))
        shown = np.flatnonzero(chosen[0] | chosen[1] | (confidence >= self._symmetrisation.threshold))
        counts = np.diff(np.searchsorted(shown, batch.offsets))
        sources = batch.source_at[shown] - np.repeat(batch.source.starts, counts)
        targets = batch.target_at[shown] - np.repeat(batch.target.starts, counts)
        points: list[tuple[int, int]] = list(zip(sources.tolist(), targets.tolist(), strict=True))
        confidences: list[float] = confidence[shown].tolist()
        ones, others = chosen[0][shown].tolist(), chosen[1][shown].tolist()
        results: list[tuple[Link, ...]] = []
        at = 0
        for count in counts.tolist():
            span = slice(at, at + count)
            at += count
            here = points[span]
            values = dict(zip(here, confidences[span], strict=True))
            forward_links, backward_links = (set(compress(here, side[span])) for side in (ones, others))
            results.append(self._symmetrisation.links(forward_links, backward_links, values))
        return results

    def posteriors(self, batch: Batch, fit: Floats) -> tuple[Posteriors, Posteriors]:
        """Return the posteriors of both directions; ``fit``, (token pairs,), is how well parts of speech agree."""
        evidence = Evidence(batch, self._priors, self._weights, self._grammar)
        layouts = (lay_out(batch, states="source"), lay_out(batch, states="target"))
        counts, unlinked = None, nothing_unlinked(batch)
        remaining = self._iterations
        while True:
            one, other = evidence.ratios(counts, unlinked)
            forward = infer(batch, layouts[0], one, self._priors.forward, fit=fit)
            backward = infer(batch, layouts[1], other, self._priors.backward, states="target", fit=fit)
            if not remaining:
                return forward, backward
            counts, unlinked = expected(batch, forward, backward)
            remaining -= 1


def infer(
    batch: Batch,
    layout: Layout,
    ratios: Ratios,
    weights: Floats,
    *,
    states: str = "source",
    null: float = NULL,
    fit: Floats | None = None,
    jumps: Floats | None = None,
) -> Posteriors:
    """Run the model of one direction over a batch.

    ``weights`` are those of the jumps, (2 · REACH + 1,); ``jumps`` is where to add the expected number of each. ``fit``
    is a factor of the odds of each pair of tokens, (token pairs,).
    """
    given, side = (batch.source, batch.target) if states == "source" else (batch.target, batch.source)
    odds = ratios[0] / ratios[1].take(batch.pairs[1 if states == "source" else 0])
    odds *= np.float32((1 - null) / null)
    np.minimum(odds, _CEILING, out=odds)
    buffer = np.zeros(layout.cells, dtype=np.float32)
    each = odds.take(batch.pair_of)
    if fit is not None:
        each *= fit
        np.minimum(each, _CEILING, out=each)
    buffer[layout.places] = each
    unlinked = np.ones(len(side.tokens), dtype=np.float32)
    for group in layout.groups:
        steps, members = len(group.active), len(group.segments)
        cells = buffer[group.offset : group.offset + steps * members * group.size]
        matrix = jump_matrix(weights, group.size)
        taken = np.zeros_like(matrix) if jumps is not None else None
        totals = jump_totals(weights, group.size, given.lengths[group.segments])
        real, nulls = posteriors(cells.reshape(steps, members, group.size), group.active, matrix, totals, taken)
        cells[:] = real.reshape(-1)
        words = np.arange(steps)[:, None]
        within = words < side.lengths[group.segments]
        unlinked[(words + side.starts[group.segments])[within]] = nulls[within]
        if jumps is not None and taken is not None:
            # From a matrix of goings from position to position to the weights of jumps.
            moves = np.arange(group.size)[None, :] - np.arange(group.size)[:, None]
            jumps += np.bincount((np.clip(moves, -REACH, REACH) + REACH).reshape(-1), taken.reshape(-1), len(jumps))
    return Posteriors(buffer[layout.places], unlinked)


def nothing_unlinked(batch: Batch) -> tuple[Floats, Floats]:
    """Return no expected count for each target type and each source type: what is known at first."""
    target, source = (np.zeros(len(side.words), dtype=np.float32) for side in (batch.target, batch.source))
    return target, source


def expected(batch: Batch, forward: Posteriors, backward: Posteriors) -> tuple[Floats, tuple[Floats, Floats]]:
    """Return the expected counts: of type pairs, of unlinked target types and of unlinked source types.

    A pair counts as the product of the two directions' probabilities, so that only what both believe is learned.
    """
    counts = np.bincount(batch.pair_of, forward.pairs * backward.pairs, len(batch.pairs[0]))
    target = np.bincount(batch.target.tokens, forward.null, len(batch.target.words))
    source = np.bincount(batch.source.tokens, backward.null, len(batch.source.words))
    return counts.astype(np.float32), (target.astype(np.float32), source.astype(np.float32))


def best(batch: Batch, posteriors: Posteriors, *, states: str) -> NDArray[np.bool_]:
    """Return for each token pair whether its state is the word's most probable one and more so than null."""
    at = batch.target_at if states == "source" else batch.source_at
    highest = posteriors.null.copy()
    np.maximum.at(highest, at, posteriors.pairs)
    return (posteriors.pairs == highest.take(at)) & (posteriors.pairs > posteriors.null.take(at))


def _text(texts: Sequence[AnnotatedText], side: PriorSide) -> _Text:
    words = [[side.scheme.word(token) for token in text.tokens] for text in texts]
    return _Text(number(words, side.classify), part_numbers(texts))


def check_lengths(documents: Documents) -> None:
    """Check that the two sides of every document have as many segments."""
    advice = "give both sides of every segment; a side may be empty text"
    refuse(
        Fault("E052", f"document {number} has {len(source)} source and {len(target)} target segments", advice)
        for number, (source, target) in enumerate(documents, 1)
        if len(source) != len(target)
    )


def _batches(documents: Sequence[tuple[_Text, _Text]]) -> Iterator[list[tuple[_Text, _Text]]]:
    some: list[tuple[_Text, _Text]] = []
    cells = 0
    for source, target in documents:
        here = int(source.numbered.lengths @ target.numbered.lengths)
        if some and cells + here > _BATCH:
            yield some
            some, cells = [], 0
        some.append((source, target))
        cells += here
    if some:
        yield some
