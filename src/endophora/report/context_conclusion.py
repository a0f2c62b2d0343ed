"""What a study of context use concludes, in one to three sentences made of its figures; its texts and pages open so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeVar

from endophora.context.attribution.results import AttributionResult, AttributionShare
from endophora.context.results import ContrastComparison, ContrastResult, CxmiFigure, CxmiResult, PerturbationResult
from endophora.context.study import UtilizationResult
from endophora.record import Difference, Figure
from endophora.report.matrix import title
from endophora.report.table import figure
from endophora.statistics.units import UNDECIDABLE

_MOST = 3
"""Models or phenomena that a sentence names; the tables have all."""


def conclude_cxmi(result: CxmiResult, condition: str | None = None) -> list[str]:
    """Say whether the context makes the text more probable, and in which phenomena most."""
    name = condition or result.settings.main
    one, each = result.figure(name), "segment" if result.corpus.kind == "documents" else "line"
    shown = f"{signed(one.value, 3)} nats a {each}{_interval(one, 3, sign=True)}, n = {one.samples:,}"
    what = "the reference" if result.corpus.kind == "documents" else "the output"
    if one.interval is None or _undecidable(result):
        said = f"Whether context ({name}) changes the probability of {what} is not known: too few {_units(result)}"
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
        named = [_with_context(one) for one in found]
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
    shown = [*names[:_MOST], *([f"{len(names) - _MOST} more"] if len(names) > _MOST else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _with_context(one: ContrastComparison) -> str:
    size = f"{one.size} segment{'s' * (one.size > 1)}"
    return f"{one.model} ({signed(one.difference, 1)} points with {size} against {one.other_size})"


def signed(value: float, digits: int) -> str:
    """Return a figure with its sign."""
    return figure(value, digits=digits, sign=True).value


def _units(result: CxmiResult) -> str:
    return "documents" if result.settings.units == "documents" else "segments"
