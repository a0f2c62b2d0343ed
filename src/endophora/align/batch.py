"""Documents as arrays: their words, classes and parts of speech, all documents of a batch at once.

Words that have many translations, *it* and *you* before all, are often left without a link by their word statistics.
Where both sides are annotated, the odds of a pair of tokens are multiplied by how much more often their parts of speech
are linked than by chance, as learned by ``endophora_makers.parts``.

A type is a lower-cased word of one document and its class; the types of two documents are never the same, so that many
documents make one batch and yet each keeps to itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from endophora.align.hmm import padded
from endophora.align.words import Classify
from endophora.annotate.records import AnnotatedText

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@lru_cache(maxsize=1)
def shipped_table() -> tuple[dict[str, int], Floats]:
    """Return the number of each part of speech, from 1, and the factors, shape (parts + 1, parts + 1).

    Row and column 0 stand for what has no known part of speech; their factors are 1.
    """
    data = json.loads((files("endophora.align") / "data" / "parts.json").read_text(encoding="utf-8"))
    names: list[str] = data["parts"]
    table = np.ones((len(names) + 1, len(names) + 1), dtype=np.float32)
    table[1:, 1:] = np.array(data["factors"], dtype=np.float32).reshape(len(names), len(names))
    return {name: number for number, name in enumerate(names, 1)}, table


def part_numbers(texts: Sequence[AnnotatedText]) -> Ints:
    """Return the number of each token's part of speech, over all segments of a document, shape (tokens,)."""
    numbers, _ = shipped_table()
    return np.array([numbers.get(token.upos, 0) for text in texts for token in text.tokens], dtype=np.int64)


def factors(source: Ints, target: Ints) -> Floats:
    """Return the factor of each pair of tokens from the numbers of their parts of speech, shape (token pairs,)."""
    _, table = shipped_table()
    return table.reshape(-1).take(source * len(table) + target)


_DENSE = 16
"""A table of all pairs is used where it has at most this many cells a pair that occurs."""
_SENTENCES = 128
"""Sentences in a group, at most."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """One side of one document, its words and classes numbered from 0."""

    words: list[str]  # type → lower-cased word
    class_names: list[str]  # class → its name
    classes: Ints  # type → class, shape (types,)
    tokens: Ints  # token → type, over all segments in order, shape (tokens,)
    lengths: Ints  # segment → number of tokens, shape (segments,)


@dataclass(frozen=True, slots=True)
class Side(Numbered):
    """One side of a batch: its types, classes and tokens are those of all documents, one after the other."""

    starts: Ints  # segment → its first token, shape (segments,)
    documents: Ints  # document → number of its first type; one more entry ends the last, shape (documents + 1,)
    class_documents: Ints  # document → number of its first class; one more entry ends the last, shape (documents + 1,)


@dataclass(frozen=True, slots=True)
class Group:
    """Segments whose state sides are padded to one size, longest word side first."""

    segments: Ints  # which segments of the batch, shape (B,)
    size: int  # number of positions on the state side, the start included (S)
    active: Ints  # word → how many segments have such a word, shape (J,)
    offset: int  # where its J × B × S cells begin in the buffer


@dataclass(frozen=True, slots=True)
class Layout:
    """Where pairs of tokens are in the buffer of one direction."""

    groups: list[Group]  # the groups of segments, one after the other in the buffer
    cells: int
    places: Ints  # token pair → its cell, shape (token pairs,)


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents ready to be aligned."""

    source: Side
    target: Side
    offsets: Ints  # segment → its first token pair; one more entry ends the last, shape (segments + 1,)
    source_at: Ints  # token pair → its source token, over all segments
    target_at: Ints  # token pair → its target token, over all segments
    pair_of: Ints  # token pair → type pair, shape (token pairs,)
    pairs: tuple[Ints, Ints]  # type pair → source type and target type, each of shape (type pairs,)


