r"""Bytes to lines: opens files, packed ones, addresses and standard input, decodes UTF-8, and says where it cannot.

Only ``\n`` ends a line, and a ``\r`` before it belongs to the line end. All else that Unicode or Python calls a line
break (U+2028, U+0085, form feed, …) is text. A byte order mark at the start of a file is dropped. Packed files are
opened with a limit: a megabyte can unpack to gigabytes, which no text does.

What an address names (``s3://``, ``gs://``, ``hf://``, ``https://``, whatever else fsspec knows), a file or a folder,
is fetched once for a process, into a folder that goes with it; then it is read as any file on the disk is, twice where
a reader needs it. Messages call it by its address.
"""

from __future__ import annotations

import atexit
import codecs
import gzip
import io
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from endophora.corpus.faults import LONGEST_LINE, FaultLog
from endophora.errors import Fault, InputError, MissingModelError, first_line

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = "-"
"""The path that stands for standard input."""

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""How a file begins that is packed by gzip or zstd."""

MOST_TIMES = 200
"""How many times its packed size a file may have; text has 3 to 10 times, a column of equal ids up to 150."""

FREE = 1 << 25
"""Bytes up to which a file may unpack, however small it is when packed."""

PathLike = str | Path
"""A path, or ``-``."""

_STDIN_NAME = "<stdin>"
UNREADABLE = ("E001", "E002", "E003", "E004", "E005", "E345", "E346", "E363")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ICONV_NAMES = {"latin-1": "ISO-8859-1", "windows-1252": "WINDOWS-1252"}
_MARK = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one file, by the name that messages have for it; one that is not UTF-8 is empty text.

    If it could not be read to its end (``readable``), the number of lines means nothing.
    """

    file: str
    texts: list[str] = field(default_factory=list[str])
    readable: bool = True


def display_name(path: PathLike) -> str:
    """Return the name by which messages call a file."""
    return _STDIN_NAME if str(path) == STDIN else address(path)


def bare_name(path: PathLike) -> str:
    """Return the name of a file in lower case, less the suffix that says how it is packed."""
    return re.sub(r"\.(gz|zst)$", "", Path(path).name.lower())


def read_lines(path: PathLike, log: FaultLog) -> Lines:
    """Read all lines of a file; faults as of :func:`each_line`."""
    name = display_name(path)
    texts = [text or "" for _, text in each_line(path, log)]
    return Lines(name, texts, readable=not any(log.has(code, name) for code in UNREADABLE))


def each_line(path: PathLike, log: FaultLog) -> Iterator[tuple[int, str | None]]:
    """Yield number and text of each line of a file, gzipped or not; ``None`` for a line that is not UTF-8.

    Faults: E001–E007, E345, E346, E363.
    """
    name = display_name(path)
    number = 0
    with noting(path, log, lambda: number + 1), opened(path) as stream:
        for number, text in enumerate(_decode(stream, name, log), start=1):
            yield number, text
    if number == 0 and not any(log.has(code, name) for code in (*UNREADABLE, "E006")):
        log.add("E005", "the file is empty", "was it written to its end? every segment needs a line", name)


@contextmanager
def noting(path: PathLike, log: FaultLog, line: Callable[[], int | None]) -> Generator[None]:
    """Note what fails while a file is opened and read, and end the reading there; ``line`` says how far it is.

    Faults: E001–E004, E346, E363.
    """
    name = display_name(path)
    try:
        yield
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", name)
    except IsADirectoryError:
        log.add("E002", "this is a directory", "name a file in it, or read the whole directory as a corpus", name)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        advice = "compress or copy it again; `gzip -t` or `zstd -t` shows whether a file is whole"
        log.add("E004", f"the packed stream is damaged or cut short ({error})", advice, name, line())
    except InflatedError as error:
        log.add("E346", str(error), "if it is no mistake, unpack it yourself: gunzip, or zstd -d", name, line())
    except _ClosedError as error:
        log.add("E363", str(error), "send it text (< FILE), or name a file in place of -", name)
    except OSError as error:
        log.add("E003", f"cannot be read ({error.strerror or error})", "check its permissions", name)


