"""The conditions under which a model is tried: what replaces the context, on which side, and the inputs made so."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from unicodedata import east_asian_width

import numpy as np

from endophora.context.context_read import CONTEXTS, Likelihood, read_sides, trimmed
from endophora.errors import Fault, InputError
from endophora.metrics import load_metric, reads_annotations
from endophora.models.records import (
    ContextRead,
    ContextSentence,
    Decoding,
    ModelInput,
    Scorer,
    Sides,
    Translation,
    contextual_inputs,
)
from endophora.options import inherited, option
from endophora.signature import keyed
from endophora.statistics.resampling import Resampling, TestName


class Kind(StrEnum):
    """What is given as context; the correct one is the paper's."""

    CORRECT = "correct"
    RANDOM = "random"
    SENTENCES = "sentences"
    SHUFFLED = "shuffled"
    SHUFFLED_WORDS = "shuffled-words"
    GOLD = "gold"
    NONE = "none"


DESCRIPTIONS: dict[Kind, str] = {
    Kind.CORRECT: "the segments before, with {own}",
    Kind.RANDOM: "random tokens of the model's vocabulary, as many as the correct context has",
    Kind.SENTENCES: "as many segments of other documents, with {own}",
    Kind.SHUFFLED: "the sentences of the correct context in another order",
    Kind.SHUFFLED_WORDS: "the words of each sentence of the correct context in another order",
    Kind.GOLD: "the segments before, with their references",
    Kind.NONE: "no context",
}
"""What is given as context, as reports say it; ``{own}`` is what the target context is."""
TARGETS = {"own": "the model's own translations of them", "reference": "their references"}
"""What target contexts are, by the name of the option."""


@keyed()
@dataclass(frozen=True, slots=True)
class Condition:
    """What replaces the context on the perturbed side; the other side has the correct context."""

    kind: Kind
    perturbed: Sides = Sides.BOTH

    @property
    def name(self) -> str:
        """``random``, or with a side ``random:source``."""
        return self.kind.value if self.perturbed is Sides.BOTH else f"{self.kind.value}:{self.perturbed.value}"

    def description(self, target_context: str = "own") -> str:
        """Return what it is, for reports."""
        found = DESCRIPTIONS[self.kind].format(own=TARGETS[target_context])
        if self.perturbed is Sides.BOTH:
            return found
        other = Sides.TARGET if self.perturbed is Sides.SOURCE else Sides.SOURCE
        return f"{found}, on the {self.perturbed.value} side; the {other.value} side is correct"


CORRECT = Condition(Kind.CORRECT)
NONE = Condition(Kind.NONE)
DEFAULT = (CORRECT, Condition(Kind.RANDOM), NONE)
"""The columns of the paper's Table 2."""
FOLLOW_UP = (CORRECT, Condition(Kind.SENTENCES), Condition(Kind.RANDOM), NONE)
"""Those of Mohammed and Niculae (2025), whose context is of references: gold, perturbed, random; and none."""


