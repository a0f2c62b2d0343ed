"""A result on standard output and, where it is asked for, in a directory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from endophora.cli.console import warn
from endophora.errors import Fault, InputError


class Writable(Protocol):
    """A result that can be written as JSON and has warnings."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know."""
        ...

    def write(self, path: Path) -> None:
        """Write it to a file."""
        ...


def write_result(result: Writable, output: Path) -> None:
    """Write ``result.json`` into a directory, which is made if it is absent.

    Raises:
        InputError: the result cannot be written (E095).
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        result.write(output / "result.json")
    except OSError as error:
        cause = f"the result cannot be written: {error.strerror or error}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(output))) from error


def show_result(result: Writable, rendered: str, output: Path | None, quiet: bool) -> None:
    """Write ``result.json`` into a directory, if one is named, and the rendered result to standard output.

    Raises:
        InputError: the result cannot be written (E095).
    """
    if output is not None:
        write_result(result, output)
    warn(result.warnings, quiet)
    sys.stdout.write(rendered)
    if output is not None and not quiet:
        print(f"\nfigures: {output / 'result.json'}", file=sys.stderr)
