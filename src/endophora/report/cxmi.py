"""Reports of CXMI by format, and its JSON Schema, which ``python -m endophora.report.cxmi FILE`` writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from endophora.context.cxmi_result import CXMI_SCHEMA_VERSION, CxmiResult
from endophora.registry import Registry
from endophora.report.schema import describe

CXMI_REPORTS: Registry[Callable[[CxmiResult], str]] = Registry(
    "cxmi_report",
    {
        "text": "endophora.report.cxmi_text:render",
        "json": "endophora.report.json:render",
        "csv": "endophora.report.cxmi_tidy:render",
        "latex": "endophora.report.cxmi_latex:render",
        "html": "endophora.report.cxmi_page:render",
    },
)
"""Format name → function from a result to the whole text."""


def schema_text() -> str:
    """Return the JSON Schema (draft 2020-12) of a written result, as the published file holds it."""
    return describe(CxmiResult, "CXMI measured by endophora", CXMI_SCHEMA_VERSION)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
