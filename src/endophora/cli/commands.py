"""Commands from functions: each field of a record that a function takes is an option, as the field says itself.

How to write one: the command's function takes options records, dataclasses whose fields are made by
:func:`endophora.options.option`, and its own parameters, annotated as typer wants them, for what no record has::

    @command(strict=True)
    def score(
        inputs: SystemInputs,                                    # all its options
        senses: Annotated[SenseOptions, Only("recall", "ties")], # these alone; the other fields keep their defaults
        options: Annotated[SuiteOptions, But("units", seed="Of the draw.")],  # all but one; the help of another changed
        given: Annotated[dict[str, Any], Given(TrainingSettings)],  # what was typed, without defaults
        output: Directory = Path("endophora-suite"),
    ) -> None:

- Two records with a field of the same name share the option: it must be typed alike, and the first one's default,
  range and help count. An option for two fields of one record is one field, and ``dataclasses.replace`` does the rest.
- The type of a field decides: a tuple is a repeatable option, a mapping a repeatable ``NAME=VALUE``; what is not text,
  a number, a path or a switch is made by the option's ``read`` (and its default shown by ``write``); a switch that
  turns something off is ``inverted``. Nothing that is not typed is handed on: a default stands on the field alone.
- A field of a base class becomes an option, or has another help, range or default, by
  :func:`endophora.options.inherited`.
- Where a file of settings lies below the command line, :class:`Given` hands on what was typed. Its record may be a
  pydantic model: ``updates: Annotated[int, Option(help="Most updates.")] = 1000``. Help ends with the default.

A command's module is imported when the command runs: the help of all commands needs none of them. The tests hold all
options to ``tests/cli/options.txt``.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from endophora.cli.config import take_config
from endophora.cli.console import running, warn
from endophora.cli.helping import Command, Group, heading_of
from endophora.options import Option, defaults_of, named, numbers, options_of
from endophora.store import store_warnings

Function = Callable[..., None]

QUIET = typer.Option("--quiet", "-q", help="No progress, no warnings.")
STRICT = typer.Option("--strict", help="Doubts about the input, as swapped languages, are errors: exit 2.")
VERBOSE = typer.Option("--verbose", "-v", help="Text: all tables (categories, correlations, counts) and the signature.")
CONFIG = typer.Option(
    "--config",
    metavar="FILE",
    help="TOML or YAML with options of this command; what is typed wins.",
    is_eager=True,
    callback=take_config,
)
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


class Given:
    """In ``Annotated[dict[str, Any], Given(Record)]``: the fields of a record that were typed, and no defaults."""

    def __init__(self, record: type) -> None:
        self.record = record


def command(*, quiet: bool = True, strict: bool = False, verbose: bool = False) -> Callable[[Function], Function]:
    """Say whether a command has ``--quiet``, ``--strict``, ``--verbose``, which :mod:`endophora.cli.console` obeys."""

    def mark(function: Function) -> Function:
        vars(function)[_TALK] = {"quiet": quiet, "strict": strict, "verbose": verbose}
        return function

    return mark


class Lazy(Command):
    """A command, or a group of ``commands``, whose function (``module:function``) is imported when it runs."""

    def __init__(self, name: str, place: str, help: str, commands: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, help=help, rich_markup_mode=None)
        self._place, self._commands = place, commands

    def built(self) -> Command | Group:
        """Return the command with its options."""
        module, _, name = self._place.partition(":")
        made = build(getattr(import_module(module), name))
        about: dict[str, Any] = {"params": made.params, "callback": made.callback, "help": self.help}
        if self._commands is None:
            return Command(self.name, **about, rich_markup_mode=None)
        inner = dict(self._commands)
        return Group(name=self.name, commands=inner, **about, invoke_without_command=True, rich_markup_mode=None)

    def make_context(self, *given: Any, **extra: Any) -> Any:
        """Read the command line of the command itself."""
        return self.built().make_context(*given, **extra)


def build(function: Function) -> Any:
    """Return the command of a function."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=Command)(_flat(function))
    return typer.main.get_command(app)


@dataclass(frozen=True, slots=True)
class _Group:
    """The options that a parameter takes, and the record that is made of them, or what was typed of it."""

    record: type
    options: Mapping[str, Option]
    given: bool = False

    def make(self, values: Mapping[str, Any]) -> Any:
        """Return what the parameter is given, of the values of all options."""
        found = dict(_values(get_type_hints(self.record), self.options, values))
        return found if self.given else self.record(**found)


