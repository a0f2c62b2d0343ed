"""Test suites: items that need context, read, written, described, and scored."""

from __future__ import annotations

from endophora.suites.records import Antecedent, Item, Pair, Suite, Variant

__all__ = ["Antecedent", "Item", "Pair", "Suite", "Variant"]
