"""Parallel text to train on: tab-separated pairs, LibreOffice's help, compiled message catalogues.

All readers yield :class:`TextPair`.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class TextPair:
    """A text in two languages, and the name of the collection that it is from."""

    collection: str
    source: str
    target: str


HELP = "libreoffice-help"
"""The collection that LibreOffice's help is."""


def read_pairs(path: Path, collections: Collection[str] = ()) -> Iterator[TextPair]:
    """Read tab-separated pairs, plain or ``.gz``: source and target, or the collection's name, source and target.

    Raises: InputError (E001–E007, E080).
    """
    log = FaultLog()
    for number, line in each_line(path, log):
        if line is None:
            continue
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            cause = f"{len(fields)} fields where 2 or 3 are expected"
            log.add("E080", cause, "write source and target with a tab between", str(path), number)
            continue
        name = fields[0] if len(fields) == 3 else path.name
        if not collections or name.startswith(tuple(collections)):
            yield TextPair(name, fields[-2], fields[-1])
    log.check()


def read_help_pages(folder: Path, source: str, target: str) -> Iterator[tuple[str, list[TextPair]]]:
    """Read LibreOffice's help page by page: the page's path, and its paragraphs in order.

    Raises: InputError: a language's folder is missing (E081).
    """
    faults = [
        Fault("E081", "there is no such folder", "install or unpack libreoffice-help-…", str(folder / name))
        for name in (source, target)
        if not (folder / name).is_dir()
    ]
    if faults:
        raise InputError(faults)
    for page in sorted((folder / source).rglob("*.html")):
        name = page.relative_to(folder / source)
        other = folder / target / name
        if not other.is_file():
            continue
        ours, theirs = (_paragraphs(path.read_text("utf-8")) for path in (page, other))
        pairs = [
            TextPair(HELP, text, theirs[identity]) for identity, text in ours.items() if text and theirs.get(identity)
        ]
        if pairs:
            yield name.as_posix(), pairs


def help_folder(folder: Path, language: str) -> str:
    """Return the name of a language's folder: its code, or the only one that begins with it, as ``en-US``.

    Raises: InputError: there is none, or several (E081).
    """
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if language in names:
        return language
    found = [name for name in names if name.startswith(f"{language}-")]
    if len(found) != 1:
        cause = f"no folder of the language “{language}”" if not found else f"several folders: {', '.join(found)}"
        advice = "name both folders: --libreoffice-folders en-US,zh-CN"
        raise InputError(Fault("E081", cause, advice, str(folder)))
    return found[0]


def read_messages(path: Path) -> Iterator[tuple[str, str]]:
    """Read a compiled catalogue: each message and its translation, of plurals the first form, without the context."""
    for message, translation in _messages(path.read_bytes()):
        yield message.rpartition("\x04")[2].partition("\0")[0], translation.partition("\0")[0]


def letters_and_digits(text: str) -> str:
    """Return a text's letters and digits, in lower case: what makes two texts the same."""
    return "".join(filter(str.isalnum, text.lower()))


def _messages(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the entries of a catalogue in GNU's binary format: a head of seven numbers, then two tables of strings."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    _, count, originals, translations = struct.unpack_from(f"{order}4I", data, 4)
    for number in range(count):
        texts: list[str] = []
        for table in (originals, translations):
            size, at = struct.unpack_from(f"{order}2I", data, table + 8 * number)
            texts.append(data[at : at + size].decode("utf-8"))
        if texts[0]:
            yield texts[0], texts[1]


def text_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed (``.gz``, ``.dz``)."""
    data = path.read_bytes()
    if path.suffix in (".gz", ".dz"):
        data = gzip.decompress(data)
    yield from data.decode(encoding).removesuffix("\n").split("\n")


class _Page(HTMLParser):
    """Collects the texts of the elements that have an id and hold a paragraph or a heading."""

    _KINDS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._open: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a paragraph."""
        if tag in self._KINDS:
            self._open = dict(attrs).get("id")
            if self._open:
                self.texts.setdefault(self._open, "")

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph."""
        if tag in self._KINDS:
            self._open = None

    def handle_data(self, data: str) -> None:
        """Add text to the paragraph."""
        if self._open:
            self.texts[self._open] += data


def _paragraphs(page: str) -> dict[str, str]:
    parser = _Page()
    parser.feed(page)
    return {name: " ".join(text.split()) for name, text in parser.texts.items()}
