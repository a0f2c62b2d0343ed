"""Every command of the pages for users is read, and runs on small files under the names that the pages give them.

All are read by the real command line, those of makers and benchmarks too: no page names an option that is gone. What a
command shows is not compared: pages that show it have tests of their own. ``commands_of_pages.yaml`` has what is put
for placeholders, and which commands do not run in every test line. ``ENDOPHORA_ALL_COMMANDS=1`` runs those too:
services and what else is outside are stand-ins (``outside_of_pages.py``), and what learns from the shared data learns
from a little of it (``test_makers_of_pages.py``). ``PYTHONPATH=tests python tests/cli/test_commands_of_pages.py``
counts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fnmatch import fnmatch
from functools import cache, wraps
from importlib import import_module
from inspect import getsource, signature
from os.path import expandvars
from pathlib import Path
from runpy import run_path
from typing import Any
from unittest.mock import patch

import pytest
from ruamel.yaml import YAML
from typer.core import TyperCommand

from command import run
from endophora.cli import commands
from endophora_makers.recipe import load_recipe

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ENDOPHORA_SHARED", REPOSITORY.parent / "shared"))
DATA: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("commands_of_pages.yaml").read_text("utf-8"))
OURS = re.compile(r"endophora(-makers)? |python -m endophora")
SCRIPTS = re.compile(r"python benchmarks/|accelerate launch [^$]*\$\(which endophora\) ")
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _called(page: Path, ours: re.Pattern[str] = OURS) -> list[str]:
    """Return the command lines of the blocks of a page, each with its continuations, without its comment."""
    blocks = (text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind in ("", "sh"))
    lines = (line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines())
    return [re.sub(r"\s+# .*", "", line) for line in lines if ours.match(line)]


PAGES = {
    page.relative_to(REPOSITORY).as_posix(): lines
    for page in [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"]
    if (lines := _called(page))
}


def _entries(page: str, line: str, *names: str) -> list[dict[str, Any]]:
    """Return what lists say of a command."""
    entries = [each for name in names for each in DATA[name]]
    return [each for each in entries if fnmatch(page, each["page"]) and line.startswith(each["command"])]


ALL = bool(os.environ.get("ENDOPHORA_ALL_COMMANDS"))
LEFT_OUT = ("cannot", "shared") if ALL else ("cannot", "shared", "dear")


RUN = {
    page: chosen
    for page, lines in PAGES.items()
    if page not in DATA["elsewhere"] and (chosen := [line for line in lines if not _entries(page, line, *LEFT_OUT)])
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files that pages name."""
    pytest.importorskip("torch")
    from cli.page_files import lay_out
    from models.tiny_models import make_language_model

    folder = tmp_path_factory.mktemp("pages") / "files"
    lay_out(folder)
    make_language_model(folder / "llama", "llama", chat=False)
    return folder


def _words(page: str, line: str) -> tuple[list[str], Path | None]:
    """Return a command's arguments, with what stands for its placeholders, and the file of its output."""
    parts = line.split()
    name = next((each for end in (3, 2) if (each := " ".join(parts[:end])) in NAMES), "")
    whole = {**(DATA["context words"] if parts[1] == "context" else {}), **DATA["pages"].get(page, {})}
    arguments = [*_replaced(shlex.split(line)[1:], whole, name), *shlex.split(DATA["added"].get(name, ""))]
    if ">" not in arguments:
        return arguments, None
    place = arguments.index(">")
    return arguments[:place] + arguments[place + 2 :], Path(arguments[place + 1]).expanduser()


NAMES = {name for part in ("rest", "added") for name in DATA[part]}


def _replaced(arguments: list[str], whole: dict[str, str], name: str) -> Iterator[str]:
    for argument in arguments:
        if argument == "…":
            yield from shlex.split(DATA["rest"][name])
        else:
            left, sign, value = argument.rpartition("=")
            argument = f"{left}{sign}{whole.get(value, value)}"
            for word, put in DATA["words"].items():
                argument = argument.replace(word, put)
            yield expandvars(argument.replace("../shared", str(SHARED)).replace("KNOWN", str(SHARED / "known-answers")))


