"""A bad ``--output`` of any command, and files of others in its way, are found before anything else is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command import run
from endophora.cli.app import app
from endophora.cli.commands import Lazy

# Of no command is the input there: an error about the output shows that it was looked at first.
COMMANDS: dict[str, tuple[str, ...]] = {
    "align": ("no", "no", "-l", "en-de"),
    "check": ("-l", "en-de", "-s", "no.en", "-y", "a=no.de"),
    "compare": ("no", "no"),
    "context attribute": (),
    "context contrast": ("no.jsonl",),
    "context cxmi": (),
    "context demo": (),
    "context perturb": ("-l", "en-de"),
    "context study": ("-l", "en-de"),
    "context themes": ("no",),
    "demo": (),
    "evaluate": ("-l", "en-de", "-s", "no.en", "-r", "no.de"),
    "extract": ("-l", "en-de", "-i", "no.tsv"),
    "human results": ("no.json", "no.csv"),
    "human sheets": ("-l", "en-de", "-s", "no.en"),
    "languages new": ("xx",),
    "mentions": ("-l", "en-de", "-s", "no.en", "-r", "no.de"),
    "meta-evaluate": ("-H", "no.tsv"),
    "models convert": ("no",),
    "score": ("-l", "en-de", "-s", "no.en", "-r", "no.de"),
    "suite build": ("-l", "en-de", "--pairs", "no.tsv"),
    "suite convert": ("no.jsonl", "--to", "ctxpro"),
    "suite prompts": ("no.jsonl",),
    "suite score": ("no.jsonl", "-y", "a=no.txt"),
    "suite split": ("no.jsonl",),
    "tag": ("-l", "en-de", "-s", "no.en", "-r", "no.de"),
    "train ellipsis": ("no.tsv",),
    "train model": ("-l", "en-de", "--train", "no.tsv", "--validation", "no.tsv"),
    "train text": ("-l", "en-de"),
    "translate": ("-l", "en-de", "-s", "no.en"),
}
FILES = {"score", "suite convert", "suite prompts", "translate"}
IN_THE_WAY = {
    "align": "train.tsv",
    "check": "occurrences.jsonl",
    "compare": "result.json",
    "context attribute": "report.html",
    "context contrast": "scores/mine.txt",
    "context cxmi": "segments.jsonl",
    "context demo": "contrast/mine.txt",
    "context perturb": "answers.sqlite",
    "context study": "contrast/answers.sqlite",
    "context themes": "themes.html",
    "demo": "result.json",
    "evaluate": "occurrences.jsonl",
    "extract": "work/mine.txt",
    "human results": "human-scores/mine.txt",
    "human sheets": "key.json",
    "meta-evaluate": "result.json",
    "models convert": "mine.txt",
    "suite build": "links/rows.parquet",
    "suite score": "result.json",
    "tag": "report.html",
    "train ellipsis": "mine.txt",
    "train model": "README.md",
    "train text": "train.tsv",
}


def with_output(command: Any, name: str = "") -> Iterator[str]:
    """The commands that write where an option says."""
    if isinstance(command, Lazy):
        command = command.built()
    for part, inner in getattr(command, "commands", {}).items():
        yield from with_output(inner, f"{name} {part}".strip())
    if any(parameter.name == "output" for parameter in command.params):
        yield name


def arguments(command: str, output: Path) -> list[str]:
    named = [str(output)] if command == "models convert" else ["-o", str(output)]
    return [*command.split(), *COMMANDS[command], *named]


def test_every_command_that_writes_is_tested():
    assert set(with_output(app)) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_output_is_found_before_the_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    bad = [Path("file/below"), Path("/proc/new/below"), Path("n" * 300), Path("folder" if command in FILES else "file")]
    for output in bad:
        assert run(*arguments(command, output)) == 2
        assert capsys.readouterr().err.startswith(f"[E355] {output} – ")
    assert {path.name for path in tmp_path.rglob("*")} == {"file", "folder"}
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("command", IN_THE_WAY)
def test_files_of_others_in_the_way_are_found_before_the_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out" / IN_THE_WAY[command]
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    assert run(*arguments(command, Path("out"))) == 2
    assert capsys.readouterr().err.startswith("[E356] out")
    assert [found for found in (tmp_path / "out").rglob("*") if found.is_file()] == [path]
    assert path.read_text() == "mine"
