"""Correlations of metrics, and their agreement with people, in a terminal: tables that fit its width."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.evaluation.result import Result
from endophora.report import figures, relations
from endophora.report.plain import plain_table
from endophora.report.relations import Agreeing, Related
from endophora.report.visible import visible

GAP = 3
"""Characters between two columns."""

_COEFFICIENT, _INTERVAL = 5, 14
_WITH_INTERVAL = _COEFFICIENT + 1 + _INTERVAL
_LONGEST = 16
"""Names of rows of the correlation matrix are cut to so many characters."""

_NARROWEST = 11
"""Names beside coefficients of agreement have at least so many characters a line."""


def correlations(result: Result, width: int) -> Iterator[RenderableType]:
    """Return the lower half of the correlation matrix without categories, in as many tables as the width asks for."""
    matrix = relations.correlated(result, categories=False)
    if not matrix:
        return
    yield Text(f"Pearson’s r over the systems’ documents, {relations.pairs_text(result)} pairs", style="bold")
    names = min(max(cell_len(_name(line[0])) for line in matrix[1:]), _LONGEST)
    start = 0
    while start < len(matrix) - 1:
        stop, used = start, names
        while stop < len(matrix) - 1 and (stop == start or used + _needed(matrix[0][stop]) + GAP <= width):
            used += _needed(matrix[0][stop]) + GAP
            stop += 1
        if start:
            yield Text()
        yield _half(matrix, start, stop, names)
        start = stop


def agreements(result: Result, width: int) -> Iterator[RenderableType]:
    """Return a table for each level; categories stand indented under their metrics."""
    rows = relations.agreeing(result)
    if result.human is None or not rows:
        return
    coefficients = relations.coefficients(result)
    intervals = _NARROWEST + len(coefficients) * (_WITH_INTERVAL + GAP) <= width
    yield Text(f"Agreement with {visible(result.human.name)} ({relations.direction(result.human)})", style="bold")
    for level in relations.levels(result):
        used = len(coefficients) * ((_WITH_INTERVAL if intervals else len("spearman")) + GAP)
        yield _agreement(rows, level, coefficients, names=max(width - used, _NARROWEST), intervals=intervals)
        yield Text()


def _half(matrix: list[list[Related]], start: int, stop: int, names: int) -> Table:
    """Return some columns of the lower half of the matrix, with the rows that have anything in them."""
    table = plain_table()
    table.add_column("", no_wrap=True, overflow="ellipsis", width=names)
    for cell in matrix[0][start:stop]:
        name = visible(figures.title(cell.second.name))
        table.add_column(Text(name), justify="right", vertical="bottom", width=_needed(cell))
    for place, line in enumerate(matrix[start + 1 :], start + 1):
        cells = [cell.value if at < place else "" for at, cell in enumerate(line)]
        table.add_row(Text(_name(line[0])), *cells[start:stop])
    return table


def _agreement(rows: list[Agreeing], level: str, coefficients: list[str], *, names: int, intervals: bool) -> Table:
    """Return the coefficients of a level, with the level and the number of pairs in the head."""
    table = plain_table()
    counts = [pairs for row in rows if (pairs := relations.pairs_of(row, level)) is not None]
    table.add_column(Text(f"{level}s, {relations.span_text(counts)} pairs"), overflow="fold", max_width=names)
    for name in coefficients:
        table.add_column(name.capitalize(), justify="right", vertical="bottom", no_wrap=True)
    for row in rows:
        shown: list[Text] = []
        for name in coefficients:
            one = row.found.get((level, name))
            figure = Text(relations.coefficient_text(one and one.value))
            if intervals and one is not None and one.interval is not None:
                figure.append(f" {relations.range_text(one.interval):>{_INTERVAL}}", style="dim")
            shown.append(figure)
        indent = "  " if row.column.kind == "category" else ""
        table.add_row(Text(indent + visible(figures.heading(row.column))), *shown)
    return table


def _name(cell: Related) -> str:
    return visible(figures.title(cell.first.name))


def _needed(cell: Related) -> int:
    """Return the width of a column: that of its longest word or figure."""
    return max(_COEFFICIENT, *(cell_len(word) for word in visible(figures.title(cell.second.name)).split() or [""]))
