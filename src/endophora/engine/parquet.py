"""Rows to Parquet: the bytes of a shard, and the output, put together from shards in the order of the input.

Shards may be cut anywhere; the output is cut into row groups of one fixed number of rows. Each row group is handed to
the writer in one piece, so that pages, too, end where the rows say and nowhere else: the bytes depend on the rows, the
schema and the version of pyarrow alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from endophora.engine.records import Row
from endophora.errors import Fault, MissingModelError
from endophora.files import replacing

PARQUET: dict[str, Any] = {"compression": "zstd", "compression_level": 3, "version": "2.6"}
"""How every Parquet file is written: nothing in it depends on time or place."""

ROW_GROUP = 16_384
"""Rows in a row group: what the merge holds in memory at once."""

PIECES = 64
"""Shards that are held as they were read: a table of few rows and many columns takes far more memory than its rows."""


def require(library: str, extra: str) -> None:
    """Check that an optional library is installed, which an extra of this package brings (E150)."""
    if find_spec(library) is None:
        advice = f"install it with: pip install 'endophora[{extra}]'"
        raise MissingModelError(Fault("E150", f"the engine needs {library}, which is not installed", advice))


def arrow() -> Any:
    """Return the module ``pyarrow`` (E150)."""
    require("pyarrow", "extract")
    return import_module("pyarrow")


def parquet() -> Any:
    """Return the module ``pyarrow.parquet`` (E150)."""
    require("pyarrow", "extract")
    return import_module("pyarrow.parquet")


def rows_to_parquet(rows: Iterable[Row], schema: Any) -> bytes:
    """Return a Parquet file of rows; ValueError or TypeError where they do not fit the schema."""
    held = list(rows)
    names: set[str] = set(schema.names)
    for row in held:
        if set(row) != names:
            # pyarrow would fill what is missing with nulls and leave out what it does not know.
            raise ValueError(f"a row has the columns {sorted(row)}; the schema has {sorted(names)}")
    stream = BytesIO()
    parquet().write_table(arrow().Table.from_pylist(held, schema=schema), stream, **PARQUET)
    return stream.getvalue()


def count_rows(data: bytes) -> int:
    """Return how many rows a Parquet file has."""
    return int(parquet().read_metadata(BytesIO(data)).num_rows)


@dataclass(frozen=True, slots=True)
class Merged:
    """An output file: its rows, its size, and its SHA-256, hexadecimal."""

    rows: int
    bytes: int
    checksum: str


class _HashingFile(BufferedIOBase):
    """A file that hashes what is written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        """Tell that it can be written."""
        return True

    def write(self, data: Any, /) -> int:
        """Write and hash bytes."""
        self._file.write(data)
        self.digest.update(data)
        self.size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self.size

    def flush(self) -> None:
        """Hand what was written to the system."""
        self._file.flush()


def merge(
    shards: Iterable[bytes],
    schema: Any,
    metadata: dict[str, str],
    target: Path,
    folder: Path,
    note: Callable[[Merged], None],
) -> Merged:
    """Write the rows of all shards as one Parquet file, made in a folder; ``note`` gets it before it takes its name."""
    rows = 0
    with replacing(target, folder) as temporary:
        with temporary.open("wb") as file:
            stream = _HashingFile(file)
            with parquet().ParquetWriter(stream, schema.with_metadata(metadata), **PARQUET) as writer:
                for group in _row_groups(shards, schema):
                    writer.write_table(group.replace_schema_metadata(metadata), row_group_size=ROW_GROUP)
                    rows += group.num_rows
        merged = Merged(rows, stream.size, stream.digest.hexdigest())
        note(merged)
    return merged


def _row_groups(shards: Iterable[bytes], schema: Any) -> Iterator[Any]:
    concat = arrow().concat_tables
    held, pieces, rows = schema.empty_table(), list[Any](), 0
    for data in shards:
        # A shard has few rows and is read in no time: threads would cost more than they save.
        table = parquet().read_table(BytesIO(data), schema=schema, use_threads=False)
        pieces.append(table)
        rows += table.num_rows
        if len(pieces) < PIECES and rows < ROW_GROUP:
            continue
        held = concat([held, *pieces]).combine_chunks()
        pieces, rows = [], held.num_rows % ROW_GROUP
        for start in range(0, held.num_rows - rows, ROW_GROUP):
            yield held.slice(start, ROW_GROUP).combine_chunks()
        held = held.slice(held.num_rows - rows)
    last = concat([held, *pieces])
    if last.num_rows:
        yield last.combine_chunks()
