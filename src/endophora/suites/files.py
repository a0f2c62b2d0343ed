"""What the formats of suites share: files of JSON objects and of lines, read with faults noted, and written."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import cast

from pydantic_core import from_json

from endophora.corpus.faults import FaultLog, too_long
from endophora.corpus.lines import (
    GZIP_MAGIC,
    STDIN,
    Lines,
    PathLike,
    display_name,
    each_line,
    is_cut,
    read_lines,
    unpacked,
)
from endophora.corpus.writing import write_lines
from endophora.suites.records import Item, Json, Suite

SHORTEN_ADVICE = "shorten it, or leave the item out of the suite and of all outputs: a segment is a paragraph at most"
"""What to do about a segment of a suite that is too long: lines cannot be split, since an item has one."""


def check_lengths(lines: Lines, log: FaultLog) -> None:
    """Note the lines that are too long for a segment (E345)."""
    for index, text in enumerate(lines.texts):
        if cause := too_long(text):
            log.add("E345", cause, SHORTEN_ADVICE, lines.file, index + 1)


def whole_file(path: PathLike, size: int = -1) -> bytes | None:
    """Return what a file holds, or its first bytes, unpacked and without a byte order mark.

    ``None`` if it is standard input, cannot be read, is empty or has a NUL byte: :mod:`endophora.corpus.lines` reads
    it, or says what is wrong.
    """
    if str(path) == STDIN:
        return None
    try:
        with Path(path).open("rb") as stream:
            body = (unpacked(stream) if stream.peek(2).startswith(GZIP_MAGIC) else stream).read(size)
    except (OSError, EOFError, zlib.error):
        return None
    body = body.removeprefix(codecs.BOM_UTF8)
    return body if body and b"\0" not in body else None


_CUT = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair."""
_PAIR = re.compile(r"(?:^|[._])([a-z]{2})-([a-z]{2})(?=[._]|$)")
_ABSENT = object()


def read_json(path: PathLike, log: FaultLog) -> Json:
    """Read a JSON document, gzipped or not, or from ``-``; ``None`` if it has a fault."""
    body = whole_file(path)
    if body is not None:
        try:
            # Twice as fast as what follows, which says of a fault what and where it is. Halves of surrogate pairs,
            # nesting too deep and numbers too long are faults to it, as to what follows.
            return cast("Json", from_json(body, cache_strings="keys"))
        except ValueError:
            pass
    text = _read_text(path, body, log)
    return None if text is None else parse_json(text, display_name(path), log)


def parse_json(text: str, file: str, log: FaultLog, line: int | None = None) -> Json:
    """Parse JSON; ``None`` if it has a fault, which is noted (E170)."""
    try:
        value = cast("Json", json.loads(text))
        if _CUT.search(text):
            # UTF-8 cannot say it, so no output could be written or compared.
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        cause, where = f"malformed JSON at column {error.colno}: {error.msg}", line or error.lineno
        log.add("E170", cause, "correct it; was the file cut off?", file, where)
    except UnicodeEncodeError:
        log.add("E170", "half of a surrogate pair", "a character was cut in two; write it again", file, line)
    except (RecursionError, ValueError):
        log.add("E170", "JSON that no suite has: nested too deeply, or a number too long", "correct it", file, line)
    else:
        return value
    return None


def _read_text(path: PathLike, body: bytes | None, log: FaultLog) -> str | None:
    """Return the text of a file; where anything is wrong with it, note what."""
    try:
        if body is not None:
            return body.decode()
    except UnicodeDecodeError:
        pass
    before = len(log.faults())
    lines = [text for _, text in each_line(path, log)]
    return None if len(log.faults()) > before else "\n".join(text or "" for text in lines)


