"""Cuts weighed again in the other direction: how many words of each sentence are answered by the text beside it.

The program over all cuts adds up what each word of the text says, whatever other words of the stretch say. Whether a
word of the sentence has an answer depends on the stretch as a whole, on where it begins and where it ends. So a second
program looks at few places near each cut alone, in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from endophora.align.vocabulary import Answers

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 8
"""Gaps on each side of a cut that it may be moved to."""
ENDED, AWAY = 3, 60
"""Ends of sentences on each side that it may be moved to, if at most so many gaps away."""

Scores = Callable[[int, Ints, Ints], Floats]
"""What all but the other direction says for stretches of a sentence, from gaps to gaps, (gaps, gaps)."""


def recut(
    ends: Sequence[int],
    begins: Mapping[int, int],
    strange: frozenset[int],
    ended: NDArray[np.bool_],
    scores: Scores,
    answers: Answers,
) -> list[int]:
    """Return the gap after which the text of each sentence ends, with what is answered.

    Args:
        ends: the same without.
        begins: of sentences that do not begin where the one before ends, since an addition is between them.
        strange: sentences with text that answers to none of them.
        ended: at which gaps a sentence of the text ends.
        scores: what all else says.
        answers: how far the words of each sentence are answered.
    """
    fixed = strange | {unit - 1 for unit in (*strange, *begins)} | {len(ends) - 1}
    finals = np.flatnonzero(ended)
    at, best = np.zeros(1, dtype=np.int64), np.zeros(1)
    places, ways = list[Ints](), list[Ints]()
    for unit, end in enumerate(ends):
        to = np.array([end]) if unit in fixed else _places(end, finals, len(ended))
        if unit in begins:
            at = np.array([begins[unit]])
        total = best[:, None] + (0.0 if unit in strange else scores(unit, at, to) + answers(unit, at, to))
        way = total.argmax(axis=0)
        ways.append(way)
        places.append(to)
        at, best = to, total[way, np.arange(len(to))]
    found, place = list[int](), 0
    for to, way in zip(reversed(places), reversed(ways), strict=True):
        found.append(int(to[place]))
        place = int(way[place])
    return found[::-1]


def _places(end: int, finals: Ints, count: int) -> Ints:
    """Return the gaps that a cut may be moved to, in order."""
    place = int(np.searchsorted(finals, end))
    others = finals[max(0, place - ENDED) : place + ENDED]
    near = np.arange(max(0, end - NEAR), min(count, end + NEAR + 1))
    return np.union1d(near, others[np.abs(others - end) <= AWAY])
