"""Text from data, made safe to show: what would steer a terminal or reorder a line becomes a visible escape."""

from __future__ import annotations

import re

_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return the text with its control characters written out, ``\x1b`` for an escape character.

    Replaced are the C0 and C1 controls, line and paragraph separators, bidirectional embeddings, overrides and
    isolates, and lone surrogates, which no file could hold. Marks that right-to-left text needs (U+200E, U+200F,
    joiners) stay.
    """
    return _STEERING.sub(lambda found: _written_out(found[0]), text)


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
