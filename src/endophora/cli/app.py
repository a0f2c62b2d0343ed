"""The ``endophora`` command: its subcommands, as ``commands.toml`` lists them."""

from __future__ import annotations

import os
from typing import Annotated, Any, cast

import typer

from endophora.cli.commands import Lazy, build
from endophora.cli.helping import TABLE, Command, Group
from endophora.cli.starting import CommandError
from endophora.version import __version__


class _Commands(Group):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it raises must not look like the end of a terminal's input."""
        try:
            return super().invoke(ctx)
        except (OSError, EOFError) as error:
            raise CommandError from error


def _commands(group: str = "") -> dict[str, Command | Group]:
    """Return the commands of a group, or those that are in none, with their commands."""
    made: dict[str, Command | Group] = {}
    for path, about in TABLE.items():
        before, _, name = path.rpartition(" ")
        if before != group or not name:
            continue
        inner: dict[str, Any] = {} if group else _commands(path)
        text = about["help"]
        if place := about["run"]:
            made[name] = Lazy(name, f"endophora.cli.{place}", text, inner or None)
        else:
            made[name] = Group(name=name, commands=inner, help=text, no_args_is_help=True, rich_markup_mode=None)
    return made


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"endophora {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


if "_ENDOPHORA_COMPLETE" in os.environ:
    # A shell asks what could be typed next.
    from typer import completion

    cast("Any", completion).completion_init()

COMMANDS = tuple(_commands().values())

app = _Commands(
    name="endophora",
    commands={str(each.name): each for each in COMMANDS},
    params=build(_root).params,
    help="Does a translation get right the words that need context?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
