"""What is kept between runs: a content-addressed store of bytes, SQLite in WAL mode, safe for several processes.

What is computed from text alone is kept under the hash of the text and of the signature of what computed it, so that a
second run computes nothing. Values are bytes that their owner encodes; nothing is ever unpickled. Every value has a
checksum, and one that does not match is as good as absent: a damaged disk costs time, never a figure.

Troubles with stores are counted and said once, when the work is done, and to users of the library at once.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import finalize

from platformdirs import user_cache_path

from endophora.errors import Fault, InputError
from endophora.process import Closing
from endophora.signature import StoreKey
from endophora.store import table
from endophora.store.table import Contents

LIMIT = "ENDOPHORA_STORE_LIMIT"
"""The environment variable with the size beyond which what was used longest ago is removed; ``none`` for no limit."""

DEFAULT_LIMIT = 5_000_000_000
"""Bytes that a store may hold if the variable says nothing."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def default_store_path() -> Path:
    """Return where the store lies: ``$ENDOPHORA_CACHE`` or the user's cache directory, ``store.sqlite`` in it."""
    directory = os.environ.get("ENDOPHORA_CACHE")
    return (Path(directory) if directory else user_cache_path("endophora")) / "store.sqlite"


def parse_size(text: str, name: str) -> int:
    """Return a number of bytes from text such as ``500MB`` or ``2 GB`` (E366); units are powers of 1000."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InputError(Fault("E366", f"“{text}” is no size", "write it as 500MB or 2GB", name))
    return int(float(found[1]) * _UNITS[found[2].upper()])


def store_limit() -> int | None:
    """Return how many bytes a store may hold, as the environment says (E366); ``None`` for any number."""
    text = os.environ.get(LIMIT, "")
    return None if text == "none" else parse_size(text, LIMIT) if text else DEFAULT_LIMIT


_troubles: dict[str, tuple[int, str]] = {}


class StoreWarning(UserWarning):
    """A part of a store could not be read or written: it was computed, or is not kept; figures are not touched."""


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


ADVICE = "keep nothing with --no-store, or name another file with --store"
"""What the user can do where a store cannot be used."""

# Room that is made at once, so that it is not made at every write.
_KEPT_SHARE = 0.9
# Less free space than this is a full disk, even if SQLite reports something else.
_FULL_BELOW = 2**17
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT})


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found where every value was read: how many are left, how many were damaged and are removed.

    A file that was damaged itself is rebuilt of what could be read; how many are lost is not known then.
    """

    whole: int
    damaged: int
    rebuilt: bool


