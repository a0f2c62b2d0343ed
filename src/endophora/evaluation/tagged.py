"""What is known of a document on one side, and how the store keeps it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, cast

from endophora.metrics.readings import Reading
from endophora.phenomena.records import Occurrence, Support

Span = tuple[int, int]
_FIELDS = tuple(field.name for field in fields(Occurrence) if field.name != "document")
_SUPPORT_FIELDS = tuple(field.name for field in fields(Support))
_Encoded = tuple[list[tuple[list[int], list[int], list[int]]], list[dict[str, Any]], list[list[list[str]]]]


@dataclass(frozen=True, slots=True)
class TaggedSegment:
    """Where the tokens of a segment stand, and which of them are linked.

    Attributes:
        source: character span of each source token.
        target: character span of each target token.
        links: (source token, target token), ordered.
    """

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TaggedDocument:
    """What is known of one document on one side: its tokens, links and occurrences, and what metrics read of it."""

    segments: tuple[TaggedSegment, ...]
    occurrences: tuple[Occurrence, ...]
    readings: tuple[Reading, ...] = ()


def encode_document(document: TaggedDocument) -> bytes:
    """Return a tagged document as bytes; id and texts are left out, since equal texts have equal occurrences."""
    rows = [_row(occurrence) for occurrence in document.occurrences]
    segments = [(_flat(segment.source), _flat(segment.target), _flat(segment.links)) for segment in document.segments]
    readings = [[_words(each.classes), _words(each.names), _words(each.lemmas)] for each in document.readings]
    data = json.dumps([segments, rows, readings], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(data.encode("utf-8", "surrogatepass"), 1)


def decode_document(identifier: str, texts: Sequence[str], data: bytes) -> TaggedDocument:
    """Return the tagged document that :func:`encode_document` wrote.

    Args:
        identifier: the id to give it.
        texts: its target texts, one a segment.
        data: the bytes.
    """
    encoded, rows, readings = cast("_Encoded", json.loads(zlib.decompress(data)))
    segments = tuple(TaggedSegment(*map(_paired, spans)) for spans in encoded)
    return TaggedDocument(
        segments,
        tuple(_occurrence(identifier, row) for row in rows),
        tuple(
            Reading(text, tuple(text[start:end] for start, end in segment.target), *map(_pairs_of, columns))
            for text, segment, columns in zip(texts, segments, readings, strict=True)
        ),
    )


def _words(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return list(chain.from_iterable(pairs))


def _pairs_of(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple(zip(words[::2], words[1::2], strict=True))


def _row(occurrence: Occurrence) -> dict[str, Any]:
    """Return an occurrence as a mapping of its fields, the document's id and deep copies left out."""
    support = occurrence.support
    return {
        **{name: getattr(occurrence, name) for name in _FIELDS},
        "support": None if support is None else {name: getattr(support, name) for name in _SUPPORT_FIELDS},
    }


def _flat(pairs: Iterable[tuple[int, int]]) -> list[int]:
    return list(chain.from_iterable(pairs))


def _paired(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _tuples(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, second) for first, second in pairs)


def _occurrence(identifier: str, row: dict[str, Any]) -> Occurrence:
    support = row["support"]
    if support is not None:
        support = Support(
            _tuples(support["source_tokens"]),
            _tuples(support["target_tokens"]),
            support["distance"],
            support["probability"],
        )
    return Occurrence(
        identifier,
        row["segment"],
        row["phenomenon"],
        row["rule"],
        tuple(row["source_tokens"]),
        tuple(row["target_tokens"]),
        row["expected"],
        support,
    )
