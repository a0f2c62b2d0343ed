"""The two records in the middle of the road: a document with all that is known of it, and an occurrence.

And what taggers ask of them: the links of one word, the head, the text and the translation of a span.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol, TypeVar

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Resolution

_Key = TypeVar("_Key", bound=Sized)
_Value = TypeVar("_Value")


def remembered(compute: Callable[[_Key], _Value], most: int = 40_000) -> Callable[[_Key], _Value]:
    """Return a function that knows its last arguments again: each by its identity, since texts are long to compare.

    For what several taggers, or several targets of one source, ask of the same texts, tokens or links. ``most`` bounds
    the lengths of the arguments that are kept, together.
    """
    values: dict[int, tuple[_Key, _Value]] = {}
    held = 0

    def look_up(key: _Key) -> _Value:
        nonlocal held
        found = values.get(id(key))
        if found is None or found[0] is not key:
            held += len(key)
            if held > most:
                values.clear()
                held = len(key)
            found = values[id(key)] = key, compute(key)
        return found[1]

    return look_up


def last_document(compute: Callable[[AnnotatedDocument], _Value]) -> Callable[[AnnotatedDocument], _Value]:
    """Return a function that knows its last document again: what tags are made of, judgments ask for, too."""
    last: list[tuple[AnnotatedDocument, _Value]] = []

    def look_up(document: AnnotatedDocument) -> _Value:
        if not last or last[0][0] is not document:
            last[:] = [(document, compute(document))]
        return last[0][1]

    return look_up


SUPPORT_SIZE = 8
"""How many earlier occurrences, the nearest ones, the supporting context of an occurrence names."""


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One document in the source language and in one target text (a reference or a system's output).

    ``target_resolutions`` are resolved target pronouns, where the target is English and the phenomenon asks for them.
    """

    id: str
    source: tuple[AnnotatedText, ...]
    target: tuple[AnnotatedText, ...]
    links: tuple[tuple[Link, ...], ...]
    resolutions: tuple[Resolution, ...] = ()
    target_resolutions: tuple[Resolution, ...] = ()

    def resolved(self) -> dict[tuple[int, int], Resolution]:
        """Return the resolved source pronouns by segment and token."""
        return {(found.segment, found.token): found for found in self.resolutions}


@dataclass(frozen=True, slots=True)
class Support:
    """The supporting context of an occurrence: (segment, token) of each token that decides the form.

    The last of the source tokens is the word to name: the head of a phrase, the nearest of several occurrences.
    ``distance`` counts segments to the nearest of them, 0 for the same segment; ``probability`` says how sure it is.
    """

    source_tokens: tuple[tuple[int, int], ...]
    target_tokens: tuple[tuple[int, int], ...]
    distance: int
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One target word (or span) that needs context.

    Attributes:
        document: the document's id.
        segment: index of the segment in the document.
        phenomenon: a name of :data:`~endophora.phenomena.tagging.PHENOMENA` or
            :data:`~endophora.phenomena.tagging.EXTRACTION`, or an outside package's.
        rule: which rule of the phenomenon made it, as in the rule file.
        source_tokens: indices of the source tokens in the segment; may be empty.
        target_tokens: indices of the target tokens in the segment; never empty.
        expected: the form as written in the target text.
        support: the supporting context, where the phenomenon has one.
    """

    document: str
    segment: int
    phenomenon: str
    rule: str
    source_tokens: tuple[int, ...]
    target_tokens: tuple[int, ...]
    expected: str
    support: Support | None = None


def placed(segment: int, tokens: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return tokens of a segment as (segment, token)."""
    return tuple((segment, token) for token in tokens)


def placed_phrase(segment: int, tokens: Iterable[int], head: int) -> tuple[tuple[int, int], ...]:
    """Return the tokens of a phrase as (segment, token), its head last, as :class:`Support` has it."""
    return placed(segment, (*(token for token in tokens if token != head), head))


