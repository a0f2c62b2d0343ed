"""Where a store lies, how much it may hold, and what went wrong with stores, counted.

Troubles are said once, when the work is done, and to users of the library at once.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_cache_path

from endophora.errors import Fault, InputError

LIMIT = "ENDOPHORA_STORE_LIMIT"
"""The environment variable with the size beyond which what was used longest ago is removed; ``none`` for no limit."""

DEFAULT_LIMIT = 5_000_000_000
"""Bytes that a store may hold if the variable says nothing."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def default_store_path() -> Path:
    """Return where the store lies: ``$ENDOPHORA_CACHE`` or the user's cache directory, ``store.sqlite`` in it."""
    directory = os.environ.get("ENDOPHORA_CACHE")
    return (Path(directory) if directory else user_cache_path("endophora")) / "store.sqlite"


def parse_size(text: str, name: str) -> int:
    """Return a number of bytes from text such as ``500MB`` or ``2 GB`` (E366); units are powers of 1000."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InputError(Fault("E366", f"“{text}” is no size", "write it as 500MB or 2GB", name))
    return int(float(found[1]) * _UNITS[found[2].upper()])


def store_limit() -> int | None:
    """Return how many bytes a store may hold, as the environment says (E366); ``None`` for any number."""
    text = os.environ.get(LIMIT, "")
    return None if text == "none" else parse_size(text, LIMIT) if text else DEFAULT_LIMIT


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
