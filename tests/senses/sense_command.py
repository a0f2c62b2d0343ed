"""The command line, run in this process."""

from __future__ import annotations

import sys
from unittest.mock import patch

from endophora.cli import main


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit status."""
    with patch.object(sys, "argv", ["endophora", *arguments]):
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0)
    return 0
