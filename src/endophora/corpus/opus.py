"""Streams of rows from OPUS: a file of sentence links, and the documents of two languages in folders or zip files.

The links (cesAlign) name two documents a group and sentence ids of both a link, any number on either side; the
sentences of a link are joined by spaces. Links with an empty side have no translation: they are left out and counted.
A document's id is its two files without language and suffix, as ``2017/1412528/7012791+2017/1412528/7063878``.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from endophora.corpus.lines import GZIP_MAGIC, PathLike, bounded, unpacked
from endophora.corpus.streams import Row, StreamLog

UNLINKED = "links of OPUS with an empty side were left out: they have no translation"

_FOLDERS = ("", "raw", "xml", "parsed")
_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "huge_tree": False, "load_dtd": False}
_BROKEN = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    SyntaxError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)
"""What reading XML out of a compressed file may raise.

lxml's errors of syntax are :class:`SyntaxError`. Of zip files, an encrypted member is a :class:`RuntimeError`, and one
that is packed in a way that Python does not know a :class:`NotImplementedError`.
"""

_CHUNK = 1 << 16
_MOST_BETWEEN = 1 << 24
"""Bytes of XML that may come without an element that is looked for; what is parsed meanwhile is kept in memory."""


@dataclass(frozen=True, slots=True)
class _Group:
    """A pair of documents: the one in the source language, the other, and whether links name the target first."""

    source: str
    target: str
    turned: bool


class OpusTexts:
    """Finds documents in folders and zip files.

    Args:
        places: folders, in which a document lies under its path or under ``raw`` or ``xml``, and zip files, in which it
            may lie at any depth.
    """

    def __init__(self, places: Sequence[PathLike]) -> None:
        self._folders = [Path(place) for place in places if Path(place).is_dir()]
        self._zips = [Path(place) for place in places if Path(place).is_file()]
        self._members: dict[str, tuple[int, str]] | None = None
        self._open: dict[int, zipfile.ZipFile] = {}

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a document, unzipped.

        Args:
            name: its path as links have it, ``de/2017/1412528/7012791.xml.gz``.

        Raises:
            FileNotFoundError: it is nowhere.
            OSError: it cannot be read.
        """
        bare = _bare(name)
        if ".." in PurePosixPath(bare).parts or PurePosixPath(bare).is_absolute():
            raise FileNotFoundError(name)
        for folder in self._folders:
            for part in _FOLDERS:
                for suffix in (".xml.gz", ".xml"):
                    path = folder / part / f"{bare}{suffix}"
                    if path.is_file():
                        with path.open("rb") as stream:
                            yield _unzipped(stream)
                        return
        number, member = self._find(bare)
        packed = self._archive(number).getinfo(member).compress_size
        with self._archive(number).open(member) as stream:
            yield _unzipped(bounded(stream, lambda: packed))

    def close(self) -> None:
        """Close all zip files."""
        for archive in self._open.values():
            archive.close()
        self._open.clear()

    def _find(self, bare: str) -> tuple[int, str]:
        if self._members is None:
            self._members = {}
            for number in range(len(self._zips)):
                for member in self._archive(number).namelist():
                    # A member's language folder is the third from its end or further up: all its tails are its names.
                    parts = _bare(member).split("/")
                    for start in range(len(parts) - 1):
                        self._members.setdefault("/".join(parts[start:]), (number, member))
        if bare not in self._members:
            raise FileNotFoundError(bare)
        return self._members[bare]

    def _archive(self, number: int) -> zipfile.ZipFile:
        if number not in self._open:
            self._open[number] = zipfile.ZipFile(self._zips[number])
        return self._open[number]


def opus_rows(path: PathLike, languages: tuple[str, str], texts: Sequence[PathLike], log: StreamLog) -> Iterator[Row]:
    """Yield the links of an alignment of OPUS.

    Args:
        path: the file of links, gzipped or not.
        languages: ISO 639-1 codes of source and target; links may have them in either order.
        texts: folders and zip files of the documents; empty for the folder of the file.
        log: takes the faults: the file is no such XML (E201), a document is missing or malformed, or lacks a sentence
            (E203); of a row, the number of the link is its line.
    """
    file = str(path)
    found = OpusTexts(texts or [Path(path).parent])
    try:
        with Path(path).open("rb") as stream:
            yield from _links(_unzipped(stream), file, languages, found, log)
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", file)
    except IsADirectoryError:
        log.add("E002", "this is a directory", "name the file of links, and its folder with --texts", file)
    except _BROKEN as error:
        log.add("E201", f"the alignment cannot be read ({_first_line(error)})", "unpack it anew", file)
    finally:
        found.close()


