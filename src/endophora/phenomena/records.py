"""The two records in the middle of the road: a document with all that is known of it, and an occurrence."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.records import Resolution

SUPPORT_SIZE = 8
"""How many earlier occurrences, the nearest ones, the supporting context of an occurrence names."""


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One document in the source language and in one target text (a reference or a system's output).

    Attributes:
        target_resolutions: resolved target pronouns, where the target is English and the phenomenon asks for them.
    """

    id: str
    source: tuple[AnnotatedText, ...]
    target: tuple[AnnotatedText, ...]
    links: tuple[tuple[Link, ...], ...]
    resolutions: tuple[Resolution, ...] = ()
    target_resolutions: tuple[Resolution, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """The supporting context of an occurrence.

    Attributes:
        source_tokens: (segment, token) of each source token that decides the form.
        distance: segments between the occurrence and its nearest support; 0 is the same segment.
        probability: how sure it is, between 0 and 1.
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
        expected: the form as it stands in the target text.
        support: the supporting context, where the phenomenon has one.
    """

    document: str
    segment: int
    phenomenon: str
    rule: str
    source_tokens: tuple[int, ...]
    target_tokens: tuple[int, ...]
    expected: str
    support: Support | None = field(default=None)


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
    """Return occurrences grouped by segment: a list of ``segments`` lists."""
    groups: list[list[Occurrence]] = [[] for _ in range(segments)]
    for occurrence in occurrences:
        groups[occurrence.segment].append(occurrence)
    return groups


@dataclass(frozen=True, slots=True)
class _Seen:
    """One earlier occurrence: its segment and tokens."""

    segment: int
    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(slots=True)
class Memory:
    """Earlier occurrences of one thing in a document (a pair of lemmas, a formality level, a verb form)."""

    count: int = 0
    _nearest: deque[_Seen] = field(default_factory=lambda: deque(maxlen=SUPPORT_SIZE))

    def add(self, segment: int, source: Sequence[int], target: Sequence[int]) -> None:
        """Remember an occurrence."""
        self.count += 1
        self._nearest.append(_Seen(segment, tuple(source), tuple(target)))

    def support(self, segment: int) -> Support:
        """Return the nearest earlier occurrences as the supporting context of one in ``segment``.

        Args:
            segment: index of the segment of the new occurrence; there must be an earlier one.
        """
        return Support(
            source_tokens=tuple((seen.segment, token) for seen in self._nearest for token in seen.source),
            target_tokens=tuple((seen.segment, token) for seen in self._nearest for token in seen.target),
            distance=segment - self._nearest[-1].segment,
        )


def swap_sides(document: AnnotatedDocument) -> AnnotatedDocument:
    """Return a document with source and target exchanged, its links and resolved pronouns with them."""
    return AnnotatedDocument(
        id=document.id,
        source=document.target,
        target=document.source,
        links=tuple(
            tuple(
                Link(source=link.target, target=link.source, confidence=link.confidence)
                for link in sorted(links, key=lambda link: (link.target, link.source))
            )
            for links in document.links
        ),
        resolutions=document.target_resolutions,
        target_resolutions=document.resolutions,
    )


def swap_occurrence(occurrence: Occurrence, document: AnnotatedDocument, phenomenon: str) -> Occurrence:
    """Return an occurrence of a reversed document as one of the document itself.

    Args:
        document: the document to which it shall belong; its target holds what is the occurrence's source.
    """
    support = occurrence.support
    tokens = document.target[occurrence.segment]
    first, last = occurrence.source_tokens[0], occurrence.source_tokens[-1]
    return replace(
        occurrence,
        phenomenon=phenomenon,
        source_tokens=occurrence.target_tokens,
        target_tokens=occurrence.source_tokens,
        expected=tokens.text[tokens.tokens[first].start : tokens.tokens[last].end],
        support=support and replace(support, source_tokens=support.target_tokens, target_tokens=support.source_tokens),
    )
