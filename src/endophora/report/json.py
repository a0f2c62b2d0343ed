"""Results as JSON, as ``result.json`` holds them and :mod:`endophora.report.schema` describes them."""

from __future__ import annotations

from pydantic import BaseModel


def render(result: BaseModel) -> str:
    """Return a typed result as JSON, one line a field, ending in a newline."""
    return result.model_dump_json(indent=1) + "\n"