class Tagger(Protocol):
    """Finds the occurrences of one phenomenon; reads the rules of the target language, holds none itself."""

    @property
    def phenomenon(self) -> str:
        """Name of the phenomenon."""
        ...

    @property
    def signature(self) -> str:
        """Variant and thresholds: what makes two taggings the same."""
        ...

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        ...


def by_segment(occurrences: Iterable[Occurrence], segments: int) -> Sequence[list[Occurrence]]:
    """Return occurrences grouped by segment, a list for each of ``segments``."""
    groups: list[list[Occurrence]] = [[] for _ in range(segments)]
    for occurrence in occurrences:
        groups[occurrence.segment].append(occurrence)
    return groups


@dataclass(slots=True)
class Memory:
    """Earlier occurrences of one thing in a document (a pair of lemmas, a formality level, a verb form)."""

    count: int = 0
    _nearest: deque[tuple[int, Sequence[int], Sequence[int]]] = field(
        default_factory=lambda: deque(maxlen=SUPPORT_SIZE)
    )

    def add(self, segment: int, source: Sequence[int], target: Sequence[int]) -> None:
        """Remember an occurrence."""
        self.count += 1
        self._nearest.append((segment, source, target))

    def support(self, segment: int) -> Support:
        """Return the nearest earlier occurrences, at least one, as the supporting context of one in ``segment``."""
        return Support(
            source_tokens=tuple((place, token) for place, source, _ in self._nearest for token in source),
            target_tokens=tuple((place, token) for place, _, target in self._nearest for token in target),
            distance=segment - self._nearest[-1][0],
        )


def swap_sides(document: AnnotatedDocument) -> AnnotatedDocument:
    """Return a document with source and target exchanged, its links and resolved pronouns with them."""
    turned = ([Link(link.target, link.source, link.confidence) for link in some] for some in document.links)
    links = tuple(tuple(sorted(some, key=lambda link: (link.source, link.target))) for some in turned)
    resolutions = document.target_resolutions, document.resolutions
    return AnnotatedDocument(document.id, document.target, document.source, links, *resolutions)


def swap_occurrence(occurrence: Occurrence, document: AnnotatedDocument, phenomenon: str) -> Occurrence:
    """Return an occurrence of a document with its sides swapped as one of ``document`` itself."""
    support = occurrence.support
    return replace(
        occurrence,
        phenomenon=phenomenon,
        source_tokens=occurrence.target_tokens,
        target_tokens=occurrence.source_tokens,
        expected=span_text(document.target[occurrence.segment], occurrence.source_tokens),
        support=support and replace(support, source_tokens=support.target_tokens, target_tokens=support.source_tokens),
    )


def _surest_last(links: Sequence[Link]) -> list[Link]:
    """Return links by confidence, the first of equal ones last: in a dictionary it has the last word."""
    return sorted(links, key=lambda link: link.confidence, reverse=True)[::-1]


@remembered
def mutual_links(links: Sequence[Link]) -> Mapping[int, int]:
    """Return target token → source token of the links where each word is the other's most confident."""
    ordered = _surest_last(links)
    by_source = {link.source: link for link in ordered}
    by_target = {link.target: link for link in ordered}
    return {target: link.source for target, link in by_target.items() if by_source[link.source] is link}


@remembered
def mutual_targets(links: Sequence[Link]) -> Mapping[int, int]:
    """Return source token → target token of the links where each word is the other's most confident."""
    return {source: target for target, source in mutual_links(links).items()}


def best_targets(links: Sequence[Link]) -> dict[int, int]:
    """Return source token → its most confident target token."""
    return {link.source: link.target for link in _surest_last(links)}


def sources_of(target: int, links: Sequence[Link]) -> list[int]:
    """Return the source tokens linked to a target token, the most confident first."""
    return list(_linked(links)[1].get(target, ()))


def targets_of(source: int, links: Sequence[Link]) -> list[int]:
    """Return the target tokens linked to a source token, the most confident first."""
    return list(_linked(links)[0].get(source, ()))


@remembered
def _linked(links: Sequence[Link]) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    """Return source token → its target tokens and target token → its source tokens, the most confident first."""
    targets, sources = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for link in sorted(links, key=lambda link: -link.confidence):
        targets[link.source].append(link.target)
        sources[link.target].append(link.source)
    return targets, sources