def _flat(function: Function) -> Function:
    """Return a function that takes an argument for each option, makes the records, and calls another."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, _Group] = {}
    taken: dict[str, inspect.Parameter] = {}
    own: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if (group := _group(hints[name])) is None:
            own.append(name)
            options = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])]
        else:
            groups[name] = group
            options = list(_options(group))
        for each in options:
            if _flags(taken.setdefault(each.name, each)) != _flags(each):
                raise TypeError(f"{function.__name__}: two options are called {each.name}")
    talk: dict[str, bool] = vars(function).get(_TALK, {})
    for name, about in (("quiet", QUIET), ("strict", STRICT), ("verbose", VERBOSE)):
        if talk.get(name):
            kind = inspect.Parameter.KEYWORD_ONLY
            taken[name] = inspect.Parameter(name, kind, default=False, annotation=Annotated[bool, about])
    if any(isinstance(about, OptionInfo) for each in taken.values() for about in get_args(each.annotation)):
        kind = Annotated[Path | None, CONFIG]
        taken["config"] = inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)

    def run(**values: Any) -> None:
        quiet = values.get("quiet", False)
        try:
            talk = {name: values.get(name, False) for name in ("strict", "verbose")}
            with running(quiet=quiet, **talk):
                made = {name: group.make(values) for name, group in groups.items()}
                function(**{name: values[name] for name in own}, **made)
        finally:
            warn(store_warnings(), quiet)

    vars(run)["__signature__"] = inspect.Signature(list(taken.values()))
    run.__annotations__ = {each.name: each.annotation for each in taken.values()} | {"return": None}
    run.__doc__ = function.__doc__
    return run


def _flags(parameter: inspect.Parameter) -> Any:
    return next((about.param_decls for about in get_args(parameter.annotation)[1:]), None)


def _group(hint: Any) -> _Group | None:
    """Return the options that a parameter takes, if it takes a record."""
    extra: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *extra = get_args(hint)
    given = next((each.record for each in extra if isinstance(each, Given)), None)
    record = given or hint
    if given is None and not (isinstance(hint, type) and is_dataclass(hint)):
        return None
    found = options_of(record)
    for each in extra:
        if isinstance(each, Given):
            continue
        helps = {name: replace(found[name], help=text) for name, text in each.helps.items()}
        kept = [name for name in found if (name in each.names) is isinstance(each, Only)]
        found = {name: helps.get(name, found[name]) for name in kept}
    return _Group(record, found, given is not None)


def _options(group: _Group) -> Iterator[inspect.Parameter]:
    hints, defaults = get_type_hints(group.record), defaults_of(group.record)
    for name, about in group.options.items():
        kind, repeatable = (str, False) if about.write else _typed(hints[name])
        default = defaults[name]
        if group.given:
            about = _with_default(about, kind, default)
            kind, default = kind if repeatable else kind | None, None
        elif repeatable:
            default = None
        elif default is MISSING:
            default = inspect.Parameter.empty
        elif about.inverted:
            default = not default
        elif about.write:
            default = about.write(default)
        metavar, panel = about.metavar or _METAVARS.get(_plain(kind)), heading_of(group.record, name)
        shown: dict[str, Any] = {"help": about.help, "metavar": metavar, "show_default": about.show_default}
        info = typer.Option(*_flags_of(name, about), **shown, min=about.least, max=about.most, rich_help_panel=panel)
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def _with_default(about: Option, kind: Any, default: Any) -> Option:
    """Return an option without a default, whose help ends with the one that the record has."""
    said = about.show_default if isinstance(about.show_default, str) else ""
    if about.show_default is True and default is not None:
        said = f"{default:g}" if isinstance(default, float) else str(about.write(default) if about.write else default)
    text = f"{about.help} [{said}]" if said else about.help
    return replace(
        about, help=text, metavar=about.metavar or ("NAME" if _plain(kind) is str else None), show_default=False
    )


_METAVARS = {int: "N", float: "X"}


def _plain(kind: Any) -> Any:
    """Return the type of a value that may be absent."""
    return next((each for each in get_args(kind) if each is not types.NoneType), kind)


def _flags_of(name: str, about: Option) -> tuple[str, ...]:
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


def _values(
    hints: Mapping[str, Any], options: Mapping[str, Option], given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record that were given, as the record has them."""
    for name, about in options.items():
        value, hint = given[name], hints[name]
        if value is None:
            # Not typed, and no default of the command's own: the field's counts.
            continue
        if about.read is not None:
            yield name, about.read(value)
        elif get_origin(hint) in (Mapping, dict):
            flag = _flags_of(name, about)[0]
            if get_args(hint)[1] is float:
                yield name, numbers(value, flag, about.metavar or "NAME=NUMBER")
            else:
                yield name, named(value, flag)
        elif _typed(hint)[1]:
            yield name, tuple(value)
        else:
            yield name, not value if about.inverted else value
