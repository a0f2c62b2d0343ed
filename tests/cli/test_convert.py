"""``endophora convert``: what is written, what is said to be left out, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import command
from endophora.corpus.formats import read_corpus

DATA = Path(__file__).parent.parent / "data"
TABLE = str(DATA / "libreoffice" / "table.csv")
PAIR = ("en", "de")


class Done(NamedTuple):
    exit_code: int
    stderr: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def done(*arguments: str) -> Done:
        code = command.run(*arguments)
        return Done(code, " ".join(capsys.readouterr().err.split()))

    return done


@pytest.mark.parametrize("name", ["x.tmx", "x.jsonl", "x.xlsx", "x.csv", "x.csv.gz"])
def test_all_translations_are_written_or_those_that_are_named(run: Callable[..., Done], name: str, tmp_path: Path):
    path = tmp_path / name
    assert run("convert", TABLE, str(path), "-l", "en-de", "-q").exit_code == 0
    read, table = read_corpus(path, None, PAIR), read_corpus(TABLE, None, PAIR)
    assert (read.references, read.systems, len(read)) == (table.references, table.systems, 3)
    assert [document.id for document in read.documents] == ["lamp", "key"]
    assert run("convert", TABLE, str(path), "-l", "en-de", "-q", "-y", "mt").exit_code == 0
    assert (read_corpus(path, None, PAIR).references, len(read_corpus(path, None, PAIR))) == ((), 4)


def test_markup_that_a_format_does_not_have_is_counted(run: Callable[..., Done], tmp_path: Path):
    source = str(DATA / "npm-xliff" / "v2.xlf")
    assert "6 tags of markup were left out" in run("convert", source, str(tmp_path / "x.tmx"), "-l", "en-de").stderr
    assert "tags of markup" not in run("convert", source, str(tmp_path / "x.xlf2"), "-l", "en-de").stderr


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((TABLE, "x.xlf"), "E022"),
        ((TABLE, "x.sgm"), "E015"),
        ((TABLE, "x"), "E015"),
        ((TABLE, TABLE, "x.tmx"), "E098"),
        (("x.tmx",), "E098"),
        ((TABLE, "full", "--to", "text"), "E356"),
    ],
)
def test_what_cannot_be_written_is_refused(
    run: Callable[..., Done], given: tuple[str, ...], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    done = run("convert", *given, "-l", "en-de")
    assert (done.exit_code, code in done.stderr) == (2, True)
    assert not (tmp_path / given[-1]).is_file()


def test_a_translation_is_chosen_for_a_format_that_has_one(run: Callable[..., Done], tmp_path: Path):
    path = str(tmp_path / "x.xlf")
    done = run("convert", TABLE, path, "-l", "en-de", "-y", "mt")
    assert "the name mt is not written" in done.stderr
    assert run("convert", TABLE, path, "-l", "en-de", "-r", "target").exit_code == 0
    assert read_corpus(path, None, PAIR).documents[0].segments[1].references["target"].startswith("Sie lässt")
    assert run("convert", TABLE, str(tmp_path / "new"), "--to", "text", "-l", "en-de").exit_code == 2  # a line end
