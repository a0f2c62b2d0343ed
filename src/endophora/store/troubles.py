"""What went wrong with stores, counted: told once, when the work is done, and to users of the library at once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

_troubles: dict[str, tuple[int, str]] = {}


class StoreWarning(UserWarning):
    """A part of a store could not be read or written: it was computed, or is not kept; figures are not touched."""


def take_troubles() -> dict[str, tuple[int, str]]:
    """Return and forget what went wrong with stores in this process: file → (damaged values, why it is not used)."""
    taken = dict(_troubles)
    _troubles.clear()
    return taken


def add_troubles(troubles: Mapping[str, tuple[int, str]]) -> None:
    """Remember what went wrong with stores, here or in another process; the first of a file is a Python warning."""
    for path, (damaged, cause) in troubles.items():
        before, known = _troubles.get(path, (0, ""))
        _troubles[path] = (before + damaged, known or cause)
        if (damaged and not before) or (cause and not known):
            warnings.warn(cause or _damage(path, damaged), StoreWarning, stacklevel=3)


def store_warnings() -> list[str]:
    """Return and forget what went wrong with stores, at most two sentences a file."""
    told: list[str] = []
    for path, (damaged, cause) in take_troubles().items():
        told += [_damage(path, damaged)] if damaged else []
        told += [cause] if cause else []
    return told


def _damage(path: str, damaged: int) -> str:
    values = "1 damaged value was" if damaged == 1 else f"{damaged:,} damaged values were"
    return f"[E365] {path} – {values} found in the store and made again – is the disk sound?"