class _ClosedError(OSError):
    """There is no standard input."""


def begins_with(path: PathLike, *marks: bytes) -> bool:
    """Return whether a file that can be read has one of some marks in its first 1,024 bytes."""
    try:
        with opened(path) as stream:
            head = stream.read(1024)
    except (OSError, EOFError, zlib.error):
        return False
    return any(mark in head for mark in marks)


@contextmanager
def opened(path: PathLike) -> Generator[io.BufferedReader]:
    """Open a file or standard input for reading bytes, through gzip if it begins like a gzip file."""
    if str(path) == STDIN:
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise _ClosedError("standard input is closed")
        yield unzipped(cast("io.BufferedReader", sys.stdin.buffer))
        return
    with Path(fetched(path)).open("rb") as stream:
        yield unzipped(stream, zipped=str(path).endswith(".gz"))


def unzipped(stream: io.BufferedReader, *, zipped: bool = False) -> io.BufferedReader:
    """Return a stream through gzip if it begins like a gzip file, or in any case; or through zstd likewise (E150)."""
    if stream.peek(4).startswith(ZSTD_MAGIC):
        need_library("pyarrow", "zstd", getattr(stream, "name", "a file"))
        arrow, counted = cast("Any", import_module("pyarrow")), _Counted(stream)
        packed = arrow.CompressedInputStream(arrow.PythonFile(counted, "r"), "zstd")
        return bounded(cast("IO[bytes]", _Arrow(packed)), lambda: counted.count)
    return unpacked(stream) if zipped or stream.peek(2).startswith(GZIP_MAGIC) else stream


class _Arrow:
    """A stream of Arrow, whose faults are those of damage."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read1(self, size: int) -> bytes:
        """Read at most so many bytes."""
        try:
            return bytes(self._stream.read(size))
        except OSError as error:
            raise zlib.error(str(error)) from error


def _decode(stream: io.BufferedReader, name: str, log: FaultLog) -> Iterator[str | None]:
    """Yield the lines of a stream of bytes; nothing after one that shows that the file is UTF-16 or has no lines."""
    offset, known = 0, False
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            cause = f"the line has more than {LONGEST_LINE >> 20} MiB"
            log.add("E345", cause, "write one segment a line", name, number)
            return
        if number == 1:
            if raw.startswith(_WIDE_MARKS):
                advice = f"convert it: {_conversion('UTF-16', name)}"
                log.add("E006", "not UTF-8 from byte 0 on; it looks like UTF-16", advice, name, 1)
                return
            marked = raw.startswith(_MARK)
            offset, raw = (len(_MARK), raw[len(_MARK) :]) if marked else (0, raw)
            if marked and not raw:
                return
        body = raw[:-1].removesuffix(b"\r") if raw.endswith(b"\n") else raw
        try:
            text = body.decode("utf-8")
            known = known or not text.isascii()
        except UnicodeDecodeError as error:
            cut = error.reason == "unexpected end of data" and not raw.endswith(b"\n")
            guess, advice = _guess(body, name, known=known, cut=cut)
            log.add("E006", f"not UTF-8 at byte {offset + error.start} of the file; {guess}", advice, name, number)
            text = None
        if text is not None and "\0" in text:
            if number == 1 and text.count("\0") * 3 > len(text):
                advice = f"convert it: {_conversion('UTF-16', name)}"
                log.add("E006", "every other byte is zero; it looks like UTF-16", advice, name, 1)
                return
            where = offset + body.index(b"\0")
            log.add("E007", f"a NUL byte, at byte {where} of the file", "remove it: tr -d '\\000'", name, number)
        yield text
        offset += len(raw)


def _guess(body: bytes, name: str, *, known: bool, cut: bool) -> tuple[str, str]:
    """Say what the encoding of an undecodable line may be, and what to do.

    A file may be ``cut`` off within a character. Where other letters are ``known`` to be UTF-8, a conversion of the
    whole file would spoil them.
    """
    if cut:
        return "the file ends in the middle of a character", "was it cut off? make it again from its original"
    if known or not body.decode("utf-8", "ignore").isascii():
        advice = f"write that place again, or leave its bytes out: iconv -c -f UTF-8 -t UTF-8 {name} > NEW"
        return "other letters of the file are UTF-8", advice
    high = sum(byte > 0x7F for byte in body)
    if high * 3 > len(body):
        return "it looks like an encoding of another script", "convert it to UTF-8 with iconv -f ENCODING -t UTF-8"
    encoding = "windows-1252" if re.search(rb"[\x80-\x9f]", body) else "latin-1"
    return f"it looks like {encoding}", f"convert it: {_conversion(_ICONV_NAMES[encoding], name)}"


def _conversion(encoding: str, name: str) -> str:
    return f"iconv -f {encoding} -t UTF-8 {name} > NEW"


def is_canary(text: str) -> bool:
    """Return whether a line is a canary: it marks a file as test data, and is no segment."""
    return re.match(r"canary(\s|$)", text, re.IGNORECASE) is not None


def is_cut(text: str) -> bool:
    """Return whether a text has half of a surrogate pair, which JSON's escapes can say and UTF-8 cannot."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def need_library(name: str, what: str, path: PathLike, extra: str = "extract") -> None:
    """Check that a library of an extra is there, without which a format cannot be read (E150)."""
    if find_spec(name) is None:
        advice = f"install it with: pip install 'endophora[{extra}]'"
        raise MissingModelError(Fault("E150", f"{what} needs {name}, which is not installed", advice, str(path)))