class Store(Closing):
    """Keys of 16 bytes to values, in a file that its owner alone can read, or (``path`` is ``None``) in memory.

    A file that cannot be opened is an error: no store (E092), of a later version (E093), not to be used (E094, E154,
    E365). What fails later is not, unless the store is ``strict``: values that are damaged count as absent; where the
    file cannot be written, or not be read, the store continues in memory. Either is a
    :class:`~endophora.store.StoreWarning`. ``limited`` removes what was used longest ago where there is more than
    :func:`store_limit`; ``advice`` is what the user can do where the file cannot be used.
    """

    def __init__(
        self, path: Path | None = None, *, strict: bool = False, limited: bool = True, advice: str = ADVICE
    ) -> None:
        self.path = path
        self._strict, self._advice = strict, advice
        self._limit = store_limit() if limited else None
        self._memory: dict[bytes, bytes] = {}
        self._file: sqlite3.Connection | None = None
        self._writable = True
        if path is None:
            return
        try:
            _make_private(path)
            self._file = sqlite3.connect(path, isolation_level=None)
            # Where nobody closes it: the collector warns of connections that are open (Python 3.13 and later).
            finalize(self, _close, self._file)
            # What a power cut takes of a cache is computed again; answers that were paid for are to be on disk.
            layout = table.prepare(self._file, synced=strict, keep=not limited)
        except (sqlite3.DatabaseError, OSError) as error:
            self.close()
            raise InputError(self._fault(error)) from error
        if layout == table.LATER:
            self.close()
            cause = "written by a later version of endophora, or damaged"
            raise InputError(Fault("E093", cause, advice, str(path)))
        if layout == table.FOREIGN:
            self.close()
            raise InputError(Fault("E092", "a database of another program, or damaged", advice, str(path)))

    def _fault(self, error: sqlite3.DatabaseError | OSError) -> Fault:
        """Return what an error of the file means."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        full = code == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno in _FULL)
        if code in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN} and self.path is not None:
            with suppress(OSError):
                full = full or shutil.disk_usage(self.path.parent).free < _FULL_BELOW
        # A strict store has what cannot be made again.
        damaged = self._advice if self._strict else f"delete it; or {self._advice}"
        cause = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        if full:
            return Fault("E154", f"there is no space left ({cause})", f"make room; or {self._advice}", str(self.path))
        if code == sqlite3.SQLITE_NOTADB:
            return Fault("E092", f"no store, or damaged ({cause})", damaged, str(self.path))
        if code in _BROKEN:
            return Fault("E365", f"the store is damaged ({cause})", damaged, str(self.path))
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
        """Return the values of those keys that are there and whole."""
        distinct = dict.fromkeys(keys)
        found = {key: self._memory[key] for key in distinct if key in self._memory} if self._memory else {}
        if self._file is not None:
            try:
                self._read(self._file, [key for key in distinct if key not in found], found)
            except sqlite3.DatabaseError as error:
                self._failed(error)
                self.close()
                self._file = None
        return found

    def _read(self, file: sqlite3.Connection, keys: list[bytes], found: dict[bytes, bytes]) -> None:
        unmarked: list[bytes] = []
        damaged: list[bytes] = []
        table.read(file, keys, found, unmarked, damaged)
        if damaged:
            add_troubles({str(self.path): (len(damaged), "")})
        if (damaged or unmarked) and self._writable:
            # What is read is marked once a day; where it cannot be written, reading continues.
            with suppress(sqlite3.OperationalError):
                table.mark(file, unmarked, damaged)

    def put_many(self, entries: Mapping[StoreKey, bytes], kind: str = "") -> None:
        """Write entries in one transaction; a key that is there already keeps its value."""
        if entries and self._file is not None and self._writable:
            try:
                with table.transaction(self._file):
                    table.insert(self._file, entries, kind)
                    if self._limit is not None and (held := table.held(self._file)) > self._limit:
                        table.remove_oldest(self._file, int(held - _KEPT_SHARE * self._limit))
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
        """Return what is in the file, by kind."""
        with self._opened() as file:
            return table.contents(file)

    def prune(self, size: int | None = None, days: int | None = None) -> int:
        """Remove what was used longest ago, and give the room back; return how many entries were removed.

        ``size`` is the bytes that the file may have afterwards, ``days`` how long an entry may be unused (-1: remove
        all).
        """
        before = len(self)
        with self._opened() as file:
            if days is not None:
                file.execute("DELETE FROM entry WHERE used < ?", (table.today() - days,))
            table.recount(file)
            left = before + 1
            while len(self) < left:
                left = len(self)
                file.execute("VACUUM")
                excess = table.number(file, "page_count") * table.number(file, "page_size") - (size or 0)
                if size is None or excess <= 0:
                    break
                # An entry takes less than is counted for it in a file without gaps.
                with table.transaction(file):
                    table.remove_oldest(file, excess * 4 // 3)
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before - len(self)

    def verify(self) -> Verified:
        """Read every value, and remove what is damaged; a file that is damaged itself is made again of the rest."""
        with self._opened() as file:
            if not table.is_sound(file):
                return Verified(table.rebuild(file), 0, rebuilt=True)
            total, damaged = table.all_damaged(file)
            table.mark(file, (), damaged)
        return Verified(total - len(damaged), len(damaged), rebuilt=False)

    def __len__(self) -> int:
        """Return the number of entries."""
        if self._file is None:
            return len(self._memory)
        with self._opened() as file:
            return len(self._memory) + int(file.execute("SELECT count(*) FROM entry").fetchone()[0])

    def close(self) -> None:
        """Close the file; the store cannot be used any more."""
        if self._file is not None:
            _close(self._file)


def _close(file: sqlite3.Connection) -> None:
    with suppress(sqlite3.DatabaseError):
        file.close()


def delete_store(path: Path) -> None:
    """Delete the files of a store that is too damaged to be opened (E094)."""
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
    """Make a file that its owner alone can read, or take the rights of others away; SQLite gives its logs the same.

    A file that is there is not opened: closing it would drop the locks that other connections of this process have on
    it (POSIX), and the next process to close it would remove the log that these still write.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(os.path.realpath(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)) from None
    for file in _files(path):
        with suppress(FileNotFoundError, PermissionError):
            mode = file.stat().st_mode
            if mode & 0o077:
                file.chmod(mode & 0o700)
