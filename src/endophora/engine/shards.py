"""Shards: whole documents in order, cut from a stream by the number of their segments, and their rows as Parquet.

A document is written as one line of JSON. The same bytes are hashed, to see whether an input has changed, and sent to
the workers, wherever they run: a worker needs no access to the corpus, and no executor sees other text than another.

Shards may be cut anywhere; the output is cut into row groups of one fixed number of rows. Each row group is handed to
the writer in one piece, so that pages, too, end where the rows say and nowhere else: the bytes depend on the rows, the
schema and the version of pyarrow alone.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, BinaryIO, cast

from endophora.corpus.records import Document, Location, Segment
from endophora.engine.records import Row
from endophora.errors import Fault, MissingModelError
from endophora.files import replacing

_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class Shard:
    """What a shard is, without its documents: number from 0, ids of first and last document, counts, hash."""

    number: int
    first: str
    last: str
    documents: int
    segments: int
    input_hash: str


@dataclass(frozen=True, slots=True)
class FullShard:
    """A shard with its documents, one line of UTF-8 each; the lines of all shards are those of the input, in order."""

    shard: Shard
    text: bytes

    def payload(self) -> bytes:
        """Return the documents in the form in which they are sent: compressed, about a third of the text."""
        return zlib.compress(self.text, _COMPRESSION)


def read_payload(payload: bytes) -> list[Document]:
    """Return the documents of a shard from what :meth:`FullShard.payload` made."""
    lines = zlib.decompress(payload).split(b"\n")
    return [decode_document(line) for line in lines if line]


def cut(documents: Iterable[Document], segments: int) -> Iterator[FullShard]:
    """Yield a stream of documents as shards, with one shard in memory.

    A shard ends before the document with which it would have more than ``segments`` segments; a document that has more
    of them is a shard by itself.
    """
    number, count, ids, lines = 0, 0, list[str](), list[bytes]()

    def shard() -> FullShard:
        text = b"".join(lines)
        digest = hashlib.blake2b(text, digest_size=16).hexdigest()
        return FullShard(Shard(number, ids[0], ids[-1], len(ids), count, digest), text)

    for document in documents:
        size = len(document.segments)
        if ids and count + size > segments:
            yield shard()
            number, count, ids, lines = number + 1, 0, [], []
        ids.append(document.id)
        lines.append(encode_document(document) + b"\n")
        count += size
    if ids:
        yield shard()


def encode_document(document: Document) -> bytes:
    """Return a document as one line of JSON in UTF-8, without the line's end; all that it holds is in it."""
    segments: list[list[object]] = []
    file = None
    for segment in document.segments:
        # Segments of a document mostly are in one file: its name is written where it changes.
        same = segment.location.file == file
        file = segment.location.file
        segments.append(
            [
                segment.source,
                dict(segment.references),
                dict(segment.outputs),
                segment.location.line,
                *([] if same else [file]),
            ]
        )
    text = json.dumps([document.id, segments], ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def decode_document(line: bytes) -> Document:
    """Return the document that :func:`encode_document` wrote."""
    name, rows = cast("tuple[str, list[list[Any]]]", json.loads(line.decode("utf-8", "surrogatepass")))
    segments: list[Segment] = []
    file = ""
    for source, references, outputs, number, *rest in rows:
        file = rest[0] if rest else file
        segments.append(Segment(source, references, outputs, Location(file, number)))
    return Document(name, tuple(segments))


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
