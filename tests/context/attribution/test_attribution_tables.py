"""Shares of several models over the same words, as a typed result."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from attribution_stubs import torch_model

from endophora.context.attribution.attributor import attributor_of
from endophora.context.attribution.cases import AttributionOptions, Case, Cases, LeftOut
from endophora.context.attribution.comparing import NamedModel, attribute, pareto
from endophora.context.attribution.flows import Part, Rows, Span, shares
from endophora.context.attribution.gradients import Gradients
from endophora.context.attribution.results import AttributionResult
from endophora.errors import InputError
from endophora.models.layout import Architecture
from endophora.models.records import ModelInput
from endophora.store import Store

_SENTENCES = ["the lamp is on", "a cat", "old cars are fun", "no way"]


def _cases(count: int = 8) -> Cases:
    made = []
    for number in range(count):
        before = _SENTENCES[number % 4]
        given = ModelInput("it works", (before,), (before.upper(),))
        support = (Span(Part.SOURCE_CONTEXT, 0, 0, before.index(" ")), Span(Part.TARGET_CONTEXT, 0, 0, 3))
        made.append(
            Case(str(number), f"d{number % 7}", "gender", given, "sie geht gut", (4, 8), support, 1 + number % 2)
        )
    return Cases(tuple(made), {LeftOut.NO_FORM: 2})


def _models() -> list[NamedModel]:
    kinds = {"concat": Architecture.CONCATENATION, "multi": Architecture.MULTI_ENCODER}
    made = [NamedModel(name, attributor_of(torch_model(kind)), name) for name, kind in kinds.items()]
    alone = attributor_of(torch_model(Architecture.SENTENCE))
    return [NamedModel("sentence", alone, context=False), NamedModel("sentence*", alone), *made]


OPTIONS = AttributionOptions(resamples=50, trials_per_resample=2, examples=3)


@pytest.fixture(scope="module")
def result() -> AttributionResult:
    return attribute("toy", _cases(), _models(), OPTIONS, accuracies={"concat": 60.0, "multi": 50.0, "sentence": 50.0})


def test_context_and_current_sentence_are_together_a_hundred(result: AttributionResult):
    for model in result.models:
        context, current = result.share(model.name, "context"), result.share(model.name, "current")
        assert context.value + current.value == pytest.approx(100)
        assert 0 <= result.share(model.name, "support").value <= context.value
        parts = ("source context", "source", "target context", "target prefix")
        assert sum(result.share(model.name, part).value for part in parts) == pytest.approx(100)


def test_sentence_level_model_without_context_has_none(result: AttributionResult):
    assert result.share("sentence", "support").value == 0
    assert result.share("sentence", "context").value == 0
    assert result.share("sentence*", "context").value > 0


def test_shares_are_means_over_words(result: AttributionResult):
    attributor, cases = _models()[2].attributor, _cases().cases
    flows = dict(attributor.flows([case.given for case in cases], [case.target for case in cases]))
    values = [shares(flows[n].row(4, 8), flows[n].columns, cases[n].support).support for n in range(len(cases))]
    found = result.share("concat", "support")
    assert found.value == pytest.approx(100 * sum(values) / len(values))
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high
    odd = [value for number, value in enumerate(values) if number % 2]
    assert result.share("concat", "support", "distance", "2").value == pytest.approx(100 * sum(odd) / len(odd))


def test_rows_of_the_whole_prefix_are_another_figure(result: AttributionResult):
    other = attribute("toy", _cases(), _models()[2:3], AttributionOptions(rows=Rows.PREFIX_MEAN, resamples=0))
    assert other.settings.rows == "prefix-mean"
    assert other.share("concat", "support").value != pytest.approx(result.share("concat", "support").value, abs=1e-6)
    assert other.differences == []


def test_differences_are_against_the_baseline(result: AttributionResult):
    assert all(one.significant == (one.p_adjusted <= result.settings.alpha) for one in result.differences)
    found = {(one.model, one.measure): one for one in result.differences}
    one = found["concat", "context"]
    assert one.baseline == "sentence"
    assert one.difference == pytest.approx(result.share("concat", "context").value)
    assert 0 < one.p_value <= one.p_adjusted <= 1


def test_examples_say_what_was_read(result: AttributionResult):
    assert len(result.examples) == 3 * 4
    for example in result.examples:
        total = sum(word.share for sentence in example.sentences for word in sentence.words)
        assert total == pytest.approx(100, abs=0.1)
        assert example.word == "geht"
        assert [row.word for row in example.target] == ["sie", "geht", "gut"]
        assert example.place == 1
        if example.model == "concat":
            assert any(word.support for word in example.sentences[0].words)
            assert example.sentences[0].part == "source context"


def test_result_is_written_and_read(result: AttributionResult, tmp_path: Path):
    result.write(tmp_path / "result.json")
    assert AttributionResult.read(tmp_path / "result.json") == result
    assert result.left_out == {str(LeftOut.NO_FORM): 2}
    assert "rows:word" in result.signature


def test_pareto_marks_what_another_model_dominates(result: AttributionResult):
    found = {point.model: point.dominated for point in result.pareto}
    assert found["sentence"]
    points = pareto({"a": (50.0, 2.0), "b": (60.0, 1.0), "c": (50.0, 1.0), "d": (50.0, 2.0)})
    assert [point.dominated for point in points] == [False, False, True, False]


def test_word_whose_support_is_cut_off_is_left_out_for_all_models():
    short = attributor_of(torch_model(Architecture.CONCATENATION, longest=12))
    models = [_models()[2], NamedModel("short", short)]
    found = attribute("toy", _cases(), models, OPTIONS)
    assert found.models[1].cut_off > 0
    assert found.words == 8 - found.models[1].cut_off
    assert found.left_out[LeftOut.CUT_OFF] == found.models[1].cut_off


def test_input_that_the_model_has_no_room_for_is_left_out():
    short = attributor_of(torch_model(Architecture.CONCATENATION, longest=3))
    with pytest.raises(InputError, match=r"\[E263\].*8 because the model has no room"):
        attribute("toy", _cases(), [NamedModel("short", short)], OPTIONS)


def test_faults_are_told_together():
    options = AttributionOptions(baseline="none")
    with pytest.raises(InputError) as caught:
        attribute("toy", Cases((), {LeftOut.NO_FORM: 3}), _models()[2:3], options, accuracies={"x": 1.0})
    assert [fault.code for fault in caught.value.faults] == ["E264", "E264", "E263"]
    assert "3 because its form is not in the reference" in str(caught.value)


def test_service_cannot_be_looked_into():
    with pytest.raises(InputError, match=r"\[E265\]"):
        attributor_of(object())


def test_words_whose_integrated_gradients_are_not_complete_are_counted(tmp_path: Path):
    def said(model: NamedModel) -> list[str]:
        with Store(tmp_path / "store.db") as store:
            return [one for one in attribute("toy", _cases(), [model], OPTIONS, store=store).warnings if "grad" in one]

    def few(most: int) -> NamedModel:
        method = Gradients("integrated_gradients", steps=1, most=most)
        return NamedModel("concat", attributor_of(torch_model(Architecture.CONCATENATION), method), "sig")

    first = said(same := few(1))
    assert len(first) == 1
    assert first[0].startswith("concat: integrated gradients with 1 points")
    assert "in 8 of 8 words" in first[0]
    assert said(same) == first
    assert said(few(1)) == first, "of values that were kept"
    assert said(few(256)) == []
