"""Streams of rows from OPUS: a file of sentence links, and the documents of two languages in folders or zip files.

The links (cesAlign) name two documents a group and sentence ids of both a link, any number on either side; the
sentences of a link are joined by spaces. Links with an empty side have no translation: they are left out and counted.
A document's id is its two files without language and suffix, as ``2017/1412528/7012791+2017/1412528/7063878``.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, bounded, need_library, unzipped
from endophora.corpus.streams import ReadOptions, Row
from endophora.errors import first_line

UNLINKED = "links of OPUS with an empty side were left out: they have no translation"

_FOLDERS = ("", "raw", "xml", "parsed")
_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "huge_tree": False, "load_dtd": False}
# The zip library raises a RuntimeError for an encrypted member and, as a subclass, for an unknown compression; lxml
# raises SyntaxErrors.
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, SyntaxError, ValueError, RuntimeError)
"""What reading XML out of a compressed file may raise."""

_CHUNK = 1 << 16
_MOST_BETWEEN = 1 << 24
"""Bytes of XML that may come without an element that is looked for; what is parsed meanwhile is kept in memory."""


class _Group(NamedTuple):
    """Two documents and the sentences of each by id, source first, and whether links name the target first."""

    documents: tuple[str, str]
    sentences: tuple[dict[str, str], dict[str, str]]
    turned: bool


class OpusTexts:
    """Finds documents in folders (under their path, or under ``raw`` or ``xml``) and, at any depth, in zip files."""

    def __init__(self, places: Sequence[PathLike]) -> None:
        self._folders = [Path(place) for place in places if Path(place).is_dir()]
        self._zips = [Path(place) for place in places if Path(place).is_file()]
        self._members: dict[str, tuple[zipfile.ZipFile, str]] | None = None
        self._opened = ExitStack()

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a document, unzipped, by its path as links have it: ``de/2017/1412528/7012791.xml.gz``."""
        bare = _bare(name)
        if ".." in PurePosixPath(bare).parts or PurePosixPath(bare).is_absolute():
            raise FileNotFoundError(name)
        for folder in self._folders:
            for part in _FOLDERS:
                for suffix in (".xml.gz", ".xml"):
                    path = folder / part / f"{bare}{suffix}"
                    if path.is_file():
                        with path.open("rb") as stream:
                            yield unzipped(stream)
                        return
        archive, member = self._find(bare)
        packed = archive.getinfo(member).compress_size
        with archive.open(member) as stream:
            yield unzipped(bounded(stream, lambda: packed))

    def close(self) -> None:
        """Close all zip files."""
        self._opened.close()

    def _find(self, bare: str) -> tuple[zipfile.ZipFile, str]:
        if self._members is None:
            self._members = {}
            for archive in [self._opened.enter_context(zipfile.ZipFile(path)) for path in self._zips]:
                for member in archive.namelist():
                    # A member's language folder is the third from its end or further up: all its tails are its names.
                    parts = _bare(member).split("/")
                    for start in range(len(parts) - 1):
                        self._members.setdefault("/".join(parts[start:]), (archive, member))
        if bare not in self._members:
            raise FileNotFoundError(bare)
        return self._members[bare]


def opus_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the links of an alignment of OPUS, gzipped or not; links may have the languages in either order.

    Faults: the file is no such XML (E201), a document is missing or malformed, or lacks a sentence (E203); of a row,
    the number of the link is its line. Without lxml: E150.
    """
    need_library("lxml", "OPUS", path)
    file = str(path)
    found = OpusTexts(options.texts or [Path(path).parent])
    try:
        with Path(path).open("rb") as stream:
            yield from _links(unzipped(stream), file, options.languages, found, log)
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", file)
    except IsADirectoryError:
        log.add("E002", "this is a directory", "name the file of links, and its folder with --texts", file)
    except _BROKEN as error:
        log.add("E201", f"the alignment cannot be read ({first_line(error)})", "unpack it again", file)
    finally:
        found.close()


def _links(stream: IO[bytes], file: str, languages: tuple[str, str], texts: OpusTexts, log: FaultLog) -> Iterator[Row]:
    group: _Group | None = None
    number = groups = 0
    for event, element in _elements(stream, ("start", "end"), ("linkGrp", "link")):
        if element.tag == "linkGrp" and event == "start":
            groups += 1
            group = _group(element, languages, texts, file, log)
        elif event == "end":
            if element.tag == "link":
                number += 1
                if group is not None:
                    yield from _row(element, group, file, number, log)
            _forget(element)
    if not groups:
        log.add("E201", "there is no linkGrp in it", "is it a file of sentence links (cesAlign)?", file)


def _elements(stream: IO[bytes], events: tuple[str, ...], tags: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the events of elements of an XML stream; SyntaxError if megabytes come without such an element."""
    parser = import_module("lxml.etree").XMLPullParser(events, tag=tags, **_SAFE)
    between = 0
    while chunk := stream.read(_CHUNK):
        parser.feed(chunk)
        between += len(chunk)
        for event in parser.read_events():
            between = 0
            yield event
        if between > _MOST_BETWEEN:
            raise SyntaxError(f"{_MOST_BETWEEN >> 20} MiB without an element {' or '.join(tags)}")
    parser.close()
    yield from parser.read_events()


