"""A text to be cut: its words, the gaps between them, and what speaks for a border at each."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from endophora.align.borders import CLOSING, FINAL, OPENING, Border, Habits, border, bound, end_kind, start_kind
from endophora.align.ratios import Word
from endophora.corpus.scripts import unspaced
from endophora.signature import keyed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

USUAL = 0.05
"""Share of the sentences that may lack their sign in any text."""
BESIDE = 40
"""Characters that are looked at beside a sign that stands alone."""
LETTER = 0.5
"""What a letter of a script without spaces says, to a word of several."""

_BEGIN = itemgetter(1)
_LINE_END = re.compile("\n")


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The numbers that cuts depend on; all are logarithms of odds, or multiply them, but ``linked`` and ``spread``."""

    linked: float = 0.7  # share of words that come from a word of the sentence; the others come from nowhere
    source: float = 1.0  # what the words of the source say, times this
    reference: float = 1.0  # what those of the reference say
    answered: float = 0.5  # what the words of a sentence say, by the text that answers them
    translated: float = 0.8  # how far they and those about them are answered in a translation, mean of logarithms
    vectors: float = 20.0  # what vectors of sentences say, times a difference of cosines
    habit: float = 1.5  # what the words at a border say
    likeness: float = 1.0  # what is alike at a border of the source
    border: float = 7.0  # against a border where no sign is
    first: float = 1.4  # what the first words after a border say, beside those of the source and of the reference
    last: float = 0.5  # what the last words before it say
    together: float = 3.0  # against a border between letters, of scripts without spaces, that often follow each other
    lines: float = 1.5  # for a border at a line end
    omission: float = 9.0  # against a segment without text
    within: float = 6.0  # against a sentence without text of a segment of several
    unworded: float = 4.0  # against one without letters and digits
    addition: float = 16.0  # against a stretch of text without source
    strange: float = 20.0  # against a stretch that answers to no sentence in the place of one, as a refusal
    spread: float = 1.3  # of the length about what is expected, per root of a character (Laplace's distribution)
    farthest: float = 9.0  # what length speaks against a stretch at most


