"""How much of its context a model read, as reports show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from endophora.context.context_read import ContextCounts
from endophora.report.table import Cell, Table, figures, names

NOTE = (
    "Segments by what happened to their context: what a model has no room for is cut off, the oldest first. The "
    "figures are those of segments of whose context it read anything."
)
STATES = ("given", "whole", "cut", "lost")


def states(counts: ContextCounts) -> dict[str, int]:
    """Return how many segments were given context, and of how many it was read whole, cut or lost."""
    return {state: getattr(counts, state) for state in STATES}


def read_table(
    first: str, heads: Sequence[str], lines: Iterable[tuple[str, ContextCounts, Sequence[Cell | str]]]
) -> Table:
    """Return names with their counts of segments, and figures over segments of whose context anything was read."""
    return Table(
        [*names(first), *figures(*STATES, *heads)],
        [[name, *(f"{count:,}" for count in states(counts).values()), *figures] for name, counts, figures in lines],
    )


def sides_text(sides: str) -> str:
    """Return on which sides context was given, for a reader."""
    return "source and target" if sides == "both" else f"{sides} only"
