"""Every command can be built: its options have names of their own, and its help shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.core import TyperGroup

from endophora.cli.app import COMMANDS
from endophora.cli.commands import Lazy


def _all(commands: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for each in commands:
        path = f"{before} {each.name}".strip()
        built = each.built() if isinstance(each, Lazy) else each
        yield path, built
        if isinstance(built, TyperGroup):
            yield from _all(built.commands.values(), path)


FOUND = dict(_all(COMMANDS))


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
