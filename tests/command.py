"""The command line, run in this process."""

from __future__ import annotations

import sys

from endophora.cli.starting import run_command


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit status."""
    before = sys.argv
    sys.argv = ["endophora", *arguments]
    try:
        return run_command()
    finally:
        sys.argv = before
