from __future__ import annotations

from endophora.signature import format_signature

ITEMS = [("case", "c", "mixed"), ("eff", "e", False), ("seed", "s", None), ("nrefs", "#", 2)]


def test_keys_keep_their_order_and_missing_values_are_left_out():
    assert format_signature(ITEMS) == "case:mixed|eff:no|nrefs:2"


def test_short_keys():
    assert format_signature(ITEMS, short=True) == "c:mixed|e:no|#:2"
