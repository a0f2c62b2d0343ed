"""What suites, people's judgments and meta-evaluations conclude; :mod:`.context_conclusion` does it for contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from endophora.meta.ranking import RankingResult
from endophora.meta.result import MetaResult
from endophora.record import Interval, SystemDifference
from endophora.report.context_conclusion import by_verdict, listed, signed
from endophora.report.table import figure
from endophora.statistics.units import UNDECIDABLE
from endophora.suites.result import FigureName, SenseResult, SuiteResult

LEVELS = {"seg": "segments", "doc": "documents", "sys": "systems"}
_MOST = 3
"""Levels that have sentences; the tables have all."""
_STARTS = {
    "better": "Significantly better than",
    "worse": "Significantly worse than",
    "": "No significant difference from",
}
_Figures = Mapping[str, tuple[float | None, Interval | None]]


def conclude_suite(result: SuiteResult) -> list[str]:
    """Say which system is right most often, and which differ significantly from the baseline."""
    scores = [one for one in result.scores if one.kind == "all"]
    tested = [one for one in result.comparisons if one.kind == "all"]
    n = min((one.counted for one in scores), default=0)
    figures = {one.system: (one.value, one.interval) for one in scores}
    return _highest("accuracy", figures, f"n = {n:,} items") + _tested(tested, result.warnings)


def conclude_senses(result: SenseResult, main: FigureName, name: str) -> list[str]:
    """Say which system takes most words in their right sense, by the figure that counts most."""
    scores = [one for one in result.scores if one.kind == "all" and one.figure == main]
    baseline = result.settings.baseline
    tested = [
        SystemDifference(**one.comparison.model_dump(), system=one.system, baseline=baseline)
        for one in scores
        if one.comparison is not None and one.system != baseline
    ]
    figures = {one.system: (one.value, one.interval) for one in scores}
    return _highest(name, figures, f"n = {result.suite.items:,} sentences") + _tested(tested, result.warnings)


def conclude_ranking(result: RankingResult) -> list[str]:
    """Say which system people prefer in which criterion and level, and which others differ in all or some of them."""
    kinds = [*dict.fromkeys((one.criterion, one.level) for one in result.scores)]
    found = {kind: [one for one in result.scores if (one.criterion, one.level) == kind] for kind in kinds}
    tops: dict[str, list[str]] = {}
    for (criterion, level), scores in found.items():
        top = max(scores, key=lambda one: -1.0 if one.value is None else one.value)
        cell = figure(top.value, top.interval)
        shown = f"{cell.value} %{f' {cell.brackets}' if cell.brackets else ''}, n = {top.items:,}"
        tops.setdefault(top.system, []).append(f"{criterion} of {LEVELS[level]} ({shown})")
    lines = [f"{system} wins most comparisons in {listed(where)}." for system, where in tops.items()]
    tested: dict[tuple[str, str], list[str]] = {}
    for one in result.comparisons:
        verdict = "" if not one.significant else "better" if one.difference > 0 else "worse"
        tested.setdefault((one.baseline, one.system), []).append(verdict)
    groups: dict[str, list[str]] = {}
    for (baseline, system), verdicts in tested.items():
        said = {"better", "worse", ""} & {*verdicts}
        where = "" if len(said) == 1 else " in some of these"
        start = _STARTS["worse" if "worse" in said else "better" if "better" in said else ""]
        groups.setdefault(f"{start} {baseline}{where}", []).append(system)
    return lines + [f"{start}: {listed(systems)}." for start, systems in groups.items()]


def conclude_meta(result: MetaResult) -> list[str]:
    """Say of each level which metric agrees best with people by its first measure, and than which surely better."""
    return [*chain.from_iterable(_level(result, level.level, level.scores) for level in result.levels[:_MOST])]


def _level(result: MetaResult, level: str, scores: int) -> list[str]:
    found = [one for one in result.correlations if one.level == level]
    found = [one for one in found if one.coefficient == found[0].coefficient and one.value is not None]
    if not found:
        return []
    measure, figures = found[0].coefficient.capitalize(), {one.metric: (one.value, one.interval) for one in found}
    what = f"correlation with people ({LEVELS[level]}, {measure})"
    lines = _highest(what, figures, f"n = {scores:,} human scores", unit="", digits=3)
    best = max(found, key=lambda one: one.value or -1.0).metric
    pairs = [
        one for one in result.comparisons if (one.level, one.measure, one.first) == (level, found[0].coefficient, best)
    ]
    pairs = [(one.second, one.permutation or one.williams) for one in pairs]
    surely = [name for name, test in pairs if test is not None and test.significant]
    if any(test is not None for _, test in pairs):
        lines.append(f"Significantly more than {listed(surely)}." if surely else "No other differs significantly.")
    return lines


def _highest(what: str, figures: _Figures, n: str, *, unit: str = " %", digits: int = 1) -> list[str]:
    """Say which systems have the highest figure as it is shown, or what the only one has."""
    known = {name: figure(*found, digits) for name, found in figures.items() if found[0] is not None}
    if not known:
        return []
    top = max(known.values(), key=lambda cell: cell.number or 0.0)
    first = [name for name, cell in known.items() if cell.value == top.value]
    shown = f"{top.value}{unit}{f' {top.brackets}' if top.brackets and len(first) == 1 else ''}, {n}"
    if len(known) == 1:
        return [f"{first[0]}: {what} {shown}."]
    return [f"{listed(first)} {'has' if len(first) == 1 else 'have'} the highest {what}: {shown}."]


def _tested(tested: Sequence[SystemDifference], warnings: Sequence[str]) -> list[str]:
    """Say which systems are significantly better or worse than the baseline, and which are not."""
    if tested and any(UNDECIDABLE in one for one in warnings):
        return ["Too few documents for a significant difference."]
    return [
        f"{_STARTS[verdict]} {found[0].baseline}: "
        f"{listed([f'{one.system} ({signed(one.difference, 1)} points)' for one in found])}."
        for verdict, found in by_verdict(tested)
    ]
