"""Every command can be built: its options have names of their own, its help shows them, and they are those known.

After a change of options on purpose: ``python tests/cli/test_every_command.py`` writes ``options.txt`` again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from endophora.cli.app import COMMANDS
from endophora.cli.commands import Lazy
from endophora.cli.helping import HEADINGS, TABLE, Group, examples

OPTIONS = Path(__file__).with_name("options.txt")
"""Flags, defaults, ranges and help of every command, as its help shows them; options in the order of their flags."""


def _all(commands: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for each in commands:
        path = f"{before} {each.name}".strip()
        built = each.built() if isinstance(each, Lazy) else each
        yield path, built
        if isinstance(built, Group):
            yield from _all(built.commands.values(), path)


FOUND = dict(_all(COMMANDS))


def _line(option: Any) -> str:
    kind = getattr(option, "type", option)
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    parts = [
        ", ".join([*option.opts, *option.secondary_opts]),
        option.metavar or "",
        "required" if option.required else "",
        "repeatable" if option.multiple else "",
        "" if option.default in (None, "", ()) or option.default is False else f"default {option.default}",
        "" if least is None else f"from {least:g}",
        "" if most is None else f"to {most:g}",
    ]
    hidden = "" if option.show_default or option.default is None else " (default not shown)"
    return f"  {'; '.join(part for part in parts if part)}\n      {option.help}{hidden}"


def shown(name: str) -> str:
    """Return all that is said of a command and its options, in no order that a record of options would change."""
    return "\n".join([f"{name}: {FOUND[name].help}", *sorted(_line(each) for each in FOUND[name].params)]) + "\n"


def test_all_groups_are_looked_into():
    assert {"evaluate", "suite score", "context attribute", "train text"} <= set(FOUND)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_no_two_options_share_a_name_or_a_flag(name: str):
    options = [
        *FOUND[name].params,
        FOUND[name].get_help_option(FOUND[name].make_context(name, [], resilient_parsing=True)),
    ]
    for what in ([each.name for each in options if each], [flag for each in options if each for flag in each.opts]):
        assert sorted(set(what)) == sorted(what)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_its_help_has_a_line_for_every_option(name: str):
    command = FOUND[name]
    text = command.get_help(command.make_context(name, [], resilient_parsing=True))
    missing = [flag for each in command.params for flag in each.opts if flag.startswith("--") and flag not in text]
    assert not missing


@pytest.mark.parametrize("name", sorted(FOUND))
def test_its_examples_can_be_typed(name: str):
    """Two for each command that has options; each is a command line that the command accepts."""
    options = any(each.param_type_name == "option" for each in FOUND[name].params)
    assert len(TABLE[name]["examples"]) == (2 if options or isinstance(FOUND[name], Group) else 1)
    for line in examples(name):
        assert max(map(len, line.split("\n"))) < 79
        words = shlex.split(line.replace("\\\n", ""))[1:]
        path = next(each for end in (2, 1) if (each := " ".join(words[:end])) in FOUND)
        FOUND[path].make_context(path, words[len(path.split()) :])


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("train ellipsis", r"\.(tsv|zip)\b"),  # other files are brackets (E250)
        ("train text", r"--(libreoffice-help|pages|scripts) "),  # without documents: E098
        ("suite build", r"^(?!.*--embeddings (?!words:|spacy:|synsets:))"),  # E220
        ("context themes", r"out$|--condition (source|target|both)-\d"),  # E317
        ("context study", r"suite\.jsonl|--corpus "),  # ContraPro's own files have no contexts (E177)
    ],
)
def test_its_examples_name_what_it_reads(name: str, known: str):
    assert all(re.search(known, line) for line in TABLE[name]["examples"])


def test_every_command_stands_under_one_heading_of_the_list():
    listed = [name for names in HEADINGS.values() for name in names]
    assert sorted(listed) == sorted(each.name for each in COMMANDS)


def test_options_stand_under_the_headings_of_their_records():
    command = FOUND["evaluate"]
    text = command.get_help(command.make_context("evaluate", [], resilient_parsing=True))
    parts = dict(zip(*[iter(re.split(r"^(\S.*):\n", text, flags=re.MULTILINE)[1:])] * 2, strict=True))
    assert [*parts][:4] == ["Input", "Human scores", "Judgments", "Statistics"]
    assert [*parts][-3:] == ["Output", "General", "Examples"]
    assert "--system" in parts["Input"]
    assert "--resamples" in parts["Statistics"]
    assert "--aligner" in parts["Annotation"]


@pytest.mark.parametrize("name", sorted(FOUND))
def test_its_options_are_those_known(name: str):
    """Whatever an option is made of, a command line that worked goes on working, with the same defaults."""
    known = dict(zip(sorted(FOUND), OPTIONS.read_text(encoding="utf-8").split("\n\n"), strict=True))
    assert shown(name).strip() == known[name].strip()


if __name__ == "__main__":
    OPTIONS.write_text("\n".join(shown(name) for name in sorted(FOUND)), encoding="utf-8")
