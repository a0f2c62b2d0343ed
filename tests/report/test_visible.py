"""Control characters are written out, and nothing else is touched."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.report.table import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("a\u2028b\x85c", "a\\u2028b\\x85c"),
        ("\ud800", "\\ud800"),
        ("שלום\u200f, être 😀", "שלום\u200f, être 😀"),
    ],
)
def test_visible_writes_controls_out(text, shown):
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=[])))
def test_visible_leaves_no_control_and_can_be_encoded(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs") for character in shown)
    assert not any(unicodedata.bidirectional(character) in ("RLO", "LRO", "RLE", "LRE", "PDF", "LRI", "RLI", "FSI", "PDI") for character in shown)  # fmt: skip  # noqa: E501
