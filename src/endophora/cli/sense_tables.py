"""The scores of a word-sense suite shown: terminal text, JSON, CSV, LaTeX. Nothing is computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.registry import Registry
from endophora.report.latex import escape
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.senses import HEADS
from endophora.report.visible import visible
from endophora.suites.senses.result import FigureName, GroupKind, SenseConfusion, SenseResult, SenseScore

SHOWN = 20
"""How many confusions the text shows, the most frequent; all are in the JSON."""

_HEADS: dict[FigureName, str] = {**HEADS, "coverage_forms": "in forms"}  # a terminal is narrow


_COUNTS = ("right", "wrong", "missing")


def text(result: SenseResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    return plain_text(plain_console(), _parts(result))


def _parts(result: SenseResult) -> Iterator[RenderableType]:
    suite, settings = result.suite, result.settings
    pair = f"{suite.source_language}-{suite.target_language}, " if suite.target_language else ""
    head = f"{suite.name}: {pair}{suite.items:,} sentences, {suite.words:,} words, {suite.senses:,} senses"
    yield Text(visible(f"{head}, {settings.kind}"))
    for kind, group in _groups(result, ("all", "domain")):
        yield from (Text(), _table(result, kind, group))
    if weighted := _weighted(result):
        yield from (Text(), _by_distance(result, weighted))
    if origins := _groups(result, ("origin",)):
        yield from (Text(), _by_origin(result, origins))
    for system in result.systems:
        found = [one for one in result.confusions if one.system == system]
        if found:
            yield from (Text(), _confusions(system, found))
    if settings.baseline:
        note = f"* differs from {settings.baseline}: paired randomisation over {settings.units}, Holm, p ≤ "
        yield from (Text(), Text(visible(f"{note}{settings.alpha:g}")))
    yield Text("signature: " + visible(result.signature))


def tidy(result: SenseResult) -> str:
    """Return one row for each system, group and figure as CSV; empty cells are nulls."""
    names = ("kind", "group", "system", "figure")
    rows: list[Sequence[object]] = [(*names, "value", "low", "high", *_COUNTS, "difference", "p_value", "p_adjusted")]
    for one in result.scores:
        counts, against = result.count(one.system, one.kind, one.group), one.comparison
        tested = (against.difference, against.p_value, against.p_adjusted) if against else (None, None, None)
        numbers = (counts.right, counts.wrong, counts.missing)
        names = (one.kind, one.group, one.system, one.figure)
        rows.append((*names, one.value, *bounds(one.interval), *numbers, *tested))
    return csv_text(rows)


def latex(result: SenseResult) -> str:
    r"""Return a ``tabular`` of systems × figures, as the paper's Table 11; needs ``booktabs``."""
    groups = _groups(result, ("domain", "all"))
    figures: list[FigureName] = [name for name in _figures(result) if name not in ("coverage", "coverage_forms")]
    figures += _weighted(result)
    heads = " & ".join(
        rf"\multicolumn{{{len(figures)}}}{{c}}{{{escape(_label(kind, group))}}}" for kind, group in groups
    )
    rows: list[str] = []
    for system in result.systems:
        cells = (_value(result.score(system, figure, *group)) for group in groups for figure in figures)
        rows.append(" & ".join((escape(system), *cells)) + r" \\")
    names = " & ".join(_HEADS[figure] for _ in groups for figure in figures)
    columns = "l" + "r" * (len(groups) * len(figures))
    return booktabs(result.signature, columns, [rf" & {heads} \\", rf"system & {names} \\"], rows)


SENSE_REPORTS: Registry[Callable[[SenseResult], str]] = Registry(
    "sense_report",
    {
        "text": text,
        "json": "endophora.report.json:render",
        "csv": tidy,
        "latex": latex,
        "html": "endophora.report.senses:html",
    },
)
"""Format name → function from a result to the whole text."""


def _groups(result: SenseResult, kinds: tuple[GroupKind, ...]) -> list[tuple[GroupKind, str]]:
    there: dict[tuple[GroupKind, str], None] = dict.fromkeys((one.kind, one.group) for one in result.scores)
    return [group for kind in kinds for group in there if group[0] == kind]


