"""The scores of a suite shown: terminal text, JSON, CSV, LaTeX. Nothing is computed here."""

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
from endophora.suites.result import Kind, SuiteComparison, SuiteInterval, SuiteResult, SuiteScore

_HEADS: dict[Kind, str] = {
    "all": "accuracy",
    "phenomenon": "by phenomenon",
    "rule": "by rule",
    "distance": "by distance of the antecedent, in segments",
    "metric": "metrics",
}


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
