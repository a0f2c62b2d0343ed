"""``endophora context study``: the figures of the parts' own commands, joined; kept answers are not asked again."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import jsonschema
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")

from attribution_stubs import own_folder

from command import run
from endophora.context.attribution.results import AttributionResult
from endophora.context.results import ContrastResult, PerturbationResult
from endophora.context.study import UtilizationResult
from endophora.models.layout import Architecture
from endophora.models.sequence_model import LocalModel
from endophora.report import REPORTS
from endophora.report.schema import schema_text
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.records import Antecedent, Item, Pair, Suite, Variant

BEFORE = Pair("The lamp is old.", "Die Lampe ist alt.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, a suite, and a corpus."""
    made = tmp_path_factory.mktemp("study")
    own_folder(made / "joined", Architecture.CONCATENATION)
    own_folder(made / "target", Architecture.TARGET_CONCATENATION)
    items = tuple(
        Item(
            id=str(number), document=f"d{number}", segment=1, source="It works well!", reference="Sie geht gut.",
            phenomenon="gender", rule="it:sie", expected=("Sie",), distance=1, before=(BEFORE,),
            source_antecedent=Antecedent(head="lamp"), target_antecedent=Antecedent(head="Lampe"),
            variants=(Variant("Er geht gut.", "Er"),),
        )
        for number in range(7)
    )  # fmt: skip
    write_suite_jsonl(Suite("toy", "en", "de", items), made / "toy.jsonl")
    lines = ["document\tsource\treference"]
    for number in range(2):
        lines += [f"d{number}\t{BEFORE.source}\t{BEFORE.target}", f"d{number}\tIt works!\tSie geht."]
    (made / "text.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    return made


ALONE = ("--threads", "1")


def shared(folder: Path) -> list[str]:
    models = [word for name in ("joined", "target") for word in ("--model", f"{name}={folder / name}")]
    return [*models, "-l", "en-de", "--resamples", "100", "-q"]


@pytest.fixture(scope="module")
def study(folder: Path) -> UtilizationResult:
    given = ("-i", str(folder / "text.tsv"), "--suite", str(folder / "toy.jsonl"), "-k", "1", "--beam", "1", *ALONE)
    assert run("context", "study", *given, *shared(folder), "-o", str(folder / "out")) == 0
    return UtilizationResult.read(folder / "out" / "result.json")


def test_the_parts_are_the_results_of_their_own_commands(study: UtilizationResult, folder: Path):
    # Their commands go on in the directories of the parts, from the same kept answers.
    text, suite, out = ("-i", str(folder / "text.tsv")), str(folder / "toy.jsonl"), folder / "out"
    perturb = ("context", "perturb", *text, "-k", "1", "--beam", "1", *ALONE, "-o", str(out / "perturbation"))
    contrast = ("context", "contrast", suite, "-k", "1", *ALONE, "-o", str(out / "contrast"))
    accuracies = [
        word for one in study.attributions[0].pareto for word in ("--accuracy", f"{one.model}={one.accuracy}")
    ]
    attribute = ("context", "attribute", "--suite", suite, "-k", "1", "-o", str(out / "attribution"), *accuracies)
    for command in (perturb, contrast, attribute):
        assert run(*command, *shared(folder)) == 0
    assert study.perturbation == PerturbationResult.read(out / "perturbation" / "result.json")
    assert study.contrast == ContrastResult.read(out / "contrast" / "result.json")
    assert study.attributions == [AttributionResult.read(out / "attribution" / "result.json")]
    for part in ("perturbation", "contrast", "attribution"):
        assert (out / part / "report.html").is_file()


def test_the_joined_figures_are_those_of_the_parts_with_their_n(study: UtilizationResult):
    assert study.perturbation
    assert study.contrast
    found = {(one.model, one.measure): one for one in study.figures}
    bleu = study.perturbation.score("joined", "correct", "BLEU")
    accuracy = study.contrast.score("target", 1)
    assert bleu
    assert accuracy
    assert (found["joined", "BLEU, correct"].value, found["joined", "BLEU, correct"].count) == (bleu.value, 4)
    assert (found["target", "accuracy, context 1"].value, accuracy.counted) == (accuracy.value, 7)
    assert found["target", "CXMI, correct"].unit == "nats"
    share = study.attributions[0].share("target", "support")
    assert (found["target", "supporting words"].value, share.words) == (share.value, 7)
    # The model that never reads source context draws nothing from it.
    assert study.attributions[0].share("target", "source context").value == 0
    assert {point.model for point in study.attributions[0].pareto} == {"joined", "target"}


def test_it_goes_on_from_what_the_parts_keep(study: UtilizationResult, folder: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("asked again")

    for name in ("translate", "score"):
        monkeypatch.setattr(LocalModel, name, refuse)
    given = ("-i", str(folder / "text.tsv"), "--suite", str(folder / "toy.jsonl"), "-k", "1", "--beam", "1", *ALONE)
    assert run("context", "study", *given, *shared(folder), "-o", str(folder / "out")) == 0
    assert UtilizationResult.read(folder / "out" / "result.json") == study


def test_a_suite_alone_is_a_study_of_it(folder: Path, capsys: pytest.CaptureFixture[str]):
    given = ("--annotated", str(folder / "toy.jsonl"), "-k", "1", *ALONE, *shared(folder))
    assert run("context", "study", *given, "-o", str(folder / "alone"), "--format", "csv") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["study"] for row in rows} == {"attribution of toy"}
    assert run("context", "study", *shared(folder), "-o", str(folder / "none")) == 2
    assert "E098" in capsys.readouterr().err


def test_a_corpus_for_a_suite_that_is_not_there_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    corpus = ("--corpus", str(folder / "absent.tsv"))
    assert run("context", "study", *shared(folder), *corpus, "-o", str(folder / "none")) == 2
    assert "[E098] – --corpus has the documents of --suite, and there is none" in capsys.readouterr().err


def test_a_panel_of_the_drawing_has_one_unit(study: UtilizationResult):
    shown = study.plot().svg
    panels = {"perturbation, translations: %", "perturbation, CXMI: nats"}
    assert panels <= set(re.findall(r">(perturbation[^<]+: [^<]+)<", shown))
    assert not re.search(r">perturbation[^<]*: value", shown)


def test_reports_and_schema_hold_every_part(study: UtilizationResult):
    jsonschema.validate(json.loads(study.model_dump_json()), json.loads(schema_text("study")))
    for name in ("text", "markdown", "latex", "html"):
        shown = REPORTS.get(name)(study)
        assert all(word in shown for word in ("BLEU", "accuracy", "supporting words")), name


def test_no_two_of_the_joined_tables_have_one_name(study: UtilizationResult):
    joined, _, _ = REPORTS.get("markdown")(study).partition("PERTURBED CONTEXTS")
    titles = ["perturbation, translations", "perturbation, CXMI", "contrast", "attribution of toy"]
    assert [line for line in joined.splitlines() if line in titles] == titles


def test_the_contexts_of_2025_are_a_word_of_the_command(folder: Path):
    given = (
        "-i",
        str(folder / "text.tsv"),
        "-k",
        "1",
        "--beam",
        "1",
        *ALONE,
        "-l",
        "en-de",
        "--resamples",
        "100",
        "-q",
    )
    model = ("--model", str(folder / "joined"))
    assert run("context", "study", *given, *model, "--paper", "2025", "-o", str(folder / "later")) == 0
    found = UtilizationResult.read(folder / "later" / "result.json").perturbation
    assert found
    assert [one.name for one in found.conditions] == ["correct", "sentences", "random", "none"]
    assert found.settings.target_context == "reference"
    named = (*model, "--paper", "2025", "-c", "none", "-o", str(folder / "named"))
    assert run("context", "study", *given, *named) == 0
    found = UtilizationResult.read(folder / "named" / "result.json").perturbation
    assert found
    assert [one.name for one in found.conditions] == ["correct", "none"]
    # Those of 2024 are conditions that one can name, too.
    own = ("-c", "random", "-c", "none", "--target-context", "own")
    assert run("context", "study", *given, *model, "--paper", "2025", *own, "-o", str(folder / "own")) == 0
    found = UtilizationResult.read(folder / "own" / "result.json").perturbation
    assert found
    assert [one.name for one in found.conditions] == ["correct", "random", "none"]
    assert found.settings.target_context == "own"
    assert run("context", "study", *given, *model, "--paper", "2023", "-o", str(folder / "wrong")) == 2
