"""The table of a store: its layout, its checksums, and what is removed from it."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from endophora.signature import StoreKey

SCHEMA = 3
LATER = -1
FOREIGN = -2

_APPLICATION = int.from_bytes(b"endo")
_BUSY_MILLISECONDS = 60_000
_KEYS_A_QUERY = 500
# What SQLite's file format says of rows in a page; pages that rows share are filled to three quarters, about.
_PAGE_BYTES, _OVERFLOW_BYTES, _MOST_IN_PAGE, _LEAST_IN_PAGE = 4096, 4092, 1002, 489
# Key, kind, day, cost and checksum.
_ROW_BYTES = 60
# Keys are hashes: two bytes tell 65,536 entries apart.
_LONGEST_PREFIX = 2
_TABLES = (
    "DROP TABLE IF EXISTS entry",
    "DROP TABLE IF EXISTS held",
    "CREATE TABLE entry (key BLOB PRIMARY KEY, kind TEXT, used INTEGER, cost INTEGER, checksum BLOB, value BLOB) "
    "WITHOUT ROWID",
    # How much there is of each day: the limit is looked at without reading the entries.
    "CREATE TABLE held (used INTEGER PRIMARY KEY, bytes INTEGER)",
    "CREATE TRIGGER put AFTER INSERT ON entry BEGIN INSERT INTO held VALUES (new.used, new.cost) "
    "ON CONFLICT (used) DO UPDATE SET bytes = bytes + excluded.bytes; END",
    "CREATE TRIGGER removed AFTER DELETE ON entry BEGIN "
    "UPDATE held SET bytes = bytes - old.cost WHERE used = old.used; END",
    "CREATE TRIGGER marked AFTER UPDATE OF used ON entry BEGIN "
    "UPDATE held SET bytes = bytes - old.cost WHERE used = old.used; "
    "INSERT INTO held VALUES (new.used, new.cost) ON CONFLICT (used) DO UPDATE SET bytes = bytes + excluded.bytes; END",
    f"PRAGMA application_id={_APPLICATION}",
    f"PRAGMA user_version={SCHEMA}",
)


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of one kind, bytes of their values, and the first and last day on which one was used (ISO)."""

    kind: str
    entries: int
    size: int
    first: str
    last: str


def layout(file: sqlite3.Connection) -> int:
    """Return the layout of a file: 0 where it is empty, ``LATER`` than this version's, or ``FOREIGN``."""
    if not file.in_transaction:
        # One view of all three: another process may be making the tables.
        file.execute("BEGIN")
        try:
            return layout(file)
        finally:
            file.rollback()
    owner, version = number(file, "application_id"), number(file, "user_version")
    tables = {bytes(name) for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if owner == _APPLICATION and 1 < version <= SCHEMA:
        return version
    if owner == _APPLICATION:
        return LATER
    return version if (owner, version, tables) in ((0, 1, {b"entry"}), (0, 0, set[bytes]())) else FOREIGN


def prepare(file: sqlite3.Connection, *, synced: bool, keep: bool) -> int:
    """Make the tables where they are not there, or are of an earlier layout; return the layout that was found.

    A file of another program or a later version is left alone. ``synced``: what is committed is on disk; otherwise a
    power cut may take the last of it. ``keep`` takes over the values of an earlier layout, which have no checksums.
    """
    # Damaged text must not keep the rows next to it from being read; checksums show it.
    file.text_factory = bytes
    file.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
    file.execute("PRAGMA cell_size_check=ON")
    file.execute(f"PRAGMA synchronous={'FULL' if synced else 'NORMAL'}")
    if (found := layout(file)) in {SCHEMA, LATER, FOREIGN}:
        return found
    _write_ahead(file)
    with transaction(file):
        # Another process may have made it in the meantime.
        if (found := layout(file)) == SCHEMA:
            return found
        earlier = file.execute("SELECT key, value FROM entry").fetchall() if found and keep else []
        for statement in _TABLES:
            file.execute(statement)
        insert(file, dict(earlier), "of an earlier version")
    return found


def _write_ahead(file: sqlite3.Connection) -> None:
    """Let the file be read while it is written; SQLite does not wait by itself for a process that asks for the same."""
    until = time.monotonic() + _BUSY_MILLISECONDS / 1000
    while True:
        try:
            file.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def transaction(file: sqlite3.Connection) -> Generator[None]:
    """Write what is written in the block as one, or nothing of it."""
    with file:
        file.execute("BEGIN IMMEDIATE")
        yield


def insert(file: sqlite3.Connection, entries: Mapping[StoreKey, bytes], kind: str) -> None:
    """Write entries; a key that is there already keeps its value."""
    day = today()
    rows = ((key, kind, day, _cost(value), _checksum(key, value), value) for key, value in entries.items())
    file.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?)", rows)


def read(
    file: sqlite3.Connection, keys: list[bytes], found: dict[bytes, bytes], unmarked: list[bytes], damaged: list[bytes]
) -> None:
    """Add what is there and whole to ``found``, and the keys not used today, and not whole, to two lists."""
    day = today()
    for start in range(0, len(keys), _KEYS_A_QUERY):
        chunk = keys[start : start + _KEYS_A_QUERY]
        marks = ",".join("?" * len(chunk))
        # The query is built of question marks only; the keys are bound.
        query = f"SELECT key, used, checksum, value FROM entry WHERE key IN ({marks})"  # noqa: S608
        for key, used, checksum, value in file.execute(query, chunk):
            if not _is_whole(key, checksum, value):
                damaged.append(key)
                continue
            found[key] = value
            if used != day:
                unmarked.append(key)


