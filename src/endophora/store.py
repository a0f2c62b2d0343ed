"""A content-addressed store of bytes: SQLite in WAL mode, safe for several processes on one machine.

What is computed from text alone is kept under the hash of the text and of the signature of what computed it, so
that a second run computes nothing. Values are bytes that their owner encodes; nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from platformdirs import user_cache_path

from endophora.errors import Fault, InputError

SCHEMA = 1
_BUSY_MILLISECONDS = 60_000
_KEYS_A_QUERY = 500


def default_store_path() -> Path:
    """Return where the store lies: ``$ENDOPHORA_CACHE`` or the user's cache directory, ``store.sqlite`` in it."""
    directory = os.environ.get("ENDOPHORA_CACHE")
    return (Path(directory) if directory else user_cache_path("endophora")) / "store.sqlite"


def content_key(*parts: str) -> bytes:
    """Return the key of some texts: a 16-byte hash in which no two lists of parts run together."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


class Store:
    """Keys of 16 bytes to values.

    Args:
        path: the database file, made if absent with its directories; ``None`` keeps everything in memory.

    Raises:
        InputError: the file is no store (E092), is of another version (E093), or cannot be written (E094).
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path or ":memory:", isolation_level=None)
            self._database.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
            self._prepare()
        except sqlite3.DatabaseError as error:
            code = "E094" if isinstance(error, sqlite3.OperationalError) else "E092"
            raise InputError(
                Fault(code, f"not usable as a store ({error})", "name another with --store, or delete it", str(path))
            ) from error
        except OSError as error:
            raise InputError(
                Fault("E094", f"cannot be made ({error.strerror})", "name another with --store", str(path))
            ) from error

    def _prepare(self) -> None:
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version not in (0, SCHEMA) or (version == 0 and tables):
            raise InputError(
                Fault(
                    "E093",
                    f"written in another layout ({version}; this version reads {SCHEMA})",
                    "delete it, or name another with --store; all that it holds can be computed again",
                    str(self.path),
                )
            )
        if version == SCHEMA:
            return
        self._database.execute("PRAGMA journal_mode=WAL")
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TABLE IF NOT EXISTS entry (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
            self._database.execute(f"PRAGMA user_version={SCHEMA}")

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there."""
        found: dict[bytes, bytes] = {}
        distinct = list(dict.fromkeys(keys))
        for start in range(0, len(distinct), _KEYS_A_QUERY):
            chunk = distinct[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(chunk))
            # The query is built of question marks only; the keys are bound.
            query = f"SELECT key, value FROM entry WHERE key IN ({marks})"  # noqa: S608
            found.update(self._database.execute(query, chunk))
        return found

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        """Write entries in one transaction; a key that is there already keeps its value."""
        if not entries:
            return
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", entries.items())

    def __len__(self) -> int:
        """Return the number of entries."""
        return int(self._database.execute("SELECT count(*) FROM entry").fetchone()[0])

    def close(self) -> None:
        """Close the database; the store cannot be used any more."""
        self._database.close()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
