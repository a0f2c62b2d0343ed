"""The output of a run, put together from its shards in the order of the input.

Shards may be cut anywhere; the output is cut into row groups of one fixed number of rows. Each row group is handed to
the writer in one piece, so that pages, too, end where the rows say and nowhere else: the bytes depend on the rows, the
schema and the version of pyarrow alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from endophora.engine.durable import replacing
from endophora.engine.manifest import ShardRecord
from endophora.engine.records import EngineError
from endophora.engine.tables import PARQUET, arrow, parquet
from endophora.errors import Fault

ROW_GROUP = 16_384
"""Rows in a row group: what the merge holds in memory at once."""

PIECES = 64
"""Shards that are held as they were read: a table of few rows and many columns takes far more memory than its rows."""


@dataclass(frozen=True, slots=True)
class Merged:
    """An output file.

    Attributes:
        rows: rows in it.
        bytes: its size.
        checksum: its SHA-256, hexadecimal.
    """

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
    shards: Iterable[tuple[Path, ShardRecord]],
    schema: Any,
    metadata: dict[str, str],
    target: Path,
    folder: Path,
    note: Callable[[Merged], None],
) -> Merged:
    """Write the rows of all shards as one Parquet file.

    Args:
        shards: the Parquet files of all shards and their rows in the manifest, in order.
        schema: a ``pyarrow.Schema``.
        metadata: what the file's footer says besides.
        target: the file; it is there whole or not at all.
        folder: where it is made.
        note: told what it is before it takes its name.

    Raises:
        EngineError: a shard's file is missing or damaged (E161), or the disk is full (E154, E155).
    """
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


def _row_groups(shards: Iterable[tuple[Path, ShardRecord]], schema: Any) -> Iterator[Any]:
    concat = arrow().concat_tables
    held, pieces, rows = schema.empty_table(), list[Any](), 0
    for path, record in shards:
        # A shard has few rows and is read in no time: threads would cost more than they save.
        table = parquet().read_table(BytesIO(read_shard(path, record)), schema=schema, use_threads=False)
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


def read_shard(path: Path, record: ShardRecord) -> bytes:
    """Return the bytes of a shard's file, after comparing them with the manifest.

    Raises:
        EngineError: the file is missing or damaged (E161).
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EngineError(_damaged(path, f"cannot be read ({error.strerror})")) from error
    if len(data) != record.bytes or hashlib.sha256(data).hexdigest() != record.checksum:
        raise EngineError(_damaged(path, f"is damaged ({len(data)} bytes; {record.bytes} were written)"))
    return data


def _damaged(path: Path, cause: str) -> Fault:
    return Fault("E161", f"the shard {cause}", "run the same command again: it is done anew", str(path))
