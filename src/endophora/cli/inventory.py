"""``endophora metrics`` and ``doctor``: what there is, what it needs, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.inputs import Format, Tools
from endophora.cli.showing import print_table
from endophora.evaluation.installation import metric_inventory, run_checks
from endophora.store import default_store_path


@command(quiet=False)
def metrics(output_format: Format = "text") -> None:
    """Show the metrics that can be named, and what each needs."""
    rows = metric_inventory()
    if output_format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    header = ("name", "what", "row", "needs")
    print_table(header, [[row[name] for name in header] for row in rows])


@command(quiet=False)
def doctor(tools: Annotated[Tools, Only("store")]) -> None:
    """Check what is installed."""
    checks = list(run_checks(tools.store or default_store_path()))
    print_table(("check", "state", "detail"), [(check.name, check.state, check.detail) for check in checks])
    broken = [check.name for check in checks if check.state == "broken"]
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
        raise typer.Exit(1)
