"""``context perturb`` with a translation service and COMET: what is asked of them, and figures by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comet_folder import make_environment
from command import run
from endophora.context.results import PerturbationResult
from endophora.metrics import comet

from .conftest import SPECS, chat, chat_answer
from .http_server import FakeService

DOCUMENTS = {"d0": ["I have a car.", "It is red."], "d1": ["We sang.", "It was loud and long.", "They left."]}


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, ...]]:
    """The command's options without a model; COMET's environment is a stand-in, and caches are of the test."""
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ENDOPHORA_COMET", str(make_environment(tmp_path)))
    rows = [f"{name}\t{one}\tein {one}" for name, sentences in DOCUMENTS.items() for one in sentences]
    (tmp_path / "text.tsv").write_text("\n".join(["document\tsource\treference", *rows]) + "\n", "utf-8")
    given = ("context", "perturb", "-l", "en-de", "-i", str(tmp_path / "text.tsv"), "-o", str(tmp_path / "out"))
    yield (*given, "-k", "1", "-m", "comet:fake/model", "--resamples", "100", "-q")
    for client, _ in comet._running.values():
        client.close()
    comet._running.clear()


def found(tmp_path: Path) -> PerturbationResult:
    return PerturbationResult.read(tmp_path / "out" / "result.json")


def test_a_service_is_given_each_context_once_and_scored_by_comet(
    kind: str, server: FakeService, arguments: tuple[str, ...], tmp_path: Path
):
    spec = f"service={SPECS[kind]}address={server.address},first_wait=0.01,attempts=1"
    options = ("-M", spec, "-c", "sentences", "-c", "none")
    assert run(*arguments, *options) == 0
    result = found(tmp_path)
    # The stand-in scores 100, 10 and 1 for a word of source, output and reference; the service writes in capitals.
    words = [len(one.split()) for sentences in DOCUMENTS.values() for one in sentences]
    expected = sum(111 * count + 1 for count in words) / len(words)
    for condition in ("correct", "sentences", "none"):
        [score] = [one for one in result.scores if one.condition == condition]
        assert score.column.startswith("COMET")
        assert score.value == pytest.approx(expected), condition
        translated = (tmp_path / "out" / "translations" / f"service.{condition}.txt").read_text("utf-8")
        assert translated.splitlines() == [one.upper() for each in DOCUMENTS.values() for one in each]
    assert {one.condition: one.changed for one in result.outputs} == {"correct": 0, "sentences": 3, "none": 3}
    assert any("no CXMI" in warning for warning in result.warnings)
    asked = len(server.asked)
    assert asked
    assert run(*arguments, *options) == 0
    assert len(server.asked) == asked
    assert found(tmp_path) == result


def test_a_service_shows_no_vocabulary_for_random_tokens(
    kind: str, server: FakeService, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    assert run(*arguments, "-M", f"service={SPECS[kind]}address={server.address}") == 2
    assert "[E328]" in capsys.readouterr().err
    assert server.asked == []


def test_a_server_that_never_uses_its_context_gets_no_verdict(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Whatever shows the context is answered in no form: all that counts was made without it."""
    pytest.importorskip("openai")

    def usual(body: Any) -> Any:
        return chat("[[9]] x [[8]] y") if "What comes before" in body["messages"][1]["content"] else chat_answer(body)

    server = FakeService(usual)
    try:
        spec = f"service=openai:m,address={server.address},attempts=1"
        assert run(*arguments, "-M", spec, "-c", "sentences", "-c", "none") == 0
    finally:
        server.close()
    [verdict] = found(tmp_path).verdicts
    assert verdict.label == "refused"
    assert "3 of 3 answers to segments with context were made without it" in verdict.sentence
    assert "no verdict on service" in capsys.readouterr().out
