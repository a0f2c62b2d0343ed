"""Metrics are measured without looking for phenomena: neither source annotation nor word links are needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.evaluation.columns import measure
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions

REFERENCES = (("He left, but she stayed.", "Then it rained."), ("They were late.",))
OUTPUTS = (("He left, and she stayed.", "Then it rained."), ("They are late.",))


def corpus() -> Corpus:
    """Return two documents from a language that the package has no annotator for."""
    documents = tuple(
        Document(
            f"d{number}",
            tuple(
                Segment("…", {"ref": reference}, {"mt": output}, Location("memory", line))
                for line, (reference, output) in enumerate(zip(references, outputs, strict=True), start=1)
            ),
        )
        for number, (references, outputs) in enumerate(zip(REFERENCES, OUTPUTS, strict=True))
    )
    return Corpus("sw", "en", documents, ("ref",), ("mt",))


def test_a_metric_is_measured_with_its_categories_for_any_source_language():
    bleu, blonde = measure(corpus(), ("bleu", "blonde"))
    assert [column.name for column in bleu.columns] == ["BLEU"]
    assert [column.kind for column in blonde.columns] == ["text"] + ["category"] * (len(blonde.columns) - 1)
    figures = blonde.score(blonde.statistics.sum(axis=1))[0]
    by_name = dict(zip((column.name for column in blonde.columns), figures, strict=True))
    assert by_name["BlonDe pronoun"] == pytest.approx(100)
    assert 0 < by_name["BlonDe tense"] < 100
    assert np.isfinite(by_name["BlonDe"])


def test_an_evaluation_without_phenomena_scores_the_metrics_alone():
    setup = Setup("sw", "en", taggers=TaggerOptions(phenomena=()))
    result = evaluate(corpus(), setup, EvaluationOptions(metrics=("chrf", "blonde"), resamples=100)).result
    assert result.phenomena == []
    assert {column.kind for column in result.columns} == {"text", "category"}
    assert result.score("BlonDe pronoun", "mt").precision == pytest.approx(100)
    assert "align:" not in result.signature


def test_an_unknown_metric_is_refused_before_anything_is_annotated():
    with pytest.raises(InputError, match=r"\[E090\]"):
        evaluate(corpus(), Setup("sw", "en"), EvaluationOptions(metrics=("blond",)))


def test_a_metric_with_two_arguments_has_columns_that_are_told_apart():
    found = measure(corpus(), ("blonde", "blonde:paper", "blonde"))
    assert [each.columns[0].name for each in found] == ["BlonDe", "BlonDe (paper)"]
    assert found[1].columns[2].name == "BlonDe tense (paper)"
    assert found[1].columns[2].metric == "BlonDe (paper)"


@pytest.mark.parametrize(("words", "share"), [("He left", "13 %"), ("He left she stayed . rained They late", "")])
def test_a_warning_says_how_few_words_have_a_vector(tmp_path: Path, words: str, share: str):
    # Output and reference have 15 words each: “He left” are 4 of 30, those of the other file 20 of 30.
    vectors = tmp_path / "few.vec"
    vectors.write_text("".join(f"{word} 1 {number}\n" for number, word in enumerate(words.split())), "utf-8")
    setup = Setup("sw", "en", taggers=TaggerOptions(phenomena=()))
    options = EvaluationOptions(metrics=("chrf", f"greedy:{vectors}"), resamples=100)
    found = [line for line in evaluate(corpus(), setup, options).result.warnings if "few.vec" in line]
    assert len(found) == bool(share)
    assert all("Greedy matching" in line and f"(mt {share})" in line for line in found)
