"""Spreadsheets, as CSV and XLSX: a segment a row, the columns by the names of the first row.

Columns are named as those of a TSV, in capitals or not, or by the two languages: ``en`` or ``en-GB`` is the source of a
pair from English. Of a workbook with several sheets, each that has a source is a document, unless a column says more.
"""

from __future__ import annotations

import csv
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import (
    FREE,
    MOST_TIMES,
    InflatedError,
    PathLike,
    display_name,
    each_line,
    need_library,
    noting,
)
from endophora.corpus.records import Corpus
from endophora.corpus.streams import ReadOptions, Row, translated
from endophora.corpus.tabular import Columns, find_columns, header, with_roles
from endophora.corpus.writing import check_writable, rows, write_lines, writing_faults
from endophora.corpus.xml import FORBIDDEN

_MOST_ROWS = 1 << 20
"""Rows that a sheet of a workbook may have."""
_LONGEST_FIELD = 1 << 24
"""Characters that a field of a CSV file may have, of any column; a quote that is not closed ends there."""
_LONGEST_CELL = 32_767
"""Characters that a cell of a workbook may have; what is longer would be cut."""


def csv_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; a comma, a semicolon or a tab may be between the fields.

    Faults: E001–E007, those of the header (E011, E012, E016), another number of fields than the header (E017), quotes
    that are not closed or stand within a field (E237).
    """
    return translated(_csv_rows(path, options, log), options, log)


def _csv_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    file = display_name(path)
    lines = (f"{text or ''}\n" for _, text in each_line(path, log))
    first = next(lines, "")
    separator = max(",;\t", key=first.count)
    # What Excel writes and reads as the first line, to say what is between the fields.
    said = re.fullmatch(r"\"?sep=(.)\"?[,;\t]*\n", first)
    if said:
        separator, first = said[1], next(lines, "")
    before = 1 if said else 0
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(chain([first], lines), delimiter=separator, strict=True)
    begun = 1 + before
    columns: Columns | None = None
    width = 0
    try:
        for fields in reader:
            if columns is None:
                if log.has("E006", file):
                    return  # no names of columns are known
                width = len(fields)
                columns = find_columns(fields, options, file, log)
                if columns is None:
                    return
            elif len(fields) == width:
                yield columns.row(fields, file, begun)
            elif any(fields):
                cause = f"{len(fields)} fields, where {width} are expected"
                log.add("E017", cause, "put a text with the separator in it in quotes", file, begun)
            begun = reader.line_num + 1 + before
    except csv.Error as error:
        advice = "close every quote, and write quotes within quotes twice"
        log.add("E237", f"malformed CSV: {error}", advice, file, begun)


def write_csv(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as CSV with commas (E022, E026); a text may have line ends in it."""
    check_writable(corpus, "CSV", forbidden="\r")

    def line(fields: Sequence[str]) -> str:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerow(fields)
        return buffer.getvalue()[:-1]

    write_lines(path, map(line, chain([header(corpus)], rows(corpus))))


def xlsx_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of the sheets of a workbook that have a source.

    Faults: E001–E003, E346, those of the header (E011, E012, E016), what is no workbook (E238). Without openpyxl: E150.
    """
    need_library("openpyxl", "XLSX", path, "formats")
    return translated(_xlsx_rows(path, options, log), options, log)


def _xlsx_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    file, number = display_name(path), 0
    with noting(path, log, lambda: number or None), damage(path, log), Path(path).open("rb") as stream:
        check_packed(path)
        # By its name, a file that is not called .xlsx would be refused.
        book = cast("Any", import_module("openpyxl")).load_workbook(stream, read_only=True, data_only=True)
        sheets = [(sheet, _cells(sheet)) for sheet in book.worksheets]
        headers = [list(map(_text, next(cells, ()))) for _, cells in sheets]
        wanted = options.columns.source if options.columns else "source"
        known = [wanted in (names if options.columns else with_roles(names, options.languages)) for names in headers]
        log.notes.update(["sheets without a column “source” were left out"] * (any(known) and known.count(False)))
        for (sheet, cells), names, is_read in zip(sheets, headers, known, strict=True):
            columns = find_columns(names, options, file, log) if is_read or not any(known) else None
            for number, row in enumerate(cells if columns else (), start=2):
                fields = [*map(_text, row), *[""] * (len(names) - len(row))]
                if columns and any(fields):
                    made = columns.row(fields, file, number)
                    yield made._replace(document=sheet.title) if sum(known) > 1 and made.document is None else made


def _cells(sheet: Any) -> Iterator[tuple[object, ...]]:
    """Yield the values of the rows of a sheet, all that are there: how many it says to have is often wrong."""
    sheet.reset_dimensions()
    for number, values in enumerate(sheet.iter_rows(values_only=True)):
        if number == _MOST_ROWS:
            raise ValueError(f"a sheet has more than {_MOST_ROWS:,} rows")
        yield values


_DAMAGED = (LookupError, ValueError, TypeError, AttributeError, SyntaxError, RuntimeError, EOFError)
"""What libraries raise that read files of office programs, besides their own errors, where one is damaged."""


@contextmanager
def damage(path: PathLike, log: FaultLog) -> Generator[None]:
    """Note what is raised while a file of an office program is read, and end the reading there (E238)."""
    try:
        yield
    except (*_DAMAGED, zipfile.BadZipFile, zlib.error, struct.error) as error:
        cause = f"this is no file of an office program that can be read ({error})"
        log.add("E238", cause, "save it again", display_name(path))


def check_packed(path: PathLike) -> None:
    """Check that a file unpacks to no more than text would (E346, as of what opens it)."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > max(FREE, MOST_TIMES * Path(path).stat().st_size):
        raise InflatedError(
            f"it unpacks to {size >> 20} MiB, more than {MOST_TIMES} times its size, which no text does"
        )


def _text(value: object) -> str:
    return "" if value is None else str(value)


def write_xlsx(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as one sheet of a workbook (E022, E026); without openpyxl: E150."""
    need_library("openpyxl", "XLSX", path, "formats")
    check_writable(corpus, "XLSX", forbidden=FORBIDDEN + "\r", longest=_LONGEST_CELL)
    openpyxl, cells = cast("Any", import_module("openpyxl")), cast("Any", import_module("openpyxl.cell"))
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("segments")
    for fields in chain([header(corpus)], rows(corpus)):
        made = [cells.WriteOnlyCell(sheet, field) for field in fields]
        for cell in made:
            # A text that begins with an equals sign is no formula.
            cell.data_type = "s"
        sheet.append(made)
    with writing_faults(path):
        book.save(path)
