"""Word vectors from files: word2vec's text and binary formats, GloVe's and fastText's text, gzipped or not.

A file is read from end to end and only the vectors of the words asked for are kept, so that memory grows with the
texts and not with the file.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from endophora.corpus.faults import FaultLog, whole_number
from endophora.corpus.lines import GZIP_MAGIC, unpacked
from endophora.provenance import content_of

Vector: TypeAlias = npt.NDArray[np.float32]

_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_CHUNK = 1 << 20
_LONGEST = 1 << 16
_WIDEST = 1 << 16
"""Numbers of a vector, at most."""
_BLANKS = b" \t\r\n"


class _Layout(NamedTuple):
    """What the first line says: how many vectors follow (-1 if it does not), of how many numbers, how written."""

    rows: int
    dimension: int
    binary: bool


class WordVectors:
    """The vectors of words in a file.

    Args:
        path: the file. With a first line of two whole numbers it is word2vec's (text or binary) or fastText's text;
            without one, GloVe's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, Vector | None] = {}
        self._mean: Vector | None = None

    def look_up(self, words: Iterable[str]) -> None:
        """Read the vectors of words; the file is read only if there are words that were never looked up.

        Args:
            words: any words; those that are not in the file are remembered as absent.

        Raises:
            InputError: the file cannot be read (E001 to E005), a line is not in its format (E144), or there are more or
                fewer vectors than its first line says (E145); all at once.
        """
        wanted = {word for word in words if word not in self._known}
        if wanted:
            found: dict[str, Vector] = {}
            for word, vector in read_vectors(self.path, wanted):
                found.setdefault(word, vector)
            self._known |= dict.fromkeys(wanted) | found

    def get(self, word: str) -> Vector | None:
        """Return the vector of a word that was looked up, ``None`` if the file does not have it."""
        return self._known.get(word)

    @property
    def mean(self) -> Vector:
        """The mean of all vectors in the file, which takes one more reading.

        Raises: InputError: as for :meth:`look_up`.
        """
        if self._mean is None:
            total, count = np.zeros(1), 0
            for _, vector in read_vectors(self.path):
                total, count = total + vector, count + 1
            self._mean = (total / max(count, 1)).astype(np.float32)
        return self._mean


def load_vectors(path: str) -> WordVectors:
    """Return the vectors of a file, the same object for the same path and content."""
    return _loaded_vectors(path, content_of(Path(path)))


@cache
def _loaded_vectors(path: str, content: str) -> WordVectors:
    del content
    return WordVectors(Path(path))


def read_vectors(path: Path, wanted: Iterable[str] | None = None) -> Iterator[tuple[str, Vector]]:
    """Yield words of a file with their vectors, in its order.

    Args:
        wanted: the words to yield; ``None`` for all.

    Raises: InputError: see :meth:`WordVectors.look_up`; raised after the last word.
    """
    log = FaultLog()
    name = str(path)
    keys = None if wanted is None else {word.encode("utf-8", "surrogatepass") for word in wanted}
    try:
        with path.open("rb", 0) as file:
            stream: BufferedReader[Any] = BufferedReader(file, _CHUNK)
            if stream.peek(2).startswith(GZIP_MAGIC):
                stream = unpacked(stream)
            for word, vector in _vectors(stream, keys, name, log):
                yield word.decode("utf-8", "replace"), vector
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", name)
    except IsADirectoryError:
        log.add("E002", "this is a directory", "name a file in it", name)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        log.add("E004", f"the gzip stream is damaged or cut short ({error})", "compress or copy it again", name)
    except OSError as error:
        log.add("E003", f"cannot be read ({error.strerror or error})", "check its permissions", name)
    log.check()


def _vectors(
    stream: BufferedReader[Any], wanted: set[bytes] | None, name: str, log: FaultLog
) -> Iterator[tuple[bytes, Vector]]:
    """Yield the wanted words and vectors of an open file."""
    layout = _layout(stream, name, log)
    if layout is None:
        return
    if layout.rows >= 0:
        stream.readline(_LONGEST)
    read = _read_binary if layout.binary else _read_text
    seen = yield from read(stream, layout, wanted, name, log)
    if layout.rows >= 0 and seen != layout.rows:
        cause = f"{seen} vectors where the first line says {layout.rows}"
        log.add("E145", cause, "was the file cut off? copy it again", name)


