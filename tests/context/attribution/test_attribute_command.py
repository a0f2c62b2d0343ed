"""``endophora context attribute`` on a suite and on a corpus, and how its result is shown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")

from attribution_stubs import own_folder

from command import run as command_line
from endophora.cli.commands import build
from endophora.cli.context_attribute import Accuracies, attribute, contrasts, evaluations
from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.flows import Flow
from endophora.context.attribution.results import AttributionResult, ParetoPoint
from endophora.data import CONTEXT_DEMO
from endophora.errors import EndophoraError, InputError
from endophora.models.layout import Architecture
from endophora.models.records import ModelInput
from endophora.report import REPORTS
from endophora.report.attribution import flow_plot, pareto_plot
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.records import Antecedent, Item, Pair, Suite

COMMAND = build(attribute)


def run(*arguments: str) -> str:
    """Run the command; faults that a user can cause are raised as they are."""
    shown = io.StringIO()
    with redirect_stdout(shown):
        COMMAND.main(list(arguments), standalone_mode=False)
    return shown.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models and a suite; one item's id is markup."""
    made = tmp_path_factory.mktemp("attribute")
    own_folder(made / "concatenation", Architecture.CONCATENATION)
    own_folder(made / "multi", Architecture.MULTI_ENCODER)
    items = tuple(
        Item(
            id="<b>1</b>" if number == 1 else str(number), document=f"d{number}", segment=1, source="It works well!",
            reference="Sie geht gut.", phenomenon="gender", rule="it:sie", expected=("Sie",),
            source_antecedent=Antecedent(head="lamp"), target_antecedent=Antecedent(head="Lampe"), distance=1,
            before=(Pair("The lamp is old.", "Die Lampe ist alt."),) if number else None,
        )
        for number in range(8)
    )  # fmt: skip
    write_suite_jsonl(Suite("toy", "en", "de", items), made / "toy.jsonl")
    return made


@pytest.fixture(scope="module")
def result(folder: Path) -> AttributionResult:
    run(
        *("--model", f"concat={folder / 'concatenation'}", "--model", f"alone={folder / 'concatenation'}"),
        *("--model", str(folder / "multi"), "--without-context", "alone", "--suite", str(folder / "toy.jsonl")),
        *("-l", "en-de", "--resamples", "20", "--examples", "3", "--output", str(folder / "out"), "-q"),
        *("--accuracy", "concat=60", "--accuracy", "alone=40", "--accuracy", "multi=50"),
    )
    return AttributionResult.read(folder / "out" / "result.json")


def test_what_was_measured_is_kept_and_not_measured_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = ("--suite", str(folder / "toy.jsonl"), "-l", "en-de", "-q", "--store", str(tmp_path / "store.sqlite"))
    shown = ("--resamples", "20", "--examples", "3", "--model", f"one={folder / 'concatenation'}")
    run(*suite, *shown, "--output", str(tmp_path / "first"))
    asked: list[int] = []
    flows = Attributor.flows

    def counted(self: Attributor, inputs: Sequence[ModelInput], *rest: Any) -> Iterator[tuple[int, Flow]]:
        asked.append(len(inputs))
        return flows(self, inputs, *rest)

    monkeypatch.setattr(Attributor, "flows", counted)
    run(*suite, *shown, "--output", str(tmp_path / "second"))
    results = [(tmp_path / name / "result.json").read_bytes() for name in ("first", "second")]
    assert results[0] == results[1]
    assert sum(asked) == 0
    # Another row of shares, and the same model without context, are other measures.
    run(*suite, *shown, "--rows", "prefix-mean", "--without-context", "one", "--output", str(tmp_path / "third"))
    assert sum(asked) == 7


def test_suite_is_measured_for_each_model(result: AttributionResult):
    assert [model.name for model in result.models] == ["concat", "alone", "multi"]
    assert result.words == 7
    assert result.left_out == {"its context is not known": 1}
    assert result.share("alone", "context").value == 0
    assert result.share("concat", "support").value > 0
    assert {point.model for point in result.pareto} == {"concat", "alone", "multi"}


def test_right_and_wrong_are_compared_by_gradients_and_not_by_alti(folder: Path):
    # The items have no wrong translation: all are left out, and it is said why.
    given = ("--model", str(folder / "multi"), "--suite", str(folder / "toy.jsonl"), "-l", "en-de", "-q")
    with pytest.raises(InputError, match=r"E266.*--against-wrong.*--method input_x_gradient"):
        run(*given, "--against-wrong", "--output", str(folder / "out4"))
    with pytest.raises(InputError, match=r"E263.*7 because no wrong translation is known"):
        run(*given, "--against-wrong", "--method", "input_x_gradient", "--output", str(folder / "out4"))


