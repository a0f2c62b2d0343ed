"""``endophora languages``: what is supported for each language."""

from __future__ import annotations

import json
import sys
from typing import cast

from endophora.cli import options


def languages(output_format: options.Format = "text") -> None:
    """Show for each language its phenomena, its embedded annotator and the scores of it."""
    from endophora.evaluation.inventory import language_inventory

    rows = language_inventory()
    if output_format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    from endophora.cli.tables import print_table

    header = ("language", "name", "phenomena", "annotator", "UPOS", "lemma", "LAS", "aligned with")
    print_table(header, [[_cell(row[name]) for name in header] for row in rows])


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return "–" if value is None else str(value)