def mark(file: sqlite3.Connection, used: Iterable[bytes], damaged: Iterable[bytes]) -> None:
    """Write that entries were used today, and remove others."""
    day = today()
    with transaction(file):
        file.executemany("UPDATE entry SET used = ? WHERE key = ?", [(day, key) for key in used])
        remove(file, damaged)


def remove(file: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Remove entries."""
    file.executemany("DELETE FROM entry WHERE key = ?", [(key,) for key in keys])


def remove_oldest(file: sqlite3.Connection, excess: int) -> None:
    """Remove entries of about so many bytes of the file, those first that were used longest ago."""
    for used, size in file.execute("SELECT used, CAST(bytes AS INTEGER) FROM held ORDER BY used").fetchall():
        if excess <= 0:
            return
        if size <= excess:
            file.execute("DELETE FROM entry WHERE used = ?", (used,))
            file.execute("DELETE FROM held WHERE used = ?", (used,))
            excess -= size
            continue
        some: list[bytes] = []
        for key, cost in file.execute("SELECT key, CAST(cost AS INTEGER) FROM entry WHERE used = ?", (used,)):
            if excess <= 0:
                break
            some.append(key)
            excess -= cost
        remove(file, some)


def held(file: sqlite3.Connection) -> int:
    """Return how many bytes of a file the entries take, about."""
    return int(file.execute("SELECT CAST(total(bytes) AS INTEGER) FROM held").fetchone()[0])


def recount(file: sqlite3.Connection) -> None:
    """Count again how much there is of each day."""
    with transaction(file):
        file.execute("DELETE FROM held")
        file.execute("INSERT INTO held SELECT CAST(used AS INTEGER) AS day, total(cost) FROM entry GROUP BY day")


def contents(file: sqlite3.Connection) -> list[Contents]:
    """Return what is in a file, by kind."""
    query = "SELECT kind, count(*), sum(length(value)), min(used), max(used) FROM entry GROUP BY kind ORDER BY kind"
    return [
        Contents(bytes(kind or b"").decode(errors="replace"), count, size or 0, _day(first), _day(last))
        for kind, count, size, first, last in file.execute(query)
    ]


def all_damaged(file: sqlite3.Connection) -> tuple[int, list[bytes]]:
    """Read every value; return how many there are, and the keys of those that are damaged."""
    total, damaged = 0, list[bytes]()
    for key, checksum, value in file.execute("SELECT key, checksum, value FROM entry"):
        total += 1
        if not _is_whole(key, checksum, value):
            damaged.append(key)
    return total, damaged


def is_sound(file: sqlite3.Connection) -> bool:
    """Return whether a file is a whole database; what its values are has no part in it."""
    try:
        return bytes(file.execute("PRAGMA quick_check(1)").fetchone()[0]) == b"ok"
    except sqlite3.DatabaseError as error:
        if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_CORRUPT:
            raise
        return False


def rebuild(file: sqlite3.Connection) -> int:
    """Make a damaged file again with the entries of it that can be read and are whole; return how many they are."""
    with closing(sqlite3.connect("", isolation_level=None)) as whole:
        prepare(whole, synced=False, keep=False)
        for key, kind, checksum, value in _readable(file):
            if _is_whole(key, checksum, value):
                insert(whole, {StoreKey(key): value}, bytes(kind or b"").decode(errors="replace"))
        # In one transaction, and with the locks of the file: other processes see the old content or the new.
        whole.backup(file)
        return int(whole.execute("SELECT count(*) FROM entry").fetchone()[0])


def _readable(file: sqlite3.Connection, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes, object, Any]]:
    """Yield the rows whose keys begin with a prefix; where one of them cannot be read, those of longer prefixes."""
    query = "SELECT key, kind, checksum, value FROM entry WHERE key >= ? AND key <= ?"
    try:
        rows = file.execute(query, (prefix, prefix.ljust(16, b"\xff"))).fetchall() if prefix else None
    except sqlite3.DatabaseError:
        rows = None
    if rows is not None:
        yield from rows
    elif len(prefix) < _LONGEST_PREFIX:
        for byte in range(256):
            yield from _readable(file, prefix + bytes([byte]))


def number(file: sqlite3.Connection, pragma: str) -> int:
    """Return a number that SQLite knows of a file."""
    return int(file.execute(f"PRAGMA {pragma}").fetchone()[0])


def today() -> int:
    """Return the day, counted from 1970-01-01 in UTC."""
    return int(time.time() // 86_400)


def _is_whole(key: bytes, checksum: object, value: object) -> bool:
    return isinstance(value, bytes) and checksum == _checksum(key, value)


def _cost(value: bytes) -> int:
    """Return what an entry takes of the file, about: what of it has no place in its page fills separate pages."""
    whole = len(value) + _ROW_BYTES
    if whole <= _MOST_IN_PAGE:
        return whole * 4 // 3
    inside = _LEAST_IN_PAGE + (whole - _LEAST_IN_PAGE) % _OVERFLOW_BYTES
    if inside > _MOST_IN_PAGE:
        inside = _LEAST_IN_PAGE
    return inside * 4 // 3 + -(-(whole - inside) // _OVERFLOW_BYTES) * _PAGE_BYTES


def _checksum(key: bytes, value: bytes) -> bytes:
    """Return the checksum of a value under its key: a value that is found under another key is damaged too."""
    return hashlib.blake2b(value, digest_size=8, salt=key[:16]).digest()


def _day(number: object) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(number * 86_400)) if isinstance(number, int) else "?"
