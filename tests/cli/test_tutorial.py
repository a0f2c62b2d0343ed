"""Every command of ``docs/tutorial.md`` runs as it stands, with the figures that the page shows."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from command import run
from endophora.evaluation.result import Result

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]
SHOWN = [part for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) for part in block.split("…")]


def _words(text: str) -> str:
    return " ".join(text.split())


def test_the_tutorial_runs_and_shows_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "src").symlink_to(REPOSITORY / "src")
    monkeypatch.chdir(tmp_path)
    statuses = []
    for line in COMMANDS:
        program, *arguments = shlex.split(line)
        if program == "endophora":
            statuses.append(run(*arguments))
        else:
            subprocess.run(line, shell=True, check=True)
    said = _words(" ".join(capsys.readouterr()))
    assert statuses == [0, 0, 4]
    assert [text for text in SHOWN if _words(text) not in said] == []
    result = json.loads((tmp_path / "result" / "result.json").read_text("utf-8"))
    bleu = [f"{score['value']:.1f}" for score in result["scores"] if score["column"] == "BLEU"]
    assert re.findall(r"BLEU.* is ([\d.]+) against ([\d.]+):", PAGE) == [tuple(bleu)]
    assert (tmp_path / "result" / "report.html").is_file()
    _shown_by_pictures(Result.model_validate(result))


def _shown_by_pictures(result: Result):
    """After a change of figures or of the page: ``python packaging/pictures.py``."""
    pytest.importorskip("PIL")
    spec = importlib.util.spec_from_file_location("pictures", REPOSITORY / "packaging" / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    folder = REPOSITORY / "docs" / "pictures"
    for name, text in pictures.shown(result).items():
        assert pictures.text_of(folder / name) == text, name
    assert result.plot().svg == (folder / "plot.svg").read_text("utf-8").rstrip()


@pytest.mark.parametrize("name", re.findall(r"\]\((pictures/\S+\.png)\)", PAGE))
def test_a_picture_is_small(name: str):
    assert (REPOSITORY / "docs" / name).stat().st_size < 150_000
