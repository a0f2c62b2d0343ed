"""Parallel text to train on: sentence pairs, and documents from handbooks, help, websites and programs.

All readers yield :class:`TextPair`.

A page of XML or HTML and its translation have nearly the same blocks (headings, paragraphs, items) in the same order.
Blocks are paired one to one along the cheapest path: of one kind, and of like length (Gale and Church 1993 pair
sentences by length alone; here the marks of the page say more). What has no counterpart is left out.

A game's scene is a script whose speeches are marked as gettext asks, ``_ "Who goes there?"``, ``_("…")``, ``_([[…]])``.
The translations are in compiled catalogues (``.mo``). A catalogue alone has no order; with a script it is a document.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError, refuse


@dataclass(frozen=True, slots=True)
class TextPair:
    """A text in two languages, and the name of the collection that it is from."""

    collection: str
    source: str
    target: str


HELP = "libreoffice-help"
"""The collection that LibreOffice's help is."""


def read_pairs(path: Path, collections: Collection[str] = ()) -> Iterator[TextPair]:
    """Read tab-separated pairs, plain or ``.gz``: source and target, or first the collection's name (E080)."""
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
    """Read LibreOffice's help page by page: the page's path, and its paragraphs in order (E081)."""
    refuse(
        Fault("E081", "there is no such folder", "install or unpack libreoffice-help-…", str(folder / name))
        for name in (source, target)
        if not (folder / name).is_dir()
    )
    for page in sorted((folder / source).rglob("*.html")):
        name = page.relative_to(folder / source)
        other = folder / target / name
        if not other.is_file():
            continue
        ours, theirs = (_Paragraphs(path.read_text("utf-8")).texts for path in (page, other))
        texts = ((" ".join(text.split()), " ".join(theirs.get(key, "").split())) for key, text in ours.items())
        if pairs := [TextPair(HELP, *both) for both in texts if all(both)]:
            yield name.as_posix(), pairs


def help_folder(folder: Path, language: str) -> str:
    """Return the name of a language's folder: its code, or the only one that begins with it, as ``en-US`` (E081)."""
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if language in names:
        return language
    found = [name for name in names if name.startswith(f"{language}-")]
    if len(found) != 1:
        cause = f"no folder of the language “{language}”" if not found else f"several folders: {', '.join(found)}"
        advice = "name both folders: --libreoffice-folders en-US,zh-CN"
        raise InputError(Fault("E081", cause, advice, str(folder)))
    return found[0]


def letters_and_digits(text: str) -> str:
    """Return a text's letters and digits, in lower case: what makes two texts the same."""
    return "".join(filter(str.isalnum, text.lower()))


def read_messages(path: Path) -> Iterator[tuple[str, str]]:
    """Read a compiled catalogue: each message and its translation, of plurals the first form, without the context.

    GNU's binary format is a head of seven numbers, then two tables of strings.
    """
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    _, count, originals, translations = struct.unpack_from(f"{order}4I", data, 4)
    for number in range(count):
        texts: list[str] = []
        for table in (originals, translations):
            size, at = struct.unpack_from(f"{order}2I", data, table + 8 * number)
            texts.append(data[at : at + size].decode("utf-8"))
        if texts[0]:
            yield texts[0].rpartition("\x04")[2].partition("\0")[0], texts[1].partition("\0")[0]


class _Paragraphs(HTMLParser):
    """Collects the texts of the elements that have an id and hold a paragraph or a heading."""

    _KINDS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._open: str | None = None
        self.feed(page)

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


_SWITCH = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_SIGN = re.compile(r"[*?]")

_ENTITY = re.compile(r"&([\w.-]+);")
"""What the page's own definitions would resolve, mostly the name of a program."""

_PAD = 10
"""Characters added to both lengths, so that short blocks may differ by a word."""

_SKIP = 0.7
"""Cost of a block without a counterpart; that of a pair is the difference of the logarithms of its lengths."""

_BAND = 60
"""How far from the diagonal a pair may lie, in blocks; pages that drift further apart are no translations."""


