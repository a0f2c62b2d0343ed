"""``endophora suite``: from files to tables, and what it says of wrong input."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command import run
from endophora.suites.result import SuiteResult

ITEMS = [
    {
        "expected": "sie",
        "src pronoun": "it",
        "ante distance": number % 2,
        "intrasegmental": number % 2 == 0,
        "src ante head": "lamp",
        "ref ante head": "Lampe",
        "ref ante head gender": "Fem",
        "src segment": f"It is number {number}.",
        "ref segment": f"Sie ist Nummer {number}.",
        "segment id": 1,
        "document id": f"d{number // 2}",
        "rule": "NOM.FEM.SING" if number % 3 else "ACC.FEM.SING",
    }
    for number in range(14)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy.en-de.test.json").write_text(json.dumps(ITEMS), encoding="utf-8")
    (tmp_path / "good").write_text("Die Lampe. Sie ist da.\n" * 14, encoding="utf-8")
    (tmp_path / "bad").write_text("Sie ist da. Er ist da.\n" * 14, encoding="utf-8")
    (tmp_path / "joined").write_text("Die Lampe. <eos> Sie ist da. Ja.\n" * 14, encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_text(
        "".join(
            json.dumps({"document": f"d{n // 2}", "source": text, "references": {"ref": text}}) + "\n"
            for n in range(14)
            for text in ([f"Before {n}.", f"It is number {n}."])
        ),
        encoding="utf-8",
    )
    return tmp_path


def suite(folder: Path) -> str:
    return str(folder / "toy.en-de.test.json")


def test_score_shows_systems_side_by_side(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    systems = ["-y", f"good={folder / 'good'}", "-y", f"bad={folder / 'bad'}"]
    assert run("suite", "score", suite(folder), *systems, "--output", str(folder / "out")) == 0
    out = capsys.readouterr().out
    assert "en-de, 14 items in 7 documents" in " ".join(out.split())
    assert "100.0 [100.0, 100.0]" in out
    assert "0.0 [0.0, 0.0]*" in out
    assert "by rule" in out
    assert "by distance" in out
    result = SuiteResult.read(folder / "out" / "result.json")
    assert result.score("bad").value == 0


def test_score_takes_the_part_after_the_separator(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "suite",
        "score",
        suite(folder),
        "-y",
        f"x={folder / 'joined'}",
        "--resamples",
        "0",
        "-f",
        "json",
        "-q",
    )
    assert run(*arguments) == 0
    assert json.loads(capsys.readouterr().out)["scores"][0]["correct"] == 0
    assert run(*arguments, "--separator", "<eos>") == 0
    assert json.loads(capsys.readouterr().out)["scores"][0]["correct"] == 14


def test_score_in_csv_has_a_row_a_system_and_group(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    systems = ["-y", f"good={folder / 'good'}", "-y", f"bad={folder / 'bad'}", "-m", "chrf"]
    assert run("suite", "score", suite(folder), *systems, "-f", "csv", "-q") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["kind"] for row in rows} == {"all", "phenomenon", "rule", "distance", "metric"}
    assert next(row for row in rows if row["system"] == "bad")["difference"] == "-100.0"


def test_score_in_latex_marks_the_best(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    systems = ["-y", f"good={folder / 'good'}", "-y", f"b_d={folder / 'bad'}"]
    assert run("suite", "score", suite(folder), *systems, "-f", "latex", "-q", "--resamples", "0") == 0
    out = capsys.readouterr().out
    assert r"all & 14 & \textbf{100.0} & 0.0 \\" in out
    assert r"b\_d" in out


def test_score_of_another_number_of_lines_ends_with_its_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "short").write_text("Sie.\n", encoding="utf-8")
    assert run("suite", "score", suite(folder), "-y", f"x={folder / 'short'}") == 2
    error = capsys.readouterr().err
    assert error.startswith("[E173]")
    assert "1 lines for 14 items" in error


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "E182"),
        (("-y", "a=x", "--scores", "a=x"), "E182"),
        (("-y", "a=none", "--vectors", "x"), "E098"),
        (("--scores", "a=none", "--resegment"), "E098"),
        (("--scores", "a=none", "--vectors", "x"), "E098"),
        (("-y", "a=none"), "E001"),
        (("--scores", "a=none"), "E175"),
        (("-y", "a"), "E096"),
        (("-y", "a=good", "--match", "x"), "E181"),
        (("-y", "a=good", "--languages", "xx"), "E014"),
        (("-y", "a=good", "-f", "x"), "E090"),
    ],
)
def test_wrong_options_end_with_their_codes(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: str,
) -> None:
    monkeypatch.chdir(folder)
    assert run("suite", "score", suite(folder), *arguments) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_contrastive_suites_are_scored_by_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {"contrastive": "Er ist.", "replacement": "er", "replacement gender": "Masc", "type": "x"}
    entry = {"src pronoun": "it", "ref pronoun": "sie", "src segment": "It is.", "ref segment": "Sie ist."}
    entry |= {"document id": "d", "segment id": 3, "ante distance": 1, "errors": [wrong]}
    (tmp_path / "c.en-de.json").write_text(json.dumps([entry, entry]), encoding="utf-8")
    (tmp_path / "scores").write_text("-1\n-2\n-1\n-1\n", encoding="utf-8")
    arguments = ("suite", "score", str(tmp_path / "c.en-de.json"), "--scores", f"m={tmp_path / 'scores'}", "-f", "json")
    assert run(*arguments, "-q") == 0
    assert json.loads(capsys.readouterr().out)["scores"][0]["value"] == 50
    assert run(*arguments, "-q", "--ties", "correct") == 0
    assert json.loads(capsys.readouterr().out)["scores"][0]["value"] == 100
    assert run("suite", "prompts", str(tmp_path / "c.en-de.json"), "--context", "0", "--targets") == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["It is.\tSie ist.", "It is.\tEr ist."]


def test_prompts_have_the_context_of_the_corpus(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = ("--corpus", str(folder / "corpus.jsonl"))
    entries = [entry | {"segment id": 1 + 2 * (number % 2)} for number, entry in enumerate(ITEMS)]
    Path(suite(folder)).write_text(json.dumps(entries), encoding="utf-8")
    assert run("suite", "prompts", suite(folder), *corpus, "-k", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "Before 3.<eos> It is number 3."
    assert len(lines) == 14
    assert run("suite", "prompts", suite(folder), "-k", "1") == 2
    assert "[E177]" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["jsonl", "ctxpro", "huggingface-jsonl"])
def test_convert_and_describe(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    target = folder / "new.en-de"
    assert run("suite", "convert", suite(folder), "--to", form, "--output", str(target)) == 0
    assert "14 items" in capsys.readouterr().err
    assert run("suite", "describe", str(target), "--examples", "1") == 0
    out = capsys.readouterr().out
    assert "14 items in 7 documents" in out
    assert "NOM.FEM.SING" in out
    assert "sie 9" in out
    assert run("suite", "describe", str(target), "-f", "csv") == 0
    assert "gender,NOM.FEM.SING,sie,9" in capsys.readouterr().out
    assert run("suite", "describe", str(target), "-f", "json") == 0
    assert json.loads(capsys.readouterr().out)["commonest_form"] == 100


def test_split_writes_a_file_a_split(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", "split", suite(folder), "-o", str(folder / "splits"), "--least", "0") == 0
    assert sum(int(line.split()[0]) for line in capsys.readouterr().err.splitlines()) == 14
    assert (folder / "splits" / "toy.en-de.test.test.jsonl").exists()


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", "formats") == 0
    assert "scat               read " in capsys.readouterr().out
