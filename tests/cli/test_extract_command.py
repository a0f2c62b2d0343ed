"""The command ``extract``: what it writes, how it refuses, and how it goes on."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import run
from endophora.cli.extract import progress_text
from endophora.corpus.records import Document, Location, Segment
from endophora.engine import Progress
from endophora.extraction.extract import renamed
from endophora.suites.formats import read_suite

THINGS = [("lamp", "die Lampe", "Sie"), ("table", "der Tisch", "Er"), ("letter", "der Brief", "Er")]


def corpus(path: Path, documents: int) -> Path:
    lines: list[str] = []
    for number in range(documents):
        english, german, pronoun = THINGS[number % 3]
        lines.append(f"{2000 + number % 15}/{number}\tWhere is the {english}?\tWo ist {german}?")
        lines.append(f"{2000 + number % 15}/{number}\tIt is in room {number}.\t{pronoun} ist in Zimmer {number}.")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def arguments(path: Path, output: Path, *more: str) -> list[str]:
    return ["extract", "-l", "en-de", "-i", str(path), "--columns", "1,2,3", "-o", str(output), "-q", *more]


def checksum(output: Path) -> str:
    return hashlib.sha256((output / "rows.parquet").read_bytes()).hexdigest()


def test_rows_statistics_and_test_sets_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, output = corpus(tmp_path / "corpus.tsv", 30), tmp_path / "out"
    more = ("--executor", "serial", "--suite-format", "jsonl", "--suite-format", "contrapro", "--least", "5")
    assert run(*arguments(path, output, "-p", "gender", *more)) == 0
    assert "30 occurrences in 60 segments of 30 documents" in capsys.readouterr().out
    statistics = json.loads((output / "statistics.json").read_text("utf-8"))
    assert {rule["rule"]: rule["occurrences"] for rule in statistics["rules"]} == {
        "NOM.FEM.SING": 10,
        "NOM.MASC.SING": 20,
    }
    assert sum(file["items"] for file in statistics["suites"] if file["format"] == "jsonl") == 30
    test = read_suite(output / "suites/jsonl/gender.en-de.test.jsonl")
    assert all(item.before and item.variants for item in test.items)
    assert run(*arguments(path, output, "-p", "gender", *more)) == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-l", "en-de"], "E098"),
        (["-l", "en-de", "-i", "x.tsv", "-s", "y"], "E098"),
        (["-l", "en-de", "-s", "a", "-r", "b"], "E001"),
        (["-l", "en-de", "-s", "a", "-d", "b"], "E099"),
        (["-l", "de-fr", "-i", "x.tsv"], "E202"),
        (["-l", "en-de", "-i", "x.tsv"], "E001"),
        (["-l", "en-de", "-i", "-"], "E015"),
        (["-l", "en-de", "-i", "x.tsv", "--columns", "a,b"], "E206"),
        (["-l", "en-de", "-i", "x.tsv", "--ratio", "1:5"], "E206"),
        (["-l", "en-de", "-i", "x.tsv", "--year-pattern", "("], "E205"),
        (["-l", "en-de", "-i", "x.tsv", "--suite-format", "scat"], "E171"),
        (["-l", "en-de", "-i", "x.tsv", "--suite-format", "none", "--suite-format", "jsonl"], "E206"),
        (["-l", "en-de", "-i", "x.tsv", "--annotator", "fr=stanza"], "E100"),
        (["-l", "en-de", "-i", "x.tsv", "--most", "1", "--ratio", "1:1:0"], "E183"),
    ],
)
def test_wrong_usage_is_a_coded_error(
    options: list[str], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    assert run("extract", *options, "-o", "out") == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_faults_are_told_before_any_work_and_skipped_only_if_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, output = corpus(tmp_path / "corpus.tsv", 3), tmp_path / "out"
    path.write_text(path.read_text("utf-8") + "2001/9\tone\n", encoding="utf-8")
    assert run(*arguments(path, output)) == 2
    assert "[E017]" in capsys.readouterr().err
    assert not output.exists()
    more = ("--skip-faults", "--executor", "serial", "-p", "gender", "--suite-format", "none")
    assert run(*arguments(path, output, *more)) == 0
    assert json.loads((output / "statistics.json").read_text("utf-8"))["skipped"] == {"E017": 1}


def test_files_of_others_in_the_output_directory_are_an_error_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """``-o .`` among one's own files: what is in the way is named, what is not stays, and the advice works."""
    monkeypatch.chdir(tmp_path)
    path = corpus(tmp_path / "corpus.tsv", 3)
    for name in ("film.zip.part", "rows.parquet.part", "suites/mine.txt", "statistics.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    more = ("--executor", "serial", "-p", "gender")
    for fresh in ((), ("--fresh",)):
        assert run(*arguments(path, Path(), *more, *fresh)) == 2
        assert "[E356]" in (told := capsys.readouterr().err)
        assert "statistics.json, suites/mine.txt" in told
    assert not (tmp_path / "work").exists()
    (tmp_path / "statistics.json").rename("mine.json")
    (tmp_path / "suites").rename("mine")
    assert run(*arguments(path, Path(), *more)) == 0
    assert run(*arguments(path, Path(), *more, "--fresh", "--suite-format", "ctxpro")) == 0
    assert not (tmp_path / "suites" / "jsonl").exists()
    for name in ("film.zip.part", "rows.parquet.part", "mine/mine.txt", "mine.json"):
        assert (tmp_path / name).read_text() == "mine"


def test_a_corpus_that_is_spelt_otherwise_or_lies_elsewhere_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    path = corpus(tmp_path / "corpus.tsv", 9)
    monkeypatch.chdir(tmp_path)
    more = ("--executor", "serial", "-p", "gender", "--suite-format", "none")
    spellings = [path, Path("corpus.tsv"), Path("..", tmp_path.name, "corpus.tsv")]
    for spelling in spellings:
        assert run(*arguments(spelling, Path("out"), *more)) == 0
    (tmp_path / "moved").mkdir()
    path.rename(tmp_path / "moved" / "corpus.tsv")
    assert run(*arguments(tmp_path / "moved" / "corpus.tsv", Path("other"), *more)) == 0
    assert checksum(Path("out")) == checksum(Path("other"))


def test_files_of_the_same_name_are_told_apart(tmp_path: Path):
    places = [tmp_path / "a" / "x.tsv", tmp_path / "b" / "x.tsv", tmp_path / "y.tsv"]
    for place in places:
        place.parent.mkdir(exist_ok=True)
        place.touch()
    some = [
        Document(str(number), (Segment("", {}, {}, Location(file, 1)),))
        for number, file in enumerate([*map(str, places), str(places[0]), "<stdin>"])
    ]
    found = [document.segments[0].location.file for document in renamed(some)]
    assert found == ["x.tsv", "b/x.tsv", "y.tsv", "x.tsv", "<stdin>"]


def start(path: Path, output: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from endophora.cli import main; main()"]
    options = ("--shard-size", "10", "-w", "1", "-p", "gender", "--suite-format", "none")
    return subprocess.Popen([*command, *arguments(path, output, *options)], stderr=subprocess.PIPE)


def wait_for_shards(output: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if sum(1 for _ in output.glob("work/**/*.parquet")) >= 2:
            return
        time.sleep(0.01)


SERIAL = ("--executor", "serial", "-p", "gender", "--suite-format", "none")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A corpus, and the checksum of its rows from a run that nothing interrupts."""
    folder = tmp_path_factory.mktemp("whole")
    path = corpus(folder / "corpus.tsv", 40)
    assert run(*arguments(path, folder / "out", *SERIAL)) == 0
    return path, checksum(folder / "out")


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)])
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    tmp_path: Path, whole: tuple[Path, str], sent: signal.Signals, status: int
):
    path, expected = whole
    process = start(path, tmp_path / "out")
    wait_for_shards(tmp_path / "out", process)
    os.kill(process.pid, sent)
    _, message = process.communicate(timeout=300)
    assert process.returncode == status
    assert (b"again to go on" in message) == (sent is signal.SIGTERM)
    assert not (tmp_path / "out" / "rows.parquet").exists()
    assert run(*arguments(path, tmp_path / "out", *SERIAL)) == 0
    assert checksum(tmp_path / "out") == expected


def test_progress_tells_the_rate_and_the_time_left():
    progress = Progress(3, 500, 2, 7, earlier_segments=100, seconds=4.0)
    assert progress_text(progress, 1_000) == "500 of 1000 segments, 7 occurrences, 100 segments/s, 0:00:05 left"
    assert progress_text(progress, None) == "500 segments, 7 occurrences, 100 segments/s"
