"""How figures are written."""

from __future__ import annotations

from endophora.report.matrix import title
from endophora.report.table import number, p_number, p_text


def signed(value: float, digits: int) -> str:
    """Return a difference with its sign."""
    return number(value, digits, sign=True)


__all__ = ["p_number", "p_text", "signed", "title"]
