"""Tab-separated values with a header: ``document``, ``source``, ``reference:NAME`` and ``system:NAME``.

A field is taken as it stands: there are no quotes and no escapes. ``reference`` alone is a reference of that name, and
so is ``target``, as parallel text has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from endophora.corpus.faults import whole_number
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.records import Corpus
from endophora.corpus.streams import Row, StreamLog
from endophora.corpus.writing import check_writable, rows, write_lines

_KINDS = ("document", "source", "reference", "system")
_TWICE = {"system": "E011", "reference": "E012"}


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Which columns of a table are read, where its header does not say so itself.

    Attributes:
        document, source: names of columns, or for a TSV file without a header numbers from 1.
        target: the same; empty takes the first column that is called ``target``, ``reference`` or ``reference:NAME``.
    """

    document: str = "document"
    source: str = "source"
    target: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table, by their index; ``document`` is ``None`` where there are no ids."""

    document: int | None
    source: int
    references: Mapping[str, int]
    outputs: Mapping[str, int] = field(default_factory=dict[str, int])

    def all(self) -> list[int]:
        """Return the indices of all columns that are read."""
        ids = [] if self.document is None else [self.document]
        return [*ids, self.source, *self.references.values(), *self.outputs.values()]


def find_columns(names: Sequence[str], columns: TableColumns | None, file: str, log: StreamLog) -> Layout | None:
    """Return what the columns of a table are, by their names; ``None`` if the source cannot be told.

    Args:
        names: of all columns, in order.
        columns: the ones that the user named, if any.
        file: for messages.
        log: takes the faults: a column that is missing or there twice (E016), a system (E011) or reference (E012) that
            is.
    """
    if columns is not None:
        return _named_columns(names, columns, file, log)
    if "source" not in names:
        cause = f"there is no column “source”; there are: {', '.join(names)}"
        log.add("E016", cause, "name the columns document, source, reference:NAME, system:NAME", file, 1)
    for (kind, name), count in Counter(map(_split, names)).items():
        if count > 1:
            cause = f"{count} columns are called “{name or kind}”"
            log.add(_TWICE.get(kind, "E016"), cause, "name them apart", file, 1)
    if "source" not in names:
        return None
    if unused := [name for name in names if _split(name)[0] not in _KINDS]:
        log.remarks.append(f"Columns of {file} that were not used: {', '.join(unused)}.")
    references, outputs = (
        {_split(name)[1]: index for index, name in enumerate(names) if _split(name)[0] == kind}
        for kind in ("reference", "system")
    )
    return Layout(names.index("document") if "document" in names else None, names.index("source"), references, outputs)


def _named_columns(names: Sequence[str], columns: TableColumns, file: str, log: StreamLog) -> Layout | None:
    targets = (name for name in names if _split(name)[0] == "reference")
    wanted = (columns.document, columns.source, columns.target or next(targets, "target"))
    for name in wanted:
        if names.count(name) != 1:
            what = "no column" if name not in names else f"{names.count(name)} columns"
            cause = f"there is {what} “{name}”; there are: {', '.join(names)}"
            advice = "name the columns of document id, source and target: --columns document,source,target"
            log.add("E016", cause, advice, file, 1)
    if any(names.count(name) != 1 for name in wanted):
        return None
    document, source, target = map(names.index, wanted)
    return Layout(document, source, {wanted[2]: target})


def _split(column: str) -> tuple[str, str]:
    """Return kind and name of a column; ``reference`` alone is a reference of that name, and ``target`` is one too."""
    kind, _, name = column.partition(":")
    if column == "target":
        return "reference", column
    return kind, name or (kind if kind in _TWICE else "")


def tsv_rows(path: PathLike, columns: TableColumns | None, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of a TSV file.

    Args:
        path: the file, gzipped or not, or ``-``.
        columns: names of its header, or numbers if it has none; by default the header says what they are.
        log: takes the faults: E001–E007, those of the header (:func:`find_columns`), a line with another number of
            fields than the header, or than the first line where there is none (E017).
    """
    file = display_name(path)
    lines = each_line(path, log)
    layout = None if columns is None else _numbered(columns)
    width = 0
    if layout is None:
        _, header = next(lines, (1, None))
        if header is None:
            return
        names = header.split("\t")
        layout, width = find_columns(names, columns, file, log), len(names)
        if layout is None:
            return
    for number, text in lines:
        if text is None:
            continue
        fields = text.split("\t")
        width = width or max(len(fields), *(place + 1 for place in layout.all()))
        if len(fields) != width:
            cause = f"{len(fields)} fields, where {width} are expected"
            log.add("E017", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)
            continue
        yield Row(
            None if layout.document is None else fields[layout.document],
            fields[layout.source],
            {name: fields[place] for name, place in layout.references.items()},
            {name: fields[place] for name, place in layout.outputs.items()},
            file,
            number,
        )


def _numbered(columns: TableColumns) -> Layout | None:
    """Return the columns, if they are given by number."""
    document, source, target = map(whole_number, (columns.document, columns.source, columns.target))
    return Layout(document - 1, source - 1, {"target": target - 1}) if document and source and target else None


def write_tsv(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as TSV, gzipped if the path says so.

    Raises:
        InputError: a text has a tab or a line end, which TSV cannot hold (E022), or the file cannot be written (E026).
    """
    check_writable(corpus, "TSV", forbidden="\t\n")
    header = ["document", "source"]
    header += [f"reference:{name}" for name in corpus.references]
    header += [f"system:{name}" for name in corpus.systems]
    write_lines(path, ("\t".join(row) for row in chain([header], rows(corpus))))