def test_without_a_model_one_is_asked_for_and_the_demonstration_offered(folder: Path):
    suite = ("--suite", str(folder / "toy.jsonl"), "-l", "en-de", "--output", str(folder / "out3"), "-q")
    with pytest.raises(InputError, match=r"E328.*no model is named.*endophora context demo"):
        run(*suite)
    assert not (folder / "out3").exists()


def test_more_context_than_a_model_was_trained_with_is_told(folder: Path):
    config = json.loads((folder / "concatenation" / "config.json").read_text("utf-8"))
    most = config["context_size"]
    given = ("--model", f"concat={folder / 'concatenation'}", "--suite", str(folder / "toy.jsonl"), "-l", "en-de")
    for context, told in ((most, 0), (most + 1, 1)):
        run(*given, "-k", str(context), "--resamples", "0", "--output", str(folder / f"told{told}"), "-q")
        warnings = AttributionResult.read(folder / f"told{told}" / "result.json").warnings
        assert sum("was trained with at most" in warning for warning in warnings) == told


def test_corpus_is_tagged_and_its_occurrences_measured(folder: Path):
    rows = ["document\tsource\treference"]
    rows += ["d\tThe lamp is old.\tDie Lampe ist alt.", "d\tIt works well!\tSie geht gut."]
    (folder / "corpus.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    out = run(
        *("--model", str(folder / "concatenation"), "--input", str(folder / "corpus.tsv"), "-l", "en-de", "-q"),
        *("--phenomenon", "pronouns", "--resamples", "0", "--output", str(folder / "out2"), "--format", "json"),
    )
    found = json.loads(out)
    assert found["data"] == "corpus.tsv"
    assert found["words"] == 1
    assert found["examples"][0]["word"] == "Sie"
    marked = [
        word["text"] for sentence in found["examples"][0]["sentences"] for word in sentence["words"] if word["support"]
    ]
    assert marked == ["The", "lamp", "Die", "Lampe"]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((), ["E328"]),
        (("--model", "x", "--without-context", "y", "--suite", "s"), ["E264"]),
        (("--model", "x", "--suite", "s", "--input", "t"), ["E266"]),
        (("--rows", "all"), ["E266"]),
        (("--method", "lime"), ["E266"]),
        (("--normalisation", "softmax"), ["E266"]),
        (("--accuracy", "a=b"), ["E106"]),
        (("--model", "x", "--suite", "absent.jsonl"), ["E001"]),
    ],
)
def test_bad_options_are_faults(arguments: tuple[str, ...], codes: list[str]):
    with pytest.raises(EndophoraError) as caught:
        run(*arguments)
    assert [fault.code for fault in caught.value.faults] == codes


def test_accuracies_of_a_contrast_are_those_of_models_with_as_much_context(tmp_path: Path):
    suite = {"name": "s", "source_language": "", "target_language": "", "items": 1, "documents": 1, "translations": 2}
    score = {"kind": "all", "group": "", "interval": None, "correct": 1, "counted": 2}
    settings = {
        "sizes": [0, 5], "sides": "both", "normalised": False, "ties": "wrong", "baseline": "", "units": "segments",
        "resamples": 0, "confidence": 0.95, "alpha": 0.05, "seed": 1,
    }  # fmt: skip
    runs = [{"model": "a", "size": size, "signature": "", "ties": 0, "file": ""} for size in (0, 5)]
    scores = [score | {"model": "a", "size": size, "value": 50.0 + size} for size in (0, 5)]
    result = {"version": "", "signature": "", "suite": suite, "settings": settings, "runs": runs, "scores": scores}
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result | {"comparisons": [], "warnings": []}), encoding="utf-8")
    assert contrasts(path, {"a": 5, "b": 5}) == {"a": 55.0}
    assert contrasts(path, {"a": 0}) == {"a": 50.0}
    for sizes in ({"b": 5}, {"a": 3}):
        with pytest.raises(EndophoraError, match=r"\[E267\].*a with 0, a with 5"):
            contrasts(path, sizes)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(EndophoraError, match=r"\[E267\]"):
        contrasts(path, {"a": 5})


def test_accuracies_of_an_evaluation_are_those_of_systems_with_the_models_names(tmp_path: Path):
    for name, lines in {"s": "It works.\nIt is old.\n", "r": "Sie geht gut.\nSie ist sehr alt.\n"}.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    given = ("-s", str(tmp_path / "s"), "-r", str(tmp_path / "r"), "-y", f"mine={tmp_path / 'r'}")
    out = ("-l", "en-de", "-p", "none", "-m", "bleu", "-o", str(tmp_path / "out"), "--resamples", "100")
    assert command_line("evaluate", *given, *out) == 0
    path = tmp_path / "out" / "result.json"
    assert evaluations(path, "BLEU", ["mine", "other"]) == pytest.approx({"mine": 100.0})
    assert Accuracies(evaluation=path, column="BLEU", accuracy={"mine": 7.0}).of({"mine": 1}) == {"mine": 7.0}
    for column, models, has in (("pronouns", ["mine"], "it has: BLEU"), ("BLEU", ["other"], "it has: mine")):
        with pytest.raises(EndophoraError, match=rf"\[E267\].*{has}"):
            evaluations(path, column, models)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(EndophoraError, match=r"\[E267\].*no result of evaluate"):
        evaluations(path, "BLEU", ["mine"])


