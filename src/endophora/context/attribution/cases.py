"""Words whose generation is to be explained, each with its context and its supporting words.

They come from a test suite that knows what decides a form (SCAT's highlights, the antecedents of ContraPro and of our
own suites), or from the occurrences that the taggers find.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar, TypeVar, cast

from endophora.context.attribution.flows import Part, Rows, Span
from endophora.context.context_read import read_sides
from endophora.errors import Fault, InputError
from endophora.models.records import ModelInput, Sides, document_input
from endophora.options import inherited, option
from endophora.phenomena.records import Occurrence
from endophora.signature import keyed
from endophora.statistics.resampling import Resampling, TestName
from endophora.suites.records import Antecedent, Item, Suite

Place = tuple[int, int]
"""Beginning and end in a text, in characters."""


Choice = TypeVar("Choice", bound=StrEnum)


def read_choice(kind: type[Choice], name: str, option: str) -> Choice:
    """Return what a name stands for; an unknown one is E266."""
    try:
        return kind(name)
    except ValueError as error:
        cause = f"“{name}” is unknown"
        raise InputError(Fault("E266", cause, f"known: {', '.join(kind)}", option)) from error


class LeftOut(StrEnum):
    """Why an item or an occurrence is not measured."""

    NO_CONTEXT = "its context is not known"
    NO_FORM = "its form is not in the reference"
    NO_SUPPORT = "nothing is known that supports it"
    SAME_SEGMENT = "what supports it is in its own segment"
    TOO_FAR = "what supports it is farther than the context"
    NOT_FOUND = "what supports it is not in the context"
    NO_CONTRAST = "no wrong translation is known that differs in it"
    CUT_OFF = "the model has no room for it or for what supports it"
    NOT_IN_FILE = "a file of inseq does not have it, its support, or its whole context and no other"


@keyed()
@dataclass(frozen=True, slots=True)
class Case:
    """One word to be explained.

    Attributes:
        distance: segments to its nearest support; ``None`` if not known.
        wrong: a translation with another word in its place; empty if none is known.
    """

    id: str
    document: str
    group: str
    given: ModelInput
    target: str
    word: Place
    support: tuple[Span, ...]
    distance: int | None = None
    wrong: str = ""

    def without_context(self) -> Case:
        """Return the same word given its source alone, with no support that a model could see."""
        current = tuple(span for span in self.support if not span.part.is_context)
        return replace(self, given=ModelInput(self.given.source), support=current)


@dataclass(frozen=True, slots=True)
class Cases:
    """Words to be explained, and how many were left out for which reason."""

    cases: tuple[Case, ...]
    left_out: Mapping[LeftOut, int] = field(default_factory=dict["LeftOut", int])


@keyed()
@dataclass(frozen=True, slots=True)
class Window:
    """The context that words are given."""

    size: int = option(5, "--context", "-k", least=0, help="Segments of context before each.")
    sides: Sides = option(
        Sides.BOTH, metavar="NAME", help="Where context is given: source, target or both.", read=read_sides
    )

    def given(self, sources: Sequence[str], targets: Sequence[str], segment: int) -> tuple[ModelInput, int]:
        """Return a segment with its context, and the number of the first segment of the context."""
        given = document_input(sources, targets, segment, self.size, self.sides)
        # A target context with a gap would be none that a model has learned to read.
        whole = given if all(given.target_context) else replace(given, target_context=())
        return whole, max(0, segment - self.size)


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionOptions(Resampling):
    """How shares are computed and compared.

    Attributes:
        rows: which rows are used for a word.
        against_wrong: the first piece in which a wrong translation differs counts for it, by the difference of logits.
        window: the context that words were given.
        examples: words whose flow is kept, drawn at random.
        baseline: name of the model that the others are compared with; the first by default.
    """

    rows: Rows = option(
        Rows.WORD,
        metavar="NAME",
        help="Which row of shares is used for a word: word or prefix-mean.",
        read=partial(read_choice, Rows, option="--rows"),
    )
    against_wrong: bool = option(False, help="Why the right form and not a wrong one: the difference of their logits.")
    window: Window = field(default_factory=Window)
    examples: int = option(20, least=0, help="Words whose flow the page shows.")
    baseline: str = option("", metavar="NAME", help="Model to compare with.")
    resamples: int = inherited(Resampling, "resamples", "For the intervals; 0 for none.", least=0)
    seed: int = inherited(Resampling, "seed", "Seed of all draws.")

    known_tests: ClassVar[tuple[TestName, ...]] = ("approximate-randomisation",)
    least_resamples: ClassVar[int] = 0

    @property
    def speaking(self) -> Rows | None:
        """The rows that are used for a word; ``None`` where it is the one that compares it with a wrong form."""
        return None if self.against_wrong else self.rows


def cases_of_suite(suite: Suite, window: Window) -> Cases:
    """Return the items of a suite whose supporting words are in the context."""
    return _kept(_of_item(item, window) for item in suite.items)


def cases_of_occurrences(
    occurrences: Iterable[Occurrence],
    sources: Sequence[str],
    targets: Sequence[str],
    source_tokens: Sequence[Sequence[Place]],
    target_tokens: Sequence[Sequence[Place]],
    window: Window,
) -> Cases:
    """Return the occurrences of one document whose supporting words are in the context."""
    made: list[Case | LeftOut] = []
    for number, one in enumerate(occurrences):
        given, first = window.given(sources, targets, one.segment)
        support = _supported(one, given, first, source_tokens, target_tokens)
        if isinstance(support, LeftOut):
            made.append(support)
            continue
        places = [target_tokens[one.segment][token] for token in one.target_tokens]
        word = (min(start for start, _ in places), max(end for _, end in places))
        distance = one.support.distance if one.support else None
        name = f"{one.document}:{one.segment + 1}:{number}"
        made.append(Case(name, one.document, one.phenomenon, given, targets[one.segment], word, support, distance))
    return _kept(made)


def _supported(
    one: Occurrence,
    given: ModelInput,
    first: int,
    source_tokens: Sequence[Sequence[Place]],
    target_tokens: Sequence[Sequence[Place]],
) -> tuple[Span, ...] | LeftOut:
    """Return the supporting words of an occurrence that its context holds; or why there are none."""
    if one.support is None or not (one.support.source_tokens or one.support.target_tokens):
        return LeftOut.NO_SUPPORT
    sides = (
        (one.support.source_tokens, source_tokens, Part.SOURCE_CONTEXT, Part.SOURCE, given.source_context),
        (one.support.target_tokens, target_tokens, Part.TARGET_CONTEXT, Part.TARGET_PREFIX, given.target_context),
    )
    spans, before = list[Span](), False
    for tokens, places, context, current, sentences in sides:
        for segment, token in tokens:
            own = segment == one.segment
            before = before or not own
            if own or 0 <= segment - first < len(sentences):
                part, sentence = (current, 0) if own else (context, segment - first)
                spans.append(Span(part, sentence, *places[segment][token]))
    return _checked(spans, LeftOut.TOO_FAR if before else LeftOut.SAME_SEGMENT)


def _checked(spans: Sequence[Span], otherwise: LeftOut) -> tuple[Span, ...] | LeftOut:
    """Return spans, if one of them is in the context, or why there is none."""
    return tuple(spans) if any(span.part.is_context for span in spans) else otherwise


def _of_item(item: Item, window: Window) -> Case | LeftOut:
    if item.before is None:
        return LeftOut.NO_CONTEXT
    word = _place_of_form(item)
    if word is None:
        return LeftOut.NO_FORM
    sources, targets = [pair.source for pair in item.before], [pair.target for pair in item.before]
    given, first = window.given([*sources, item.source], [*targets, item.reference], len(sources))
    highlights = item.extra.get("highlights")
    if isinstance(highlights, Mapping):
        support = _checked(_highlighted(highlights, given), LeftOut.SAME_SEGMENT)
    else:
        support = _of_antecedents(item, given, len(sources) - first)
    if isinstance(support, LeftOut):
        return support
    wrong = next((one.target for one in item.variants if one.before is None), "")
    return Case(item.id, item.document, item.phenomenon, given, item.reference, word, support, item.distance, wrong)


def _highlighted(highlights: Mapping[str, object], given: ModelInput) -> list[Span]:
    """Return SCAT's highlights, whose context is one sentence."""
    parts = {
        "source": Part.SOURCE,
        "target": Part.TARGET_PREFIX,
        "source_context": Part.SOURCE_CONTEXT,
        "target_context": Part.TARGET_CONTEXT,
    }
    there = {Part.SOURCE_CONTEXT: bool(given.source_context), Part.TARGET_CONTEXT: bool(given.target_context)}
    return [
        Span(part, 0, start, end)
        for name, part in parts.items()
        if there.get(part, True)
        for start, end in cast("list[list[int]]", highlights.get(name, []))
    ]


