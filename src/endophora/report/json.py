"""The result as JSON, as ``result.json`` holds it and :mod:`endophora.report.schema` describes it."""

from __future__ import annotations

from endophora.evaluation.result import Result


def render(result: Result) -> str:
    """Return the result as JSON, one line a field, ending in a newline."""
    return result.model_dump_json(indent=1) + "\n"
