"""COMET and Doc-COMET as metrics, with a stand-in for the worker; with small real models where COMET is installed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comet_folder import make_environment
from endophora.errors import InputError, MissingModelError
from endophora.metrics import comet, load_metric
from endophora.metrics.comet import Comet, DocComet, preceding
from endophora.metrics.records import TextMetric

SOURCES = ["one two", "three", "four five six"]
OUTPUT = ["eins zwei", "drei drei", "vier"]
REFERENCE = ["eins zwei", "drei", "vier fünf sechs"]
SECOND = ["ein paar Worte", "drei", "vier"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a first line")


@pytest.fixture
def requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stand-in for COMET's environment, and the file of the requests that it gets."""
    monkeypatch.setenv("ENDOPHORA_COMET", str(make_environment(tmp_path)))
    yield tmp_path / "requests.jsonl"
    for client, _ in comet._running.values():
        client.close()
    comet._running.clear()


def segments_of(requests: Path) -> list[list[dict[str, list[str]]]]:
    lines = map(json.loads, requests.read_text(encoding="utf-8").splitlines())
    return [line["segments"] for line in lines if line["request"] == "score"]


def test_a_segments_statistics_are_its_score_and_one(requests: Path):
    metric = load_metric("comet:fake/model", "de")
    assert isinstance(metric, TextMetric)
    counts = metric.statistics(OUTPUT, [REFERENCE], sources=SOURCES)
    np.testing.assert_array_equal(counts, [[222, 1], [121, 1], [313, 1]])
    assert counts.shape[1] == len(metric.columns)
    assert float(metric.score(counts.sum(axis=0))) == pytest.approx((222 + 121 + 313) / 3)
    assert np.isnan(metric.score(np.zeros(2)))
    np.testing.assert_array_equal(metric.score(counts[[[0, 0], [1, 2]]].sum(axis=1)), [222, 217])


def test_scores_against_several_references_are_averaged(requests: Path):
    metric = Comet(argument="fake/model")
    both = metric.statistics(OUTPUT, [REFERENCE, SECOND], sources=SOURCES)
    single = [metric.statistics(OUTPUT, [reference], sources=SOURCES) for reference in (REFERENCE, SECOND)]
    np.testing.assert_allclose(both, (single[0] + single[1]) / 2)


def test_a_model_without_references_is_sent_none_and_needs_none(requests: Path):
    metric = Comet(argument="qe/model")
    with_some = metric.statistics(OUTPUT, [REFERENCE, SECOND], sources=SOURCES)
    np.testing.assert_array_equal(with_some, metric.statistics(OUTPUT, [], sources=SOURCES))
    assert all("ref" not in segment for part in segments_of(requests) for segment in part)
    assert metric.signature(references=2).startswith("nrefs:0|model:model")


def test_context_is_of_the_same_document_and_the_hypothesis_has_the_references(requests: Path):
    metric = DocComet(argument="fake/model@2")
    metric.statistics(
        ["a", "b", "c", "d", "e"], [["A", "B", "C", "D", "E"]], [0, 0, 0, 0, 1], ["1", "2", "3", "4", "5"]
    )
    (segments,) = segments_of(requests)
    assert [segment["src"] for segment in segments] == [["1"], ["1", "2"], ["1", "2", "3"], ["2", "3", "4"], ["5"]]
    assert [segment["mt"] for segment in segments] == [["a"], ["A", "b"], ["A", "B", "c"], ["B", "C", "d"], ["e"]]
    assert [segment["ref"] for segment in segments] == [["A"], ["A", "B"], ["A", "B", "C"], ["B", "C", "D"], ["E"]]


def test_context_without_references_is_the_systems_own(requests: Path):
    DocComet(argument="qe/model@1").statistics(["a", "b"], [["A", "B"]], [0, 0], ["1", "2"])
    assert segments_of(requests) == [[{"src": ["1"], "mt": ["a"]}, {"src": ["1", "2"], "mt": ["a", "b"]}]]


