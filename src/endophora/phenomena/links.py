"""Two views of a segment's word links: mutual best links, and the links of one word."""

from __future__ import annotations

from collections.abc import Sequence

from endophora.align.records import Link


def mutual_links(links: Sequence[Link]) -> dict[int, int]:
    """Return the bidirectional links of a segment: those where each word is the other's most confident.

    Returns:
        Target token → source token; one to one. Of equal links, the first counts.
    """
    by_source: dict[int, Link] = {}
    by_target: dict[int, Link] = {}
    for link in links:
        best = by_source.get(link.source)
        if best is None or link.confidence > best.confidence:
            by_source[link.source] = link
        best = by_target.get(link.target)
        if best is None or link.confidence > best.confidence:
            by_target[link.target] = link
    return {target: link.source for target, link in by_target.items() if by_source[link.source] is link}


def best_targets(links: Sequence[Link]) -> dict[int, int]:
    """Return the most confident target token of each linked source token.

    Returns:
        Source token → target token.
    """
    best: dict[int, Link] = {}
    for link in links:
        known = best.get(link.source)
        if known is None or link.confidence > known.confidence:
            best[link.source] = link
    return {source: link.target for source, link in best.items()}


def sources_of(target: int, links: Sequence[Link]) -> list[int]:
    """Return the source tokens linked to a target token, the most confident first."""
    found = [link for link in links if link.target == target]
    return [link.source for link in sorted(found, key=_doubt)]


def targets_of(source: int, links: Sequence[Link]) -> list[int]:
    """Return the target tokens linked to a source token, the most confident first."""
    found = [link for link in links if link.source == source]
    return [link.target for link in sorted(found, key=_doubt)]


def _doubt(link: Link) -> float:
    return -link.confidence
