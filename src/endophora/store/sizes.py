"""How much a store may hold."""

from __future__ import annotations

import os
import re

from endophora.errors import Fault, InputError

LIMIT = "ENDOPHORA_STORE_LIMIT"
"""The environment variable with the size beyond which what was used longest ago is removed; ``none`` for no limit."""

DEFAULT_LIMIT = 5_000_000_000
"""Bytes that a store may hold if the variable says nothing."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_size(text: str, name: str) -> int:
    """Return a number of bytes from text such as ``500MB`` or ``2 GB``; units are powers of 1000.

    Args:
        text: the number and its unit.
        name: the option or variable that has it.

    Raises:
        InputError: it is no size (E366).
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InputError(Fault("E366", f"“{text}” is no size", "write it as 500MB or 2GB", name))
    return int(float(found[1]) * _UNITS[found[2].upper()])


def store_limit() -> int | None:
    """Return how many bytes a store may hold, as the environment says; ``None`` for any number.

    Raises:
        InputError: the variable has no size (E366).
    """
    text = os.environ.get(LIMIT, "")
    return None if text == "none" else parse_size(text, LIMIT) if text else DEFAULT_LIMIT
