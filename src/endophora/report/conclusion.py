"""What results conclude, in one to three sentences made of their figures; their texts and pages open so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from endophora.context.attribution.results import AttributionResult, AttributionShare
from endophora.context.results import ContrastComparison, ContrastResult, CxmiFigure, CxmiResult, PerturbationResult
from endophora.context.study import UtilizationResult
from endophora.evaluation.figures import FEWEST
from endophora.meta.ranking import Ranked, RankingResult, kind_named
from endophora.meta.result import MetaResult
from endophora.record import Difference, Figure, Interval, SystemDifference
from endophora.report.matrix import title
from endophora.report.table import figure, many
from endophora.statistics.units import UNDECIDABLE
from endophora.suites.result import FigureName, SenseResult, SuiteResult

_MOST = 3
"""Models or phenomena that a sentence names, and levels that have one; the tables have all."""


def conclude_cxmi(result: CxmiResult, condition: str | None = None) -> list[str]:
    """Say whether the context makes the text more probable, and in which phenomena most."""
    name = condition or result.settings.main
    one, each = result.figure(name), "segment" if result.corpus.kind == "documents" else "line"
    shown = f"{signed(one.value, 3)} nats a {each}{_interval(one, 3, sign=True)}, n = {one.samples:,}"
    what = "the reference" if result.corpus.kind == "documents" else "the output"
    units = "documents" if result.settings.units == "documents" else "segments"
    if one.interval is None or _undecidable(result):
        said = f"Whether context ({name}) changes the probability of {what} is not known: too few {units}"
    elif one.interval.low > 0 or one.interval.high < 0:
        said = f"Context ({name}) makes {what} {'more' if one.value > 0 else 'less'} probable"
    else:
        said = f"This text does not show whether context ({name}) changes the probability of {what}"
    if _undecidable(result):
        return [f"{said}: {shown}."]
    tested = [each for each in result.contrasts if each.condition == name and each.tag != "with tag"]
    gains = sorted((each for each in tested if each.significant and each.difference > 0), key=lambda e: -e.difference)
    more: list[str] = []
    if gains:
        counts = {each.group: each.count for each in result.groups if each.condition == name and each.kind == "tag"}
        named = [f"{title(it.tag)} ({signed(it.difference, 3)}, {counts.get(it.tag, 0):,} words)" for it in gains]
        more.append(f"Significantly more than other words gain, in nats a word: {listed(named)}.")
    elif tested:
        more.append(f"No phenomenon gains significantly more than other words, of {len(tested)} that were tested.")
    return [f"{said}: {shown}.", *more]


def conclude_contrast(result: ContrastResult) -> list[str]:
    """Say which models are significantly better with context than with the least, and how good the others are."""
    largest: dict[str, ContrastComparison] = {}
    for one in result.comparisons:
        if one.of == "context" and one.kind == "all" and one.size >= largest.get(one.model, one).size:
            largest[one.model] = one
    lines: list[str] = []
    for verdict, found in by_verdict(largest.values()):
        named = [
            f"{each.model} ({signed(each.difference, 1)} points with {many(each.size, 'segment')} against "
            f"{each.other_size})"
            for each in found
        ]
        said = {"better": "right more often", "worse": "right less often"}.get(verdict)
        start = f"Significantly {said} with context" if said else f"{_no_difference(result)} with context"
        lines.append(f"{start}: {listed(named)}, n = {result.suite.items:,}.")
    alone = [
        score
        for run in result.runs
        if run.model not in largest
        and (score := result.score(run.model, run.size)) is not None
        and score.value is not None
    ]
    alone.sort(key=lambda one: -(one.value or 0.0))
    named = [f"{one.model} {figure(one.value).value} %{_interval(one, 1)}" for one in alone]
    return [*lines, *([f"Right in {listed(named)} of the items, n = {result.suite.items:,}."] if named else [])]


def conclude_perturbation(result: PerturbationResult) -> list[str]:
    """Say what each model makes of its context."""
    return [verdict.sentence for verdict in result.verdicts]


def conclude_attribution(result: AttributionResult) -> list[str]:
    """Say which model takes most from the supporting words, and which differ from the baseline."""
    shares = [one for one in result.shares if one.kind == "all" and one.measure == "support"]
    if not shares:
        return []
    best = max(shares, key=lambda one: one.value)
    shown = [figure(one.value, digits=2).value for one in shares]
    alone = shown.count(figure(best.value, digits=2).value) == 1
    most = f", the most of {len(shares)} models" if len(shares) > 1 and alone else ""
    lines = [
        f"{best.model} makes {figure(best.value, digits=2).value} %{_interval(best, 2)} of a word from the words "
        f"that support it{most}; n = {best.words:,}."
    ]
    tested = [one for one in result.differences if one.measure == "support"]
    starts = {
        "better": "Significantly more than",
        "worse": "Significantly less than",
        "": f"{_no_difference(result)} from",
    }
    for verdict, found in by_verdict(tested):
        named = [f"{one.model} ({signed(one.difference, 2)} points)" for one in found]
        lines.append(f"{starts[verdict]} {found[0].baseline}: {listed(named)}.")
    return lines


def conclude_study(result: UtilizationResult) -> list[str]:
    """Return what each part says, the attributions after the name of their words."""
    parts = [
        conclude_perturbation(result.perturbation) if result.perturbation else [],
        conclude_contrast(result.contrast) if result.contrast else [],
        *([f"{one.data}: {line}" for line in conclude_attribution(one)] for one in result.attributions),
    ]
    return list(chain.from_iterable(parts))


def _undecidable(result: CxmiResult | ContrastResult | AttributionResult) -> bool:
    """Return whether there are too few documents for any difference to be significant."""
    return any(UNDECIDABLE in one for one in result.warnings)


def _no_difference(result: ContrastResult | AttributionResult) -> str:
    return "Too few documents for a significant difference" if _undecidable(result) else "No significant difference"


_Tested = TypeVar("_Tested", bound=Difference)


def by_verdict(found: Iterable[_Tested]) -> list[tuple[str, list[_Tested]]]:
    """Return verdict → differences, the largest first: significantly better, worse, and not significant."""
    groups: dict[str, list[_Tested]] = {"better": [], "worse": [], "": []}
    for one in sorted(found, key=lambda one: -abs(one.difference)):
        groups["" if not one.significant else "better" if one.difference > 0 else "worse"].append(one)
    return [(verdict, each) for verdict, each in groups.items() if each]


def _interval(one: Figure | CxmiFigure | AttributionShare, digits: int, *, sign: bool = False) -> str:
    shown = figure(one.value, one.interval, digits, sign=sign).brackets
    return f" {shown}" if shown else ""


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them, those that are too many counted."""
    most = _MOST if len(names) > _MOST + 1 else len(names)  # “1 more” is no shorter than its name
    shown = [*names[:most], *([f"{len(names) - most} more"] if names[most:] else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def signed(value: float, digits: int) -> str:
    """Return a figure with its sign."""
    return figure(value, digits=digits, sign=True).value


MEASURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "kendall-wmt": "Kendall (WMT)",
    "accuracy": "accuracy",
}
LEVELS = {"seg": "segments", "doc": "documents", "sys": "systems"}
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
    few = undecidable_kinds(result)
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


def undecidable_kinds(result: RankingResult) -> set[str]:
    """Return the criteria and levels of which too few documents were judged for any difference to be significant."""
    kinds = {kind_named(one.criterion, one.level) for one in result.scores}
    few = {kind for kind in kinds if any(one.startswith(f"{kind}: ") and UNDECIDABLE in one for one in result.warnings)}
    return few - {kind_named(one.criterion, one.level) for one in result.comparisons if one.significant}  # higher level


def conclude_meta(result: MetaResult) -> list[str]:
    """Say of each level which metric agrees best with people by its first measure, and than which surely better."""
    return [*chain.from_iterable(_level(result, level.level) for level in result.levels[:_MOST])]


def _level(result: MetaResult, level: str) -> list[str]:
    found = [one for one in result.correlations if one.level == level]
    found = [one for one in found if one.coefficient == found[0].coefficient and one.value is not None]
    if not found:
        return []
    # What is scored in a few documents alone says nothing beside what is scored in all.
    found = [one for one in found if level == "sys" or one.scores >= FEWEST] or found
    measure, figures = found[0].coefficient, {one.metric: (one.value, one.interval) for one in found}
    best, _ = _top(figures, digits=3)
    counts = listed([f"{one:,}" for one in sorted({one.scores for one in found if one.metric in best})])
    what = f"correlation with people ({LEVELS[level]}, {MEASURES[measure]})"
    n = f"n = {counts} human scores"
    lines = _highest(what, figures, n, unit="", digits=3)
    if len(figures) > 1 and max(value for value, _ in figures.values() if value is not None) <= 0:
        top = f"{listed(best)} {_top(figures, unit='', digits=3)[1]}"
        lines = [f"No metric has a positive {what}; the highest: {top}, {n}."]
    pairs = [
        (one.first, one.second, test.significant)
        for one in result.comparisons
        if (one.level, one.measure) == (level, measure) and (test := one.permutation or one.williams) is not None
    ]
    about = [one for one in pairs if {*one[:2]} & {*best} and {*one[:2]} <= {*figures}]
    surely: dict[tuple[str, ...], list[str]] = {}
    for name in best:
        surely.setdefault(tuple(second for first, second, sure in about if sure and first == name), []).append(name)
    if about and not any(sure for *_, sure in about):
        return [" ".join([*lines, "No other differs significantly."])]
    for lower, names in surely.items():
        subject = "" if len(surely) == 1 else f"{listed(names)}: "
        start = f"{subject}{'s' if subject else 'S'}ignificantly more than"
        lines += [f"{start} {listed(lower)}."] if lower else []
    return [" ".join(lines)]


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
        # The warning of too few names what is drawn: documents, or source words.
        found = (re.search(rf"with \d+ (.+) {UNDECIDABLE}", one) for one in warnings)
        drawn = next((one[1] for one in found if one), "documents")
        return [f"Too few {drawn} for a significant difference."]
    return [
        f"{_STARTS[verdict]} {found[0].baseline}: "
        f"{listed([f'{one.system} ({signed(one.difference, 1)} points)' for one in found])}."
        for verdict, found in by_verdict(tested)
    ]
