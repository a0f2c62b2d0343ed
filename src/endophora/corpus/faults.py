"""What is wrong with an input, all of it at once and at most twenty lines of a kind, and how much one may ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from endophora.errors import Fault, InputError

SHOWN = 20
"""How many faults of one code in one file are shown; the others are counted."""

LONGEST_SEGMENT = 50_000
"""Characters that a segment may have, on either side: some 8,000 words, more than any text that is judged as one."""

LONGEST_LINE = 1 << 26
"""Bytes that a line of a file may have."""

MOST_DIGITS = 15
"""Digits that a number in a file may have: Python itself reads no more than 4,300, and no count has more than these."""

SPLIT_ADVICE = "split it, in all files at the same places: a segment is a sentence or a paragraph"
"""What to do about a segment that is too long."""


def whole_number(text: str) -> int | None:
    """Return the whole number, from 0, that a text is; ``None`` if it is none or has too many digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def too_long(text: str) -> str:
    """Return what is wrong with the length of a segment; empty if nothing is (E345)."""
    if len(text) <= LONGEST_SEGMENT:
        return ""
    return f"the segment has {len(text):,} characters, and {LONGEST_SEGMENT:,} is the most"


class FaultLog:
    """Faults in the order found, at most :data:`SHOWN` of one code in one file, and what a reader notices that is none.

    ``notes`` counts what was left out; ``remarks`` are warnings, with a code where ``--strict`` makes errors of them.
    """

    def __init__(self) -> None:
        self.notes: Counter[str] = Counter()
        self.remarks: list[str] = []
        self._shown: list[Fault] = []
        self._found: Counter[tuple[str, str]] = Counter()
        self.total = 0

    def add(self, code: str, cause: str, advice: str, file: str = "", line: int | None = None) -> None:
        """Note a fault."""
        self.total += 1
        self._found[code, file] += 1
        if self._found[code, file] <= SHOWN:
            self._shown.append(Fault(code, cause, advice, file, line))

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note several faults."""
        for fault in faults:
            self.add(fault.code, fault.cause, fault.advice, fault.file, fault.line)

    def has(self, code: str, file: str | None = None) -> bool:
        """Return whether a fault of this code was found, in this file or in any."""
        return any(code == known and file in (None, place) for known, place in self._found)

    def counts(self) -> Counter[str]:
        """Return how many faults of each code were found."""
        counts: Counter[str] = Counter()
        for (code, _), count in self._found.items():
            counts[code] += count
        return counts

    def __bool__(self) -> bool:
        """Return whether anything was found."""
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
        """Raise all faults found so far as an :class:`InputError`, if there are any."""
        if self._shown:
            raise InputError(self.faults())