def _write_configs(page: str, folder: Path) -> None:
    for name, text in re.findall(r"^```toml\n# (\S+)\n(.*?)^```", (REPOSITORY / page).read_text("utf-8"), re.S | re.M):
        (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_run(
    page: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from cli.page_files import judge

    if page == "docs/papers.md" and not (SHARED / "known-answers").is_dir():
        pytest.skip("the known answers are not here")
    folder = tmp_path / "here"
    shutil.copytree(files, folder, symlinks=True)
    _write_configs(page, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("ENDOPHORA_CACHE", str(files.parent / "cache"))
    failed: list[tuple[str, int, str]] = []
    with ExitStack() as outside:
        if ALL:
            from cli.outside_of_pages import OUTSIDE

            for name in DATA["outside"].get(page, ()):
                outside.enter_context(OUTSIDE[name](folder, monkeypatch))
        for line in [*DATA["before"].get(page, ()), *RUN[page]]:
            made = _made if MAKERS.match(line) else _ran
            status, error = made(page, line, folder, capsys)
            failed += [(line, status, error[-500:])] * (status != 0)
            judge(folder)
    assert failed == []


MAKERS = re.compile("endophora-makers|.*endophora_makers")


def _made(page: str, line: str, folder: Path, _: object) -> tuple[int, str]:
    """Run a command of the makers."""
    words = [*_replaced(shlex.split(line), DATA["pages"].get(page, {}), "")]
    words[:1] = [sys.executable, *([] if words[0] == "python" else ["-m", "endophora_makers"])]
    if any(str(SHARED) in word for word in words) and not SHARED.is_dir():
        pytest.skip(f"the shared data are not here: {line}")
    done = subprocess.run(words, cwd=REPOSITORY if " tests/" in line else folder, capture_output=True)
    return done.returncode, done.stderr.decode()


def _ran(page: str, line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command of the package."""
    arguments, target = _words(page, line)
    if arguments[0] == "train":
        shutil.rmtree(arguments[arguments.index("--output") + 1], ignore_errors=True)
    status = run(*arguments)
    out, err = capsys.readouterr()
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(out, "utf-8")
    return status, err


def _read_status(line: str) -> Any:
    """Return the exit status of a command that is read and does nothing, 0 if all is right."""
    line = re.sub(r"^accelerate launch .*\$\(which (\w+)\)", r"\1", line)
    rest = next((DATA["rest"][each] for each in DATA["rest"] if line.startswith(each)), "")
    program, *arguments = shlex.split(line.replace("…", rest))
    if program == "endophora":
        return run(*arguments[: arguments.index(">") if ">" in arguments else None])
    if program == "python" and arguments[0] == "-m":
        program, *arguments = arguments[1:]
    elif program == "python":
        program, *arguments = arguments
    with patch.object(sys, "argv", [program, *arguments]), patch.object(sys, "path", [BENCHMARKS, *sys.path]):
        if program.endswith(".py"):
            return _ended(run_path, str(REPOSITORY / program), run_name="__main__")
        module = import_module("endophora_makers.command" if program == "endophora-makers" else program)
        if app := getattr(module, "app", None):
            with patch.object(TyperCommand, "invoke", lambda *_: None):
                return _ended(app)
        if "argv" in getsource(module):
            return signature(module.main).bind(*arguments) and 0
        return _ended(module.main)


def _ended(call: Callable[..., Any], *given: Any, **extra: Any) -> Any:
    with pytest.raises(SystemExit) as ended:
        call(*given, **extra)
    return ended.value.code


BENCHMARKS = str(REPOSITORY / "benchmarks")
EVERY = [
    (page, line)
    for path in [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"]
    for page in [path.relative_to(REPOSITORY).as_posix()]
    for line in [*_called(path), *_called(path, SCRIPTS)]
]


def _only_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands read all that is typed, make their options of it, and end."""
    build, parse = commands.build, ArgumentParser.parse_args

    def ended(self: ArgumentParser, *given: Any) -> None:
        parse(self, *given)
        raise SystemExit(0)

    monkeypatch.setattr(commands, "build", cache(lambda function: build(wraps(function)(lambda **_: None))))
    monkeypatch.setattr(ArgumentParser, "parse_args", ended)


def test_commands_of_pages_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    _only_read(monkeypatch)
    monkeypatch.chdir(tmp_path)
    failed: list[tuple[str, str, str]] = []
    for page, line in EVERY:
        _write_configs(page, tmp_path)
        if _read_status(line):
            failed.append((page, line, capsys.readouterr().err[-300:]))
    assert failed == []


@pytest.mark.parametrize(
    "line",
    [
        "endophora evaluate -l en-de --sauce test.en",
        "endophora evaluate -l en-de --resamples many",
        "endophora context cxmi -l en-de --model a=b=c --dtype",
        "endophora-makers annotator xx --output xx-pipeline",
        "python -m endophora_makers.resolver evaluate --split test",
        "python benchmarks/training.py speed --update 8 --epochs 2",
    ],
)
def test_a_command_that_is_wrong_is_not_read(line: str, monkeypatch: pytest.MonkeyPatch):
    _only_read(monkeypatch)
    assert _read_status(line)


def test_recipes_that_the_model_cards_make_are_read(tmp_path: Path):
    (tmp_path / "makers").symlink_to(REPOSITORY / "makers")
    cards = (REPOSITORY / "docs" / "models").glob("*.md")
    made = [line for card in cards for line in _called(card, re.compile("sed "))]
    subprocess.run(["sh", "-e"], input="\n".join(made), text=True, cwd=tmp_path, check=True)
    for line in made:
        shipped = (REPOSITORY / shlex.split(line)[-3]).read_text("utf-8")
        assert all(re.search(gone, shipped) for gone in re.findall("'/([^']*)/d'", line)), line
    for path in tmp_path.glob("*-full.yaml"):
        recipe = load_recipe(path.name[:2], path)
        added = [source.archive for source in recipe.sources if source.archive == f"{path.name[:2]}-train.tar.xz"]
        assert added, path.name
    assert len([*tmp_path.glob("*-full.yaml")]) == len(made) > 15


def test_what_cannot_run_is_still_on_its_page():
    """One that is gone is taken off the list."""
    named = [(each["page"], each["command"]) for name in ("cannot", "shared", "dear") for each in DATA[name]]
    called = [(page, line) for page, lines in PAGES.items() for line in lines]
    gone = [one for one in named if not any(fnmatch(page, one[0]) and line.startswith(one[1]) for page, line in called)]
    assert gone == []
    assert [page for page in (*DATA["elsewhere"], *DATA["outside"]) if page not in PAGES] == []
    assert all((REPOSITORY / test).is_file() for test in DATA["elsewhere"].values())


if __name__ == "__main__":
    lines = [(page, line) for page in PAGES for line in PAGES[page]]
    lists = ("cannot", "shared", "dear")
    first = [next((name for name in lists if _entries(*one, name)), "") for one in lines]
    count = {name: first.count(name) for name in lists}
    count["elsewhere"] = sum(len(PAGES[page]) for page in DATA["elsewhere"])
    print(count | {"run": len(lines) - sum(count.values())})
