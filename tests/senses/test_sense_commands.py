"""The commands: build a suite from a corpus, score systems on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sense_suites import suite_of_bank

from command import run
from endophora.suites.formats import read_suite, write_suite

NAMES = ("Peter", "Paul", "Karl", "Otto", "Anton", "Emil")
SENTENCES = (
    ("{} sat on the old bench near the river and slept.", "{} saß auf der alten Bank am Fluss und schlief."),
    ("{} went to the new bank on Monday and took a loan.", "{} ging am Montag zur neuen Bank und nahm einen Kredit."),
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "pairs.tsv"
    lines = [
        f"{origin}\t{target.format(name)}\t{source.format(name)}"
        for origin, names in (("books", NAMES[:3]), ("talks", NAMES[3:]))
        for name in names
        for source, target in SENTENCES
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_build_writes_every_step_and_suites_that_score(corpus: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    arguments = ("suite", "build", "--kind", "word-sense", "--languages", "de-en", "--pairs", str(corpus))
    options = ("--least", "4", "--longer-than", "8", "--executor", "serial", "-o", str(out), "--embeddings", "none")
    assert run(*arguments, *options) == 0
    table = capsys.readouterr().out
    assert "source words with several translations" in table
    assert "clusters that are right: not measured: --gold FILE" in table  # embeddings other than the default
    for name in ("1-words.tsv", "2a-clusters.tsv", "2b-merges.tsv", "2b-clusters.tsv", "build.json"):
        assert (out / name).is_file(), name
    sizes = json.loads((out / "build.json").read_text("utf-8"))["sizes"]
    assert sizes["source_words"] >= 1
    assert "bank\tNOUN" in (out / "2b-clusters.tsv").read_text("utf-8")
    suite = read_suite(out / "de-en.mucow.scoring.json")
    assert {"bank", "bench"} <= {item.expected[0] for item in suite.items}
    lines = [item.reference for item in suite.items]
    (tmp_path / "hyp").write_text("\n".join(lines) + "\n", "utf-8")
    score = ("suite", "score", str(out / "de-en.mucow.scoring.json"), "--system", f"A={tmp_path / 'hyp'}")
    assert run(*score, "--format", "json", "--resamples", "0", "--lemmas", "none") == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["right"] for row in result["counts"] if row["kind"] == "all"} == {len(suite)}


def test_build_reads_what_extract_reads(corpus: Path, tmp_path: Path, capsys) -> None:
    rows = [line.split("\t") for line in corpus.read_text("utf-8").splitlines()]
    table = tmp_path / "table.tsv"
    table.write_text("document\tsource\ttarget\n" + "\n".join("\t".join(row) for row in rows) + "\n", "utf-8")
    out = tmp_path / "out"
    arguments = ("suite", "build", "--languages", "de-en", "--input", f"mine={table}", "-o", str(out), "--quiet")
    options = ("--least", "4", "--longer-than", "8", "--executor", "serial", "--embeddings", "none")
    assert run(*arguments, *options) == 0
    capsys.readouterr()
    suite = read_suite(out / "de-en.mucow.scoring.json")
    assert {item.extra["origin"] for item in suite.items} == {"mine"}
    assert run("suite", "build", "--languages", "de-en", "-o", str(out)) == 2
    assert "E220" in capsys.readouterr().err


def test_build_says_what_it_does_not_know(corpus: Path, tmp_path: Path, capsys) -> None:
    base = ("suite", "build", "--languages", "de-en", "--pairs", str(corpus), "-o", str(tmp_path / "x"))
    for options, code in ((("--kind", "gender"), "E220"), (("--upos", "X"), "E220"), (("--inventory", "none"), "E090")):
        assert run(*base, *options) == 2
        assert code in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json", "csv", "latex"])
def test_score_shows_all_formats(tmp_path: Path, capsys, form: str) -> None:
    suite = tmp_path / "en-de.mucow.tts.json"
    write_suite(suite_of_bank(4), suite, "mucow")
    (tmp_path / "a").write_text("Das Ufer\nDie Bank\nnichts\nDas Ufer\n", "utf-8")
    (tmp_path / "b").write_text("Das Ufer\n" * 4, "utf-8")
    (tmp_path / "lemmas").write_text("x\nx\nUfer\nx\n", "utf-8")
    systems = ("--system", f"A={tmp_path / 'a'}", "--system", f"B={tmp_path / 'b'}")
    lemmas = ("--lemmas", f"A={tmp_path / 'lemmas'}", "--lemmas", "none")
    assert run("suite", "score", str(suite), *systems, *lemmas, "--format", form, "--resamples", "20") == 0
    shown = capsys.readouterr().out
    assert {"text": "75.00", "json": '"confusions"', "csv": "precision", "latex": r"\toprule"}[form] in shown
    if form == "text":
        assert "taken for" in shown


def test_scores_of_translations_are_counted_by_sense(tmp_path: Path, capsys) -> None:
    suite = tmp_path / "en-de.mucow.scoring.json"
    write_suite(suite_of_bank(2), suite, "mucow")
    (tmp_path / "scores").write_text("1\n2\n3\n2\n1\n3\n", "utf-8")
    command = (
        "suite",
        "score",
        str(suite),
        "--scores",
        f"A={tmp_path / 'scores'}",
        "--lower-is-better",
        "--format",
        "csv",
    )
    assert run(*command) == 0
    assert "all,,A,accuracy,50.0" in capsys.readouterr().out


def test_lemmas_of_an_unknown_system_are_told(tmp_path: Path, capsys) -> None:
    suite = tmp_path / "en-de.mucow.tts.json"
    write_suite(suite_of_bank(1), suite, "mucow")
    (tmp_path / "a").write_text("x\n", "utf-8")
    assert run("suite", "score", str(suite), "--system", f"A={tmp_path / 'a'}", "--lemmas", f"B={tmp_path / 'a'}") == 2
    assert "E220" in capsys.readouterr().err
