"""The scores of a suite, and what it is made of, shown: terminal text, JSON, CSV, LaTeX. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.record import Interval
from endophora.registry import Registry
from endophora.report.latex import escape
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.visible import visible
from endophora.suites.describe import Description
from endophora.suites.result import Kind, SuiteComparison, SuiteResult, SuiteScore

_HEADS: dict[Kind, str] = {
    "all": "accuracy",
    "phenomenon": "by phenomenon",
    "rule": "by rule",
    "distance": "by distance of the antecedent, in segments",
    "metric": "metrics",
}
_FORMS = 4
"""Forms of a rule that text shows; all are in JSON and CSV."""


def text(result: SuiteResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    return plain_text(plain_console(), _parts(result))


def _parts(result: SuiteResult) -> Iterator[RenderableType]:
    suite, settings = result.suite, result.settings
    pair = f"{suite.source_language}-{suite.target_language}, " if suite.target_language else ""
    head = f"{suite.name}: {pair}{suite.items:,} items in {suite.documents:,} documents, {settings.kind}"
    yield Text(visible(head))
    for kind in _kinds(result):
        yield from (Text(), _table(kind, result))
    if result.comparisons:
        note = f"* differs from {settings.baseline}: paired randomisation over {settings.units}, Holm, p ≤ "
        yield from (Text(), Text(visible(f"{note}{settings.alpha:g}")))
    yield Text("signature: " + visible(result.signature))


def tidy(result: SuiteResult) -> str:
    """Return one row for each system and group as CSV; empty cells are nulls."""
    names = ("kind", "group", "system", "value", "low", "high", "correct", "counted")
    rows: list[Sequence[object]] = [(*names, "difference", "p_value", "p_adjusted")]
    for one in result.scores:
        against = result.comparison(one.system, one.kind, one.group)
        tested = (against.difference, against.p_value, against.p_adjusted) if against else (None, None, None)
        names = (one.kind, one.group, one.system)
        rows.append((*names, one.value, *bounds(one.interval), one.correct, one.counted, *tested))
    return csv_text(rows)


def latex(result: SuiteResult) -> str:
    r"""Return a ``tabular`` of groups × systems, the best of each row in bold; needs ``booktabs``."""
    lines: list[str] = []
    for kind in _kinds(result):
        lines += [r"\midrule"] if lines else []
        for group in _groups(kind, result):
            row = [result.score(system, kind, group) for system in result.systems]
            cells = " & ".join(_bold(one, row) for one in row)
            lines.append(rf"{escape(_label(kind, group))} & {max(one.counted for one in row)} & {cells} \\")
    head = rf"group & $n$ & {' & '.join(map(escape, result.systems))} \\"
    return booktabs(result.signature, "lr" + "r" * len(result.systems), [head], lines)


SUITE_REPORTS: Registry[Callable[[SuiteResult], str]] = Registry(
    "suite_report", {"text": text, "json": "endophora.report.json:render", "csv": tidy, "latex": latex}
)
"""Format name → function from a result to the whole text."""


def description(found: Description) -> str:
    """Return what a suite is made of as tables in plain text, with examples."""
    return plain_text(plain_console(), _description(found))


def _description(found: Description) -> Iterator[RenderableType]:
    pair = f"{found.source_language}-{found.target_language}, " if found.target_language else ""
    yield Text(visible(f"{found.name}: {pair}{found.items:,} items in {found.documents:,} documents"))
    yield Text(f"with context: {found.with_context:,}; with wrong translations: {found.with_variants:,}")
    yield Text(f"always the commonest form of the source word: {found.commonest_form:.1f} %")
    table = plain_table()
    for head in ("phenomenon", "rule"):
        table.add_column(head, overflow="fold")
    for head in ("items", "%", "other segment"):
        table.add_column(head, justify="right")
    table.add_column("forms", overflow="fold")
    for one in found.rules:
        forms = ", ".join(f"{form} {count}" for form, count in list(one.forms.items())[:_FORMS])
        more = f", … ({len(one.forms)} forms)" if len(one.forms) > _FORMS else ""
        cells = (f"{one.items:,}", f"{100 * one.items / found.items:.1f}", f"{one.between:,}")
        names = (Text(visible(one.phenomenon)), Text(visible(one.rule)))
        table.add_row(*names, *cells, Text(visible(forms + more)))
    distances = ", ".join(f"{distance}: {count:,}" for distance, count in found.distances.items())
    yield from (Text(), table, Text(), Text(f"distance of the antecedent, in segments – {distances}"))
    for one in found.examples:
        where = "" if one.distance is None else f", {one.distance} back"
        yield from (Text(), Text(visible(f"{one.rule}, item {one.id}: {one.expected} ({one.antecedent}{where})")))
        for line in (*(f"  … {text}" for text in one.context), f"  {one.source}", f"  {one.reference}"):
            yield Text(visible(line))


def description_csv(found: Description) -> str:
    """Return one row for each rule and form as CSV."""
    rows = [(one.phenomenon, one.rule, form, count) for one in found.rules for form, count in one.forms.items()]
    return csv_text([("phenomenon", "rule", "form", "items"), *rows])


DESCRIPTIONS: Registry[Callable[[Description], str]] = Registry(
    "suite_description", {"text": description, "json": "endophora.report.json:render", "csv": description_csv}
)
"""Format name → function from a description to the whole text."""


def _kinds(result: SuiteResult) -> list[Kind]:
    """Return the kinds of groups that say more than those before them."""
    found: list[Kind] = list(dict.fromkeys(one.kind for one in result.scores))
    return [kind for kind in found if kind != "phenomenon" or len(_groups(kind, result)) > 1]


def _groups(kind: Kind, result: SuiteResult) -> list[str]:
    return list(dict.fromkeys(one.group for one in result.scores if one.kind == kind))


def _table(kind: Kind, result: SuiteResult) -> Table:
    table = plain_table()
    table.add_column(_HEADS[kind], overflow="fold")
    table.add_column("items", justify="right")
    for system in result.systems:
        table.add_column(Text(visible(system)), justify="right")
    for group in _groups(kind, result):
        row = [result.score(system, kind, group) for system in result.systems]
        cells = [_with_interval(one, result.comparison(one.system, kind, group)) for one in row]
        table.add_row(
            Text(visible(_label(kind, group))), f"{max(one.counted for one in row):,}", *(Text(cell) for cell in cells)
        )
    return table


def _label(kind: Kind, group: str) -> str:
    return "all" if kind == "all" else group or "–"


def _with_interval(one: SuiteScore, against: SuiteComparison | None) -> str:
    star = "*" if against and against.significant else " "
    return f"{_figure(one.value)}{_bounds(one.interval)}{star}"


def _bounds(interval: Interval | None) -> str:
    return "" if interval is None else f" [{interval.low:.1f}, {interval.high:.1f}]"


def _bold(one: SuiteScore, row: list[SuiteScore]) -> str:
    known = [other.value for other in row if other.value is not None]
    best = known and one.value is not None and _figure(one.value) == _figure(max(known))
    return rf"\textbf{{{_figure(one.value)}}}" if best and len(row) > 1 else _figure(one.value)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