class InflatedError(OSError):
    """Packed data unpack to more than any text would (E346)."""


def unpacked(stream: IO[bytes]) -> io.BufferedReader:
    """Return the text of a gzip stream, which raises where it gets larger than :data:`FREE` and :data:`MOST_TIMES`."""
    counted = _Counted(stream)
    return bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", counted))), lambda: counted.count)


def bounded(stream: IO[bytes], packed: Callable[[], int]) -> io.BufferedReader:
    """Return a stream of unpacked bytes that stops as :func:`unpacked` does; ``packed`` counts the packed ones."""
    return io.BufferedReader(_Bounded(stream, packed), 1 << 16)


class _Counted:
    """Counts the bytes that are read."""

    closed = False

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        """Read, and count."""
        data = self._stream.read(size)
        self.count += len(data)
        return data

    def close(self) -> None:
        """Leave it open: who opened the stream closes it."""


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


_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://")
_KNOWN: dict[str, str] = {}


def is_remote(path: str | Path) -> bool:
    """Return whether a path is an address."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def address(path: str | Path) -> str:
    """Return the address from which a file, or a file of a folder, was fetched; another path as it is."""
    text = str(path)
    return next((text.replace(place, known, 1) for place, known in _KNOWN.items() if text.startswith(place)), text)


def fetched(path: str | Path) -> str | Path:
    """Return a path of the disk for an address (E001, E003; without fsspec: E150); any other path as it is."""
    return _fetched(str(path)) if is_remote(path) else path


@cache
def _fetched(path: str) -> Path:
    if find_spec("fsspec") is None:
        raise MissingModelError(_missing("fsspec is not installed", path))
    place = _folder() / str(len(_KNOWN)) / (path.partition("?")[0].rstrip("/").rpartition("/")[2] or "file")
    try:
        place.parent.mkdir(exist_ok=True)
        system, name = cast("Any", import_module("fsspec.core")).url_to_fs(path)
        system.get(name, str(place), recursive=system.isdir(name))
    except FileNotFoundError as error:
        raise InputError(Fault("E001", "no such file or directory", "check the address", path)) from error
    except ImportError as error:
        raise MissingModelError(_missing(str(error), path)) from error
    except Exception as error:  # of fsspec's many systems, which have no class in common
        cause = f"cannot be fetched ({first_line(error)})"
        raise InputError(Fault("E003", cause, "check the address, the network and your rights there", path)) from error
    _KNOWN[str(place)] = path.rstrip("/")
    return place


def _missing(cause: str, path: str) -> Fault:
    return Fault("E150", cause, "install it with: pip install 'endophora[remote]'", path)


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="endophora-fetched-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
