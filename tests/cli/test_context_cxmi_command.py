"""``endophora context cxmi`` and ``context themes`` from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from command import run

sys.path.insert(0, str(Path(__file__).parent.parent / "context"))
from fake_scorer import FakeScorer

from endophora.context.results import CxmiResult
from endophora.record import find

ROWS = (
    ("a", "We saw the cat.", "Wir sahen die Katze."),
    ("a", "It slept.", "Sie schlief."),
    ("b", "Where is the house?", "Wo ist das Haus?"),
    ("b", "It is there.", "Es ist dort."),
)


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> FakeScorer:
    scorer = FakeScorer({"Sie": 0.5, "Es": 0.25})
    monkeypatch.setattr("endophora.cli.context.open_scorer", lambda spec, options: scorer)
    return scorer


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "corpus.tsv"
    lines = ("document\tsource\treference", *("\t".join(row) for row in ROWS))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def cxmi(output: Path, *arguments: str) -> int:
    return run("context", "cxmi", "-M", "fake", "-o", str(output), "--no-store", "--resamples", "100", *arguments)


def test_a_corpus_is_annotated_tagged_scored_and_shown(corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert cxmi(tmp_path / "out", "-l", "en-de", "-i", corpus, "-k", "1", "--sides", "target", "--minimum", "1") == 0
    shown = capsys.readouterr()
    assert "PRON.3.Sing" in shown.out
    assert "with tag" in shown.out
    result = CxmiResult.read(tmp_path / "out" / "result.json")
    assert result.figure("target-1").value == pytest.approx((0.5 + 0.25) / 4)
    assert find(result.groups, condition="target-1", group="PRON.3.Sing").mean == pytest.approx(0.75 / 2)
    assert (tmp_path / "out" / "report.html").is_file()
    assert run("context", "themes", str(tmp_path / "out"), "-q") == 0
    assert "PRON.3.Sing" in (tmp_path / "out" / "themes.html").read_text("utf-8")


def test_nothing_is_tagged_where_no_phenomenon_is_asked_for(corpus: str, tmp_path: Path):
    assert cxmi(tmp_path / "out", "-l", "en-de", "-i", corpus, "-p", "none", "-q", "-f", "json") == 0
    result = CxmiResult.read(tmp_path / "out" / "result.json")
    assert not [one for one in result.groups if one.kind == "tag"]
    assert find(result.groups, condition="both-3", group="PRON").count == 3


def test_a_task_needs_no_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "tasks.jsonl"
    rows = [
        {"input": "q", "context": ["one", "two"], "output": "Sie da"},
        {"input": "q", "context": "", "output": "ja"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert cxmi(tmp_path / "out", "--tasks", str(path), "-q") == 0
    assert "CXMI of a task  2 documents, 2 lines, 3 words" in capsys.readouterr().out
    result = CxmiResult.read(tmp_path / "out" / "result.json")
    assert result.figure("both-2").value == pytest.approx(1.0 / 2)
    assert cxmi(tmp_path / "named", "--tasks", str(path), "-q", "-l", "de", "--annotator", "de=blank") == 0
    assert CxmiResult.read(tmp_path / "named" / "result.json").corpus.target_language == "de"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("-l", "en-de"), "E098"),
        (("-i", "CORPUS"), "E014"),
        (("-i", "CORPUS", "-l", "en-de", "--item", "word"), "E311"),
        (("-i", "CORPUS", "-l", "en-de", "--sides", "left"), "E326"),
        (("-i", "CORPUS", "--tasks", "x.jsonl"), "E316"),
        (("--tasks", "x.jsonl"), "E001"),
        (("-i", "CORPUS", "-l", "en-de", "-f", "pdf"), "E090"),
    ],
)
def test_wrong_usage_is_told_with_a_code(
    arguments: tuple[str, ...], code: str, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    given = [corpus if argument == "CORPUS" else argument for argument in arguments]
    assert cxmi(tmp_path / "out", *given) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_themes_of_something_else_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("context", "themes", str(tmp_path)) == 2
    assert "[E317]" in capsys.readouterr().err


def test_a_corpus_without_reference_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "corpus.tsv"
    path.write_text("source\nHello.\n", "utf-8")
    assert cxmi(tmp_path / "out", "-l", "en-de", "-i", str(path)) == 2
    assert "[E107]" in capsys.readouterr().err