def _forget(element: Any) -> None:
    """Free an element that has been read, and all those before it."""
    element.clear(keep_tail=True)
    while (parent := element.getparent()) is not None:
        while element.getprevious() is not None:
            del parent[0]
        element = parent


def _group(element: Any, languages: tuple[str, str], texts: OpusTexts, file: str, log: FaultLog) -> _Group | None:
    """Read the two documents of a group; one that cannot be read is a fault (E203)."""
    documents = str(element.get("fromDoc") or ""), str(element.get("toDoc") or "")
    folders = [PurePosixPath(name).parts[0] if name else "" for name in documents]
    turned = not all(map(_is_language, folders, languages))
    if turned:
        if not all(map(_is_language, folders[::-1], languages)):
            cause = f"the documents “{documents[0]}” and “{documents[1]}” are not of {'-'.join(languages)}"
            log.add("E201", cause, "name the languages of the links: --languages", file, element.sourceline)
            return None
        documents = documents[1], documents[0]
    found: list[dict[str, str]] = []
    for name in documents:
        try:
            with texts.open(name) as stream:
                found.append(read_sentences(stream))
        except FileNotFoundError:
            advice = "name the folder or zip file in which it lies with --texts"
            log.add("E203", f"the document “{name}” is not there", advice, file, element.sourceline)
        except _BROKEN as error:
            cause = f"the document “{name}” cannot be read ({first_line(error)})"
            log.add("E203", cause, "unpack it again", file, element.sourceline)
    return _Group(documents, (found[0], found[1]), turned) if len(found) == 2 else None


def _is_language(folder: str, code: str) -> bool:
    return folder.replace("-", "_").partition("_")[0].lower() == code


def read_sentences(stream: IO[bytes]) -> dict[str, str]:
    """Return the sentences (``s``) of a document, id → text; of tokenised ones, the words (``w``) joined by spaces."""
    etree = import_module("lxml.etree")
    sentences: dict[str, str] = {}
    for _, element in _elements(stream, ("end",), ("s",)):
        words = cast("list[Any]", element.findall(".//w"))
        parts = ["".join(word.itertext()) for word in words] if words else list(element.itertext())
        if any("&" in part for part in parts) and (entity := next(element.iter(etree.Entity), None)) is not None:
            raise SyntaxError(f"the entity {entity.text} is not known")
        identifier = element.get("id")
        if identifier is not None:
            sentences.setdefault(str(identifier), " ".join((" " if words else "").join(parts).split()))
        _forget(element)
    return sentences


def _row(element: Any, group: _Group, file: str, number: int, log: FaultLog) -> Iterator[Row]:
    first, mark, second = str(element.get("xtargets") or "").partition(";")
    if not mark:
        log.add("E201", f"link {number} has no xtargets with “;”", "unpack it again", file, element.sourceline)
        return
    ids = [part.split() for part in ((second, first) if group.turned else (first, second))]
    if all(ids):
        sides = list(zip(group.documents, group.sentences, ids, strict=True))
        if missing := [f"{name} {one}" for name, known, wanted in sides for one in wanted if one not in known]:
            cause = f"link {number}: there is no sentence {', '.join(missing)}"
            log.add("E203", cause, "take links and documents of the same release", file, element.sourceline)
            return
        source, target = (" ".join(filter(None, (known[one] for one in wanted))) for _, known, wanted in sides)
        if source and target:
            document = "+".join(_bare(name).partition("/")[2] for name in group.documents)
            yield Row(document, source, {"target": target}, {}, file, number)
            return
    log.notes[UNLINKED] += 1


def _bare(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".xml")