def _of_antecedents(item: Item, given: ModelInput, count: int) -> tuple[Span, ...] | LeftOut:
    """Return where an item's antecedents stand; ``count`` segments of context were asked for."""
    if item.source_antecedent is None and item.target_antecedent is None:
        return LeftOut.NO_SUPPORT
    if item.distance == 0:
        return LeftOut.SAME_SEGMENT
    if item.distance is not None and item.distance > count:
        return LeftOut.TOO_FAR
    sides = (
        (item.source_antecedent, Part.SOURCE_CONTEXT, given.source_context),
        (item.target_antecedent, Part.TARGET_CONTEXT, given.target_context),
    )
    spans: list[Span] = []
    for antecedent, part, sentences in sides:
        texts = [sentence for sentence in sentences if isinstance(sentence, str)]
        found = None if antecedent is None else _find(antecedent, texts, item.distance)
        if found is not None:
            spans.append(Span(part, *found))
    return _checked(spans, LeftOut.NOT_FOUND)


def _find(antecedent: Antecedent, texts: Sequence[str], distance: int | None) -> tuple[int, int, int] | None:
    """Return sentence, beginning and end of an antecedent's first occurrence in the segment that is so far back.

    Where the distance is not known, the nearest segment that has it is taken. The head is looked for, and the phrase
    where there is no head.
    """
    numbers = range(len(texts) - 1, -1, -1) if distance is None else [len(texts) - distance]
    for number in numbers:
        for form in filter(None, (antecedent.head, antecedent.phrase)):
            if number >= 0 and (place := first_place(form, texts[number])):
                return number, *place
    return None


