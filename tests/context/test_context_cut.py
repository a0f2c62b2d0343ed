"""Context that a model has no room for is counted, told and never compared: with a tiny model of a window."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent.parent / "models"))

from perturbation_fakes import FakeModel, make_corpus
from tiny_models import make_own

from endophora.context.contrast import score_contrast
from endophora.context.contrast_figures import ContrastOptions
from endophora.context.perturbation.conditions import Condition, Kind, PerturbationOptions
from endophora.context.perturbation.perturb import perturb
from endophora.context.results import ContrastResult, CxmiResult, PerturbationResult
from endophora.errors import InputError
from endophora.models.layout import Architecture
from endophora.models.records import ContextRead, ModelInput, ScoredTarget, SideRead
from endophora.models.specs import open_scorer
from endophora.record import find
from endophora.suites.records import Item, Pair, Suite, Variant

CAT, DOG, LONG = "The cat sat.", "The dog did not.", "It was raining; she had no umbrella! " * 3
SOURCES = (CAT, DOG, LONG.strip(), CAT, DOG, CAT)
WINDOW = 40


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A concatenation model that has learned from up to three segments of context."""
    return str(make_own(tmp_path_factory.mktemp("cut") / "model", Architecture.CONCATENATION))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("text")
    for name in ("source", "target"):
        (place / name).write_text("".join(f"{one}\n" for one in SOURCES * 2), "utf-8")
    (place / "ids").write_text("".join(f"{number // 6}\n" for number in range(12)), "utf-8")
    return place


def options(text: Path, model: str, *more: str) -> list[str]:
    named = ["-l", "en-de", "-s", str(text / "source"), "-r", str(text / "target"), "-d", str(text / "ids")]
    return [*named, "-M", f"{model},window={WINDOW}", "--device", "cpu", "--threads", "1", *more]


