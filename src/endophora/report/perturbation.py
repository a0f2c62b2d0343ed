"""A perturbation shown: terminal text in the shape of the paper's Table 2, JSON, CSV, LaTeX, HTML. Nothing is computed.

Metrics are shown in points of 100 with one decimal, CXMI in nats with three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.context.context_read import ContextCounts
from endophora.context.perturbation.result import (
    PerturbationColumn,
    PerturbationDifference,
    PerturbationResult,
)
from endophora.registry import Registry
from endophora.report.context_read import ReadTable
from endophora.report.figures import p_number, signed
from endophora.report.latex import escape, marked
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.sheet import Cell, axis_bounds, render_sheet
from endophora.report.visible import visible

_CORRECT, _NONE = "correct", "none"
READ_NOTE = (
    "Segments by what became of their context: what a model has no room for is cut off, the oldest first. The scores "
    "are those of segments of whose correct context the model read anything."
)
_ANY_WIDTH = 10_000
"""Tables are measured on so wide a terminal: a narrow one would answer that its own width is enough."""
_CSV = (
    *("kind", "model", "column", "condition", "against", "value", "low", "high"),
    *("p_value", "p_adjusted", "significant", "kept", "kept_value"),
)


def text(result: PerturbationResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    console = plain_console()
    return plain_text(console, _parts(result, console.width))


def _parts(result: PerturbationResult, width: int) -> Iterator[RenderableType]:
    corpus, settings = result.corpus, result.settings
    head = f"{corpus.source_language} → {corpus.target_language}: {corpus.segments:,} segments in {corpus.documents:,} "
    head += f"documents; up to {settings.size} segments of context, {_sides(settings.sides)}"
    yield from (Text(visible(head)), Text(), *_fitting(result, width), Text(visible(legend(result))))
    for read in read_tables(result):
        yield from (Text(), read.plain())
    yield Text(READ_NOTE)
    for model in result.models:
        yield from (Text(), Text(visible(model.name)), _differences(result, model.name))
    yield Text(visible(tested(result)))
    for line in (*(verdict.sentence for verdict in result.verdicts), f"signature: {result.signature}"):
        yield from (Text(), Text(visible(line)))


def tidy(result: PerturbationResult) -> str:
    """Return one row for each score and each difference as CSV, told apart by ``kind``; in the metrics' own scale."""
    rows: list[Sequence[object]] = [_CSV]
    for one in result.scores:
        names = ("score", one.model, one.column, one.condition, None)
        rows.append((*names, one.value, *bounds(one.interval), None, None, None, one.kept, one.kept_value))
    for one in result.differences:
        names = ("difference", one.model, one.column, one.first, one.second)
        tests = (one.p_value, one.p_adjusted, one.significant)
        rows.append((*names, one.difference, *bounds(one.interval), *tests, None, None))
    return csv_text(rows)


def latex(result: PerturbationResult) -> str:
    r"""Return a ``tabular`` of models × (column × condition), as the paper's Table 2; needs ``booktabs``."""
    groups = [(column, conditions(result, column)) for column in result.columns]
    first = " & ".join(rf"\multicolumn{{{len(names)}}}{{c}}{{{escape(column.name)}}}" for column, names in groups)
    second = " & ".join(escape(name) for _, names in groups for name in names)
    rows = [
        " & ".join((escape(model), *(marked(cell) for group in cells for cell in group))) + r" \\"
        for model, cells in table(result)
    ]
    columns = "l" + "r" * sum(len(names) for _, names in groups)
    return booktabs(result.signature, columns, [rf" & {first} \\", rf"model & {second} \\"], rows)


