"""Finds texts whose lines are shifted against the source: one line too many here, one too few further on.

A segment and its translation share names, numbers and cognates, so they share more runs of four letters than a segment
and the neighbour's translation: on NTREX at least three times as many in each of 21 languages, also Chinese and Arabic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

RUN = 4
BLOCKS, BLOCK = 8, 24
"""How many blocks of neighbouring segments are looked at, spread evenly: some 15 ms a text."""

REACH = 2
"""By how many lines at most a shift is looked for."""

TIMES = 2.0
"""How many times more a shifted block has in common with the shifted source than with its own lines, …"""

COMMON = 0.25
"""… and how much it has in common at least: the sum over a block of shares of runs of letters."""

IN_PLACE = 0.08
"""The mean share from which a block is in its place: with a neighbour's translation NTREX has 0.06 at most."""

AGREED = 2
"""How many blocks have to agree."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift of a text.

    Attributes:
        lines: how many lines lower the text stands than the source; negative if higher.
        index: index of the first segment that was found shifted.
    """

    lines: int
    index: int


def find_shift(source: Sequence[str], text: Sequence[str]) -> Shift | None:
    """Return the shift of a text against its source, if it is clear.

    Args:
        source: the segments of the source.
        text: those of a translation.
    """
    size = min(len(source), len(text))
    if size < BLOCK + 2 * REACH:
        return None
    found: dict[int, list[int]] = {}
    last = size - BLOCK - REACH
    for begin in sorted({REACH + (last - REACH) * number // (BLOCKS - 1) for number in range(BLOCKS)}):
        if lines := _shift_of_block(source, text, begin):
            found.setdefault(lines, []).append(begin)
    lines, begins = max(found.items(), key=lambda one: len(one[1]), default=(0, list[int]()))
    return Shift(lines, begins[0]) if len(begins) >= AGREED else None


def _shift_of_block(source: Sequence[str], text: Sequence[str], begin: int) -> int:
    """Return by how many lines a block stands lower than its source; 0 if it does not, or is not clear."""
    ours = [_runs(one) for one in text[begin : begin + BLOCK]]
    own_lines = sum(map(_share, map(_source_runs, source[begin : begin + BLOCK]), ours))
    if own_lines >= IN_PLACE * BLOCK:
        return 0
    theirs = [_source_runs(one) for one in source[begin - REACH : begin + BLOCK + REACH]]
    common: dict[int, float] = dict.fromkeys(range(-REACH, REACH + 1), 0.0)
    supported: Counter[int] = Counter()
    for place, own in enumerate(ours):
        shares = {step: _share(theirs[REACH + place - step], own) for step in range(-REACH, REACH + 1)}
        for step, share in shares.items():
            common[step] += share
            supported[step] += share > shares[0]
    lines = max(common, key=lambda step: common[step])
    clear = common[lines] >= max(COMMON, TIMES * common[0]) and supported[lines] >= BLOCK // 6
    return lines if clear else 0


@lru_cache(maxsize=512)
def _source_runs(text: str) -> frozenset[str]:
    """Return the runs of a source segment, which are the same for every system."""
    return _runs(text)


def _runs(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(folded[start : start + RUN] for start in range(len(folded) - RUN + 1))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)
