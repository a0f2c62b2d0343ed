"""Cells of tables that are not made of :class:`endophora.report.table.Table` yet."""

from __future__ import annotations

from endophora.report.sheet import Cell
from endophora.report.table import escape

_MARK = {"": "", "*": r"$^{\ast}$", "†": r"$^{\dagger}$"}


def marked(cell: Cell) -> str:
    """Return a figure with its mark as a cell of a table."""
    return f"${cell.value.replace('−', '-')}${_MARK[cell.mark]}" if cell.value != "–" else "--"


__all__ = ["escape", "marked"]