def html(result: PerturbationResult) -> str:
    """Return a page that loads nothing; the same result gives the same bytes."""
    corpus, settings = result.corpus, result.settings
    sections: list[tuple[str, list[dict[str, object]], tuple[float, float]]] = []
    for column in result.columns:
        found = [one for one in result.differences if one.column == column.name]
        ends = [bound for one in found for bound in (_number(one, column), *_scaled(one, column))]
        if found:
            sections.append((column.name, [_line(one, column) for one in found], axis_bounds(ends)))
    points = f"{settings.margin:g} points of 100 in {result.columns[0].name}, or {settings.cxmi_margin:g} nats in CXMI"
    return render_sheet(
        "perturbation.html.jinja",
        result=result,
        title=f"{corpus.source_language} → {corpus.target_language}",
        subtitle="is the context used? Right and wrong context",
        facts=[
            ("documents", f"{corpus.documents:,}"),
            ("segments", f"{corpus.segments:,}"),
            ("models", f"{len(result.models):,}"),
            ("context", f"up to {settings.size} segments, {_sides(settings.sides)}"),
        ],
        groups=[(column, conditions(result, column)) for column in result.columns],
        rows=table(result),
        legend=legend(result),
        tested=tested(result),
        read=read_tables(result),
        read_note=READ_NOTE,
        differences=sections,
        margins=f"{points}; a collapse is the loss of {100 * settings.collapse:g} % of the score without context",
        settings=[
            *((model.name, model.signature) for model in result.models),
            *((column.name, column.signature) for column in result.columns),
        ],
    )


PERTURBATION_REPORTS: Registry[Callable[[PerturbationResult], str]] = Registry(
    "perturbation_report",
    {"text": text, "json": "endophora.report.json:render", "csv": tidy, "latex": latex, "html": html},
)
"""Format name → function from a result to the whole text."""


def conditions(result: PerturbationResult, column: PerturbationColumn) -> list[str]:
    """Return the conditions of a column as Table 2 has them: perturbed ones first, then correct, then none."""
    there = dict.fromkeys(one.condition for one in result.scores if one.column == column.name)
    between = [name for name in there if name not in (_CORRECT, _NONE)]
    return [*between, *(name for name in (_CORRECT, _NONE) if name in there)]


def table(result: PerturbationResult) -> list[tuple[str, list[list[Cell]]]]:
    """Return for each model its cells, column by column, in the order of :func:`conditions`."""
    return [
        (
            model.name,
            [
                [_cell(result, model.name, name, column) for name in conditions(result, column)]
                for column in result.columns
            ],
        )
        for model in result.models
    ]


def read_tables(result: PerturbationResult) -> list[ReadTable]:
    """Return how much context each model read, and its scores over segments of whose correct context it read anything.

    The first table is of translations, the second of references that were scored.
    """
    found: list[ReadTable] = []
    kinds: tuple[tuple[Literal["metric", "cxmi"], str], ...] = (("metric", "translations"), ("cxmi", "references"))
    for kind, what in kinds:
        columns = [column for column in result.columns if column.kind == kind]
        rows: list[tuple[str, ContextCounts, list[str]]] = []
        for one in result.outputs:
            counts = one.context if kind == "metric" else one.scored
            if columns and counts is not None and one.condition != _NONE:
                scores = [(result.score(one.model, one.condition, column.name), column) for column in columns]
                figures = [
                    "–" if score is None or score.kept_value is None else _plain(score.kept_value, column)
                    for score, column in scores
                ]
                rows.append((f"{one.model}, {one.condition}", counts, figures))
        if rows:
            found.append(ReadTable(f"context read, {what}", tuple(column.name for column in columns), rows))
    return found


def legend(result: PerturbationResult) -> str:
    """Return what the figures and marks of the table are."""
    shown = "Metrics in points of 100."
    if any(column.kind == "cxmi" for column in result.columns):
        unit = "a sentence" if result.settings.cxmi == "total" else "a sub-word"
        shown += f" CXMI in nats {unit}, against no context; its marks: † significantly below zero, * above."
    shown += " Metrics: † significantly worse than with the correct context, * better."
    down = [column.name for column in result.columns if not column.higher_is_better]
    return shown + (f" Lower is better: {', '.join(down)}." if down else "")


def tested(result: PerturbationResult) -> str:
    """Return how significance was found."""
    settings = result.settings
    return (
        f"{settings.test.replace('-', ' ').capitalize()} over {settings.units}, paired; p corrected by Holm's method "
        f"over all models and conditions; significant where p ≤ {settings.alpha:g}. "
        f"{100 * settings.confidence:g} % intervals from {settings.resamples:,} resamples."
    )


