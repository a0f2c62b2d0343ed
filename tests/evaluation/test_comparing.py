"""The parts of a comparison of two results, each by a small example."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.evaluation.comparing import (
    Kept,
    _absent,
    _change,
    _changes,
    _parts,
    _placed,
    _tables,
    _units,
    match_systems,
)
from endophora.evaluation.result import Column, Example, Passage, Score, SystemOutput
from endophora.evaluation.setup import EvaluationOptions
from endophora.evaluation.sums import About, Sums
from endophora.statistics.comparison import compare


def output(verdict: Any = "", *, correct: bool | None = None) -> SystemOutput:
    right = verdict == "right" if correct is None else correct
    return SystemOutput(system="a", passage=Passage(text=""), correct=right, verdict=verdict, written="")


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("right", "right", None),
        ("wrong", "wrong", None),
        ("right", "wrong", "broken"),
        ("right", "missing", "broken"),
        ("wrong", "right", "repaired"),
        ("other", "right", "repaired"),
        ("wrong", "missing", "other"),
        ("right", "", "other"),  # not judged any more
        ("", "right", "other"),
        ("", "", None),
    ],
)
def test_comparing_calls_broken_what_was_right_and_is_not(old: str, new: str, change: str | None):
    assert _change(output(old), output(new)) == change


def test_comparing_words_goes_by_whether_they_are_the_references():
    assert _change(output(correct=True), output(correct=False)) == "broken"
    assert _change(output(correct=False), output(correct=True)) == "repaired"
    assert _absent("b").model_dump(include={"system", "correct", "verdict", "why", "written"}) == {
        "system": "b",
        "correct": False,
        "verdict": "",
        "why": "not judged",
        "written": "",
    }


def test_comparing_reads_a_signature_with_signatures_in_braces():
    assert _parts("pair:en-de|corefer:{ranker|{a:1|b}}|word|seed:1|empty:") == {
        "pair": "en-de",
        "corefer": "{ranker|{a:1|b}}",
        "seed": "1",
        "empty": "",
    }


def example(start: int, *, segment: int = 0, document: str = "d", role: str = "source") -> Example:
    marked = {"text": "so it is", "highlights": [{"start": start, "end": start + 2, "role": role}]}
    passage = Passage.model_validate(marked)
    return Example(
        document=document, segment=segment, file="f", line=1, phenomenon="pronouns", rule="it", expected="", context=[],
        source=passage, reference=Passage(text=""), outputs=[],
    )  # fmt: skip


def test_comparing_knows_a_place_by_its_words_and_counts_twins():
    given = [example(0), example(3), example(0), example(0, segment=1), example(0, document="e")]
    places = [place for place, _ in _placed(given)]
    assert places == [
        ("d", 0, "pronouns", (0, 2), 0),
        ("d", 0, "pronouns", (3, 5), 0),
        ("d", 0, "pronouns", (0, 2), 1),
        ("d", 1, "pronouns", (0, 2), 0),
        ("e", 0, "pronouns", (0, 2), 0),
    ]
    # What supports an occurrence may differ between two results.
    assert next(_placed([example(3, role="support")]))[0] == ("d", 0, "pronouns", 0)


def test_comparing_warns_of_few_documents_as_an_evaluation_does():
    def units(size: int, documents: int) -> Any:
        kind: Any = "documents" if documents > 1 else "segments"
        return _units(Sums(About("bleu", ("BLEU",), kind), np.zeros((1, size, 1)), np.ones((1, 1), bool)), documents)

    assert units(6, 6).warnings == ()
    assert "with 5 documents" in units(5, 5).warnings[0]
    assert "only one document" in units(9, 1).warnings[0]
    assert (units(9, 1).kind, units(9, 1).count, units(2, 2).count) == ("segments", 9, 2)


def test_comparing_refuses_each_name_that_is_none_and_says_where():
    with pytest.raises(InputError) as raised:
        match_systems(["old"], ["new"], {"newer": "odd"})
    assert [(one.code, one.file) for one in raised.value.faults] == [("E374", "--system")] * 2
    causes = [one.cause for one in raised.value.faults]
    assert causes == ["the new result has no system “newer”", "the old result has no system “odd”"]
    with pytest.raises(InputError, match="it has old"):
        match_systems(["old"], ["new"], {"new": "xyz"})
    with pytest.raises(InputError, match=r"old: none; new: a"):
        match_systems([], ["a"], {})


def compared(enough: tuple[bool, bool], *, higher: bool = True, scored: str = "choice") -> Any:
    """Two results of six documents: the old output is right in all, the new one in none."""

    def side(rights: int, system: str, known: bool) -> Kept:
        column = Column(name="pronouns", kind="phenomenon", scale=1, higher_is_better=higher, signature="s",
                        occurrences=12)  # fmt: skip
        score = Score(column="pronouns", system=system, value=rights / 2, interval=None, documents=[],
                      counts={"right": 6 * rights, "wrong": 12 - 6 * rights})  # fmt: skip
        result: Any = SimpleNamespace(
            columns=[column],
            corpus=SimpleNamespace(systems=[system], documents=[None] * 6, target_language="de"),
            score=lambda name, wanted: score,
        )
        sums = np.zeros((1, 6, 1, 4))
        sums[..., 0], sums[..., 1] = rights, 2 - rights
        return Kept(result, [Sums(About(scored, ("pronouns",), "documents"), sums, np.array([[known]]))], [])

    old, new = side(2, "before", enough[0]), side(0, "now", enough[1])
    tables, left = _tables(old, new, {"now": "before"})
    options = EvaluationOptions(resamples=100)
    found = compare([table for _, table in tables], options)
    return [change for one in found for change in _changes("now", "before", one, old.result, new.result)], left


@pytest.mark.parametrize(("higher", "verdict"), [(True, "worse"), (False, "better")])
def test_comparing_takes_the_new_less_the_old_in_the_columns_own_direction(higher: bool, verdict: str):
    [change], left = compared((True, True), higher=higher)
    assert (change.old, change.new, change.difference, change.verdict) == (1.0, 0.0, -1.0, verdict)
    assert (change.p_value, change.p_adjusted, change.enough) == (2 / 64, 2 / 64, True)
    assert (change.judged, change.system, change.column) == ([12, 12], "now", "pronouns")
    assert (change.interval.low, change.interval.high) == (-1.0, -1.0)
    assert left == []


@pytest.mark.parametrize("enough", [(True, False), (False, True), (False, False)])
def test_comparing_tests_nothing_where_one_of_the_two_has_too_few(enough: tuple[bool, bool]):
    [change], _ = compared(enough)
    assert (change.enough, change.p_value, change.p_adjusted, change.interval, change.verdict) == (
        False, None, None, None, "",
    )  # fmt: skip
    assert (change.old, change.new, change.difference) == (1.0, 0.0, -1.0)
