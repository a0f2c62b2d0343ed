"""Jobs of text metrics, and what an example shows, by the six documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from worked import TEXTS, corpus, document, occurrence, tagged, tools

from endophora.evaluation import columns as columns_module
from endophora.evaluation import texts as module
from endophora.evaluation.choices import COUNTED, JudgmentCounts, asked, judge_all, left_out, parts_of, split_counts
from endophora.evaluation.columns import Measurement, TargetSide, output_text, reference_text
from endophora.evaluation.examples import Shown, _passage, _support_marks, lone_example, without_context
from endophora.evaluation.levels import Documents, Scores, ScoreSet, documents_of, ranking
from endophora.evaluation.result import Column, Human, HumanScore, points, title
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import target_texts
from endophora.evaluation.texts import do_job, kept, text_jobs
from endophora.judgments.records import Choice, Judgment
from endophora.phenomena.records import Support
from endophora.store import Store


def test_texts_of_a_job_are_those_of_one_system_with_all_references_and_the_source():
    made = corpus(2, references=("ref", "second"))
    jobs = text_jobs(made, ["bleu", "chrf"])
    assert [(one.metric, one.hypotheses) for one in jobs] == [
        (name, TEXTS[system] * 2) for name in ("bleu", "chrf") for system in ("good", "bad")
    ]
    for one in jobs:
        assert one.references == (TEXTS["ref"] * 2, TEXTS["ref"] * 2)
        assert one.sources == ("we met Anna", "we saw her") * 2
        assert one.documents == (0, 0, 1, 1)


def test_texts_make_another_key_wherever_any_part_of_a_job_differs():
    job = text_jobs(corpus(2), ["bleu"])[0]
    other: list[dict[str, Any]] = [
        {"metric": "chrf"},
        {"hypotheses": job.hypotheses[::-1]},
        {"references": (job.hypotheses,)},
        {"references": job.references * 2},
        {"documents": (0, 0, 0, 1)},
        {"sources": job.sources[::-1]},
    ]
    jobs = [job, replace(job), *(replace(job, **each) for each in other)]
    keys = module._keys(jobs, "de")
    assert keys[0] == keys[1]
    assert len(set(keys)) == 1 + len(other)
    assert module._keys([job], "zh") != keys[:1]


def test_texts_statistics_are_computed_once_and_kept_as_they_were():
    store, key = Store(None), module._keys(text_jobs(corpus(1), ["bleu"])[:1], "de")[0]
    calls: list[int] = []

    def compute() -> np.ndarray:
        calls.append(1)
        return np.array([[0.5, 2.0]])

    for _ in range(2):
        assert kept(store, key, compute).tolist() == [[0.5, 2.0]]
    assert calls == [1]


def test_texts_of_a_job_have_the_statistics_of_its_metric():
    jobs = text_jobs(corpus(1), ["bleu"])
    store = Store(None)
    good, bad = (do_job(store, "de", job) for job in jobs)
    assert good.shape[0] == bad.shape[0] == 2
    # The first segments are the same; in the second, one word of three is not the reference's.
    assert np.array_equal(good[0], bad[0])
    assert np.array_equal(module.text_statistics(Setup("en", "de"), jobs)[1], bad)


def test_columns_of_annotated_texts_have_a_key_of_texts_references_and_documents(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []

    def remember(measurement: Measurement, side: TargetSide, key: object, compute: object) -> str:
        seen.append(key)
        return "statistics"

    monkeypatch.setattr(Measurement, "_of_side", remember)
    monkeypatch.setattr(columns_module, "Keys", lambda setup: lambda *texts: (setup, *texts))
    metric: Any = type("Metric", (), {"signature": lambda self, references: f"nrefs:{references}"})()
    made = corpus(2)
    references = [TargetSide("ref", target_texts(made, reference_text("ref")), tagged("ref", 2))]
    side = TargetSide("good", target_texts(made, output_text("good")), tagged("good", 2))
    known = tools(target_annotator="annotator", reader="reader")
    measurement = Measurement(made, Setup("en", "de"), known, EvaluationOptions(), references, [side], 1)
    assert measurement._kept_statistics("blonde", metric, side) == "statistics"
    [(setup, *texts)] = seen
    assert texts == [TEXTS["good"] * 2, [TEXTS["ref"] * 2], [0, 0, 1, 1]]
    assert (setup.metric, setup.signature, setup.language) == ("blonde", "nrefs:1", "de")
    assert (setup.annotator, setup.reader, setup.rules) == ("annotator", "reader", ())


def test_choices_count_occurrences_with_support_in_another_segment_or_all():
    near, far, none = occurrence(Support(((1, 0),), (), 0)), occurrence(), occurrence(None)
    assert [left_out(one, "inter") for one in (near, far, none)] == [
        "support in the segment", None, "support not known",
    ]  # fmt: skip
    assert [left_out(one, "any") for one in (near, far, none)] == [None] * 3
    made = document("d0", TEXTS["ref"], [], [near, far, none])
    assert asked(made, "inter") == [far]
    assert len(asked(made, "any")) == 3


def test_choices_count_each_verdict_in_its_segment_and_why_there_is_none():
    made = [Choice("verb_form", 1, (1,), (1,), "Past")]
    reference = [
        document("d0", TEXTS["ref"], made, [occurrence()]),
        document("d1", TEXTS["ref"], made, [occurrence(), occurrence(None)]),
    ]
    outputs = tagged("bad", 2)
    counting = JudgmentCounts(("verb_form",), "inter")
    judged, left = split_counts(counting.statistics(reference, outputs))
    place = counting.columns.index("verb_form")
    assert judged[:, place].tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    assert left[place].sum() == 1
    assert COUNTED[judged.shape[-1] + int(left[place].argmax())] == "support not known"
    assert [start for start, *_ in judge_all(reference, outputs, "inter")] == [0, 2, 2]


def test_choices_have_a_second_figure_of_formality_alone():
    assert JudgmentCounts(("pronouns", "formality"), "inter").columns[:3] == (
        "pronouns",
        "formality",
        "formality level",
    )
    assert "formality level" not in JudgmentCounts(("pronouns",), "inter").columns
    assert set(parts_of(("lexical_cohesion",)).values()) == {"lexical_cohesion"}
    assert parts_of(()) == {}


def test_examples_have_marks_in_the_order_of_the_words_and_of_both_sides():
    found = _support_marks(occurrence(Support(((0, 2), (0, 1), (1, 0)), ((0, 1),), 1)))
    assert found == {"source": {0: {2: "support", 1: "support"}, 1: {0: "support"}}, "target": {0: {1: "support"}}}
    assert _support_marks(occurrence(None)) == {"source": {}, "target": {}}
    passage = _passage("ab cd ef", [(0, 2), (3, 5), (6, 8)], {2: "support", 0: "source"})
    assert [(one.start, one.end, one.role) for one in passage.highlights] == [(0, 2, "source"), (6, 8, "support")]
    assert _passage("ab", [(0, 2)], None).highlights == []


def test_examples_of_outputs_alone_have_no_reference_unless_one_is_given():
    made = corpus(1).documents[0]
    outputs = {name: tagged(name, 1)[0] for name in ("good", "bad")}
    found = {
        "bad": (occurrence(), Judgment("wrong", "Past", "Ind.Pres", (1,), support=((0, 1), (1, 2)))),
        "good": (occurrence(), Judgment("right", "Past", "Past", (1,))),
    }
    alone = lone_example(made, outputs, found)
    assert (alone.reference.text, alone.expected, alone.line, alone.document) == ("", "Past", 2, "d0")
    assert [one.text for one in (alone.context[0].source, alone.context[0].reference)] == [
        "we met Anna", "wir trafen Anna",
    ]  # fmt: skip
    bad, good = alone.outputs
    assert (bad.system, bad.correct, bad.written, bad.shown) == ("bad", False, "sehen", "Ind.Pres")
    assert (good.system, good.correct, good.written) == ("good", True, "erblickten")
    assert [(one.start, one.role) for one in bad.passage.highlights] == [(4, "written"), (10, "support")]
    shown = Shown(tagged("ref", 1)[0], reference_text("ref"), occurrence())
    beside = lone_example(made, outputs, found, shown)
    assert beside.reference.text == "wir sahen sie"
    assert without_context(beside).context == []
    assert without_context(beside).outputs == beside.outputs


def test_levels_of_a_corpus_know_the_document_of_each_segment():
    assert documents_of(corpus(2)) == Documents(("d0", "d0", "d1", "d1"))
    assert Documents(("a", "a", "b"), ("news", "news", "talk")).blocks(1) == Documents(
        ("a#1", "a#2", "b#1"), ("news", "news", "talk")
    )


def test_levels_without_a_judged_segment_have_no_mean():
    nothing = float("nan")
    values = np.array([[nothing, nothing, 4.0], [nothing] * 3])
    full = ScoreSet("m", {"seg": Scores("seg", ("a", "b"), values)}).complete(Documents(("d", "d", "e")))
    assert np.array_equal(full.levels["doc"].values, [[nothing, 4], [nothing, nothing]], equal_nan=True)
    assert np.array_equal(full.levels["sys"].values, [[4], [nothing]], equal_nan=True)
    assert full.levels["seg"].of([]).shape == (0, 3)


def test_levels_rank_the_systems_that_people_scored_from_the_worst():
    scores = [HumanScore(system=name, value=value, documents=[]) for name, value in
              (("b", 2.0), ("x", None), ("a", 2.0), ("c", -1.0))]  # fmt: skip
    assert ranking(Human(name="h", higher_is_better=True, scores=scores, agreements=[])) == ["c", "b", "a"]


def test_results_have_figures_in_points_of_100_and_names_without_underscores():
    column = Column(name="m", kind="text", scale=4.0, higher_is_better=True, signature="")
    assert (points(1.0, column), points(-0.5, column)) == (25.0, -12.5)
    assert (title("lexical_cohesion"), title("BLEU")) == ("lexical cohesion", "BLEU")
