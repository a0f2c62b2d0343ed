"""Where the sub-words of a text stand in it, by a tokenizer's offsets or by the written pieces alone."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

Span = tuple[int, int]
"""Beginning and end in a text, in characters."""

BLANK = "▁"
"""How SentencePiece writes a blank."""


def covering(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """Return spans that begin where they did or before, in order, and cover every character that is no blank.

    Characters that a tokenizer has dropped go to the piece before them, or to the first one. Pieces that share a
    character (bytes of one) keep it all, and blanks at the edges are cut off.
    """
    made: list[Span] = []
    # What was covered by the pieces so far, and the piece that the next dropped characters go to.
    covered = 0
    for number, (begin, end) in enumerate(spans):
        begin, end = min(begin, len(text)), min(max(begin, end), len(text))
        if begin > covered and text[covered:begin].strip():
            if number and made[-1][1] > made[-1][0]:
                made[-1] = _trimmed(made[-1][0], begin, text)
            else:
                begin = covered
        made.append(_trimmed(begin, end, text))
        covered = max(covered, end)
    if made and text[covered:].strip():
        last = next((place for place in range(len(made) - 1, -1, -1) if made[place][1] > made[place][0]), len(made) - 1)
        begin = made[last][0] if made[last][1] > made[last][0] else covered
        made[last] = _trimmed(begin, len(text), text)
    return tuple(made)


def _trimmed(begin: int, end: int, text: str) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    return begin, end


def written_spans(pieces: Sequence[str], text: str) -> tuple[Span, ...]:
    """Return the spans of pieces of which only the writing is known.

    Where the text was changed before it was cut (Unicode normalisation, lower case), the longest runs that are the same
    tell what belongs together.

    Args:
        pieces: (T,) the pieces, a blank written as :data:`BLANK` or not at all.
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    solid = "".join(text[place] for place in places)
    surfaces = [piece.replace(BLANK, "").replace(" ", "") for piece in pieces]
    joined = "".join(surfaces)
    found = _matched(joined, solid)
    spans: list[Span] = []
    taken = 0
    for surface in surfaces:
        first, last = found[taken], found[taken + len(surface)]
        taken += len(surface)
        at = places[first] if first < len(places) else len(text)
        spans.append((at, places[last - 1] + 1) if last > first else (at, at))
    return covering(spans, text)


def _matched(joined: str, solid: str) -> list[int]:
    """Return for each place between characters of one text the place in the other that it corresponds to."""
    if joined == solid:
        return list(range(len(solid) + 1))
    found = [0] * (len(joined) + 1)
    blocks = SequenceMatcher(None, joined, solid, autojunk=False).get_matching_blocks()
    last, other = 0, 0
    for block in blocks:
        wide, deep = block.a - last, block.b - other
        for step in range(wide):
            # What does not match is shared out evenly.
            found[last + step] = other + deep * step // wide
        for step in range(block.size):
            found[block.a + step] = block.b + step
        last, other = block.a + block.size, block.b + block.size
    found[-1] = len(solid)
    return found