@cache
def _kinds() -> dict[str, frozenset[str]]:
    """Return the elements and suffixes of ``pages.yaml``."""
    table = files("endophora.training.translation").joinpath("pages.yaml").read_text("utf-8")
    return {kind: frozenset(names) for kind, names in cast("dict[str, list[str]]", load_yaml(table)).items()}


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A piece of a page."""

    kind: str
    text: str


class _Blocks(HTMLParser):
    """Collects the blocks of a page; marks within a block (emphasis, links) leave their text in it."""

    def __init__(self) -> None:
        super().__init__()
        kinds = _kinds()
        self._no_prose, self._headings = kinds["no_prose"], kinds["headings"]
        self._ends = kinds["headings"] | kinds["paragraphs"] | kinds["frames"]
        self.blocks: list[PageBlock] = []
        self._kind = "paragraph"
        self._text: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Begin a block, or what is not prose."""
        if tag in self._no_prose:
            self._silent.append(tag)
        elif tag in self._ends:
            self.flush("heading" if tag in self._headings else "paragraph")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass over an empty element: it begins nothing."""

    def handle_endtag(self, tag: str) -> None:
        """End a block, or what is not prose."""
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()
        elif tag in self._ends:
            self.flush("paragraph")

    def handle_data(self, data: str) -> None:
        """Add text to the block."""
        if not self._silent:
            self._text.append(data)

    def flush(self, kind: str) -> None:
        """End the block at work, and begin one of this kind."""
        text = " ".join(_ENTITY.sub(r"\1", "".join(self._text)).split())
        if any(map(str.isalpha, text)):
            self.blocks.append(PageBlock(self._kind, text))
        self._kind, self._text = kind, []


def page_blocks(page: str) -> list[PageBlock]:
    """Return the blocks of a page of HTML, DocBook or Mallard that hold letters; listings are left out."""
    parser = _Blocks()
    parser.feed(page)
    parser.close()
    parser.flush("paragraph")
    return parser.blocks


def pair_blocks(source: Sequence[PageBlock], target: Sequence[PageBlock]) -> Iterator[tuple[str, str]]:
    """Yield the texts of the blocks that are each other's translation, in order."""
    costs: dict[tuple[int, int], float] = {(0, 0): 0.0}
    steps: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(len(source) + 1):
        middle = round(i * len(target) / max(1, len(source)))
        for j in range(max(0, middle - _BAND), min(len(target), middle + _BAND) + 1):
            ways = [
                (costs[i - di, j - dj] + cost, (di, dj))
                for di, dj, cost in _ways(source, target, i, j)
                if (i - di, j - dj) in costs
            ]
            if ways:
                costs[i, j], steps[i, j] = min(ways)
    pairs: list[tuple[str, str]] = []
    at = (len(source), len(target))
    while at in steps:
        step = steps[at]
        at = (at[0] - step[0], at[1] - step[1])
        if step == (1, 1):
            pairs.append((source[at[0]].text, target[at[1]].text))
    yield from reversed(pairs)


def _ways(source: Sequence[PageBlock], target: Sequence[PageBlock], i: int, j: int) -> Iterator[tuple[int, int, float]]:
    if i:
        yield 1, 0, _SKIP
    if j:
        yield 0, 1, _SKIP
    if i and j and source[i - 1].kind == target[j - 1].kind:
        lengths = (len(source[i - 1].text) + _PAD, len(target[j - 1].text) + _PAD)
        cost = abs(math.log(lengths[1] / lengths[0]))
        if cost < 2 * _SKIP:
            yield 1, 1, cost


def read_pages(collection: str, pattern: str) -> Iterator[tuple[str, list[TextPair]]]:
    """Read pages in two languages, page by page: its id, and its pairs in order (E343, E344).

    The id is the collection, and the path in the first language from where the pattern is no longer plain. The pattern
    is a path with ``*`` and ``**`` as in a shell and with the places where the languages' paths differ, as
    ``/usr/share/help/{C|de}/**/*.page`` or ``guide{|-de}/*.{en|de}.html``; none of them between two ``*``.
    """
    signs = [found.start() for found in _SIGN.finditer(pattern)] or [len(pattern)]
    begin, middle, end = pattern[: signs[0]], pattern[signs[0] : signs[-1] + 1], pattern[signs[-1] + 1 :]
    if not _SWITCH.search(begin + end) or _SWITCH.search(middle):
        cause = "the path does not show that of a page's translation"
        advice = "write {en|de} where they differ, before the first * or after the last"
        raise InputError(Fault("E343", cause, advice, pattern))
    number = 0
    plain = min(signs[0], *(found.start() for found in _SWITCH.finditer(pattern)))
    ours, theirs = ([_SWITCH.sub(side, part) for part in (begin, end)] for side in (r"\1", r"\2"))
    for path in _found(ours[0] + middle + ours[1]):
        name = path[len(ours[0]) : len(path) - len(ours[1])]
        other = Path(theirs[0] + name + theirs[1])
        if Path(path).suffix not in _kinds()["suffixes"] or not other.is_file():
            continue
        blocks = (page_blocks(page.read_text("utf-8", "replace")) for page in (Path(path), other))
        if pairs := [TextPair(collection, *texts) for texts in pair_blocks(*blocks)]:
            number += 1
            yield f"{collection}/{path[plain:]}", pairs
    if not number:
        advice = "see whether the path, with either language, is that of the pages"
        raise InputError(Fault("E344", "no page that is there in both languages", advice, pattern))