def test_context_is_of_each_reference(requests: Path):
    DocComet(argument="fake/model").statistics(["a", "b"], [["A", "B"], ["X", "Y"]], [0, 0], ["1", "2"])
    assert [part[1]["mt"] for part in segments_of(requests)] == [["A", "b"], ["X", "b"]]


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 4))
def test_preceding_segments_are_the_last_of_their_document(documents: list[int], size: int):
    for index, rows in enumerate(preceding(documents, size)):
        before = [i for i in range(index) if documents[i] == documents[index]]
        assert rows == before[len(before) - min(size, len(before)) :]


def test_signature_names_model_checkpoint_context_and_versions(requests: Path):
    short = "#:1|m:model|ck:0123456789ab|t:2.13.0|v:2.2.7"
    assert Comet(argument="fake/model").signature(short=True) == short
    assert Comet(argument="fake/model").signature(references=2) == (
        "nrefs:2|references:mean|model:model|checkpoint:0123456789ab|torch:2.13.0|version:2.2.7"
    )
    assert DocComet(argument="fake/model@3").signature() == (
        "nrefs:1|model:model|checkpoint:0123456789ab|context:3|hypothesis-context:reference|torch:2.13.0|version:2.2.7"
    )
    assert "hypothesis-context:own" in DocComet(argument="qe/model").signature()


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("Unbabel/wmt22-comet-da", "COMET wmt22-comet-da"),
        ("/models/small/checkpoints/model.ckpt", "COMET small"),
        ("/models/small/", "COMET small"),
        ("last.ckpt", "COMET last"),
    ],
)
def test_name_is_the_models_last(argument: str, name: str):
    assert Comet(argument=argument).name == name
    assert DocComet(argument=argument).name == f"doc-{name}"


def test_one_worker_serves_both_variants_of_a_model(requests: Path):
    Comet(argument="fake/model").statistics(OUTPUT, [REFERENCE], sources=SOURCES)
    DocComet(argument="fake/model").statistics(OUTPUT, [REFERENCE], [0, 0, 0], SOURCES)
    assert len(comet._running) == 1
    assert requests.read_text(encoding="utf-8").count('"open"') == 1


def test_a_worker_that_died_is_started_anew(requests: Path):
    metric = Comet(argument="fake/dies")
    for _ in range(2):
        with pytest.raises(InputError, match=r"E134.*status 9"):
            metric.statistics(OUTPUT, [REFERENCE], sources=SOURCES)
    assert not comet._running


def test_all_faults_of_the_input_are_told_at_once(requests: Path):
    with pytest.raises(InputError) as raised:
        Comet(argument="fake/model").statistics(["a"], [["A", "B"], ["A"]], [0, 0], ["1", "2", "3"])
    assert [fault.code for fault in raised.value.faults] == ["E070", "E070", "E070"]


@pytest.mark.parametrize(
    ("name", "references", "documents", "sources", "code"),
    [
        ("comet:fake/model", [REFERENCE], None, None, "E137"),
        ("comet:fake/model", [], None, SOURCES, "E072"),
        ("doc-comet:fake/model", [REFERENCE], None, SOURCES, "E074"),
        ("doc-comet:fake/unified", [REFERENCE], [0, 0, 0], SOURCES, "E136"),
        ("doc-comet:fake/largest", [REFERENCE], [0, 0, 0], SOURCES, "E136"),
    ],
)
def test_what_a_metric_needs_and_lacks_is_an_error(
    requests: Path,
    name: str,
    references: list[list[str]],
    documents: list[int] | None,
    sources: list[str] | None,
    code: str,
):
    with pytest.raises(InputError, match=code):
        load_metric(name, "de").statistics(OUTPUT, references, documents, sources)


