"""JSON documents read with care: the file, then one object at a time, every fault noted and none raised."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import cast

from pydantic_core import from_json

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import too_long
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.suites.records import Json
from endophora.suites.whole import SHORTEN_ADVICE, whole_file

_CUT = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair."""
_ABSENT = object()


def read_json(path: PathLike, log: FaultLog) -> Json:
    """Read a JSON document, gzipped or not, or from ``-``; ``None`` if it has a fault.

    Args:
        path: the file.
        log: takes the faults: E001–E007 of the file, malformed JSON and halves of surrogate pairs (E170).
    """
    body = whole_file(path)
    if body is not None:
        try:
            # Twice as fast as what follows, which says of a fault what and where it is. Halves of surrogate pairs,
            # nesting too deep and numbers too long are faults to it, as to what follows.
            return cast("Json", from_json(body, cache_strings="keys"))
        except ValueError:
            pass
    text = _text(path, body, log)
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
        log.add("E170", "half of a surrogate pair", "a character was cut in two; write it anew", file, line)
    except (RecursionError, ValueError):
        log.add("E170", "JSON that no suite has: nested too deeply, or a number too long", "correct it", file, line)
    else:
        return value
    return None


def _text(path: PathLike, body: bytes | None, log: FaultLog) -> str | None:
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
    """One JSON object: gives its values by key and type, notes what is missing or of another type (E172).

    Args:
        value: the object.
        where: names it in messages, such as ``item 3``.
        file: name of the file.
        log: takes the faults.
        line: its line, or what finds it: only messages need it.
    """

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
        """Tell whether a key is there."""
        return key in self._value

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


def read_objects(path: PathLike, log: FaultLog) -> list[dict[str, Json]]:
    """Return the objects of a JSON file that is a list of objects; none if it is not.

    Args:
        path: the file, gzipped or not, or ``-``.
        log: takes the faults; a file that is no such list is one (E170).
    """
    value = read_json(path, log)
    if value is None and log:
        return []
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        log.add("E170", "this is no list of JSON objects", "name the suite's JSON file", display_name(path))
        return []
    return cast("list[dict[str, Json]]", value)


def each_object(path: PathLike, log: FaultLog) -> Iterator[Fields]:
    """Yield the objects of a JSON file that is a list of objects.

    Args:
        path: the file, gzipped or not, or ``-``.
        log: takes the faults; a file that is no such list is one (E170).
    """
    return fields_of(read_objects(path, log), path, log)


def fields_of(objects: Sequence[Mapping[str, Json]], path: PathLike, log: FaultLog) -> Iterator[Fields]:
    """Yield the objects that :func:`read_objects` found in a file."""
    file, line = display_name(path), _line_of_objects(path)
    for index, item in enumerate(objects):
        yield Fields(item, f"item {index + 1}", file, log, partial(line, index))


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
