"""Sentence pairs from tab-separated files, as documents for the engine: a run of pairs of one corpus each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.corpus.records import Document, Location, Segment

_REFERENCE, _SEPARATOR = "", "#"
DOCUMENT_PAIRS = 1000
"""Sentence pairs in a document: the aligner learns from one at a time."""


def read_pair_documents(files: Sequence[tuple[str, Path]], *, reverse: bool = False) -> Iterator[Document]:
    """Yield sentence pairs as documents, each pair once: ``corpus TAB source TAB target``, or the last two only.

    Args:
        files: name and path of each, gzipped or not. With a name all its lines are of this corpus; without one a line's
            first of three fields says it, or else the file's name.
        reverse: the second language is the source.

    Raises:
        InputError: with the faults of all files: one cannot be read (E001 and following), or a line has not two or
            three fields (E225).
    """
    log = FaultLog()
    seen = set[int]()
    for name, path in files:
        held, count = dict[str, list[Segment]](), 0
        for number, line in each_line(path, log):
            fields = (line or "\t").split("\t")
            if len(fields) not in (2, 3):
                advice = "corpus, source, target between tabs, or source and target"
                log.add("E225", f"{len(fields)} fields", advice, str(path), number)
                continue
            source, target = (fields[-1], fields[-2]) if reverse else (fields[-2], fields[-1])
            key = hash((source, target))
            if log or key in seen or not source.strip() or not target.strip():
                continue
            seen.add(key)
            origin = name or (fields[0] if len(fields) == 3 else path.name.partition(".")[0])
            run = held.setdefault(origin, [])
            run.append(Segment(source, {_REFERENCE: target}, {}, Location(str(path), number)))
            if len(run) == DOCUMENT_PAIRS:
                yield Document(f"{_mark(origin)}{path.name}-{count}", tuple(held.pop(origin)))
                count += 1
        for origin, run in held.items():
            yield Document(f"{_mark(origin)}{path.name}-{count}", tuple(run))
            count += 1
    log.check()


def name_documents(name: str, documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents of a corpus with its name, each sentence pair once in it; documents left empty are dropped.

    Args:
        name: of the corpus.
        documents: with a reference each.
    """
    seen = set[int]()
    for document in documents:
        kept = list[Segment]()
        for segment in document.segments:
            key = hash((segment.source, *segment.references.values()))
            if key not in seen:
                seen.add(key)
                kept.append(segment)
        if kept:
            yield replace(document, id=f"{_mark(name)}{document.id}", segments=tuple(kept))


def origin_of_document(id: str) -> str:
    """Return the name of the corpus that the id of a document begins with."""
    return id.partition(_SEPARATOR)[0]


def _mark(origin: str) -> str:
    return origin.replace(_SEPARATOR, "_") + _SEPARATOR
