"""Cuts weighed again in the other direction: how many words of each sentence are answered by the text beside it.

The program over all cuts adds up what each word of the text says, whatever other words of the stretch say. Whether a
word of the sentence has an answer depends on the stretch as a whole, on where it begins and where it ends. So a second
program looks at few places near each cut alone, in pairs. What answers to nothing costs nothing where there is no text,
so that beside text that is no translation sentences would be left without any: there it has no say.
"""

from __future__ import annotations

from bisect import bisect_left
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

MARGIN = 16.0
"""How much worse than the best of all cuts, without the other direction, a cut at a place may be to be weighed."""

Scores = Callable[[Ints, Ints], Floats]
"""What all but the other direction says for stretches of each sentence, from gaps (sentences, begins) to gaps
(sentences, ends): (sentences, begins, ends)."""


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
    finals: list[int] = np.flatnonzero(ended).tolist()
    places = [[end] if unit in fixed else _places(end, finals, len(ended)) for unit, end in enumerate(ends)]
    starts = [[0], *places[:-1]]
    for unit, begin in begins.items():
        starts[unit : unit + 1] = [[begin]] if unit < len(ends) else []
    # A place that is there twice is chosen the first time.
    widest = max(map(len, places))
    start, end = (np.array([held + held[-1:] * (widest - len(held)) for held in each]) for each in (starts, places))
    said = scores(start, end)
    said[list(strange)] = 0.0
    near = _near(said)
    firsts = [begins.get(unit, before) for unit, before in enumerate([0, *ends[:-1]])]
    # What answers to none of the sentence says nothing of the text about it.
    lasts = [firsts[unit] if unit in strange else end for unit, end in enumerate(ends)]
    counted = answers.translated(firsts, lasts)
    counted[list(strange)] = False
    best, rows = np.zeros(1), np.zeros(1, dtype=np.int64)
    columns, ways = list[Ints](), list[Ints]()
    for unit, held in enumerate(places):
        some = np.flatnonzero(near[unit, : len(held)])
        if unit in begins:
            rows = rows[:1] * 0
        way = np.zeros(1, dtype=np.int64)
        if len(rows) > 1 or len(some) > 1:
            total = best[:, None] + said[unit][rows[:, None], some]
            if counted[unit]:
                total += answers(unit, start[unit, rows], end[unit, some])
            way = total.argmax(axis=0)
            best = total[way, np.arange(len(some))]
        ways.append(way)
        columns.append(some)
        rows = some
    found, place = list[int](), 0
    for held, some, way in zip(reversed(places), reversed(columns), reversed(ways), strict=True):
        found.append(held[int(some[place])])
        place = int(way[place])
    return found[::-1]


def _near(said: Floats) -> NDArray[np.bool_]:
    """Return which ends are in a way that is not much worse than the best, (sentences, ends)."""
    ahead, behind = [np.zeros(said.shape[1])], [np.zeros(said.shape[2])]
    for each in said:
        ahead.append((ahead[-1][:, None] + each).max(axis=0))
    for each in said[:0:-1]:
        behind.append((each + behind[-1]).max(axis=1))
    return np.stack(ahead[1:]) + np.stack(behind[::-1]) >= ahead[-1].max() - MARGIN


def _places(end: int, finals: Sequence[int], count: int) -> list[int]:
    """Return the gaps that a cut may be moved to, in order."""
    first, last, place = max(0, end - NEAR), min(count - 1, end + NEAR), bisect_left(finals, end)
    others = [one for one in finals[max(0, place - ENDED) : place + ENDED] if abs(one - end) <= AWAY]
    before, after = (one for one in others if one < first), (one for one in others if one > last)
    return [*before, *range(first, last + 1), *after]
