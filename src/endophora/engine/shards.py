"""What goes into a run of the engine and what comes out: a task, options, progress, a summary; and shards.

Shards are whole documents in order, cut from a stream by the number of their segments. A document is written as one
line of JSON. The same bytes are hashed, to see whether an input has changed, and sent to the workers, wherever they
run: a worker needs no access to the corpus, and no executor sees other text than another.

Shards may be cut anywhere; the output is cut into row groups of one fixed number of rows. Each row group is handed to
the writer in one piece, so that pages, too, end where the rows say and nowhere else: the bytes depend on the rows, the
schema and the version of pyarrow alone.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, cast

from endophora.corpus.records import Document, Location, Segment
from endophora.errors import Fault, MissingModelError
from endophora.files import replacing
from endophora.options import option
from endophora.signature import unkeyed

Row = Mapping[str, object]
"""One row of the output: every column of the task's schema, by name."""

Work = Callable[[Sequence[Document]], Iterable[Row]]
"""Whole documents, in order, to their rows, in order."""

SHARD_SEGMENTS = 2_000
"""Segments in a shard: some seconds of annotation, and a message of some hundred kilobytes."""

SHARDS_PER_WORKER = 1_000
"""Shards that a worker does before another takes its place: loading its models is then a few hundredths of the time."""


Answer = Callable[[bytes], bytes]
"""What one worker does: a payload to its result, both as they are sent."""


class Loaded(Protocol):
    """What executors start workers with: picklable, and loaded once in each of them."""

    def load(self) -> Answer:
        """Load models and return what answers payloads."""
        ...


class Task(Protocol):
    """A pure function from documents to rows, as a picklable setup that each worker loads once.

    What is promised of the output (the same bytes for any executor, number of workers and size of shard) holds if the
    function is pure: the rows of documents *a, b* are the rows of *a*, then the rows of *b*, and depend on nothing but
    those documents and the setup.
    """

    @property
    def signature(self) -> str:
        """What decides the rows besides the documents."""
        ...

    @property
    def schema(self) -> Any:
        """The columns, a ``pyarrow.Schema``."""
        ...

    def load(self) -> Work:
        """Load models and return the function; called once in each worker."""
        ...


class Answerer(Loaded, Protocol):
    """Work that is no documents: a picklable setup whose answer to a payload depends on nothing but the two."""

    @property
    def signature(self) -> str:
        """What decides the answers besides the payloads; in a worker it is asked for after :meth:`load`."""
        ...


@unkeyed("none of it has a part in the bytes of the output")
@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How a run is done; none of it has a part in the bytes of the output.

    ``workers`` 0 takes one for each core, of this machine or of the cluster. A longer document than ``shard_segments``
    is a shard by itself; a resumed run keeps the size with which it began. ``attempts`` is how often a shard is tried
    whose worker died. After ``shards_per_worker`` a worker is replaced, which bounds what its libraries remember (0:
    never). ``fresh`` throws away what an earlier run left. ``address`` (empty starts Ray here), ``cores_per_worker``
    and ``gpus_per_worker`` are for Ray; ``gpus`` are the numbers of this machine's, of which each process sees one.
    """

    executor: str = option("process", metavar="NAME", help="serial, process or ray.")
    workers: int = option(0, "--workers", "-w", least=0, help="0 takes one for each core.")
    shard_segments: int = option(SHARD_SEGMENTS, "--shard-size", least=1, help="Segments in a shard.")
    attempts: int = 3
    shards_per_worker: int = SHARDS_PER_WORKER
    fresh: bool = option(False, help="Begin again instead of going on.")
    address: str = option("", metavar="ADDRESS", help="Of a Ray cluster.")
    cores_per_worker: float = 1.0
    gpus_per_worker: float = 0.0
    gpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: what is done, by earlier runs too; ``merging`` when the output is being put together."""

    documents: int
    segments: int
    shards: int
    rows: int
    earlier_segments: int
    seconds: float
    merging: bool = False

    @property
    def rate(self) -> float:
        """Segments per second of this run; what an earlier run had done does not count."""
        return (self.segments - self.earlier_segments) / self.seconds if self.seconds > 0 else 0.0

    def seconds_left(self, total_segments: int) -> float | None:
        """Return how long the rest of so many segments will take, or ``None`` while there is no rate."""
        return max(0, total_segments - self.segments) / self.rate if self.rate > 0 else None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a complete run has made; ``checksum`` is the output's SHA-256, ``input_hash`` is of all documents.

    ``worked_shards`` are those that this run has done, ``lost`` is how often a worker died over a shard that another
    then did.
    """

    path: Path
    rows: int
    bytes: int
    checksum: str
    documents: int
    segments: int
    shards: int
    input_hash: str
    worked_shards: int
    lost: int
    seconds: float


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


def described(path: Path) -> Merged:
    """Return what an output file is, read from the disk."""
    with path.open("rb") as file:
        rows = parquet().read_metadata(path).num_rows
        return Merged(rows, path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def merge(
    shards: Iterable[bytes],
    schema: Any,
    metadata: dict[str, str],
    target: Path,
    folder: Path,
    note: Callable[[Merged], None],
) -> Merged:
    """Write the rows of all shards as one Parquet file, made in a folder; ``note`` gets it before it takes its name."""
    with replacing(target, folder) as temporary:
        with (
            temporary.open("wb") as file,
            parquet().ParquetWriter(file, schema.with_metadata(metadata), **PARQUET) as writer,
        ):
            for group in _row_groups(shards, schema):
                writer.write_table(group.replace_schema_metadata(metadata), row_group_size=ROW_GROUP)
        merged = described(temporary)
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
