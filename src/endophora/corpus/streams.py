"""Rows of any format, checked in one place, and documents made of them: one by one, or collected to a corpus.

A reader yields one :class:`Row` for each segment and notes faults in a log (:mod:`endophora.corpus.faults`). What is
refused is decided here, so that a file gets one verdict wherever it is read; names are checked and selected in
:mod:`endophora.corpus.formats`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from endophora.corpus.faults import SPLIT_ADVICE, FaultLog, too_long
from endophora.corpus.lines import PathLike
from endophora.corpus.records import NO_CODES, Codes, Document, Location, Segment
from endophora.errors import Fault, InputError
from endophora.signature import unkeyed

Names = Sequence[str] | None
"""References or systems to keep; ``None`` keeps all."""

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
    | {"E230", "E231", "E232", "E237", "E238", "E346", "E385"}
)
"""What cannot be skipped: the file, not a line of it, is wrong."""

UNREAD = "\0"
"""What stands for a text that could not be read; its fault is in the log, as is that of a text with a zero in it."""

MOST_WITHOUT_IDS = 100_000
"""Segments that an input without document ids may have: it counts as one document, and no document has so many."""

_GIVE_IDS = "give them: a column, key or property “document”, or with --source a file, --documents FILE"
_HERE: Mapping[str, tuple[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns of a table are read, where its header does not say so itself: names, or numbers from 1.

    An empty ``target`` takes the first column that is called ``target``, ``reference`` or ``reference:NAME``.
    """

    document: str = "document"
    source: str = "source"
    target: str = ""