def _figures(result: SenseResult) -> list[FigureName]:
    if result.settings.kind == "scoring":
        return ["accuracy"]
    recall: FigureName = "recall_a" if result.settings.recall == "A" else "recall_b"
    f1: FigureName = "f1_a" if result.settings.recall == "A" else "f1_b"
    return ["precision", recall, f1, "coverage_forms", "coverage"]


def _weighted(result: SenseResult) -> list[FigureName]:
    """Return the figures by the distance of senses, where the suite knows it."""
    names: tuple[FigureName, ...] = (
        "precision_weighted",
        "f1_weighted_a" if result.settings.recall == "A" else "f1_weighted_b",
    )
    there = {one.figure for one in result.scores}
    return [name for name in names if name in there]


def _label(kind: GroupKind, group: str) -> str:
    if kind == "all":
        return "all"
    return f"{group or 'unknown'} domain" if kind == "domain" else group or "unknown origin"


def _table(result: SenseResult, kind: GroupKind, group: str) -> Table:
    table = plain_table()
    table.add_column(Text(visible(_label(kind, group))), overflow="fold")
    for head in ("right", "wrong", *(("not found",) if result.settings.kind == "translation" else ())):
        table.add_column(head, justify="right")
    figures = _figures(result)
    for figure in figures:
        table.add_column(_HEADS[figure], justify="right")
    for system in result.systems:
        counts = result.count(system, kind, group)
        numbers = [counts.right, counts.wrong, counts.missing][: 3 if result.settings.kind == "translation" else 2]
        scores = [result.score(system, figure, kind, group) for figure in figures]
        cells = [_full(one) if at == _main(result) else _marked(one) for at, one in enumerate(scores)]
        table.add_row(Text(visible(system)), *(f"{number:,}" for number in numbers), *(Text(cell) for cell in cells))
    return table


def _by_distance(result: SenseResult, figures: list[FigureName]) -> Table:
    """Return the figures in which a wrong sense counts for what it is like the right one."""
    table = plain_table()
    table.add_column("", overflow="fold")
    table.add_column("system", overflow="fold")
    for figure in figures:
        table.add_column(_HEADS[figure], justify="right", no_wrap=True)
    for group in _groups(result, ("all", "domain")):
        for system in result.systems:
            cells = (_full(result.score(system, figure, *group)) for figure in figures)
            names = (Text(visible(name)) for name in (_label(*group), system))
            table.add_row(*names, *(Text(cell) for cell in cells))
    return table


def _by_origin(result: SenseResult, origins: list[tuple[GroupKind, str]]) -> Table:
    """Return the one figure that counts most, a row a corpus."""
    figure = _figures(result)[_main(result)]
    table = plain_table()
    table.add_column(f"{_HEADS[figure]} by corpus", overflow="fold")
    for system in result.systems:
        table.add_column(Text(visible(system)), justify="right")
    for kind, group in origins:
        cells = (_full(result.score(system, figure, kind, group)) for system in result.systems)
        table.add_row(Text(visible(_label(kind, group))), *(Text(cell) for cell in cells))
    return table


def _main(result: SenseResult) -> int:
    return 0 if result.settings.kind == "scoring" else 2


def _confusions(system: str, found: list[SenseConfusion]) -> Table:
    wrong = Counter[str]()
    for one in found:
        wrong[one.word] += one.count
    ordered = sorted(found, key=lambda one: (-one.count, one.word, one.sense, one.instead))
    table = plain_table()
    for head in (f"{visible(system)}: word", "sense", "taken for"):
        table.add_column(Text(head), overflow="fold")
    table.add_column("times", justify="right")
    for one in ordered[:SHOWN]:
        cells = (Text(visible(cell)) for cell in (one.word, one.sense, one.instead))
        table.add_row(*cells, f"{one.count} of {one.of}")
    if len(ordered) > SHOWN:
        table.add_row(f"and {len(ordered) - SHOWN} more, of {len(wrong)} words in all", "", "", "")
    return table


def _full(one: SenseScore) -> str:
    bounds = f" [{one.interval.low:.1f}, {one.interval.high:.1f}]" if one.interval else ""
    return f"{_value(one)}{bounds}{_star(one)}"


def _marked(one: SenseScore) -> str:
    return f"{_value(one)}{_star(one)}"


def _star(one: SenseScore) -> str:
    return "*" if one.comparison and one.comparison.significant else " "


def _value(one: SenseScore) -> str:
    return "–" if one.value is None else f"{one.value:.2f}"