@pytest.mark.parametrize("name", ["comet", "doc-comet", "comet:", "doc-comet:@2", "doc-comet:m@", "doc-comet:m@0"])
def test_a_model_must_be_named(name: str):
    with pytest.raises(InputError, match="E130"):
        load_metric(name, "de")


def test_an_environment_that_is_not_there_says_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENDOPHORA_COMET", str(tmp_path / "none"))
    with pytest.raises(MissingModelError, match=r"E131.*endophora models install comet") as raised:
        Comet(argument="fake/model").signature()
    assert raised.value.exit_code == 3


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small models with random weights, made by the real COMET; skips where no environment is named."""
    named = os.environ.get("ENDOPHORA_COMET", "")
    python = Path(named, "bin", "python")
    if not named or not python.is_file():
        pytest.skip("no environment of COMET (set ENDOPHORA_COMET)")
    folder = tmp_path_factory.mktemp("comet") / "models"
    script = Path(__file__).with_name("tiny_comet.py")
    subprocess.run([python, "-I", "-W", "ignore", script, folder], check=True, capture_output=True)
    return folder


def expected(models: Path) -> dict[str, dict[str, list[float]]]:
    return json.loads((models / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["reference", "source", "unified"])
def test_scores_are_the_librarys_own(models: Path, name: str):
    known = expected(models)
    texts = known["texts"]
    metric = Comet(argument=str(models / name))
    counts = metric.statistics(texts["output"], [texts["reference"]], sources=texts["source"])
    np.testing.assert_allclose(counts[:, 0], known["scores"][name], atol=1e-6)


def test_scores_against_two_references_are_the_mean_of_the_librarys(models: Path):
    known = expected(models)
    texts = known["texts"]
    counts = Comet(argument=str(models / "reference")).statistics(
        texts["output"], [texts["reference"], texts["second"]], sources=texts["source"]
    )
    mean = np.mean([known["scores"]["reference"], known["scores"]["second"]], axis=0)
    np.testing.assert_allclose(counts[:, 0], mean, atol=1e-6)


@pytest.mark.parametrize("name", ["reference", "source"])
def test_scores_with_context_average_the_sentences_own_tokens(models: Path, name: str):
    known = expected(models)
    texts = known["texts"]
    counts = DocComet(argument=str(models / name / "checkpoints" / "model.ckpt")).statistics(
        texts["output"], [texts["reference"]], [0, 0, 0, 1, 1], texts["source"]
    )
    by_hand = known["scores"][f"{name} in context"]
    np.testing.assert_allclose(counts[:, 0], by_hand, atol=1e-6)
    assert np.abs(np.subtract(by_hand, known["scores"][name]))[[1, 2, 4]].min() > 1e-4


def test_context_that_is_too_long_gives_way_to_the_sentence(models: Path):
    """The first sentence of context does not fit beside the second and the sentence; all that is left is as before."""
    known = expected(models)
    texts = known["texts"]
    long = " ".join(texts["reference"] * 3)
    metric = DocComet(argument=str(models / "reference"))
    output, reference, source = ([long, *texts[name][:2]] for name in ("output", "reference", "source"))
    cut = metric.statistics(output, [reference], [0, 0, 0], source)
    whole = metric.statistics(output[1:], [reference[1:]], [0, 0], source[1:])
    np.testing.assert_allclose(cut[1:], whole, atol=1e-6)


def test_models_that_read_no_context_are_refused_by_the_worker_as_well(models: Path):
    metric = Comet(argument=str(models / "unified"))
    client, _ = metric._opened()
    with pytest.raises(InputError, match="E136"):
        client.score([{"src": ["a", "b"], "mt": ["c"], "ref": ["d"]}], context=True)


def test_a_model_that_is_not_fetched_is_not_fetched_in_silence(models: Path):
    with pytest.raises(MissingModelError, match=r"E133.*models install comet --model nobody/nothing"):
        Comet(argument="nobody/nothing").signature()
