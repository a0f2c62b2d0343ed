"""JSON Lines: one segment a line, with ``document``, ``source``, ``references`` and ``outputs`` (name → text)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from endophora.corpus.lines import PathLike, display_name, each_line, is_cut
from endophora.corpus.records import Corpus
from endophora.corpus.streams import Row, StreamLog
from endophora.corpus.writing import check_writable, write_lines

_KEYS = frozenset({"document", "source", "references", "outputs"})


def jsonl_rows(path: PathLike, log: StreamLog) -> Iterator[Row]:
    """Yield the segments of our JSON Lines.

    Args:
        path: the file, gzipped or not, or ``-``.
        log: takes the faults: E001–E007, malformed JSON or a key that is there twice (E018), a key that is missing or
            of the wrong type (E019).
    """
    file = display_name(path)
    unused: set[str] = set()
    for number, text in each_line(path, log):
        if text is None or (value := _parse(text, file, number, log)) is None:
            continue
        line = _Line(file, number, log)
        source, document = line.text(value, "source"), line.text(value, "document", default="")
        references, outputs = line.texts(value, "references"), line.texts(value, "outputs")
        if source is None or document is None or references is None or outputs is None:
            continue
        unused.update(value.keys() - _KEYS)
        yield Row(document if "document" in value else None, source, references, outputs, file, number)
    if unused:
        log.remarks.append(f"Keys of {file} that were not used: {', '.join(sorted(unused))}.")


def write_jsonl(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as JSON Lines, gzipped if the path says so.

    Raises:
        InputError: a text has a NUL or half of a surrogate pair (E022), or the file cannot be written (E026).
    """
    check_writable(corpus, "JSON Lines", forbidden="")
    write_lines(
        path,
        (
            json.dumps(
                {
                    "document": document.id,
                    "source": segment.source,
                    "references": {name: segment.references[name] for name in corpus.references},
                    "outputs": {name: segment.outputs[name] for name in corpus.systems},
                },
                ensure_ascii=False,
            )
            for document in corpus.documents
            for segment in document.segments
        ),
    )


class _TwiceError(ValueError):
    """A JSON object has a key twice; Python would keep the last without a word."""


def _parse(text: str, file: str, number: int, log: StreamLog) -> Mapping[str, object] | None:
    """Return the object of a line, or note why there is none (E018, E019)."""
    try:
        # As floats, numbers of any length parse; none is wanted, and each is reported where it stands.
        value: object = json.loads(text, object_pairs_hook=_unique_keys, parse_int=float)
    except json.JSONDecodeError as error:
        if text.strip():
            cause = f"malformed JSON at column {error.colno}: {error.msg}"
            log.add("E018", cause, "write one JSON object a line", file, number)
        else:
            log.add("E018", "the line is empty", "delete it", file, number)
    except _TwiceError as error:
        log.add("E018", f"the key “{error}” is there twice", "keep one of them", file, number)
    except RecursionError:
        log.add("E018", "the JSON is nested too deeply", "write one flat object a line", file, number)
    else:
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        log.add("E019", "the line is no JSON object", 'write {"source": "…", …}', file, number)
    return None


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return value


class _Line:
    """Takes texts out of a line's object, and notes what is wrong with them (E006, E007, E019)."""

    def __init__(self, file: str, number: int, log: StreamLog) -> None:
        self._place = (file, number)
        self._log = log

    def text(self, value: Mapping[str, object], key: str, default: str | None = None) -> str | None:
        """Return the text of a key."""
        text = value.get(key, default)
        if text is None and key not in value:
            self._log.add("E019", f"the key “{key}” is missing", "every line needs it", *self._place)
        elif not isinstance(text, str):
            self._log.add("E019", f"“{key}” is no text", "put it in double quotes", *self._place)
        elif self._is_sound(text, key):
            return text
        return None

    def texts(self, value: Mapping[str, object], key: str) -> dict[str, str] | None:
        """Return the object of names and texts of a key."""
        named = value.get(key, {})
        if not isinstance(named, dict):
            advice = f'write "{key}": {{"NAME": "…"}}'
            self._log.add("E019", f"“{key}” is no object of names and texts", advice, *self._place)
            return None
        items = cast("dict[str, object]", named)
        texts = {name: self.text(items, name) for name in items if self._is_sound(name, key)}
        whole = {name: text for name, text in texts.items() if text is not None}
        return whole if len(whole) == len(items) else None

    def _is_sound(self, text: str, key: str) -> bool:
        """Tell whether a text could stand in a UTF-8 file; JSON's escapes can say what UTF-8 cannot."""
        if "\0" in text:
            self._log.add("E007", f"a NUL character in “{key}”", "remove \\u0000", *self._place)
        elif is_cut(text):
            cause = f"half of a surrogate pair in “{key}”"
            self._log.add("E006", cause, "a character was cut in two; write it again", *self._place)
        else:
            return True
        return False
