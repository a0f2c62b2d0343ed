"""The manifest of a run: one row a shard, in SQLite, from which an interrupted run is gone on with."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from types import TracebackType

from endophora.engine.durable import disk_faults
from endophora.engine.records import EngineError
from endophora.errors import Fault

LAYOUT = 1
"""The version of the output directory's layout and of the manifest's tables."""

DONE, FAILED = "done", "failed"
_PAGE = 500


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A row of the manifest.

    Attributes:
        number: of the shard, from 0.
        input_hash: hash of its documents, hexadecimal.
        first, last: ids of its first and last document.
        documents, segments: how many it has.
        state: ``done`` or ``failed``.
        rows, bytes, checksum: of its Parquet file; the checksum is SHA-256, hexadecimal. Empty if it failed.
        attempts: how many workers have tried it.
        seconds: how long the worker took.
        message: why it failed.
    """

    number: int
    input_hash: str
    first: str
    last: str
    documents: int
    segments: int
    state: str
    rows: int = 0
    bytes: int = 0
    checksum: str = ""
    attempts: int = 1
    seconds: float = 0.0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """What the manifest says of a complete output.

    Attributes:
        rows, bytes, checksum: of the output file.
        input_hash: of all documents.
    """

    rows: int
    bytes: int
    checksum: str
    input_hash: str


_COLUMNS = tuple(field.name for field in fields(ShardRecord))
_TABLES = (
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE shard (number INTEGER PRIMARY KEY, input_hash TEXT, first TEXT, last TEXT, documents INTEGER, "
    "segments INTEGER, state TEXT, rows INTEGER, bytes INTEGER, checksum TEXT, attempts INTEGER, seconds REAL, "
    "message TEXT)",
)


class Manifest:
    """The manifest of an output directory; only the holder of the directory's lock opens it.

    Args:
        path: the database file, made if absent.

    Raises:
        EngineError: the file is no manifest or of another version (E160), or cannot be written (E154, E155).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._faults():
            self._database = sqlite3.connect(path, isolation_level=None)
            # One owner at a time: in this mode WAL needs no shared memory, and works on network file systems too.
            self._database.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=FULL")
            self._prepare()

    @contextmanager
    def _faults(self) -> Generator[None, None, None]:
        try:
            with disk_faults(self._path):
                yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise EngineError(self._unusable(f"is no manifest, or damaged ({error})")) from error

    def _unusable(self, cause: str) -> Fault:
        return Fault("E160", cause, "begin anew with --fresh, or name another output directory", str(self._path))

    def _prepare(self) -> None:
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == LAYOUT:
            return
        if version or tables:
            raise EngineError(self._unusable(f"is of another layout ({version}; this version reads {LAYOUT})"))
        self._database.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            self._database.execute(table)
        self._database.execute(f"PRAGMA user_version={LAYOUT}")
        self._database.execute("COMMIT")

    def setting(self, key: str, value: str) -> str:
        """Return what the manifest holds under a key; if it holds nothing, it keeps the value given and returns it.

        Raises:
            EngineError: it cannot be written (E154, E155).
        """
        with self._faults():
            self._database.execute("INSERT OR IGNORE INTO run VALUES (?, ?)", (key, value))
            row = self._database.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        return str(row[0])

    def shard(self, number: int) -> ShardRecord | None:
        """Return the row of a shard, or ``None``."""
        page = self._page("SELECT * FROM shard WHERE number = ?", (number,))
        return page[0] if page else None

    def shards(self) -> Iterator[ShardRecord]:
        """Yield all rows in the order of the shards."""
        last = -1
        query = "SELECT * FROM shard WHERE number > ? ORDER BY number LIMIT ?"
        # Page by page: a reader that stops half-way leaves no statement open, which would keep the database locked.
        while page := self._page(query, (last, _PAGE)):
            yield from page
            last = page[-1].number

    def _page(self, query: str, values: tuple[int, ...]) -> list[ShardRecord]:
        with self._faults():
            return [ShardRecord(*row) for row in self._database.execute(query, values)]

    def record(self, shard: ShardRecord) -> None:
        """Write the row of a shard, on the disk when this returns.

        Raises:
            EngineError: it cannot be written (E154, E155).
        """
        marks = ",".join("?" * len(_COLUMNS))
        with self._faults():
            # The statement is built of question marks only; the values are bound.
            self._database.execute(f"INSERT OR REPLACE INTO shard VALUES ({marks})", astuple(shard))  # noqa: S608

    @property
    def finished(self) -> Finished | None:
        """What the output is, if the run is complete."""
        with self._faults():
            found = dict(self._database.execute("SELECT key, value FROM run WHERE key LIKE 'finished %'").fetchall())
        if not found:
            return None
        rows, size, checksum, input_hash = (
            found[f"finished {name}"] for name in ("rows", "bytes", "checksum", "input_hash")
        )
        return Finished(int(rows), int(size), checksum, input_hash)

    def finish(self, finished: Finished) -> None:
        """Write what the output is: the run is complete.

        Raises:
            EngineError: it cannot be written (E154, E155).
        """
        values = zip(("rows", "bytes", "checksum", "input_hash"), astuple(finished), strict=True)
        with self._faults():
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(
                "INSERT OR REPLACE INTO run VALUES (?, ?)", [(f"finished {name}", str(value)) for name, value in values]
            )
            self._database.execute("COMMIT")

    def reopen(self) -> None:
        """Forget that the run is complete, since its output is gone."""
        with self._faults():
            self._database.execute("DELETE FROM run WHERE key LIKE 'finished %'")

    def close(self) -> None:
        """Close the database; the manifest cannot be used any more."""
        self._database.close()

    def __enter__(self) -> Manifest:
        """Return the manifest itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database."""
        self.close()
