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
from endophora.record import number, p_text

if TYPE_CHECKING:
    from endophora.evaluation.comparing import Change, ComparisonResult
    from endophora.evaluation.result import Result
    from endophora.evaluation.setup import EvaluationOptions, Setup

FAILED = 4
"""Exit status of a command of whose conditions one is met, or undecided and strict."""

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
    """What happened to a condition, and why."""

    condition: str
    status: Status
    why: str


def fails(outcome: Outcome, *, strict: bool) -> bool:
    """Return whether an outcome fails the build: it is met, or undecided and the build is strict."""
    return outcome.status == "failed" or (strict and outcome.status == "undecided")


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
            advice = f"did you mean {spelled[near[0]]}?" if near else f"there are {', '.join(known) or 'none'}"
            cause = f"the condition “{condition.text}” is about “{name}”, which is no {kind}"
            yield Fault("E376", cause, advice, "--fail-if")


def plain(name: str) -> str:
    """Return a name as conditions compare it: *lexical cohesion*, *Lexical_Cohesion* and *lexical-cohesion* are one."""
    return re.sub(r"[\s_-]+", " ", name).strip().casefold()


def column_names(setup: Setup, options: EvaluationOptions, *, alone: bool = False, tagged: bool = False) -> list[str]:
    """Return the names of the columns that an evaluation will have.

    Args:
        alone: without a reference.
        tagged: of texts that come with tags.
    """
    from endophora.evaluation.check import PHENOMENA
    from endophora.evaluation.choices import LEVEL, parts_of
    from endophora.evaluation.columns import possible_metrics
    from endophora.evaluation.terms import TERMS
    from endophora.metrics import load_document_metric, load_metric, reads_annotations

    phenomena = [name for name in setup.taggers.phenomena if not alone or name in PHENOMENA]
    names = [*phenomena, *([TERMS] if options.glossary else [])]
    if options.judge == "choice":
        names += [LEVEL] if "formality" in phenomena and not alone else []
        # Without a reference no such word is judged.
        names += [part for part in parts_of(phenomena) if not (alone and part.endswith("other words"))]
    tools = setup.load()
    for metric in () if alone else possible_metrics(options, tools, annotated=not tagged)[0].metrics:
        if reads_annotations(metric):
            names += load_document_metric(metric, tools.rules(setup.target_language)).parts
        else:
            names.append(load_metric(metric, setup.target_language).name)
    return list(dict.fromkeys(names))


