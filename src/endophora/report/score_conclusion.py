"""What suites, people's judgments and meta-evaluations conclude; :mod:`.context_conclusion` does it for contexts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from endophora.meta.ranking import Ranked, RankingResult, kind_named
from endophora.meta.result import MetaResult
from endophora.record import Interval, SystemDifference
from endophora.report.context_conclusion import by_verdict, listed, signed
from endophora.report.table import figure
from endophora.statistics.units import UNDECIDABLE
from endophora.suites.result import FigureName, SenseResult, SuiteResult

MEASURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "kendall-wmt": "Kendall (WMT)",
    "accuracy": "accuracy",
}
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
    found: dict[str, list[Ranked]] = {}
    for one in result.scores:
        found.setdefault(kind_named(one.criterion, one.level), []).append(one)
    tops: dict[str, list[str]] = {}
    for kind, scores in found.items():
        names, shown = _top({one.system: (one.value, one.interval) for one in scores})
        if names:
            n = listed([f"{one:,}" for one in sorted({one.items for one in scores if one.system in names})])
            have = f"{listed(names)} {'has' if len(names) == 1 else 'have'}"
            tops.setdefault(have, []).append(f"{kind} ({shown}, n = {n})")
    lines = [f"{have} the highest share of comparisons won in {listed(where)}." for have, where in tops.items()]
    few = {kind for kind in found if any(one.startswith(f"{kind}: ") and UNDECIDABLE in one for one in result.warnings)}
    few -= {kind_named(one.criterion, one.level) for one in result.comparisons if one.significant}  # higher level
    tested: dict[tuple[str, str], list[str]] = {}
    for one in result.comparisons:
        if kind_named(one.criterion, one.level) not in few:
            verdict = "" if not one.significant else "better" if one.difference > 0 else "worse"
            tested.setdefault((one.baseline, one.system), []).append(verdict)
    groups: dict[str, list[str]] = {}
    for (baseline, system), verdicts in tested.items():
        for verdict in [each for each in ("better", "worse") if each in verdicts] or [""]:
            where = "" if len({*verdicts}) == 1 else " in some of these"
            groups.setdefault(f"{_STARTS[verdict]} {baseline}{where}", []).append(system)
    lines += [f"{start}: {listed(systems)}." for start, systems in groups.items()]
    if few:
        where = f" in {listed(sorted(few))}" if tested else ""
        lines.append(f"Too few documents for a significant difference{where}.")
    return lines


def conclude_meta(result: MetaResult) -> list[str]:
    """Say of each level which metric agrees best with people by its first measure, and than which surely better."""
    return [*chain.from_iterable(_level(result, level.level) for level in result.levels[:_MOST])]


def _level(result: MetaResult, level: str) -> list[str]:
    found = [one for one in result.correlations if one.level == level]
    found = [one for one in found if one.coefficient == found[0].coefficient and one.value is not None]
    if not found:
        return []
    measure, figures = found[0].coefficient, {one.metric: (one.value, one.interval) for one in found}
    best, _ = _top(figures, digits=3)
    counts = listed([f"{one:,}" for one in sorted({one.scores for one in found if one.metric in best})])
    what = f"correlation with people ({LEVELS[level]}, {MEASURES[measure]})"
    lines = _highest(what, figures, f"n = {counts} human scores", unit="", digits=3)
    pairs = [
        (one.first, one.second, test.significant)
        for one in result.comparisons
        if (one.level, one.measure) == (level, measure) and (test := one.permutation or one.williams) is not None
    ]
    about = [one for one in pairs if {*one[:2]} & {*best}]
    surely: dict[tuple[str, ...], list[str]] = {}
    for name in best:
        surely.setdefault(tuple(second for first, second, sure in about if sure and first == name), []).append(name)
    if about and not any(sure for *_, sure in about):
        return [*lines, "No other differs significantly."]
    for lower, names in surely.items():
        subject = "" if len(surely) == 1 else f"{listed(names)}: "
        start = f"{subject}{'s' if subject else 'S'}ignificantly more than"
        lines += [f"{start} {listed(lower)}."] if lower else []
    return lines


def _top(figures: _Figures, *, unit: str = " %", digits: int = 1) -> tuple[list[str], str]:
    """Return the systems that have the highest figure as it is shown, and that figure."""
    known = {name: figure(*found, digits) for name, found in figures.items() if found[0] is not None}
    if not known:
        return [], ""
    top = max(known.values(), key=lambda cell: cell.number or 0.0)
    first = [name for name, cell in known.items() if cell.value == top.value]
    return first, f"{top.value}{unit}{f' {top.brackets}' if top.brackets and len(first) == 1 else ''}"


def _highest(what: str, figures: _Figures, n: str, *, unit: str = " %", digits: int = 1) -> list[str]:
    """Say which systems have the highest figure, or what the only one has."""
    first, shown = _top(figures, unit=unit, digits=digits)
    if not first:
        return []
    if len([one for one, _ in figures.values() if one is not None]) == 1:
        return [f"{first[0]}: {what} {shown}, {n}."]
    return [f"{listed(first)} {'has' if len(first) == 1 else 'have'} the highest {what}: {shown}, {n}."]


def _tested(tested: Sequence[SystemDifference], warnings: Sequence[str]) -> list[str]:
    """Say which systems are significantly better or worse than the baseline, and which are not."""
    decided = any(one.significant for one in tested)  # at a level above .05
    if tested and not decided and any(UNDECIDABLE in one for one in warnings):
        return [f"Too few {_drawn(warnings)} for a significant difference."]
    return [
        f"{_STARTS[verdict]} {found[0].baseline}: "
        f"{listed([f'{one.system} ({signed(one.difference, 1)} points)' for one in found])}."
        for verdict, found in by_verdict(tested)
    ]


def _drawn(warnings: Sequence[str]) -> str:
    """Return what is drawn, as the warning of too few names it: documents, or source words."""
    found = (re.search(rf"with \d+ (.+) {UNDECIDABLE}", one) for one in warnings)
    return next((one[1] for one in found if one), "documents")
