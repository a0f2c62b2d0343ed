"""How much one input may ask for: what is beyond is refused with its place before any work begins."""

from __future__ import annotations

LONGEST_SEGMENT = 50_000
"""Characters that a segment may have, on either side: some 8,000 words, more than any text that is judged as one."""

LONGEST_LINE = 1 << 26
"""Bytes that a line of a file may have."""


def too_long(text: str) -> str:
    """Return what is wrong with the length of a segment; empty if nothing is (E345)."""
    if len(text) <= LONGEST_SEGMENT:
        return ""
    return f"the segment has {len(text):,} characters, and {LONGEST_SEGMENT:,} is the most"


SPLIT_ADVICE = "split it, in all files at the same places: a segment is a sentence or a paragraph"
"""What to do about a segment that is too long."""
