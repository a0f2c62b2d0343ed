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
"""Criteria or levels that have sentences; the tables have all."""
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
    """Say of each criterion which system people prefer, and from which of the others it differs."""
    lines: list[str] = []
    kinds = [*dict.fromkeys((one.criterion, one.level) for one in result.scores)][:_MOST]
    for kind in kinds:
        scores = [one for one in result.scores if (one.criterion, one.level) == kind]
        tested = [one for one in result.comparisons if (one.criterion, one.level) == kind]
        what = f"share of comparisons won in {kind[0]}, {LEVELS[kind[1]]}"
        n = min(one.items for one in scores)
        lines += _highest(what, {one.system: (one.value, one.interval) for one in scores}, f"n = {n:,} outputs")
        lines += _tested(tested, result.warnings)
    return lines


def conclude_meta(result: MetaResult) -> list[str]:
    """Say of each level which metric agrees best with people by its first measure, and than which surely better."""
    return [*chain.from_iterable(_level(result, level.level, level.scores) for level in result.levels[:_MOST])]


def _level(result: MetaResult, level: str, scores: int) -> list[str]:
    found = [one for one in result.correlations if one.level == level]
    found = [one for one in found if one.coefficient == found[0].coefficient and one.value is not None]
    if not found:
        return []
    measure, figures = found[0].coefficient, {one.metric: (one.value, one.interval) for one in found}
    what = f"correlation with people ({LEVELS[level]}, {measure})"
    lines = _highest(what, figures, f"n = {scores:,} human scores", unit="", digits=3)
    best = max(found, key=lambda one: one.value or -1.0).metric
    pairs = [one for one in result.comparisons if (one.level, one.measure, one.first) == (level, measure, best)]
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
