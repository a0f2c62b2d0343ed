"""A meta-evaluation shown: terminal text, JSON, CSV, LaTeX. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.evaluation.result import Paired
from endophora.meta.result import Accuracy, Correlated, LevelInfo, MetaResult, MetricComparison, Test
from endophora.record import Interval
from endophora.registry import Registry
from endophora.report.latex import escape
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.visible import visible
from endophora.statistics.correction import is_significant

_LEVELS = {"seg": "segments", "doc": "documents", "sys": "systems"}
_NAMES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "kendall-wmt": "Kendall (WMT)",
    "accuracy": "accuracy",
}
_SHOWN = 15
"""Comparisons of a level that text shows; all are in the result."""
_PAIRS = 5
"""Pairs of systems of which text shows each t; of more it counts."""


def text(result: MetaResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    return plain_text(plain_console(), _parts(result))


def _parts(result: MetaResult) -> Iterator[RenderableType]:
    settings = result.settings
    for level in result.levels:
        yield from (Text(visible(_headline(level, result))), _table(level, result))
        if compared := _compared(level, result):
            yield compared
        if level.level == "doc" and result.paired:
            yield from (Text(), _paired(result))
        yield Text()
    for pair in result.raters:
        kappa = _figure(pair.kappa)
        yield Text(visible(f"{pair.first}, {pair.second}: kappa {kappa} over {pair.items} outputs"))
    sides = "two-sided" if settings.two_sided else "one-sided"
    yield Text(f"p: {sides}, Holm-corrected over the pairs of metrics; * p ≤ {settings.alpha:g}.")
    if result.paired:
        said = f"t: positive where the second system is better; * two-sided p ≤ {settings.alpha:g}, not corrected."
        yield Text(said)
    for name, signature in [("", result.signature), *((metric.name, metric.signature) for metric in result.metrics)]:
        if signature:
            yield Text(visible(f"signature{f' of {name}' if name else ''}: {signature}"))


def tidy(result: MetaResult) -> str:
    """Return one row for each metric, level and measure as CSV; empty cells are nulls."""
    names = ("metric", "level", "measure", "average", "value", "low", "high", "count", "epsilon")
    rows: list[Sequence[object]] = [names]
    for one in result.correlations:
        figures = (one.value, *bounds(one.interval), one.scores, None)
        rows.append((one.metric, one.level, one.coefficient, one.average, *figures))
    for one in result.accuracies:
        average = "none" if one.level == "sys" else "item"
        figures = (one.value, *bounds(one.interval), one.pairs, one.epsilon)
        rows.append((one.metric, one.level, "accuracy", average, *figures))
    return csv_text(rows)


def latex(result: MetaResult) -> str:
    r"""Return a ``tabular`` of metrics × levels and measures, the best of each column in bold; needs ``booktabs``."""
    heads = [(level.level, measure) for level in result.levels for measure in _measures(level, result)]
    columns = {head: {metric.name: _value(metric.name, *head, result) for metric in result.metrics} for head in heads}
    spans = [
        rf"\multicolumn{{{len(_measures(level, result))}}}{{c}}{{{_LEVELS[level.level]}}}" for level in result.levels
    ]
    head = [" & ".join(("", *spans)), " & ".join(("metric", *(_NAMES[measure] for _, measure in heads)))]
    body = [
        " & ".join((escape(metric.name), *(_bold(metric.name, columns[head]) for head in heads)))
        for metric in result.metrics
    ]
    lines = ([rf"{row} \\" for row in rows] for rows in (head, body))
    return booktabs(result.signature, "l" + "r" * len(heads), *lines)


META_REPORTS: Registry[Callable[[MetaResult], str]] = Registry(
    "meta_report", {"text": text, "json": "endophora.report.json:render", "csv": tidy, "latex": latex}
)
"""Format name → function from a result to the whole text."""


def _headline(level: LevelInfo, result: MetaResult) -> str:
    items = f" × {level.items:,} {_LEVELS[level.level]}" if level.level != "sys" else ""
    mean = ", means of segments" if level.human_mean else ""
    drawn = f"{result.settings.confidence:.0%} intervals: {level.resampled} drawn ({level.units:,})"
    scores = f"{level.scores:,} human scores ({result.human}{mean})"
    return f"{_LEVELS[level.level]}: {len(level.systems)} systems{items}, {scores}; {drawn}"


def _measures(level: LevelInfo, result: MetaResult) -> list[str]:
    return [*dict.fromkeys(one.coefficient for one in result.correlations if one.level == level.level), "accuracy"]


def _table(level: LevelInfo, result: MetaResult) -> Table:
    table = plain_table()
    table.add_column("metric", overflow="fold")
    measures = _measures(level, result)
    for measure in measures:
        table.add_column(_NAMES[measure], justify="right")
    if level.level != "sys":
        table.add_column("tie up to", justify="right")
    for metric in result.metrics:
        if level.level not in metric.levels:
            continue
        found = [_found(metric.name, level.level, measure, result) for measure in measures]
        cells = [_with_interval(one.value, one.interval, "\n") for one in found]
        if level.level != "sys":
            cells.append(_figure(result.accuracy(metric.name, level.level).epsilon))
        table.add_row(Text(visible(metric.name)), *(Text(cell) for cell in cells))
    return table


def _compared(level: LevelInfo, result: MetaResult) -> Table | Text | None:
    """Return the tests of a level; of many pairs, only how many are significant."""
    found = [one for one in result.comparisons if one.level == level.level and (one.williams or one.permutation)]
    if not found:
        return None
    if len(found) > _SHOWN:
        sure = sum(_is_significant(one) for one in found)
        return Text(f"{sure} of {len(found)} differences of metrics are significant by permutation; see result.json")
    table = plain_table()
    table.add_column("better > worse", overflow="fold")
    for head in ("measure", "difference", "Williams p", "permutation p"):
        table.add_column(head, justify="right")
    for one in found:
        table.add_row(
            Text(visible(f"{one.first} > {one.second}")),
            _NAMES[one.measure],
            _with_interval(one.difference, one.interval),
            _p_value(one.williams),
            _p_value(one.permutation),
        )
    return table


def _paired(result: MetaResult) -> Table:
    """Return each metric's t of the systems: of few pairs all, of many how many are told apart."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in result.paired))
    table = plain_table()
    table.add_column("paired t over documents", overflow="fold")
    few = len(pairs) <= _PAIRS
    heads = [" → ".join(pair) for pair in pairs] if few else ["told apart", "the other way round", "of pairs"]
    for head in heads:
        table.add_column(Text(visible(head)), justify="right", overflow="fold")
    alpha = result.settings.alpha
    for name in dict.fromkeys(one.column for one in result.paired):
        own = [one for one in result.paired if one.column == name]
        sure = [one.statistic or 0.0 for one in own if one.p_value is not None and is_significant(one.p_value, alpha)]
        counts = [str(sum(t > 0 for t in sure)), str(sum(t < 0 for t in sure)), str(len(own))]
        cells = [_t_value(one, alpha) for one in own] if few else counts
        table.add_row(Text(visible(name or f"people ({result.human})")), *(Text(cell) for cell in cells))
    return table


