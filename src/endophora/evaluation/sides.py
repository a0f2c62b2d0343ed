"""One side of an evaluation: a target text (a reference or a system's output), annotated, linked and tagged.

A side is worked on in jobs of whole documents. What comes out of a document depends on its text and on the setup's
signature only, so it is kept in the store under both, and a second run computes nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import chain
from typing import Any, cast

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corpus.records import Corpus, Segment
from endophora.engine import map_ordered
from endophora.evaluation.setup import Setup, Toolbox
from endophora.phenomena import tag_document
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support
from endophora.store import content_key

SEGMENTS_A_JOB = 500
Span = tuple[int, int]
_FIELDS = tuple(field.name for field in fields(Occurrence) if field.name != "document")
_SUPPORT_FIELDS = tuple(field.name for field in fields(Support))
_Encoded = tuple[list[tuple[list[int], list[int], list[int]]], list[dict[str, Any]]]


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
    """What is known of one document on one side: its tokens, links and occurrences."""

    segments: tuple[TaggedSegment, ...]
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """A document's texts on one side, one a segment."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]


def side_texts(corpus: Corpus, text_of: Callable[[Segment], str]) -> list[DocumentTexts]:
    """Return the texts of each document, with the target text that ``text_of`` takes from a segment."""
    return [
        DocumentTexts(
            document.id,
            tuple(segment.source for segment in document.segments),
            tuple(text_of(segment) for segment in document.segments),
        )
        for document in corpus.documents
    ]


