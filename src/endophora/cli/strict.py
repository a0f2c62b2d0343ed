"""``--strict``: what a command doubts in its input is an error."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Any, get_type_hints

import typer

from endophora.errors import Fault, InputError

Strict = Annotated[
    bool, typer.Option("--strict", help="Doubts about the input, as swapped languages, are errors: exit 2.")
]

_CODED = re.compile(r"\[(E\d{3})\] (.*?)(?: – (.*))?", re.DOTALL)


@dataclass
class _Run:
    """A command that runs: how it was called, and what it has printed."""

    strict: bool = False
    quiet: bool = False
    told: set[str] = field(default_factory=set[str])


_RUNNING: ContextVar[_Run | None] = ContextVar("running", default=None)


def checked(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option ``--strict``, which :func:`endophora.cli.console.warn` obeys."""

    @functools.wraps(command)
    def run(*, strict: bool = False, **options: Any) -> None:
        """Run the command."""
        before = _RUNNING.set(_Run(strict, bool(options.get("quiet"))))
        try:
            command(**options)
        finally:
            _RUNNING.reset(before)

    # The parameters are read from the signature, with their types: names alone would be looked up in this module.
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    given = [one.replace(annotation=hints[name]) for name, one in signature.parameters.items()]
    option = inspect.Parameter("strict", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Strict)
    run.__dict__["__signature__"] = signature.replace(parameters=[*given, option], return_annotation=None)
    run.__annotations__ = {**hints, "strict": Strict}
    return run


def is_quiet() -> bool:
    """Tell whether the command that runs was given ``--quiet``."""
    running = _RUNNING.get()
    return running is not None and running.quiet


def not_yet_told(warnings: Iterable[str]) -> list[str]:
    """Return the warnings that the command that runs has not printed, and take them as printed.

    Raises:
        InputError: the command is strict, and some have a code: these are the faults.
    """
    running = _RUNNING.get()
    if running is None:
        return list(warnings)
    fresh = [warning for warning in dict.fromkeys(warnings) if warning not in running.told]
    running.told.update(fresh)
    if running.strict and (faults := [fault for one in fresh if (fault := _fault(one))]):
        raise InputError(faults)
    return fresh


def _fault(warning: str) -> Fault | None:
    match = _CODED.fullmatch(warning)
    return Fault(match[1], match[3] or "", "", match[2]) if match else None