def _links(stream: IO[bytes], file: str, languages: tuple[str, str], texts: OpusTexts, log: StreamLog) -> Iterator[Row]:
    sides: tuple[dict[str, str], dict[str, str]] | None = None
    group: _Group | None = None
    number = groups = 0
    for event, element in _elements(stream, ("start", "end"), ("linkGrp", "link")):
        if element.tag == "linkGrp":
            if event == "start":
                groups += 1
                group = _group(element, languages, file, log)
                sides = None if group is None else _sides(group, texts, file, element.sourceline, log)
            else:
                _forget(element)
        elif event == "end":
            number += 1
            if group is not None and sides is not None:
                yield from _row(element, group, sides, file, number, log)
            _forget(element)
    if not groups:
        log.add("E201", "there is no linkGrp in it", "is it a file of sentence links (cesAlign)?", file)


def _elements(stream: IO[bytes], events: tuple[str, ...], tags: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the events of elements of an XML stream.

    Raises:
        SyntaxError: it is no XML, or megabytes come without such an element.
    """
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


def _group(element: Any, languages: tuple[str, str], file: str, log: StreamLog) -> _Group | None:
    first, second = str(element.get("fromDoc") or ""), str(element.get("toDoc") or "")
    folders = [PurePosixPath(name).parts[0] if name else "" for name in (first, second)]
    for turned in (False, True):
        if all(map(_is_language, folders[::-1] if turned else folders, languages)):
            return _Group(*((second, first) if turned else (first, second)), turned)
    cause = f"the documents “{first}” and “{second}” are not of {'-'.join(languages)}"
    log.add("E201", cause, "name the languages of the links: --languages", file, element.sourceline)
    return None


def _is_language(folder: str, code: str) -> bool:
    return folder.replace("-", "_").partition("_")[0].lower() == code


def _sides(
    group: _Group, texts: OpusTexts, file: str, line: int, log: StreamLog
) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the sentences of both documents by id; one that cannot be read is a fault (E203), told once."""
    found: list[dict[str, str]] = []
    for name in (group.source, group.target):
        try:
            with texts.open(name) as stream:
                found.append(read_sentences(stream))
        except FileNotFoundError:
            advice = "name the folder or zip file in which it lies with --texts"
            log.add("E203", f"the document “{name}” is not there", advice, file, line)
        except _BROKEN as error:
            log.add(
                "E203", f"the document “{name}” cannot be read ({_first_line(error)})", "unpack it anew", file, line
            )
    return (found[0], found[1]) if len(found) == 2 else None


def read_sentences(stream: IO[bytes]) -> dict[str, str]:
    """Return the sentences of a document of OPUS: id → text.

    Text is what stands in ``s``; of tokenised documents the words (``w``) joined by spaces. White space is made one
    space.

    Raises:
        SyntaxError: it is no XML.
        OSError: it cannot be read.
    """
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


def _row(
    element: Any, group: _Group, sides: tuple[dict[str, str], dict[str, str]], file: str, number: int, log: StreamLog
) -> Iterator[Row]:
    first, mark, second = str(element.get("xtargets") or "").partition(";")
    if not mark:
        log.add("E201", f"link {number} has no xtargets with “;”", "unpack it anew", file, element.sourceline)
        return
    ids = [part.split() for part in ((second, first) if group.turned else (first, second))]
    if not all(ids):
        log.notes[UNLINKED] += 1
        return
    missing = [
        f"{name} {one}"
        for name, known, wanted in zip((group.source, group.target), sides, ids, strict=True)
        for one in wanted
        if one not in known
    ]
    if missing:
        cause = f"link {number}: there is no sentence {', '.join(missing)}"
        log.add("E203", cause, "take links and documents of the same release", file, element.sourceline)
        return
    source, target = (
        " ".join(filter(None, (known[one] for one in wanted))) for known, wanted in zip(sides, ids, strict=True)
    )
    if source and target:
        yield Row(_identifier(group), source, {"target": target}, {}, file, number)
    else:
        log.notes[UNLINKED] += 1


def _identifier(group: _Group) -> str:
    return "+".join(_bare(name).partition("/")[2] for name in (group.source, group.target))


def _bare(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".xml")


def _unzipped(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream through gzip if it begins like one."""
    peek = getattr(stream, "peek", None)
    start = peek(2)[:2] if peek is not None else b""
    return unpacked(stream) if start == GZIP_MAGIC else stream


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
