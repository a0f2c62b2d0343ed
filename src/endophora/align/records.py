"""Word links, and how those of two directions become one set.

A rule takes the links of both directions and the confidence of every pair, and returns the links it keeps. The rules
are those of Och and Ney (2003, §4.2) and Koehn, Och and Marcu (2003), and a plain threshold on the confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from endophora.annotate.records import AnnotatedText


class Link(NamedTuple):
    """A link between a source token and a target token of one segment; a tuple, since texts make a million of them."""

    source: int
    target: int
    confidence: float


class Aligner(Protocol):
    """Links the words of one document's segments."""

    @property
    def signature(self) -> str:
        """Name, version, priors hash and symmetrisation: what makes two alignments the same."""
        ...

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target."""
        ...

    def align_many(
        self, documents: Sequence[tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]]]
    ) -> list[list[tuple[Link, ...]]]:
        """Link several documents, each (source, target), with the same links as one by one, and faster."""
        ...


Point = tuple[int, int]
"""A source token's index and a target token's."""

Confidence = Mapping[Point, float]
"""The confidence of every pair of tokens worth a link; a pair that is absent has none."""

Rule = Callable[[set[Point], set[Point], Confidence, float], set[Point]]
"""(links source → target, links target → source, confidence, threshold) → links kept."""

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grow_diag_final_and(forward: set[Point], backward: set[Point], confidence: Confidence, _: float) -> set[Point]:
    """Start from the intersection, grow along neighbours, then link what both sides leave unlinked.

    Koehn, Och and Marcu (2003) and the scripts of Moses. A point of the union joins if it touches a link, corners
    included, and its source or its target is still unlinked; at the end, a point of the union joins if both are. Where
    the order matters the more certain point comes first, then the earlier.
    """
    links = forward & backward
    either = forward | backward
    if len(links) == len(either):
        return links
    sources = {source for source, _ in links}
    targets = {target for _, target in links}
    waiting = sorted(either - links, key=lambda point: (-confidence.get(point, 0.0), point))
    grown = True
    while grown:
        grown = False
        for point in waiting:
            source, target = point
            if point in links or (source in sources and target in targets):
                continue
            if not links.isdisjoint([(source + down, target + right) for down, right in _NEIGHBOURS]):
                links.add(point)
                sources.add(source)
                targets.add(target)
                grown = True
    for point in waiting:
        if point[0] not in sources and point[1] not in targets:
            links.add(point)
            sources.add(point[0])
            targets.add(point[1])
    return links


RULES: Mapping[str, Rule] = {
    "intersection": lambda forward, backward, _, __: forward & backward,
    "grow-diag-final-and": grow_diag_final_and,
    "union": lambda forward, backward, _, __: forward | backward,
    "threshold": lambda _, __, confidence, least: {point for point, value in confidence.items() if value >= least},
}
"""Rule by name, as ``--symmetrisation`` takes it; “threshold” keeps what is sure enough, chosen or not."""


@dataclass(frozen=True, slots=True)
class Symmetrisation:
    """A rule of :data:`RULES` with the least confidence that “threshold” asks for."""

    rule: str = "grow-diag-final-and"
    threshold: float = 0.2

    def __str__(self) -> str:
        return f"{self.rule}:{self.threshold:g}" if self.rule == "threshold" else self.rule

    def links(self, forward: set[Point], backward: set[Point], confidence: Confidence) -> tuple[Link, ...]:
        """Return the links kept of those of both directions, ordered by source, then target."""
        kept = RULES[self.rule](forward, backward, confidence, self.threshold)
        return tuple([Link(*point, confidence[point]) for point in sorted(kept)])
