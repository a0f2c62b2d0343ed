"""The other way round: a document and its occurrences with source and target exchanged.

Rules of test sets are written from English. Of a pair into English they are asked about the reversed document.
"""

from __future__ import annotations

from dataclasses import replace

from endophora.align.records import Link
from endophora.phenomena.records import AnnotatedDocument, Occurrence


def reverse(document: AnnotatedDocument) -> AnnotatedDocument:
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


def reverse_occurrence(occurrence: Occurrence, document: AnnotatedDocument, phenomenon: str) -> Occurrence:
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
