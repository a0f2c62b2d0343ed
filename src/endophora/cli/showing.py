"""A result on standard output and, where it is asked for, in a directory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from endophora.cli.console import warn

if TYPE_CHECKING:
    from endophora.files import Output


class Writable(Protocol):
    """A result that can be written as JSON and has warnings."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know."""
        ...

    def write(self, path: Path) -> None:
        """Write it to a file."""
        ...


RESULT, REPORT = "result.json", "report.html"
"""The files that commands write into their directory."""


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Write texts into a folder, file name → text."""
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def show_result(
    result: Writable, rendered: str, place: Output | None, quiet: bool, write: Callable[[Path], object] | None = None
) -> None:
    """Write ``result.json`` into a directory, if one is named, and the rendered result to standard output.

    Args:
        result: the result.
        rendered: what standard output shows.
        place: where it is written, checked before the work.
        quiet: no warnings.
        write: writes what goes with the result into the folder that it is given.

    Raises:
        InputError: a file of others has come in the way meanwhile (E356).
        EngineError: the disk is full (E154) or the directory cannot be written (E155).
    """
    # First, since where the command is strict and there are doubts, nothing is written.
    warn(result.warnings, quiet)
    if place is not None:
        with place.writing() as folder:
            result.write(folder / RESULT)
            if write is not None:
                write(folder)
    sys.stdout.write(rendered)
    if place is not None and not quiet:
        print(f"\nfigures: {place.root / RESULT}", file=sys.stderr)