def _t_value(one: Paired, alpha: float) -> str:
    if one.statistic is None:
        return "– "
    return f"{one.statistic:.2f}{'*' if one.p_value is not None and is_significant(one.p_value, alpha) else ' '}"


def _is_significant(one: MetricComparison) -> bool:
    return one.permutation is not None and one.permutation.significant


def _found(metric: str, level: str, measure: str, result: MetaResult) -> Correlated | Accuracy:
    return result.accuracy(metric, level) if measure == "accuracy" else result.correlation(metric, level, measure)


def _value(metric: str, level: str, measure: str, result: MetaResult) -> float | None:
    try:
        return _found(metric, level, measure, result).value
    except KeyError:  # this metric has no scores at this level
        return None


def _bold(name: str, column: dict[str, float | None]) -> str:
    shown = {metric: _figure(value) for metric, value in column.items()}
    known = [value for value in column.values() if value is not None]
    best = known and shown[name] == _figure(max(known))
    cell = shown[name].replace("-", "$-$")
    return rf"\textbf{{{cell}}}" if best else cell


def _with_interval(value: float | None, interval: Interval | None, gap: str = " ") -> str:
    bounds = "" if interval is None else f"{gap}[{_figure(interval.low)}, {_figure(interval.high)}]"
    return _figure(value) + bounds


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _p_value(test: Test | None) -> str:
    return "" if test is None else f"{test.p_adjusted:.4f}{'*' if test.significant else ' '}"
