"""An evaluation without a reference, on words of address and nouns that are written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from worked import TEXTS, corpus, document, tools

from endophora.errors import InputError
from endophora.evaluation import check as module
from endophora.evaluation.check import _heard, _Judged, _judgments, _left_out, check
from endophora.evaluation.choices import COUNTED
from endophora.evaluation.columns import choice_columns
from endophora.evaluation.evaluate import Evaluation
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.alone import LoneText
from endophora.judgments.records import Choice, Choices, Judgment, unjudged
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import Occurrence
from endophora.statistics.units import Units

ADDRESS = Setup("en", "de", taggers=TaggerOptions(phenomena=("formality", "verb_form")))


def address(name: str, side: str) -> TaggedDocument:
    """Two words of address; those of system *bad* are at two levels."""
    levels = ("formal", "informal" if side == "bad" else "formal")
    return document(name, TEXTS[side], [Choice("formality", at, (0,), (0,), shown) for at, shown in enumerate(levels)])


@pytest.fixture(autouse=True)
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setup, "load", lambda setup: tools(setup=setup))

    def tag(setup: Setup, texts: Any, *more: object) -> Any:
        names = {verbs[1]: name for name, verbs in TEXTS.items()}
        return [[address(one.id, names[one.target[1]]) for one in side] for side in texts]

    monkeypatch.setattr(module, "tag_targets", tag)


def done(**more: Any) -> Evaluation:
    return check(corpus(), ADDRESS, EvaluationOptions(**{"minimum": 6, "resamples": 100, **more}))


def test_check_finds_who_changes_the_level_in_each_of_six_documents():
    result = done().result
    assert [(one.column, one.system, one.value) for one in result.scores] == [
        ("formality", "good", 1.0),
        ("formality", "bad", 0.0),
    ]
    assert [one.counts["right"] for one in result.scores] == [6, 0]
    assert [one.unjudged for one in result.scores] == [{"first word of address": 6}] * 2
    assert [(one.system, one.p_value) for one in result.comparisons] == [("bad", 2 / 64)]
    [column] = result.columns
    assert (column.occurrences, column.documents, column.by_document) == (6, 6, [1] * 6)
    assert column.signature.startswith("judge:alone|support:inter|")
    assert result.corpus.references == []
    assert result.correlations == []
    assert result.conclusion == ["bad is significantly worse than good in formality (0.0 against 100.0, 6 judged)."]
    assert result.signature.startswith("pair:en-de|refs:|judge:choice|support:inter|")


def test_check_yields_what_is_judged_in_each_output_and_shows_a_place_once():
    evaluation = done()
    assert len(evaluation.occurrences) == 12
    shown = list(evaluation.judged())
    assert [(one.document, one.segment) for one in shown] == [(f"d{at}", 1) for at in range(6)]
    assert [(one.system, one.verdict, one.asked, one.shown) for one in shown[0].outputs] == [
        ("good", "right", "formal", "formal"),
        ("bad", "wrong", "formal", "informal"),
    ]
    assert all(one.context == [] and one.reference.text == "" for one in shown)
    assert len(done(examples=2).result.examples) == 2
    assert [len(one.context) for one in done(examples=2).result.examples] == [1, 1]
    assert list(evaluation.tagged) == ["good", "bad"]


def test_check_says_which_phenomena_it_leaves_out_and_why():
    [warning] = [one for one in done().result.warnings if "verb form" in one]
    assert warning == (
        "verb form is not judged without a reference: only a reference says which tense, aspect or mood a verb should "
        "have"
    )
    assert _left_out(["pronouns"]) == []
    assert _left_out(["mine"]) == ["mine is not judged without a reference: there are no judgments of it"]


def test_check_refuses_a_corpus_without_outputs_and_phenomena_that_need_a_reference():
    with pytest.raises(InputError, match=r"\[E108\]"):
        check(corpus(systems=()), ADDRESS)
    for names in (("verb_form",), ()):
        with pytest.raises(InputError, match=r"\[E109\]"):
            check(corpus(), Setup("en", "de", taggers=TaggerOptions(phenomena=names)))


def test_check_counts_in_the_row_of_the_segment_and_in_the_part():
    def place(segment: int) -> Occurrence:
        return Occurrence("d", segment, "lexical_cohesion", "noun", (0,), (0,), "x", None)

    judged = _Judged(
        [
            [(place(1), Judgment("wrong", "a", part="terms"))],
            [(place(0), unjudged("no choice")), (place(2), Judgment("right", "a", part="other words"))],
        ]
    )
    names = ("lexical_cohesion", "lexical_cohesion terms")
    counts = judged.statistics([0, 2], 5, names)
    assert counts.shape == (5, 2, len(COUNTED))
    places = [tuple(map(int, one)) for one in np.argwhere(counts)]
    assert places == [(1, 0, 1), (1, 1, 1), (2, 0, COUNTED.index("no choice")), (4, 0, 0)]
    assert counts.sum() == 4
    assert [len(found) for found in judged.documents] == [1, 1]


@pytest.mark.parametrize(("support", "verdicts"), [("inter", ["", ""]), ("any", ["", "right"])])
def test_check_leaves_out_what_has_its_support_in_the_same_segment(support: str, verdicts: list[str]):
    words = [Choice("formality", 0, (at,), (at,), "formal") for at in range(2)]
    found = list(_judgments(LoneText("d0", Choices(tuple(words))), ("formality",), support))
    assert [judgment.verdict for _, judgment in found] == verdicts
    assert found[0][1].why == "first word of address"
    assert (found[1][1].why == "support in the segment") == (support == "inter")
    assert list(_judgments(LoneText("d0", Choices(tuple(words))), ("pronouns",), support)) == []


def test_a_signature_says_how_many_other_systems_pronouns_are_judged_with():
    names, counts, options = ("formality", "pronouns"), np.zeros((4, 6, 2, 4)), EvaluationOptions()
    units = Units("documents", np.arange(6, dtype=np.intp), 6)
    for heard, signed in ((3, "judge:alone|support:inter|heard:3|"), (0, "judge:alone|support:inter|version:")):
        made, _ = choice_columns(names, counts, units, options, judge="alone", heard=heard)
        assert made[0].signature.startswith("judge:alone|support:inter|version:")
        assert made[1].signature.startswith(signed)


def test_it_is_said_where_the_figure_of_pronouns_depends_on_the_other_outputs():
    [said] = _heard(("pronouns",), 4)
    assert "what the 3 others say of their nouns" in said
    assert [_heard(("pronouns",), 3), _heard(("formality",), 4)] == [[], []]
