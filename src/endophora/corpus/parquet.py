"""Parquet: a column each for document id, source, references and systems, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from endophora.corpus.lines import PathLike
from endophora.corpus.streams import Row, StreamLog
from endophora.corpus.tsv import Layout, TableColumns, find_columns
from endophora.errors import Fault, MissingModelError

_BATCH = 4_096


def parquet_rows(path: PathLike, columns: TableColumns | None, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of a Parquet file, or of all ``*.parquet`` of a directory in the order of their names.

    Args:
        path: the file or directory.
        columns: names of the columns; by default they say it as those of a TSV do. Document ids may be text or whole
            numbers, all else is text; a null is empty text.
        log: takes the faults: there is no such file (E001), those of the columns (E011, E012, E016), a file cannot be
            read, or a column is no text (E200).

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


def _file_rows(file: Path, columns: TableColumns | None, log: StreamLog) -> Iterator[Row]:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    name = str(file)
    try:
        with parquet.ParquetFile(file) as table:
            names = cast("list[str]", list(table.schema_arrow.names))
            layout = find_columns(names, columns, name, log)
            if layout is None or not _are_texts(table.schema_arrow, layout, name, log):
                return
            number = 0
            for batch in table.iter_batches(_BATCH, columns=[names[place] for place in dict.fromkeys(layout.all())]):
                texts = {place: cast("list[Any]", batch.column(names[place]).to_pylist()) for place in layout.all()}
                for index in range(batch.num_rows):
                    number += 1
                    document = None if layout.document is None else texts[layout.document][index]
                    yield Row(
                        None if layout.document is None else "" if document is None else str(document),
                        texts[layout.source][index] or "",
                        {key: texts[place][index] or "" for key, place in layout.references.items()},
                        {key: texts[place][index] or "" for key, place in layout.outputs.items()},
                        name,
                        number,
                    )
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        # A text that is not UTF-8 is found only when it is taken out.
        cause = f"the Parquet file cannot be read ({(str(error).splitlines() or ['?'])[0]})"
        log.add("E200", cause, "was it written to its end?", name)


def _are_texts(schema: Any, layout: Layout, file: str, log: StreamLog) -> bool:
    types = import_module("pyarrow.types")
    sound = True
    for place in layout.all():
        kind = schema.field(place).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        fits = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        if not (fits or (place == layout.document and types.is_integer(kind))):
            log.add("E200", f"the column “{schema.names[place]}” is {kind}, not text", "write it as strings", file)
            sound = False
    return sound
