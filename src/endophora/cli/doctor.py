"""``endophora doctor``: what is installed, and what is wrong."""

from __future__ import annotations

import sys

import typer

from endophora.cli import options


def doctor(store: options.StorePath = None) -> None:
    """Check the installation: libraries, embedded models, the store, the extras. Exit 1 if something is broken."""
    from endophora.cli.tables import print_table
    from endophora.evaluation.installation import run_checks
    from endophora.store import default_store_path

    checks = list(run_checks(store or default_store_path()))
    print_table(("check", "state", "detail"), [(check.name, check.state, check.detail) for check in checks])
    broken = [check.name for check in checks if check.state == "broken"]
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
        raise typer.Exit(1)
