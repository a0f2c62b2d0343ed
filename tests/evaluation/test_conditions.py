"""Conditions that fail a build: how they are read, and what becomes of them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from endophora.errors import InputError
from endophora.evaluation.gate import Condition, Fact, Outcome, check_baseline, decide, read_conditions
from endophora.report.gate import junit

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
        with pytest.raises(InputError, match="E375"):
            read_conditions([f"pronouns < {number}"], COLUMNS, SYSTEMS)
    advice = [fault.advice.rpartition("did you mean ")[2] for fault in faults[:3]]
    assert advice == ["“worse”?", "pronouns?", "ours?"]


def test_worse_than_baseline_needs_two_systems_and_a_test():
    [worse] = read_conditions(["worse than baseline"], COLUMNS, SYSTEMS)
    check_baseline([worse], SYSTEMS, 100)
    for systems, resamples in ((["ours"], 100), (SYSTEMS, 0)):
        with pytest.raises(InputError, match="E376"):
            check_baseline([worse], systems, resamples)


def test_a_limit_fails_where_any_system_meets_it_and_names_its_size():
    found = decided("pronouns < 60", fact(), fact(system="their system", value=70.0))
    assert (found.status, found.why) == ("failed", "pronouns of ours is 55.0 (40 judged)")
    assert decided("pronouns < 50", fact(), fact(system="their system", value=70.0)).status == "passed"
    assert decided("pronouns of their system < 60", fact(), fact(system="their system", value=70.0)).status == "passed"


def test_too_few_judged_decide_nothing_and_the_outcome_says_so():
    found = decided("pronouns < 60", fact(enough=False, judged=3))
    assert (found.status, found.why) == ("undecided", "pronouns of ours is 55.0 (3 judged): too few")
    assert decided("pronouns < 60", fact(value=None)).status == "undecided"
    assert decided("worse", fact(tested=False)).why == "not tested, too few: pronouns"
    passed = decided("worse", fact(tested=False), fact("BLEU", judged=None))
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
