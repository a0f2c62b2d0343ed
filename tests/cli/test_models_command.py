"""``endophora models``: what is listed, and the environment that is installed, repaired and removed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from comet_folder import make_environment, make_interpreter
from command import run
from endophora.errors import InputError
from endophora.metrics import comet_environment
from endophora.metrics.comet_environment import torch_requirement

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are scripts with a first line")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where COMET's environment would lie."""
    monkeypatch.setenv("ENDOPHORA_COMET", str(tmp_path / "data" / "comet"))
    return tmp_path / "data" / "comet"


def commands(directory: Path) -> list[str]:
    return (directory / "commands.log").read_text(encoding="utf-8").splitlines()


def test_comet_is_installed_once(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    interpreter = make_interpreter(tmp_path)
    assert run("models", "install", "comet", "--python", str(interpreter)) == 0
    shown = capsys.readouterr()
    assert f"comet: {folder}, unbabel-comet 2.2.7, torch 2.13.0" in shown.out
    assert "installing torch" in shown.err
    torch, comet, trial, worker = commands(tmp_path)
    assert torch_requirement()[-1] in torch
    assert "unbabel-comet>=2.2.7,<3" in comet
    assert "setuptools>=77,<81" in comet
    assert trial.endswith("import comet")
    assert worker.endswith("comet_worker.py")
    assert run("models", "install", "comet", "--python", str(interpreter)) == 0
    assert len(commands(tmp_path)) == 4
    assert capsys.readouterr().out == shown.out


def test_an_installation_that_broke_off_goes_on(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    broken = make_interpreter(tmp_path, pip_status=1)
    assert run("models", "install", "comet", "--python", str(broken)) == 2
    shown = capsys.readouterr()
    assert "E132" in shown.err
    assert "No matching distribution" in shown.err
    if sys.platform == "linux":
        assert "--torch-index URL" in shown.err
    assert "ERROR" in (folder / "install.log").read_text(encoding="utf-8")
    assert run("models", "install", "comet", "--python", str(make_interpreter(tmp_path)), "--quiet") == 0
    assert capsys.readouterr().err == ""


def test_a_model_is_fetched_when_it_is_asked_for(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    interpreter = str(make_interpreter(tmp_path))
    assert run("models", "install", "comet", "--python", interpreter, "--model", "fake/model") == 0
    assert "fake/model: /models/fake/model/checkpoints/model.ckpt" in capsys.readouterr().out
    (request,) = map(json.loads, (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    assert (request["model"], request["fetch"]) == ("fake/model", True)
    assert run("models", "install", "comet", "--model", "fake/absent") == 3
    shown = capsys.readouterr().err
    assert "E133" in shown
    assert "check the name" in shown


@pytest.mark.parametrize(
    ("python", "said"), [("/nowhere/python", "no python that runs"), ("old", "is Python 3.9, and COMET needs 3.10")]
)
def test_an_interpreter_that_will_not_do_is_an_error(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], python: str, said: str
):
    if python == "old":
        python = str(make_interpreter(tmp_path, version="3 9"))
    assert run("models", "install", "comet", "--python", python) == 2
    shown = capsys.readouterr().err
    assert "E132" in shown
    assert said in shown
    assert not folder.exists()


@pytest.mark.parametrize("verb", ["install", "remove"])
def test_a_folder_with_something_else_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str], verb: str):
    folder.mkdir(parents=True)
    (folder / "thesis.tex").write_text("years of work", encoding="utf-8")
    assert run("models", verb, "comet") == 2
    assert "E139" in capsys.readouterr().err
    assert (folder / "thesis.tex").exists()


def test_comet_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    folder = make_environment(tmp_path)
    monkeypatch.setenv("ENDOPHORA_COMET", str(folder))
    assert run("models", "remove", "comet") == 0
    assert not folder.exists()
    assert run("models", "remove", "comet") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"comet: removed {folder}"
    assert second == "comet: not installed"


@pytest.mark.parametrize("verb", ["install", "remove"])
def test_only_what_is_known_can_be_installed(folder: Path, capsys: pytest.CaptureFixture[str], verb: str):
    assert run("models", verb, "comets") == 2
    assert "E106" in capsys.readouterr().err


def test_an_installed_environment_is_listed(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("models", "install", "comet", "--python", str(make_interpreter(tmp_path)), "--quiet") == 0
    capsys.readouterr()
    assert run("models", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    (row,) = [row for row in rows if row["kind"] == "metric, own environment"]
    assert row["name"] == "comet, unbabel-comet 2.2.7"
    assert set(row) == set(rows[0])


@pytest.mark.parametrize(
    ("index", "cuda", "system", "wanted"),
    [
        (None, False, "linux", ("torch==2.13.0+cpu",)),
        (None, True, "linux", ("torch>=2.6",)),
        (None, False, "darwin", ("torch>=2.6",)),
        ("file:///wheels", False, "linux", ("--index-url", "file:///wheels", "torch>=2.6")),
    ],
)
def test_torch_comes_without_cuda_unless_it_is_asked_for(
    index: str | None, cuda: bool, system: str, wanted: tuple[str, ...]
):
    assert torch_requirement(index, cuda=cuda, system=system) == wanted


def test_the_environment_lies_in_the_users_data_directory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ENDOPHORA_COMET", raising=False)
    assert comet_environment.environment_folder().name == "comet"
    assert "endophora" in str(comet_environment.environment_folder())


def test_the_interpreter_that_is_asked_for_its_version_is_a_real_one(tmp_path: Path):
    comet_environment._check_interpreter(sys.executable)
    with pytest.raises(InputError, match=r"E132.*no python that runs"):
        comet_environment._check_interpreter(str(tmp_path / "none"))
    for version, said in (("3 9", r"is Python 3\.9, and COMET needs 3\.10"), ("no version", "no python that runs")):
        with pytest.raises(InputError, match=said):
            comet_environment._check_interpreter(str(make_interpreter(tmp_path, version)))


def test_the_size_of_an_environment_is_that_of_its_files_without_links(folder: Path, tmp_path: Path):
    made = comet_environment.install_environment(str(make_interpreter(tmp_path)))
    files = [path for path in made.folder.rglob("*") if path.is_file() and path.name != "endophora-comet.json"]
    assert made.size == sum(path.stat().st_size for path in files if not path.is_symlink())
    assert comet_environment.installed_environment() == made
    assert comet_environment.install_environment(str(tmp_path / "no python is needed again")) == made