def _scores(result: PerturbationResult, columns: list[PerturbationColumn]) -> Table:
    made = plain_table()
    made.add_column("\nmodel")
    for column in columns:
        for name in conditions(result, column):
            made.add_column(Text(f"{visible(column.name)}\n{visible(name)}"), justify="right")
    places = [result.columns.index(column) for column in columns]
    for model, cells in table(result):
        shown = [f"{cell.value}{cell.mark or ' '}" for place in places for cell in cells[place]]
        made.add_row(Text(visible(model)), *map(Text, shown))
    return made


def _fitting(result: PerturbationResult, width: int) -> list[Table]:
    """Return the scores as one table, as one a column, or as one a column with the conditions below one another."""
    whole, each = [_scores(result, result.columns)], [_scores(result, [column]) for column in result.columns]
    for tables in (whole, each):
        if all(plain_console(_ANY_WIDTH).measure(table).maximum <= width for table in tables):
            return tables
    return [_turned(result, column) for column in result.columns]


def _turned(result: PerturbationResult, column: PerturbationColumn) -> Table:
    """Return the scores of a column with a row a condition."""
    made = plain_table()
    made.add_column(Text(visible(column.name)), no_wrap=True)
    for model in result.models:
        made.add_column(Text(visible(model.name)), justify="right", overflow="fold")
    for name in conditions(result, column):
        cells = [_cell(result, model.name, name, column) for model in result.models]
        made.add_row(Text(visible(name)), *(Text(f"{cell.value}{cell.mark or ' '}") for cell in cells))
    return made


def _differences(result: PerturbationResult, model: str) -> Table:
    made = plain_table()
    for head in ("column", "difference"):
        made.add_column(head, no_wrap=True)
    for head in ("", "interval", "p"):
        made.add_column(head, justify="right", no_wrap=True)
    for column in result.columns:
        for one in result.differences:
            if (one.model, one.column) == (model, column.name):
                line = _line(one, column)
                cells = [Text(str(line[key])) for key in ("what", "value", "interval", "adjusted")]
                made.add_row(Text(visible(one.column)), *cells)
    return made


def _line(one: PerturbationDifference, column: PerturbationColumn) -> dict[str, object]:
    low, high = _scaled(one, column)
    number = _number(one, column)
    between = "" if low is None or high is None else f"{_signed(low, column)} to {_signed(high, column)}"
    return {
        "model": one.model,
        "what": f"{one.first} − {one.second}",
        "value": _signed(number, column) + ("*" if one.significant else " "),
        "interval": between,
        "p": p_number(one.p_value),
        "adjusted": p_number(one.p_adjusted),
        "number": number,
        "low": low,
        "high": high,
    }


def _cell(result: PerturbationResult, model: str, condition: str, column: PerturbationColumn) -> Cell:
    score = result.score(model, condition, column.name)
    if score is None or score.value is None:
        return Cell("–", "", "")
    low, high = bounds(score.interval)
    interval = ""
    if low is not None and high is not None:
        interval = f"{_plain(low, column)} to {_plain(high, column)}"
    cxmi = column.kind == "cxmi"
    first, second = (condition, _NONE) if cxmi else (_CORRECT, condition)
    found = result.difference(model, column.name, first, second)
    mark: Literal["", "*", "†"] = ""
    if found is not None and found.significant and found.difference:
        # For metrics the difference is correct less condition: above zero the condition is the worse.
        worse = (found.difference < 0) == (cxmi or not column.higher_is_better)
        mark = "†" if worse else "*"
    return Cell(_plain(score.value, column), interval, mark)


def _plain(value: float, column: PerturbationColumn) -> str:
    return _signed(value, column) if column.kind == "cxmi" else f"{100 * value / column.scale:.1f}"


def _signed(value: float, column: PerturbationColumn) -> str:
    """Return a difference, of which :func:`_number` has made points, or a CXMI with its sign."""
    return signed(value, 3 if column.kind == "cxmi" else 1)


def _number(one: PerturbationDifference, column: PerturbationColumn) -> float:
    return one.difference if column.kind == "cxmi" else 100 * one.difference / column.scale


def _scaled(one: PerturbationDifference, column: PerturbationColumn) -> tuple[float | None, float | None]:
    if one.interval is None:
        return None, None
    factor = 1.0 if column.kind == "cxmi" else 100 / column.scale
    return factor * one.interval.low, factor * one.interval.high


def _sides(sides: str) -> str:
    return "source and target" if sides == "both" else f"{sides} only"
