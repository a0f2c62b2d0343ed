"""``endophora metrics``: the metrics that can be named, and what each needs."""

from __future__ import annotations

import json
import sys

from endophora.cli import options


def metrics(output_format: options.Format = "text") -> None:
    """Show the metrics that ``evaluate --metric`` and ``meta-evaluate --score`` take."""
    from endophora.evaluation.installation import metric_inventory

    rows = metric_inventory()
    if output_format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    from endophora.cli.tables import print_table

    header = ("name", "what", "row", "needs")
    print_table(header, [[row[name] for name in header] for row in rows])
