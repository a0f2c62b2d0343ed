"""Conditions on a result that fail a build: ``pronouns < 60``, ``worse than baseline in formality``, ``broken > 3``.

A condition is read, and held against the columns and systems that there will be, before the work. A condition that
nothing can decide, because too little was judged, is neither met nor not met: it is ``undecided``, and says so.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from endophora.errors import Fault, InputError, refuse

if TYPE_CHECKING:
    from endophora.evaluation.comparing import Change, ComparisonResult
    from endophora.evaluation.result import Result
    from endophora.evaluation.setup import EvaluationOptions, Setup

FAILED = 4
"""Exit status of a command of whose conditions one is met."""

_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_LIMIT = re.compile(r"(?P<measure>change in |broken in )?(?P<what>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>\S+)", re.I)
_WORSE = re.compile(r"worse(?: than baseline)?(?: in (?P<column>.+?))?(?: of (?P<system>.+))?", re.I)
_FORMS = "as “pronouns < 60”, “pronouns of SYSTEM < 60”, “worse than baseline” or “worse than baseline in formality”"
_COMPARED = "as “worse”, “worse in formality”, “formality < 60”, “change in formality < -5” or “broken > 3”"

Measure = Literal["value", "change", "broken", "worse"]
Status = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: ``column`` and ``system`` are empty for all; a ``value`` and a ``change`` are in points of 100."""

    text: str
    measure: Measure
    column: str = ""
    system: str = ""
    sign: str = "<"
    number: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a condition, and why."""

    condition: str
    status: Status
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A column of a system, as conditions see it."""

    column: str
    system: str
    category: bool
    value: float | None  # in points of 100
    change: float | None = None  # in points of 100, against the earlier result
    broken: int | None = None  # ``None`` of metrics, and where a result has no judgments to compare
    judged: int | None  # occurrences; ``None`` of metrics
    enough: bool
    baseline: bool = False  # it is what the others are compared with
    tested: bool
    worse: str = ""  # what it is worse than, and by how much


def read_conditions(
    texts: Sequence[str], columns: Collection[str], systems: Sequence[str], *, compared: bool = False
) -> list[Condition]:
    """Return conditions.

    Args:
        texts: as they were typed.
        columns: names of the columns of the result; case and underscores do not count.
        systems: names of the systems.
        compared: whether two results are compared, so that there are changes and broken occurrences.

    Raises:
        InputError: one cannot be read (E375), or names no column or system (E376); all at once.
    """
    faults: list[Fault] = []
    found: list[Condition] = []
    for text in texts:
        condition = _condition(text.strip(), compared=compared)
        if condition is None:
            advice = f"write it {_COMPARED if compared else _FORMS}{_near(text)}"
            faults.append(Fault("E375", f"the condition “{text}” cannot be read", advice, "--fail-if"))
            continue
        faults += _unknown(condition, columns, systems)
        found.append(condition)
    refuse(faults)
    return found


def _condition(text: str, *, compared: bool) -> Condition | None:
    if match := _WORSE.fullmatch(text):
        return Condition(text, "worse", match["column"] or "", match["system"] or "")
    if (match := _LIMIT.fullmatch(text)) is None:
        return None
    try:
        number = float(match["number"].removesuffix("%"))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    what, _, system = match["what"].partition(" of ")
    measure: Measure = "value"
    if (named := (match["measure"] or "").lower()) or what.lower() == "broken":
        measure = "change" if named.startswith("change") else "broken"
        what = what if named else ""
    if measure != "value" and not compared:
        return None
    return Condition(text, measure, what.strip(), system.strip(), match["sign"], number)


def _near(text: str) -> str:
    word = text.split()[0].lower() if text.split() else ""
    near = get_close_matches(word, ("worse", "change", "broken"), 1)
    return f"; did you mean “{near[0]}”?" if near and near[0] != word else ""


def _unknown(condition: Condition, columns: Collection[str], systems: Sequence[str]) -> Iterator[Fault]:
    for name, known, kind in ((condition.column, columns, "column"), (condition.system, systems, "system")):
        spelled = {plain(each): each for each in known}
        if name and plain(name) not in spelled:
            near = get_close_matches(plain(name), spelled, 1)
            advice = f"did you mean {spelled[near[0]]}?" if near else f"there are {', '.join(known)}"
            cause = f"the condition “{condition.text}” is about “{name}”, which is no {kind}"
            yield Fault("E376", cause, advice, "--fail-if")


def plain(name: str) -> str:
    """Return a name as conditions compare it: *lexical cohesion*, *Lexical_Cohesion* and *lexical-cohesion* are one."""
    return re.sub(r"[\s_-]+", " ", name).strip().casefold()


def column_names(setup: Setup, options: EvaluationOptions, *, alone: bool = False) -> list[str]:
    """Return the names of the columns that an evaluation, or one without reference (``alone``), will have."""
    from endophora.evaluation.choices import LEVEL, parts_of
    from endophora.evaluation.terms import TERMS
    from endophora.metrics import load_document_metric, load_metric, reads_annotations

    phenomena = setup.taggers.phenomena
    names = [*phenomena, *([TERMS] if options.glossary else [])]
    if options.judge == "choice":
        names += [LEVEL] if "formality" in phenomena and not alone else []
        names += parts_of(phenomena)
    tools = setup.load()
    for metric in () if alone else options.metrics:
        if reads_annotations(metric):
            names += load_document_metric(metric, tools.rules(setup.target_language)).parts
        else:
            names.append(load_metric(metric, setup.target_language).name)
    return list(dict.fromkeys(names))


