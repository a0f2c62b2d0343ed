"""JSON Lines whose faults are told with file and line, all at once: what the readers of this room share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NoReturn, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line, is_cut


class Rows:
    """Reads a JSON Lines file of flat objects.

    Args:
        path: the file, gzipped or not, or ``-``.
        log: takes the faults: those of files (E001–E007), a line that is no JSON object (E310), and a key that is
            missing or has a value of the wrong kind (E312).
    """

    def __init__(self, path: PathLike, log: FaultLog) -> None:
        self.path = path
        self.file = display_name(path)
        self.log = log

    def __iter__(self) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield the number and the object of each line that has one."""
        for number, text in each_line(self.path, self.log):
            value = None if text is None else self._parsed(text, number)
            if value is not None:
                yield number, value

    def text(self, value: dict[str, object], key: str, number: int) -> str | None:
        """Return the text under a key, or note what is wrong with it."""
        if key not in value:
            self._wrong(f"the key “{key}” is missing", "every line needs it", number)
            return None
        return self.sound(value[key], key, number)

    def texts(self, value: dict[str, object], key: str, number: int) -> tuple[str, ...] | None:
        """Return the list of texts under a key, a text by itself as a list of one; note what is wrong with it."""
        if key not in value:
            self._wrong(f"the key “{key}” is missing", "every line needs it; [] is none", number)
            return None
        given = value[key]
        listed = cast("list[object]", given) if isinstance(given, list) else [given]
        sound = [self.sound(one, key, number) for one in listed]
        whole = tuple(text for text in sound if text is not None)
        return whole if len(whole) == len(sound) else None

    def sound(self, text: object, key: str, number: int) -> str | None:
        """Return a text that could stand in a UTF-8 file, or note what it is instead."""
        if not isinstance(text, str):
            self._wrong(f"“{key}” has something that is no text", "put it in double quotes", number)
            return None
        if "\0" in text:
            self.log.add("E007", f"a NUL character in “{key}”", "remove \\u0000", self.file, number)
            return None
        if is_cut(text):
            cause = f"half of a surrogate pair in “{key}”"
            self.log.add("E006", cause, "a character was cut in two; write it anew", self.file, number)
            return None
        return text

    def _wrong(self, cause: str, advice: str, number: int) -> None:
        self.log.add("E312", cause, advice, self.file, number)

    def _parsed(self, text: str, number: int) -> dict[str, object] | None:
        try:
            value: object = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
        except json.JSONDecodeError as error:
            cause = f"malformed JSON at column {error.colno}: {error.msg}" if text.strip() else "the line is empty"
            self.log.add("E310", cause, "write one JSON object a line", self.file, number)
            return None
        except ValueError as error:
            self.log.add("E310", str(error), "write one JSON object a line", self.file, number)
            return None
        except RecursionError:
            self.log.add("E310", "the JSON is nested too deeply", "write one flat object a line", self.file, number)
            return None
        if not isinstance(value, dict):
            self.log.add("E310", "the line is no JSON object", "write one JSON object a line", self.file, number)
            return None
        return cast("dict[str, object]", value)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key “{twice}” is there twice")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
