"""The lock of an output directory: one run at a time.

The kernel holds the lock on an open file and frees it when the process ends, however it ends; what the file says
(process, host, start) is for the message to a second run. A lock that is free though its file names an owner is what a
killed run left behind: it is taken over.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from endophora.errors import EngineError, Fault, InputError
from endophora.files import disk_faults

_START = b'{"pid": '
"""How a lock file begins that has an owner."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lock: process, machine, and since when (ISO 8601 in UTC)."""

    pid: int
    host: str
    since: str


class DirectoryLock:
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
        if found is None and not _is_ours(os.pread(self._descriptor, len(_START), 0)):
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

    def release(self) -> None:
        """Free the lock; its file stays, empty, since removing it could take away another's."""
        # On a full disk the file may keep its owner: the kernel knows that the lock is free.
        with suppress(OSError):
            self._write(b"")
        os.close(self._descriptor)

    def __enter__(self) -> DirectoryLock:
        """Return the lock itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free the lock."""
        self.release()


def read_owner(path: Path) -> Owner | None:
    """Return the owner that a lock file names, or ``None`` if it names none."""
    try:
        return Owner(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _is_ours(start: bytes) -> bool:
    """Tell whether a lock file is empty, or begins as ours do: a crash may have cut it, or left zeros in its place."""
    return _START.startswith(start.rstrip(b"\0"))


def _refusal(path: Path, owner: Owner | None) -> Fault:
    who = f"process {owner.pid} on {owner.host}, since {owner.since}" if owner else "another process"
    advice = "wait for it, end it, or name another output directory"
    return Fault("E151", f"a run is at work in this output directory ({who})", advice, str(path.parent.parent))