def check_baseline(conditions: Iterable[Condition], systems: Sequence[str], resamples: int) -> None:
    """Refuse conditions that nothing could ever decide: of one system, or without resamples (E376)."""
    worse = next((one for one in conditions if one.measure == "worse"), None)
    if worse is not None and (len(systems) < 2 or not resamples):
        cause = f"the condition “{worse.text}” needs a test, and " + (
            "--resamples 0 does none" if len(systems) > 1 else "there is one system alone"
        )
        advice = "give two systems, or compare with an earlier result: endophora compare OLD NEW --fail-if worse"
        raise InputError(Fault("E376", cause, advice, "--fail-if"))


def facts_of(result: Result) -> list[Fact]:
    """Return what conditions see of a result."""
    columns = {column.name: column for column in result.columns}
    against = {(one.column, one.system): one for one in result.comparisons}
    facts: list[Fact] = []
    for score in result.scores:
        column = columns[score.column]
        factor = 100 / column.scale
        found = against.get((score.column, score.system))
        worse = ""
        if found and found.significant and found.difference and (found.difference < 0) == column.higher_is_better:
            worse = f"{found.difference * factor:+.1f} against {found.baseline}, p = {found.p_adjusted:.3f}"
        facts.append(
            Fact(
                column=score.column,
                system=score.system,
                category=column.kind == "category",
                value=None if score.value is None else score.value * factor,
                judged=None if column.occurrences is None else sum(score.counts.values()),
                enough=column.enough,
                baseline=any(one.baseline == score.system for one in result.comparisons if one.column == score.column),
                tested=found is not None,
                worse=worse,
            )
        )
    return facts


def facts_of_comparison(result: ComparisonResult) -> list[Fact]:
    """Return what conditions see of two results compared."""
    broken = {(one.phenomenon, one.system): one.broken for one in result.turnover}
    facts: list[Fact] = []
    for one in result.changes:
        old, new, change = (
            None if each is None else 100 * each / one.scale for each in (one.old, one.new, one.difference)
        )
        worse = f"{old:.1f} → {new:.1f}, p = {one.p_adjusted:.3f}" if one.verdict == "worse" else ""
        facts.append(
            Fact(
                column=one.column,
                system=one.system,
                category=one.kind == "category",
                value=new,
                change=change,
                broken=_broken(one, broken.get((one.column, one.system))),
                judged=one.judged[1] if one.judged else None,
                enough=one.enough,
                tested=one.p_value is not None,
                worse=worse,
            )
        )
    return facts


def _broken(change: Change, found: int | None) -> int | None:
    """Return the broken occurrences of a phenomenon; where one result judged none, nobody knows what became of them."""
    judged = change.judged
    if change.kind != "phenomenon" or (judged and any(judged) and (found is None or not all(judged))):
        return None
    return found or 0


def decide(conditions: Iterable[Condition], facts: Sequence[Fact]) -> list[Outcome]:
    """Return what becomes of each condition."""
    return [_decided(condition, [fact for fact in facts if _is_meant(condition, fact)]) for condition in conditions]


def _is_meant(condition: Condition, fact: Fact) -> bool:
    if condition.system and plain(condition.system) != plain(fact.system):
        return False
    return plain(condition.column) == plain(fact.column) if condition.column else not fact.category


def _decided(condition: Condition, facts: Sequence[Fact]) -> Outcome:
    if condition.measure == "worse":
        return _worse(condition, [fact for fact in facts if not fact.baseline])
    met, unknown, known = list[str](), list[str](), list[str]()
    for fact in facts:
        value = {"value": fact.value, "change": fact.change, "broken": fact.broken}[condition.measure]
        if condition.measure == "broken" and (fact.judged is None if value is None else fact.judged == 0):
            continue
        shown = _shown(condition, fact, value)
        if value is None or (not fact.enough and condition.measure != "broken"):
            unknown.append(shown if value is None else f"{shown}: too few")
        else:
            (met if _SIGNS[condition.sign](value, condition.number) else known).append(shown)
    if met:
        return Outcome(condition.text, "failed", "; ".join(met))
    if unknown or not known:
        return Outcome(condition.text, "undecided", "; ".join(unknown) or "nothing was measured")
    return Outcome(condition.text, "passed", "; ".join(known))


def _shown(condition: Condition, fact: Fact, value: float | None) -> str:
    name = f"{fact.column.replace('_', ' ')} of {fact.system}"
    if value is None and condition.measure != "broken":
        return f"{name} has no figure"
    size = "" if fact.judged is None else f" ({fact.judged:,} judged)"
    if condition.measure == "broken":
        return f"{name}: {'no judgments to compare' if value is None else f'{value:,} broken'}{size}"
    return f"{name} {'changed by' if condition.measure == 'change' else 'is'} {value:.1f}{size}"


def _worse(condition: Condition, facts: Sequence[Fact]) -> Outcome:
    worse = [f"{_shown(condition, fact, fact.value)}: {fact.worse}" for fact in facts if fact.worse]
    few = [fact for fact in facts if not fact.tested]
    left = f"not tested, too few: {', '.join(dict.fromkeys(fact.column.replace('_', ' ') for fact in few))}"
    if worse:
        return Outcome(condition.text, "failed", "; ".join(worse))
    if len(few) == len(facts):
        return Outcome(condition.text, "undecided", left if few else "nothing was compared")
    tested = f"no significant difference for the worse in {len(facts) - len(few)} tests"
    return Outcome(condition.text, "passed", f"{tested}; {left}" if few else tested)
