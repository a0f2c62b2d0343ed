"""Texts from data, made safe to show."""

from __future__ import annotations

from endophora.report.table import visible

__all__ = ["visible"]