class _Types(dict[str, int]):
    """Form → number of its lower-cased word, in order of first occurrence."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, int] = {}

    def __missing__(self, form: str) -> int:
        found = self[form] = self.words.setdefault(form.lower(), len(self.words))
        return found


def number(document: Sequence[Sequence[str]], classify: Classify) -> Numbered:
    """Number the words and classes of one side of a document, segment × token, in order of first occurrence."""
    types = _Types()
    lengths = [len(segment) for segment in document]
    tokens = [types[form] for segment in document for form in segment]
    named: dict[str, int] = {}
    classes = [named.setdefault(classify(word), len(named)) for word in types.words]
    return Numbered(
        list(types.words),
        list(named),
        np.array(classes, dtype=np.int64),
        np.array(tokens, dtype=np.int64),
        np.array(lengths, dtype=np.int64),
    )


def join(documents: Sequence[Numbered]) -> Side:
    """Put documents one after the other, each with its types and classes."""
    types = _starts([len(document.words) for document in documents])
    classes = _starts([len(document.class_names) for document in documents])
    sizes = _joined([document.lengths for document in documents])
    return Side(
        [word for document in documents for word in document.words],
        [name for document in documents for name in document.class_names],
        _joined([document.classes + start for document, start in zip(documents, classes[:-1], strict=True)]),
        _joined([document.tokens + start for document, start in zip(documents, types[:-1], strict=True)]),
        sizes,
        np.cumsum(sizes) - sizes,
        types,
        classes,
    )


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))])


def _joined(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


def pair_up(source: Side, target: Side) -> Batch:
    """List all pairs of tokens that are in one segment, and the pairs of types among them."""
    counts = source.lengths * target.lengths
    offsets = np.concatenate([[0], np.cumsum(counts)])
    # A source token meets the target tokens of its segment, one after the other.
    meets = np.repeat(target.lengths, source.lengths)
    source_at = np.repeat(np.arange(len(meets)), meets)
    before = np.cumsum(meets) - meets
    target_at = np.arange(int(offsets[-1])) - np.repeat(before - np.repeat(target.starts, source.lengths), meets)
    grid = Grid(source.documents, target.documents)
    cells = grid.rows[source.tokens].take(source_at) + grid.columns[target.tokens].take(target_at)
    cells, pair_of = number_keys(cells, grid.size)
    return Batch(source, target, offsets, source_at, target_at, pair_of, grid.pairs(cells))


class Grid:
    """A cell for each pair of things of one document; the cells of a document follow those of the one before.

    ``rows`` are for each source thing the cell of its pair with its document's first target thing, ``columns`` for each
    target thing how far its cell lies from there.
    """

    def __init__(self, sources: Ints, targets: Ints) -> None:
        # Document → its first thing; one more entry ends the last.
        self._sources, self._targets = sources, targets
        heights, widths = np.diff(sources), np.diff(targets)
        self._starts = np.concatenate([[0], np.cumsum(heights * widths)])
        self.size = int(self._starts[-1])
        self.rows: Ints = np.repeat(self._starts[:-1], heights) + (
            np.arange(int(sources[-1])) - np.repeat(sources[:-1], heights)
        ) * np.repeat(widths, heights)
        self.columns: Ints = np.arange(int(targets[-1])) - np.repeat(targets[:-1], widths)

    def pairs(self, cells: Ints) -> tuple[Ints, Ints]:
        """Return the source thing and the target thing of each cell; the cells are ascending."""
        sizes = np.diff(np.searchsorted(cells, self._starts))
        widths = np.repeat(np.maximum(np.diff(self._targets), 1), sizes)
        first, second = np.divmod(cells - np.repeat(self._starts[:-1], sizes), widths)
        first += np.repeat(self._sources[:-1], sizes)
        second += np.repeat(self._targets[:-1], sizes)
        return first, second


def number_keys(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the different keys, from 0, in order, and for each key its number among them."""
    if size > _DENSE * len(keys):
        found, inverse = np.unique(keys, return_inverse=True)
        return found, inverse.reshape(-1)
    seen = np.zeros(size, dtype=bool)
    seen[keys] = True
    found = np.flatnonzero(seen)
    numbers = np.empty(size, dtype=np.int64)
    numbers[found] = np.arange(len(found))
    return found, numbers.take(keys)


def lay_out(batch: Batch, *, states: str) -> Layout:
    """Place the token pairs in groups of segments of like length, for one direction.

    With ``states="source"`` the states of the model are the source's tokens and its words the target's.
    """
    forward = states == "source"
    state, word = (batch.source, batch.target) if forward else (batch.target, batch.source)
    state_at, word_at = (batch.source_at, batch.target_at) if forward else (batch.target_at, batch.source_at)
    state_lengths, word_lengths = state.lengths, word.lengths
    sizes = np.array([padded(int(length)) for length in state_lengths], dtype=np.int64)
    order = np.lexsort((np.arange(len(sizes)), -word_lengths, sizes))
    order = order[(state_lengths * word_lengths)[order] > 0]
    groups: list[Group] = []
    cells = 0
    base = np.zeros(len(sizes), dtype=np.int64)
    step = np.zeros(len(sizes), dtype=np.int64)
    for members in _split(order, sizes):
        size = int(sizes[members[0]])
        lengths = word_lengths[members]
        active = np.searchsorted(-lengths, -np.arange(int(lengths[0])), side="left")
        groups.append(Group(members, size, active, cells))
        base[members] = cells + np.arange(len(members)) * size + 1
        step[members] = len(members) * size
        cells += int(lengths[0]) * len(members) * size
    base += -word.starts * step - state.starts
    rows = np.repeat(base, word_lengths) + np.arange(len(word.tokens)) * np.repeat(step, word_lengths)
    return Layout(groups, cells, rows.take(word_at) + state_at)


def _split(order: Ints, sizes: Ints) -> list[Ints]:
    parts: list[Ints] = []
    for same in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        parts += [same[k : k + _SENTENCES] for k in range(0, len(same), _SENTENCES)]
    return [part for part in parts if len(part)]
