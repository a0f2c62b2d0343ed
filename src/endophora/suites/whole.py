"""Files read at once where nothing is wrong with them; line by line, which says what is wrong, they cost more."""

from __future__ import annotations

import codecs
import zlib
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import too_long
from endophora.corpus.lines import STDIN, Lines, PathLike, display_name, read_lines
from endophora.corpus.packed import GZIP_MAGIC, unpacked

SHORTEN_ADVICE = "shorten it, or leave the item out of the suite and of all outputs: a segment is a paragraph at most"
"""What to do about a segment of a suite that is too long: lines cannot be split, since an item has one."""


def check_lengths(lines: Lines, log: FaultLog) -> None:
    """Note the lines that are too long for a segment (E345)."""
    for index, text in enumerate(lines.texts):
        if cause := too_long(text):
            log.add("E345", cause, SHORTEN_ADVICE, lines.file, lines.line(index))


def whole_file(path: PathLike) -> bytes | None:
    """Return what a file holds, unpacked and without a byte order mark.

    ``None`` if it is standard input, cannot be read, is empty or has a NUL byte: :mod:`endophora.corpus.lines` reads
    it, or says what is wrong.
    """
    if str(path) == STDIN:
        return None
    try:
        with Path(path).open("rb") as stream:
            body = (unpacked(stream) if stream.peek(2).startswith(GZIP_MAGIC) else stream).read()
    except (OSError, EOFError, zlib.error):
        return None
    body = body.removeprefix(codecs.BOM_UTF8)
    return body if body and b"\0" not in body else None


def whole_lines(path: PathLike, log: FaultLog) -> Lines:
    """Read all lines of a file, as :func:`~endophora.corpus.lines.read_lines` does.

    Args:
        path: a file, gzipped or not, or ``-`` for standard input.
        log: takes the faults (E001–E007).
    """
    # A name in .gz promises a packed file; that it is none is a fault, which is found there.
    body = None if str(path).endswith(".gz") else whole_file(path)
    try:
        text = body.decode() if body else None
    except UnicodeDecodeError:
        text = None
    if text is None:
        return read_lines(path, log)
    texts = text.replace("\r\n", "\n").split("\n")
    if not texts[-1]:
        texts.pop()
    return Lines(display_name(path), texts)
