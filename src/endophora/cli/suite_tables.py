"""The scores of a suite, and what it is made of, shown: terminal text, JSON, CSV, LaTeX. Nothing is computed here."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from endophora.registry import Registry
from endophora.report.latex import escape
from endophora.report.visible import visible
from endophora.suites.describe import Description
from endophora.suites.result import Kind, SuiteComparison, SuiteInterval, SuiteResult, SuiteScore

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
    out = io.StringIO()
    console = Console(file=out, color_system=None, force_terminal=False, highlight=False, markup=False)
    suite, settings = result.suite, result.settings
    pair = f"{suite.source_language}-{suite.target_language}, " if suite.target_language else ""
    head = f"{suite.name}: {pair}{suite.items:,} items in {suite.documents:,} documents, {settings.kind}"
    console.print(Text(visible(head)))
    for kind in _kinds(result):
        console.print()
        console.print(_table(kind, result))
    if result.comparisons:
        console.print()
        note = f"* differs from {settings.baseline}: paired randomisation over {settings.units}, Holm, p < "
        console.print(Text(visible(f"{note}{settings.alpha:g}")))
    console.print(Text("signature: " + visible(result.signature)))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def json(result: SuiteResult) -> str:
    """Return the whole result as JSON."""
    return result.model_dump_json(indent=1) + "\n"


def tidy(result: SuiteResult) -> str:
    """Return one row for each system and group as CSV; empty cells are nulls."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ("kind", "group", "system", "value", "low", "high", "correct", "counted", "difference", "p_value", "p_adjusted")
    )
    for one in result.scores:
        against = result.comparison(one.system, one.kind, one.group)
        tested = (against.difference, against.p_value, against.p_adjusted) if against else (None, None, None)
        bounds = (one.interval.low, one.interval.high) if one.interval else (None, None)
        names = (one.kind, _cell(one.group), _cell(one.system))
        writer.writerow((*names, one.value, *bounds, one.correct, one.counted, *tested))
    return out.getvalue()


def latex(result: SuiteResult) -> str:
    r"""Return a ``tabular`` of groups × systems, the best of each row in bold; needs ``booktabs``."""
    lines = [rf"group & $n$ & {' & '.join(map(escape, result.systems))} \\"]
    for kind in _kinds(result):
        lines.append(r"\midrule")
        for group in _groups(kind, result):
            row = [result.score(system, kind, group) for system in result.systems]
            cells = " & ".join(_bold(one, row) for one in row)
            lines.append(rf"{escape(_label(kind, group))} & {max(one.counted for one in row)} & {cells} \\")
    return "\n".join(
        (
            r"% needs \usepackage{booktabs}",
            rf"% {visible(result.signature)}",
            rf"\begin{{tabular}}{{@{{}}lr{'r' * len(result.systems)}@{{}}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        )
    )


SUITE_REPORTS: Registry[Callable[[SuiteResult], str]] = Registry(
    "suite_report", {"text": text, "json": json, "csv": tidy, "latex": latex}
)
"""Format name → function from a result to the whole text."""


def description(found: Description) -> str:
    """Return what a suite is made of as tables in plain text, with examples."""
    out = io.StringIO()
    console = Console(file=out, color_system=None, force_terminal=False, highlight=False, markup=False)
    pair = f"{found.source_language}-{found.target_language}, " if found.target_language else ""
    console.print(Text(visible(f"{found.name}: {pair}{found.items:,} items in {found.documents:,} documents")))
    console.print(f"with context: {found.with_context:,}; with wrong translations: {found.with_variants:,}")
    console.print(f"always the commonest form of the source word: {found.commonest_form:.1f} %")
    console.print()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
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
    console.print(table)
    console.print()
    distances = ", ".join(f"{distance}: {count:,}" for distance, count in found.distances.items())
    console.print(Text(f"distance of the antecedent, in segments – {distances}"))
    for one in found.examples:
        console.print()
        where = "" if one.distance is None else f", {one.distance} back"
        console.print(Text(visible(f"{one.rule}, item {one.id}: {one.expected} ({one.antecedent}{where})")))
        for line in (*(f"  … {text}" for text in one.context), f"  {one.source}", f"  {one.reference}"):
            console.print(Text(visible(line)))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def description_json(found: Description) -> str:
    """Return the whole description as JSON."""
    return found.model_dump_json(indent=1) + "\n"


def description_csv(found: Description) -> str:
    """Return one row for each rule and form as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("phenomenon", "rule", "form", "items"))
    for one in found.rules:
        for form, count in one.forms.items():
            writer.writerow((_cell(one.phenomenon), _cell(one.rule), _cell(form), count))
    return out.getvalue()


DESCRIPTIONS: Registry[Callable[[Description], str]] = Registry(
    "suite_description", {"text": description, "json": description_json, "csv": description_csv}
)
"""Format name → function from a description to the whole text."""


def _kinds(result: SuiteResult) -> list[Kind]:
    """Return the kinds of groups that say more than those before them."""
    found: list[Kind] = list(dict.fromkeys(one.kind for one in result.scores))
    return [kind for kind in found if kind != "phenomenon" or len(_groups(kind, result)) > 1]


def _groups(kind: Kind, result: SuiteResult) -> list[str]:
    return list(dict.fromkeys(one.group for one in result.scores if one.kind == kind))


def _table(kind: Kind, result: SuiteResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
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


def _bounds(interval: SuiteInterval | None) -> str:
    return "" if interval is None else f" [{interval.low:.1f}, {interval.high:.1f}]"


def _bold(one: SuiteScore, row: list[SuiteScore]) -> str:
    known = [other.value for other in row if other.value is not None]
    best = known and one.value is not None and _figure(one.value) == _figure(max(known))
    return rf"\textbf{{{_figure(one.value)}}}" if best and len(row) > 1 else _figure(one.value)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _cell(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(tuple("=+-@\t\r＝＋－＠")) else name
