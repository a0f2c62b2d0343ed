"""The main job from texts to result, on six documents whose words, links and choices are written out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from worked import TEXTS, corpus, document, occurrence, sides, tagged, tools

from endophora.corpus.records import Corpus, Location
from endophora.errors import InputError
from endophora.evaluation import evaluate as module
from endophora.evaluation.evaluate import (
    Evaluation,
    count_phenomenon,
    evaluate,
    statistics_signature,
)
from endophora.evaluation.examples import ExampleLines
from endophora.evaluation.levels import HumanScores, Scores, ScoreSet, documents_of
from endophora.evaluation.result import Example
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions
from endophora.phenomena.given_tags import GivenTags
from endophora.signature import StoreKey

SETUP = Setup("en", "de", taggers=TaggerOptions(phenomena=("verb_form",)))
GLOSSARY = "Anna\tAnna\nsaw\terblickten\nBerlin\tBerlin\n"


@pytest.fixture(autouse=True)
def without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setup, "load", lambda setup: tools(setup=setup))
    monkeypatch.setattr(module, "tag_targets", lambda setup, texts, *more: sides(texts))


def done(made: Corpus | None = None, setup: Setup = SETUP, human: HumanScores | None = None, **more: Any) -> Evaluation:
    options = EvaluationOptions(**{"metrics": (), "minimum": 6, "resamples": 100, **more})
    return evaluate(made or corpus(), setup, options, human=human)


def test_evaluate_finds_who_is_right_in_each_of_six_documents():
    result = done().result
    assert [(one.column, one.system, one.value) for one in result.scores] == [
        ("verb_form", "good", 1.0),
        ("verb_form", "bad", 0.0),
    ]
    assert result.scores[0].counts == {"right": 6, "wrong": 0, "other": 0, "missing": 0}
    assert result.scores[1].counts == {"right": 0, "wrong": 6, "other": 0, "missing": 0}
    [against] = result.comparisons
    # All 2⁶ ways to swap are tried, and two of them are as far apart.
    assert (against.system, against.baseline, against.difference, against.p_value) == ("bad", "good", -1.0, 2 / 64)
    [column] = result.columns
    assert (column.kind, column.occurrences, column.documents, column.enough) == ("phenomenon", 6, 6, True)
    assert result.conclusion == ["bad is significantly worse than good in verb form (0.0 against 100.0, 6 judged)."]
    assert (result.human, result.glossary, result.model_judge, result.warnings) == (None, None, None, [])


def test_evaluate_says_what_the_texts_and_the_tools_were():
    result = done().result
    about = result.corpus
    assert (about.segments, about.source_words, about.reference_words) == (12, 36, 36)
    assert [(one.id, one.segments) for one in about.documents] == [(f"d{at}", 2) for at in range(6)]
    assert (about.references, about.systems) == (["ref"], ["good", "bad"])
    assert result.signature.startswith("pair:en-de|refs:ref|judge:choice|support:inter|test:")
    assert (result.settings.units, result.settings.resamples) == ("documents", 100)


def test_evaluate_counts_words_rules_and_distances():
    [found] = done().result.phenomena
    assert (found.name, found.occurrences, found.words) == ("verb_form", 6, 6)
    assert (found.rules, found.distances, found.systems) == ({"Past": 6}, {1: 6}, {"good": 0, "bad": 0})


def test_a_word_with_two_occurrences_is_one_word_and_rules_stand_by_their_frequency():
    other = replace(occurrence(None, segment=0), rule="Fut")
    kept = [document("d0", TEXTS["ref"], [], [other, occurrence(), occurrence(None)])]
    found = count_phenomenon("verb_form", kept, {"bad": tagged("ref", 3)})
    assert (found.occurrences, found.words, found.distances, found.systems) == (3, 2, {1: 1}, {"bad": 3})
    assert list(found.rules.items()) == [("Past", 2), ("Fut", 1)]
    assert count_phenomenon("pronouns", kept, {}).occurrences == 0


def test_evaluate_keeps_the_documents_and_yields_every_judged_place():
    evaluation = done()
    assert list(evaluation.tagged) == ["ref", "good", "bad"]
    assert [one.document for one in evaluation.occurrences] == [f"d{at}" for at in range(6)]
    shown = list(evaluation.judged())
    assert [(one.document, one.segment, one.antecedent) for one in shown] == [(f"d{at}", 1, "met") for at in range(6)]
    assert all(one.context == [] for one in shown)
    assert [(one.system, one.correct, one.written) for one in shown[0].outputs] == [
        ("good", True, "erblickten"),
        ("bad", False, "sehen"),
    ]
    assert evaluation.score("verb_form", "good").value == 1.0
    assert [len(one.context) for one in evaluation.result.examples] == [1] * 6


def test_kept_examples_are_those_that_were_made_and_serve_no_other_corpus(monkeypatch: pytest.MonkeyPatch):
    expected, made = list(done().judged()), list[int]()
    each = ExampleLines._made
    monkeypatch.setattr(ExampleLines, "_made", lambda lines, at: made.append(at) or each(lines, at))

    def of(text: Corpus, systems: Sequence[str] = ("good", "bad"), **options: Any) -> list[str]:
        found = {side: tagged(side) for side in ("ref", *systems)}
        for side, documents in found.items():
            for one in documents:
                one.key = StoreKey(side.encode())
        reference = found.pop("ref")
        return list(ExampleLines(text, reference, found, EvaluationOptions(**options), kept).all())

    kept = tools(setup=SETUP)
    first = of(corpus())
    assert (made, [Example.model_validate_json(line) for line in first]) == ([*range(6)], expected)
    made.clear()
    assert (of(corpus()), made) == (first, [])
    moved = corpus()
    moved = replace(moved, documents=(replace(moved.documents[0], id="e"), *moved.documents[1:]))
    assert (json.loads(of(moved)[0])["document"], made) == ("e", [0])
    first_one, *rest = corpus().documents
    lower = [replace(one, location=Location("memory", 99)) for one in first_one.segments]
    below = replace(moved, documents=(replace(first_one, segments=tuple(lower)), *rest))
    assert json.loads(of(below)[0])["line"] == 99
    assert [len(json.loads(line)["outputs"]) for line in of(corpus(), ("bad",))] == [1] * 6
    assert json.loads(of(corpus(), judge="wording")[0])["outputs"][0]["verdict"] == ""


def test_terms_stand_behind_the_phenomena_and_before_metrics(tmp_path: Path):
    (tmp_path / "terms.tsv").write_text(GLOSSARY)
    evaluation = done(glossary=tmp_path / "terms.tsv", metrics=("bleu",))
    result = evaluation.result
    assert [column.name for column in result.columns] == ["verb_form", "terms", "BLEU"]
    # In each document Anna is right in both; erblickten has the good system alone. Nobody has sahen but the reference.
    assert [one.value for one in result.scores if one.column == "terms"] == [1.0, 0.5]
    assert result.columns[1].human == 0.5
    assert result.columns[1].human_judged == 12
    assert result.glossary is not None
    assert (result.glossary.terms, result.glossary.unfound) == (3, ["Berlin"])
    terms = result.phenomena[-1]
    assert (terms.name, terms.side, terms.occurrences, terms.words) == ("terms", "source", 12, 12)
    assert terms.rules == {"Anna": 6, "saw": 6}
    assert [one.phenomenon for one in evaluation.judged()] == ["verb_form"] * 6 + ["terms"] * 12
    assert "glossary:" in result.signature


def test_a_glossary_without_systems_is_said_to_be_of_no_use(tmp_path: Path):
    (tmp_path / "terms.tsv").write_text(GLOSSARY)
    result = done(corpus(systems=()), glossary=tmp_path / "terms.tsv").result
    assert [one for one in result.warnings if "the glossary is not looked for" in one]
    assert (result.columns, result.scores, result.glossary) == ([], [], None)
    assert result.phenomena[0].occurrences == 6
    assert not [one for one in done().result.warnings if "glossary" in one]


def test_of_several_references_the_first_is_read_and_the_others_score_as_people():
    result = done(corpus(references=("ref", "again"))).result
    assert [one for one in result.warnings if "matched in the first reference, ref;" in one]
    assert (result.columns[0].human, result.columns[0].human_judged) == (1.0, 6)
    assert not [one for one in done().result.warnings if "reference" in one]


def test_by_wording_only_the_references_word_counts():
    result = done(judge="wording").result
    assert [(one.column, one.system, one.value) for one in result.scores] == [
        ("verb_form", "good", 0.0),
        ("verb_form", "bad", 0.0),
    ]
    assert "judge:wording|variant:paper|" in result.signature
    assert "support:" not in result.signature


def test_people_who_scored_two_systems_are_too_few_for_the_level_of_systems():
    made = corpus()
    scores = np.array([[2.0] * 12, [1.0] * 12])
    said = ScoreSet("mqm", {"seg": Scores("seg", ("good", "bad"), scores)}).complete(documents_of(made))
    human = HumanScores(said, documents_of(made), "file", ("they differ",))
    result = done(made, human=human).result
    assert result.warnings[-2:] == [
        "they differ",
        "people scored 2 of the systems: too few for a correlation at system level",
    ]
    assert result.human is not None
    assert [(one.system, one.value) for one in result.human.scores] == [("good", 2.0), ("bad", 1.0)]
    # Systems stand from the worst to the best.
    assert [(one.first, one.second) for one in result.paired] == [("bad", "good")]
    assert "human:{mqm|file}" in result.signature
    assert [(one.first, one.second) for one in done().result.paired] == [("good", "bad")]


def test_a_corpus_without_reference_is_refused_by_evaluate():
    with pytest.raises(InputError, match=r"\[E107\]"):
        done(corpus(references=()))


def test_no_occurrence_in_a_hundred_segments_is_doubted_where_all_phenomena_are_looked_for():
    everything, one = Setup("en", "de"), SETUP
    assert module._doubt_emptiness(99, 0, everything) == []
    assert "E386" in module._doubt_emptiness(100, 0, everything)[0]
    assert module._doubt_emptiness(100, 1, everything) == []
    assert module._doubt_emptiness(100, 0, one) == []


def test_a_signature_names_what_cut_the_outputs_and_leaves_out_what_is_not_there():
    options = EvaluationOptions(seed=7)
    text = statistics_signature(corpus(references=("a", "b")), options, "segments", None)
    fields = dict(part.partition(":")[::2] for part in text.split("|"))
    assert (fields["refs"], fields["units"], fields["seed"], fields["alpha"]) == ("a,b", "segments", "7", "0.05")
    assert (fields["resamples"], fields["confidence"], fields["test"]) == ("1000", "0.95", options.test)
    assert "cut" not in fields
    assert "variant" not in fields


def test_tags_made_elsewhere_are_scored_by_their_words_and_nothing_is_annotated():
    def tags(word: str) -> list[list[tuple[str, tuple[str, ...]]]]:
        first = [(one, ()) for one in ["wir", "trafen", "Anna"]]
        return [first, [("wir", ()), (word, ("mine",)), ("sie", ())]] * 6

    given = GivenTags({"ref": tags("sahen"), "good": tags("erblickten"), "bad": tags("sehen")}, "tags:x|")
    result = evaluate(corpus(), SETUP, EvaluationOptions(metrics=("bleu",), resamples=100), tags=given).result
    assert [column.name for column in result.columns] == ["mine", "BLEU"]
    assert [(one.name, one.occurrences, one.systems) for one in result.phenomena] == [
        ("mine", 6, {"good": 6, "bad": 6})
    ]
    assert [one.value for one in result.scores if one.column == "mine"] == [0.0, 0.0]
    assert result.settings.judge == "wording"
    assert "|tags:x|refs:ref|judge:wording|" in result.signature
    for lacking, options in (("bad", {}), ("", {"metrics": ("blonde",)})):
        few = replace(given, segments={name: one for name, one in given.segments.items() if name != lacking})
        with pytest.raises(InputError, match=r"\[E367\].*tags of bad" if lacking else r"E367.*blonde reads"):
            evaluate(corpus(), SETUP, EvaluationOptions(**{"metrics": (), **options}), tags=few)  # pyright: ignore[reportArgumentType]