def tag_sides(
    setup: Setup,
    sides: Sequence[Sequence[DocumentTexts]],
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> list[list[TaggedDocument]]:
    """Annotate, link, resolve and tag several target texts of the same source.

    Args:
        setup: the tools.
        sides: for each side, its documents; the same documents on every side.
        workers: number of processes; they share the store of the setup.
        progress: called with the number of segments that were done, source and target counted alike.

    Returns:
        for each side, its documents in order.
    """
    chunks = list(_chunks(sides[0])) if sides else []
    if setup.store is not None:
        sources = [[text for document in sides[0][chunk] for text in document.source] for chunk in chunks]
        for count in map_ordered(partial(_source_worker, setup), sources, workers):
            _tell(progress, count)
    # Sides of one chunk follow one another, so that a process reads and resolves their common source once.
    jobs = [(side, chunk) for chunk in chunks for side in range(len(sides))]
    texts = [sides[side][chunk] for side, chunk in jobs]
    tagged: list[list[TaggedDocument]] = [[] for _ in sides]
    for (side, _), documents in zip(jobs, map_ordered(partial(_side_worker, setup), texts, workers), strict=True):
        tagged[side].extend(documents)
        _tell(progress, sum(len(document.segments) for document in documents))
    return tagged


def _tell(progress: Callable[[int], None] | None, count: int) -> None:
    if progress is not None:
        progress(count)


def _chunks(documents: Sequence[DocumentTexts]) -> Iterator[slice]:
    start = count = 0
    for index, document in enumerate(documents):
        count += len(document.source)
        if count >= SEGMENTS_A_JOB:
            yield slice(start, index + 1)
            start, count = index + 1, 0
    if start < len(documents):
        yield slice(start, len(documents))


def _source_worker(setup: Setup) -> Callable[[Sequence[str]], int]:
    return partial(_annotate_source, setup.load())


def _annotate_source(tools: Toolbox, texts: Sequence[str]) -> int:
    tools.annotations.annotate(tools.source_annotator, texts)
    return len(texts)


def _side_worker(setup: Setup) -> Callable[[Sequence[DocumentTexts]], list[TaggedDocument]]:
    return _SideWorker(setup.load())


class _SideWorker:
    """Tags jobs of documents, one after the other, and remembers the source of the last one."""

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools
        self._source: dict[tuple[str, ...], tuple[AnnotatedText, ...]] = {}

    def __call__(self, documents: Sequence[DocumentTexts]) -> list[TaggedDocument]:
        signature = self._tools.signature
        keys = [content_key("side 2", signature, repr(d.source), repr(d.target)) for d in documents]
        known = self._tools.store.get_many(keys)
        missing = [document for document, key in zip(documents, keys, strict=True) if key not in known]
        tagged = iter(self._tag(missing))
        outcome = [
            decode_document(document.id, known[key]) if key in known else next(tagged)
            for document, key in zip(documents, keys, strict=True)
        ]
        new = {key: encode_document(done) for key, done in zip(keys, outcome, strict=True) if key not in known}
        self._tools.store.put_many(new)
        return outcome

    def _tag(self, documents: Sequence[DocumentTexts]) -> list[TaggedDocument]:
        if not documents:
            return []
        tools = self._tools
        sources = self._sources(documents)
        targets = _regroup(
            tools.annotations.annotate(tools.target_annotator, [text for d in documents for text in d.target]),
            [len(document.target) for document in documents],
        )
        linked = tools.aligner.align_many(list(zip(sources, targets, strict=True)))
        tagged: list[TaggedDocument] = []
        for document, source, target, links in zip(documents, sources, targets, linked, strict=True):
            resolutions = tools.resolver.resolve(source, target, links)
            annotated = AnnotatedDocument(document.id, source, target, tuple(links), tuple(resolutions))
            tagged.append(_tagged_document(annotated, tag_document(annotated, tools.taggers)))
        return tagged

    def _sources(self, documents: Sequence[DocumentTexts]) -> list[tuple[AnnotatedText, ...]]:
        missing = [document.source for document in documents if document.source not in self._source]
        if missing:
            tools = self._tools
            texts = tools.annotations.annotate(tools.source_annotator, [text for source in missing for text in source])
            # Only the last job's source is kept: the jobs of one source follow one another.
            self._source = dict(zip(missing, _regroup(texts, [len(source) for source in missing]), strict=True)) | {
                document.source: self._source[document.source]
                for document in documents
                if document.source in self._source
            }
        return [self._source[document.source] for document in documents]


def _regroup(texts: Sequence[AnnotatedText], sizes: Sequence[int]) -> list[tuple[AnnotatedText, ...]]:
    groups: list[tuple[AnnotatedText, ...]] = []
    start = 0
    for size in sizes:
        groups.append(tuple(texts[start : start + size]))
        start += size
    return groups


def _tagged_document(document: AnnotatedDocument, occurrences: Sequence[Occurrence]) -> TaggedDocument:
    segments = tuple(
        TaggedSegment(_spans(source), _spans(target), _pairs(links))
        for source, target, links in zip(document.source, document.target, document.links, strict=True)
    )
    return TaggedDocument(segments, tuple(occurrences))


def _spans(text: AnnotatedText) -> tuple[Span, ...]:
    return tuple((token.start, token.end) for token in text.tokens)


def _pairs(links: Sequence[Link]) -> tuple[tuple[int, int], ...]:
    return tuple((link.source, link.target) for link in links)


def encode_document(document: TaggedDocument) -> bytes:
    """Return a tagged document as bytes; its id is left out, since equal texts have equal occurrences."""
    rows = [_row(occurrence) for occurrence in document.occurrences]
    segments = [(_flat(segment.source), _flat(segment.target), _flat(segment.links)) for segment in document.segments]
    return zlib.compress(json.dumps([segments, rows], ensure_ascii=False, separators=(",", ":")).encode(), 1)


def decode_document(identifier: str, data: bytes) -> TaggedDocument:
    """Return the tagged document that :func:`encode_document` wrote, under an id."""
    segments, rows = cast("_Encoded", json.loads(zlib.decompress(data)))
    return TaggedDocument(
        tuple(TaggedSegment(_paired(source), _paired(target), _paired(links)) for source, target, links in segments),
        tuple(_occurrence(identifier, row) for row in rows),
    )


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
