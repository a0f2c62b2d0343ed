"""``endophora models``: the models that are there, with what they were trained on and their licences."""

from __future__ import annotations

import json
import sys

from endophora.cli import options


def models(output_format: options.Format = "text") -> None:
    """Show the embedded annotators, aligner priors and resolvers, and what can be named instead."""
    from endophora.evaluation.inventory import model_inventory

    rows = model_inventory()
    if output_format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    from endophora.cli.tables import print_table

    header = ("kind", "name", "size", "licence", "trained on")
    print_table(header, [[row[name] for name in header] for row in rows])
