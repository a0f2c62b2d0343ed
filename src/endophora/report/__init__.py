"""Results rendered: text, Markdown, JSON, CSV, LaTeX and a self-contained HTML page. Reports compute no figure.

``render(result, "latex")`` gives any result in any format as text, :func:`show` prints it on a terminal,
:func:`write_report` writes what commands leave behind (``result.json`` and ``report.html``), and :data:`REPORTS` is
where a format is added.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.errors import Fault, InputError
from endophora.process import part
from endophora.registry import Registry

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

REPORTS: Registry[Callable[[BaseModel], str]] = Registry(
    "report",
    {name: f"endophora.report.formats:{name}" for name in ("text", "markdown", "json", "csv", "latex", "html")},
)
"""Format name → function from a result to the whole text of the report."""


def render(result: BaseModel, format: str = "text", width: int | None = None) -> str:
    """Return a result in a format.

    Args:
        result: of an evaluation, a tagging, a suite, word senses, a meta-evaluation, or a study of context.
        format: a name of :data:`REPORTS`.
        width: characters a line of text; by default as many as the terminal has.

    Raises:
        InputError: no such format (E090).
    """
    if format == "text" and width is not None:
        from endophora.report.formats import text

        return text(result, width)
    return REPORTS.get(format)(result)


def show(result: BaseModel, console: Console) -> None:
    """Print a result on a console, in its width and, where it has them, in colours."""
    from endophora.report.formats import view_of
    from endophora.report.table import layout

    console.print(layout(view_of(result).sections(result), console.width))


@part("report")
def write_report(result: BaseModel, directory: Path) -> tuple[Path, Path]:
    """Write ``result.json`` and ``report.html`` into a directory, which is made if it is absent.

    Each file is whole or not there: whoever reads sees the old file or the new one.

    Returns:
        The paths of the two files.

    Raises:
        InputError: the directory cannot be written (E095).
    """
    from endophora.errors import EngineError
    from endophora.files import write_whole
    from endophora.record import WrittenRecord

    page, data = directory / "report.html", directory / "result.json"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # One after the other, the result as bytes: of 26 systems each takes tens of megabytes.
        write_whole(page, render(result, "html").encode())
        if isinstance(result, WrittenRecord):
            result.write(data)
        else:
            write_whole(data, render(result, "json").encode())
    except (OSError, EngineError) as error:
        why = error.faults[0].cause if isinstance(error, EngineError) else error.strerror or str(error)
        cause = f"the report cannot be written: {why}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(directory))) from error
    return data, page


__all__ = ["REPORTS", "render", "show", "write_report"]
