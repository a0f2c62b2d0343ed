"""Results rendered: terminal text, JSON, CSV, LaTeX and a self-contained HTML page. Reports compute no figure.

``render(result, "latex")`` gives any format as text, :func:`write_report` writes what every command leaves behind
(``result.json`` and ``report.html``), and :data:`REPORTS` is where a format is added.
"""

from __future__ import annotations

from collections.abc import Callable

from endophora.evaluation.result import Result
from endophora.registry import Registry
from endophora.report.files import write_report

REPORTS: Registry[Callable[[Result], str]] = Registry(
    "report",
    {
        "text": "endophora.report.text:render",
        "json": "endophora.report.json:render",
        "csv": "endophora.report.tidy:render",
        "latex": "endophora.report.latex:render",
        "html": "endophora.report.page:render",
    },
)
"""Format name → function from a result to the whole text of the report."""


def render(result: Result, format: str = "text") -> str:
    """Return a result in a format.

    Args:
        result: what an evaluation found, or a tagging without systems.
        format: a name of :data:`REPORTS`.

    Raises:
        InputError: no such format (E090).
    """
    return REPORTS.get(format)(result)


__all__ = ["REPORTS", "render", "write_report"]
