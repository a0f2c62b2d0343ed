"""Rows of any format, checked in one place, and documents made of them: one by one, or collected to a corpus.

A reader yields one :class:`Row` for each segment and notes faults in a :class:`StreamLog`. What is refused is decided
here, so that a file gets one verdict wherever it is read; names are checked and selected in
:mod:`endophora.corpus.formats`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from endophora.corpus.faults import SPLIT_ADVICE, FaultLog, too_long
from endophora.corpus.records import Document, Location, Segment
from endophora.errors import Fault, InputError

REFERENCE = "reference"
"""The name that the target text of a stream has among a segment's references."""

ONE_DOCUMENT = "document-1"
"""The id of the only document of a corpus whose documents are not known."""

MOST_FAULTS = 1_000
"""A stream that stops for faults looks for no more of them after so many."""

SAMPLED = 2_000
"""How many segments are kept of a stream, to see what language they read like."""

NO_REFERENCE = ("E107", "the corpus has no reference", "occurrences are found in one: give it")

_FATAL = frozenset(
    {"E001", "E002", "E003", "E004", "E005", "E008", "E016", "E020", "E021", "E024", "E107", "E200", "E201", "E204"}
    | {"E385"}
)
"""What cannot be skipped: the file, not a line of it, is wrong."""

UNREAD = "\0"
"""What stands for a text that could not be read; its fault is in the log, as is that of a text with a zero in it."""

_HERE: Mapping[str, tuple[str, int]] = MappingProxyType({})


class Row(NamedTuple):
    """One segment as it stands in a file.

    Attributes:
        document: id of its document; ``None`` if the input has no ids.
        references, outputs: name → text.
        file, line: where the source stands: its line, row or link, from 1.
        sound: nothing is wrong with it; a row with a fault goes on to where documents are made of ids.
        elsewhere: ``document``, ``reference NAME`` or ``system NAME`` → its file and how many lines further down it
            stands there, for what is not in the file of the source.
    """

    document: str | None
    source: str
    references: Mapping[str, str]
    outputs: Mapping[str, str]
    file: str
    line: int
    sound: bool = True
    elsewhere: Mapping[str, tuple[str, int]] = _HERE

    def where(self, part: str) -> tuple[str, int]:
        """Return file and line of the source, or of a part as ``elsewhere`` names it."""
        file, further = self.elsewhere.get(part, (self.file, 0))
        return file, self.line + further


class StreamLog(FaultLog):
    """Faults of an input, counted by code, and what a reader notices that is no fault.

    Attributes:
        notes: what was left out that is no fault → how often.
        remarks: sentences that the reader of a corpus tells the user.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.remarks: list[str] = []

    def add(self, code: str, cause: str, advice: str, file: str = "", line: int | None = None) -> None:
        """Note a fault; the arguments are those of :class:`~endophora.errors.Fault`."""
        super().add(code, cause, advice, file, line)
        self.counts[code] += 1

    @property
    def fatal(self) -> bool:
        """Whether there was a fault that cannot be skipped."""
        return bool(_FATAL & self.counts.keys())


Rows = Callable[[StreamLog], Iterator[Row]]
"""Opens an input: takes the log of faults and yields the rows."""


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
    """The documents of a corpus of any size, with their first reference; each iteration reads it again.

    In memory there are the document that is being read, and a hash and a line number for each id.

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
        for name, rows in runs(self._checked(log), log):
            if log and not self._skip:
                continue
            document = Document(name, tuple(map(_with_target, rows)))
            documents += 1
            sample += document.segments[-segments % step :: step]
            segments += len(rows)
            while len(sample) > SAMPLED:
                sample, step = sample[::2], 2 * step
            yield document
        counts, notes = dict(log.counts), dict(log.notes)
        self.census = Census(documents, segments, counts, notes, tuple(log.faults()), tuple(sample))
        if log.fatal or (log and not self._skip):
            raise InputError(log.faults())
        if not documents:
            raise InputError(Fault("E005", "there is no segment", "was the input written to its end?"))

    def _checked(self, log: StreamLog) -> Iterator[Row]:
        for row in checked(self._rows(log), log):
            if row.document is None or not row.references:
                _refuse_table(row, log)
                return
            if row.sound or not self._skip:
                yield row
            if not self._skip and log.counts.total() > MOST_FAULTS:
                return


def _with_target(row: Row) -> Segment:
    target = next(iter(row.references.values()))
    return Segment(row.source, {REFERENCE: target}, {}, Location(row.file, row.line))


def _refuse_table(row: Row, log: StreamLog) -> None:
    """Note what is wrong with an input of documents without ids (E204), or without a reference (E107)."""
    if row.document is None:
        advice = (
            "give each line one (a column or key “document”): context must not reach from one document into another"
        )
        log.add("E204", "there are no document ids", advice, row.file)
    if not row.references:
        log.add(*NO_REFERENCE, row.file)


def checked(rows: Iterable[Row], log: StreamLog) -> Iterator[Row]:
    """Yield rows, and note which are not sound.

    The faults: an empty id (E023), source (E009) or reference (E010), a text that is too long (E345).
    """
    for row in rows:
        before = log.counts.total()
        if row.document is not None and not row.document.strip():
            log.add("E023", "the document id is empty", "give every line an id", *row.where("document"))
        if not row.source.strip():
            log.add("E009", "the source segment is empty", "delete the line in all files", row.file, row.line)
        for name, text in row.references.items():
            if not text.strip():
                cause = f"the segment is empty in reference “{name}”"
                advice = "give its translation, or delete the line in all files"
                log.add("E010", cause, advice, *row.where(f"reference {name}"))
        unread = row.document == UNREAD
        for part, text in texts_of(row):
            if cause := too_long(text):
                log.add("E345", cause, SPLIT_ADVICE, *row.where(part))
            unread = unread or UNREAD in text
        yield row if log.counts.total() == before and not unread else row._replace(sound=False)


def texts_of(row: Row) -> Iterator[tuple[str, str]]:
    """Yield what a row calls its texts, and the texts."""
    yield "source", row.source
    for name, text in row.references.items():
        yield f"reference {name}", text
    for name, text in row.outputs.items():
        yield f"system {name}", text


def runs(rows: Iterable[Row], log: StreamLog) -> Iterator[tuple[str, list[Row]]]:
    """Join rows of equal ids to documents; an id that comes back is a fault (E013), and its rows are left out."""
    seen: dict[int, int] = {}
    current: str | None = None
    held: list[Row] = []
    repeated = False
    for row in rows:
        name = ONE_DOCUMENT if row.document is None else row.document
        if not name.strip() or name == UNREAD:
            continue
        if name != current:
            if held:
                yield current or "", held
                held = []
            current = name
            # Ids are kept as hashes of 64 bits: a large corpus has millions.
            key = int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
            file, line = row.where("document")
            repeated = key in seen
            if repeated:
                cause = f"document “{name}”, begun in line {seen[key]}, comes back after another document"
                advice = "bring the lines of a document together, or give the second one an id of its own"
                log.add("E013", cause, advice, file, line)
            seen.setdefault(key, line)
        if row.sound and not repeated:
            held.append(row)
    if held:
        yield current or "", held
