"""What all reports in plain text share: tables of the terminal, CSV that no spreadsheet runs, LaTeX's frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Protocol

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table

from endophora.report.visible import visible

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


class Bounded(Protocol):
    """An interval."""

    @property
    def low(self) -> float:
        """Where it begins."""
        ...

    @property
    def high(self) -> float:
        """Where it ends."""
        ...


def bounds(interval: Bounded | None) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of an interval; ``None`` twice where there is none."""
    return (None, None) if interval is None else (interval.low, interval.high)


def plain_console(width: int | None = None) -> Console:
    """Return a console that writes plain text without colours into memory, for :func:`plain_text`.

    Args:
        width: characters a line; by default what ``COLUMNS`` or the terminal says.
    """
    return Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        highlight=False,
        markup=False,
        emoji=False,
    )


def plain_text(console: Console, parts: Iterable[RenderableType]) -> str:
    """Return parts of a report as text, in the width of a console of :func:`plain_console`."""
    with console.capture() as captured:
        console.print(Group(*parts))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def plain_table(title: str | None = None) -> Table:
    """Return an empty table with a line under its head, as all tables of the terminal have it."""
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False, title=title, title_justify="left"
    )


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV: ``None`` is an empty cell, and a text that a spreadsheet would run gets an apostrophe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def booktabs(signature: str, columns: str, head: Sequence[str], body: Sequence[str]) -> str:
    r"""Return a ``tabular`` that needs ``booktabs``, with the signature as a comment.

    Args:
        signature: of the result.
        columns: their alignment, as ``lrr``.
        head: lines over the rule; each ends in ``\\`` or is a rule itself.
        body: lines under it.
    """
    return "\n".join(
        (
            r"% needs \usepackage{booktabs}",
            rf"% {visible(signature)}",
            rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            *head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        )
    )


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
