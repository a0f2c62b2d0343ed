"""A content-addressed store of bytes: SQLite in WAL mode, safe for several processes on one machine.

What is computed from text alone is kept under the hash of the text and of the signature of what computed it, so
that a second run computes nothing. Values are bytes that their owner encodes; nothing is ever unpickled. Every value
has a checksum, and one that does not match is as good as absent: a damaged disk costs time, never a figure.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import time
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from platformdirs import user_cache_path

from endophora.errors import Fault, InputError

SCHEMA = 2
LIMIT = "ENDOPHORA_STORE_LIMIT"
"""The environment variable with the size beyond which what was used longest ago is removed; ``none`` for no limit."""

DEFAULT_LIMIT = 5_000_000_000
"""Bytes that a store may hold if the variable says nothing."""

ADVICE = "keep nothing with --no-store, or name another file with --store"

_APPLICATION = int.from_bytes(b"endo")
_BUSY_MILLISECONDS = 60_000
_KEYS_A_QUERY = 500
# What an entry takes besides its value, about.
_ENTRY_BYTES = 60
# Room that is made at once, so that it is not made at every write.
_KEPT_SHARE = 0.9
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_TABLE = (
    "CREATE TABLE entry (key BLOB PRIMARY KEY, kind TEXT, used INTEGER, checksum BLOB, value BLOB) WITHOUT ROWID",
    f"PRAGMA application_id={_APPLICATION}",
    f"PRAGMA user_version={SCHEMA}",
)


class StoreWarning(UserWarning):
    """A part of a store could not be read or written: it was computed, or is not kept; figures are not touched."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of one kind.

    Attributes:
        kind: what they are, such as ``annotations``.
        entries: how many.
        size: bytes of their values.
        first, last: when the one that was used longest ago was used, and the last one; ISO dates.
    """

    kind: str
    entries: int
    size: int
    first: str
    last: str


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


def parse_size(text: str, name: str) -> int:
    """Return a number of bytes from text such as ``500MB`` or ``2 GB``; units are powers of 1000.

    Args:
        text: the number and its unit.
        name: the option or variable that has it.

    Raises:
        InputError: it is no size (E366).
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InputError(Fault("E366", f"“{text}” is no size", "write it as 500MB or 2GB", name))
    return int(float(found[1]) * _UNITS[found[2].upper()])


def store_limit() -> int | None:
    """Return how many bytes a store may hold, as the environment says; ``None`` for any number.

    Raises:
        InputError: the variable has no size (E366).
    """
    text = os.environ.get(LIMIT, "")
    return None if text == "none" else parse_size(text, LIMIT) if text else DEFAULT_LIMIT


_troubles: dict[str, tuple[int, str]] = {}


def take_troubles() -> dict[str, tuple[int, str]]:
    """Return and forget what went wrong with stores in this process: file → (damaged values, why it is not used)."""
    taken = dict(_troubles)
    _troubles.clear()
    return taken


def add_troubles(troubles: Mapping[str, tuple[int, str]]) -> None:
    """Remember what went wrong with stores, here or in another process; the first of a file is a Python warning."""
    for path, (damaged, cause) in troubles.items():
        before, known = _troubles.get(path, (0, ""))
        _troubles[path] = (before + damaged, known or cause)
        if (damaged and not before) or (cause and not known):
            warnings.warn(cause or _damage(path, damaged), StoreWarning, stacklevel=3)


def store_warnings() -> list[str]:
    """Return and forget what went wrong with stores, at most two sentences a file."""
    told: list[str] = []
    for path, (damaged, cause) in take_troubles().items():
        told += [_damage(path, damaged)] if damaged else []
        told += [cause] if cause else []
    return told


def _damage(path: str, damaged: int) -> str:
    values = "1 damaged value was" if damaged == 1 else f"{damaged:,} damaged values were"
    return f"[E365] {path} – {values} found in the store and made again – is the disk sound?"


