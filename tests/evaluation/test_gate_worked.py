"""Conditions of a gate that are about one column or system, and what they say, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from endophora.errors import InputError
from endophora.evaluation.gate import (
    Condition,
    Fact,
    Outcome,
    _broken,
    _concerns,
    check_baseline,
    decide,
    plain,
    read_conditions,
)

COLUMNS, SYSTEMS = ["pronouns", "lexical_cohesion", "BLEU"], ["ours", "theirs"]


def fact(column: str = "pronouns", system: str = "ours", **about: object) -> Fact:
    known: dict[str, object] = {"category": False, "value": 55.0, "judged": 40, "enough": True, "tested": True}
    return Fact(column=column, system=system, **{**known, **about})  # pyright: ignore[reportArgumentType]


def decided(text: str, *facts: Fact) -> Outcome:
    [outcome] = decide(read_conditions([text], COLUMNS, SYSTEMS, compared=True), facts)
    return outcome


def advice(text: str, *, compared: bool = False) -> str:
    with pytest.raises(InputError) as raised:
        read_conditions([text], COLUMNS, SYSTEMS, compared=compared)
    [fault] = raised.value.faults
    assert fault.file == "--fail-if"
    return fault.advice


def test_the_gate_names_the_nearest_word_column_or_system():
    assert advice("wors").endswith("; did you mean “worse”?")
    assert advice("brocken", compared=True).endswith("; did you mean “broken”?")
    # The word itself is no better advice than the form.
    assert "did you mean" not in advice("change in BLEU < 3")
    assert "did you mean" not in advice("")
    assert "change in formality" in advice("what", compared=True)
    assert "change in formality" not in advice("what")
    assert advice("lexical cohesoin < 3") == "did you mean lexical_cohesion?"
    assert advice("xyz < 3") == "there are pronouns, lexical_cohesion, BLEU"
    assert advice("pronouns of their < 3") == "did you mean theirs?"
    assert advice("worse of q") == "there are ours, theirs"


def test_the_gate_takes_spaces_underscores_hyphens_and_case_for_one():
    assert plain(" Lexical_-  Cohesion ") == "lexical cohesion"
    assert read_conditions(["  LEXICAL-COHESION of Ours >= 1e1% "], COLUMNS, SYSTEMS) == [
        Condition("LEXICAL-COHESION of Ours >= 1e1%", "value", "LEXICAL-COHESION", "Ours", ">=", 10.0)
    ]
    assert read_conditions(["CHANGE IN bleu>2", "Broken>=1"], COLUMNS, SYSTEMS, compared=True) == [
        Condition("CHANGE IN bleu>2", "change", "bleu", "", ">", 2.0),
        Condition("Broken>=1", "broken", "", "", ">=", 1.0),
    ]


def test_the_gate_needs_two_systems_and_a_test_for_what_is_worse():
    worse = [Condition("bleu < 3", "value", "bleu", "", "<", 3), Condition("worse", "worse")]
    check_baseline(worse, SYSTEMS, 1, "best")
    check_baseline(worse[:1], ["ours"], 0, "ours")
    with pytest.raises(InputError, match="“worse” needs a test, and there is one system alone"):
        check_baseline(worse, ["ours"], 100, "best")
    with pytest.raises(InputError, match="“worse” needs a test, and --resamples 0 does none"):
        check_baseline(worse, SYSTEMS, 0, "best")


@pytest.mark.parametrize(
    ("condition", "left_out", "concerns"),
    [
        (Condition("", "value", "TER"), "chrF2, TER: only in the new result", True),
        (Condition("", "value", "bleu"), "chrF2, TER: only in the new result", False),
        (Condition("", "worse"), "chrF2, TER: only in the new result", True),
        (Condition("", "change", "", "lost"), "lost: a system of the old result only", True),
        (Condition("", "change", "", "ours"), "lost: a system of the old result only", False),
        (Condition("", "value", "", "lost"), "lost: a system of the old result only", False),
        (Condition("", "value", "", "lost"), "lost: a system of the new result only", True),
        (Condition("", "worse", "bleu"), "a: b: a system of the new result only", True),
        (Condition("", "worse", "bleu", "A: B"), "a: b: a system of the new result only", True),
    ],
)
def test_the_gate_knows_which_condition_is_about_what_was_left_out(condition: Condition, left_out: str, concerns: bool):
    assert _concerns(condition, left_out) == concerns


def test_the_gate_counts_tests_and_the_columns_without_one():
    one = decided("worse", fact(), fact("BLEU", baseline=True, tested=False))
    assert one.why == "no significant difference for the worse in 1 test"
    two = decided("worse", fact(), fact("lexical_cohesion"), fact(system="theirs", tested=False, enough=False))
    assert two.why == "no significant difference for the worse in 2 tests; not tested, too few: pronouns"
    none = decided("worse in pronouns", fact("BLEU"))
    assert (none.status, none.why) == ("undecided", "nothing was compared")
    plenty = decided("worse", fact(tested=False), fact("lexical_cohesion", tested=False, enough=False))
    assert plenty.why == "not tested, too few: lexical cohesion; not tested: pronouns"
    failed = decided("worse", fact(worse="x"), fact("BLEU", judged=None, worse="y", value=3.04))
    assert (failed.status, failed.why) == ("failed", "pronouns of ours is 55.0 (40 judged): x; BLEU of ours is 3.0: y")


def test_the_gate_is_undecided_where_anything_is_not_known_and_nothing_is_met():
    known, unknown = fact(), fact(system="theirs", value=None, judged=None)
    assert decided("pronouns < 60", unknown, known).status == "failed"
    assert decided("pronouns < 50", unknown, known) == Outcome(
        "pronouns < 50", "undecided", "pronouns of theirs has no figure"
    )
    assert decided("bleu < 50", known) == Outcome("bleu < 50", "undecided", "nothing was measured")
    assert decided("pronouns < 50", known, fact(system="theirs", value=1234.0, judged=1234)).why == (
        "pronouns of ours is 55.0 (40 judged); pronouns of theirs is 1234.0 (1,234 judged)"
    )


def test_the_gate_passes_over_columns_that_nothing_can_break_in():
    metric = fact("BLEU", judged=None, broken=None)
    nothing, whole = fact(judged=0, broken=0), fact("lexical_cohesion", broken=0)
    assert decided("broken > 0", metric).why == "nothing was measured"
    assert decided("broken > 0", nothing).why == "nothing was measured"
    assert decided("broken > 0", metric, nothing, whole) == Outcome(
        "broken > 0", "passed", "lexical cohesion of ours: 0 broken (40 judged)"
    )
    unknown = decided("broken > 0", fact(broken=None), whole)
    assert (unknown.status, unknown.why) == ("undecided", "pronouns of ours: no judgments to compare (40 judged)")


@pytest.mark.parametrize(
    ("kind", "judged", "found", "broken"),
    [
        ("phenomenon", [3, 4], 2, 2),
        ("phenomenon", [3, 4], None, None),
        ("phenomenon", [0, 4], 2, None),
        ("phenomenon", [3, 0], 2, None),
        ("phenomenon", [0, 0], None, 0),
        ("phenomenon", None, None, 0),
        ("category", [3, 4], 2, None),
    ],
)
def test_the_gate_knows_what_broke_where_both_results_have_judgments(
    kind: str, judged: list[int] | None, found: int | None, broken: int | None
):
    change: Any = SimpleNamespace(kind=kind, judged=judged)
    assert _broken(change, found) == broken
