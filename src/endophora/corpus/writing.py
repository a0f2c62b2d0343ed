"""What all writers share: the check that a corpus can be written so that it reads back the same, and the writing."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import STDIN, PathLike, display_name, is_canary, is_cut, need_library
from endophora.corpus.records import Corpus, Segment
from endophora.errors import Fault, InputError

_CHARACTERS = {"\t": "a tab", "\n": "a line end", "/": "a slash"}
_MARK = "\ufeff"


def check_writable(corpus: Corpus, form: str, *, forbidden: str, in_names: str = "", longest: int = 0) -> None:
    """Check that a format can hold every text and name of a corpus (E022).

    ``forbidden`` are the characters that no text may hold, ``in_names`` further ones that no name may; if the line end
    is one, no text may end in a carriage return. A text may have ``longest`` characters, where that is not 0.
    """
    log = FaultLog()

    def check(text: str, characters: str, what: str) -> None:
        long = f"{len(text):,} characters, more than {longest:,}" if 0 < longest < len(text) else ""
        if reason := long or _reason(text, characters):
            log.add("E022", f"{what} has {reason}, which {form} cannot hold", "write JSON Lines, or replace it", form)

    for name in chain(corpus.references, corpus.systems):
        if forbidden and not name:
            advice = "give every reference and system a name"
            log.add("E022", f"a name is empty, which {form} cannot hold", advice, form)
        check(name, forbidden + in_names, f"the name “{name}”")
    for document in corpus.documents:
        check(document.id, forbidden, f"the document id “{document.id}”")
        for index, segment in enumerate(document.segments, start=1):
            for text in texts(corpus, segment):
                check(text, forbidden, f"segment {index} of document “{document.id}”")
    log.check()


def check_no_canary(corpus: Corpus, form: str) -> None:
    """Check that the source does not begin with what a reader of this format would skip (E022)."""
    if corpus.documents and is_canary(corpus.documents[0].segments[0].source):
        raise InputError(Fault("E022", "the first source segment reads like a canary line", "write JSON Lines", form))


def texts(corpus: Corpus, segment: Segment) -> list[str]:
    """Return the texts of a segment: source, references, outputs, in the order of the corpus."""
    references = [segment.references[name] for name in corpus.references]
    return [segment.source, *references, *(segment.outputs[name] for name in corpus.systems)]


def only_translation(corpus: Corpus, form: str) -> str | None:
    """Return the only reference or output, as rows call it; ``None`` if there is none, E022 if there are several."""
    parts = [f"reference {name}" for name in corpus.references] + [f"system {name}" for name in corpus.systems]
    if len(parts) > 1:
        names = ", ".join((*corpus.references, *corpus.systems))
        advice = "name one: --reference NAME, or --system NAME"
        raise InputError(Fault("E022", f"there are several translations ({names}), and {form} holds one", advice, form))
    return parts[0] if parts else None


def text_of(segment: Segment, part: str) -> str:
    """Return a text of a segment, as rows call it: ``reference NAME`` or ``system NAME``."""
    kind, _, name = part.partition(" ")
    return (segment.references if kind == "reference" else segment.outputs)[name]


def rows(corpus: Corpus) -> Iterator[list[str]]:
    """Yield document id, source, references and outputs of each segment."""
    for document in corpus.documents:
        for segment in document.segments:
            yield [document.id, *texts(corpus, segment)]


def make_folder(path: Path, what: str) -> None:
    """Make a folder for what is to be written (E095)."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"{what} cannot be written: {error.strerror or error}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(path.parent))) from error


def write_lines(path: PathLike, lines: Iterable[str]) -> None:
    r"""Write lines as UTF-8 with ``\n``, packed as ``.gz`` and ``.zst`` say (E026, E150); ``-`` is standard output."""
    with writing_faults(path):
        if str(path) == STDIN:
            _write(sys.stdout.buffer, lines)
            return
        if str(path).endswith(".zst"):
            need_library("pyarrow", "zstd", path)
            with cast("Any", import_module("pyarrow")).output_stream(str(path), compression="zstd") as stream:
                _write(stream, lines)
            return
        with Path(path).open("wb") as stream:
            if not str(path).endswith(".gz"):
                _write(stream, lines)
                return
            # Neither name nor time goes into the file, so that equal texts make equal bytes.
            with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as zipped:
                _write(cast("BinaryIO", zipped), lines)


@contextmanager
def writing_faults(path: PathLike) -> Generator[None]:
    """Raise what fails while a file is written as a fault (E026)."""
    try:
        yield
    except OSError as error:
        cause = f"cannot be written ({error.strerror or error})"
        raise InputError(Fault("E026", cause, "check the directory and its permissions", display_name(path))) from error


def _write(stream: BinaryIO, lines: Iterable[str]) -> None:
    for number, line in enumerate(lines):
        # A reader drops one byte order mark; a text that begins with this character needs a mark before it.
        mark = _MARK if number == 0 and line.startswith(_MARK) else ""
        stream.write(f"{mark}{line}\n".encode())


def _reason(text: str, characters: str) -> str:
    """Say why a text cannot be written, or return nothing."""
    for character in characters:
        if character in text:
            return _CHARACTERS.get(character, f"the character U+{ord(character):04X}")
    if "\n" in characters and text.endswith("\r"):
        return "a carriage return at its end"
    if "\0" in text:
        return "a NUL"
    return "half of a surrogate pair" if is_cut(text) else ""