class Store:
    """Keys of 16 bytes to values.

    A file that cannot be opened is an error. What fails later is not, unless the store is ``strict``: values that are
    damaged count as absent; where the file cannot be written, or not be read, the store goes on in memory. Either is
    a :class:`StoreWarning`.

    Args:
        path: the database file, made if absent with its directories, and readable by its owner alone; ``None`` keeps
            everything in memory.
        strict: raise whatever goes wrong.
        limited: remove what was used longest ago where there is more than :func:`store_limit`.
        advice: what the user can do where the file cannot be used.

    Raises:
        InputError: the file is no store (E092), is of a later version (E093), or cannot be used (E094, E154, E365);
            the limit is no size (E366).
    """

    def __init__(
        self, path: Path | None = None, *, strict: bool = False, limited: bool = True, advice: str = ADVICE
    ) -> None:
        self.path = path
        self._strict, self._advice = strict, advice
        self._limited = limited
        self._limit = store_limit() if limited else None
        self._memory: dict[bytes, bytes] = {}
        self._file: sqlite3.Connection | None = None
        self._writable = True
        if path is None:
            return
        try:
            _make_private(path)
            self._file = sqlite3.connect(path, isolation_level=None)
            self._prepare(self._file)
        except (sqlite3.DatabaseError, OSError) as error:
            self.close()
            raise InputError(self._fault(error)) from error
        except InputError:
            self.close()
            raise

    def _prepare(self, file: sqlite3.Connection) -> None:
        # Damaged text must not keep the rows beside it from being read; checksums tell.
        file.text_factory = bytes
        file.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
        file.execute("PRAGMA cell_size_check=ON")
        # What a power cut takes of a cache is computed again; answers that were paid for are to be on disk.
        file.execute(f"PRAGMA synchronous={'FULL' if self._strict else 'NORMAL'}")
        if self._layout(file) == SCHEMA:
            return
        file.execute("PRAGMA journal_mode=WAL")
        with _transaction(file):
            # Another process may have made it in the meantime.
            if (layout := self._layout(file)) == SCHEMA:
                return
            earlier: list[tuple[bytes, bytes]] = []
            if layout == 1:
                # Earlier versions kept no checksums. What they computed is computed again; paid answers are taken over.
                earlier = [] if self._limited else file.execute("SELECT key, value FROM entry").fetchall()
                file.execute("DROP TABLE entry")
            for statement in _TABLE:
                file.execute(statement)
            _insert(file, dict(earlier), "of an earlier version")

    def _layout(self, file: sqlite3.Connection) -> int:
        """Return the layout of a file: 0 where it is empty.

        Raises:
            InputError: it is no store (E092), or of a later version (E093).
        """
        owner, version = _number(file, "application_id"), _number(file, "user_version")
        tables = {bytes(name) for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if (owner, version, tables) in ((_APPLICATION, SCHEMA, {b"entry"}), (0, 1, {b"entry"}), (0, 0, set[bytes]())):
            return version
        if owner == _APPLICATION:
            cause = f"written by a later version of endophora (layout {version}; this one knows {SCHEMA}), or damaged"
            raise InputError(Fault("E093", cause, self._advice, str(self.path)))
        raise InputError(Fault("E092", "a database of another program, or damaged", self._advice, str(self.path)))

    def _fault(self, error: sqlite3.DatabaseError | OSError) -> Fault:
        """Return what an error of the file means."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        full = code == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno in _FULL)
        if code in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN} and self.path is not None:
            with suppress(OSError):
                full = full or shutil.disk_usage(self.path.parent).free < 2**17
        cause = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        if full:
            return Fault("E154", f"there is no space left ({cause})", f"make room; or {self._advice}", str(self.path))
        if code == sqlite3.SQLITE_NOTADB:
            return Fault("E092", f"no store, or damaged ({cause})", f"delete it; or {self._advice}", str(self.path))
        if code in _BROKEN:
            return Fault("E365", f"the store is damaged ({cause})", f"delete it; or {self._advice}", str(self.path))
        return Fault("E094", f"cannot be read or written as a store ({cause})", self._advice, str(self.path))

    def _failed(self, error: sqlite3.DatabaseError) -> None:
        """Raise an error of the file if the store is strict, else remember it."""
        if isinstance(error, sqlite3.ProgrammingError):
            raise error
        fault = self._fault(error)
        if self._strict:
            raise InputError(fault) from error
        told = replace(fault, cause=f"{fault.cause}; the command goes on and keeps nothing more in it")
        add_troubles({str(self.path): (0, str(told))})

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are there and whole.

        Raises:
            InputError: the file cannot be read, and the store is strict (E094, E365).
        """
        distinct = dict.fromkeys(keys)
        found = {key: self._memory[key] for key in distinct if key in self._memory} if self._memory else {}
        if self._file is not None:
            missing = [key for key in distinct if key not in found]
            try:
                self._read(self._file, missing, found)
            except sqlite3.DatabaseError as error:
                self._failed(error)
                self.close()
                self._file = None
        return found

    def _read(self, file: sqlite3.Connection, keys: Sequence[bytes], found: dict[bytes, bytes]) -> None:
        today = _today()
        unmarked: list[bytes] = []
        damaged: list[bytes] = []
        for start in range(0, len(keys), _KEYS_A_QUERY):
            chunk = keys[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(chunk))
            # The query is built of question marks only; the keys are bound.
            query = f"SELECT key, used, checksum, value FROM entry WHERE key IN ({marks})"  # noqa: S608
            for key, used, checksum, value in file.execute(query, chunk):
                if not isinstance(value, bytes) or checksum != _checksum(key, value):
                    damaged.append(key)
                    continue
                found[key] = value
                if used != today:
                    unmarked.append(key)
        if damaged:
            add_troubles({str(self.path): (len(damaged), "")})
        if (damaged or unmarked) and self._writable:
            # One transaction a day for what is read; where it cannot be written, reading goes on.
            with suppress(sqlite3.OperationalError), _transaction(file):
                file.executemany("UPDATE entry SET used = ? WHERE key = ?", [(today, key) for key in unmarked])
                file.executemany("DELETE FROM entry WHERE key = ?", [(key,) for key in damaged])

    def put_many(self, entries: Mapping[bytes, bytes], kind: str = "") -> None:
        """Write entries in one transaction; a key that is there already keeps its value.

        Args:
            entries: what to keep.
            kind: what they are, for ``endophora store``.

        Raises:
            InputError: the file cannot be written, and the store is strict (E094, E154, E365).
        """
        if entries and self._file is not None and self._writable:
            try:
                with _transaction(self._file):
                    _insert(self._file, entries, kind)
                    if self._limit is not None and _held(self._file) > self._limit:
                        _remove_oldest(self._file, int(_held(self._file) - _KEPT_SHARE * self._limit))
                return
            except sqlite3.DatabaseError as error:
                self._failed(error)
                self._writable = False
        for key, value in entries.items():
            self._memory.setdefault(key, value)

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        """Yield the file for work of which every error is to be raised, coded."""
        assert self._file is not None  # noqa: S101
        try:
            yield self._file
        except sqlite3.DatabaseError as error:
            raise InputError(self._fault(error)) from error

    def contents(self) -> list[Contents]:
        """Return what is in the file, by kind.

        Raises:
            InputError: it cannot be read (E094, E365).
        """
        query = "SELECT kind, count(*), sum(length(value)), min(used), max(used) FROM entry GROUP BY kind ORDER BY kind"
        with self._opened() as file:
            rows = file.execute(query).fetchall()
        return [
            Contents(bytes(kind or b"").decode(errors="replace"), count, size or 0, _day(first), _day(last))
            for kind, count, size, first, last in rows
        ]

    def prune(self, size: int | None = None, days: int | None = None) -> int:
        """Remove what was used longest ago, and give the room back; return how many entries were removed.

        Args:
            size: bytes that the file may have afterwards.
            days: remove what was not used for so many days.

        Raises:
            InputError: the file cannot be read or written (E094, E154, E365).
        """
        before = len(self)
        with self._opened() as file:
            if days is not None:
                file.execute("DELETE FROM entry WHERE used < ?", (_today() - days,))
            file.execute("VACUUM")
            # What an entry takes is an estimate: a second round removes what the first left.
            while size is not None and (excess := _held(file) - size) > 0 and len(self):
                with _transaction(file):
                    _remove_oldest(file, excess)
                file.execute("VACUUM")
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before - len(self)

    def verify(self) -> tuple[int, int]:
        """Read every value and remove those that are damaged; return how many there were, and how many of them were.

        Raises:
            InputError: the file itself is damaged, or cannot be read or written (E094, E365).
        """
        with self._opened() as file:
            if (answer := bytes(file.execute("PRAGMA quick_check(1)").fetchone()[0])) != b"ok":
                cause = f"the store is damaged ({answer.decode(errors='replace')})"
                raise InputError(Fault("E365", cause, f"delete it; or {self._advice}", str(self.path)))
            total, damaged = 0, list[tuple[bytes]]()
            for key, checksum, value in file.execute("SELECT key, checksum, value FROM entry"):
                total += 1
                if not isinstance(value, bytes) or checksum != _checksum(key, value):
                    damaged.append((key,))
            with _transaction(file):
                file.executemany("DELETE FROM entry WHERE key = ?", damaged)
        return total, len(damaged)

    def __len__(self) -> int:
        """Return the number of entries.

        Raises:
            InputError: the file cannot be read (E094, E365).
        """
        if self._file is None:
            return len(self._memory)
        with self._opened() as file:
            return len(self._memory) + int(file.execute("SELECT count(*) FROM entry").fetchone()[0])

    def close(self) -> None:
        """Close the file; the store cannot be used any more."""
        if self._file is not None:
            with suppress(sqlite3.DatabaseError):
                self._file.close()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


def delete_store(path: Path) -> None:
    """Delete the files of a store that is too damaged to be opened.

    Raises:
        InputError: they cannot be deleted (E094).
    """
    try:
        # The file itself goes last: a new one must never meet the log of the old.
        for name in reversed(_files(path)):
            name.unlink(missing_ok=True)
    except OSError as error:
        cause = f"cannot be deleted ({error.strerror})"
        raise InputError(Fault("E094", cause, "delete it by other means", str(path))) from error


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + ending) for ending in ("-shm", "-wal"))]


