"""Reports of CXMI by format."""

from __future__ import annotations

from collections.abc import Callable

from endophora.context.cxmi_result import CxmiResult
from endophora.registry import Registry


def json(result: CxmiResult) -> str:
    """Return the whole result as JSON, one line a field."""
    return result.model_dump_json(indent=1) + "\n"


CXMI_REPORTS: Registry[Callable[[CxmiResult], str]] = Registry(
    "cxmi_report",
    {
        "text": "endophora.report.cxmi_text:render",
        "json": json,
        "csv": "endophora.report.cxmi_tidy:render",
        "latex": "endophora.report.cxmi_latex:render",
        "html": "endophora.report.cxmi_page:render",
    },
)
"""Format name → function from a result to the whole text."""
