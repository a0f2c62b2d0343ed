"""Tab-separated values with a header: ``document``, ``source``, ``reference:NAME`` and ``system:NAME``.

A field is taken as it stands: there are no quotes and no escapes. ``reference`` alone is a reference of that name, and
so is ``target``, as parallel text has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from endophora.corpus.assemble import Column, Columns, assemble, select
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.records import Corpus
from endophora.corpus.writing import check_writable, rows, write_lines
from endophora.errors import InputError

_KINDS = ("document", "source", "reference", "system")


def read_tsv(
    path: PathLike,
    languages: tuple[str, str] = ("en", "de"),
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Corpus:
    """Read a TSV file.

    Args:
        path: the file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes of source and target.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.

    Raises:
        InputError: with all faults; those of this format are a line with another number of fields than the header
            (E017), a header that lacks ``source`` or has a column twice (E016), and a name that is there twice
            (E011, E012).
    """
    log, file = FaultLog(), display_name(path)
    lines = each_line(path, log)
    _, header = next(lines, (1, None))
    if header is None:
        raise InputError(log.faults())
    names = header.split("\t")
    _check_header(names, file, log)
    cells, numbers = _cells(lines, len(names), file, log)
    columns = {name: Column(file, texts, numbers.__getitem__) for name, texts in zip(names, cells, strict=True)}
    if "source" not in columns:
        log.check()
    made = Columns(
        source=columns["source"],
        documents=columns.get("document"),
        references=select(_named(columns, "reference"), references, "reference", log),
        systems=select(_named(columns, "system"), systems, "system", log),
    )
    unused = [name for name in names if _split(name)[0] not in _KINDS]
    warnings = [f"Columns of {file} that were not used: {', '.join(unused)}."] if unused else []
    return assemble(made, languages, log, warnings)


def write_tsv(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as TSV, gzipped if the path says so.

    Raises:
        InputError: a text has a tab or a line end, which TSV cannot hold (E022).
    """
    check_writable(corpus, "TSV", forbidden="\t\n")
    header = ["document", "source"]
    header += [f"reference:{name}" for name in corpus.references]
    header += [f"system:{name}" for name in corpus.systems]
    write_lines(path, ("\t".join(row) for row in (header, *rows(corpus))))


def _check_header(names: Sequence[str], file: str, log: FaultLog) -> None:
    if "source" not in names:
        advice = "name the columns document, source, reference:NAME, system:NAME"
        log.add("E016", f"the header has no column “source”; it has {', '.join(names)}", advice, file, 1)
    codes = {"system": "E011", "reference": "E012"}
    for (kind, name), count in Counter(map(_split, names)).items():
        if count > 1:
            cause = f"{count} columns are called “{name or kind}”"
            log.add(codes.get(kind, "E016"), cause, "name them apart", file, 1)


def _cells(
    lines: Iterable[tuple[int, str | None]], width: int, file: str, log: FaultLog
) -> tuple[list[list[str]], list[int]]:
    """Return the columns' texts and the line of each row; a row of another width is a fault (E017) and left out."""
    table: list[list[str]] = [[] for _ in range(width)]
    numbers: list[int] = []
    for number, text in lines:
        if text is None:
            continue
        fields = text.split("\t")
        if len(fields) != width:
            cause = f"{len(fields)} fields where the header has {width}"
            log.add("E017", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)
            continue
        numbers.append(number)
        for cells, cell in zip(table, fields, strict=True):
            cells.append(cell)
    return table, numbers


def _split(column: str) -> tuple[str, str]:
    """Return kind and name of a column; ``reference`` alone is a reference of that name, and ``target`` is one too."""
    kind, _, name = column.partition(":")
    if column == "target":
        return "reference", column
    return kind, name or (kind if kind in ("reference", "system") else "")


def _named(columns: dict[str, Column], kind: str) -> dict[str, Column]:
    """Return the columns of a kind under their own names."""
    split = ((_split(name), column) for name, column in columns.items())
    return {name: column for (found, name), column in split if found == kind}
