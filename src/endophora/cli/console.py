"""What commands say: progress, warnings and errors on standard error, results and tables on standard output."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from endophora.errors import EndophoraError, Fault, refuse
from endophora.process import PARTS, part

if TYPE_CHECKING:
    from rich.console import Console

    from endophora.files import Output

SHOWN_FAULTS = 50

_CODED = re.compile(r"\[(E\d{3})\] (.*?)(?: – (.*))?", re.DOTALL)


@dataclass
class Talk:
    """A command that runs: how it was called, and what it has printed."""

    quiet: bool = False
    strict: bool = False
    verbose: bool = False
    told: set[str] = field(default_factory=set[str])
    stages: dict[str, float] = field(default_factory=dict[str, float])  # long work → seconds until its last part


_RUNNING: ContextVar[Talk | None] = ContextVar("running", default=None)


@contextmanager
def running(*, quiet: bool = False, strict: bool = False, verbose: bool = False) -> Generator[None]:
    """Let what is said in the block follow ``--quiet``, ``--strict`` and ``--verbose``."""
    before, began = _RUNNING.set(Talk(quiet, strict, verbose)), monotonic()
    PARTS.clear()
    try:
        yield
        _tell_time(monotonic() - began)
    finally:
        _RUNNING.reset(before)


def _tell_time(whole: float) -> None:
    """Say what took the time of a command that took long; of any command that has parts, with ``--verbose``."""
    command = current()
    if not (command.stages or PARTS) or (whole < EVERY and not command.verbose):
        return
    stages = command.stages | PARTS
    least = 0.5 if whole >= EVERY else 0.05
    shown = [(name, seconds) for name, seconds in stages.items() if seconds >= least]
    shown.append(("the rest", whole - sum(seconds for _, seconds in shown)))
    said = {
        name: duration(seconds) if whole >= EVERY else f"{seconds:.1f} s" for name, seconds in [*shown, ("", whole)]
    }
    say(f"took {said.pop('')}: {', '.join(f'{name} {time}' for name, time in said.items())}")


@contextmanager
def hushed(wanted: bool = True) -> Generator[None]:
    """Let the block be as quiet as with ``--quiet``."""
    command = current()
    before = _RUNNING.set(replace(command, quiet=wanted or command.quiet))
    try:
        yield
    finally:
        _RUNNING.reset(before)


def current() -> Talk:
    """Return how the command that runs was asked to talk: ``quiet``, ``strict``, ``verbose``; by default none of it."""
    return _RUNNING.get() or Talk()


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


def say(line: str) -> None:
    """Print a line on standard error, unless the command is quiet."""
    if not current().quiet:
        print(line, file=sys.stderr, flush=True)


def warn(warnings: Iterable[str], quiet: bool | None = None) -> None:
    """Print warnings on standard error, one a line and each once a command, unless ``quiet`` or the command is.

    Where the command is strict, those with a code in front are raised: doubts about the input, which are its faults.
    """
    command = current()
    fresh = [warning for warning in dict.fromkeys(warnings) if warning not in command.told]
    command.told.update(fresh)
    coded = filter(None, map(_CODED.fullmatch, fresh)) if command.strict else ()
    refuse(Fault(found[1], found[3] or "", "", found[2]) for found in coded)
    if not (command.quiet if quiet is None else quiet):
        for warning in fresh:
            print(f"warning: {_printable(warning)}", file=sys.stderr)


def _printable(text: str) -> str:
    # A terminal obeys control characters; text from files must not command it.
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _ignore(**_: object) -> None:
    pass


EVERY = 10.0
"""Seconds between two lines of progress where standard error is no terminal."""


class _Lines:
    """Progress as lines of a log: none of work that is done before the first is due."""

    def __init__(self, description: str, total: float | None) -> None:
        self._description, self._total, self._done = description, total, 0.0
        self._began = self._said = monotonic()

    def update(self, *, completed: float | None = None, advance: float = 0, description: str = "", **_: object) -> None:
        """Take what is done, and say it if it is time."""
        self._done = self._done + advance if completed is None else completed
        self._description = description or self._description
        if (now := monotonic()) - self._said < EVERY:
            return
        self._said = now
        of = f"{self._done:,.0f}" + (f" of {self._total:,.0f}" if self._total else "")
        say(f"{self._description}: {of if self._done else 'running'}, after {duration(now - self._began)}")


@contextmanager
def live_bar(description: str, total: float | None = None, *, counted: bool = False) -> Generator[Callable[..., None]]:
    """Show a bar, if standard error is a terminal and the command not quiet; yield what updates it.

    It takes ``completed``, ``advance`` and ``description``. A bar without a total moves without end; one that is
    ``counted`` shows how much is done and the time left.
    """
    if current().quiet:
        yield _ignore
        return
    if not sys.stderr.isatty():
        yield _Lines(description, total).update
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}", markup=False), BarColumn()]
    columns += [MofNCompleteColumn(), TimeRemainingColumn()] if counted else []
    with Progress(*columns, console=error_console(), transient=True) as bars:
        yield partial(bars.update, bars.add_task(description, total=total))


@contextmanager
def progress_bar(description: str, total: int) -> Generator[Callable[[int], None]]:
    """Show a progress bar for long work, as :func:`live_bar`; yield what advances it."""
    began, before = monotonic(), sum(PARTS.values())
    stages = current().stages
    with live_bar(description, total, counted=True) as update:

        def advance(count: int) -> None:
            # Parts of it that this process did are counted by their own names.
            stages[description] = monotonic() - began - (sum(PARTS.values()) - before)
            update(advance=count)

        yield advance


def duration(seconds: float) -> str:
    """Return hours, minutes and seconds, as ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


RESULT, REPORT = "result.json", "report.html"
"""The files that commands write into their directory."""


def show_result(
    result: Any,
    render: Callable[[Any], str],
    place: Output | None,
    write: Callable[[Path], object] | None = None,
) -> None:
    """Write a result into a directory, if one is named, and what is rendered of it to standard output.

    ``place`` was checked before the work: ``result.json``, ``report.html`` and what ``write`` writes go there
    (E154, E155; E356: a file of others has come in the way meanwhile).
    """
    # First, since where the command is strict and there are doubts, nothing is written.
    warn(result.warnings)
    rendered = render(result)
    if place is not None:
        write_result(result, place, write)
    sys.stdout.write(rendered)
    if place is not None:
        say(f"\nfigures: {place.root / RESULT}")


@part("report")
def write_result(result: Any, place: Output, write: Callable[[Path], object] | None = None) -> None:
    """Write a result into a directory, as :func:`show_result` does, and print nothing."""
    from endophora.report import REPORTS

    with place.writing() as folder:
        result.write(folder / RESULT)
        write_page(folder / REPORT, REPORTS.get("html")(result))
        if write is not None:
            write(folder)


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
