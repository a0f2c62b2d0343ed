"""How much of its context a model read, as reports show it: one table for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from endophora.context.context_read import ContextCounts
from endophora.report.plain import plain_table
from endophora.report.visible import visible

NOTE = (
    "Segments by what became of their context: what a model has no room for is cut off, the oldest first. The figures "
    "are those of segments of whose context it read anything."
)


@dataclass(frozen=True, slots=True)
class ReadTable:
    """Counts of what was read, beside the figures over segments of whose context anything was.

    Attributes:
        first: heading of the names.
        heads: headings of the figures.
        rows: name, counts and figures of each line.
    """

    first: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ContextCounts, Sequence[str]]]

    @property
    def columns(self) -> tuple[str, ...]:
        """All headings."""
        return (self.first, "given", "whole", "cut", "lost", *self.heads)

    @property
    def lines(self) -> list[list[str]]:
        """All cells."""
        return [
            [name, *(f"{count:,}" for count in (counts.given, counts.whole, counts.cut, counts.lost)), *figures]
            for name, counts, figures in self.rows
        ]

    def plain(self) -> Table:
        """Return it for a terminal."""
        made = plain_table()
        made.add_column(self.first, overflow="fold")
        for head in self.columns[1:]:
            made.add_column(head, justify="right", overflow="fold")
        for line in self.lines:
            made.add_row(*(Text(visible(cell)) for cell in line))
        return made
