"""The columns of ``evaluate`` under each condition: the same figures as for the same texts as systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from command import run
from endophora.context.perturbation.conditions import PerturbationOptions, read_conditions
from endophora.context.perturbation.perturb import Perturbation, perturb
from endophora.context.perturbation.phenomena import Judging
from endophora.context.results import PerturbationDifference, PerturbationResult
from endophora.context.study import join_study
from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Corpus
from endophora.data import example_directory
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.result import Result
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.models import specs
from endophora.models.records import ModelInput, Translation
from endophora.phenomena import TaggerOptions
from endophora.report import REPORTS
from endophora.report.perturbation import _cell, _difference
from endophora.report.table import Cell

OPTIONS = PerturbationOptions(
    conditions=read_conditions(["none", "gold"]), size=2, metrics=("bleu", "blonde"), resamples=50
)
LEAST = 4


class Example:
    """Writes what the example's sentence-level system wrote without context, and the context-aware one's with it."""

    signature = "example"

    def __init__(self, corpus: Corpus) -> None:
        segments = [one for document in corpus.documents for one in document.segments]
        context, sentence = corpus.systems
        self.plain = {one.source: one.outputs[sentence] for one in segments}
        self.aware = {one.source: one.outputs[context] for one in segments}

    def translate(self, inputs: Sequence[ModelInput], decoding: object = None) -> list[Translation]:
        return [
            Translation((self.aware if one.source_context else self.plain).get(one.source, one.source))
            for one in inputs
        ]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    whole = read_corpus(example_directory("en-de"), "wmt", languages=("en", "de"))
    return replace(whole, documents=whole.documents[:7])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "store.sqlite"


@pytest.fixture(scope="module", params=["choice", "wording"])
def studied(request: pytest.FixtureRequest, corpus: Corpus, store: Path) -> tuple[PerturbationResult, Result]:
    setup = Setup("en", "de", taggers=TaggerOptions(phenomena=("formality", "pronouns")), store=store)
    judged = EvaluationOptions(judge=request.param, minimum=LEAST, metrics=("blonde",), resamples=50, baseline="none")
    model = Example(corpus)
    found = perturb(corpus, {"m": model}, OPTIONS, judging=Judging(setup, judged))
    documents = tuple(
        replace(
            document,
            segments=tuple(
                replace(one, outputs={"none": model.plain[one.source], "correct": made.text})
                for one, made in zip(document.segments, texts, strict=True)
            ),
        )
        for document, texts in zip(corpus.documents, _by_document(made_of(found), corpus), strict=True)
    )
    outputs = replace(corpus, documents=documents, systems=("none", "correct"))
    return found.result, evaluate(outputs, setup, judged).result


def made_of(found: Perturbation) -> Sequence[Translation]:
    return found.tried["m"]["correct"].translations


def _by_document(translations: Sequence[Translation], corpus: Corpus) -> list[Sequence[Translation]]:
    rest = iter(translations)
    return [[next(rest) for _ in document.segments] for document in corpus.documents]


def test_figures_are_those_of_evaluate(studied: tuple[PerturbationResult, Result]):
    result, expected = studied
    for column in ("formality", "pronouns", "BlonDe"):
        for condition in ("none", "correct"):
            score = result.score("m", condition, column)
            assert score is not None
            assert score.value == expected.score(column, condition).value
            counts = expected.score(column, condition).counts
            of_words = "reference" in counts
            judged = counts["reference"] if of_words else sum(counts.values())
            assert score.judged == (None if column == "BlonDe" else judged)
        (compared,) = [one for one in expected.comparisons if (one.column, one.system) == (column, "correct")] or [None]
        found = result.difference("m", column, "correct", "none")
        assert (found is None) == (compared is None)
        if found is not None and compared is not None:
            assert (found.difference, found.p_value) == (compared.difference, compared.p_value)


def test_gold_context_is_compared_with_none_and_the_table_has_all_three(
    studied: tuple[PerturbationResult, Result],
):
    result, _ = studied
    pairs = {(one.first, one.second) for one in result.differences if one.column == "BLEU"}
    assert pairs == {("correct", "gold"), ("correct", "none"), ("gold", "none")}
    text = REPORTS.get("markdown")(result)
    assert "No context, context and gold context" in text
    (judged,) = [column for column in result.columns if column.name == "pronouns"]
    assert judged.kind == "phenomenon"
    assert judged.occurrences
    assert f"pronouns {judged.occurrences}" in text
    assert "judge:" in result.signature


def test_a_drawn_figure_has_the_n_of_its_condition_and_a_difference_the_smaller(
    studied: tuple[PerturbationResult, Result],
):
    """Under the correct context 7 are judged and under none 18: the figures say so, and their difference 7."""
    result, _ = studied
    sizes = {"correct": 7, "none": 18, "gold": 38}
    given = {
        "scores": [
            one.model_copy(update={"judged": sizes[one.condition]}) if one.column == "pronouns" else one
            for one in result.scores
        ],
        "differences": [
            PerturbationDifference(
                **{"model": "m", "column": "pronouns", "first": "correct", "second": "none", "difference": 0.1},
                **{"interval": None, "p_value": 0.5, "p_adjusted": 0.5, "significant": False},
            )
        ],
    }
    found = result.model_copy(update=given)
    (column,) = [one for one in found.columns if one.name == "pronouns"]
    cells = {name: _cell(found, "m", name, column) for name in sizes}
    assert {name: cell.n for name, cell in cells.items()} == sizes
    (row,) = [_difference(found, one, column) for one in found.differences]
    assert [cell.n for cell in row if isinstance(cell, Cell)] == [7]
    (bleu,) = [one for one in found.columns if one.name == "BLEU"]
    assert _cell(found, "m", "none", bleu).n == found.corpus.segments
    joined = {one.measure: one.count for one in join_study(["m"], found, None, []).figures}
    assert {name: joined.get(f"pronouns, {name}") for name in sizes} == sizes
    assert joined["BLEU, none"] == found.corpus.segments


def test_the_command_measures_phenomena_of_several_models(corpus: Corpus, store: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options: Example(corpus))
    inputs = ["-l", "en-de", "--input", str(example_directory("en-de")), "--input-format", "wmt"]
    more = ["-M", "a=fake:1", "-M", "b=fake:2", "-c", "none", "-c", "gold", "-p", "pronouns", "--judge", "wording"]
    assert run("context", "perturb", *inputs, *more, "-k", "2", "-o", str(tmp_path), "--store", str(store), "-q") == 0
    out = capsys.readouterr().out
    assert "Phenomena: word F-measure" in out
    result = PerturbationResult.model_validate_json((tmp_path / "result.json").read_text())
    assert {(one.model, one.condition) for one in result.scores if one.column == "pronouns"} == {
        (model, condition) for model in "ab" for condition in ("none", "correct", "gold")
    }
    assert "Against no context" in (tmp_path / "report.html").read_text()


def test_metrics_of_annotated_text_want_annotators(corpus: Corpus, capsys):
    inputs = ["-l", "en-de", "--input", str(example_directory("en-de")), "--input-format", "wmt"]
    assert run("context", "perturb", *inputs, "-m", "blonde", "-M", "deepl:") == 2
    assert "E327" in capsys.readouterr().err
