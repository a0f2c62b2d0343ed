"""Documents as arrays: words as types, the pairs of types that meet in a segment, and where each pair of tokens stands.

A type is a lower-cased word of one document and its class; the types of two documents are never the same, so that many
documents make one batch and yet each keeps to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endophora.align.hmm import padded

Ints = NDArray[np.int64]
Words = Sequence[Sequence[tuple[str, str]]]
"""Segment × token → (lower-cased word, its class)."""

_DENSE = 16
"""A table of all pairs is used where it has at most this many cells a pair that occurs."""

_SENTENCES = 128
"""Sentences in a group, at most."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a batch.

    Attributes:
        words: type → lower-cased word.
        class_names: class → its name.
        classes: type → class, shape (types,).
        tokens: token → type, over all segments in order, shape (tokens,).
        lengths: segment → number of tokens, shape (segments,).
        starts: segment → its first token, shape (segments,).
        documents: document → number of its first type; one more entry ends the last, shape (documents + 1,).
    """

    words: list[str]
    class_names: list[str]
    classes: Ints
    tokens: Ints
    lengths: Ints
    starts: Ints
    documents: Ints


@dataclass(frozen=True, slots=True)
class Group:
    """Segments whose state sides are padded to one size, longest word side first.

    Attributes:
        segments: which segments of the batch, shape (B,).
        size: number of positions on the state side, the start included (S).
        active: word → how many segments have such a word, shape (J,).
        offset: where its J × B × S cells begin in the buffer.
    """

    segments: Ints
    size: int
    active: Ints
    offset: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where pairs of tokens stand in the buffer of one direction.

    Attributes:
        groups: the groups of segments, one after the other in the buffer.
        cells: number of cells of the buffer.
        places: token pair → its cell, shape (token pairs,).
    """

    groups: list[Group]
    cells: int
    places: Ints


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents ready to be aligned.

    Attributes:
        source: the source side.
        target: the target side.
        offsets: segment → its first token pair; one more entry ends the last, shape (segments + 1,).
        source_at: token pair → its source token, over all segments.
        target_at: token pair → its target token, over all segments.
        pair_of: token pair → type pair, shape (token pairs,).
        pairs: type pair → source type and target type, each of shape (type pairs,).
    """

    source: Side
    target: Side
    offsets: Ints
    source_at: Ints
    target_at: Ints
    pair_of: Ints
    pairs: tuple[Ints, Ints]


def encode(documents: Sequence[Words]) -> Side:
    """Number the words and classes of one side, each document by itself."""
    words: list[str] = []
    class_names: list[str] = []
    classes: list[int] = []
    tokens: list[int] = []
    lengths: list[int] = []
    firsts = [0]
    for document in documents:
        types: dict[tuple[str, str], int] = {}
        named: dict[str, int] = {}
        for segment in document:
            lengths.append(len(segment))
            for token in segment:
                number = types.get(token)
                if number is None:
                    number = types[token] = len(words)
                    words.append(token[0])
                    place = named.get(token[1])
                    if place is None:
                        place = named[token[1]] = len(class_names)
                        class_names.append(token[1])
                    classes.append(place)
                tokens.append(number)
        firsts.append(len(words))
    sizes = np.array(lengths, dtype=np.int64)
    return Side(
        words,
        class_names,
        np.array(classes, dtype=np.int64),
        np.array(tokens, dtype=np.int64),
        sizes,
        np.cumsum(sizes) - sizes,
        np.array(firsts, dtype=np.int64),
    )


def pair_up(source: Side, target: Side) -> Batch:
    """List all pairs of tokens that stand in one segment, and the pairs of types among them."""
    counts = source.lengths * target.lengths
    offsets = np.concatenate([[0], np.cumsum(counts)])
    segment = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(int(offsets[-1]), dtype=np.int64) - offsets[segment]
    source_at, target_at = np.divmod(within, target.lengths[segment])
    source_at += source.starts[segment]
    target_at += target.starts[segment]
    keys = source.tokens[source_at] * len(target.words) + target.tokens[target_at]
    keys, pair_of = number_keys(keys, len(source.words) * len(target.words))
    pairs = np.divmod(keys, max(1, len(target.words)))
    return Batch(source, target, offsets, source_at, target_at, pair_of, pairs)


def number_keys(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the different keys in order, and for each key its number among them.

    Args:
        keys: keys from 0, shape (keys,).
        size: a number above every key.
    """
    if size > _DENSE * len(keys):
        found, inverse = np.unique(keys, return_inverse=True)
        return found, inverse.reshape(-1)
    seen = np.zeros(size, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[keys]


def lay_out(batch: Batch, *, states: str) -> Layout:
    """Place the token pairs in groups of segments of like length, for one direction.

    Args:
        batch: the documents.
        states: ``"source"`` if the states of the model are the source's tokens and its words the target's, or
            ``"target"``.
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
    counts = np.diff(batch.offsets)
    return Layout(groups, cells, np.repeat(base, counts) + word_at * np.repeat(step, counts) + state_at)


def _split(order: Ints, sizes: Ints) -> list[Ints]:
    parts: list[Ints] = []
    for same in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        parts += [same[k : k + _SENTENCES] for k in range(0, len(same), _SENTENCES)]
    return [part for part in parts if len(part)]
