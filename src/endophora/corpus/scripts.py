"""Scripts that set no spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""

from __future__ import annotations

import re

LETTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Their letters, as ranges in a character class."""

# Their signs too: what follows a full stop of theirs follows without a space.
IS_UNSPACED = re.compile(rf"[{LETTERS}\u3000-\u3004\uff01-\uff65]")
_BREAK = re.compile(r"(?<!\s)\s*\n\s*")


def unspaced(text: str) -> bool:
    """Return whether a text has letters or signs of a script that sets no spaces between words."""
    return not text.isascii() and IS_UNSPACED.search(text) is not None


def in_one_line(text: str) -> str:
    """Return a text without line ends; a space is in their place, but not in scripts without spaces."""

    def joint(match: re.Match[str]) -> str:
        return "" if unspaced(text[match.start() - 1 : match.start()]) else " "

    return _BREAK.sub(joint, text.strip())
