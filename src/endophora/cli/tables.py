"""A plain table on standard output, for commands that list things."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a header; on a terminal within its width, into a pipe as wide as they are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else 200, markup=False, highlight=False).print(table)
