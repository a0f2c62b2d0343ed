"""Tab-separated values with a header: ``document``, ``source``, ``reference:NAME`` and ``system:NAME``.

A field is taken as it stands: there are no quotes and no escapes. ``reference`` alone is a reference of that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from endophora.corpus.assemble import Column, Columns, assemble, select
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import Lines, PathLike, read_lines
from endophora.corpus.records import Corpus
from endophora.corpus.writing import check_writable, rows, write_lines

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
    log = FaultLog()
    lines = read_lines(path, log)
    if not lines.texts:
        log.check()
    names = lines.texts[0].split("\t")
    _check_header(names, lines, log)
    cells, numbers = _cells(lines, len(names), log)
    columns = {name: Column(lines.file, texts, numbers.__getitem__) for name, texts in zip(names, cells, strict=True)}
    if "source" not in columns:
        log.check()
    made = Columns(
        source=columns["source"],
        documents=columns.get("document"),
        references=select(_named(columns, "reference"), references, "reference", log),
        systems=select(_named(columns, "system"), systems, "system", log),
    )
    unused = [name for name in names if name.partition(":")[0] not in _KINDS]
    warnings = [f"Columns of {lines.file} that were not used: {', '.join(unused)}."] if unused else []
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


def _check_header(names: Sequence[str], lines: Lines, log: FaultLog) -> None:
    if "source" not in names:
        advice = "name the columns document, source, reference:NAME, system:NAME"
        log.add("E016", f"the header has no column “source”; it has {', '.join(names)}", advice, lines.file, 1)
    codes = {"system": "E011", "reference": "E012"}
    for name, count in Counter(names).items():
        if count > 1:
            code = codes.get(name.partition(":")[0], "E016")
            log.add(code, f"{count} columns are called “{name}”", "name them apart", lines.file, 1)


def _cells(lines: Lines, width: int, log: FaultLog) -> tuple[list[list[str]], list[int]]:
    """Return the columns' texts and the line of each row; a row of another width is a fault (E017) and left out."""
    table: list[list[str]] = [[] for _ in range(width)]
    numbers: list[int] = []
    for index, text in enumerate(lines.texts[1:], start=1):
        fields = text.split("\t")
        if len(fields) != width:
            cause = f"{len(fields)} fields where the header has {width}"
            advice = "a text may hold no tab" if text else "the line is empty: delete it"
            log.add("E017", cause, advice, lines.file, lines.line(index))
            continue
        numbers.append(lines.line(index))
        for cells, cell in zip(table, fields, strict=True):
            cells.append(cell)
    return table, numbers


def _named(columns: dict[str, Column], kind: str) -> dict[str, Column]:
    """Return the columns of a kind under their own names."""
    return {
        name.partition(":")[2] or kind: column for name, column in columns.items() if name.partition(":")[0] == kind
    }
