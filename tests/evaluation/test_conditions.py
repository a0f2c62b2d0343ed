"""Conditions that fail a build: how they are read, and what happens to them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from endophora.errors import InputError
from endophora.evaluation.gate import (
    Condition,
    Fact,
    Outcome,
    check_baseline,
    column_names,
    decide,
    facts_of,
    fails,
    read_conditions,
)
from endophora.evaluation.result import Column, Comparison, Score
from endophora.evaluation.setup import EvaluationOptions
from endophora.record import Interval
from endophora.report.gate import junit, section
from endophora.report.table import markdown_of

COLUMNS, SYSTEMS = ["pronouns", "lexical_cohesion", "BLEU", "formality level"], ["ours", "their system"]


def fact(column: str = "pronouns", system: str = "ours", **about: object) -> Fact:
    known: dict[str, object] = {"category": False, "value": 55.0, "judged": 40, "enough": True, "tested": True}
    return Fact(column=column, system=system, **{**known, **about})  # pyright: ignore[reportArgumentType]


def decided(text: str, *facts: Fact, compared: bool = False) -> Outcome:
    [outcome] = decide(read_conditions([text], COLUMNS, SYSTEMS, compared=compared), facts)
    return outcome


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("pronouns < 60", ("value", "pronouns", "", "<", 60)),
        ("Lexical Cohesion<=60.5%", ("value", "Lexical Cohesion", "", "<=", 60.5)),
        ("BLEU of their system > 3", ("value", "BLEU", "their system", ">", 3)),
        ("formality level of ours < 9", ("value", "formality level", "ours", "<", 9)),
        ("worse than baseline", ("worse", "", "", "<", 0)),
        ("worse in bleu of ours", ("worse", "bleu", "ours", "<", 0)),
        ("change in pronouns < -5", ("change", "pronouns", "", "<", -5)),
        ("broken > 3", ("broken", "", "", ">", 3)),
        ("broken in pronouns of ours >= 1", ("broken", "pronouns", "ours", ">=", 1)),
    ],
)
def test_a_condition_is_read(text: str, condition: tuple[str, str, str, str, float]):
    measure, column, system, sign, number = condition
    assert read_conditions([text], COLUMNS, SYSTEMS, compared=True) == [
        Condition(text, measure, column, system, sign, number)  # pyright: ignore[reportArgumentType]
    ]


def test_what_is_no_condition_or_names_nothing_is_said_at_once_with_the_nearest():
    with pytest.raises(InputError) as raised:
        read_conditions(["wors", "pronuns < 60", "BLEU of our < 3", "BLEU < many", "broken > 1"], COLUMNS, SYSTEMS)
    faults = raised.value.faults
    assert [fault.code for fault in faults] == ["E375", "E376", "E376", "E375", "E375"]
    for number in ("nan", "inf", "-inf%", "1e999"):
        with pytest.raises(InputError, match=r"\[E375\]"):
            read_conditions([f"pronouns < {number}"], COLUMNS, SYSTEMS)
    advice = [fault.advice.rpartition("did you mean ")[2] for fault in faults[:3]]
    assert advice == ["“worse”?", "pronouns?", "ours?"]


def test_worse_than_baseline_needs_two_systems_and_a_test():
    [worse] = read_conditions(["worse than baseline"], COLUMNS, SYSTEMS)
    check_baseline([worse], SYSTEMS, 100, "ours")
    for systems, resamples in ((["ours"], 100), (SYSTEMS, 0)):
        with pytest.raises(InputError, match=r"\[E376\]"):
            check_baseline([worse], systems, resamples, "best")


def test_the_baseline_is_not_worse_than_itself_and_asking_so_is_refused_where_it_is_known():
    of_ours = read_conditions(["worse of Ours", "worse in bleu of their system"], COLUMNS, SYSTEMS)
    check_baseline(of_ours, SYSTEMS, 100, "best")
    check_baseline(of_ours[1:], SYSTEMS, 100, "ours")
    with pytest.raises(InputError, match=r"\[E376\].*worse of Ours.*name another: their system"):
        check_baseline(of_ours, SYSTEMS, 100, "ours")
    best = decided("worse in pronouns of ours", fact(baseline=True, tested=False), fact(system="their system"))
    assert (best.status, best.why) == ("passed", "ours is what the others are compared with")
    both = decided("worse of ours", fact(baseline=True, tested=False), fact("BLEU", judged=None, tested=False))
    assert (both.status, both.why) == (
        "passed",
        "ours is what the others are compared with in pronouns; not tested: BLEU",
    )


def test_what_was_not_tested_or_compared_is_said_and_undecided_where_strict():
    facts = [fact(), fact("lexical_cohesion", tested=False, enough=False), fact("BLEU", judged=None, tested=False)]
    left = ["chrF2, TER: only in the new result", "lost: a system of the old result only"]
    [loose] = decide([worse := Condition("worse", "worse")], facts, left)
    assert loose.status == "passed"
    assert loose.why == (
        "no significant difference for the worse in 1 test; not tested, too few: lexical cohesion; not tested: BLEU; "
        "not compared: chrF2, TER: only in the new result; not compared: lost: a system of the old result only"
    )
    assert [one.status for one in decide([worse], facts, left, strict=True)] == ["undecided"]
    # What a condition is not about does not count.
    other = [Condition("a", "worse", "pronouns", "ours"), Condition("b", "value", "pronouns", "", "<", 50)]
    assert [one.status for one in decide(other, facts, left, strict=True)] == ["passed", "passed"]
    named = [Condition("c", "worse", "ter"), Condition("d", "change", "pronouns", "", "<", -5)]
    assert [one.status for one in decide(named, [fact(change=0.0)], left)] == ["undecided", "passed"]
    assert decide(named, [fact(change=0.0)], left, strict=True)[1].status == "undecided"
    assert decide([worse], [fact(worse="x")], left, strict=True)[0].status == "failed"


def test_a_figure_has_the_digits_that_decide_and_the_signs_of_tables():
    def shown(text: str, **about: object) -> str:
        return decided(text, fact(judged=None, **about), compared=True).why

    assert shown("pronouns < 60", value=59.97) == "pronouns of ours is 59.97"
    assert shown("pronouns < 60", value=59.9996) == "pronouns of ours is 59.9996"
    assert shown("pronouns < 60", value=59.94) == "pronouns of ours is 59.9"
    assert shown("change in pronouns < -5", change=-0.01) == "pronouns of ours changed by +0.0"
    assert shown("change in pronouns < -5", change=-7.25) == "pronouns of ours changed by −7.2"


def test_a_limit_fails_where_any_system_meets_it_and_names_its_size():
    found = decided("pronouns < 60", fact(), fact(system="their system", value=70.0))
    assert (found.status, found.why) == ("failed", "pronouns of ours is 55.0 (40 judged)")
    assert decided("pronouns < 50", fact(), fact(system="their system", value=70.0)).status == "passed"
    assert decided("pronouns of their system < 60", fact(), fact(system="their system", value=70.0)).status == "passed"


def test_without_a_reference_there_are_the_columns_that_are_judged_alone():
    taggers = SimpleNamespace(phenomena=("lexical_cohesion", "pronouns", "verb_form", "ellipsis"))
    setup: Any = SimpleNamespace(taggers=taggers, load=lambda: None)
    columns = column_names(setup, EvaluationOptions(metrics=("bleu",)), alone=True)
    assert {"verb_form", "ellipsis", "BLEU", "formality"}.isdisjoint(columns)
    assert {"lexical_cohesion", "pronouns"} < set(columns)
    with pytest.raises(InputError, match=r"\[E376\].*“ellipsis”"):
        read_conditions(["ellipsis < 60"], columns, SYSTEMS)


def test_too_few_judged_decide_nothing_and_the_outcome_says_so():
    found = decided("pronouns < 60", fact(enough=False, judged=3))
    assert (found.status, found.why) == ("undecided", "pronouns of ours is 55.0 (3 judged): too few")
    assert decided("pronouns < 60", fact(value=None)).status == "undecided"
    assert decided("worse", fact(tested=False, enough=False)).why == "not tested, too few: pronouns"
    passed = decided("worse", fact(tested=False, enough=False), fact("BLEU", judged=None))
    assert (passed.status, passed.why.rpartition("; ")[2]) == ("passed", "not tested, too few: pronouns")


def test_worse_passes_over_the_baseline_itself_and_over_categories_that_are_not_named():
    part = fact("formality level", category=True, worse="−9.0")
    assert decided("worse", fact(baseline=True, tested=False), fact("BLEU", judged=None), part).status == "passed"
    assert decided("worse in formality level", part).status == "failed"
    assert decided("worse", fact(worse="55.0 against 70.0")).status == "failed"


def test_broken_occurrences_count_also_where_too_few_are_judged_for_a_test():
    found = decided("broken > 3", fact(enough=False, broken=4, judged=9), compared=True)
    assert (found.status, found.why) == ("failed", "pronouns of ours: 4 broken (9 judged)")


def test_junit_has_a_test_case_a_condition():
    outcomes = [Outcome("a < 1", "failed", "it & is"), Outcome("b", "undecided", "few"), Outcome("c", "passed", "")]
    root = ElementTree.fromstring(junit(outcomes, "compare"))
    [suite] = root
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    assert [case.get("name") for case in suite] == ["fail if a < 1", "fail if b", "fail if c"]
    assert [case[0].tag for case in suite] == ["failure", "skipped", "system-out"]
    assert suite[0][0].get("message") == "it & is"
    root = ElementTree.fromstring(junit(outcomes, "compare", strict=True))
    assert [root.get(name) for name in ("failures", "skipped")] == ["2", "0"]
    assert [case[0].tag for case in root[0]] == ["failure", "failure", "system-out"]


def test_a_strict_gate_fails_by_what_is_undecided_and_its_head_says_so():
    outcomes = [Outcome("b", "undecided", "few"), Outcome("c", "passed", "")]
    heads = [markdown_of([section(outcomes, strict=strict)]).strip().splitlines()[0] for strict in (False, True)]
    assert heads == [
        "**Gate passed (1 undecided)**",
        "**Gate failed: 0 of 2 conditions met (1 undecided, which --strict fails)**",
    ]


def result_of(*differences: tuple[str, float, float, bool], baseline: str = "theirs") -> Any:
    """Two systems; of each column what *ours* differs by, its scale (below 0: lower is better), and the verdict."""
    columns = [
        Column(name=name, kind="category" if " " in name else "phenomenon", scale=abs(scale),
               higher_is_better=scale > 0, signature="", occurrences=None if name == "TER" else 30,
               enough=name != "few")
        for name, _, scale, _ in differences
    ]  # fmt: skip
    scores = [
        Score(column=one.name, system=system, value=0.5 * one.scale, interval=None, documents=[],
              counts={"right": 20, "wrong": 10})
        for one in columns
        for system in ("ours", "theirs")
    ]  # fmt: skip
    against = [
        Comparison(column=name, system="ours", baseline=baseline, difference=difference, interval=None, p_value=0.01,
                   p_adjusted=0.02, significant=significant)
        for name, difference, _, significant in differences
        if name != "few"
    ]  # fmt: skip
    return SimpleNamespace(columns=columns, scores=scores, comparisons=against)


def test_the_gate_sees_figures_in_points_of_100_and_who_the_baseline_is():
    ours, theirs = facts_of(result_of(("pronouns", -0.25, 1.0, True)))
    assert (ours.column, ours.system, ours.value, ours.judged) == ("pronouns", "ours", 50.0, 30)
    assert (ours.category, ours.enough, ours.baseline, ours.tested) == (False, True, False, True)
    assert ours.worse == "−25.0 against theirs, p = 0.020"
    assert (theirs.baseline, theirs.tested, theirs.worse, theirs.change, theirs.broken) == (True, False, "", None, None)


def test_a_system_has_enough_where_it_has_an_interval_whatever_another_one_has():
    result = result_of(("few", -0.25, 1.0, False))
    result.scores[0] = result.scores[0].model_copy(update={"interval": Interval(low=0.4, high=0.6)})
    ours, theirs = facts_of(result)
    assert (ours.enough, theirs.enough) == (True, False)


@pytest.mark.parametrize(
    ("difference", "scale", "significant", "worse"),
    [
        (-0.25, 1.0, True, True),
        (0.25, 1.0, True, False),
        (-0.25, 1.0, False, False),
        (0.0, 1.0, True, False),
        (25.0, -100.0, True, True),  # an error rate that grew
        (-25.0, -100.0, True, False),
        (0.0, -100.0, True, False),
    ],
)
def test_the_gate_takes_for_worse_what_is_significant_and_in_the_wrong_direction(
    difference: float, scale: float, significant: bool, worse: bool
):
    ours, _ = facts_of(result_of(("pronouns", difference, scale, significant)))
    assert bool(ours.worse) == worse
    assert ours.value == 50.0


def test_the_gate_tells_categories_metrics_and_what_was_not_tested():
    found = facts_of(result_of(("formality level", -0.1, 1, True), ("TER", 9, -100, True), ("few", 0, 1, False)))
    ours = {one.column: one for one in found if one.system == "ours"}
    assert [ours[name].category for name in ("formality level", "TER", "few")] == [True, False, False]
    assert [ours[name].judged for name in ("formality level", "TER", "few")] == [30, None, 30]
    assert (ours["few"].tested, ours["few"].enough) == (False, False)
    assert ours["TER"].worse.startswith("+9.0 against theirs")


@pytest.mark.parametrize(("sign", "outcomes"), [
    ("<", ["failed", "passed", "passed"]),
    ("<=", ["failed", "failed", "passed"]),
    (">", ["passed", "passed", "failed"]),
    (">=", ["passed", "failed", "failed"]),
])  # fmt: skip
def test_the_gate_takes_each_sign_for_what_it_says(sign: str, outcomes: list[str]):
    assert [decided(f"pronouns {sign} 60", fact(value=value)).status for value in (59.0, 60.0, 61.0)] == outcomes


def test_the_gate_fails_by_what_is_undecided_where_it_is_strict_alone():
    assert [fails(Outcome("a", status, ""), strict=True) for status in ("passed", "failed", "undecided")] == [
        False,
        True,
        True,
    ]
    assert [fails(Outcome("a", status, ""), strict=False) for status in ("passed", "failed", "undecided")] == [
        False,
        True,
        False,
    ]