class Fields:
    """One JSON object: gives its values by key and type, notes what is missing or of another type (E172)."""

    def __init__(
        self,
        value: Mapping[str, Json],
        where: str,
        file: str,
        log: FaultLog,
        line: int | Callable[[], int | None] | None = None,
    ) -> None:
        self._value, self._where, self._file, self._log, self._line = value, where, file, log, line
        # What is asked for is taken out; so the rest costs nothing to know.
        self._rest = dict(value)
        self.sound = True

    def fault(self, cause: str, advice: str = "compare it with the suite as published") -> None:
        """Note what is wrong with this object (E172)."""
        self._fault("E172", cause, advice)

    def text(self, *keys: str, default: str | None = None) -> str:
        """Return the text of the first key that is there; null is empty text."""
        key, found = self._find(keys)
        if isinstance(found, str):
            if long := too_long(found):
                self._fault("E345", f"“{key}”: {long}", SHORTEN_ADVICE)
            return found
        if found is None:
            if key is None and default is None:
                self.fault(f"the key “{keys[0]}” is missing")
            return default or ""
        self.fault(f"“{key}” is no text")
        return ""

    def one_of(self, key: str, known: Sequence[str]) -> str:
        """Return the text of a key; only those that are known are right."""
        text = self.text(key)
        if text not in known:
            self.fault(f"the {key} “{text}” is unknown", f"one of: {', '.join(known)}")
        return text

    def many(self, *keys: str, default: str | None = None) -> list[str]:
        """Return the texts of several keys, as :meth:`text` would one by one, but faster where nothing is wrong."""
        take = self._rest.pop
        values = [take(key, None) for key in keys]
        if set(map(type, values)) == {str} and not any(map(too_long, cast("list[str]", values))):
            return cast("list[str]", values)
        for key in keys:
            if key in self._value:
                self._rest[key] = self._value[key]
        return [self.text(key, default=default) for key in keys]

    def number(self, key: str, default: int | None = None) -> int | None:
        """Return a whole number; ``None`` for null, or where it is missing and there is no default."""
        there, found = self._find((key,))
        if there is None:
            return default
        if isinstance(found, str) and re.fullmatch(r"-?\d{1,18}", found):
            return int(found)
        if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
            self.fault(f"“{key}” is no whole number")
            return default
        return found

    def texts(self, key: str, least: int = 0) -> tuple[str, ...]:
        """Return a list of texts."""
        found = self._find((key,))[1]
        if not isinstance(found, list) or not all(isinstance(text, str) for text in found) or len(found) < least:
            self.fault(f"“{key}” is no list of {least or 'any'} or more texts")
            return ()
        texts = tuple(cast("list[str]", found))
        for text in texts:
            if long := too_long(text):
                self._fault("E345", f"“{key}”: {long}", SHORTEN_ADVICE)
        return texts

    def objects(self, key: str) -> Iterator[Fields]:
        """Yield the objects of a list."""
        found = self._find((key,))[1]
        if not isinstance(found, list) or not all(isinstance(value, dict) for value in found):
            self.fault(f"“{key}” is no list of objects")
            return
        for number, value in enumerate(cast("Sequence[dict[str, Json]]", found), start=1):
            inner = Fields(value, f"{self._where}, {key} {number}", self._file, self._log, self._line)
            yield inner
            self.sound = self.sound and inner.sound

    def object(self, key: str) -> Fields | None:
        """Return the object of a key; ``None`` if it is null or missing."""
        found = self._find((key,))[1]
        if found is None:
            return None
        if not isinstance(found, dict):
            self.fault(f"“{key}” is no object")
            return None
        return Fields(found, f"{self._where}, {key}", self._file, self._log, self._line)

    def has(self, key: str) -> bool:
        """Return whether a key is there."""
        return key in self._value

    def known(self, key: str) -> bool:
        """Return whether a key is there and not null."""
        return self._value.get(key) is not None

    def rest(self) -> dict[str, Json]:
        """Return what was not asked for."""
        return self._rest

    def _fault(self, code: str, cause: str, advice: str) -> None:
        self.sound = False
        line = self._line() if callable(self._line) else self._line
        self._log.add(code, f"{self._where}: {cause}", advice, self._file, line)

    def _find(self, keys: tuple[str, ...]) -> tuple[str | None, Json]:
        for key in keys:
            found = self._rest.pop(key, _ABSENT)
            if found is not _ABSENT:
                return key, cast("Json", found)
        return None, None


def _read_objects(path: PathLike, log: FaultLog) -> list[dict[str, Json]]:
    """Return the objects of a JSON file that is a list of objects; none if it is not."""
    value = read_json(path, log)
    if log:
        return []
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        log.add("E170", "this is no list of JSON objects", "name the suite's JSON file", display_name(path))
        return []
    return cast("list[dict[str, Json]]", value)


