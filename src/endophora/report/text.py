"""The result in a terminal: scores with marks, then counts, then the signature."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from endophora.evaluation.result import Result
from endophora.report import figures
from endophora.report.figures import Cell, Row
from endophora.report.plain import plain_console, plain_table, plain_text
from endophora.report.text_relations import GAP, agreements, correlations
from endophora.report.visible import visible

_MARK = {"": " ", "better": "*", "worse": "†"}
_STYLE = {"": "", "better": "green", "worse": "red"}
_BESIDE = 3
"""Up to so many systems stand side by side, with their intervals, where the width allows."""

_ANY_WIDTH = 10_000
"""Tables are measured on so wide a terminal: a narrow one would answer that its own width is enough."""

_NAME = 16
"""In a table that has a row for each system, no name is cut to less than this."""


def render(result: Result, width: int | None = None) -> str:
    """Return the report as plain text without colours, for pipes and files.

    Args:
        result: what is shown.
        width: characters a line; by default what ``COLUMNS`` or the terminal says.
    """
    console = plain_console(width)
    return plain_text(console, [layout(result, console.width)])


def show(result: Result, console: Console) -> None:
    """Print the report on a console, in its width and, where it has them, in colours."""
    console.print(layout(result, console.width))


def layout(result: Result, width: int) -> RenderableType:
    """Return the report as something that rich prints; every text from data is escaped."""
    parts: list[RenderableType] = [_head(result), Text()]
    if result.corpus.systems and result.columns:
        parts += [*_scores(figures.rows(result), width), _legend(result), Text()]
        parts += _relations(result, width)
    counts = [_counts(result)] if result.phenomena else []
    parts += [*counts, *_warnings(result), Text("signature: " + visible(result.signature), style="dim")]
    return Group(*parts)


def _head(result: Result) -> Text:
    corpus = result.corpus
    head = Text(visible(f"{corpus.source_language} → {corpus.target_language}"), style="bold")
    shown = [f"{figure} {label}" for label, figure in figures.facts(result)[:3]]
    if corpus.systems:
        shown.append(f"{len(corpus.systems)} system{'s' * (len(corpus.systems) != 1)}")
    head.append(visible(f"  {', '.join(shown)}, reference {corpus.references[0]}"), style="not bold")
    return head


def _relations(result: Result, width: int) -> Iterator[RenderableType]:
    """Return what stands after the main table: categories, correlations, agreement with people."""
    for group in figures.categories(result):
        yield Text(f"{visible(group.metric)} by category", style="bold")
        yield from _scores(list(group.rows), width)
        yield Text()
    halves = list(correlations(result, width))
    yield from [*halves, Text()] if halves else ()
    yield from agreements(result, width)


def _scores(rows: list[Row], width: int) -> Iterator[RenderableType]:
    if len(rows) <= _BESIDE:
        table = _beside(rows)
        if Console(width=_ANY_WIDTH).measure(table).maximum <= width:
            yield table
            return
    kind = rows[0].cells[0].column.kind
    first = [_needed(rows, index) + GAP for index, cell in enumerate(rows[0].cells) if cell.column.kind == kind]
    names = min(max(cell_len(visible(row.system)) for row in rows), max(_NAME, width - sum(first)))
    for number, (start, stop) in enumerate(_blocks(rows, names, width)):
        if number:
            yield Text()
        yield _below(rows, start, stop, names)


def _blocks(rows: list[Row], names: int, width: int) -> Iterator[tuple[int, int]]:
    """Return the columns of each table: all in one where they fit, else no table of two kinds, and none too wide."""
    kinds = [cell.column.kind for cell in rows[0].cells]
    needed = [_needed(rows, index) + GAP for index in range(len(kinds))]
    if names + sum(needed) <= width:
        yield 0, len(kinds)
        return
    start = 0
    while start < len(kinds):
        stop, used = start + 1, names + needed[start]
        while stop < len(kinds) and kinds[stop] == kinds[start] and used + needed[stop] <= width:
            used += needed[stop]
            stop += 1
        yield start, stop
        start = stop


def _needed(rows: list[Row], index: int) -> int:
    """Return the width of a column: that of its longest word or figure."""
    words = visible(figures.heading(rows[0].cells[index].column)).split() or [""]
    return max(*(cell_len(word) for word in words), *(len(row.cells[index].value) + 1 for row in rows))


def _beside(rows: list[Row]) -> Table:
    """Return a table with a row for each column of the result and the systems side by side."""
    table = plain_table()
    table.add_column("")
    for row in rows:
        table.add_column(Text(visible(row.system)), justify="right", no_wrap=True)
        table.add_column(Text("interval", style="dim"), no_wrap=True)
    for index, cell in enumerate(rows[0].cells):
        shown: list[Text] = []
        for row in rows:
            shown += [_figure(row.cells[index]), Text(row.cells[index].interval, style="dim")]
        table.add_row(Text(visible(figures.heading(cell.column))), *shown, end_section=_last_of_kind(rows[0], index))
    return table


def _below(rows: list[Row], start: int, stop: int, names: int) -> Table:
    """Return a table with a row for each system and some of the columns."""
    table = plain_table()
    table.add_column("system", no_wrap=True, overflow="ellipsis", width=max(names, len("system")))
    for index in range(start, stop):
        name = Text(visible(figures.heading(rows[0].cells[index].column)))
        table.add_column(name, justify="right", vertical="bottom", width=_needed(rows, index))
    for row in rows:
        table.add_row(Text(visible(row.system)), *(_figure(cell) for cell in row.cells[start:stop]))
    return table


def _last_of_kind(row: Row, index: int) -> bool:
    return index + 1 < len(row.cells) and row.cells[index].column.kind != row.cells[index + 1].column.kind


def _figure(cell: Cell) -> Text:
    figure = Text(cell.value, style="bold" if cell.best else "")
    return figure.append(_MARK[cell.verdict], style=_STYLE[cell.verdict])


def _legend(result: Result) -> Text:
    legend = Text(f"Points of 100: {figures.what(result)}. Bold: best.", style="dim")
    down = [visible(column.name) for column in figures.columns(result) if not column.higher_is_better]
    if down:
        legend.append(f" Lower is better: {', '.join(down)}.")
    if result.comparisons:
        legend.append("\n" + visible(figures.verdicts(result)))
    return legend


def _counts(result: Result) -> RenderableType:
    table = plain_table()
    table.add_column("phenomenon")
    table.add_column("occurrences", justify="right")
    table.add_column("words", justify="right")
    table.add_column("per 1,000 words", justify="right")
    table.add_column("rules")
    for phenomenon in result.phenomena:
        rate = 1000 * phenomenon.words / result.corpus.reference_words if result.corpus.reference_words else 0.0
        ranked = sorted(phenomenon.rules.items(), key=lambda item: -item[1])
        rules = ", ".join(f"{figures.title(name)} {count:,}" for name, count in ranked[:6])
        table.add_row(
            Text(visible(figures.title(phenomenon.name))),
            *(f"{phenomenon.occurrences:,}", f"{phenomenon.words:,}", f"{rate:.1f}"),
            Text(visible(rules + (", …" if len(ranked) > 6 else "")), style="dim"),
        )
    return table


def _warnings(result: Result) -> list[Text]:
    return [Text(), *(Text("warning: " + visible(warning), style="yellow") for warning in result.warnings)]