def _layout(stream: BufferedReader[Any], name: str, log: FaultLog) -> _Layout | None:
    """Return what the beginning of a file says, without reading on."""
    start = stream.peek(_LONGEST)
    advice = "give word2vec's (text or binary), GloVe's or fastText's text (.vec)"
    if not start:
        log.add("E005", "the file is empty", advice, name)
        return None
    if start.startswith(_FASTTEXT_MAGIC):
        log.add("E144", "this is a fastText model, no file of vectors", "give its .vec", name)
        return None
    first, _, rest = start.partition(b"\n")
    fields = first.rstrip(_BLANKS).split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        count, dimension = (whole_number(field.decode()) for field in fields)
        if count is not None and dimension and dimension <= _WIDEST:
            return _Layout(count, dimension, _is_binary(rest, dimension, called=".bin" in Path(name).name))
    elif len(fields) > 2 and _numbers(fields[1:]) is not None:
        return _Layout(-1, len(fields) - 1, binary=False)
    log.add("E144", f"“{first[:40].decode('utf-8', 'replace')}” is no first line of vectors", advice, name, 1)
    return None


def _is_binary(rest: bytes, dimension: int, *, called: bool) -> bool:
    """Tell whether what follows the first line is numbers as bytes, which in the first vector make no clean text.

    Few numbers may look like letters; then a file that is called binary is taken at its word.
    """
    start = rest[: rest.find(b" ") + 1 + 4 * dimension]
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return True
    if any(char < " " and char not in "\t\r\n" for char in text):
        return True
    return called and _numbers(rest.partition(b"\n")[0].split(b" ")[1:3]) is None


def _read_text(
    stream: BufferedReader[Any], layout: _Layout, wanted: set[bytes] | None, name: str, log: FaultLog
) -> Generator[tuple[bytes, Vector], None, int]:
    """Yield the vectors of a text file and return how many lines there are."""
    dimension, seen = layout.dimension, 0
    first = 2 if layout.rows >= 0 else 1
    for seen, line in enumerate(stream, start=1):
        if line.count(b" ") < dimension:
            _malformed(f"fewer than {dimension} numbers", name, seen + first - 1, log)
            continue
        # A word in a file may have blanks in it; it is then none of ours, but may begin like one.
        if wanted is not None and line[: line.find(b" ")] not in wanted:
            continue
        fields = line.rstrip(_BLANKS).split(b" ")
        word = b" ".join(fields[:-dimension])
        numbers = _numbers(fields[-dimension:])
        if numbers is None or not word:
            _malformed(f"no word and {dimension} finite numbers", name, seen + first - 1, log)
        elif wanted is None or word in wanted:
            yield word, numbers
    return seen


def _read_binary(
    stream: BufferedReader[Any], layout: _Layout, wanted: set[bytes] | None, name: str, log: FaultLog
) -> Generator[tuple[bytes, Vector], None, int]:
    """Yield the vectors of a binary file and return how many there are: a word, a blank, little-endian floats."""
    size, seen = 4 * layout.dimension, 0
    data, position = b"", 0
    while seen < layout.rows:
        blank = data.find(b" ", position)
        if blank < 0 or blank + 1 + size > len(data):
            more = stream.read(max(_CHUNK, size))
            data, position = data[position:] + more, 0
            if not more or (blank < 0 and len(data) > _LONGEST + len(more)):
                return seen
            continue
        word = data[position:blank].lstrip(b"\n")
        position = blank + 1 + size
        seen += 1
        if wanted is None or word in wanted:
            numbers = np.frombuffer(data, "<f4", layout.dimension, blank + 1).astype(np.float32)
            if np.isfinite(numbers).all():
                yield word, numbers
            else:
                _malformed("a number that is not finite", name, seen + 1, log)
    if (data[position:] + stream.read(2)).strip(b"\n"):
        return seen + 1
    return seen


def _numbers(fields: Iterable[bytes]) -> Vector | None:
    """Return numbers written out, ``None`` if one is none or is not finite."""
    try:
        numbers = np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _malformed(cause: str, name: str, line: int, log: FaultLog) -> None:
    log.add("E144", cause, "a line is a word and as many numbers as the first has, between blanks", name, line)
