"""How much one input may ask for: what is beyond is refused with its place before any work begins."""

from __future__ import annotations

LONGEST_SEGMENT = 50_000
"""Characters that a segment may have, on either side: some 8,000 words, more than any text that is judged as one."""

LONGEST_LINE = 1 << 26
"""Bytes that a line of a file may have."""


MOST_DIGITS = 15
"""Digits that a number in a file may have: Python itself reads no more than 4,300, and no count has more than these."""


def whole_number(text: str) -> int | None:
    """Return the whole number, from 0, that a text is; ``None`` if it is none or has too many digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def too_long(text: str) -> str:
    """Return what is wrong with the length of a segment; empty if nothing is (E345)."""
    if len(text) <= LONGEST_SEGMENT:
        return ""
    return f"the segment has {len(text):,} characters, and {LONGEST_SEGMENT:,} is the most"


SPLIT_ADVICE = "split it, in all files at the same places: a segment is a sentence or a paragraph"
"""What to do about a segment that is too long."""