@unkeyed("what is read counts, document by document, and not how")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a reader may need to know besides the path; it need not select references and systems itself."""

    languages: tuple[str, str]
    references: Names = None  # to keep, in this order
    systems: Names = None
    columns: TableColumns | None = None  # of a table; by default its header says what they are
    texts: tuple[PathLike, ...] = ()  # where OPUS' documents lie; by default the folder of the alignment
    untranslated: bool = False  # whether segments without a translation are read, with an empty one


class Row(NamedTuple):
    """One segment as written in a file; ``document`` is ``None`` if the input has no ids.

    A row with a fault is not ``sound``, and is passed to where documents are made of ids. The source is in ``line`` of
    ``file`` (line, row or link, from 1); ``elsewhere`` has the file of another part (``document``, ``reference NAME``,
    ``system NAME``) and by how many lines it is further down there. ``id`` and ``codes`` are those of a
    :class:`~endophora.corpus.records.Segment`.
    """

    document: str | None
    source: str
    references: Mapping[str, str]
    outputs: Mapping[str, str]
    file: str
    line: int
    sound: bool = True
    elsewhere: Mapping[str, tuple[str, int]] = _HERE
    id: str = ""
    codes: Codes = NO_CODES

    def segment(self) -> Segment:
        """Return the segment."""
        location = Location(self.file, self.line)
        return Segment(self.source, self.references, self.outputs, location, self.id, self.codes)

    def where(self, part: str) -> tuple[str, int]:
        """Return file and line of the source, or of a part as ``elsewhere`` names it."""
        file, further = self.elsewhere.get(part, (self.file, 0))
        return file, self.line + further


def left_out(notes: Mapping[str, int]) -> list[str]:
    """Return what was left out and how often, as warnings say it."""
    return [f"{count} {what}" for what, count in notes.items()]


Rows = Callable[[FaultLog], Iterator[Row]]
"""Opens an input: notes faults in the log and yields the rows."""


@dataclass(frozen=True, slots=True)
class Census:
    """What one reading of a stream has found.

    ``skipped`` counts the lines (rows, links, documents) that were left out for each code, ``notes`` what was left out
    that is no fault; ``sample`` has at most :data:`SAMPLED` segments, spread evenly.
    """

    documents: int = 0
    segments: int = 0
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    notes: dict[str, int] = field(default_factory=dict[str, int])
    faults: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()
    sample: tuple[Segment, ...] = ()


class DocumentStream:
    """The documents of a corpus of any size, with their first reference; each iteration reads it again.

    In memory there are the document that is being read, and a hash and a line number for each id. With ``skip_faults``
    what is faulty is left out and counted; otherwise nothing is yielded after the first fault, all (up to
    :data:`MOST_FAULTS`) are looked for, and raised. ``census`` is complete when an iteration has ended.
    """

    def __init__(self, rows: Rows, *, skip_faults: bool = False) -> None:
        self._rows = rows
        self._skip = skip_faults
        self.census = Census()

    def __iter__(self) -> Iterator[Document]:
        """Yield the documents in order, then raise faults; those of whole files even if they are to be skipped."""
        log = FaultLog()
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
        found = tuple(log.faults()), tuple(log.remarks), tuple(sample)
        self.census = Census(documents, segments, dict(log.counts()), dict(log.notes), *found)
        if _FATAL & log.counts().keys() or (log and not self._skip):
            raise InputError(log.faults())
        if not documents:
            raise InputError(Fault("E005", "there is no segment", "was the input written to its end?"))

    def _checked(self, log: FaultLog) -> Iterator[Row]:
        for row in checked(self._rows(log), log):
            if not row.references:
                log.add(*NO_REFERENCE, row.file)
                return
            if row.sound or not self._skip:
                yield row
            if not self._skip and log.total > MOST_FAULTS:
                return


def _with_target(row: Row) -> Segment:
    target = next(iter(row.references.values()))
    return Segment(row.source, {REFERENCE: target}, {}, Location(row.file, row.line))


def checked(rows: Iterable[Row], log: FaultLog) -> Iterator[Row]:
    """Yield rows, and note which are not sound.

    The faults: an empty id (E023), source (E009) or reference (E010), a text that is too long (E345).
    """
    for row in rows:
        before = log.total
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
        yield row if log.total == before and not unread else row._replace(sound=False)


UNTRANSLATED = "segments without a translation were left out"


def translated(rows: Iterable[Row], options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a format for work in progress, without those that have no translation yet: they are counted.

    Where no reference is asked for, or ``untranslated`` segments are, all are yielded.
    """
    whole = options.untranslated or options.references == ()
    for row in rows:
        if not row.source.strip():
            log.notes["segments without a source text were left out"] += 1
        elif whole or not row.references or any(map(str.strip, row.references.values())):
            yield row
        else:
            log.notes[UNTRANSLATED] += 1


def texts_of(row: Row) -> Iterator[tuple[str, str]]:
    """Yield what a row calls its texts, and the texts."""
    yield "source", row.source
    for name, text in row.references.items():
        yield f"reference {name}", text
    for name, text in row.outputs.items():
        yield f"system {name}", text


def runs(rows: Iterable[Row], log: FaultLog) -> Iterator[tuple[str, list[Row]]]:
    """Join rows of equal ids to documents; an id that comes back is a fault (E013), and its rows are left out.

    An input without ids counts as one document, with a warning; it is a fault where no document is so long (E204).
    """
    seen: dict[int, int] = {}
    current: str | None = None
    held: list[Row] = []
    repeated = False
    unnamed = 0
    for row in rows:
        if row.document is None:
            unnamed += 1
            if unnamed == 1:
                effect = "all segments count as one document, and context reaches across the borders of the real ones"
                log.remarks.append(str(Fault("E204", f"there are no document ids: {effect}", _GIVE_IDS, row.file)))
            elif unnamed > MOST_WITHOUT_IDS:
                cause = f"there are no document ids, and more than {MOST_WITHOUT_IDS:,} segments"
                log.add("E204", cause, _GIVE_IDS, row.file)
                return
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
                advice = "bring the lines of a document together, or give the second one another id"
                log.add("E013", cause, advice, file, line)
            seen.setdefault(key, line)
        if row.sound and not repeated:
            held.append(row)
    if held:
        yield current or "", held