class Asked:
    """Remembers what models were asked to score."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from endophora.models.sequence_model import SequenceModel

        self.pairs: list[tuple[ModelInput, str]] = []
        plain = SequenceModel.score

        def score(model: Any, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
            self.pairs += zip(inputs, targets, strict=True)
            return plain(model, inputs, targets)

        monkeypatch.setattr(SequenceModel, "score", score)


def test_cxmi_counts_warns_and_scores_nothing_twice(
    model: str, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = Asked(monkeypatch)
    more = ("-k", "4", "-o", str(tmp_path), "-p", "none", "--annotator", "de=blank", "--resamples", "100", "--no-store")
    assert run("context", "cxmi", *options(text, model, *more)) == 0
    told = capsys.readouterr()
    assert "the model was trained with at most 3 segments of context and is given 4" in told.err
    result = CxmiResult.read(tmp_path / "result.json")
    # The third segment fills the window, so it has no context itself and is none to the others.
    counts = find(result.conditions, name="both-1").context
    assert (counts.segments, counts.given, counts.whole, counts.cut, counts.lost) == (12, 10, 6, 0, 4)
    assert (counts.source_given, counts.source_kept, counts.target_kept) == (10, 6, 6)
    most = find(result.conditions, name="both-4").context
    assert (most.given, most.whole, most.cut, most.lost) == (10, 2, 4, 4)
    assert "the model, both-4: of 10 segments that were given context, 4 were read with a part of it" in told.err
    assert "and 4 with none" in told.err
    assert ["both-4", "10", "2", "4", "4"] in [line.split()[:5] for line in told.out.splitlines()]
    assert len(asked.pairs) == len(set(asked.pairs))
    for name in ("both-1", "both-4"):
        figure, kept = result.figure(name), result.kept_figure(name)
        assert kept is not None
        assert figure.helped + figure.harmed <= kept.samples == 6
        assert kept.value == pytest.approx(2 * figure.value)
    lines = [json.loads(line) for line in (tmp_path / "segments.jsonl").read_text().splitlines()]
    assert [line["gain"][-1] for line in lines if line["contexts"][-1]["source"]["kept"] == 0] == [0.0] * 6


def item(number: int, right: str, wrong: str) -> Item:
    before = (Pair(CAT, CAT), Pair(DOG, DOG))
    return Item(f"i{number}", f"d{number}", 0, "It", right, "gender", "x", before=before, variants=(Variant(wrong),))


def test_all_translations_of_an_item_have_the_context_of_the_longest(model: str, monkeypatch: pytest.MonkeyPatch):
    scorer = open_scorer(f"{model},window={WINDOW},device=cpu")
    # So long that a wrong translation of more sub-words has no room for both sentences.
    right = next(
        "e" * count
        for count in range(1, 60)
        if [one.context.target.kept for one in scorer.fit([whole()] * 2, ["e" * count, "e" * count + " xyzxyz"])]  # type: ignore[attr-defined]
        == [2, 1]
    )
    suite = Suite("s", "en", "de", [item(1, right, right + " xyzxyz"), item(2, "e", "i")])
    asked = Asked(monkeypatch)
    result = score_contrast(suite, {"m": scorer}, ContrastOptions(sizes=(0, 2), resamples=20)).result
    of_first = [given for given, target in asked.pairs if target.startswith(right) and given.target_context]
    assert of_first == [ModelInput("It", (DOG,), (DOG,))] * 2
    (none, two) = result.runs
    assert none.context is not None
    assert two.context is not None
    assert (none.context.given, two.context.given, two.context.whole, two.context.cut) == (0, 2, 1, 1)
    score = result.score("m", 2)
    assert score is not None
    assert (score.kept_counted, score.kept_value) == (2, score.value)
    assert score.kept_least == result.score("m", 0).value  # type: ignore[union-attr]
    assert any(line.startswith("m, 2 segments: of 2 segments that were given context, 1 ") for line in result.warnings)


def whole() -> ModelInput:
    return ModelInput("It", (CAT, DOG), (CAT, DOG))


class Forgetful(FakeModel):
    """Reads the last sentence of its context only, and says so in its answers."""

    def translate(self, inputs: Any, decoding: Any = None) -> Any:
        return [replace(one, context=read(given)) for one, given in zip(super().translate(inputs), inputs, strict=True)]

    def score(self, inputs: Any, targets: Any) -> Any:
        return [
            replace(one, context=read(given)) for one, given in zip(super().score(inputs, targets), inputs, strict=True)
        ]

    def target_length(self, sentence: Any) -> int:
        return 2 * self.length(sentence) if isinstance(sentence, str) else len(sentence)


def read(given: ModelInput) -> ContextRead:
    return ContextRead(
        *(SideRead(len(side), min(1, len(side))) for side in (given.source_context, given.target_context))
    )


def test_what_is_perturbed_is_what_the_model_has_read_in_the_length_of_its_own_side():
    fake = Forgetful(lambda one: one.source.upper(), lambda one: -1.0 - len(one.source_context))
    chosen = PerturbationOptions(
        conditions=(Condition(Kind.CORRECT), Condition(Kind.RANDOM), Condition(Kind.NONE)), size=2, resamples=20
    )
    result = perturb(make_corpus(), {"m": fake}, chosen).result
    drawn = [one for one in fake.translated if any(isinstance(sentence, tuple) for sentence in one.source_context)]
    assert len(drawn) == 12
    # Seven words a sentence; the target side cuts each in two.
    assert {tuple(len(sentence) for sentence in one.source_context) for one in drawn} == {(7,)}
    assert {tuple(len(sentence) for sentence in one.target_context) for one in drawn} == {(14,)}
    contexts = {one.condition: (one.context, one.scored) for one in result.outputs}
    for counts in contexts["correct"]:
        assert counts is not None
        assert (counts.segments, counts.given, counts.whole, counts.cut, counts.lost) == (18, 12, 6, 6, 0)
    score = result.score("m", "correct", "CXMI")
    assert score is not None
    assert (score.kept, score.kept_value) == (12, pytest.approx(score.value * 18 / 12))
    assert any(line.startswith("m, correct: of 12 segments") for line in result.warnings)


def test_the_interval_over_kept_context_is_that_of_resampled_documents():
    def found(one: ModelInput) -> float:
        return -2.0 + int(one.source[1]) * bool(one.source_context)

    chosen = PerturbationOptions(conditions=(Condition(Kind.CORRECT),), size=1, resamples=500, metrics=("bleu",))
    result = perturb(make_corpus(), {"m": FakeModel(lambda one: one.source.upper(), found)}, chosen).result
    score = result.score("m", "correct", "CXMI")
    assert score is not None
    # Two of the three segments of document d have context, and gain d each.
    assert (score.kept, score.kept_value, score.value) == (12, pytest.approx(2.5), pytest.approx(2.5 * 2 / 3))
    means = np.sort(np.random.default_rng(chosen.seed).integers(6, size=(500, 6)).mean(axis=1))
    assert score.kept_interval is not None
    assert (score.kept_interval.low, score.kept_interval.high) == (pytest.approx(means[12]), pytest.approx(means[-13]))


def test_the_length_of_a_side_is_that_of_its_own_tokenizer(model: str):
    scorer: Any = open_scorer(f"{model},device=cpu")
    coder = scorer.coder
    scorer.coder = type("Two", (), {"source": coder.source, "target": lambda self, text: coder.source(text + text)})()
    assert (scorer.length(CAT), scorer.target_length(CAT)) == (
        len(coder.source(CAT).ids),
        len(coder.source(CAT + CAT).ids),
    )


@pytest.fixture(scope="module")
def with_a_long_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("long")
    long = " ".join([CAT] * 130)
    lines = [CAT, DOG, long, DOG, CAT]
    for name in ("source", "target"):
        (place / name).write_text("".join(f"{one}\n" for one in lines), "utf-8")
    (place / "ids").write_text("1\n1\n1\n2\n2\n", "utf-8")
    return place


@pytest.mark.parametrize(
    "command",
    [
        ("score",),
        ("translate", "--gold", "--beam", "1"),
        ("context", "cxmi", "-p", "none", "--annotator", "de=blank", "--no-store", "--resamples", "100"),
        ("context", "perturb", "--beam", "1", "--resamples", "100"),
    ],
)
def test_a_segment_that_is_too_long_is_named_and_left_out_on_demand(
    model: str, with_a_long_one: Path, tmp_path: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    context = command[0] == "context"
    more = ["-k", "1", *(["-o", str(tmp_path / "out")] if context else [])]
    given = [*command, *options(with_a_long_one, model, *more)]
    assert run(*given) == 2
    told = capsys.readouterr()
    assert "[E281]" in told.err
    assert f"{with_a_long_one / 'source'}:3 – " in told.err
    assert "--skip-faults" in told.err
    assert run(*given, "--skip-faults") == 0
    told = capsys.readouterr()
    assert f"{with_a_long_one / 'source'}:3 is left out: " in told.err
    if context:
        kind: Any = CxmiResult if "cxmi" in command else PerturbationResult
        assert kind.read(tmp_path / "out" / "result.json").corpus.skipped == 1
    elif command[0] == "score":
        lines = told.out.splitlines()
        assert len(lines) == 6
        assert lines[3] == "1\t3\ttarget" + "\t" * 6
        assert "4 segments, log-probability" in told.err
    else:
        assert len(told.out.splitlines()) == 5
        assert told.out.splitlines()[2] == ""


def test_an_item_that_is_too_long_is_left_out_on_demand(model: str):
    scorer = open_scorer(f"{model},device=cpu")
    suite = Suite("s", "en", "de", [item(1, "e", "i " * 1500), item(2, "e", "i")])
    chosen = ContrastOptions(sizes=(0,), resamples=20)
    with pytest.raises(InputError, match=r"E281\] s, item i1 – m: the target has"):
        score_contrast(suite, {"m": scorer}, chosen)
    result: ContrastResult = score_contrast(suite, {"m": scorer}, chosen, skip_faults=True).result
    assert (result.suite.items, result.suite.skipped) == (1, 1)
    assert any(line.startswith("s, item i1 is left out: m: the target has") for line in result.warnings)


def test_a_model_that_does_not_tell_is_named(tmp_path: Path):
    suite = Suite("s", "en", "de", [item(1, "e", "i")])
    fake = FakeModel(lambda one: one.source, lambda one: -1.0)
    result = score_contrast(suite, {"m": fake}, ContrastOptions(sizes=(0, 2), resamples=20)).result
    counts = result.runs[1].context
    assert counts is not None
    assert (counts.whole, counts.assumed) == (1, 1)
    assert "m does not tell how much of its context it reads: all of it counts as read" in result.warnings


def test_nan_of_any_scorer_is_an_error_and_is_not_kept():
    fake = FakeModel(lambda one: one.source, lambda one: float("nan"), "outside 1")
    suite = Suite("s", "en", "de", [item(1, "e", "i")])
    with pytest.raises(InputError, match=r"E370\] outside 1"):
        score_contrast(suite, {"m": fake}, ContrastOptions(sizes=(0,), resamples=20))
