"""Whether the lines of a text translate the segments of their numbers, or others near them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endophora.align.ratios import Ratios, Word, product
from endophora.corpus.records import Corpus
from endophora.errors import Fault

LINES, BLOCKS = 100, 4
"""Lines that are looked at in one place, and in how many places of a text, spread evenly."""
NEAR = 5
"""Segments on either side with which a line is compared."""
LINKED = 0.7
"""Share of words that come from a word of the segment."""
CLEAR = 4.0
"""By how much, as a logarithm, a line's words speak more for one segment than for another."""
FEWEST_WORDS = 4
"""Words from which on a line is judged."""
FEWEST, MOST = 20, 0.05
"""Fewest lines that say something, and the share of those elsewhere above which lines do not belong to their segments.
In right texts of benchmarks/resegment.py it is .013 at most; where 4 lines were joined and 4 cut, .18 at least."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How many lines say which segment they translate, and how many of these name another than their own."""

    judged: int
    elsewhere: int

    @property
    def clear(self) -> bool:
        """Whether lines clearly do not belong to their segments."""
        return self.judged >= FEWEST and self.elsewhere > MOST * self.judged


def find_elsewhere(ratios: Ratios, segments: Sequence[str], lines: Sequence[str]) -> Elsewhere:
    """Return how many lines translate another segment than that of their number; both are as many."""
    starts = {round(number * max(0, len(lines) - LINES) / (BLOCKS - 1)) for number in range(BLOCKS)}
    numbers = sorted({at for start in starts for at in range(start, min(len(lines), start + LINES))})
    judged = elsewhere = 0
    for begin in range(0, len(numbers), LINES):
        some = numbers[begin : begin + LINES]
        one, other = _in_block(ratios, segments, lines, some)
        judged += one
        elsewhere += other
    return Elsewhere(judged, elsewhere)


def _in_block(ratios: Ratios, segments: Sequence[str], lines: Sequence[str], numbers: Sequence[int]) -> tuple[int, int]:
    split_source, split_target = ratios.splitters
    low, high = max(0, numbers[0] - NEAR), min(len(segments), numbers[-1] + NEAR + 1)
    units = [split_source(segment) for segment in segments[low:high]]
    words = [split_target(lines[number]) for number in numbers]
    one, other = _vocabulary(units), _vocabulary(words)
    shares = np.zeros((len(one), len(units)))
    for place, unit in enumerate(units):
        for form, _, _ in unit:
            shares[one[form], place] += 1 / max(FEWEST_WORDS, len(unit))
    said = np.log(1 - LINKED + LINKED * product(ratios.pairs(list(one), list(other)), (len(one), len(other)), shares))
    judged = elsewhere = 0
    for number, line in zip(numbers, words, strict=True):
        if len(line) < FEWEST_WORDS:
            continue
        scores = said[[other[form] for form, _, _ in line]].sum(axis=0)
        own, first = float(scores[number - low]), max(0, number - NEAR - low)
        scores[number - low] = -np.inf
        best = float(scores[first : number + NEAR + 1 - low].max())
        judged += max(own, best) >= CLEAR
        elsewhere += best >= CLEAR and best - own > CLEAR
    return judged, elsewhere


def _vocabulary(texts: Sequence[Sequence[Word]]) -> dict[str, int]:
    return {form: place for place, form in enumerate(dict.fromkeys(word[0] for text in texts for word in text))}


def doubt_lines(corpus: Corpus) -> list[str]:
    """Return coded warnings of systems whose lines clearly translate other segments than their own."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    ratios = Ratios(corpus.source_language, corpus.target_language)
    source, found = [segment.source for segment in segments], list[str]()
    cut = {one.system for one in corpus.realigned}
    for name in corpus.systems:
        if name in cut or any("E390" in one and f"“{name}”" in one for one in corpus.warnings):
            continue
        said = find_elsewhere(ratios, source, [segment.outputs[name] for segment in segments])
        if said.clear:
            cause = f"{said.elsewhere} of {said.judged} lines looked at in system “{name}” translate another segment"
            found.append(str(Fault("E393", cause, "cut its text again: --resegment with --system NAME=FILE", name)))
    return found
