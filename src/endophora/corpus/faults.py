"""Collects what is wrong with an input, so that the user sees all of it at once, and not ten thousand lines of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from endophora.errors import Fault, InputError

SHOWN = 20
"""How many faults of one code in one file are shown; the others are counted."""


class FaultLog:
    """Faults in the order found, at most :data:`SHOWN` of one code in one file."""

    def __init__(self) -> None:
        self._shown: list[Fault] = []
        self._found: Counter[tuple[str, str]] = Counter()

    def add(self, code: str, cause: str, advice: str, file: str = "", line: int | None = None) -> None:
        """Note a fault; the arguments are those of :class:`~endophora.errors.Fault`."""
        self._found[code, file] += 1
        if self._found[code, file] <= SHOWN:
            self._shown.append(Fault(code, cause, advice, file, line))

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note several faults."""
        for fault in faults:
            self.add(fault.code, fault.cause, fault.advice, fault.file, fault.line)

    def has(self, code: str, file: str) -> bool:
        """Tell whether a fault of this code was found in this file."""
        return (code, file) in self._found

    def found(self, code: str) -> bool:
        """Tell whether a fault of this code was found in any file."""
        return any(code == known for known, _ in self._found)

    def __bool__(self) -> bool:
        """Tell whether anything was found."""
        return bool(self._shown)

    def faults(self) -> list[Fault]:
        """Return what is to be shown: the faults, and for each kind that was cut short how many more there are."""
        rest = [
            Fault(code, f"and {count - SHOWN} more of this kind", "", file)
            for (code, file), count in self._found.items()
            if count > SHOWN
        ]
        return [*self._shown, *rest]

    def check(self) -> None:
        """Raise all faults, if there are any.

        Raises:
            InputError: with all faults found so far.
        """
        if self._shown:
            raise InputError(self.faults())
