"""Commands from functions: each field of a record that a function takes is an option, as the field says itself.

A command's module is imported when the command runs: the help of all commands needs none of them.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from endophora.cli.console import running, warn
from endophora.options import Option, named, numbers, option_of
from endophora.store import store_warnings

Function = Callable[..., None]

QUIET = typer.Option("--quiet", "-q", help="No progress, no warnings.")
STRICT = typer.Option("--strict", help="Doubts about the input, as swapped languages, are errors: exit 2.")
_TALK = "endophora.talk"
_READ = (str, int, float, bool, Path)


class Only:
    """In ``Annotated[Record, Only("name", name="help")]``: which fields are options of this command, with what help."""

    def __init__(self, *names: str, **helps: str) -> None:
        self.names = (*names, *helps)
        self.helps = helps


class But:
    """In ``Annotated[Record, But("name", name="help")]``: fields that are no options of it, or have another help."""

    def __init__(self, *names: str, **helps: str) -> None:
        self.names, self.helps = names, helps


def command(*, quiet: bool = True, strict: bool = False) -> Callable[[Function], Function]:
    """Say whether a command has ``--quiet`` and ``--strict``, which :mod:`endophora.cli.console` obeys."""

    def mark(function: Function) -> Function:
        """Note it on the function."""
        vars(function)[_TALK] = {"quiet": quiet, "strict": strict}
        return function

    return mark


class Lazy(TyperCommand):
    """A command, or a group of them, whose module is imported when it runs.

    Args:
        name: of the command.
        place: ``module:function``.
        help: what the help shows.
        commands: those of a group; the function runs where none of them is named.
    """

    def __init__(self, name: str, place: str, help: str, commands: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, help=help, rich_markup_mode=None)
        self._place, self._commands = place, commands

    def built(self) -> TyperCommand | TyperGroup:
        """Return the command with its options."""
        module, _, name = self._place.partition(":")
        made = build(getattr(import_module(module), name))
        about: dict[str, Any] = {"params": made.params, "callback": made.callback, "help": self.help}
        if self._commands is None:
            return TyperCommand(self.name, **about, rich_markup_mode=None)
        inner = dict(self._commands)
        return TyperGroup(name=self.name, commands=inner, **about, invoke_without_command=True, rich_markup_mode=None)

    def make_context(self, *given: Any, **extra: Any) -> Any:
        """Read the command line of the command itself."""
        return self.built().make_context(*given, **extra)


def build(function: Function) -> Any:
    """Return the command of a function."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_flat(function))
    return typer.main.get_command(app)


def _flat(function: Function) -> Function:
    """Return a function that takes an argument for each option, makes the records, and calls another."""
    hints = get_type_hints(function, include_extras=True)
    records: dict[str, tuple[type, dict[str, Option]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if (record := _record(hints[name])) is None:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))
            continue
        records[name] = record
        parameters += _options(*record)
    talk: dict[str, bool] = vars(function).get(_TALK, {})
    for name, about in (("quiet", QUIET), ("strict", STRICT)):
        if talk.get(name):
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(name, kind, default=False, annotation=Annotated[bool, about]))

    def run(**given: Any) -> None:
        """Make the records, and run the command."""
        quiet, strict = given.pop("quiet", False), given.pop("strict", False)
        try:
            with running(quiet=quiet, strict=strict):
                made = {name: kind(**dict(_values(kind, options, given))) for name, (kind, options) in records.items()}
                function(**given, **made)
        finally:
            warn(store_warnings(), quiet)

    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    run.__doc__ = function.__doc__
    return run


def _record(hint: Any) -> tuple[type, dict[str, Option]] | None:
    """Return the options record that a parameter takes, and those of its fields that are options here."""
    extra: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *extra = get_args(hint)
    if not isinstance(hint, type) or not is_dataclass(hint):
        return None
    found = {each.name: about for each in fields(hint) if (about := option_of(each))}
    for each in extra:
        helps = {name: replace(found[name], help=text) for name, text in each.helps.items()}
        kept = [name for name in found if (name in each.names) is isinstance(each, Only)]
        found = {name: helps.get(name, found[name]) for name in kept}
    return hint, found


def _options(record: type, options: Mapping[str, Option]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(record)
    for each in fields(record):
        if (about := options.get(each.name)) is None:
            continue
        shown: dict[str, Any] = {"help": about.help, "metavar": about.metavar, "show_default": about.show_default}
        info = typer.Option(*flags_of(each.name, about), **shown, min=about.least, max=about.most)
        kind, repeatable = (str, False) if about.write else _typed(hints[each.name])
        default: Any = each.default
        if repeatable:
            default = None
        elif default is MISSING:
            default = inspect.Parameter.empty
        elif about.inverted:
            default = not default
        elif about.write:
            default = about.write(default)
        keyword = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(each.name, keyword, default=default, annotation=Annotated[kind, info])


def flags_of(name: str, about: Option) -> tuple[str, ...]:
    """Return how an option is typed."""
    return about.flags or (f"--{name.replace('_', '-')}",)


def _typed(hint: Any) -> tuple[Any, bool]:
    """Return what typer is to read for a field, and whether the option is repeatable."""
    inner = [each for each in get_args(hint) if each is not types.NoneType]
    if get_origin(hint) in (Union, types.UnionType) and len(inner) == 1:
        kind, repeatable = _typed(inner[0])
        return (kind if repeatable else kind | None), repeatable
    if get_origin(hint) is tuple:
        return list[inner[0] if inner[0] in _READ else str] | None, True
    if get_origin(hint) in (Mapping, dict):
        return list[str] | None, True
    return (hint if hint in _READ else str), False


def _values(kind: type, options: Mapping[str, Option], given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record that were given, as the record has them."""
    hints = get_type_hints(kind)
    for name, about in options.items():
        value = given.pop(name)
        origin = get_origin(hints[name])
        if about.read is not None:
            if value is not None:
                yield name, about.read(value)
        elif origin in (Mapping, dict):
            if value is not None:
                numeric = get_args(hints[name])[1] is float
                yield name, (numbers if numeric else named)(value, flags_of(name, about)[0])
        elif _typed(hints[name])[1]:
            if value is not None:
                yield name, tuple(value)
        else:
            yield name, not value if about.inverted else value
