"""The command line: exit codes, messages, and what is written where."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from command import run
from endophora.cli import inventory
from endophora.evaluation import installation
from endophora.evaluation.installation import Check

SOURCE = "Can you help me?\nYou have my lamp.\nIt is on your table.\n"
REFERENCE = "Können Sie mir helfen?\nSie haben meine Lampe.\nSie steht auf Ihrem Tisch.\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small corpus in the working directory, and a cache of its own."""
    (tmp_path / "source.en").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "reference.de").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "same.de").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "other.de").write_text(REFERENCE.replace("Sie steht", "Es steht").replace("Sie haben", "Du hast"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    return tmp_path


INPUT = ("--languages", "en-de", "--source", "source.en", "--reference", "reference.de")


def test_help_imports_nothing_heavy():
    code = "import sys, endophora.cli; print([m for m in ('spacy', 'numpy', 'pydantic', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]):
    for command in ("demo", "evaluate", "tag", "languages", "models", "doctor", "train"):
        assert run(command, "--help") == 0
        assert "Usage: endophora" in capsys.readouterr().out


def test_evaluate_writes_result_and_report_and_prints_the_table(files: Path, capsys: pytest.CaptureFixture[str]):
    status = run("evaluate", *INPUT, "--system", "same=same.de", "--system", "other=other.de", "--output", "out")
    shown = capsys.readouterr()
    assert status == 0, shown.err
    assert "formality" in shown.out
    assert "same" in shown.out
    assert "one document" in shown.err
    result = json.loads((files / "out" / "result.json").read_text(encoding="utf-8"))
    scores = {(score["column"], score["system"]): score["value"] for score in result["scores"]}
    assert scores["formality", "same"] == 1.0
    assert scores["formality", "other"] < 1.0
    assert scores["BLEU", "same"] == pytest.approx(100.0)
    assert (files / "out" / "report.html").stat().st_size > 10_000
    lines = (files / "out" / "occurrences.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["phenomenon"] for line in lines} >= {"formality"}


def test_a_second_run_has_the_same_bytes_and_annotates_nothing(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert run("evaluate", *INPUT, "--system", "other=other.de", "--output", "first", "--quiet") == 0

    def refuse(*_: object) -> None:
        raise AssertionError("annotated again")

    monkeypatch.setattr("endophora.annotate.annotator.SpacyAnnotator.annotate", refuse)
    assert run("evaluate", *INPUT, "--system", "other=other.de", "--output", "second", "--quiet") == 0
    for name in ("result.json", "report.html", "occurrences.jsonl"):
        assert (files / "first" / name).read_bytes() == (files / "second" / name).read_bytes()


def test_two_processes_give_the_bytes_of_one(files: Path):
    arguments = ("evaluate", *INPUT, "--system", "same=same.de", "--system", "other=other.de", "--quiet", "--no-store")
    assert run(*arguments, "--workers", "1", "--output", "one") == 0
    assert run(*arguments, "--workers", "2", "--output", "two") == 0
    assert (files / "one" / "result.json").read_bytes() == (files / "two" / "result.json").read_bytes()


@pytest.mark.parametrize("name", ["jsonl", "muda", "compare-mt", "text", "json", "csv", "latex"])
def test_tag_prints_every_format(files: Path, capsys: pytest.CaptureFixture[str], name: str):
    assert run("tag", *INPUT, "--format", name, "--output", "tags", "--quiet") == 0
    assert "formality" in capsys.readouterr().out
    assert (files / "tags" / "result.json").exists()


def test_of_a_language_without_rules_the_advice_has_metrics(files: Path, capsys: pytest.CaptureFixture[str]):
    arguments = (
        "evaluate",
        "-l",
        "en-cs",
        "-s",
        "source.en",
        "-r",
        "reference.de",
        "-y",
        "other=other.de",
        "-o",
        "out",
    )
    assert run(*arguments) == 2
    assert "evaluate --phenomenon none" in capsys.readouterr().err
    assert run(*arguments, "--phenomenon", "none", "--format", "json") == 0
    shown = capsys.readouterr()
    assert "blonde is left out: no rules for the language “cs”" in shown.err
    assert [column["name"] for column in json.loads(shown.out)["columns"]] == ["BLEU", "chrF2", "d-BLEU"]


def test_tag_reads_no_output_of_a_system(files: Path, capsys: pytest.CaptureFixture[str]):
    rows = zip(SOURCE.splitlines(), REFERENCE.splitlines(), strict=True)
    lines = [f"d\t{source}\t{reference}\t" for source, reference in rows]
    header = "document\tsource\treference:ref\tsystem:silent"
    (files / "all.tsv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    assert run("tag", "--languages", "en-de", "--input", "all.tsv", "--output", "tags") == 0
    assert "silent" not in capsys.readouterr().err
    assert run("evaluate", "--languages", "en-de", "--input", "all.tsv", "--output", "out") == 0
    assert "silent" in capsys.readouterr().err


BAD_FILES = {
    "short.de": ("Können Sie mir helfen?\nSie haben meine Lampe.\n".encode(), "E008"),
    "latin.de": (REFERENCE.encode("latin-1"), "E006"),
    "nul.de": (REFERENCE.replace("meine ", "meine\0").encode(), "E007"),
    "empty.de": (b"", "E005"),
}


def test_all_faults_of_the_input_are_reported_at_once_without_a_traceback(
    files: Path, capsys: pytest.CaptureFixture[str]
):
    for name, (content, _) in BAD_FILES.items():
        (files / name).write_bytes(content)
    systems = [part for name in BAD_FILES for part in ("--system", f"{name[:-3]}={name}")]
    assert run("evaluate", *INPUT, *systems, "--output", "out") == 2
    shown = capsys.readouterr().err
    for name, (_, code) in BAD_FILES.items():
        assert f"[{code}] {name}" in shown
    assert "Traceback" not in shown
    assert not (files / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("--annotator", "de=de_core_news_lg"), 3, "E040"),
        (("--annotator", "de_core_news_lg"), 2, "E096"),
        (("--annotator", "fr=blank"), 2, "E100"),
        (("--aligner", "fastalign"), 2, "E090"),
        (("--phenomenon", "pronoun"), 2, "E090"),
        (("--baseline", "nobody"), 2, "E105"),
        (("--test", "guess"), 2, "E075"),
        (("--judge", "wording", "--variant", "other"), 2, "E071"),
        (("--judge", "taste"), 2, "E071"),
        (("--variant", "muda"), 2, "E071"),
        (("--metric", "blue"), 2, "E090"),
        (("--format", "word"), 2, "E090"),
        (("--input", "."), 2, "E098"),
        (("--system", "same=missing.de"), 2, "E001"),
    ],
)
def test_wrong_options_end_with_a_coded_message(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int, code: str
):
    assert run("evaluate", *INPUT, "--system", "other=other.de", "--output", "out", *arguments) == status
    assert f"[{code}]" in capsys.readouterr().err


def test_standard_input_is_read_as_a_file(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(SOURCE.encode()))))
    assert run("tag", "-l", "en-de", "-s", "-", "-r", "reference.de", "--format", "csv", "--quiet") == 0
    assert "formality" in capsys.readouterr().out


def test_doctor_finds_a_working_installation(files: Path, capsys: pytest.CaptureFixture[str]):
    assert run("doctor", "--thorough") == 0
    shown = capsys.readouterr().out
    (annotators,) = (line for line in shown.splitlines() if line.startswith("annotator"))
    assert " de," in annotators
    assert "there" not in annotators
    assert "\neverything works\n" in shown
    assert "broken" not in shown


def test_doctor_counts_the_absent_libraries_in_one_line_and_names_them_if_asked(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    absent = [
        Check(name, "absent", f"endophora[{extra}]") for name, extra in (("torch", "neural"), ("torch", "stanza"))
    ]
    monkeypatch.setattr(inventory, "run_checks", lambda *_, **__: iter(absent))
    assert run("doctor") == 0
    _, line, conclusion = capsys.readouterr().out.splitlines()
    assert line.split() == ["library", "ok", "1", "of", "extras", "absent:", "see", "--verbose"]
    assert conclusion.startswith("what was opened works")
    assert run("doctor", "--verbose") == 0
    assert "endophora[neural]" in capsys.readouterr().out


def test_doctor_opens_one_of_each_and_reads_the_files_of_the_others(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    opened: list[str] = []
    monkeypatch.setattr(installation, "_annotator_state", lambda code: opened.append(code) or "opened")
    monkeypatch.setattr(installation, "pipeline_path", lambda code: files / "none" if code == "fr" else files)
    assert run("doctor") == 1
    shown = capsys.readouterr()
    assert opened == ["en"]
    assert f"fr: nothing in {files / 'none'}" in " ".join(shown.out.split())
    assert re.search(r"1 opened: en; 1[789] there: ar, cs, de,", shown.out)  # Chinese and Japanese need libraries
    assert shown.err == "broken: annotator fr\n"


def test_doctor_ends_with_1_where_the_store_is_broken(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    # That annotators and aligners load, which takes seconds, is the test above.
    for name in ("languages_with_annotator", "pairs_with_priors"):
        monkeypatch.setattr(installation, name, tuple)
    (files / "store.sqlite").write_bytes(b"no database at all" * 50)
    assert run("doctor", "--store", "store.sqlite") == 1
    assert "E092" in capsys.readouterr().out


def test_languages_and_models_list_what_ships(capsys: pytest.CaptureFixture[str]):
    assert run("languages") == 0
    assert run("models", "--format", "json") == 0
    shown = capsys.readouterr().out
    assert "German" in shown
    assert '"licence"' in shown