def _found(pattern: str) -> list[str]:
    """Return the files of a pattern, each beginning as the pattern does."""
    parts = Path(pattern).parts
    fixed = next((number for number, part in enumerate(parts) if _SIGN.search(part)), len(parts) - 1)
    base, rest = Path(*parts[:fixed]), "/".join(parts[fixed:])
    begin = pattern[: len(pattern) - len(rest)]
    return sorted(begin + path.relative_to(base).as_posix() for path in base.glob(rest) if path.is_file())


_DOUBLED = re.compile(r'\b_\s*\(?\s*"((?:[^"]|"")*)"')
"""A marked text of Wesnoth's markup: a quotation mark in it is doubled."""

_ESCAPED = re.compile(
    r"""\b_\s*\(?\s*(?:\[\[(?P<long>.*?)\]\]|"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)')""", re.DOTALL
)
"""A marked text of Lua, Python, JavaScript or C: a sign in it is escaped."""

_SUFFIXES = (".cfg", ".lua", ".py", ".js")
_SIGNS = {"n": "\n", "t": "\t"}
_MARKS = re.compile(r"<[^<>]*>|#[a-zA-Z0]\b")
"""Marks of colour and style within a text."""


def marked_texts(script: str, doubled: bool) -> Iterator[str]:
    """Yield the texts that a script marks for translation, in order, as a catalogue has them.

    ``doubled``: a quotation mark in a text is doubled, as in Wesnoth's markup, and not escaped.
    """
    if doubled:
        for found in _DOUBLED.finditer(script):
            yield found[1].replace('""', '"')
        return
    for found in _ESCAPED.finditer(script):
        text = found["long"]
        if text is not None:
            yield text.removeprefix("\n")
        else:
            yield re.sub(r"\\(.)", lambda sign: _SIGNS.get(sign[1], sign[1]), found["double"] or found["single"] or "")


def read_scripts(collection: str, folder: Path, language: str) -> Iterator[tuple[str, list[TextPair]]]:
    """Read a program's scripts: the collection and the script's path, and its marked texts with their translations.

    The folder holds scripts (``.cfg`` of Wesnoth; ``.lua``, ``.py``, ``.js``) and catalogues
    (``LANGUAGE/LC_MESSAGES/*.mo``) at any depth.

    Raises: InputError: there is no catalogue of the language (E081), or no script with a text that one has (E344).
    """
    catalogues = sorted(folder.rglob(f"{language}/LC_MESSAGES/*.mo"))
    if not catalogues:
        cause = f"there is no {language}/LC_MESSAGES/….mo in it"
        raise InputError(Fault("E081", cause, "unpack the program's translations there", str(folder)))
    translations = {message: text for path in catalogues for message, text in read_messages(path) if text}
    number = 0
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()):
        texts = marked_texts(path.read_text("utf-8", "replace"), path.suffix == ".cfg")
        # What a text is about may stand before it: "female^Guard".
        both = ((text.rpartition("^")[2], translations[text]) for text in texts if text in translations)
        if pairs := [TextPair(collection, *(" ".join(_MARKS.sub("", one).split()) for one in two)) for two in both]:
            number += 1
            yield f"{collection}/{path.relative_to(folder).as_posix()}", pairs
    if not number:
        cause, advice = "no script has a text of the catalogues", "unpack the program's data there"
        raise InputError(Fault("E344", cause, advice, str(folder)))
