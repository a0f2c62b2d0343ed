"""Doubts about the input: a warning in every command, and an error with ``--strict``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import run
from endophora.evaluation.evaluate import NO_OCCURRENCE, _doubt_emptiness  # pyright: ignore[reportPrivateUsage]
from endophora.evaluation.setup import Setup
from endophora.meta.people import read_people
from endophora.phenomena import TaggerOptions
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.records import Item, Suite, Variant

ENGLISH = """The committee will meet again next week to discuss the report.
She told the reporters that nobody had been hurt in the accident.
The price of bread has risen by almost a third since last summer.
We have been waiting here for more than an hour, and nothing has happened.
They bought the house from an old man who wanted to move to the coast.
It is not known who wrote the letter that was found in the library.
"""
GERMAN = """Der Ausschuss wird nächste Woche wieder zusammentreten, um den Bericht zu besprechen.
Sie sagte den Journalisten, dass bei dem Unfall niemand verletzt worden sei.
Der Brotpreis ist seit dem letzten Sommer um fast ein Drittel gestiegen.
Wir warten hier schon seit über einer Stunde, und nichts ist passiert.
Sie kauften das Haus von einem alten Mann, der an die Küste ziehen wollte.
Es ist nicht bekannt, wer den Brief geschrieben hat, der in der Bibliothek gefunden wurde.
"""
SUBTITLES = "1\n00:00:01,000 --> 00:00:02,500\nHello.\n\n2\n00:00:03,000 --> 00:00:04,000\nBye.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").write_text(ENGLISH, encoding="utf-8")
    (tmp_path / "de").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "ids").write_text("a\n" * 6, encoding="utf-8")
    (tmp_path / "film.srt").write_text(SUBTITLES, encoding="utf-8")
    rows = zip(GERMAN.splitlines(), ENGLISH.splitlines(), strict=True)
    table = "".join(f"a\t{source}\t{target}\n" for source, target in rows)
    (tmp_path / "swapped.tsv").write_text(f"document\tsource\ttarget\n{table}", encoding="utf-8")
    (tmp_path / "blank").write_text("\n" * 6, encoding="utf-8")
    _write_suite(tmp_path / "suite.jsonl")
    (tmp_path / "losses").write_text("1\n2\n" * 24, encoding="utf-8")
    _write_annotations(tmp_path / "mqm.tsv")
    return tmp_path


def _write_suite(path: Path) -> None:
    """Items that know a right form and a wrong translation."""
    pairs = [*zip(ENGLISH.splitlines(), GERMAN.splitlines(), strict=True)] * 4
    items = [
        Item(
            str(i), "a", i, source, right, "gender", "any", (right.split()[0],), variants=(Variant(f"Nicht: {right}"),)
        )
        for i, (source, right) in enumerate(pairs)
    ]
    write_suite_jsonl(Suite("toy", "en", "de", tuple(items)), path)


def _write_annotations(path: Path) -> None:
    """MQM annotations of German that is translated into English."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    pairs = zip(GERMAN.splitlines(), ENGLISH.splitlines(), strict=True)
    rows = [
        f"{system}\td\t{number}\t{number}\tr\t{source}\t{target}\tno-error\tno-error\n"
        for system in "AB"
        for number, (source, target) in enumerate(pairs, 1)
    ]
    path.write_text(head + "".join(rows), encoding="utf-8")


METRIC = ["-p", "none", "-m", "bleu", "--no-store"]
TRAINED = ["--train", "swapped.tsv", "--validation", "swapped.tsv", "-o", "model"]
DOUBTFUL = [
    (["evaluate", "-l", "en-de", "-s", "de", "-r", "en", "-d", "ids", *METRIC], "E380"),
    (["tag", "-l", "EN-DE", "-s", "de", "-r", "en", "-d", "ids", *METRIC[:2], "--no-store"], "E380"),
    (["evaluate", "-l", "en-fr", "-s", "en", "-r", "de", "-d", "ids", *METRIC], "E381"),
    (["evaluate", "-l", "en-de", "-s", "en", "-r", "de", "-y", "a=en", "-d", "ids", *METRIC], "E382"),
    (["evaluate", "-l", "en-de", "-s", "en", "-r", "de", "-y", "a=de", "-d", "ids", *METRIC], "E383"),
    (["evaluate", "-l", "en-de", "-s", "en", "-r", "en", "-d", "ids", *METRIC], "E384"),
    (["extract", "-l", "en-de", "-i", "swapped.tsv"], "E380"),
    (["translate", "-l", "en-de", "-s", "de", "-d", "ids", "-M", "nowhere"], "E381"),
    (["score", "-l", "en-de", "-s", "de", "-r", "en", "-d", "ids", "-M", "nowhere"], "E380"),
    (["context", "cxmi", "-l", "en-de", "-s", "de", "-r", "en", "-d", "ids", "--model", "nowhere"], "E380"),
    (["context", "perturb", "-l", "en-de", "-s", "de", "-r", "en", "-d", "ids", "--model", "a=nowhere"], "E380"),
    (["meta-evaluate", "-H", "mqm.tsv", "-l", "en-de", "--score", "bleu"], "E388"),
    (["context", "contrast", "suite.jsonl", "--scores", "a@0=losses", "-o", "out"], "E389"),
    (["context", "attribute", "-l", "en-de", "-s", "de", "-r", "en", "-d", "ids", "-M", "nowhere"], "E380"),
    (["train", "model", "-l", "en-de", *TRAINED], "E380"),
    (["evaluate", "-l", "en-de", "-s", "en", "-r", "de", "-y", "a=blank", "-d", "ids", *METRIC], "E391"),
    (["score", "-l", "en-de", "-s", "en", "-y", "a=blank", "-d", "ids", "-M", "nowhere"], "E391"),
]


