"""A meta-evaluation shown: how metrics agree with people at each level, and which of them agree better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.evaluation.result import Paired
from endophora.meta.result import Accuracy, Correlated, LevelInfo, MetaResult
from endophora.report.conclusion import LEVELS, MEASURES, conclude_meta
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    BELOW,
    BRACKETS,
    Cell,
    Column,
    Section,
    Table,
    best_of,
    bounds,
    figure,
    figures,
    names,
    number,
)
from endophora.statistics.significance import is_significant

_SHOWN = 15
"""Comparisons of a level that text shows; all are in the result."""
_PAIRS = 5
"""Pairs of systems of which text shows each t; of more it counts."""


def sections(result: MetaResult) -> Iterator[Section]:
    """Yield a table for each level, with the tests of its pairs of metrics, then what was settled."""
    for level in result.levels:
        yield [_headline(level, result), _table(level, result), *_compared(level, result)]
        if level.level == "doc" and result.paired:
            yield [_paired(result)]
    signatures = {"": result.signature, **{metric.name: metric.signature for metric in result.metrics}}
    shown = [f"signature{f' of {name}' if name else ''}: {text}" for name, text in signatures.items() if text]
    yield [*_notes(result), *shown]


def papers(result: MetaResult) -> Iterator[Table]:
    """Yield metrics × levels and measures, the best of each column in bold."""
    columns: list[Column] = []
    cells: list[list[Cell]] = []
    for level in result.levels:
        for measure in _measures(level, result):
            found = [_value(metric.name, level.level, measure, result) for metric in result.metrics]
            columns.append(Column(MEASURES[measure], group=LEVELS[level.level]))
            best = best_of(found, 3) if len(found) > 1 else [True]
            cells.append([figure(value, digits=3, best=top) for value, top in zip(found, best, strict=True)])
    lines = [[metric.name, *row] for metric, row in zip(result.metrics, zip(*cells, strict=True), strict=True)]
    yield Table([*names("metric"), *columns], lines)


def rows(result: MetaResult) -> Iterator[Sequence[object]]:
    """Yield one row for each metric, level and measure."""
    yield "metric", "level", "measure", "average", "value", "low", "high", "count", "epsilon"
    for one in result.correlations:
        figures = (one.value, *bounds(one.interval), one.scores, None)
        yield one.metric, one.level, one.coefficient, one.average, *figures
    for one in result.accuracies:
        average = "none" if one.level == "sys" else "item"
        yield one.metric, one.level, "accuracy", average, one.value, *bounds(one.interval), one.pairs, one.epsilon


def page(result: MetaResult) -> str:
    """Return a page of the tables."""
    levels = [
        PageSection(
            LEVELS[level.level].capitalize(),
            [_headline(level, result).partition(": ")[2], _table(level, result), *_compared(level, result)],
        )
        for level in result.levels
    ]
    paired = [PageSection("Neighbouring systems", [_paired(result)])] if result.paired else []
    return static_page(
        result,
        title=result.human,
        subtitle="which metric agrees with people?",
        conclusion=conclude_meta(result),
        facts=[("metrics", f"{len(result.metrics):,}"), ("human scores", result.human)],
        sections=[*levels, *paired, PageSection("How it was tested", _notes(result))],
        settings=[(metric.name, metric.signature) for metric in result.metrics if metric.signature],
    )


def _notes(result: MetaResult) -> list[str]:
    settings = result.settings
    raters = [
        f"{pair.first}, {pair.second}: kappa {number(pair.kappa, 3)} over {pair.items} outputs"
        for pair in result.raters
    ]
    sides = "two-sided" if settings.two_sided else "one-sided"
    ties = (
        "accuracy: of the pairs of systems' scores of one segment or document, or of systems, the share with the same "
        "order, or the same tie where the metric has a tie up to a difference (“tie up to”)."
    )
    notes = [*raters, ties, f"p: {sides}, Holm-corrected over the pairs of metrics; * p ≤ {settings.alpha:g}."]
    if result.paired:
        notes.append(
            "t: of each two neighbours in the order of people, from the worst; positive where the second system is "
            f"better. * (different): two-sided p ≤ {settings.alpha:g}, not corrected."
        )
    return notes


def _headline(level: LevelInfo, result: MetaResult) -> str:
    items = f" × {level.items:,} {LEVELS[level.level]}" if level.level != "sys" else ""
    mean = ", means of segments" if level.human_mean else ""
    drawn = f"{100 * result.settings.confidence:g} % intervals: {level.resampled} drawn ({level.units:,})"
    scores = f"{level.scores:,} human scores ({result.human}{mean})"
    return f"{LEVELS[level.level]}: {len(level.systems)} systems{items}, {scores}; {drawn}"


def _measures(level: LevelInfo, result: MetaResult) -> list[str]:
    return [*dict.fromkeys(one.coefficient for one in result.correlations if one.level == level.level), "accuracy"]


def _table(level: LevelInfo, result: MetaResult) -> Table:
    measures = _measures(level, result)
    ties = level.level != "sys"
    lines: list[list[Cell | str]] = []
    for metric in result.metrics:
        if level.level in metric.levels:
            found = [_found(metric.name, level.level, measure, result) for measure in measures]
            cells = [figure(one.value, one.interval, 3) for one in found]
            epsilon = [number(result.accuracy(metric.name, level.level).epsilon, 3)] if ties else []
            lines.append([metric.name, _scores(metric.name, level, result), *cells, *epsilon])
    heads = figures(*(MEASURES[measure] for measure in measures), interval=BELOW)
    return Table([*names("metric"), *figures("n"), *heads, *(figures("tie up to") if ties else [])], lines)


def _scores(metric: str, level: LevelInfo, result: MetaResult) -> str:
    """Return of how many human scores a metric's figures are; phenomena are in a part of the documents."""
    found = [one.scores for one in result.correlations if (one.metric, one.level) == (metric, level.level)]
    return f"{max(found):,}" if found else ""


