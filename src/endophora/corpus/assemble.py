"""Columns to corpus: what every reader does once its files are lists of texts."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TypeVar

from endophora.corpus.codes import check_languages
from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import SPLIT_ADVICE, too_long
from endophora.corpus.lines import Lines
from endophora.corpus.meaning import Text, check_meaning
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import Fault

T = TypeVar("T")

ONE_DOCUMENT = "document-1"
"""The id of the only document of a corpus whose documents are not known."""


@dataclass(frozen=True, slots=True)
class Column:
    """The texts of one source, reference or system, one a segment.

    Attributes:
        file: the file in which they stand.
        texts: the texts.
        line: tells the line of a segment from its index.
    """

    file: str
    texts: Sequence[str]
    line: Callable[[int], int] = field(default=lambda index: index + 1)


@dataclass(frozen=True, slots=True)
class Columns:
    """A corpus before it is checked: all columns have equal length.

    Attributes:
        source: the source texts.
        documents: the document id of each segment, or ``None`` if nobody knows.
        references: by name.
        systems: by name.
    """

    source: Column
    documents: Column | None
    references: Mapping[str, Column]
    systems: Mapping[str, Column]


def column(lines: Lines, length: int) -> Column:
    """Return the lines of a file as a column; lines beyond ``length``, a fault of their own, are left out."""
    return Column(lines.file, lines.texts if len(lines.texts) <= length else lines.texts[:length], lines.line)


def select(named: Mapping[str, T], names: Sequence[str] | None, kind: str, log: FaultLog) -> dict[str, T]:
    """Return what has the names that the user asked for, in that order, or all; an unknown name is a fault (E024)."""
    if names is None:
        return dict(named)
    for name in names:
        if name not in named:
            near = difflib.get_close_matches(name, named, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(named) or 'none'}"
            log.add("E024", f"there is no {kind} “{name}”", hint)
    return {name: named[name] for name in names if name in named}


def check_lengths(files: Sequence[Lines], log: FaultLog) -> int:
    """Note a fault (E008) for each readable file that is longer or shorter than most, and return the usual length."""
    lengths = {lines.file: len(lines.texts) for lines in files if lines.readable and lines.texts}
    counts = list(lengths.values())
    usual = max(counts, key=counts.count, default=0)
    for lines in files:
        length = lengths.get(lines.file, usual)
        if length != usual:
            others = ", ".join(file for file, count in lengths.items() if count == usual)
            log.add("E008", f"{length} lines, but {usual} in {others}", _length_advice(lines, usual), lines.file)
    return usual


def _length_advice(lines: Lines, usual: int) -> str:
    surplus = lines.texts[usual:]
    if surplus and not any(text.strip() for text in surplus):
        what = "line is empty" if len(surplus) == 1 else f"{len(surplus)} lines are empty"
        return f"its last {what}: delete {'it' if len(surplus) == 1 else 'them'}"
    return "every file needs one line a segment; look for a segment that was split, joined or left out"


def assemble(columns: Columns, languages: tuple[str, str], log: FaultLog, warnings: Iterable[str] = ()) -> Corpus:
    """Check the columns of a corpus and make it.

    Args:
        columns: its texts.
        languages: codes of the source and the target language.
        log: what was found wrong before; all of it is raised together.
        warnings: what was noticed before.

    Raises:
        InputError: with all faults: no segment (E005), an empty source (E009) or reference (E010) segment, an empty
            document id (E023), one that comes back (E013), a segment that is too long (E345), an unknown language
            (E014), or what is in ``log``.
    """
    check_languages(languages, log)
    if not columns.source.texts and not log:
        log.add("E005", "there is no segment", "was it written to its end?", columns.source.file)
    _check_filled(columns.source, "E009", "the source segment is empty", "delete the line in all files", log)
    for name, column in columns.references.items():
        cause = f"the segment is empty in reference “{name}”"
        _check_filled(column, "E010", cause, "give its translation, or delete the line in all files", log)
    for one in (columns.source, *columns.references.values(), *columns.systems.values()):
        _check_short(one, log)
    runs = _document_runs(columns, log)
    log.check()
    noticed = list(warnings)
    if columns.documents is None:
        noticed.append(
            "No document ids were given, so all segments count as one document: context reaches across the borders "
            "of the real documents, and there are no figures for single documents."
        )
    noticed.extend(_blank_outputs(columns.systems))
    noticed.extend(_check_meaning(columns, languages))
    segments = _segments(columns)
    return Corpus(
        source_language=languages[0],
        target_language=languages[1],
        documents=tuple(Document(name, tuple(segments[start:end])) for name, start, end in runs),
        references=tuple(columns.references),
        systems=tuple(columns.systems),
        warnings=tuple(noticed),
    )


def _check_filled(column: Column, code: str, cause: str, advice: str, log: FaultLog) -> None:
    for index, text in enumerate(column.texts):
        # An undecodable line was read as empty, and its fault is known already.
        if not text.strip() and not log.has("E006", column.file):
            log.add(code, cause, advice, column.file, column.line(index))


def _check_short(column: Column, log: FaultLog) -> None:
    for index, text in enumerate(column.texts):
        if cause := too_long(text):
            log.add("E345", cause, SPLIT_ADVICE, column.file, column.line(index))


def _document_runs(columns: Columns, log: FaultLog) -> list[tuple[str, int, int]]:
    """Return id, first index and end of each run of equal document ids."""
    column = columns.documents
    if column is None:
        return [(ONE_DOCUMENT, 0, len(columns.source.texts))]
    ids = column.texts
    if not ids:
        return []
    starts = [index for index, name in enumerate(ids) if index == 0 or name != ids[index - 1]]
    runs = [(ids[start], start, end) for start, end in zip(starts, [*starts[1:], len(ids)], strict=True)]
    seen: dict[str, int] = {}
    for name, start, _ in runs:
        if not name.strip():
            log.add("E023", "the document id is empty", "give every line an id", column.file, column.line(start))
        elif name in seen:
            cause = f"document “{name}”, begun in line {column.line(seen[name])}, comes back after another document"
            advice = "bring the lines of a document together, or give the second one an id of its own"
            log.add("E013", cause, advice, column.file, column.line(start))
        else:
            seen[name] = start
    return runs


def _blank_outputs(systems: Mapping[str, Column]) -> Iterator[str]:
    """Say how many outputs of each system are blank, and where."""
    for name, column in systems.items():
        if blank := [index for index, text in enumerate(column.texts) if not text.strip()]:
            lines = ", ".join(str(column.line(index)) for index in blank[:5]) + (", …" if len(blank) > 5 else "")
            cause = f"system “{name}” left {len(blank)} of {len(column.texts)} segments blank: lines {lines}"
            yield str(Fault("E391", cause, "check that it wrote all of them; they are scored as empty", column.file))


def _check_meaning(columns: Columns, languages: tuple[str, str]) -> list[str]:
    source, target = languages
    return check_meaning(
        _text("source", "", source, columns.source),
        [_text("reference", name, target, column) for name, column in columns.references.items()],
        [_text("system", name, target, column) for name, column in columns.systems.items()],
    )


def _text(kind: str, name: str, language: str, column: Column) -> Text:
    return Text(kind, name, language, column.file, column.texts, column.line)


def _segments(columns: Columns) -> list[Segment]:
    source = columns.source
    references = _rows(columns.references, len(source.texts))
    outputs = _rows(columns.systems, len(source.texts))
    return [
        Segment(text, reference, output, Location(source.file, source.line(index)))
        for index, (text, reference, output) in enumerate(zip(source.texts, references, outputs, strict=True))
    ]


def _rows(columns: Mapping[str, Column], length: int) -> Iterable[Mapping[str, str]]:
    """Turn named columns into one mapping a segment."""
    if not columns:
        return repeat({}, length)
    names = tuple(columns)
    texts = (column.texts for column in columns.values())
    return (dict(zip(names, row, strict=True)) for row in zip(*texts, strict=True))