@pytest.mark.parametrize(("arguments", "code"), DOUBTFUL, ids=[f"{one[0]}-{code}" for one, code in DOUBTFUL])
def test_a_doubt_is_an_error_with_strict(
    arguments: list[str], code: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    before = set(folder.iterdir())
    assert run(*arguments, "--strict", "--quiet") == 2
    told = capsys.readouterr().err
    assert f"[{code}]" in told
    assert "warning: " not in told
    # The answers of models are kept, however the run ends.
    kept = {"out"} if "contrast" in arguments else set[str]()
    assert {path.name for path in set(folder.iterdir()) - before} == kept
    assert not list(folder.rglob("result.json"))


def test_a_doubt_is_a_warning_told_once_and_kept_in_the_result(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert run(*DOUBTFUL[4][0], "-o", "out") == 0
    assert capsys.readouterr().err.count("warning: [E383] ") == 1
    warnings = json.loads((folder / "out" / "result.json").read_text("utf-8"))["warnings"]
    assert [one[:6] for one in warnings if one.startswith("[")] == ["[E383]"]


def test_blank_outputs_of_a_suite_are_refused_with_strict(folder: Path, capsys: pytest.CaptureFixture[str]):
    item = {
        "document id": "d",
        "segment id": 1,
        "rule": "R",
        "src pronoun": "it",
        "src segment": "It.",
        "expected": "es",
    }
    (folder / "s.json").write_text(json.dumps([item | {"ref segment": "Es."}] * 3), encoding="utf-8")
    (folder / "out").write_text("Es.\n \nEs.\n", encoding="utf-8")
    arguments = ["suite", "score", "s.json", "-l", "en-de", "-y", "a=out", "--resamples", "0"]
    assert run(*arguments, "-o", "scored", "--strict") == 2
    told = capsys.readouterr()
    assert "[E387]" in told.err
    assert "lines 2" in told.err
    assert told.out == ""
    assert not (folder / "scored").exists(), "nothing is written"
    assert run(*arguments) == 0
    assert "warning: [E387]" in capsys.readouterr().err


def test_right_texts_pass_strict(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert run("evaluate", "-l", "en-de", "-s", "en", "-r", "de", "-d", "ids", *METRIC, "--strict") == 0
    shown = capsys.readouterr()
    assert "[E" not in shown.err
    assert "0 source words" not in shown.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "-l", "en-de", "-s", "film.txt", "-r", "film.txt"],
        ["translate", "-l", "en-de", "-s", "film.txt"],
        ["extract", "-l", "en-de", "-s", "film.txt", "-r", "film.txt", "-d", "ids"],
    ],
)
def test_subtitles_named_as_plain_text_are_refused(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
):
    (folder / "film.txt").write_bytes((folder / "film.srt").read_bytes())
    assert run(*arguments) == 2
    assert "[E385] film.txt:2 – this is SRT subtitles" in capsys.readouterr().err


def test_subtitles_beside_plain_text_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert run("evaluate", "-l", "en-de", "-s", "film.srt", "-r", "de") == 2
    assert "[E098] de – it is not of the form of film.srt" in capsys.readouterr().err


def test_no_occurrence_in_a_text_of_some_size_is_doubted():
    setup = Setup("en", "de")
    (warning,) = _doubt_emptiness(NO_OCCURRENCE, 0, setup)
    assert warning.startswith("[E386]")
    assert _doubt_emptiness(NO_OCCURRENCE, 1, setup) == []
    assert _doubt_emptiness(NO_OCCURRENCE - 1, 0, setup) == []
    alone = Setup("en", "de", taggers=TaggerOptions(phenomena=("ellipsis",)))
    assert _doubt_emptiness(NO_OCCURRENCE, 0, alone) == []


def test_annotations_of_another_pair_are_doubted(shared: Path):
    path = shared / "documents" / "ted-mqm" / "mqm_ted_zhen.tsv"
    assert [one[:6] for one in read_people(path, "en-de").warnings] == ["[E388]"]
    assert read_people(path, "zh-en").warnings == ()
