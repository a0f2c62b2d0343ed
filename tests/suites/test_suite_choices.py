"""Suites judged by choice: what is right in other words, wrong, said otherwise, or missing; the published way stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from suite_items import make_item, make_suite

from endophora.align import load_aligner
from endophora.annotate.loading import load_annotator
from endophora.errors import InputError
from endophora.report import REPORTS
from endophora.suites import choices
from endophora.suites.matching import as_many_sentences
from endophora.suites.records import Antecedent, Suite
from endophora.suites.scoring import SuiteOptions, judge_choices, judge_outputs, score_contrastive, score_outputs

CHOICE = SuiteOptions(judge="choice", separator="<eos>", resamples=0)


def verdicts(suite: Suite, lines: list[str], options: SuiteOptions = CHOICE) -> list[str]:
    return [one.verdict for one in judge_choices(suite, {"s": lines}, options)["s"]]


def test_a_pronoun_agrees_with_the_outputs_own_noun():
    lines = [
        "Wo ist die Lampe? <eos> Sie ist hier.",
        "Wo ist der Leuchter? <eos> Er ist hier.",
        "Wo ist die Lampe? <eos> Er ist hier.",
        "Wo ist der Leuchter? <eos> Sie ist hier.",
        "Wo ist die Lampe? <eos> Hier ist die Lampe.",
        "Wo ist die Lampe? <eos> ",
    ]
    suite = make_suite(*(make_item(n, source_antecedent=ANTECEDENT) for n in range(len(lines))))
    assert verdicts(suite, lines) == ["right", "right", "wrong", "wrong", "other", "missing"]
    assert judge_outputs(suite, lines, CHOICE) == [1, 0, 0, 1, 0, 0]


ANTECEDENT = Antecedent(head="lamp", number="Sing", segment="Where is the lamp?")


def test_without_its_context_the_references_gender_is_asked():
    suite = make_suite(make_item(0), make_item(1))
    assert verdicts(suite, ["Sie ist hier.", "Er ist hier."]) == ["right", "wrong"]


def test_each_word_for_which_the_reference_has_the_form_is_asked():
    item = make_item(source="It is here, and it is new.", reference="Sie ist hier, und sie ist neu.")
    lines = ["Sie ist hier, und sie ist neu.", "Sie ist hier, und er ist neu."]
    assert verdicts(make_suite(item, replace(item, id="2")), lines) == ["right", "wrong"]


def test_an_antecedent_is_found_whatever_its_capitals():
    item = make_item(source_antecedent=replace(ANTECEDENT, head="Lamp"))
    assert verdicts(make_suite(item), ["Wo ist der Leuchter? <eos> Er ist hier."]) == ["right"]


def test_annotators_see_no_placeholders_and_are_loaded_where_something_is_read(monkeypatch: pytest.MonkeyPatch):
    seen, load = [], choices.load_annotator

    class Recorder:
        def __init__(self, language: str) -> None:
            self.own = load(language, None)
            self.signature = self.own.signature

        def annotate(self, texts):
            seen.extend(texts := list(texts))
            return self.own.annotate(texts)

    monkeypatch.setattr(choices, "load_annotator", lambda language, _: Recorder(language))
    verdicts(make_suite(make_item(phenomenon="auxiliary")), ["{name}"])
    assert not seen
    verdicts(make_suite(make_item()), ["Sie ist hier, {name}."])
    assert "Sie ist hier, " in " ".join(seen)
    assert "{name}" not in " ".join(seen)


def test_a_level_is_right_in_any_form():
    item = make_item(
        phenomenon="formality",
        source="Can you bring your coat?",
        reference="Kannst du deinen Mantel mitbringen?",
        expected=("du",),
        source_form="you",
        distance=None,
        source_antecedent=None,
        target_antecedent=None,
    )
    lines = ["Kannst du deinen Mantel holen?", "Bring bitte deinen Mantel mit.", "Können Sie Ihren Mantel mitbringen?"]
    suite = make_suite(*[item] * 3)
    assert verdicts(suite, lines) == ["right", "right", "wrong"]
    assert judge_outputs(suite, lines, CHOICE) == [1, 0, 0]


def test_an_english_pronoun_of_a_thing_is_right_in_any_form():
    item = replace(
        make_item(),
        phenomenon="animacy",
        source="Er ist alt, aber ich mag seine Farbe.",
        reference="It is old, but I like its colour.",
        expected=("it",),
        source_form="er",
        source_antecedent=Antecedent(head="Tisch", gender="Masc", number="Sing", segment="Da steht der Tisch."),
        target_antecedent=Antecedent(head="table", segment="There is the table."),
    )
    lines = ["It's old, but I like its colour.", "He is old, but I like his colour.", "They are old, but I like them."]
    suite = Suite("toy", "de", "en", (item,) * 3)
    assert verdicts(suite, lines) == ["right", "wrong", "other"]
    assert judge_outputs(suite, lines, CHOICE) == [0, 0, 0]  # the published comparison makes *its* of *it's*


def test_counts_share_and_signature_say_what_was_judged():
    lines = ["Sie ist hier."] * 6 + ["Er ist hier."] * 2 + ["Hier ist die Lampe."] * 2
    suite = make_suite(*(make_item(n) for n in range(10)))
    result = score_outputs(suite, {"s": lines}, CHOICE)
    score = result.score("s")
    assert score.verdicts == {"right": 6, "wrong": 2, "other": 2, "missing": 0}
    assert (score.value, score.correct, score.counted) == (pytest.approx(75), 6, 8)
    assert "judge:choice" in result.signature
    for tool in (load_annotator("en", None), load_annotator("de", None), load_aligner(None, "en", "de")):
        assert tool.signature in result.signature  # other tools, other verdicts
    assert "pronouns:" in result.signature
    assert "20.0 / 0.0" in REPORTS.get("text")(result)
    assert REPORTS.get("csv")(result).splitlines()[1].endswith("6,2,2,0")
    assert score_outputs(suite, {"s": lines}, replace(CHOICE, judge="wording")).score("s").verdicts == {}


def test_items_without_judgments_are_matched_and_told():
    suite = make_suite(make_item(phenomenon="auxiliary"))
    result = score_outputs(suite, {"s": ["Sie ist hier."]}, CHOICE)
    assert result.score("s").correct == 1
    assert any("1 items of auxiliary" in warning for warning in result.warnings)


def test_verdicts_that_rest_on_the_form_alone_are_told():
    item = make_item(phenomenon="formality", expected=("du",), source_form="you")  # its reference addresses nobody
    result = score_outputs(make_suite(item, make_item(1)), {"s": ["Da bist du.", "Sie ist hier."]}, CHOICE)
    assert result.score("s").correct == 2
    assert "s: 1 of 2 verdicts rest on the expected form: no choice was read" in result.warnings


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(InputError, match="E181"):
        score_outputs(replace(make_suite(make_item()), target_language=""), {"s": ["Sie."]}, CHOICE)
    with pytest.raises(InputError, match="E181"):
        score_contrastive(make_suite(make_item()), {"s": [1.0, 0.0, 0.0]}, CHOICE)


def test_as_many_sentences_as_the_source_has():
    texts = ["He ran. She slept. Mr. Smith ate it.", "Hi.", "", "One. Two"]
    others = ["Ona spała. Zjadł to.", "A b. C d. E.", "X.", "Dwa"]
    assert as_many_sentences(texts, "en", others, "pl") == ["She slept. Mr. Smith ate it.", "Hi.", "", "Two"]