def read_items(path: PathLike, make: Callable[[Fields, int], Item | None]) -> tuple[Item, ...]:
    """Return the items of a JSON file that is a list of objects, made of each object and its index."""
    log, file, line = FaultLog(), display_name(path), _line_of_objects(path)
    made = [
        make(Fields(one, f"item {index + 1}", file, log, partial(line, index)), index)
        for index, one in enumerate(_read_objects(path, log))
    ]
    items = tuple(item for item in made if item is not None)
    log.check()
    return items


def write_objects(path: PathLike, objects: Sequence[Mapping[str, Json]]) -> None:
    """Write a list of objects as JSON, indented by two as the published files are, text not escaped."""
    write_lines(path, json.dumps(objects, ensure_ascii=False, indent=2).split("\n"))


def languages_in(name: str) -> tuple[str, str]:
    """Return the last language pair in a file's name, as in ``gender.opensubtitles.en-de.test.json``; else nothing."""
    found = _PAIR.findall(name.replace("\\", "/").rpartition("/")[2])
    return found[-1] if found else ("", "")


def _line_of_objects(path: PathLike) -> Callable[[int], int | None]:
    """Return what finds the line on which an object of a list begins, for messages: the file is read again.

    It finds ``None`` in standard input, which is read once.
    """

    @cache
    def lines() -> list[int]:
        """Return the line of each object."""
        text, found, decoder = (whole_file(path) or b"").decode(errors="replace"), list[int](), json.JSONDecoder()
        line, before, place = 1, 0, text.find("{")
        while place >= 0:
            line += text.count("\n", before, place)
            found.append(line)
            before = place
            place = text.find("{", decoder.raw_decode(text, place)[1])
        return found

    return lambda index: lines()[index] if index < len(lines()) else None


def read_together(paths: Mapping[str, Path], log: FaultLog) -> dict[str, list[str]]:
    """Return the lines of files that belong together: as many in each, or it is a fault (E179)."""
    missing = [path for path in paths.values() if not path.exists()]
    for path in missing:
        others = ", ".join(other.name for other in paths.values() if other.exists()) or "none"
        cause = f"a file of the suite is missing; of those that belong together there are: {others}"
        log.add("E179", cause, "copy all files of the suite into one folder", str(path))
    if missing:
        return {name: [] for name in paths}
    found = {name: read_lines(path, log) for name, path in paths.items()}
    for lines in found.values():
        check_lengths(lines, log)
    readable = [lines for lines in found.values() if lines.readable]
    for lines in readable[1:]:
        if len(lines.texts) != len(readable[0].texts):
            cause = f"{len(lines.texts)} lines, and {readable[0].file} has {len(readable[0].texts)}"
            log.add("E179", cause, "copy the suite again: its files have as many lines each", lines.file)
    return {name: lines.texts for name, lines in found.items()}


def check_texts(
    suite: Suite, form: str, *, expected: bool = False, variants: bool = False, lines: bool = False
) -> None:
    """Check that a format can hold every item of a suite, so that nothing is lost in silence (E176)."""
    log = FaultLog()

    def fault(item: Item, cause: str) -> None:
        """Note what a format cannot do with an item."""
        log.add("E176", f"item {item.id}: {cause}", "write our JSON Lines, or leave the item out", form)

    if not suite.items:
        log.add("E176", "the suite has no items", "there is nothing to write", form)
    for item in suite.items:
        if expected and not item.expected:
            fault(item, "it has no expected form")
        if variants and not item.variants:
            fault(item, "it has no wrong translation")
        texts = list(_texts_within(item))
        if any(map(is_cut, texts)):
            fault(item, "half of a surrogate pair")
        if lines and any(mark in text for text in texts for mark in "\t\n\r"):
            fault(item, "a text has a tab or a line end")
    log.check()


def _texts_within(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _texts_within(inner)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple | list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts_within(inner)  # pyright: ignore[reportUnknownArgumentType]
    elif value is not None and hasattr(value, "__slots__"):
        for name in value.__slots__:  # pyright: ignore
            yield from _texts_within(getattr(value, name))  # pyright: ignore


def rows_together(paths: Mapping[str, Path], log: FaultLog) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the number, from 0, and the lines of each item of files that belong together."""
    lines = read_together(paths, log)
    log.check()
    for number, texts in enumerate(zip(*lines.values(), strict=True)):
        yield str(number), texts
