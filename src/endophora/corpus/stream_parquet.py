"""Streams of rows from Parquet: one column each for document id, source and target, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from endophora.corpus.lines import PathLike
from endophora.corpus.stream_lines import TableColumns
from endophora.corpus.streams import Row, StreamLog
from endophora.errors import Fault, MissingModelError

_BATCH = 4_096


def parquet_rows(path: PathLike, columns: TableColumns, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of a Parquet file, or of all ``*.parquet`` of a directory in the order of their names.

    Args:
        path: the file or directory.
        columns: names of the columns; document ids may be text or whole numbers, source and target are text.
        log: takes the faults: there is no such file (E001), no column of a name (E016), a file cannot be read, or a
            column is no text (E200). A null is empty text.

    Raises:
        MissingModelError: pyarrow is not installed (E150).
    """
    if find_spec("pyarrow") is None:
        advice = "install it with: pip install 'endophora[extract]'"
        raise MissingModelError(Fault("E150", "Parquet needs pyarrow, which is not installed", advice, str(path)))
    place = Path(path)
    files = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
    if not files:
        log.add("E001", "the directory has no *.parquet", "check the path", str(path))
    for file in files:
        if not file.is_file():
            log.add("E001", "no such file", "check the path", str(file))
            continue
        yield from _file_rows(file, columns, log)


def _file_rows(file: Path, columns: TableColumns, log: StreamLog) -> Iterator[Row]:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    name = str(file)
    try:
        with parquet.ParquetFile(file) as table:
            names = _checked(table.schema_arrow, columns, name, log)
            if names is None:
                return
            number = 0
            for batch in table.iter_batches(_BATCH, columns=list(dict.fromkeys(names))):
                texts = cast("list[list[Any]]", [batch.column(each).to_pylist() for each in names])
                for document, source, target in zip(*texts, strict=True):
                    number += 1
                    yield Row("" if document is None else str(document), source or "", target or "", name, number)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        # A text that is not UTF-8 is found only when it is taken out.
        cause = f"the Parquet file cannot be read ({(str(error).splitlines() or ['?'])[0]})"
        log.add("E200", cause, "was it written to its end?", name)


def _checked(schema: Any, columns: TableColumns, file: str, log: StreamLog) -> tuple[str, str, str] | None:
    """Return the names of the columns, if they are there and of a type that can be read."""
    types = import_module("pyarrow.types")
    names = cast("list[str]", list(schema.names))
    places = columns.find(names, file, log)
    if places is None:
        return None
    sound = True
    for role, place in zip(("document", "source", "target"), places, strict=True):
        kind = schema.field(place).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        fits = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        if not (fits or (role == "document" and types.is_integer(kind))):
            log.add("E200", f"the column “{names[place]}” is {kind}, not text", "write it as strings", file)
            sound = False
    document, source, target = (names[place] for place in places)
    return (document, source, target) if sound else None
