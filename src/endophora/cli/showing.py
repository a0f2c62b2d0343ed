"""Results and tables on standard output, and results in the directory that is named for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endophora.cli.console import say, warn
from endophora.report import REPORTS

if TYPE_CHECKING:
    from endophora.files import Output


RESULT, REPORT = "result.json", "report.html"
"""The files that commands write into their directory."""


def show_result(
    result: Any,
    render: Callable[[Any], str],
    place: Output | None,
    write: Callable[[Path], object] | None = None,
    *,
    page: bool = True,
) -> None:
    """Write a result into a directory, if one is named, and what is rendered of it to standard output.

    Args:
        result: a :class:`~endophora.record.WrittenRecord` with warnings.
        place: where ``result.json`` is written, checked before the work; with ``page`` also ``report.html``.
        write: writes what goes with the result into the folder that it is given.

    Raises:
        InputError: a file of others has come in the way meanwhile (E356).
        EngineError: the disk is full (E154) or the directory cannot be written (E155).
    """
    # First, since where the command is strict and there are doubts, nothing is written.
    warn(result.warnings)
    rendered = render(result)
    if place is not None:
        with place.writing() as folder:
            result.write(folder / RESULT)
            if page:
                write_page(folder / REPORT, REPORTS.get("html")(result))
            if write is not None:
                write(folder)
    sys.stdout.write(rendered)
    if place is not None:
        say(f"\nfigures: {place.root / RESULT}")


def write_page(path: Path, text: str) -> None:
    """Write a page with the ends of lines that it has."""
    path.write_text(text, encoding="utf-8", newline="\n")


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a header; on a terminal within its width, into a pipe in full width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else 200, markup=False, highlight=False).print(table)
