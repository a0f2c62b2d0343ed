"""Priors for the compact aligner, learned from any parallel text by the aligner's own model.

First the words alone are learned, with links near the diagonal more probable than others; then the hidden Markov model
with its jumps. As in a document, the two directions learn from what both believe.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from endophora.align.batch import Batch, Side, join, lay_out, number, pair_up
from endophora.align.compact import Posteriors, expected, infer, nothing_unlinked
from endophora.align.evidence import Evidence, Weights
from endophora.align.hmm import REACH
from endophora.align.priors import FORMAT, OFFSET, STEP, PairCounts, Priors, PriorSide, hash_of
from endophora.align.words import Scheme
from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, InputError

Floats = NDArray[np.float32]
Tokens = Sequence[str]


@dataclass(frozen=True, slots=True)
class PriorsRecipe:
    """How priors are learned, and what of them is kept.

    Attributes:
        source_classes, target_classes: how the class of a word is made.
        diagonal_rounds: rounds with links near the diagonal preferred.
        jump_rounds: rounds of the hidden Markov model.
        steepness: how much the diagonal is preferred.
        word_floor: the least expected count of a pair of words that is kept; twice that where pairs are there twice.
        class_floor: the least expected count of a pair of classes that is kept, likewise.
        null: probability that a word has no counterpart.
        longest: pairs with more tokens than this on a side are left out.
        weights: how much each source of evidence counts while learning.
    """

    source_classes: Scheme = field(default_factory=Scheme)
    target_classes: Scheme = field(default_factory=Scheme)
    diagonal_rounds: int = 4
    jump_rounds: int = 3
    steepness: float = 6.0
    word_floor: float = 1.0
    class_floor: float = 0.8
    null: float = 0.1
    longest: int = 60
    weights: Weights = field(default_factory=lambda: Weights(word=20.0, letters=20.0, null=50.0, document=1.0))


def pair_words(
    sources: Iterable[AnnotatedText], targets: Iterable[AnnotatedText], source_classes: Scheme, target_classes: Scheme
) -> list[tuple[Tokens, Tokens]]:
    """Return the forms of both sides of each pair; then, where a language is aligned by stems, all pairs with these.

    Texts without annotation, as those that outputs are cut into segments by, are looked up by their forms.
    """
    texts = list(zip(sources, targets, strict=True))
    forms = [tuple([token.form for token in text.tokens] for text in pair) for pair in texts]
    schemes = source_classes, target_classes
    stems = [
        tuple([scheme.word(token) for token in text.tokens] for scheme, text in zip(schemes, pair, strict=True))
        for pair in (texts if _is_doubled(schemes) else ())
    ]
    return cast("list[tuple[Tokens, Tokens]]", forms + stems)


def _is_doubled(schemes: Iterable[Scheme]) -> bool:
    return any(scheme.stems for scheme in schemes)


def train_priors(pairs: Sequence[tuple[Tokens, Tokens]], recipe: PriorsRecipe | None = None) -> Priors:
    """Learn priors from tokenised parallel text.

    Args:
        pairs: the tokens of a text in the source language, and of its translation (:func:`pair_words`).

    Raises:
        InputError: no pair has words on both sides and is short enough (E082).
    """
    recipe = recipe or PriorsRecipe()
    fit = [pair for pair in pairs if all(0 < len(side) <= recipe.longest for side in pair)]
    if not fit:
        advice = f"give pairs of at most {recipe.longest} tokens a side"
        raise InputError(Fault("E082", f"none of the {len(pairs)} pairs can be learned from", advice))
    batch = pair_up(
        join([number([source for source, _ in fit], recipe.source_classes.classify())]),
        join([number([target for _, target in fit], recipe.target_classes.classify())]),
    )
    empty = Priors(PriorSide(scheme=recipe.source_classes), PriorSide(scheme=recipe.target_classes))
    evidence = Evidence(batch, empty, recipe.weights)
    counts: Floats = np.zeros(len(batch.pairs[0]), dtype=np.float32)
    unlinked = nothing_unlinked(batch)
    for _ in range(recipe.diagonal_rounds):
        posteriors = tuple(
            _diagonal(batch, ratios, recipe, states=states)
            for states, ratios in zip(("source", "target"), evidence.ratios(counts, unlinked), strict=True)
        )
        counts, unlinked = expected(batch, posteriors[0], posteriors[1])
    jumps = (empty.forward, empty.backward)
    layouts = (lay_out(batch, states="source"), lay_out(batch, states="target"))
    for _ in range(recipe.jump_rounds):
        taken = (np.zeros(2 * REACH + 1, dtype=np.float32), np.zeros(2 * REACH + 1, dtype=np.float32))
        posteriors = tuple(
            infer(
                batch,
                layouts[place],
                ratios,
                jumps[place],
                states=states,
                null=recipe.null,
                jumps=taken[place],
            )
            for place, (states, ratios) in enumerate(
                zip(("source", "target"), evidence.ratios(counts, unlinked), strict=True)
            )
        )
        counts, unlinked = expected(batch, posteriors[0], posteriors[1])
        jumps = (_smooth(taken[0]), _smooth(taken[1]))
    return _gather(batch, counts, unlinked, jumps, recipe)


def _smooth(seen: Floats) -> Floats:
    weights = seen / seen.sum()
    return np.maximum(weights, np.float32(1e-5)).astype(np.float32)


def _diagonal(batch: Batch, ratios: tuple[Floats, Floats], recipe: PriorsRecipe, *, states: str) -> Posteriors:
    """Return posteriors under a model that prefers links near the diagonal (Dyer, Chahuneau and Smith 2013)."""
    word = 1 if states == "source" else 0
    sides, ats = (batch.source, batch.target), (batch.source_at, batch.target_at)
    counts = np.diff(batch.offsets)
    relative = [
        (at - np.repeat(side.starts, counts) + 0.5) / np.repeat(side.lengths, counts)
        for side, at in zip(sides, ats, strict=True)
    ]
    near = np.exp(-recipe.steepness * np.abs(relative[0] - relative[1])).astype(np.float32)
    tokens = len(sides[word].tokens)
    near /= np.bincount(ats[word], near, tokens)[ats[word]].astype(np.float32)
    value = near * ratios[0][batch.pair_of] * np.float32(1 - recipe.null)
    null = ratios[1][sides[word].tokens] * np.float32(recipe.null)
    whole = (np.bincount(ats[word], value, tokens) + null).astype(np.float32)
    return Posteriors(value / whole[ats[word]], null / whole)


def _gather(
    batch: Batch, counts: Floats, unlinked: tuple[Floats, Floats], jumps: tuple[Floats, Floats], recipe: PriorsRecipe
) -> Priors:
    """Return what is kept of the counts, words and classes in order of code points."""
    first, second = batch.pairs
    times = 2 if _is_doubled((recipe.source_classes, recipe.target_classes)) else 1
    strong = np.flatnonzero(counts >= times * recipe.word_floor)
    columns = len(batch.target.class_names)
    class_keys, inverse = np.unique(
        batch.source.classes[first] * columns + batch.target.classes[second], return_inverse=True
    )
    class_counts = np.bincount(inverse.reshape(-1), counts, len(class_keys)).astype(np.float32)
    strong_classes = np.flatnonzero(class_counts >= times * recipe.class_floor)
    class_first, class_second = np.divmod(class_keys[strong_classes], columns)
    sides: list[PriorSide] = []
    numbers: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for side, at, class_at, nulls, scheme in (
        (batch.source, first, class_first, unlinked[1], recipe.source_classes),
        (batch.target, second, class_second, unlinked[0], recipe.target_classes),
    ):
        linked = np.bincount(at, counts, len(side.words)).astype(np.float32)
        kept_words = np.union1d(at[strong], np.flatnonzero(nulls >= 2 * times * recipe.word_floor))
        made, word_numbers, class_numbers = _side(side, kept_words, np.unique(class_at), linked, nulls, scheme)
        sides.append(made)
        numbers.append((word_numbers, class_numbers))
    words = _pairs(numbers[0][0][first[strong]], numbers[1][0][second[strong]], counts[strong], len(sides[1].words))
    classes = _pairs(
        numbers[0][1][class_first], numbers[1][1][class_second], class_counts[strong_classes], len(sides[1].classes)
    )
    return replace(Priors(sides[0], sides[1], words, classes), forward=jumps[0], backward=jumps[1])


def _side(
    side: Side,
    words: NDArray[np.int64],
    classes: NDArray[np.int64],
    linked: Floats,
    unlinked: Floats,
    scheme: Scheme,
) -> tuple[PriorSide, NDArray[np.int64], NDArray[np.int64]]:
    words, classes = _in_order(words, side.words), _in_order(classes, side.class_names)
    frequency = np.bincount(side.tokens, minlength=len(side.words)).astype(np.float32)
    class_linked = np.bincount(side.classes, linked, len(side.class_names)).astype(np.float32)
    made = PriorSide(
        _names(words, side.words),
        frequency[words],
        linked[words],
        unlinked[words],
        _names(classes, side.class_names),
        class_linked[classes],
        scheme,
        float(len(side.tokens)),
    )
    return made, _renumber(words, len(side.words)), _renumber(classes, len(side.class_names))


def _in_order(numbers: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    found: list[int] = numbers.tolist()
    return np.array(sorted(found, key=names.__getitem__), dtype=np.int64)


def _names(numbers: NDArray[np.int64], names: Sequence[str]) -> list[str]:
    found: list[int] = numbers.tolist()
    return [names[number] for number in found]


def _renumber(kept: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    numbers = np.full(size, -1, dtype=np.int64)
    numbers[kept] = np.arange(len(kept))
    return numbers


def _pairs(source: NDArray[np.int64], target: NDArray[np.int64], counts: Floats, columns: int) -> PairCounts:
    keys = source * columns + target
    order = np.argsort(keys, kind="stable")
    return PairCounts(keys[order], counts[order], columns)


def write_priors(priors: Priors, path: Path) -> str:
    """Write priors to a file and return its hash; the same priors give the same bytes."""
    arrays: dict[str, NDArray[np.generic]] = {
        "forward": priors.forward.astype("<f4"),
        "backward": priors.backward.astype("<f4"),
    }
    for name, side in (("source", priors.source), ("target", priors.target)):
        arrays[f"{name}.words"] = _pack_words(side.words)
        arrays[f"{name}.classes"] = _pack_words(side.classes)
        for part in ("frequency", "linked", "unlinked", "class_linked"):
            arrays[f"{name}.{part}"] = _quantise(cast("Floats", getattr(side, part)))
    for name, pairs in (("words", priors.words), ("classes", priors.classes)):
        gaps = np.diff(pairs.keys, prepend=0)
        arrays[f"{name}.keys"] = gaps.astype("<u4").view(np.uint8).reshape(-1, 4).T.copy().reshape(-1)
        arrays[f"{name}.counts"] = _quantise(pairs.counts)
    head = {
        "format": FORMAT,
        "classes": [side.scheme.model_dump(exclude_defaults=True) for side in (priors.source, priors.target)],
        "total": [float(priors.source.total), float(priors.target.total)],
        "arrays": [[name, str(array.dtype.str), int(array.size)] for name, array in arrays.items()],
    }
    body = json.dumps(head, sort_keys=True).encode() + b"\n" + b"".join(array.tobytes() for array in arrays.values())
    data = lzma.compress(body, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hash_of(data)


def _pack_words(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _quantise(counts: Floats) -> NDArray[np.uint8]:
    logs = np.rint(np.log2(np.maximum(counts, 1e-9)) * STEP) + OFFSET
    return np.where(counts > 0, np.clip(logs, 1, 255), 0).astype(np.uint8)
