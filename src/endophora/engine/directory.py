"""The output directory of a run: its lock, what it was begun with, and shards that are named by what they hold.

A shard's file is named by its number, the hash of its documents and that of the file's bytes. The names say all that a
run that continues has to know: which shards are done, whether their documents are those of the input, whether a file is
whole. A file takes its name when all of it is on the disk.

The kernel holds the lock on an open file and frees it when the process ends, however it ends; what the file says
(process, host, start) is for the message to a second run. A lock that is free though its file names an owner is what a
killed run left behind: it is taken over.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

from endophora.corpus.trees import TreeError, load_json
from endophora.engine.shards import Shard
from endophora.errors import EngineError, Fault, InputError
from endophora.files import TEMPORARY, disk_faults, write_whole
from endophora.process import Closing

ROWS, WORK = "rows.parquet", "work/"
"""Names in an output directory: the output, and what a run needs to go on."""

LAYOUT = 2
"""The version of the layout; 1 had a manifest in SQLite."""

_PER_FOLDER = 1_000
_FOLDERS = "[0-9]" * 5
_NAME = re.compile(r"(\d{8})-([0-9a-f]{32})-([0-9a-f]{32})\.parquet")


@dataclass(frozen=True, slots=True)
class RunFile:
    """What a run was begun with: the signature of its task, the hash of its schema, the most segments in a shard."""

    task: str
    columns: str
    shard_segments: int
    layout: int = LAYOUT


class OutputDirectory:
    """The files of a run; only the holder of the directory's lock reads and writes shards.

    ``rows`` is the output, there only when the run is complete; all in ``work`` is the engine's, to go on with.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rows = root / ROWS
        self.work = root / WORK
        self.lock = self.work / "lock"
        self._settings = self.work / "run.json"
        self._shards = self.work / "shards"
        self._names: dict[int, str] = {}

    def begin(self, mine: RunFile) -> RunFile:
        """Return what the run was begun with, which are these settings if it begins now; find its shards.

        A file of settings that is damaged or of another layout is E160.
        """
        if self._settings.exists():
            found = self._read_settings()
        elif next(self.work.glob("manifest.sqlite*"), None):
            raise self._unusable("is of another layout (1)")
        else:
            found = mine
            write_whole(self._settings, json.dumps(asdict(mine), ensure_ascii=False).encode("utf-8", "surrogatepass"))
        # Files of dead runs that were not whole, and shards by number.
        with disk_faults(self.root):
            for path in self._unfinished():
                path.unlink()
            self._names = {
                int(path.name[:8]): path.name
                for path in self._shards.glob(f"{_FOLDERS}/*.parquet")
                if _NAME.fullmatch(path.name)
            }
        return found

    def _read_settings(self) -> RunFile:
        with disk_faults(self._settings):
            text = self._settings.read_bytes()
        try:
            found = RunFile(**cast("dict[str, Any]", load_json(text)))
        except (TreeError, TypeError) as error:
            raise self._unusable("is damaged") from error
        if found.layout != LAYOUT:
            raise self._unusable(f"is of another layout ({found.layout})")
        if [type(value) for value in astuple(found)] != [str, str, int, int]:
            raise self._unusable("is damaged")
        return found

    def _unusable(self, cause: str) -> EngineError:
        advice = "begin again with --fresh, or name another output directory"
        return EngineError(Fault("E160", f"{cause}; this version reads layout {LAYOUT}", advice, str(self._settings)))

    def _path(self, name: str) -> Path:
        return self._shards / f"{int(name[:8]) // _PER_FOLDER:05d}" / name

    def find(self, shard: Shard) -> bytes | None:
        """Return the file of a shard that is done (E153: with other documents); a damaged one is removed."""
        name = self._names.get(shard.number)
        if name is None:
            return None
        if name.split("-")[1] != shard.input_hash:
            changed(f"shard {shard.number}, now documents “{shard.first}” to “{shard.last}”, was of others")
        path = self._path(name)
        with disk_faults(path):
            data = path.read_bytes()
            if _is_whole(name, data):
                return data
            path.unlink()
        del self._names[shard.number]
        return None

    def check_end(self, shards: int) -> None:
        """Check that no shard was done beyond the end of the input (E153)."""
        if any(number >= shards for number in self._names):
            changed(f"it ends after {shards} shards, and was longer")

    def keep(self, shard: Shard, data: bytes) -> None:
        """Write the rows of a shard, on the disk when this returns (E154, E155)."""
        name = f"{shard.number:08d}-{shard.input_hash}-{_digest(data)}.parquet"
        path = self._path(name)
        with disk_faults(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
        self._names[shard.number] = name

    def read_shards(self) -> Iterator[bytes]:
        """Yield the files of all shards, in the order of the input; one that is missing or damaged is E161."""
        for number in sorted(self._names):
            path = self._path(self._names[number])
            try:
                data = path.read_bytes()
            except OSError as error:
                raise EngineError(_damaged(path, f"cannot be read ({error.strerror})")) from error
            if not _is_whole(path.name, data):
                raise EngineError(_damaged(path, "is damaged"))
            yield data

    def _unfinished(self) -> list[Path]:
        places = (self._shards.glob(f"{_FOLDERS}/.*{TEMPORARY}"), self.work.glob(f".*{TEMPORARY}"))
        return [path for found in places for path in found]

    def remove_shards(self) -> None:
        """Remove the files of all shards, and their folders; what others have put there stays (E155)."""
        with disk_faults(self.root):
            for path in self._shards.glob(f"{_FOLDERS}/*.parquet"):
                if _NAME.fullmatch(path.name) or re.fullmatch(r"\d{8}\.parquet", path.name):
                    path.unlink()
        for folder in self._shards.glob("*/"):
            with suppress(OSError):
                folder.rmdir()

    def clear(self) -> None:
        """Remove all that a run makes, but the lock; other files in the directory stay (E155)."""
        with disk_faults(self.root):
            self.rows.unlink(missing_ok=True)
            for path in (self._settings, *self.work.glob("manifest.sqlite*"), *self._unfinished()):
                path.unlink(missing_ok=True)
        self.remove_shards()


def changed(how: str) -> NoReturn:
    """Refuse an input (E153), and say how it differs."""
    cause = f"the input is not the one with which this output was begun ({how}; text, ids, files and lines count)"
    raise EngineError(Fault("E153", cause, "give the same input, begin again with --fresh, or name another directory"))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _is_whole(name: str, data: bytes) -> bool:
    return name.split("-")[2].removesuffix(".parquet") == _digest(data)


def _damaged(path: Path, cause: str) -> Fault:
    return Fault("E161", f"the shard {cause}", "run the same command again: it is done again", str(path))


_START = b'{"pid": '
"""How a lock file begins that has an owner."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lock: process, machine, and since when (ISO 8601 in UTC)."""

    pid: int
    host: str
    since: str


class DirectoryLock(Closing):
    """Holds an output directory for this process, by a lock file that stays when the lock is freed.

    Held by another process is E151, without locks in the file system E155, a file that is no lock E356. ``left_behind``
    is the owner that a run left behind which did not end by itself.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.left_behind: Owner | None = None
        with disk_faults(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._acquire()
        except BaseException:
            os.close(self._descriptor)
            raise

    def _acquire(self) -> None:
        try:
            locks: Any = import_module("fcntl")
        except ImportError as error:
            cause = "this system has no file locks as the engine uses them"
            raise EngineError(Fault("E155", cause, "run on Linux or macOS", str(self._path))) from error
        found = read_owner(self._path)
        # Ours is empty, or begins as ours do: a crash may cut it, or leave zeros in its place.
        start = os.pread(self._descriptor, len(_START), 0).rstrip(b"\0")
        if found is None and not _START.startswith(start):
            cause = "in the way, and no lock of ours"
            raise InputError(Fault("E356", cause, "move it away, or name another directory", str(self._path)))
        with disk_faults(self._path):
            try:
                locks.flock(self._descriptor, locks.LOCK_EX | locks.LOCK_NB)
            except BlockingIOError:
                raise EngineError(_refusal(self._path, found)) from None
            self.left_behind = found
            mine = Owner(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
            self._write(json.dumps(asdict(mine)).encode())

    def _write(self, data: bytes) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, data, 0)

    def close(self) -> None:
        """Free the lock; its file stays, empty, since removing it could take away another's."""
        # On a full disk the file may keep its owner: the kernel knows that the lock is free.
        with suppress(OSError):
            self._write(b"")
        os.close(self._descriptor)


def read_owner(path: Path) -> Owner | None:
    """Return the owner that a lock file names, or ``None`` if it names none."""
    try:
        return Owner(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _refusal(path: Path, owner: Owner | None) -> Fault:
    who = f"process {owner.pid} on {owner.host}, since {owner.since}" if owner else "another process"
    advice = "wait for it, end it, or name another output directory"
    return Fault("E151", f"a run is at work in this output directory ({who})", advice, str(path.parent.parent))
