"""Every command of the pages for users runs, on small files under the names that the pages give them.

What a command shows is not compared: pages that show it have tests of their own. ``commands_of_pages.yaml`` has what is
put for placeholders, and which commands do not run here, with the reason. ``ENDOPHORA_ALL_COMMANDS=1`` runs those
too that are left out only for their time; ``python tests/cli/test_commands_of_pages.py`` counts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from command import run

REPOSITORY = Path(__file__).resolve().parents[2]
DATA: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("commands_of_pages.yaml").read_text("utf-8"))
OURS = re.compile(r"endophora(-makers)? |python -m endophora")
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _called(page: Path) -> list[str]:
    """Return the command lines of the blocks of a page, each with its continuations, without its comment."""
    blocks = (text for kind, text in BLOCK.findall(page.read_text("utf-8")) if kind in ("", "sh"))
    lines = (line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines())
    return [re.sub(r"\s+# .*", "", line) for line in lines if OURS.match(line)]


PAGES = {
    page.relative_to(REPOSITORY).as_posix(): lines
    for page in [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"]
    if (lines := _called(page))
}


def _listed(page: str, line: str, *names: str) -> bool:
    """Return whether a command is on one of the lists of those that do not run."""
    entries = [each for name in names for each in DATA[name]]
    return any(fnmatch(page, each["page"]) and line.startswith(each["command"]) for each in entries)


LEFT_OUT = ("cannot",) if os.environ.get("ENDOPHORA_ALL_COMMANDS") else ("cannot", "dear")


RUN = {
    page: chosen
    for page, lines in PAGES.items()
    if page not in DATA["elsewhere"] and (chosen := [line for line in lines if not _listed(page, line, *LEFT_OUT)])
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
            yield argument


@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_run(
    page: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "here"
    shutil.copytree(files, folder, symlinks=True)
    for name, text in re.findall(r"^```toml\n# (\S+)\n(.*?)^```", (REPOSITORY / page).read_text("utf-8"), re.S | re.M):
        (folder / name).write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("ENDOPHORA_CACHE", str(files.parent / "cache"))
    failed: list[tuple[str, int, str]] = []
    for line in RUN[page]:
        arguments, target = _words(page, line)
        status = run(*arguments)
        out, err = capsys.readouterr()
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(out, "utf-8")
        if status:
            failed.append((line, status, err[-500:]))
    assert failed == []


def test_what_cannot_run_is_still_on_its_page():
    """One that is gone is taken off the list."""
    named = [(each["page"], each["command"]) for name in ("cannot", "dear") for each in DATA[name]]
    called = [(page, line) for page, lines in PAGES.items() for line in lines]
    gone = [one for one in named if not any(fnmatch(page, one[0]) and line.startswith(one[1]) for page, line in called)]
    assert gone == []
    assert [page for page in DATA["elsewhere"] if page not in PAGES] == []
    assert all((REPOSITORY / test).is_file() for test in DATA["elsewhere"].values())


if __name__ == "__main__":
    lines = [(page, line) for page in PAGES for line in PAGES[page]]
    count = {"cannot": sum(_listed(page, line, "cannot") for page, line in lines)}
    count["dear"] = sum(_listed(page, line, "cannot", "dear") for page, line in lines) - count["cannot"]
    count["elsewhere"] = sum(len(PAGES[page]) for page in DATA["elsewhere"])
    print(count | {"run": len(lines) - sum(count.values())})