def test_text_has_the_table_of_the_papers(result: AttributionResult):
    shown = REPORTS.get("text")(result)
    assert "supporting words" in shown
    assert f"{result.share('concat', 'support').value:.2f}" in shown
    assert "left out: 1, since its context is not known" in shown


def test_csv_has_a_row_for_each_share(result: AttributionResult):
    rows = list(csv.DictReader(io.StringIO(REPORTS.get("csv")(result))))
    assert len(rows) == len(result.shares)
    one = next(row for row in rows if (row["model"], row["measure"]) == ("multi", "context"))
    assert float(one["value"]) == result.share("multi", "context").value


def test_latex_has_a_row_for_each_model(result: AttributionResult):
    assert REPORTS.get("latex")(result).count(r"\\") == 1 + len(result.models)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name in ("style", "src") or name.startswith("on") for name, _ in attrs)
        if tag not in ("meta", "col", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_page_is_whole_and_runs_nothing(folder: Path, result: AttributionResult):
    text = (folder / "out" / "report.html").read_text("utf-8")
    page = _Page()
    page.feed(text)
    assert not page.open
    assert "script" not in page.tags
    assert "<b>1</b>" not in text
    assert text.count("<article") == 3
    assert "://" not in text
    assert text == REPORTS.get("html")(result)


def test_flow_has_a_stroke_for_each_of_the_strongest_words(result: AttributionResult):
    example = result.examples[0]
    words = [word for sentence in example.sentences for word in sentence.words]
    drawing = str(flow_plot(example))
    assert drawing.count("stroke-width") == min(16, len(words))
    assert f"{max(word.share for word in words):.1f}" in drawing


def test_pareto_plot_joins_models_that_none_dominates():
    points = [
        ParetoPoint(model="a & b", accuracy=50, support=2, dominated=False),
        ParetoPoint(model="c", accuracy=60, support=1, dominated=False),
        ParetoPoint(model="d", accuracy=40, support=0, dominated=True),
    ]
    drawing = str(pareto_plot(points))
    assert drawing.count("mark-point") == 2
    assert drawing.count("mark-baseline") == 1
    assert "a &amp; b" in drawing
    assert str(pareto_plot(points[:1])) == ""


def test_the_words_of_its_own_translation_are_those_of_that_text_as_a_reference(tmp_path: Path):
    lines = [line.split("\t") for line in (CONTEXT_DEMO / "text.tsv").read_text("utf-8").splitlines()[1:9]]
    for name, column in (("ids", 0), ("en", 1)):
        (tmp_path / name).write_text("".join(f"{line[column]}\n" for line in lines), "utf-8")
    given = ("-l", "en-de", "--source", str(tmp_path / "en"), "--documents", str(tmp_path / "ids"), "-k", "1", "-q")
    model = ("--model", f"m={CONTEXT_DEMO / 'concatenation'}")
    run(*given, *model, "--own", "--output", str(tmp_path / "own"))
    own = tmp_path / "own" / "own.txt"
    assert own.read_text("utf-8").splitlines() == [line[2] for line in lines]
    run(*given, *model, "--reference", str(own), "--output", str(tmp_path / "two"))
    one, two = (AttributionResult.read(tmp_path / name / "result.json") for name in ("own", "two"))
    assert (one.words, one.data) == (4, "en, translated by the model")
    assert one.shares == two.shares
    for wrong in (("--model", f"n={CONTEXT_DEMO / 'sentence'}"), ("--suite", str(CONTEXT_DEMO / "suite.jsonl"))):
        with pytest.raises(InputError, match=r"E266.*--own"):
            run(*given, *model, *wrong, "--own", "--output", str(tmp_path / "wrong"))


def test_what_is_written_for_inseq_gives_the_same_shares(folder: Path):
    given = ("--suite", str(folder / "toy.jsonl"), "-l", "en-de", "-q", "--resamples", "100")
    models = [word for name in ("concatenation", "multi") for word in ("--model", f"{name}={folder / name}")]
    run(*given, *models, "--inseq", "--output", str(folder / "written"))
    read = [
        word
        for name in ("concatenation", "multi")
        for word in ("--model", f"{name}=inseq:{folder / 'written' / 'inseq' / name}.json")
    ]
    run(*given, *read, "--output", str(folder / "read"))
    one, two = (AttributionResult.read(folder / name / "result.json") for name in ("written", "read"))
    assert (one.words, one.left_out) == (two.words, two.left_out)
    assert [share.value for share in one.shares] == pytest.approx([share.value for share in two.shares], abs=1e-4)
    assert two.settings.method == "inseq:alti+ |size|"
