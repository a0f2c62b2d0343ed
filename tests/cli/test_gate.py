"""The page of continuous integration, from end to end: a change that breaks formality, a red gate, and the Markdown.

``PYTHONPATH=tests python tests/cli/test_gate.py`` writes what the commands print onto the page again.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer
from ruamel.yaml import YAML

from command import run
from endophora.cli.console import running
from endophora.cli.gate import Gate, with_outcomes
from endophora.data import example_directory
from endophora.errors import InputError
from endophora.evaluation.gate import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ci.md"
PRINTED = re.compile(r"(<!-- printed -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def lay_out(folder: Path) -> None:
    """Lay out the repository of the page: the test set, and the outputs before and after the change."""
    example = example_directory("en-de")
    ids = (example / "documents" / "en-de.docs").read_text("utf-8").splitlines()
    outputs = example / "system-outputs" / "en-de"
    files = {
        "test.en": (example / "sources" / "en-de.txt").read_text("utf-8"),
        "test.de": (example / "references" / "en-de.ref.txt").read_text("utf-8"),
        "test.ids": "".join(f"{line.split()[-1]}\n" for line in ids),
        "main.de": (outputs / "context-aware.txt").read_text("utf-8"),
        "change.de": (outputs / "sentence-level.txt").read_text("utf-8"),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def blocks() -> list[str]:
    """Return the blocks of commands of the page."""
    return re.findall(r"```sh\n(endophora .*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def commands(block: str) -> list[list[str]]:
    """Return the commands of a block, without what the shell does with them."""
    lines = (shlex.split(line) for line in block.splitlines() if line.startswith("endophora "))
    return [list(takewhile(lambda word: word not in (">", "||"), line[1:])) for line in lines]


class Done:
    """What the commands of the page did, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        lay_out(folder)
        before = Path.cwd()
        os.chdir(folder)
        try:
            self.folder = folder
            self.ended: list[tuple[int, str, str]] = []
            for line in commands("".join(blocks()[:2])):
                streams = io.StringIO(), io.StringIO()
                with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                    status = run(*line)
                self.ended.append((status, streams[0].getvalue(), streams[1].getvalue()))
        finally:
            os.chdir(before)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    return Done(tmp_path_factory.mktemp("ci"))


def test_the_gate_is_red_with_one_line_why_and_status_4(done: Done):
    (before, *_), (after, _, why), (compared, _, changed) = done.ended
    assert (before, after, compared) == (0, 4, 4)
    [said] = re.findall(r"`(failed: .+?)`", PAGE.read_text("utf-8"))
    assert said in why.splitlines()
    lines = [line for line in changed.splitlines() if line.startswith("failed: ")]
    assert [line.split(": ")[1] for line in lines] == ["worse in formality", "broken in pronouns > 5"]


def test_junit_names_each_condition(done: Done):
    [suite] = ElementTree.parse(done.folder / "gate.xml").getroot()
    assert [(case.get("name"), case[0].tag) for case in suite] == [("fail if formality < 80", "failure")]
    assert suite.get("failures") == "1"


def test_the_page_shows_what_is_printed(done: Done):
    shown = PRINTED.search(PAGE.read_text("utf-8"))
    assert shown
    assert shown[2].strip() == done.ended[2][1].strip(), f"python {Path(__file__).name} writes the page again"


def test_recipes_are_whole_and_run_the_commands_of_the_page():
    recipes = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    yaml: Any = YAML(typ="safe")
    github, gitlab = map(yaml.load, recipes)
    steps = "\n".join(step.get("run", "") for step in github["jobs"]["context"]["steps"])
    script = "\n".join(gitlab["context"]["script"])
    tested = commands("".join(blocks()[:2]))
    assert commands(steps) == tested
    assert commands(script) == tested
    assert gitlab["context"]["artifacts"]["reports"]["junit"] == "gate.xml"


def test_what_is_undecided_is_a_warning_and_fails_a_strict_build(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    few = [Outcome("ellipsis < 5", "undecided", "ellipsis of ours is 77.8 (14 judged): too few")]
    with running():
        Gate().end(few, "evaluate")
    told = capsys.readouterr().err
    assert told == "warning: undecided: ellipsis < 5: ellipsis of ours is 77.8 (14 judged): too few\n"
    with running(strict=True), pytest.raises(typer.Exit) as ended:
        Gate().end(few, "evaluate")
    assert ended.value.exit_code == 4
    gate = Gate(fail_if=("ellipsis < 5",), junit=tmp_path / "gate.xml")
    with running(strict=True), pytest.raises(typer.Exit):
        gate.end(few, "evaluate")
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "1"
    with running(strict=True):
        assert with_outcomes(str, "markdown", few)("").startswith("**Gate failed")


def test_junit_without_a_condition_and_to_no_place_are_found_before_the_work(tmp_path: Path):
    with pytest.raises(InputError, match="E375"):
        Gate(junit=tmp_path / "gate.xml").check()
    with pytest.raises(InputError, match="E355"):
        Gate(junit=tmp_path, fail_if=("pronouns < 60",)).check()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        printed = Done(Path(made)).ended[2][1].strip()
    text = PAGE.read_text("utf-8")
    PAGE.write_text(PRINTED.sub(lambda found: f"{found[1]}\n{printed}\n\n{found[3]}", text), encoding="utf-8")
    sys.exit()
