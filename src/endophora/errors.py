"""Errors that a user can cause: coded, located, and with the way out.

Every such error is an :class:`EndophoraError`. Its faults are collected, so that all faults of an input are
reported at once, each as ``[E012] ref.de:17 – what is wrong – what to do``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    ``code`` is the stable one that ``docs/errors.md`` lists; ``file`` is the file, option or object, and ``line``
    counts from 1.
    """

    code: str
    cause: str
    advice: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """Return the fault as one line of text."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return " – ".join(part for part in (f"[{self.code}] {place}".rstrip(), self.cause, self.advice) if part)


class EndophoraError(Exception):
    """Base of all errors that a user can cause; the command line prints all faults and exits with ``exit_code``."""

    exit_code = 2

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class InputError(EndophoraError):
    """The input, an option or a configuration is wrong."""


class MissingModelError(EndophoraError):
    """A model or an optional library that was asked for is not installed."""

    exit_code = 3


class EngineError(EndophoraError):
    """A run did not come to its end, or its files could not be written; what it has done is kept (E151 to E163)."""


def refuse(faults: Iterable[Fault]) -> None:
    """Raise an :class:`InputError` of all faults, if there are any."""
    if found := tuple(faults):
        raise InputError(found)


def first_line(error: BaseException) -> str:
    """Return the first line of what an error of another library says, or its kind if it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
