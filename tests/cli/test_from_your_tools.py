"""Every command of ``docs/from-your-tools.md`` runs as it stands, on files of other programs, with the figures that
the page shows: the same text makes the same report, whatever format it is in."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from command import run
from fetched_test_set import fetched

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "from-your-tools.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)
COMMANDS = [line for kind, text in BLOCK.findall(PAGE) if kind == "sh" for line in text.splitlines()]
TOUR = REPOSITORY / "tests" / "data" / "tour"


def _shown() -> list[tuple[str, list[str]]]:
    """Return what the page shows of outputs, each with the command that it is of."""
    blocks = BLOCK.findall(PAGE)
    return [
        (next(line for line in COMMANDS if name in line), text.splitlines())
        for name, (_, text) in zip(("table.csv", "en.docx"), (b for b in blocks if b[0] == "text"), strict=True)
    ]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Go where ``tests`` and ``output.txt`` are and reports may be written; sacreBLEU has fetched a test set."""
    (tmp_path / "tests").symlink_to(REPOSITORY / "tests")
    (tmp_path / "output.txt").write_bytes((TOUR / "mt.txt").read_bytes())
    fetched(tmp_path, (TOUR / "wmt.xml").read_text("utf-8").replace('translator="A"', 'translator="refA"'), monkeypatch)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_page_run_and_find_the_same(line: str, tmp_path: Path):
    if "hf:" in line:
        pytest.importorskip("datasets")
    program, name, *arguments = shlex.split(line)
    assert (program, run(name, *arguments)) == ("endophora", 0)
    if name == "convert":
        assert "Du findest den Laden" in (tmp_path / "filled.xlf").read_text("utf-8")
        return
    folder = {"evaluate": "endophora-result", "check": "endophora-check"}[name]
    result = json.loads((tmp_path / folder / "result.json").read_text("utf-8"))
    assert (tmp_path / folder / "report.html").is_file()
    verdicts = {
        (one["source"]["text"], output["written"]): output["verdict"]
        for one in result["examples"]
        for output in one["outputs"]
    }
    assert verdicts["You will find the shop behind the church.", "Du"] == "wrong"
    assert verdicts["It can still be repaired.", "Es"] == "wrong"
    # The key is the antecedent, without a reference too.
    assert verdicts["It is not in his pocket.", "Es"] == "wrong"
    assert list(verdicts.values()).count("wrong") == 3


@pytest.mark.parametrize(("line", "shown"), _shown())
def test_the_page_shows_what_comes_out(line: str, shown: list[str], capsys: pytest.CaptureFixture[str]):
    assert run(*shlex.split(line)[1:]) == 0
    out = capsys.readouterr()
    lines = {" ".join(one.split()) for one in (out.out + out.err).splitlines()}
    assert [one for one in shown if " ".join(one.split()) not in lines] == []


def test_every_format_of_the_page_has_a_file_of_its_own():
    named = {
        path.removeprefix("tests/data/tour/") for path in re.findall(r"tests/data/tour/[\w./]+", "\n".join(COMMANDS))
    }
    assert named == {path.name for path in TOUR.iterdir()}
