"""Corpora of any size: documents one after another, in constant memory, with every fault counted.

A reader of a large format yields rows (document id, source, target, file, line); what all of them share is here: rows
are joined to documents, checked, and what is wrong either stops the reading or is left out and counted.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import SPLIT_ADVICE, too_long
from endophora.corpus.records import Document, Location, Segment
from endophora.errors import Fault, InputError

REFERENCE = "reference"
"""The name that the target text of a stream has among a segment's references."""

MOST_FAULTS = 1_000
"""A stream that stops for faults looks for no more of them after so many."""

SAMPLED = 2_000
"""How many segments are kept of a stream, to see what language they read like."""

_FATAL = frozenset({"E001", "E002", "E003", "E004", "E005", "E008", "E016", "E200", "E201", "E385"})
"""What cannot be skipped: the file, not a line of it, is wrong."""


class Row(NamedTuple):
    """One aligned unit as it stands in a file.

    Attributes:
        document: id of its document.
        source: the source text.
        target: the target text.
        file: the file that messages name.
        line: where it stands there: its line, row or link, from 1.
    """

    document: str
    source: str
    target: str
    file: str
    line: int


Rows = Callable[["StreamLog"], Iterator[Row]]
"""Opens a corpus: takes the log of faults and yields the rows."""


class StreamLog(FaultLog):
    """Faults of a stream, counted by code, and what a reader leaves out that is no fault."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()

    def add(self, code: str, cause: str, advice: str, file: str = "", line: int | None = None) -> None:
        """Note a fault; the arguments are those of :class:`~endophora.errors.Fault`."""
        super().add(code, cause, advice, file, line)
        self.counts[code] += 1

    @property
    def fatal(self) -> bool:
        """Whether there was a fault that cannot be skipped."""
        return bool(_FATAL & self.counts.keys())


@dataclass(frozen=True, slots=True)
class Census:
    """What one reading of a stream has found.

    Attributes:
        documents, segments: what was yielded.
        skipped: code of a fault → lines (rows, links, documents) that were left out for it.
        notes: what was left out that is no fault → how often.
        faults: the faults to show, as :class:`~endophora.corpus.faults.FaultLog` cuts them short.
        sample: at most :data:`SAMPLED` segments, spread evenly.
    """

    documents: int = 0
    segments: int = 0
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    notes: dict[str, int] = field(default_factory=dict[str, int])
    faults: tuple[Fault, ...] = ()
    sample: tuple[Segment, ...] = ()


class DocumentStream:
    """The documents of a corpus of any size; each iteration reads it anew.

    In memory there are the document that is being read, and eight bytes of hash for each id.

    Args:
        rows: opens the corpus.
        skip_faults: leave out and count what is faulty; otherwise nothing is yielded after the first fault, all faults
            (up to :data:`MOST_FAULTS`) are looked for, and raised.

    Attributes:
        census: what the last iteration has found; complete when it has ended.
    """

    def __init__(self, rows: Rows, *, skip_faults: bool = False) -> None:
        self._rows = rows
        self._skip = skip_faults
        self.census = Census()

    def __iter__(self) -> Iterator[Document]:
        """Yield the documents in order.

        Raises:
            InputError: faults, unless they are to be skipped; those of whole files always.
        """
        log = StreamLog()
        documents = segments = 0
        sample, step = list[Segment](), 1
        for document in _documents(self._sound_rows(log), log):
            if log and not self._skip:
                continue
            documents += 1
            sample += document.segments[-segments % step :: step]
            segments += len(document.segments)
            while len(sample) > SAMPLED:
                sample, step = sample[::2], 2 * step
            yield document
        counts, notes = dict(log.counts), dict(log.notes)
        self.census = Census(documents, segments, counts, notes, tuple(log.faults()), tuple(sample))
        if log.fatal or (log and not self._skip):
            raise InputError(log.faults())
        if not documents:
            raise InputError(Fault("E005", "there is no segment", "was the input written to its end?"))

    def scan(self) -> Census:
        """Read all and return what there is, without keeping it.

        Raises:
            InputError: as iterating does.
        """
        for _ in self:
            pass
        return self.census

    def _sound_rows(self, log: StreamLog) -> Iterator[Row]:
        """Yield the rows that have a document id and text on both sides; the others are faults."""
        for row in self._rows(log):
            if not row.document.strip():
                log.add("E023", "the document id is empty", "give every line an id", row.file, row.line)
            elif not row.source.strip():
                log.add("E009", "the source segment is empty", "delete the line", row.file, row.line)
            elif not row.target.strip():
                log.add("E010", "the target segment is empty", "delete the line", row.file, row.line)
            elif cause := too_long(row.source) or too_long(row.target):
                log.add("E345", cause, SPLIT_ADVICE, row.file, row.line)
            else:
                yield row
            if not self._skip and log.counts.total() > MOST_FAULTS:
                return


def _documents(rows: Iterable[Row], log: StreamLog) -> Iterator[Document]:
    """Join rows of equal ids to documents; an id that comes back is a fault (E013)."""
    seen: set[int] = set()
    current = ""
    held: list[Segment] = []
    repeated = False
    for row in rows:
        if row.document != current or not (held or repeated):
            if held:
                yield Document(current, tuple(held))
                held = []
            current = row.document
            repeated = _is_known(current, seen)
            if repeated:
                cause = f"document “{current}” comes back after another document"
                advice = "bring the lines of a document together, or give the second one an id of its own"
                log.add("E013", cause, advice, row.file, row.line)
        if not repeated:
            held.append(Segment(row.source, {REFERENCE: row.target}, {}, Location(row.file, row.line)))
    if held:
        yield Document(current, tuple(held))


def _is_known(name: str, seen: set[int]) -> bool:
    """Tell whether a document id was there before; ids are kept as hashes of 64 bits."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    key = int.from_bytes(digest, "big")
    known = key in seen
    seen.add(key)
    return known
