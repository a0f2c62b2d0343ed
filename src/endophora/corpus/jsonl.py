"""JSON Lines: one segment a line, with ``document``, ``source``, ``references`` and ``outputs`` (name → text)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from endophora.corpus.assemble import Column, Columns, assemble, select
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line, is_cut
from endophora.corpus.records import Corpus
from endophora.corpus.writing import check_writable, write_lines

_KEYS = ("document", "source", "references", "outputs")


def read_jsonl(
    path: PathLike,
    languages: tuple[str, str] = ("en", "de"),
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Corpus:
    """Read a JSON Lines file.

    Args:
        path: the file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes of source and target.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.

    Raises:
        InputError: with all faults; those of this format are malformed JSON (E018), a key that is missing or of the
            wrong type (E019), and a line with other keys or names than the first (E025).
    """
    log, file = FaultLog(), display_name(path)
    table = _Table(file, log)
    for number, text in each_line(path, log):
        if text is not None:
            table.add(text, number)
    if not table.sources:
        log.check()
    columns = Columns(
        source=table.column(table.sources),
        documents=table.column(table.documents) if table.with_documents else None,
        references=select(table.columns(table.references), references, "reference", log),
        systems=select(table.columns(table.outputs), systems, "system", log),
    )
    unused = sorted(table.unused)
    warnings = [f"Keys of {file} that were not used: {', '.join(unused)}."] if unused else []
    return assemble(columns, languages, log, warnings)


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


@dataclass(slots=True)
class _Table:
    """The columns of a file as they grow; a faulty line is left out of all of them."""

    file: str
    log: FaultLog
    numbers: list[int] = field(default_factory=list[int])
    sources: list[str] = field(default_factory=list[str])
    documents: list[str] = field(default_factory=list[str])
    references: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    outputs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    unused: set[str] = field(default_factory=set[str])
    with_documents: bool = False

    def add(self, text: str, number: int) -> None:
        """Add one line, or note what is wrong with it."""
        value = self._parse(text, number)
        if value is None:
            return
        source, document = self._text(value, "source", number), self._text(value, "document", number, default="")
        references, outputs = self._texts(value, "references", number), self._texts(value, "outputs", number)
        if source is None or document is None or references is None or outputs is None:
            return
        if not self.numbers:
            self.with_documents = "document" in value
            self.references = {name: [] for name in references}
            self.outputs = {name: [] for name in outputs}
        if not self._fits(value, references, outputs, number):
            return
        self.unused.update(key for key in value if key not in _KEYS)
        self.numbers.append(number)
        self.sources.append(source)
        self.documents.append(document)
        for name, column in self.references.items():
            column.append(references[name])
        for name, column in self.outputs.items():
            column.append(outputs[name])

    def column(self, texts: Sequence[str]) -> Column:
        """Return texts of this file as a column."""
        return Column(self.file, texts, self.numbers.__getitem__)

    def columns(self, texts: Mapping[str, Sequence[str]]) -> dict[str, Column]:
        """Return named texts of this file as columns."""
        return {name: self.column(column) for name, column in texts.items()}

    def _parse(self, text: str, number: int) -> dict[str, object] | None:
        if not text.strip():
            self.log.add("E018", "the line is empty", "delete it", self.file, number)
            return None
        try:
            # As floats, numbers of any length parse; none is wanted, and each is reported where it stands.
            value: object = json.loads(text, object_pairs_hook=_unique_keys, parse_int=float)
        except json.JSONDecodeError as error:
            cause = f"malformed JSON at column {error.colno}: {error.msg}"
            self.log.add("E018", cause, "write one JSON object a line", self.file, number)
            return None
        except _TwiceError as error:
            self.log.add("E018", f"the key “{error}” is there twice", "keep one of them", self.file, number)
            return None
        except RecursionError:
            self.log.add("E018", "the JSON is nested too deeply", "write one flat object a line", self.file, number)
            return None
        if not isinstance(value, dict):
            self.log.add("E019", "the line is no JSON object", 'write {"source": "…", …}', self.file, number)
            return None
        return cast("dict[str, object]", value)

    def _text(self, value: dict[str, object], key: str, number: int, default: str | None = None) -> str | None:
        text = value.get(key, default)
        if text is None and key not in value:
            self.log.add("E019", f"the key “{key}” is missing", "every line needs it", self.file, number)
            return None
        if not isinstance(text, str):
            cause = f"“{key}” is no text"
            self.log.add("E019", cause, "put it in double quotes", self.file, number)
            return None
        return text if self._sound(text, key, number) else None

    def _sound(self, text: str, key: str, number: int) -> bool:
        """Tell whether a text could stand in a UTF-8 file; JSON's escapes can say what UTF-8 cannot."""
        if "\0" in text:
            self.log.add("E007", f"a NUL character in “{key}”", "remove \\u0000", self.file, number)
            return False
        if is_cut(text):
            cause = f"half of a surrogate pair in “{key}”"
            self.log.add("E006", cause, "a character was cut in two; write it anew", self.file, number)
            return False
        return True

    def _texts(self, value: dict[str, object], key: str, number: int) -> dict[str, str] | None:
        named = value.get(key, {})
        if not isinstance(named, dict):
            cause = f"“{key}” is no object of names and texts"
            self.log.add("E019", cause, f'write "{key}": {{"NAME": "…"}}', self.file, number)
            return None
        items = cast("dict[str, object]", named)
        texts = {name: self._text(items, name, number) for name in items if self._sound(name, key, number)}
        whole = {name: text for name, text in texts.items() if text is not None}
        return whole if len(whole) == len(items) else None

    def _fits(self, value: dict[str, object], references: dict[str, str], outputs: dict[str, str], number: int) -> bool:
        """Check that a line has what the first line has (E025)."""
        differences = [
            f"{kind} {', '.join(sorted(expected ^ found))}"
            for kind, expected, found in (
                ("references", set(self.references), set(references)),
                ("outputs", set(self.outputs), set(outputs)),
                ("document", {""} if self.with_documents else set[str](), {""} if "document" in value else set[str]()),
            )
            if expected != found
        ]
        if differences:
            cause = f"differs from the first line in: {'; '.join(part.strip() for part in differences)}"
            self.log.add("E025", cause, "every line needs the same keys and names", self.file, number)
        return not differences


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return value
