"""Files that are there whole or not at all, also after a crash or a loss of power."""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from endophora.engine.records import EngineError
from endophora.errors import Fault

TEMPORARY = ".part"
"""The ending of a file that is not whole yet."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def disk_faults(place: Path) -> Generator[None, None, None]:
    """Turn errors of the disk into coded ones that say what to do.

    Args:
        place: what is written.

    Raises:
        EngineError: there is no space left (E154), or it cannot be written (E155).
    """
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        raise _fault(place, error.strerror or str(error), full=full) from error
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            advice = "close the program that has it open, and run the same command again"
            raise EngineError(Fault("E155", "another program has it open", advice, str(place))) from error
        raise _fault(place, str(error), full="full" in str(error)) from error


def _fault(place: Path, cause: str, *, full: bool) -> EngineError:
    if full:
        advice = "make room and run the same command again: what is finished is kept"
        return EngineError(Fault("E154", f"there is no space left ({cause})", advice, str(place)))
    advice = "check permissions and the file system, and run the same command again"
    return EngineError(Fault("E155", f"cannot be read or written ({cause})", advice, str(place)))


@contextmanager
def replacing(path: Path, folder: Path | None = None) -> Generator[Path, None, None]:
    """Give a temporary path beside a file; what is written there takes the file's place when the block ends well.

    The temporary file is synced and renamed, and the directory synced: a reader sees the old file or the new one.
    If the block fails, the temporary file is removed and the old file stays. Its name is one that no other file has.

    Args:
        path: the file.
        folder: where the temporary file is made, on the same disk; by default where the file is.

    Raises:
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    temporary = (folder or path.parent) / f".{path.name}.{secrets.token_hex(6)}{TEMPORARY}"
    with disk_faults(path):
        try:
            yield temporary
            sync(temporary, os.O_RDWR)
            temporary.replace(path)
            sync(path.parent, os.O_RDONLY)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_durably(path: Path, data: bytes) -> None:
    """Write bytes as a file that is there whole or not at all.

    Raises:
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def sync(path: Path, flags: int) -> None:
    """Write what the system still holds of a file or directory to the disk.

    Args:
        path: the file or directory.
        flags: as :func:`os.open` takes them.
    """
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