def check_baseline(conditions: Iterable[Condition], systems: Sequence[str], resamples: int, baseline: str) -> None:
    """Refuse conditions that nothing could ever decide: of one system, of the baseline, or without resamples (E376)."""
    conditions = [one for one in conditions if one.measure == "worse"]
    worse = next(iter(conditions), None)
    if worse is not None and (len(systems) < 2 or not resamples):
        cause = f"the condition “{worse.text}” needs a test, and " + (
            "--resamples 0 does none" if len(systems) > 1 else "there is one system alone"
        )
        advice = "give two systems, or compare with an earlier result: endophora compare OLD NEW --fail-if worse"
        raise InputError(Fault("E376", cause, advice, "--fail-if"))
    itself = [one for one in conditions if baseline in systems and plain(one.system) == plain(baseline)]
    others = ", ".join(name for name in systems if name != baseline)
    refuse(
        Fault(
            "E376", f"the condition “{one.text}” is about the baseline itself", f"name another: {others}", "--fail-if"
        )
        for one in itself
    )


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
            worse = (
                f"{number(found.difference * factor, sign=True)} against {found.baseline}, {p_text(found.p_adjusted)}"
            )
        facts.append(
            Fact(
                column=score.column,
                system=score.system,
                category=column.kind == "category",
                value=None if score.value is None else score.value * factor,
                judged=None if column.occurrences is None else sum(score.counts.values()),
                enough=column.enough or score.interval is not None,  # others may have too few
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
        worse = f"{number(old)} → {number(new)}, {p_text(one.p_adjusted or 0.0)}" if one.verdict == "worse" else ""
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
    """Return the broken occurrences of a phenomenon; where one result judged none, ``None``: it is not known."""
    judged = change.judged
    if change.kind != "phenomenon" or (judged and any(judged) and (found is None or not all(judged))):
        return None
    return found or 0


def decide(
    conditions: Iterable[Condition], facts: Sequence[Fact], left_out: Sequence[str] = (), *, strict: bool = False
) -> list[Outcome]:
    """Return what happens to each condition.

    Args:
        conditions: as they were read.
        facts: of all columns and systems.
        left_out: what is not compared, and why (:attr:`~endophora.evaluation.comparing.ComparisonResult.left_out`).
        strict: a condition is undecided, not passed, where something that it is about was not tested or compared.
    """
    return [_outcome(condition, facts, left_out, strict) for condition in conditions]


def _outcome(condition: Condition, facts: Sequence[Fact], left_out: Sequence[str], strict: bool) -> Outcome:
    found, *unseen = _decided(condition, [fact for fact in facts if _is_meant(condition, fact)])
    missing = [each for each in left_out if _concerns(condition, each)]
    unseen = [*filter(None, unseen), *(f"not compared: {each}" for each in missing)]
    if found.status == "failed" or not unseen:
        return found
    status = "undecided" if strict else found.status
    return Outcome(found.condition, status, "; ".join([found.why, *unseen]))


def _concerns(condition: Condition, left_out: str) -> bool:
    """Return whether a condition is about what was left out: columns, or a system."""
    what, _, why = left_out.rpartition(": ")
    if why.startswith("a system of the"):
        old = "old" in why and condition.measure == "value"  # the figure is the new result's
        return not old and plain(condition.system or what) == plain(what)
    return not condition.column or plain(condition.column) in map(plain, what.split(", "))


def _is_meant(condition: Condition, fact: Fact) -> bool:
    if condition.system and plain(condition.system) != plain(fact.system):
        return False
    return plain(condition.column) == plain(fact.column) if condition.column else not fact.category


def _decided(condition: Condition, facts: Sequence[Fact]) -> tuple[Outcome, str]:
    """Return what happens to a condition, and what of it was not tested."""
    if condition.measure == "worse":
        return _worse(condition, facts)
    met, unknown, known = list[str](), list[str](), list[str]()
    for fact in facts:
        value = {"value": fact.value, "change": fact.change, "broken": fact.broken}[condition.measure]
        if condition.measure == "broken" and (fact.judged is None if value is None else fact.judged == 0):
            continue
        shown = _shown(condition, fact, value)
        if value is None or (not fact.enough and condition.measure != "broken"):
            unknown.append(shown if value is None else f"{shown}: too few")
        else:
            (met if _is_met(condition, value) else known).append(shown)
    if met:
        return Outcome(condition.text, "failed", "; ".join(met)), ""
    if unknown or not known:
        return Outcome(condition.text, "undecided", "; ".join(unknown) or "nothing was measured"), ""
    return Outcome(condition.text, "passed", "; ".join(known)), ""


def _is_met(condition: Condition, value: float) -> bool:
    return _SIGNS[condition.sign](value, condition.number)


def _shown(condition: Condition, fact: Fact, value: float | None) -> str:
    name = f"{fact.column.replace('_', ' ')} of {fact.system}"
    size = "" if fact.judged is None else f" ({fact.judged:,} judged)"
    if condition.measure == "broken":
        return f"{name}: {'no judgments to compare' if value is None else f'{value:,} broken'}{size}"
    if value is None:
        return f"{name} has no figure"
    # As tables have it, and with more digits where the rounded figure would decide otherwise.
    decided = _is_met(condition, value)
    same = (each for each in range(1, 9) if _is_met(condition, round(value, each)) == decided)
    change, digits = condition.measure == "change", 1 if condition.measure == "worse" else next(same, 9)
    return f"{name} {'changed by' if change else 'is'} {number(value, digits, sign=change)}{size}"


def _worse(condition: Condition, facts: Sequence[Fact]) -> tuple[Outcome, str]:
    others = [fact for fact in facts if not fact.baseline]
    if worse := [f"{_shown(condition, fact, fact.value)}: {fact.worse}" for fact in others if fact.worse]:
        return Outcome(condition.text, "failed", "; ".join(worse)), ""
    untested = [fact for fact in others if not fact.tested]
    few, plenty = (_columns(fact for fact in untested if fact.enough == enough) for enough in (False, True))
    left = "; ".join(f"not tested{why}: {names}" for why, names in ((", too few", few), ("", plenty)) if names)
    if not others and facts:
        best = ", ".join(dict.fromkeys(fact.system for fact in facts))
        return Outcome(condition.text, "passed", f"{best} is what the others are compared with"), ""
    if len(untested) == len(facts):
        return Outcome(condition.text, "undecided", left or "nothing was compared"), ""
    tests = len(others) - len(untested)
    if not tests:
        best = _columns(fact for fact in facts if fact.baseline)
        why = f"{facts[0].system} is what the others are compared with in {best}"
    else:
        why = f"no significant difference for the worse in {tests} test{'s' * (tests != 1)}"
    return Outcome(condition.text, "passed", why), left


def _columns(facts: Iterable[Fact]) -> str:
    return ", ".join(dict.fromkeys(fact.column.replace("_", " ") for fact in facts))
