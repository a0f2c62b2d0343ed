"""The columns of a result, from choices and counts that are written out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from worked import TEXTS, corpus, document, occurrence, sides, tools

from endophora.errors import InputError
from endophora.evaluation import columns as module
from endophora.evaluation.columns import (
    Measurement,
    TargetSide,
    _told_apart,
    choice_columns,
    measure,
    measure_columns,
    reference_text,
)
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Column
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import DocumentTexts, target_texts
from endophora.languages import load_language
from endophora.metrics.records import Reading
from endophora.phenomena import TaggerOptions
from endophora.statistics.units import Units, each_row


def counts(judged: list[int], columns: int = 1) -> np.ndarray:
    """So many right ones a document of one segment, of one system."""
    made = np.zeros((1, len(judged), columns, 4))
    made[0, :, :, 0] = np.array(judged)[:, None]
    return made


def column(judged: list[int], minimum: int = 6, documents: Units | None = None) -> Column:
    units = documents or each_row(len(judged), "documents")
    (made,), _ = choice_columns(["pronouns"], counts(judged), units, EvaluationOptions(minimum=minimum))
    return made


@pytest.mark.parametrize(
    ("judged", "minimum", "enough", "needed"),
    [
        ([1, 1, 1, 1, 1, 1], 6, True, None),
        ([1, 1, 1, 1, 1, 1], 7, False, 7),  # one word more is one segment more
        ([5, 5, 5, 5, 5], 6, False, None),  # five documents are never enough
        ([5, 5, 5, 5, 5, 0], 6, False, 8),  # five of six have one: 6 / 5 of the six segments, rounded up
        ([4, 0, 0, 0, 0, 0], 8, False, 36),  # a document in six: six times the segments
        ([0, 0, 0, 0, 0, 0], 6, False, None),  # nothing says how much would be enough
    ],
)
def test_columns_say_whether_enough_is_judged_and_how_much_would_be(
    judged: list[int], minimum: int, enough: bool, needed: int | None
):
    made = column(judged, minimum)
    assert (made.enough, made.needed) == (enough, needed)
    assert (made.occurrences, made.documents) == (sum(judged), sum(one > 0 for one in judged))
    assert made.by_document == judged


def test_columns_of_segments_count_by_document_what_most_was_judged_of_any_system():
    made = np.zeros((2, 4, 1, 4))
    made[0, :, 0, 0] = [1, 0, 2, 0]
    made[1, :, 0, 3] = [0, 3, 0, 0]
    documents = Units("documents", np.array([0, 0, 1, 1]), 2)
    (found,), enough = choice_columns(["pronouns"], made, documents, EvaluationOptions(minimum=1))
    assert (found.occurrences, found.documents, found.by_document) == (3, 2, [3, 2])
    assert enough.shape == (2, 1)


def test_what_is_said_in_another_way_is_nothing_that_a_figure_rests_on():
    # Right, wrong, other, missing of six documents; what is missing beyond a tenth counts as wrong.
    verdicts = np.array([[1, 1, 8, 0], [1, 1, 0, 8], [3, 1, 6, 0]], float)
    made = np.repeat(verdicts[:, None, None, :], 6, axis=1)
    (found,), enough = choice_columns(
        ["formality"], made, each_row(6, "documents"), EvaluationOptions(minimum=24)
    )  # on 12, 54 and 24 words
    assert enough[:, 0].tolist() == [False, True, True]
    assert (found.occurrences, found.enough, found.needed) == (60, False, 12)


def test_columns_of_parts_name_what_they_are_of_and_levels_are_formalitys():
    names = ["lexical_cohesion", "formality", "formality level", "lexical_cohesion names"]
    found, _ = choice_columns(names, counts([1] * 6, 4), each_row(6, "documents"), EvaluationOptions(support="any"))
    assert [(one.kind, one.metric) for one in found] == [
        ("phenomenon", ""),
        ("phenomenon", ""),
        ("category", "formality"),
        ("category", "lexical_cohesion"),
    ]
    assert all(one.signature.startswith("judge:choice|support:any|version:") for one in found)
    assert [one.human for one in found] == [None] * 4


def test_columns_have_the_figure_of_people_over_all_their_references():
    people = [np.array([[[3.0, 1, 0, 0]], [[0, 0, 1, 0]]]), np.array([[[1.0, 0, 0, 0]], [[1, 1, 0, 0]]])]
    (found,), _ = choice_columns(["pronouns"], counts([1, 1]), each_row(2, "documents"), EvaluationOptions(), people)
    # Right: 3 + 1 + 1; wrong: 1 + 1; one that makes no such choice.
    assert (found.human, found.human_judged) == (5 / 7, 8)
    (alone,), _ = choice_columns(
        ["pronouns"], counts([1]), each_row(1, "documents"), EvaluationOptions(), [np.array([[[3.0, 1, 0, 0]]])]
    )
    assert (alone.human, alone.human_judged) == (0.75, 4)


def test_tokens_have_the_phenomena_of_their_occurrences_document_by_document():
    texts = target_texts(corpus(2), reference_text("ref"))
    made = [document("d0", TEXTS["ref"], [], [occurrence()]), document("d1", TEXTS["ref"])]
    side = TargetSide("ref", texts, made)
    tokens = side.tokens()
    assert [one.forms for one in tokens] == [("wir", "trafen", "Anna"), ("wir", "sahen", "sie")] * 2
    here = [(segment, at, *tags) for segment, one in enumerate(tokens) for at, tags in enumerate(one.tags) if tags]
    assert here == [(1, 1, "verb_form")]
    assert side.flat_texts() == TEXTS["ref"] * 2


def test_readings_are_one_list_until_a_side_forgets_them():
    reading = [Reading(text, tuple(text.split())) for text in TEXTS["ref"]]
    side = TargetSide("ref", [], [document("d0", TEXTS["ref"], readings=reading)])
    first = side.readings
    assert [(one.text, one.tokens) for one in first] == [(one.text, one.tokens) for one in reading]
    assert side.readings is first
    assert "readings" in side.documents[0].__dict__
    side.forget()
    assert "readings" not in side.documents[0].__dict__
    assert side.readings is not first


def table(names: list[str], **more: Any) -> MetricTable:
    made = tuple(
        Column(name=name, kind="category" if at else "text", metric="B" if at else "", scale=1, higher_is_better=True,
               signature="")
        for at, name in enumerate(names)
    )  # fmt: skip
    rows = each_row(1, "documents")
    return MetricTable(columns=made, statistics=np.ones((1, 1, 2)), score=sum, units=rows, documents=rows, **more)


def test_columns_of_a_metric_with_two_arguments_are_told_apart_by_these():
    found = _told_apart(table(["B", "B tense"]), "blonde:paper")
    assert [(one.name, one.metric) for one in found.columns] == [
        ("B (paper)", ""),
        ("B tense (paper)", "B (paper)"),
    ]
    assert [one.name for one in _told_apart(table(["B"]), "blonde").columns] == ["B"]


def measurement(setup: Setup, **options: Any) -> Measurement:
    made = corpus()
    names = ("ref", "good", "bad")
    texts = [target_texts(made, reference_text("ref"))]
    texts += [target_texts(made, module.output_text(name)) for name in names[1:]]
    all_sides = [TargetSide(*each) for each in zip(names, texts, sides(texts), strict=True)]
    return Measurement(made, setup, tools(setup=setup), EvaluationOptions(**options), all_sides[:1], all_sides[1:], 1)


VERBS = Setup("en", "de", taggers=TaggerOptions(phenomena=("verb_form",)))


def test_columns_of_choices_count_verdicts_by_system_and_segment():
    made = measurement(VERBS, metrics=(), minimum=6)
    [found] = made.columns()
    assert (found.scored, found.counts) == ("choice", ("right", "wrong", "other", "missing"))
    assert found.statistics.shape == (2, 12, 1, 4)
    assert found.statistics.sum(axis=1)[:, 0].tolist() == [[6, 0, 0, 0], [0, 6, 0, 0]]
    assert found.statistics[0, :, 0, 0].tolist() == [0, 1] * 6
    assert found.left is not None
    assert found.left.sum() == 0
    assert (made.units().kind, made.units().count) == ("documents", 6)
    assert made.documents().index.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_columns_of_words_have_precision_recall_and_the_variant():
    [found] = measurement(VERBS, metrics=(), judge="wording", variant="muda").columns()
    assert found.scored == "wording:muda"
    assert [one.kind for one in found.columns] == ["phenomenon"]
    halves = found.halves(found.statistics.sum(axis=1))
    assert halves is not None
    assert [each.shape for each in halves] == [(2, 1), (2, 1)]


def test_columns_of_segments_are_drawn_by_segment_where_the_options_say_so():
    made = measurement(VERBS, metrics=(), units="segments")
    assert (made.units().kind, made.units().count) == ("segments", 12)
    assert made.documents().count == 6


def test_without_systems_there_are_no_columns():
    made = measurement(VERBS, metrics=())
    assert replace(made, systems=()).columns() == []


def test_columns_of_a_metric_asked_for_twice_are_there_once(monkeypatch: pytest.MonkeyPatch):
    found = measurement(replace(VERBS, taggers=TaggerOptions(phenomena=())), metrics=("chrf", "bleu", "chrf")).columns()
    assert [(one.scored, one.columns[0].name) for one in found] == [("chrf", "chrF2"), ("bleu", "BLEU")]
    monkeypatch.setattr(Setup, "load", lambda setup: tools(setup=setup))
    measured = measure(corpus(), ["bleu"])
    [bleu] = [one for one in found if one.scored == "bleu"]
    assert np.array_equal(measured[0].statistics, bleu.statistics)
    assert [one.scored for one in measured] == ["bleu"]


def test_a_corpus_without_reference_has_no_columns():
    with pytest.raises(InputError, match=r"\[E107\]"):
        measure_columns(corpus(references=()), VERBS, EvaluationOptions())


def test_columns_of_blonde_are_the_whole_and_its_categories_with_precision_and_recall(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Setup, "load", lambda setup: tools(setup=setup))
    made = measurement(replace(VERBS, taggers=TaggerOptions(phenomena=())), metrics=("blonde", "blonde:paper"))

    texts = {name: [Reading(text, tuple(text.split()))] for name, text in
             (("ref", "er ging"), ("good", "er ging"), ("bad", "sie er ging"))}  # fmt: skip
    sides_ = [TargetSide(name, [DocumentTexts("d0", ("x",), (texts[name][0].text,))],
                         [document("d0", [texts[name][0].text], source=["x"], readings=texts[name])])
              for name in texts]  # fmt: skip
    rules = load_language("de")
    known = tools(setup=made.setup, rules=lambda code: rules, reader=None)
    one = replace(corpus(1), documents=(replace(corpus(1).documents[0], segments=corpus(1).documents[0].segments[:1]),))
    made = replace(made, corpus=one, references=sides_[:1], systems=sides_[1:], tools=known)
    first, second = made.metrics()
    assert [column.name for column in first.columns[:3]] == ["BlonDe", "BlonD-d", "BlonDe tense"]
    assert [column.name for column in second.columns[:2]] == ["BlonDe (paper)", "BlonD-d (paper)"]
    assert {(column.kind, column.metric) for column in first.columns[1:]} == {("category", "BlonDe")}
    assert (first.columns[0].kind, first.columns[0].scale, first.columns[0].metric) == ("text", 100.0, "")
    assert (first.scored, second.scored) == ("blonde", "blonde:paper")
    assert first.columns[0].signature.startswith("nrefs:1|variant:published|")
    place = [column.name for column in first.columns].index("BlonDe 1-grams")
    sums = first.statistics.sum(axis=1)
    # Two of its three words are the reference's, which has two: F is 2 · 2/3 · 1 / (2/3 + 1).
    assert first.score(sums)[:, place] == pytest.approx([100, 80])
    halves = first.halves(sums)
    assert halves is not None
    assert [each[1, place] for each in halves] == pytest.approx([200 / 3, 100])
    assert first.alone is not None
    assert first.alone([place])(sums)[1] == pytest.approx([80])
