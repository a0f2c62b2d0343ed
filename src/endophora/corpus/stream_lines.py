"""Streams of rows from files of lines: TSV, JSON Lines, and files that are parallel line by line (Moses)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Any, cast

from endophora.corpus.limits import whole_number
from endophora.corpus.lines import PathLike, display_name, each_line, is_cut
from endophora.corpus.not_plain import HEAD, check_plain
from endophora.corpus.streams import Row, StreamLog


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns of a table are read.

    Attributes:
        document, source: names of columns, or for a TSV file without a header numbers from 1.
        target: the same; empty takes ``target``, or else the first column that is called ``reference`` or
            ``reference:NAME``.
    """

    document: str = "document"
    source: str = "source"
    target: str = ""

    @property
    def numbers(self) -> tuple[int, int, int] | None:
        """The indices of the columns, if they are given by number."""
        document, source, target = map(whole_number, (self.document, self.source, self.target))
        return (document - 1, source - 1, target - 1) if document and source and target else None

    def find(self, names: list[str], file: str, log: StreamLog) -> tuple[int, int, int] | None:
        """Return the indices of the columns; one that is missing or there twice is a fault (E016).

        Args:
            names: all columns of the table, in order.
            file: the file that messages name.
            log: takes the fault.
        """
        target = self.target or next(
            (name for name in names if name == "target" or name.partition(":")[0] == "reference"), "target"
        )
        wanted = (self.document, self.source, target)
        for name in wanted:
            if names.count(name) != 1:
                what = "no column" if name not in names else f"{names.count(name)} columns"
                cause = f"there is {what} “{name}”; there are: {', '.join(names)}"
                advice = "name the columns of document id, source and target: --columns document,source,target"
                log.add("E016", cause, advice, file, 1)
        if any(names.count(name) != 1 for name in wanted):
            return None
        document, source, other = map(names.index, wanted)
        return document, source, other


def tsv_rows(path: PathLike, columns: TableColumns, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of a TSV file.

    Args:
        path: the file, gzipped or not, or ``-``.
        columns: names of its header, or numbers if it has none.
        log: takes the faults: E001–E007, a column that is missing (E016), a line with another number of fields than
            the first (E017).
    """
    file = display_name(path)
    lines = each_line(path, log)
    places, width = columns.numbers, 0
    if places is None:
        _, header = next(lines, (1, None))
        if header is None:
            return
        names = header.split("\t")
        places, width = columns.find(names, file, log), len(names)
        if places is None:
            return
    document, source, target = places
    for number, text in lines:
        if text is None:
            continue
        fields = text.split("\t")
        width = width or max(len(fields), *(place + 1 for place in places))
        if len(fields) != width:
            cause = f"{len(fields)} fields, where {width} are expected"
            log.add("E017", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)
            continue
        yield Row(fields[document], fields[source], fields[target], file, number)


def jsonl_rows(path: PathLike, reference: str | None, log: StreamLog) -> Iterator[Row]:
    """Yield the segments of our JSON Lines.

    Args:
        path: the file, gzipped or not, or ``-``.
        reference: name of the reference to read; by default the only or first one of each line.
        log: takes the faults: E001–E007, malformed JSON (E018), a key that is missing or of the wrong type (E019).
    """
    file = display_name(path)
    for number, text in each_line(path, log):
        if text is None:
            continue
        found = _json_row(text, reference)
        if isinstance(found, str):
            code, _, cause = found.partition(" ")
            log.add(code, cause, "write one segment a line, as docs/formats.md has it", file, number)
        else:
            yield Row(*found, file, number)


def _json_row(text: str, reference: str | None) -> tuple[str, str, str] | str:
    """Return document id, source and target of a line, or a code and what is wrong."""
    try:
        value: object = json.loads(text)
    except ValueError as error:
        return f"E018 malformed JSON ({error})"
    except RecursionError:
        return "E018 malformed JSON (nested too deeply)"
    if not isinstance(value, dict):
        return "E019 the line is no JSON object"
    keys = cast("dict[str, Any]", value)
    references: Any = keys.get("references")
    if not isinstance(references, Mapping) or not references:
        return "E019 “references” is missing, empty, or no object"
    named = cast("Mapping[str, Any]", references)
    name = next(iter(named)) if reference is None else reference
    texts = (keys.get("document"), keys.get("source"), named.get(name))
    for what, found in zip(("“document”", "“source”", f"reference “{name}”"), texts, strict=True):
        if not isinstance(found, str):
            return f"E019 {what} is missing or no text"
        if is_cut(found):
            return f"E019 {what} has half of a surrogate pair"
    return cast("tuple[str, str, str]", texts)


def parallel_rows(source: PathLike, target: PathLike, documents: PathLike, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of three files that are parallel line by line (Moses' layout, with a file of ids).

    Args:
        source: the source text, one segment a line; any of the files may be gzipped, one may be ``-``.
        target: the target text.
        documents: the document id of each line.
        log: takes the faults: E001–E007, files of different length (E008), no plain text (E385).
    """
    paths = (documents, source, target)
    file = display_name(source)
    readers = [each_line(documents, log), _plain(source, log), _plain(target, log)]
    if log.fatal:
        return
    for number, found in enumerate(zip_longest(*readers, fillvalue=None), start=1):
        if None in found:
            _unequal(paths, found, number, readers, log)
            return
        texts = [text for _, text in cast("tuple[tuple[int, str | None], ...]", found)]
        if None not in texts:
            document, one, other = cast("list[str]", texts)
            yield Row(document, one, other, file, number)


def _plain(path: PathLike, log: StreamLog) -> Iterator[tuple[int, str | None]]:
    """Return the lines of a file; a fault (E385) is noted if the first of them show that it is no plain text."""
    reader = each_line(path, log)
    head = list(islice(reader, HEAD))
    check_plain([text or "" for _, text in head], display_name(path), log)
    return chain(head, reader)


def _unequal(
    paths: tuple[PathLike, ...],
    found: tuple[tuple[int, str | None] | None, ...],
    number: int,
    readers: list[Iterator[tuple[int, str | None]]],
    log: StreamLog,
) -> None:
    """Count the rest of the longer files, and note the fault (E008) unless a file could not be read at all."""
    counts = [
        number - 1 if one is None else number + sum(1 for _ in reader)
        for one, reader in zip(found, readers, strict=True)
    ]
    if log.fatal:
        return
    told = ", ".join(f"{count} in {display_name(path)}" for path, count in zip(paths, counts, strict=True))
    advice = "every file needs one line a segment; look for a segment that was split, joined or left out"
    log.add("E008", f"the files have different numbers of lines: {told}", advice, display_name(paths[1]))
