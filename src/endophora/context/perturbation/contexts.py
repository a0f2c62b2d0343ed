"""The inputs of a model under each condition: its segments with perturbed context."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np

from endophora.context.fitting import trimmed
from endophora.context.perturbation.conditions import Condition, Kind
from endophora.models.documents import Sides, contextual_inputs
from endophora.models.records import ContextRead, ContextSentence, ModelInput, Scorer
from endophora.signature import keyed

_UNIT = re.compile(r"\S+")
_TRIES = 64
"""Draws of a permutation that is not the one at hand; of two sentences one in 2⁶⁴ fails, and stays as it is."""


@keyed()
@dataclass(frozen=True, slots=True)
class Text:
    """A document: its segments, and their references.

    Attributes:
        sources: (N,) source segments.
        references: (N,) their references.
    """

    sources: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What contexts are made of.

    Attributes:
        texts: the documents.
        translations: the model's own translations of each document's segments, under the correct context.
        size: most segments of context.
        sides: on which sides context is given.
        seed: of all draws.
    """

    texts: Sequence[Text]
    translations: Sequence[Sequence[str]]
    size: int
    sides: Sides
    seed: int


Context = tuple[tuple[ContextSentence, ...], tuple[ContextSentence, ...]]
"""Context on the source and the target side, oldest first."""


def perturbed_inputs(
    given: Given, condition: Condition, model: Scorer | None, read: Sequence[ContextRead] | None = None
) -> list[ModelInput]:
    """Return the input of each segment under a condition, document after document.

    The draws depend on the seed, the kind of perturbation and the segment's place only: not on the other conditions,
    nor on the side that is perturbed.

    Args:
        given: what contexts are made of.
        condition: what stands in their place.
        model: tells lengths and vocabulary; needed where tokens are drawn.
        read: for each segment how much of the correct context the model has read: only that is perturbed; all of it by
            default.

    Raises:
        ValueError: tokens are to be drawn, and there is no model to draw them from.
    """
    found: list[ModelInput] = []
    for number, (text, translations) in enumerate(zip(given.texts, given.translations, strict=True)):
        target = text.references if condition.kind is Kind.GOLD else translations
        for place, correct in enumerate(contextual_inputs(text.sources, target, given.size, given.sides)):
            if condition.kind in (Kind.CORRECT, Kind.GOLD):
                found.append(correct)
                continue
            if read is not None:
                correct = trimmed(correct, read[len(found)])
            draws = np.random.default_rng([given.seed, zlib.crc32(condition.kind.value.encode()), number, place])
            source, own = _replaced(given, condition.kind, correct, number, draws, model)
            found.append(
                ModelInput(
                    correct.source,
                    source if condition.perturbed.source else correct.source_context,
                    own if condition.perturbed.target else correct.target_context,
                )
            )
    return found


def _replaced(
    given: Given, kind: Kind, correct: ModelInput, number: int, draws: np.random.Generator, model: Scorer | None
) -> Context:
    """Return what stands in the place of both contexts of a segment."""
    source, target = correct.source_context, correct.target_context
    if kind is Kind.NONE:
        return (), ()
    if kind is Kind.RANDOM:
        if model is None:
            raise ValueError("random tokens are drawn from a model's vocabulary")
        # Both sides are drawn whether or not both are perturbed, so that the draws of a side stay what they are.
        # A model may cut its two languages in different ways, and have a vocabulary for each.
        target_length = getattr(model, "target_length", model.length)
        target_vocabulary = getattr(model, "target_vocabulary", model.vocabulary)
        return (
            random_tokens(source, model.vocabulary, model.length, draws),
            random_tokens(target, target_vocabulary, target_length, draws),
        )
    if kind is Kind.SENTENCES:
        return _other_sentences(given, number, max(len(source), len(target)), draws)
    if kind is Kind.SHUFFLED:
        return _reordered(source, target, draws)
    return tuple(shuffled_words(text, draws) for text in source), tuple(shuffled_words(text, draws) for text in target)


def random_tokens(
    context: Sequence[ContextSentence],
    vocabulary: Sequence[int],
    length: Callable[[ContextSentence], int],
    draws: np.random.Generator,
) -> tuple[ContextSentence, ...]:
    """Return for each sentence as many tokens, drawn uniformly and independently from the vocabulary."""
    drawn = (draws.integers(len(vocabulary), size=length(sentence)) for sentence in context)
    return tuple(tuple(vocabulary[int(index)] for index in one) for one in drawn)


def shuffled_words(sentence: ContextSentence, draws: np.random.Generator) -> ContextSentence:
    """Return a sentence with its words in another order; what stands between them stays where it is.

    A word is what stands between blanks; of wide characters (Chinese, Japanese, Korean), which are not written with
    blanks between words, each is moved by itself. A sentence of one word, or of equal ones, stays as it is.
    """
    if not isinstance(sentence, str):
        return tuple(sentence[index] for index in another_order(len(sentence), draws))
    places = [place for found in _UNIT.finditer(sentence) for place in _units(sentence, *found.span())]
    words = [sentence[start:end] for start, end in places]
    order = another_order(len(words), draws)
    made, last = "", 0
    for (start, end), index in zip(places, order, strict=True):
        made += sentence[last:start] + words[index]
        last = end
    return made + sentence[last:]


def another_order(count: int, draws: np.random.Generator) -> list[int]:
    """Return a permutation of ``count`` places, drawn uniformly from all but the one at hand."""
    order = list(range(count))
    for _ in range(_TRIES if count > 1 else 0):
        drawn = [int(index) for index in draws.permutation(count)]
        if drawn != order:
            return drawn
    return order


def _units(sentence: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the places of the words in a stretch without blanks: each wide character is one."""
    found: list[tuple[int, int]] = []
    for index in range(start, end):
        wide = east_asian_width(sentence[index]) in "WF"
        joins = found and index > start and not wide and east_asian_width(sentence[index - 1]) not in "WF"
        if joins:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found


def _reordered(
    source: tuple[ContextSentence, ...], target: tuple[ContextSentence, ...], draws: np.random.Generator
) -> Context:
    """Return both contexts in the same other order."""
    order = another_order(max(len(source), len(target)), draws)
    return (
        tuple(source[index] for index in order) if source else (),
        tuple(target[index] for index in order) if target else (),
    )


def _other_sentences(given: Given, number: int, count: int, draws: np.random.Generator) -> Context:
    """Return segments drawn from other documents, each with the model's translation of it.

    Where there is one document only they are drawn from it.
    """
    others = [index for index in range(len(given.texts)) if index != number] or [number]
    ends = list(accumulate(len(given.texts[index].sources) for index in others))
    sources, targets = list[ContextSentence](), list[ContextSentence]()
    for value in draws.integers(ends[-1], size=count):
        drawn = int(value)
        which = bisect_right(ends, drawn)
        place = drawn - (ends[which - 1] if which else 0)
        sources.append(given.texts[others[which]].sources[place])
        targets.append(given.translations[others[which]][place])
    return (
        tuple(sources) if given.sides.source else (),
        tuple(targets) if given.sides.target else (),
    )
