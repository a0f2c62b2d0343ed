"""Results as JSON."""

from __future__ import annotations

from endophora.report.formats import json as render

__all__ = ["render"]
