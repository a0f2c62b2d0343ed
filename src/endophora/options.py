"""What the field of an options record says of itself as an option of a command.

Help, flag and default stand on the field alone: ``endophora/cli/commands.py`` makes a command of a function that takes
such records. A program that makes the records itself sees plain dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

from endophora.errors import Fault, refuse

_KEY = "endophora.option"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a command.

    ``flags`` are by default ``--`` and the field's name; ``least`` and ``most`` the range of a number; ``inverted`` is
    a switch that turns the field off. ``read`` makes the field's value of what was typed, a list where the option is
    repeatable; ``write`` what would be typed of the default, where it is no text or number. ``show_default`` is whether
    the help names the default, or what it says instead.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    inverted: bool = False
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], str] | None = None
    show_default: bool | str = True


def option(default: Any, *flags: str, help: str, **about: Any) -> Any:
    """Return a field of a dataclass with a default that is an option of commands; ``about`` as in :class:`Option`.

    ``...`` in place of a default makes the option a required one.
    """
    return _field(default, Option(help=help, flags=flags, **about))


def inherited(owner: type, name: str, help: str | None = None, **changes: Any) -> Any:
    """Return the field of a base class, its default too, with another help, or as an option where it was none."""
    (base,) = (each for each in fields(owner) if each.name == name)
    known = option_of(base) or Option(help="")
    return _field(base.default, replace(known, help=known.help if help is None else help, **changes))


def _field(default: Any, about: Option) -> Any:
    described = {_KEY: about}
    if default is ... or default is MISSING:
        return field(metadata=described)
    if default == {}:
        return field(default_factory=dict[str, Any], metadata=described)
    return field(default=default, metadata=described)


def option_of(one: Any) -> Option | None:
    """Return what a field of a dataclass says of itself; ``None`` where commands do not have it."""
    return one.metadata.get(_KEY)


def options_of(record: type) -> dict[str, Option]:
    """Return field → option, of a dataclass or of a pydantic model with ``Annotated[…, Option(…)]``."""
    if (model := getattr(record, "model_fields", None)) is not None:
        return {name: about for name, one in model.items() for about in one.metadata if isinstance(about, Option)}
    return {one.name: about for one in fields(record) if (about := option_of(one))}


def defaults_of(record: type) -> dict[str, Any]:
    """Return field → default, ``dataclasses.MISSING`` where it has none, of a dataclass or a pydantic model."""
    if (model := getattr(record, "model_fields", None)) is not None:
        return {name: MISSING if one.is_required() else one.default for name, one in model.items()}
    return {one.name: one.default for one in fields(record)}


def named(values: Iterable[str] | None, flag: str) -> Mapping[str, str]:
    """Return NAME → value of a repeatable ``NAME=VALUE`` option; all that is wrong at once (E096, E097)."""
    pairs: dict[str, str] = {}
    faults: list[Fault] = []
    for value in values or ():
        name, equals, rest = value.partition("=")
        if not (name and equals and rest):
            faults.append(Fault("E096", f"“{value}” has no name", "give it as NAME=VALUE", flag))
        elif name in pairs:
            faults.append(Fault("E097", f"“{name}” is given twice", "give each name once", flag))
        else:
            pairs[name] = rest
    refuse(faults)
    return pairs


def numbers(values: Iterable[str] | None, flag: str, metavar: str = "NAME=NUMBER") -> dict[str, float]:
    """Return NAME → number of a repeatable option; all that is wrong at once (E096, E097, E106)."""
    found: dict[str, float] = {}
    faults: list[Fault] = []
    for name, value in named(values, flag).items():
        try:
            found[name] = float(value)
        except ValueError:
            faults.append(Fault("E106", f"“{value}” is no number", f"give {metavar}", flag))
    refuse(faults)
    return found
