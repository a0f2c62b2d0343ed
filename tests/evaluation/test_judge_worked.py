"""What a language model is shown of a place: marks, words, segments before it, and forms to choose from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from worked import TEXTS, corpus, document

from endophora.errors import InputError
from endophora.evaluation.judge import AskedModel, _agreements, _context, _marked, _Questions, _words
from endophora.evaluation.result import Passage
from endophora.evaluation.setup import JudgeOptions
from endophora.judgments.records import Choice, Choices, Judgment
from endophora.phenomena.records import Occurrence, Support

PASSAGE = Passage.model_validate(
    {
        "text": "er sah sie dort",
        "highlights": [
            {"start": 0, "end": 2, "role": "source"},
            {"start": 3, "end": 6, "role": "support"},
            {"start": 11, "end": 15, "role": "source"},
        ],
    }
)


def test_the_judge_is_shown_marks_around_words_of_one_role_alone():
    assert _marked(PASSAGE, "source") == "⟦er⟧ sah sie ⟦dort⟧"
    assert _marked(PASSAGE, "support") == "er ⟦sah⟧ sie dort"
    assert _marked(PASSAGE, "written") == "er sah sie dort"
    assert [_words(PASSAGE, role) for role in ("source", "support", "written")] == ["er dort", "sah", ""]


def test_the_judge_is_shown_the_segments_of_the_support_and_where_some_are_left_out():
    segments = [SimpleNamespace(source=f"s{at}", outputs={"a": f"a{at}", "b": "-"}) for at in range(9)]

    def rows(support: Support | None, *shown: int) -> list[tuple[object, ...]]:
        occurrence = Occurrence("d", 6, "pronouns", "x", (0,), (0,), "", support)
        place: Any = SimpleNamespace(system="a", occurrence=occurrence, document=SimpleNamespace(segments=segments))
        example: Any = SimpleNamespace(context=[SimpleNamespace(segment=at) for at in shown])
        return [tuple(row.values()) for row in _context(place, example)]

    assert rows(None, 4, 5) == [("s4", "a4", True), ("s5", "a5", False)]
    assert rows(Support(((1, 0),), ((2, 0),), 5), 4, 5) == [
        ("s1", "a1", True), ("s2", "a2", False), ("s4", "a4", True), ("s5", "a5", False),
    ]  # fmt: skip
    # The place's own segment is no context, the first one has no gap before it.
    assert rows(Support(((0, 0), (6, 0)), ((7, 0),), 6)) == [("s0", "a0", False)]
    assert rows(Support((), (), 0)) == []


def test_the_judge_chooses_among_a_words_translations_up_to_the_place():
    uses = [
        Choice("lexical_cohesion", at, (1,), (1,), shown, about, "NOUN")
        for at, shown, about in ((0, "sehen", "see"), (1, "schauen", "see"), (2, "blicken", "see"), (0, "", "see"),
                                 (0, "treffen", "meet"))
    ]  # fmt: skip
    tagged = document("d0", TEXTS["good"], uses)
    occurrence = Occurrence("d0", 1, "lexical_cohesion", "x", (1,), (1,), "", None)
    place: Any = SimpleNamespace(tagged=tagged, occurrence=occurrence, judgment=Judgment("wrong", "a", "gucken", (1,)))
    assert isinstance(tagged.choices, Choices)
    assert _Questions(corpus(1), [])._choices(place) == ["gucken", "schauen", "sehen"]


def test_the_judge_chooses_among_all_forms_of_the_phenomenon_that_were_asked_or_shown():
    def place(phenomenon: str, asked: str, shown: str) -> Any:
        occurrence = Occurrence("d0", 1, phenomenon, "x", (1,), (1,), "", None)
        return SimpleNamespace(occurrence=occurrence, judgment=Judgment("wrong", asked, shown, (1,)))

    places = [place("pronouns", "Masc", "Fem"), place("pronouns", "Neut", ""), place("formality", "T", "V")]
    questions = _Questions(corpus(1), places)
    assert questions._choices(places[1]) == ["Fem", "Masc", "Neut"]
    assert questions._choices(places[2]) == ["T", "V"]
    assert "English" in questions.system
    assert "German" in questions.system


def test_the_judge_has_a_table_with_ours_in_the_rows():
    def place(verdict: Any) -> Any:
        return SimpleNamespace(
            occurrence=SimpleNamespace(phenomenon="pronouns"), judgment=SimpleNamespace(verdict=verdict)
        )

    ours = ["right"] * 6 + ["wrong"] * 4 + ["right"] * 3
    theirs = ["right"] * 5 + ["wrong"] + ["right"] * 2 + ["wrong"] * 2 + ["unclear"] * 2 + ["unanswered"]
    one, whole = _agreements([place(verdict) for verdict in ours], theirs)
    assert (one.phenomenon, whole.phenomenon) == ("pronouns", "")
    for found in (one, whole):
        assert (found.asked, found.answered, found.unclear, found.unanswered) == (13, 10, 2, 1)
        assert (found.both_right, found.ours_alone_right, found.theirs_alone_right, found.both_wrong) == (5, 1, 2, 2)
        assert found.agreement == 0.7
        # By chance .6 · .7 + .4 · .3 = .54.
        assert found.kappa == pytest.approx((0.7 - 0.54) / 0.46)


def test_the_judge_is_a_language_model_by_name_or_nobody():
    assert AskedModel.open(JudgeOptions(), None, lambda _: None) is None
    with pytest.raises(InputError, match=r"\[E071\] --judge – “gpt” is no language model to ask"):
        AskedModel.open(JudgeOptions(judge="gpt"), None, lambda _: None)