def _compared(level: LevelInfo, result: MetaResult) -> list[Table | str]:
    """Return the tests of a level; of many pairs, only how many are significant."""
    found = [one for one in result.comparisons if one.level == level.level and (one.williams or one.permutation)]
    if len(found) > _SHOWN:
        sure = sum(one.permutation is not None and one.permutation.significant for one in found)
        return [f"{sure} of {len(found)} differences of metrics are significant by permutation; see result.json"]
    lines = [
        [
            f"{one.first} > {one.second}",
            MEASURES[one.measure],
            figure(one.difference, one.interval, 3),
            *(
                "" if test is None else f"{test.p_adjusted:.4f}{'*' if test.significant else ' '}"
                for test in (one.williams, one.permutation)
            ),
        ]
        for one in found
    ]
    heads = [Column("measure"), Column("difference", interval=BRACKETS), *figures("Williams p", "permutation p")]
    return [Table([*names("better > worse"), *heads], lines)] if lines else []


def _paired(result: MetaResult) -> Table:
    """Return each metric's t of the systems: of few pairs all, of many how many differ."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in result.paired))
    few, lines = len(pairs) <= _PAIRS, list[list[Cell | str]]()
    for name in dict.fromkeys(one.column for one in result.paired):
        own = [one for one in result.paired if one.column == name]
        sure = [one.statistic or 0.0 for one in own if _differs(one, result)]
        counts = [str(sum(t > 0 for t in sure)), str(sum(t < 0 for t in sure)), str(len(own))]
        cells = [figure(one.statistic, digits=2, verdict="differs" if _differs(one, result) else "") for one in own]
        lines.append([name or f"people ({result.human})", *(cells if few else counts)])
    heads = [" → ".join(pair) for pair in pairs] if few else ["different", "the other way round", "of pairs"]
    return Table([*names("paired t over documents"), *figures(*heads, marked=few)], lines)


def _differs(one: Paired, result: MetaResult) -> bool:
    return one.p_value is not None and is_significant(one.p_value, result.settings.alpha)


def _found(metric: str, level: str, measure: str, result: MetaResult) -> Correlated | Accuracy:
    return result.accuracy(metric, level) if measure == "accuracy" else result.correlation(metric, level, measure)


def _value(metric: str, level: str, measure: str, result: MetaResult) -> float | None:
    try:
        return _found(metric, level, measure, result).value
    except KeyError:  # this metric has no scores at this level
        return None
