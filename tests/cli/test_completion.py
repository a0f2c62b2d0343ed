"""The tab key completes commands and options: a real bash asks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command import run

ASK = """
export PATH="$PWD:$PATH"
source <(endophora completion bash)
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _endophora_completion endophora; echo "${COMPREPLY[*]}"; }
ask endophora eval
ask endophora suite sc
ask endophora evaluate --ref
"""


@pytest.mark.skipif(sys.platform == "win32", reason="bash of a POSIX system")
def test_bash_completes_commands_and_options(tmp_path: Path):
    program = tmp_path / "endophora"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m endophora "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(["bash", "-c", ASK], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["evaluate", "score", "--reference"]


@pytest.mark.parametrize(("shell", "begins"), [("zsh", "#compdef endophora"), ("fish", "complete --command endophora")])
def test_other_shells_have_their_scripts(capsys: pytest.CaptureFixture[str], shell: str, begins: str):
    assert run("completion", shell) == 0
    assert capsys.readouterr().out.startswith(begins)


def test_a_shell_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]):
    assert run("completion", "csh") == 2
    assert "[E106] SHELL – “csh” is no shell that is known – choose bash, zsh, fish" in capsys.readouterr().err
