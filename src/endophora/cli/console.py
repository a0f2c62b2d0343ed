"""What the commands say while they work: progress, warnings and errors, all on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from endophora.errors import EndophoraError

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_FAULTS = 50


def error_console() -> Console:
    """Return a console on standard error that takes no text for markup."""
    from rich.console import Console

    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def report_error(error: EndophoraError) -> None:
    """Print every fault of an error on standard error, one a line."""
    for fault in error.faults[:SHOWN_FAULTS]:
        print(_printable(str(fault)), file=sys.stderr)
    if len(error.faults) > SHOWN_FAULTS:
        print(f"and {len(error.faults) - SHOWN_FAULTS} more faults", file=sys.stderr)


def warn(warnings: Iterable[str], quiet: bool | None = None) -> None:
    """Print warnings on standard error, one a line and each once a command, unless ``quiet``.

    Args:
        warnings: sentences; those with a code in front are doubts about the input.
        quiet: print none; by default what the command was told.

    Raises:
        InputError: the command is strict, and there are doubts; they are its faults.
    """
    from endophora.cli.strict import is_quiet, not_yet_told

    fresh = not_yet_told(warnings)
    if not (is_quiet() if quiet is None else quiet):
        for warning in fresh:
            print(f"warning: {_printable(warning)}", file=sys.stderr)


def _printable(text: str) -> str:
    # A terminal obeys control characters; text from files must not command it.
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _ignore(_: int) -> None:
    pass


@contextmanager
def progress_bar(description: str, total: int, quiet: bool = False) -> Generator[Callable[[int], None]]:
    """Show a progress bar on standard error for long work, if that is a terminal; yield what advances it."""
    if quiet or not sys.stderr.isatty():
        yield _ignore
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=error_console(), transient=True) as bars:
        task = bars.add_task(description, total=total)
        yield lambda count: bars.advance(task, count)