def read_conditions(names: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions of some names, the correct context first, whether or not it is named (E325).

    A name is such as ``random``, or ``random:source`` to perturb one side only; no names are those of :data:`DEFAULT`.
    """
    found: dict[Condition, None] = {CORRECT: None}
    faults: list[Fault] = []
    seen: set[str] = set()
    for name in names or [condition.name for condition in DEFAULT]:
        kind, _, side = name.partition(":")
        if kind not in set(Kind) or side not in ("", "source", "target"):
            known = ", ".join(Kind)
            faults.append(_fault(name, "is no condition", f"{known}; one side only: random:source, random:target"))
        elif name in seen:
            faults.append(_fault(name, "is given twice", "give it once"))
        elif side and kind in (Kind.CORRECT, Kind.GOLD):
            faults.append(_fault(name, "has no side", f"write {kind}"))
        else:
            found[Condition(Kind(kind), Sides(side) if side else Sides.BOTH)] = None
        seen.add(name)
    if faults:
        raise InputError(faults)
    return tuple(found)


def _fault(name: str, cause: str, advice: str) -> Fault:
    return Fault("E325", f"“{name}” {cause}", advice, "--condition")


DEFINITIONS = ("total", "normalised", "off")


@keyed(names=("metrics",))
@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbationOptions(Resampling):
    """Conditions, metrics, statistics, and the thresholds of the verdicts.

    Attributes:
        conditions: what replaces the context, the correct one first.
        size: most segments of context.
        sides: on which sides context is given.
        target_context: ``own`` translations of the model (Mohammed and Niculae 2024), or ``reference`` (2025).
        metrics: names of text metrics; the first is the one by which verdicts go.
        cxmi: definition of CXMI: ``total`` or ``normalised`` log-probabilities of sentences; ``off`` for none.
        decoding: how translations are searched for.
        seed: of the perturbations and of resampling.
        margin: smallest difference in the first metric that counts for a verdict, in points of 100.
        cxmi_margin: smallest difference in CXMI that counts for a verdict, in nats; by default .1 a sentence (which a
            context of that CXMI makes a tenth more probable), or .01 a sub-word where CXMI is normalised.
        collapse: share of the score without context whose loss is a collapse.
        without_context: largest share of answers to segments with context that may be made without it; where there are
            more there is no verdict.

    Raises:
        InputError: a value is none of those known, or out of range (E326; of statistics E075), or a condition is of a
            side on which no context is given (E325); all at once.
    """

    conditions: tuple[Condition, ...] = option(
        DEFAULT,
        *("--condition", "-c"),
        metavar="NAME",
        help="random (tokens), sentences, shuffled, shuffled-words, gold, none; random:source perturbs one side. "
        "Repeatable; correct is always tried. [default: random, none]",
        read=read_conditions,
    )
    size: int = option(5, "--context", "-k", least=1, help="Segments of context before each.")
    sides: Sides = option(
        Sides.BOTH, metavar="NAME", help="Where context is given: source, target or both.", read=read_sides
    )
    target_context: str = option("own", metavar="NAME", help="Target context: own translations, or reference.")
    metrics: tuple[str, ...] = option(
        ("bleu", "chrf"),
        *("--metric", "-m"),
        metavar="NAME",
        help="Text metric; verdicts go by the first. [default: bleu, chrf]",
    )
    cxmi: str = option("total", metavar="NAME", help="CXMI of total or normalised log-probabilities, or off.")
    decoding: Decoding = field(default_factory=Decoding)
    test: TestName = inherited(Resampling, "test", "approximate-randomisation or bootstrap.", metavar="NAME")
    seed: int = inherited(Resampling, "seed", "Seed of the perturbations and of resampling.")
    margin: float = 0.5
    cxmi_margin: float | None = None
    collapse: float = 0.2
    without_context: float = 0.1

    def faults(self) -> list[Fault]:
        """Return what is wrong with contexts (E325, E326), metrics and decoding (E326)."""
        ranges = (
            ("--context", self.size, "give 1 or more segments; 5 as in the paper"),
            ("--beam", self.decoding.beam, "give 1 or more; 1 is greedy"),
            ("--metric", len(self.metrics), "name at least one; verdicts go by the first"),
        )
        return [
            *self.unknown("cxmi", DEFINITIONS, "E326"),
            *self.unknown("sides", CONTEXTS, "E326"),
            *self.unknown("target_context", tuple(TARGETS), "E326"),
            *(Fault("E326", f"{value} is too few", advice, name) for name, value, advice in ranges if value < 1),
            *(
                _fault(one.name, cause, "--sides both, --target-context own")
                for one in self.conditions
                if (cause := self._sideless(one))
            ),
        ]

    @property
    def least_cxmi(self) -> float:
        """The smallest difference in CXMI that counts for a verdict, in nats."""
        if self.cxmi_margin is not None:
            return self.cxmi_margin
        return 0.01 if self.cxmi == "normalised" else 0.1

    def _sideless(self, condition: Condition) -> str:
        """Say why a condition cannot be: no context is given on its side, or it is the correct one; empty if it can."""
        if self.sides is not Sides.BOTH and condition.perturbed not in (Sides.BOTH, self.sides):
            return f"perturbs a side on which no context is given ({self.sides.value} only)"
        if condition.kind is Kind.GOLD and not self.sides.target:
            return "is of target context, and none is given"
        if condition.kind is Kind.GOLD and self.target_context == "reference":
            return "is the correct context already, with --target-context reference"
        return ""


def check_metrics(names: tuple[str, ...], language: str, references: int, *, judged: bool = False) -> None:
    """Load each metric before anything is translated; one of annotated text is E327 where nothing is annotated."""
    annotated = [name for name in names if reads_annotations(name)]
    if annotated and not judged:
        advice = "add --phenomenon all, with which translations are annotated"
        raise InputError([Fault("E327", f"{name} reads annotated text", advice, "--metric") for name in annotated])
    for name in names:
        if name not in annotated:
            load_metric(name, language).signature(references=references)


_UNIT = re.compile(r"\S+")
_TRIES = 64
"""Draws of a permutation that is not the given one; of two sentences one in 2⁶⁴ fails, and stays as it is."""


@keyed()
@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """A document: its source segments, and their references."""

    sources: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What contexts are made of."""

    texts: Sequence[DocumentTexts]
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
        model: needed where tokens are drawn.
        read: how much of each segment's correct context the model has read: only that is perturbed; by default all.
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
    """Return what replaces both contexts of a segment."""
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
        order = another_order(max(len(source), len(target)), draws)
        moved = [tuple(one[index] for index in order) if one else () for one in (source, target)]
        return moved[0], moved[1]
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
    """Return a sentence with its words in another order, and the same blanks between them.

    Of wide characters (Chinese, Japanese, Korean), which have no blanks between words, each is moved by itself. A
    sentence of one word, or of equal ones, does not change.
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
    """Return a permutation of ``count`` places, drawn uniformly from all but the given one."""
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


def _other_sentences(given: Given, number: int, count: int, draws: np.random.Generator) -> Context:
    """Return segments of other documents, or of the only one, each with the model's translation of it."""
    others = [index for index in range(len(given.texts)) if index != number] or [number]
    ends = list(accumulate(len(given.texts[index].sources) for index in others))
    sources, targets = list[ContextSentence](), list[ContextSentence]()
    for value in draws.integers(ends[-1], size=count):
        drawn = int(value)
        which = bisect_right(ends, drawn)
        place = drawn - (ends[which - 1] if which else 0)
        sources.append(given.texts[others[which]].sources[place])
        targets.append(given.translations[others[which]][place])
    return tuple(sources) if given.sides.source else (), tuple(targets) if given.sides.target else ()


@dataclass(frozen=True, slots=True)
class Tried:
    """A model under one condition: translations of all segments, likelihoods of their references, and their contexts.

    What was not asked for is empty; ``changed`` counts the segments whose input is another than under the correct one.
    """

    translations: tuple[Translation, ...]
    likelihoods: tuple[Likelihood, ...]
    changed: int
    contexts: tuple[ContextRead, ...]
    scored_contexts: tuple[ContextRead, ...]
