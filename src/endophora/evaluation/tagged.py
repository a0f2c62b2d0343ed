"""What is known of a document on one side, as the store keeps it: in parts, each of which is read when asked for."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from endophora.metrics.records import Reading
from endophora.phenomena.records import Occurrence, Support

Span = tuple[int, int]
Spans = tuple[tuple[Span, ...], ...]
"""Segment × token → where it begins in the segment's text and where it ends."""

Pairs = Iterable[Sequence[tuple[int, int]]]


class TaggedDocument:
    """One document on one side: its tokens, links and occurrences, and what metrics read of it.

    Args:
        data: what :func:`encode_document` made of it; id and texts are not in it, since equal texts have equal
            occurrences.
    """

    def __init__(self, identifier: str, texts: Sequence[str], data: bytes) -> None:
        self._identifier = identifier
        self._texts = texts
        self._data = data

    @cached_property
    def source(self) -> Spans:
        """Where the tokens of each source text stand; none where nothing was looked for."""
        return _spans(self._parts[0])

    @cached_property
    def target(self) -> Spans:
        """Where the tokens of each target text stand."""
        return _spans(self._parts[1])

    @cached_property
    def links(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each segment its (source token, target token) that are linked, ordered."""
        return _spans(self._parts[2])

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Phenomenon → how many occurrences it has; one that is absent has none."""
        return json.loads(self._parts[3])

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The occurrences in the target."""
        return tuple([_occurrence(self._identifier, *row) for row in json.loads(self._parts[4])])

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What document-level metrics read of each target text."""
        rows = zip(self._texts, self.target, json.loads(self._parts[5]), strict=True)
        return tuple(
            [
                Reading(text, tuple([text[start:end] for start, end in spans]), *map(_pairs, columns))
                for text, spans, columns in rows
            ]
        )

    @cached_property
    def _parts(self) -> list[bytes]:
        return zlib.decompress(self._data).split(b"\n")


def encode_document(
    source: Pairs, target: Pairs, links: Pairs, occurrences: Sequence[Occurrence], readings: Iterable[Reading]
) -> bytes:
    """Return what is known of a document as bytes, a line a part.

    Args:
        links: for each segment its (source token, target token) that are linked.
    """
    parts = (
        list(map(_flat, source)),
        list(map(_flat, target)),
        list(map(_flat, links)),
        Counter(each.phenomenon for each in occurrences),
        list(map(_row, occurrences)),
        [[_flat(each.classes), _flat(each.names), _flat(each.lemmas)] for each in readings],
    )
    # JSON has no line end inside a line: it escapes those of texts.
    lines = (json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in parts)
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 1)


def _flat(pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
    return list(chain.from_iterable(pairs))


def _pairs(items: Sequence[Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple(zip(items[::2], items[1::2], strict=True))


def _spans(line: bytes) -> Spans:
    return tuple(map(_pairs, json.loads(line)))


def _row(occurrence: Occurrence) -> list[Any]:
    """Return the fields of an occurrence, the document's id left out."""
    found = occurrence.support
    support = found and (_flat(found.source_tokens), _flat(found.target_tokens), found.distance, found.probability)
    return [
        occurrence.segment,
        occurrence.phenomenon,
        occurrence.rule,
        occurrence.source_tokens,
        occurrence.target_tokens,
        occurrence.expected,
        support,
    ]


def _occurrence(
    document: str,
    segment: int,
    phenomenon: str,
    rule: str,
    source_tokens: list[int],
    target_tokens: list[int],
    expected: str,
    support: tuple[list[int], list[int], int, float] | None,
) -> Occurrence:
    kept = support and Support(_pairs(support[0]), _pairs(support[1]), *support[2:])
    return Occurrence(document, segment, phenomenon, rule, tuple(source_tokens), tuple(target_tokens), expected, kept)
