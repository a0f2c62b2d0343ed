"""Perturbation with models that do what the test says: figures by hand, nothing done twice, verdicts, reports."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import sacrebleu
from perturbation_fakes import (
    FakeTranslator,
    collapsing,
    has_context,
    indifferent,
    is_random,
    make_corpus,
    source,
    user,
)

from command import run
from endophora.context.perturbation.conditions import PerturbationOptions, read_conditions
from endophora.context.perturbation.perturb import Perturbation, perturb, total_inputs
from endophora.context.perturbation.verdicts import judge
from endophora.context.results import (
    PerturbationDifference,
    PerturbationResult,
    PerturbationScore,
    PerturbedModel,
)
from endophora.corpus.records import Corpus
from endophora.errors import InputError
from endophora.models.records import Decoding, ModelInput, Sides, Translation
from endophora.report import REPORTS
from endophora.store import Store

SMALL = PerturbationOptions(size=2, resamples=100, metrics=("bleu", "chrf"))
ENOUGH = replace(SMALL, resamples=400)
"""With :func:`many`, so many trials that differences are significant after correction."""


def many() -> Corpus:
    return make_corpus(3, 12)


@pytest.fixture(scope="module")
def found() -> Perturbation:
    return perturb(make_corpus(), {"user": user(), "same": indifferent(), "lost": collapsing()}, SMALL)


def test_scores_are_those_of_sacrebleu(found: Perturbation):
    for model in ("user", "lost"):
        for condition in ("correct", "random", "none"):
            texts = [one.text for one in found.tried[model][condition].translations]
            references = [source(number, place).upper() for number in range(6) for place in range(3)]
            expected = sacrebleu.corpus_bleu(texts, [references]).score
            score = found.result.score(model, condition, "BLEU")
            assert score is not None
            assert score.value == pytest.approx(expected, abs=1e-9)


def test_cxmi_by_hand(found: Perturbation):
    """Two of three segments have context: half a nat more with the right one, one less with random tokens."""
    cxmi = {one.condition: one.value for one in found.result.scores if (one.model, one.column) == ("user", "CXMI")}
    assert cxmi == {"correct": pytest.approx(1 / 3), "random": pytest.approx(-2 / 3)}


def test_normalised_cxmi_by_hand():
    """Each reference has two tokens, its end included."""
    options = replace(SMALL, cxmi="normalised")
    score = perturb(make_corpus(), {"user": user()}, options).result.score("user", "correct", "CXMI")
    assert score is not None
    assert score.value == pytest.approx(1 / 6)


def test_p_of_six_documents_that_differ_alike_is_two_of_64(found: Perturbation):
    """Only all swapped and none swapped reach the difference; Holm then takes the smallest of the six times six."""
    for pair, difference in (
        (("correct", "none"), 1 / 3),
        (("random", "none"), -2 / 3),
        (("correct", "random"), 1.0),
    ):
        one = found.result.difference("user", "CXMI", *pair)
        assert one is not None
        assert one.difference == pytest.approx(difference)
        assert one.p_value == pytest.approx(2 / 64)
        assert one.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx((difference, difference))


def test_differences_are_correct_less_condition(found: Perturbation):
    result = found.result
    for one in result.differences:
        if one.column == "BLEU":
            first, second = result.score("user", "correct", "BLEU"), result.score("user", "random", "BLEU")
    assert first is not None
    assert second is not None
    one = result.difference("user", "BLEU", "correct", "random")
    assert one is not None
    assert first.value is not None
    assert second.value is not None
    assert one.difference == pytest.approx(first.value - second.value)
    assert one.interval is not None
    assert one.interval.low <= one.difference <= one.interval.high


def test_drawn_figures_have_their_n_and_differences_a_panel_a_column(found: Perturbation):
    drawing = found.result.plot().svg
    shown = re.findall(r">([^<:]*\d \([^<]*\)[^<]*)</text>", drawing)
    assert len(shown) > 9
    assert [text for text in shown if not re.search(r"\), n = [\d,]+$", text)] == []
    titles = re.findall(r">difference in (.*?): value</text>", drawing)
    assert titles == [column.name for column in found.result.columns]


def test_own_translations_are_the_context_of_what_follows():
    model = FakeTranslator(lambda one: f"<{one.source.split()[0]}>")
    options = replace(SMALL, conditions=read_conditions(["none", "gold"]), size=2)
    perturb(make_corpus(4, 2), {"m": model}, options)
    last = [one for one in model.translated if one.source == source(1, 3)]
    assert [one.target_context for one in last] == [
        ("<d1s1>", "<d1s2>"),
        (),
        (source(1, 1).upper(), source(1, 2).upper()),
    ]
    assert last[0].source_context == (source(1, 1), source(1, 2))


def test_references_as_context_are_those_of_the_segments_before_and_need_no_order():
    # Mohammed and Niculae (2025): gold pairs, pairs of other documents, and none; never what the model wrote.
    model = FakeTranslator(lambda one: f"<{one.source}>")
    options = replace(SMALL, conditions=read_conditions(["sentences", "none"]), target_context="reference")
    corpus = make_corpus(4, 2)
    found = perturb(corpus, {"m": model}, options).result
    last = [one for one in model.translated if one.source == source(1, 3)]
    assert last[0].target_context == (source(1, 1).upper(), source(1, 2).upper())
    assert last[1].target_context == tuple(text.upper() for text in last[1].source_context if isinstance(text, str))
    assert not set(last[1].source_context) & set(last[0].source_context)
    assert last[2].target_context == ()
    assert model.calls == 3
    assert total_inputs(corpus, {"m": model}, options) == 3 * 8
    assert "their references" in found.conditions[0].description
    assert (found.settings.target_context, "target:reference" in found.signature) == ("reference", True)


def test_source_context_alone_needs_no_order():
    model = FakeTranslator(lambda one: one.source)
    perturb(make_corpus(4, 2), {"m": model}, replace(SMALL, sides=Sides.SOURCE, conditions=read_conditions(["none"])))
    assert model.calls == 2
    assert not any(one.target_context for one in model.translated)


def test_a_model_that_looks_at_no_target_context_is_given_none():
    model = FakeTranslator(lambda one: one.source)
    model.uses_target_context = False
    perturb(make_corpus(), {"m": model}, replace(SMALL, conditions=read_conditions(["gold", "none"])))
    assert not any(one.target_context for one in model.translated)
    assert len(model.translated) == 18 + 12


def test_no_input_is_translated_or_scored_twice(found: Perturbation):
    model = user()
    conditions = read_conditions(["random", "random:source", "sentences", "shuffled", "shuffled-words", "gold", "none"])
    perturb(make_corpus(), {"user": model}, replace(SMALL, conditions=conditions))
    assert len(set(model.translated)) == len(model.translated)
    assert len(set(model.scored)) == len(model.scored)
    # The first segment of each document is the same under all conditions, and its gold context is its translation.
    assert sum(not has_context(one) for one in model.translated) == 18


def test_a_second_run_asks_the_model_nothing(tmp_path: Path):
    with Store(tmp_path / "kept.sqlite") as store:
        first = perturb(make_corpus(), {"user": user()}, SMALL, store).result
    again = user()
    with Store(tmp_path / "kept.sqlite") as store:
        second = perturb(make_corpus(), {"user": again}, SMALL, store).result
    assert again.translated == []
    assert again.scored == []
    assert second == first


def test_another_model_or_search_is_not_answered_from_the_store(tmp_path: Path):
    with Store(tmp_path / "kept.sqlite") as store:
        perturb(make_corpus(), {"user": user()}, SMALL, store)
        other = user("other weights")
        perturb(make_corpus(), {"user": other}, SMALL, store)
        assert len(other.translated) > 0
        again = user()
        wider = replace(SMALL, decoding=replace(SMALL.decoding, beam=2))
        perturb(make_corpus(), {"user": again}, wider, store)
    assert len(again.translated) > 0
    assert again.scored == []


def test_a_broken_run_goes_on_where_it_stopped(tmp_path: Path):
    whole = user()
    expected = perturb(make_corpus(), {"user": whole}, SMALL).result
    broken = user()
    broken.fails_at = 3
    with Store(tmp_path / "kept.sqlite") as store, pytest.raises(KeyboardInterrupt):
        perturb(make_corpus(), {"user": broken}, SMALL, store)
    rest = user()
    with Store(tmp_path / "kept.sqlite") as store:
        result = perturb(make_corpus(), {"user": rest}, SMALL, store).result
    assert result == expected
    assert len(broken.translated) == 12
    assert sorted(map(repr, broken.translated + rest.translated)) == sorted(map(repr, whole.translated))


def test_progress_ends_at_the_total():
    done: list[int] = []
    models = {"user": user(), "plain": FakeTranslator(str)}
    options = replace(SMALL, conditions=read_conditions(["sentences"]))
    perturb(make_corpus(), models, options, None, done.append)
    assert sum(done) == total_inputs(make_corpus(), models, options)


def test_verdicts():
    result = perturb(many(), {"user": user(), "same": indifferent(), "lost": collapsing()}, ENOUGH).result
    assert {one.model: one.label for one in result.verdicts} == {
        "user": "uses",
        "same": "indifferent",
        "lost": "collapses",
    }
    by_model = {one.model: one.sentence for one in result.verdicts}
    assert "against random tokens" in by_model["user"]
    assert "CXMI +1.000 against random tokens" in by_model["user"]
    assert "CXMI +0.333 against no context" in by_model["user"]
    assert "against no context" in by_model["lost"]
    assert "by CXMI alone" not in by_model["user"]


def test_without_significance_there_is_no_verdict_but_undecided():
    """Five documents cannot reach .05 by randomisation."""
    result = perturb(make_corpus(3, 5), {"user": user()}, SMALL).result
    assert [one.label for one in result.verdicts] == ["undecided"]
    assert any("5 documents" in warning for warning in result.warnings)


def test_warnings_that_differ_in_numbers_alone_are_one_and_counted():
    class Counting(FakeTranslator):
        def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
            said = "the model gave {} sentences, not 1; 9 tokens"
            return [replace(one, warning=said.format(at)) for at, one in enumerate(super().translate(inputs, decoding))]

    options = replace(SMALL, conditions=read_conditions(["sentences"]))
    result = perturb(make_corpus(), {"m": Counting(lambda one: one.source)}, options).result
    found = [each for each in result.warnings if "the model gave" in each]
    assert len(found) == len(result.conditions)
    assert all(each.endswith(" × the model gave another number of sentences; N tokens") for each in found)


def test_a_small_loss_under_the_right_context_is_harm():
    model = user("harmed")
    model.write = lambda one: (
        one.source.upper() + (" OR" if has_context(one) else "") + (" SO" if is_random(one) else "")
    )
    result = perturb(many(), {"m": model}, ENOUGH).result
    assert [one.label for one in result.verdicts] == ["harmed"]


def test_likelihood_alone_may_show_use():
    model = user("better")
    model.write = lambda one: one.source.upper()
    result = perturb(many(), {"m": model}, ENOUGH).result
    assert [one.label for one in result.verdicts] == ["uses"]
    assert "m uses its context by CXMI alone" in result.verdicts[0].sentence


def test_a_model_that_only_translates_has_no_cxmi_and_no_random_tokens():
    model = FakeTranslator(lambda one: one.source)
    with pytest.raises(InputError, match="E328"):
        perturb(make_corpus(), {"m": model}, SMALL)
    result = perturb(make_corpus(), {"m": model}, replace(SMALL, conditions=read_conditions(["sentences"]))).result
    assert [column.name for column in result.columns] == ["BLEU", "chrF2"]
    assert any("no CXMI" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"metrics": ("blonde",)}, "E327"),
        ({"metrics": ("nothing",)}, "E090"),
    ],
)
def test_metrics_that_cannot_be_had_are_told_before_anything_is_translated(change: dict[str, object], code: str):
    model = user()
    with pytest.raises(InputError, match=code):
        perturb(make_corpus(), {"m": model}, replace(SMALL, **change))
    assert model.calls == 0


def test_options_out_of_range_are_all_told():
    with pytest.raises(InputError) as raised:
        PerturbationOptions(size=0, cxmi="some", test="t", alpha=2.0, metrics=())
    assert sorted(fault.code for fault in raised.value.faults) == ["E075"] * 2 + ["E326"] * 3


def test_a_corpus_without_reference_is_told():
    corpus = replace(make_corpus(), references=())
    with pytest.raises(InputError, match="E329"):
        perturb(corpus, {"m": user()}, SMALL)


def test_the_result_reads_back_and_every_format_shows_it(found: Perturbation, tmp_path: Path):
    found.result.write(tmp_path / "result.json")
    assert PerturbationResult.read(tmp_path / "result.json") == found.result
    text = REPORTS.get("text")(found.result)
    assert "−0.667" in text
    assert all(verdict.sentence.split(" (")[0] in " ".join(text.split()) for verdict in found.result.verdicts)
    rows = list(csv.DictReader(io.StringIO(REPORTS.get("csv")(found.result))))
    read = {(row["kind"], row["model"], row["condition"], row["state"]): row["count"] for row in rows if row["state"]}
    assert len(rows) == len(found.result.scores) + len(found.result.differences) + len(read)
    for output in found.result.outputs:
        for state in ("given", "whole", "cut", "lost"):
            assert read["context-read", output.model, output.condition, state] == str(getattr(output.context, state))
            assert read["context-scored", output.model, output.condition, state] == str(getattr(output.scored, state))
    assert {row["count"] for row in rows if row["kind"] == "score"} == {str(found.result.corpus.segments)}
    assert any(row["kept_low"] and row["kept_high"] for row in rows if row["column"] == "CXMI")
    latex = REPORTS.get("latex")(found.result)
    assert r"\multicolumn{3}{c}{BLEU}" in latex
    assert latex.count(r"\\") == 2 + len(found.result.models)


def test_the_page_has_no_script_and_no_markup_from_names():
    model = user()
    page = REPORTS.get("html")(perturb(many(), {"<b>bad</b>": model}, ENOUGH).result)
    assert "<b>bad" not in page
    assert "&lt;b&gt;bad" in page
    assert "<script" not in page
    assert "uses its context" in page


def test_the_command_writes_everything_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    lines = ["document\tsource\treference"]
    lines += [f"{d.id}\t{s.source}\t{s.references['ref']}" for d in many().documents for s in d.segments]
    (tmp_path / "text.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    asked: list[object] = []

    def open_fake(spec: str, options: object) -> object:
        model = user(spec)
        asked.append(model)
        return model

    monkeypatch.setattr("endophora.cli.context.open_translator", open_fake)
    arguments = ("context", "perturb", "-l", "en-de", "-i", str(tmp_path / "text.tsv"), "-M", "a=x/one", "-M", "x/two")
    arguments += ("-k", "2", "-o", str(tmp_path / "out"), "--resamples", "400", "-q")
    assert run(*arguments) == 0
    assert "uses its context" in capsys.readouterr().out
    out = tmp_path / "out"
    assert (out / "report.html").is_file()
    assert (out / "translations" / "two.random.txt").read_text("utf-8").count("\n") == 36
    assert (out / "translations" / "source.txt").read_text("utf-8").count("\n") == 36
    assert [model.name for model in PerturbationResult.read(out / "result.json").models] == ["a", "two"]
    assert run(*arguments, "-f", "csv") == 0
    assert all(not model.translated for model in asked[2:])


def test_models_of_one_name_are_told(tmp_path: Path, capsys):
    from endophora.cli.context import named_models

    with pytest.raises(InputError, match="E330"):
        named_models(["a=x", "a=y"])
    assert named_models(["models/en", "hf:a/b,target_code=deu", "m=hf:c"]) == {
        "en": "models/en",
        "b": "hf:a/b,target_code=deu",
        "m": "hf:c",
    }


TABLE_2 = {
    # random, correct, none; CXMI of random and correct. Mohammed and Niculae (2024), EN→DE and EN→FR.
    "sentence-level de": (2.5, 3.5, 23.2, -2.980, -2.100, "collapses"),
    "concatenation de": (20.2, 23.3, 23.4, -0.320, 0.014, "uses"),
    "multi-encoder de": (23.7, 23.7, 23.7, -0.002, -0.002, "indifferent"),
    "sentence-level fr": (5.6, 9.4, 36.2, -2.950, -1.840, "collapses"),
    "concatenation fr": (27.9, 35.6, 35.8, -0.320, 0.006, "uses"),
    "multi-encoder fr": (36.9, 36.9, 36.6, 0.002, 0.002, "indifferent"),
}


@pytest.mark.parametrize("name", TABLE_2)
def test_verdicts_of_the_papers_own_table(found: Perturbation, name: str):
    """As if differences above .2 points, and of .01 nats, were significant."""
    *figures, label = TABLE_2[name]
    rand, correct, none, low, high = (float(figure) for figure in figures)
    pairs = {("BLEU", "correct", "random"): correct - rand, ("BLEU", "correct", "none"): correct - none}
    pairs |= {("CXMI", "correct", "none"): high, ("CXMI", "correct", "random"): high - low}
    differences = [
        PerturbationDifference(
            model=name,
            column=column,
            first=first,
            second=second,
            difference=value,
            interval=None,
            p_value=0.0001,
            p_adjusted=0.0001,
            significant=abs(value) > (0.2 if column == "BLEU" else 0.01),
        )
        for (column, first, second), value in pairs.items()
    ]
    scores = [
        PerturbationScore(model=name, condition=condition, column="BLEU", value=value, interval=None)
        for condition, value in (("random", rand), ("correct", correct), ("none", none))
    ]
    update = {
        "models": [PerturbedModel(name=name, signature="x")],
        "scores": scores,
        "differences": differences,
    }
    assert [one.label for one in judge(found.result.model_copy(update=update))] == [label]
