"""Contexts of items whose suite names only document and segment: joined from the corpus, or from a file of inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from endophora.corpus.faults import FaultLog
from endophora.corpus.records import Corpus, Segment
from endophora.suites.records import Item, Pair, Suite

_SPACE = re.compile(r"\s+")


def join_contexts(suite: Suite, corpus: Corpus, size: int, reference: str | None = None) -> Suite:
    """Return a suite whose items have the segments before them, from a corpus of the documents it was taken from.

    Suites count segments from 0 or from 1: the first of the two by which more items have the corpus' own text is taken.

    Args:
        suite: items with document id and segment.
        corpus: the documents.
        size: how many segments before each item; fewer at the start of a document.
        reference: name of the reference to take target text from; the first by default.

    Raises:
        InputError: an item's document is not in the corpus, or has another text in that place (E178); all at once.
    """
    documents = {document.id: document.segments for document in corpus.documents}
    first = _first(suite.items, documents)
    name = reference or (corpus.references[0] if corpus.references else None)
    log, items = FaultLog(), list[Item]()
    for item in suite.items:
        segments, index = documents.get(item.document, ()), item.segment - first
        if not 0 <= index < len(segments) or _bare(segments[index].source) != _bare(item.source):
            what = "there is no such document" if not segments else f"segment {item.segment} is none or another"
            cause = f"item {item.id}, document “{item.document}”: {what}"
            log.add("E178", cause, "name the corpus that the suite was taken from, whole", suite.name)
            continue
        items.append(replace(item, before=tuple(_pair(one, name) for one in segments[max(0, index - size) : index])))
    log.check()
    return replace(suite, items=tuple(items))


def contexts_from_inputs(suite: Suite, lines: Sequence[str], separator: str) -> Suite:
    """Return a suite whose items have the source segments before them, from a file of inputs for systems.

    Args:
        suite: the items.
        lines: one line an item: source segments joined by the separator, the item's own last.
        separator: such as ``<eos>``; spaces beside it are dropped.

    Raises:
        InputError: there are not as many lines as items, or a line's last segment is not the item's source (E178).
    """
    log, items = FaultLog(), list[Item]()
    if len(lines) != len(suite):
        log.add("E178", f"{len(lines)} inputs for {len(suite)} items", "give the suite's own inputs", suite.name)
    for item, line in zip(suite.items, lines, strict=False):
        *context, last = (part.strip() for part in line.split(separator))
        if _bare(last) != _bare(item.source):
            log.add("E178", f"item {item.id}: the input ends in another segment", "give its own inputs", suite.name)
        items.append(replace(item, before=tuple(map(Pair, context))))
    log.check()
    return replace(suite, items=tuple(items))


def _first(items: Sequence[Item], documents: Mapping[str, Sequence[Segment]]) -> int:
    """Return whether segments are counted from 0 or from 1."""
    found = [0, 0]
    for item in items:
        segments = documents.get(item.document, ())
        for start in (0, 1):
            index = item.segment - start
            found[start] += 0 <= index < len(segments) and _bare(segments[index].source) == _bare(item.source)
    return int(found[1] > found[0])


def _pair(segment: Segment, reference: str | None) -> Pair:
    return Pair(segment.source, segment.references[reference] if reference else "")


def _bare(text: str) -> str:
    """Return a text without spaces and quotes, which tokenisers and exports change."""
    return _SPACE.sub("", text).translate({ord(mark): None for mark in "\"'`´"})