def first_place(form: str, text: str) -> Place | None:
    """Return where a form first occurs in a text as a whole word, with its capitals or else without.

    In a text without blanks it may stand anywhere.
    """
    pattern = rf"(?<!\w){re.escape(form)}(?!\w)"
    found = re.search(pattern, text) or re.search(pattern, text, re.IGNORECASE)
    if found is None and not re.search(r"\s", text.strip()):
        found = re.search(re.escape(form), text)
    return None if found is None else found.span()


def _place_of_form(item: Item) -> Place | None:
    """Return where an item's form is in its reference.

    SCAT marks it. Elsewhere, where it is there more than once, a wrong translation shows which is meant: the first in
    which the two differ.
    """
    marked = item.extra.get("pronoun")
    if isinstance(marked, Mapping) and "target" in marked:
        start, end = cast("list[int]", marked["target"])
        return start, end
    form = item.expected[0] if item.expected else ""
    if not form:
        return None
    pattern = rf"(?<!\w){re.escape(form)}(?!\w)"
    places = [found.span() for found in re.finditer(pattern, item.reference, re.IGNORECASE)]
    for variant in item.variants:
        pairs = zip(item.reference, variant.target, strict=False)
        at = next((place for place, (one, two) in enumerate(pairs) if one != two), None)
        for start, end in places:
            if at is not None and start <= at < end:
                return start, end
    exact = [place for place in places if item.reference[slice(*place)] == form]
    return (*exact, *places)[0] if places else first_place(form, item.reference)


def _kept(found: Iterable[Case | LeftOut]) -> Cases:
    everything = list(found)
    counts = Counter(one for one in everything if isinstance(one, LeftOut))
    return Cases(tuple(one for one in everything if isinstance(one, Case)), dict(counts))