def _make_private(path: Path) -> None:
    """Make a file that its owner alone can read, or take the rights of others away; SQLite gives its logs the same."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in _files(path):
        with suppress(FileNotFoundError, PermissionError):
            mode = file.stat().st_mode
            if mode & 0o077:
                file.chmod(mode & 0o700)


@contextmanager
def _transaction(file: sqlite3.Connection) -> Generator[None]:
    with file:
        file.execute("BEGIN IMMEDIATE")
        yield


def _insert(file: sqlite3.Connection, entries: Mapping[bytes, bytes], kind: str) -> None:
    today = _today()
    rows = ((key, kind, today, _checksum(key, value), value) for key, value in entries.items())
    file.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?)", rows)


def _checksum(key: bytes, value: bytes) -> bytes:
    """Return the checksum of a value under its key: a value that is found under another key is damaged too."""
    return hashlib.blake2b(value, digest_size=8, salt=key[:16]).digest()


def _remove_oldest(file: sqlite3.Connection, excess: int) -> None:
    """Remove entries of about so many bytes, those first that were used longest ago."""
    query = "SELECT used, count(*), sum(length(value)) FROM entry GROUP BY used ORDER BY used"
    for used, count, size in file.execute(query).fetchall():
        if excess <= 0:
            return
        held = (size or 0) + count * _ENTRY_BYTES
        number = min(count, -(-count * excess // held))
        file.execute(
            "DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE used IS ? LIMIT ?)",
            (used, number),
        )
        excess -= held


def _held(file: sqlite3.Connection) -> int:
    """Return how many bytes of a file are in use."""
    return (_number(file, "page_count") - _number(file, "freelist_count")) * _number(file, "page_size")


def _number(file: sqlite3.Connection, pragma: str) -> int:
    return int(file.execute(f"PRAGMA {pragma}").fetchone()[0])


def _today() -> int:
    """Return the day, counted from 1970-01-01 in UTC."""
    return int(time.time() // 86_400)


def _day(number: object) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(number * 86_400)) if isinstance(number, int) else "?"
