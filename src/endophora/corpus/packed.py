"""Packed files opened with a limit: a megabyte can unpack to gigabytes, which no text does."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP_MAGIC = b"\x1f\x8b"
"""How a gzip file begins."""

MOST_TIMES = 200
"""How many times its packed size a file may have; text has 3 to 10 times, a column of equal ids up to 150."""

FREE = 1 << 25
"""Bytes up to which a file may unpack whatever its packed size."""


class InflatedError(OSError):
    """Packed data unpack to more than any text would (E346)."""


def unpacked(stream: IO[bytes]) -> io.BufferedReader:
    """Return the text of a gzip stream.

    Args:
        stream: the packed bytes.

    Raises:
        InflatedError: while reading, where it gets larger than :data:`FREE` and :data:`MOST_TIMES` its packed size.
    """
    counted = _Counted(stream)
    return bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", counted))), lambda: counted.count)


def bounded(stream: IO[bytes], packed: Callable[[], int]) -> io.BufferedReader:
    """Return a stream of unpacked bytes that stops as :func:`unpacked` does.

    Args:
        stream: the unpacked bytes.
        packed: tells how many packed bytes they have taken so far, or in all.
    """
    return io.BufferedReader(_Bounded(stream, packed), 1 << 16)


class _Counted(io.RawIOBase):
    """Counts the bytes that are read."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read, and count."""
        data = self._stream.read(size)
        self.count += len(data)
        return data


class _Bounded(io.RawIOBase):
    """Stops where far more comes out than goes in."""

    def __init__(self, stream: IO[bytes], packed: Callable[[], int]) -> None:
        super().__init__()
        self._stream, self._packed, self._count = stream, packed, 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read, and compare both counts."""
        view = memoryview(buffer)
        # Not more than is there: what precedes damage is still to be read, so that its line is known.
        data = cast("io.BufferedReader", self._stream).read1(len(view))
        view[: len(data)] = data
        self._count += len(data)
        if self._count > max(FREE, MOST_TIMES * self._packed()):
            cause = f"it unpacks to more than {FREE >> 20} MiB and {MOST_TIMES} times its size, which no text does"
            raise InflatedError(cause)
        return len(data)