class Text:
    """A text to cut: its words, and the gaps between them at which it may be cut."""

    def __init__(self, text: str, words: Sequence[Word], start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.words = words
        self.start, self.end = start, len(text) if end is None else end
        before = np.array([word[2] for word in words[:-1]], dtype=np.int64)
        after = np.array([word[1] for word in words[1:]], dtype=np.int64)
        ends = np.array([match.start() for match in _LINE_END.finditer(text)], dtype=np.int64)
        lines = np.minimum(2, np.searchsorted(ends, after) - np.searchsorted(ends, before))
        closed, opened = (_marked(places, len(text)) for places in bound(text))
        free = (before < after) & ((lines > 0) | ~(closed[after] | opened[before]))
        for place in np.flatnonzero((before == after) & ~(closed[after] | opened[before])) if unspaced(text) else ():
            at = int(before[place])
            free[place] = unspaced(text[at - 2 : at + 2])
        gaps = np.flatnonzero(free)
        self.lines, self.tight = lines[gaps], (before == after)[gaps]
        self.gaps: Ints = np.array([0, *(gaps + 1), len(words)] if words else [0], dtype=np.int64)
        places = self.gaps.tolist()
        self.pieces = [text[words[a][1] : words[b - 1][2]] for a, b in pairwise(places)]
        # A dash or a quotation mark alone begins as what follows does, and ends as what is before it.
        ended, begun = accumulate(self.pieces[:-1], _joined), list(accumulate(self.pieces[:0:-1], _joined_before))[::-1]
        kinds_before, kinds_after = map(end_kind, ended), map(start_kind, begun)
        numbers: dict[Border, int] = {}
        kinds = [numbers.setdefault(pair, len(numbers)) for pair in zip(kinds_before, kinds_after, strict=True)]
        self.kinds: Ints = np.array(kinds, dtype=np.int64)
        self.borders = list(numbers)
        self.length: Floats = np.array([start, *(words[gap - 1][2] for gap in places[1:])], dtype=np.float64) - start

    @cached_property
    def forms(self) -> dict[str, int]:
        """Return the words, each once, with their numbers."""
        return {form: number for number, form in enumerate(dict.fromkeys(word[0] for word in self.words))}

    @cached_property
    def at(self) -> Ints:
        """Return the number of each word among the :attr:`forms`, (words,)."""
        return np.array([self.forms[word[0]] for word in self.words], dtype=np.int64)

    @cached_property
    def worth(self) -> Floats:
        """Return what each form counts, (forms,): a word of a script without spaces that is not known is in letters."""
        return np.array([LETTER if len(form) == 1 and unspaced(form) else 1.0 for form in self.forms])

    @cached_property
    def latest(self) -> Ints:
        """Return the form of the last word up to each, signs left out, (words,)."""
        plain = np.array([form[0].isalnum() for form in self.forms])[self.at]
        return self.at[np.maximum.accumulate(np.where(plain, np.arange(len(plain)), 0))]

    def part(self, first: int, last: int) -> Text:
        """Return the text from one gap to another."""
        a, b = int(self.gaps[first]), int(self.gaps[last])
        end = self.end if b == len(self.words) else self.words[b][1]
        return Text(self.text, self.words[a:b], self.words[a][1] if a else self.start, end)

    def words_of(self, start: int, end: int) -> Sequence[Word]:
        """Return the words of a span."""
        first = bisect_left(self.words, start, key=_BEGIN)
        return self.words[first : bisect_left(self.words, end, lo=first, key=_BEGIN)]

    def at_borders(self, source: Border | None, weights: Weights, rest: float) -> Floats:
        """Return what the signs at each gap say for a border, (gaps,); ``rest`` at the end of the text."""
        found = np.zeros(len(self.kinds) + 2)
        found[1:-1] = self._each([border(*one, source, weights.border, weights.likeness) for one in self.borders])
        found[-1] = rest
        return found

    def _each(self, of_kinds: Sequence[float]) -> Floats:
        """Return of each gap inside the text what is known of its kind, (gaps - 2,)."""
        return np.array(of_kinds, dtype=np.float64)[self.kinds]

    def _final(self) -> NDArray[np.bool_]:
        """Return at which gaps inside the text a sign ends a sentence, (gaps - 2,)."""
        return self._each([stop.strip('"') in FINAL for stop, _ in self.borders]) > 0

    @property
    def finals(self) -> int:
        """Return at how many gaps a sign ends a sentence, with the end of the text."""
        return bool(self.words) + (int(self._final().sum()) if len(self.kinds) else 0)

    def ended(self) -> NDArray[np.bool_]:
        """Return at which gaps a sentence or a line ends, (gaps,)."""
        ended = np.ones(len(self.gaps), dtype=bool)
        ended[1:-1] = self._final() | (self.lines > 0)
        return ended

    def by_words(self, habits: Habits, weights: Weights) -> Floats:
        """Return what the words and line ends at each gap say for a border, (gaps, 2), and to a small letter."""
        said = np.zeros((len(self.gaps), 2))
        if len(self.kinds):
            by_habit = weights.habit * habits.said(self.pieces)
            ends = np.where(self._final(), 0.0, by_habit[:-1, 2])
            score = weights.lines * self.lines + ends
            if self.tight.any():
                # A border between letters, and one behind a quotation that the sentence may go on after.
                some = (self._each([stop == "" or '"' in stop for stop, _ in self.borders]) > 0) & self.tight
                score -= np.where(some, weights.together * habits.together(self.pieces), 0.0)
            said[1:-1] = score[:, None] + by_habit[1:, :2]
        return said


def weights_of(usual: Weights, units: Sequence[str], texts: Sequence[Text]) -> Weights:
    """Return the weights for texts of some sentences: the more signs of these they lack, the less a border needs one.

    Such texts are cut off, so that lengths say less too. Of one text nobody can tell it from one that lacks a part.
    """
    ends = sum(end_kind(unit).strip('"') in FINAL for unit in units)
    lacking = ends - sum(text.finals for text in texts)
    if len(texts) < 2 or lacking <= USUAL * ends:
        return usual
    less = round(max(1.0, usual.border - math.log(lacking / ends / USUAL)), 1)
    return replace(usual, border=less, spread=usual.spread * math.sqrt(usual.border / less))


def _joined(before: str, piece: str) -> str:
    return piece if piece.rstrip(CLOSING) else f"{before[-BESIDE:]} {piece}"


def _joined_before(after: str, piece: str) -> str:
    return piece if piece.lstrip(OPENING) else f"{piece} {after[:BESIDE]}"


def _marked(places: Iterable[int], size: int) -> NDArray[np.bool_]:
    """Return which places of a text are among some, (size + 1,)."""
    found = np.zeros(size + 1, dtype=bool)
    found[list(places)] = True
    return found
