"""Links and antecedents of which each depends on a window of its document alone, whatever else is parsed.

That is what makes the rows of an extraction the same with the look at the surface and without it. An aligner learns
from all that it is given, and a resolver counts how often a noun was said; both are therefore given the same texts
wherever an occurrence may be: the aligner one sentence pair at a time, the resolver the segments from the beginning of
the pronoun's window to the pronoun's own, as if they were the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from endophora.align.records import Aligner, Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.ranker import Ranker
from endophora.corefer.records import Resolution, Resolver
from endophora.phenomena.records import AnnotatedDocument

Sides = tuple[tuple[AnnotatedText, ...], tuple[AnnotatedText, ...]]
"""Source and target of one document, one text a segment; what is not parsed has no tokens."""


def align_alone(aligner: Aligner, documents: Sequence[Sides]) -> list[tuple[tuple[Link, ...], ...]]:
    """Link each segment as a document of its own; every distinct pair of texts once.

    Args:
        aligner: links words.
        documents: source and target of each document.

    Returns:
        For each document the links of its segments; segments with an empty side have none.
    """
    pairs = {
        (one.text, other.text): (one, other)
        for document in documents
        for one, other in zip(*document, strict=True)
        if one.tokens and other.tokens
    }
    linked = aligner.align_many([((one,), (other,)) for one, other in pairs.values()])
    known = {pair: links for pair, (links,) in zip(pairs, linked, strict=True)}
    return [
        tuple(
            known[one.text, other.text] if one.tokens and other.tokens else ()
            for one, other in zip(*document, strict=True)
        )
        for document in documents
    ]


def resolve_windows(
    resolver: Resolver, document: AnnotatedDocument, segments: Iterable[int], reach: int
) -> tuple[Resolution, ...]:
    """Resolve the pronouns of some segments, each from the segments before it that are in reach.

    Args:
        resolver: resolves the pronouns of a document.
        document: an annotated document with its links, of which these segments and those in reach are parsed.
        segments: indices of the segments, in order.
        reach: how many segments before each are seen.

    Returns:
        The resolutions of the pronouns in those segments, in order.
    """
    found: list[Resolution] = []
    for segment in segments:
        start = max(0, segment - reach)
        window = slice(start, segment + 1)
        seen = resolve(resolver, document.source[window], document.target[window], document.links[window])
        found.extend(_moved(one, start) for one in seen if one.segment == segment - start)
    return tuple(found)


def resolve(
    resolver: Resolver,
    source: Sequence[AnnotatedText],
    target: Sequence[AnnotatedText],
    links: Sequence[Sequence[Link]],
) -> list[Resolution]:
    """Resolve the pronouns of a document's source, and keep nothing of it.

    A ranker would remember hundreds of sources for other targets of them; here each has one.

    Args:
        resolver: the resolver.
        source: the texts, one a segment.
        target: their translations.
        links: the word links of each segment.
    """
    if isinstance(resolver, Ranker):
        return resolver.with_target(resolver.prepare(source), target, links)
    return resolver.resolve(source, target, links)


def _moved(resolution: Resolution, start: int) -> Resolution:
    """Return a resolution of a window with its segments counted from the beginning of the document."""
    antecedents = tuple(replace(found, segment=found.segment + start) for found in resolution.antecedents)
    return replace(resolution, segment=resolution.segment + start, antecedents=antecedents)
