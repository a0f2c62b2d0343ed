"""A language model beside our judgments: what is drawn, what is asked again, and the table of the two, by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from worked import BEFORE, TEXTS, corpus, document

from endophora.errors import InputError
from endophora.evaluation.judge import AskedModel, _agreements, _drawn, _Questions
from endophora.evaluation.setup import JudgeOptions
from endophora.judgments.records import Choice, Judgment
from endophora.phenomena.records import Occurrence


def found(
    phenomenon: str, verdict: Any, *, at: int = 0, shown: str = "Fem", segment: int = 1
) -> tuple[Occurrence, Judgment]:
    place = Occurrence(f"d{at}", segment, phenomenon, "x", (1,), (1,), "", BEFORE)
    return place, Judgment(verdict, "Masc", shown, (1,))


def placed(phenomenon: str, verdict: Any, number: int = 0) -> Any:
    occurrence, judgment = found(phenomenon, verdict)
    return SimpleNamespace(number=number, occurrence=occurrence, judgment=judgment)


class Model:
    """Answers in turn; keeps what it was asked."""

    signature = "server:none"

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.spent = 0.25
        self.estimated: list[Any] = []
        self.limited: list[Any] = []

    def question(self, system: str, text: str, schema: Any) -> Any:
        return SimpleNamespace(system=system, text=text, schema=schema)

    def read(self, answer: str, question: Any) -> str:
        return answer

    def estimate(self, pairs: Any) -> Any:
        self.estimated = pairs
        return "the cost"

    def check_limit(self, asked: Any) -> None:
        self.limited = asked

    def obtain(self, questions: Sequence[Any]) -> list[str]:
        self.asked += [one.text for one in questions]
        return [self.answers.pop(0) for _ in questions]


def said(verdict: str, **more: object) -> str:
    return json.dumps({"reason": "so", "verdict": verdict, **more})


def asked(model: Model, judged: list[list[tuple[Occurrence, Judgment]]], sample: int = 9) -> Any:
    costs: list[object] = []
    texts = [document(f"d{at}", TEXTS["good"]) for at in range(len(judged))]
    made = AskedModel(model, model, "EUR", sample, costs.append)  # pyright: ignore[reportArgumentType]
    result = made.compare(corpus(len(judged), ("good",)), {"good": texts}, {"good": judged}, seed=3)
    assert costs == ["the cost"]
    return result


def test_a_judge_agrees_where_both_say_the_same():
    """Of ours right, right, wrong, wrong the model says right, wrong, right, wrong."""
    judged = [found("pronouns", verdict) for verdict in ("right", "right", "wrong", "wrong")]
    result = asked(Model([said(verdict) for verdict in ("right", "wrong", "right", "wrong")]), [judged])
    [pronouns, every] = result.agreements
    assert (pronouns.phenomenon, every.phenomenon) == ("pronouns", "")
    for one in (pronouns, every):
        assert (one.asked, one.answered, one.unclear, one.unanswered) == (4, 4, 0, 0)
        assert (one.both_right, one.ours_alone_right, one.theirs_alone_right, one.both_wrong) == (1, 1, 1, 1)
        assert (one.agreement, one.kappa) == (0.5, 0.0)
    assert (result.judged, result.asked, result.asked_again) == (4, 4, 0)
    assert (result.model, result.spent, result.currency) == ("server:none", 0.25, "EUR")


BAD = ("no JSON", '["right"]', '{"verdict": "right"}', '{"reason": 1, "verdict": "right"}')


@pytest.mark.parametrize("answer", [*BAD, said("yes"), said("right", more=1)])
def test_a_judge_is_asked_again_where_the_answer_has_another_form(answer: str):
    judged = [found("pronouns", "right"), found("formality", "wrong")]
    model = Model([said("right"), answer, said("wrong")])
    result = asked(model, [judged])
    assert (result.asked, result.asked_again) == (2, 1)
    assert len(model.asked) == 3
    assert "not in the form" not in model.asked[0] + model.asked[1]
    assert model.asked[2].startswith("Your answer was not in the form that was asked for (it was no such object)")
    assert model.asked[2].endswith(model.asked[1])
    assert [(one.phenomenon, one.both_right, one.both_wrong) for one in result.agreements] == [
        ("pronouns", 1, 0),
        ("formality", 0, 1),
        ("", 1, 1),
    ]
    assert [len(pair) for pair in model.estimated] == [2, 2]
    assert len(model.limited) == 2


def test_a_judge_that_fails_twice_or_is_in_doubt_counts_in_neither_share():
    judged = [found("pronouns", "right")] * 2
    result = asked(Model(["?", said("unclear"), "?"]), [judged])
    every = result.agreements[-1]
    assert (every.asked, every.answered, every.unclear, every.unanswered) == (2, 0, 1, 1)
    assert (every.agreement, every.kappa, result.asked_again) == (None, None, 1)


def test_the_judges_sample_is_of_each_phenomenon_and_in_the_order_of_the_places():
    places = [placed("ab"[number % 2], "right", number) for number in range(20)]
    drawn = [places[number] for number in _drawn(places, None, 4, seed=5)]
    kinds = [one.occurrence.phenomenon for one in drawn]
    assert kinds == ["a"] * 4 + ["b"] * 4
    numbers = [one.number for one in drawn]
    assert numbers[:4] == sorted(numbers[:4])
    # The same draw by hand: the first four of ten places in random order, then of ten more.
    random = Random(5)
    assert numbers[:4] == [2 * at for at in sorted(random.sample(range(10), 10)[:4])]
    assert numbers[4:] == [2 * at + 1 for at in sorted(random.sample(range(10), 10)[:4])]
    assert _drawn(places[:3], None, 4, seed=5) == [0, 2, 1]


def test_the_judges_table_has_our_verdict_first():
    places = [placed("a", "right"), placed("a", "right"), placed("b", "wrong")]
    one, other, every = _agreements(places, ["wrong", "wrong", "right"])
    assert (one.ours_alone_right, one.theirs_alone_right, one.agreement, one.kappa) == (2, 0, 0.0, 0.0)
    assert (other.ours_alone_right, other.theirs_alone_right) == (0, 1)
    # Observed 0; by chance 2/3 · 1/3 + 1/3 · 2/3 = 4/9: κ = (0 - 4/9) / (5/9).
    assert every.kappa == pytest.approx(-0.8)
    (alone, _) = _agreements([placed("a", "right")], ["right"])
    assert (alone.agreement, alone.kappa) == (1.0, None)


def test_the_judge_is_shown_both_words_in_marks_and_what_the_corpus_shows():
    model = Model([said("right")] * 2)
    asked(model, [[found("pronouns", "right")], [found("pronouns", "wrong", at=1, shown="Neut")]])
    assert "⟦erblickten⟧" in model.asked[0]
    assert "⟦saw⟧" in model.asked[0]
    assert "has the form: Fem (possible: Fem; Masc; Neut)" in model.asked[0]
    assert "has the form: Neut (possible: Fem; Masc; Neut)" in model.asked[1]
    assert "English: we met Anna" in model.asked[0]
    assert "German: wir trafen Anna" in model.asked[0]


def test_a_judge_of_cohesion_is_shown_the_translations_up_to_the_place():
    uses = [Choice("lexical_cohesion", at, (1,), (1,), shown, "see", "NOUN") for at, shown in enumerate("abc")]
    text = document("d0", [*TEXTS["good"], "wir sahen"], uses, source=["we met Anna", "we saw her", "we saw"])
    place, judgment = found("lexical_cohesion", "wrong", shown="b")
    shown = SimpleNamespace(system="good", tagged=text, occurrence=place, judgment=judgment)
    assert _Questions(corpus(1, ("good",)), [])._choices(shown) == ["a", "b"]  # pyright: ignore[reportArgumentType]


def test_a_judge_must_be_a_language_model():
    assert AskedModel.open(JudgeOptions(), None, print) is None
    with pytest.raises(InputError, match=r"\[E071\].*“gpt” is no language model"):
        AskedModel.open(JudgeOptions(judge="gpt"), None, print)