def heads_of(tokens: Sequence[Token], span: Sequence[int]) -> list[int]:
    """Return the tokens of a span whose head stands outside it."""
    inside = frozenset(span)
    return [index for index in span if tokens[index].head not in inside or tokens[index].head == index]


def span_text(text: AnnotatedText, span: Sequence[int]) -> str:
    """Return what is written from the first token of a span to its last."""
    return text.text[text.tokens[span[0]].start : text.tokens[span[-1]].end]


def translated_span(head: int, span: Sequence[int], links: Sequence[Link]) -> tuple[int, ...]:
    """Return the run of target tokens that a span is linked to: that with the head's translation, or the longest."""
    wanted = frozenset(span)
    linked = sorted({link.target for link in links if link.source in wanted})
    if not linked:
        return ()
    runs: list[list[int]] = [[linked[0]]]
    for before, index in pairwise(linked):
        if index == before + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    direct = targets_of(head, links)[:1]
    return tuple(next((run for run in runs if direct and direct[0] in run), max(runs, key=len)))


def translated_head(source_head: int, span: Sequence[int], text: AnnotatedText, links: Sequence[Link]) -> int | None:
    """Return the head of an antecedent's translation.

    It is the one head of the span; where the span has several, because links go astray or the phrase was parted, the
    surest link of the source head decides, if it leads to one of them.
    """
    heads = heads_of(text.tokens, span)
    if len(heads) == 1:
        return heads[0]
    direct = targets_of(source_head, links)[:1]
    return direct[0] if direct and direct[0] in heads else None


def mention_head(text: AnnotatedText, span: Sequence[int]) -> int:
    """Return the head of a mention: the first of its tokens whose head stands outside it."""
    return heads_of(text.tokens, span)[0]


def support_heads(document: AnnotatedDocument, support: Support) -> tuple[int, int, int | None]:
    """Return what an occurrence of gender agrees with: the antecedent's segment, its head, its translation's head."""
    segment = support.source_tokens[0][0]
    source_head = mention_head(document.source[segment], [token for _, token in support.source_tokens])
    span = [token for _, token in support.target_tokens]
    head = translated_head(source_head, span, document.target[segment], document.links[segment]) if span else None
    return segment, source_head, head


@remembered
def dependents(tokens: Sequence[Token]) -> Mapping[int, Sequence[int]]:
    """Return word → the words that depend on it, in order; a word without any is absent."""
    found: dict[int, list[int]] = {}
    for index, token in enumerate(tokens):
        found.setdefault(token.head, []).append(index)
    return found


def group_of(tokens: Sequence[Token], index: int) -> int:
    """Return the head of the verb group that a word belongs to: of an auxiliary or copula its predicate."""
    token = tokens[index]
    return token.head if token.head >= 0 and token.relation.startswith(("aux", "cop")) else index


def verb_group(tokens: Sequence[Token], index: int) -> list[int]:
    """Return the verb group that a word belongs to, in order: a predicate, its auxiliaries and its copula."""
    head = group_of(tokens, index)
    return sorted({head, *helpers(tokens).get(head, ())})


@remembered
def helpers(tokens: Sequence[Token]) -> Mapping[int, list[int]]:
    """Return predicate → its auxiliaries and its copula."""
    found = defaultdict[int, list[int]](list)
    for index, token in enumerate(tokens):
        if token.relation.startswith(("aux", "cop")):
            found[token.head].append(index)
    return found


def subjects(tokens: Sequence[Token], heads: Iterable[int]) -> list[int]:
    """Return the subjects of some words, in order."""
    found = _subjects(tokens)
    return sorted({index for head in heads for index in found.get(head, ())})


@remembered
def _subjects(tokens: Sequence[Token]) -> Mapping[int, list[int]]:
    """Return word → its subjects."""
    found = defaultdict[int, list[int]](list)
    for index, token in enumerate(tokens):
        if token.relation.startswith("nsubj"):
            found[token.head].append(index)
    return found
