"""Text in lines of its own → the segments of its source: cuts between its words, found by a dynamic program.

The source is taken sentence by sentence; each sentence gets a stretch of the text, in order, which may be empty. A
stretch is judged by its words, by how much more likely each is beside the words of the sentence than alone (and beside
those of the reference, where there is one), by its length, and by its border: whether text ends and begins there as the
source does. A border can be anywhere; text that answers to no sentence is an addition, which the segment before keeps.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from endophora.align.borders import FINAL, Border, Habits, border, bound, end_kind, sentences, start_kind
from endophora.align.ratios import Ratios, Word, product
from endophora.corpus.scripts import unspaced
from endophora.signature import digest_of, keyed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


MOST_CELLS = 1 << 22
"""Sentences times places to cut, above which a text is long."""
WINDOW = 150
"""Sentences of the source that are looked at at once in a long text."""
ROOM, SLACK = 1.7, 2_000
"""Times as much text as is expected for these, and so many characters more."""

NEVER = 30.0
"""Against an addition that begins or ends inside a sentence."""

MOST = 3.0
"""What a pair of words at a border says at most, before it is weighed."""


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The numbers that cuts depend on; all are logarithms of odds, or multiply them, but ``linked`` and ``spread``."""

    linked: float = 0.7  # share of words that come from a word of the sentence; the others come from nowhere
    source: float = 1.0  # what the words of the source say, times this
    reference: float = 1.0  # what those of the reference say
    habit: float = 2.0  # what the words at a border say
    likeness: float = 1.0  # what is alike at a border of the source
    border: float = 6.5  # against a border where no sign is
    first: float = 1.4  # what the first words after a border say, beside those of the source and of the reference
    last: float = 0.5  # what the last words before it say
    lines: float = 1.5  # for a border at a line end
    omission: float = 9.0  # against a sentence without text
    addition: float = 16.0  # against a stretch of text without source
    spread: float = 1.3  # of the length about what is expected, per root of a character (Laplace's distribution)
    farthest: float = 9.0  # what length speaks against a stretch at most


@dataclass(frozen=True, slots=True)
class Cut:
    """A text in the segments of its source.

    Attributes:
        spans: of each segment, where its text begins and ends; one after the other they are the whole text.
        additions: stretches of the text that answer to no sentence of the source.
        omissions: numbers of the segments that have no text.
    """

    spans: tuple[tuple[int, int], ...]
    additions: tuple[tuple[int, int], ...]
    omissions: tuple[int, ...]


class Text:
    """A text to cut: its words, and the gaps between them at which it may be cut."""

    def __init__(self, text: str, words: Sequence[Word], start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.words = words
        self.start, self.end = start, len(text) if end is None else end
        gaps, self.lines = list[int](), list[int]()
        closed, opened = bound(text)
        for place in range(1, len(words)):
            before, after = words[place - 1][2], words[place][1]
            lines = min(2, text.count("\n", before, after))
            if not lines and (after in closed or before in opened):
                continue
            if before < after:
                gaps.append(place)
                self.lines.append(lines)
            elif unspaced(text[before - 2 : before] + text[after : after + 2]):
                gaps.append(place)
                self.lines.append(0)
        self.gaps: Ints = np.array([0, *gaps, len(words)] if words else [0], dtype=np.int64)
        places = self.gaps.tolist()
        self.pieces = [text[words[a][1] : words[b - 1][2]] for a, b in pairwise(places)]
        ends, starts = list(map(end_kind, self.pieces[:-1])), list(map(start_kind, self.pieces[1:]))
        numbers: dict[Border, int] = {}
        self.kinds = [numbers.setdefault(pair, len(numbers)) for pair in zip(ends, starts, strict=True)]
        self.borders = list(numbers)
        self.length: Floats = np.array([start, *(words[gap - 1][2] for gap in places[1:])], dtype=np.float64) - start

    def part(self, first: int, last: int) -> Text:
        """Return the text from one gap to another."""
        a, b = int(self.gaps[first]), int(self.gaps[last])
        end = self.end if b == len(self.words) else self.words[b][1]
        return Text(self.text, self.words[a:b], self.words[a][1] if a else self.start, end)

    def at_borders(self, source: Border | None, weights: Weights, rest: float) -> Floats:
        """Return what the signs at each gap say for a border, (gaps,); ``rest`` at the end of the text."""
        scores = np.array([border(*one, source, weights.border, weights.likeness) for one in self.borders])
        return np.array([0.0, *scores[self.kinds], rest]) if self.kinds else np.array([0.0, rest])

    def ended(self) -> NDArray[np.bool_]:
        """Return at which gaps a sentence or a line ends, (gaps,)."""
        signs = (self.borders[kind][0].strip('"') in FINAL for kind in self.kinds)
        inside = [end or line > 0 for end, line in zip(signs, self.lines, strict=True)]
        return np.array([True, *inside, True])[: len(self.gaps)]

    def by_words(self, habits: Habits, weights: Weights) -> Floats:
        """Return what the words and line ends at each gap say for a border, (gaps, 2), and to a small letter."""
        final = [stop.strip('"') in FINAL for stop, _ in self.borders]
        inside = list[tuple[float, float]]()
        for (before, piece), kind, lines in zip(pairwise(self.pieces), self.kinds, self.lines, strict=True):
            score = weights.lines * lines + (0.0 if final[kind] else weights.habit * habits.ends(before))
            usual, small = habits.starts(piece)
            inside.append((score + weights.habit * usual, score + weights.habit * small))
        return np.array([(0.0, 0.0), *inside, (0.0, 0.0)][: len(self.gaps)])


class Resegmenter:
    """Cuts texts of a pair of languages; what texts to learn how sentences begin and end from, the caller says."""

    def __init__(self, source_language: str, target_language: str, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        self._across = Ratios(source_language, target_language)
        self._within = Ratios(target_language, target_language)
        split = self._across.splitters
        self._split_source, self._split_reference = (lru_cache(maxsize=1 << 14)(each) for each in split)
        self._split = split[1]
        # A reference is the same for every output.
        self.pieces = lru_cache(maxsize=1 << 14)(self._pieces)

    def _pieces(self, line: str) -> list[str]:
        return self.read(line).pieces

    @property
    def signature(self) -> tuple[str, str]:
        """What cuts depend on besides the texts."""
        return digest_of(self.weights), self._across.hash

    @property
    def ratios(self) -> Ratios:
        """What is known of the words of both languages."""
        return self._across

    @property
    def has_priors(self) -> bool:
        """Whether translations of words are known beforehand."""
        return self._across.has_priors

    def read(self, text: str) -> Text:
        """Return a text to cut."""
        return Text(text, self._split(text))

    def cut(
        self, segments: Sequence[str], text: Text, reference: Sequence[str] = (), habits: Habits | None = None
    ) -> Cut:
        """Cut a text into the translations of segments; ``reference`` has theirs, in the language of the text.

        What is long is cut from its beginning on, some hundred segments at a time, of which half are kept.
        """
        habits = habits or Habits([text.pieces])
        sizes = [len(sentences(segment)) for segment in segments]
        if not text.words or not any(sizes):
            spans = [(text.start, text.start)] * (len(segments) - 1) + [(text.start, text.end)]
            return Cut(tuple(spans), (), tuple(range(len(segments) - bool(text.words))))
        rate = (text.end - text.start) / sum(map(len, segments))
        cuts, additions = list[tuple[int, int]](), list[tuple[int, int]]()
        gap, at, last = 0, 0, len(text.gaps) - 1
        begins: list[int] = [text.words[place][1] for place in text.gaps[:-1].tolist()]
        while at < len(segments):
            until = len(segments)
            if sum(sizes) * last > MOST_CELLS:
                until = min(until, at + max(2, bisect_left(list(accumulate(sizes[at:])), WINDOW)))
            whole = until == len(segments)
            room = ROOM * rate * sum(map(len, segments[at:until])) + SLACK
            stop = last if whole else min(last, int(np.searchsorted(text.length, float(text.length[gap]) + room)))
            part = text.part(gap, stop) if gap or stop < last else text
            cut = self._cut(segments[at:until], part, reference[at:until], habits, None if whole else rate)
            kept = until - at if whole else (until - at) // 2
            cuts += cut.spans[:kept]
            additions += [one for one in cut.additions if one[0] < cuts[-1][1]]
            at += kept
            gap = bisect_left(begins, cuts[-1][1])
        cuts[-1] = cuts[-1][0], text.end
        empty = (number for number, (a, b) in enumerate(cuts) if not text.text[a:b].strip())
        return Cut(tuple(cuts), tuple(additions), tuple(empty))

    def _cut(
        self, segments: Sequence[str], text: Text, reference: Sequence[str], habits: Habits, rate: float | None
    ) -> Cut:
        """Cut a text that is not long; with a ``rate`` of characters, it continues behind the last segment."""
        units = [(number, segment[a:b]) for number, segment in enumerate(segments) for a, b in sentences(segment)]
        if not text.words or not units:
            return Cut(tuple((text.start, text.start) for _ in segments), (), ())
        numbers = [number for number, _ in units]
        across = _Evidence([self._split_source(unit) for _, unit in units], text, self._across, self.weights.linked)
        gained = self.weights.source * across.gained()
        at_border = self._at_border(across)
        if reference and self.weights.reference:
            own = _Evidence([self._split_reference(one) for one in reference], text, self._within, self.weights.linked)
            gained += self.weights.reference * own.gained()[:, numbers]
            changes = [place for place, (a, b) in enumerate(pairwise(numbers)) if a != b]
            at_border[:, changes] += self._at_border(own)[:, [numbers[place] for place in changes]]
        small = [int(start_kind(unit).strip('"') == "low") for _, unit in units[1:]]
        at_border += text.by_words(habits, self.weights)[:, [*small, 0]]
        ends, added = _Program([unit for _, unit in units], text, gained, at_border, self.weights, rate).run()
        return _assemble(len(segments), numbers, text, ends, added)

    def _at_border(self, evidence: _Evidence) -> Floats:
        """Return what words say for a border at each gap after each unit, (gaps, units)."""
        said = self.weights.last * evidence.last()
        said[:, :-1] += self.weights.first * evidence.first()[:, 1:]
        return said


class _Evidence:
    """What words say: of the text for each unit of the source, and of those at a border of both."""

    def __init__(self, units: Sequence[Sequence[Word]], text: Text, ratios: Ratios, linked: float) -> None:
        one = {form: place for place, form in enumerate(dict.fromkeys(word[0] for unit in units for word in unit))}
        other = {form: place for place, form in enumerate(dict.fromkeys(word[0] for word in text.words))}
        self._pairs = ratios.pairs(list(one), list(other))
        self._source = [[one[word[0]] for word in unit] for unit in units]
        self._target = np.array([other[word[0]] for word in text.words])
        self._gaps = text.gaps
        self._sizes = len(one), len(other)
        self._linked = linked
        # The last word up to each, signs left out.
        plain = [place if word[0][0].isalnum() else 0 for place, word in enumerate(text.words)]
        self._latest = np.maximum.accumulate(np.array(plain, dtype=np.int64))
        self._last = [
            next((at for at, word in zip(ids[::-1], unit[::-1], strict=True) if word[0][0].isalnum()), -1)
            for ids, unit in zip(self._source, units, strict=True)
        ]

    def gained(self) -> Floats:
        """Return the sum of what the words before each gap say, (gaps, units)."""
        units, sizes = len(self._source), np.array(list(map(len, self._source)))
        shares = np.zeros((self._sizes[0], units))
        numbers = np.repeat(np.arange(units), sizes)
        np.add.at(
            shares,
            (np.array([place for unit in self._source for place in unit], dtype=np.int64), numbers),
            1 / np.maximum(4, sizes)[numbers],
        )
        sums = product(self._pairs, self._sizes, shares)
        scores = np.log(1 - self._linked + self._linked * sums)
        gained = np.zeros((len(self._target) + 1, units))
        np.cumsum(scores[self._target], axis=0, out=gained[1:])
        return gained[self._gaps]

    def first(self) -> Floats:
        """Return what is said for a border before each unit by the words after a gap, (gaps, units)."""
        return self._beside([unit[0] if unit else -1 for unit in self._source], self._gaps[:-1], slice(0, -1))

    def last(self) -> Floats:
        """Return what is said for a border after each unit by the words before a gap, (gaps, units)."""
        return self._beside(self._last, self._latest[self._gaps[1:] - 1], slice(1, None))

    def _beside(self, words: Sequence[int], places: Ints, gaps: slice) -> Floats:
        rows, columns, ratio = self._pairs
        table = np.zeros((self._sizes[1], len(words)))
        where = defaultdict[int, list[int]](list)
        for unit, word in enumerate(words):
            where[word].append(unit)
        for at in np.flatnonzero(np.isin(rows, list(where))).tolist():
            table[columns[at], where[int(rows[at])]] = min(MOST, math.log1p(float(ratio[at])))
        found = np.zeros((len(self._gaps), len(words)))
        found[gaps] = table[self._target[places]]
        return found


class _Program:
    """The dynamic program over sentences and gaps; its memory is the product of both, its time little more."""

    def __init__(
        self, units: Sequence[str], text: Text, gained: Floats, at_border: Floats, weights: Weights, rate: float | None
    ) -> None:
        self._units = units
        self._text = text
        self._gained = gained
        self._at_border = at_border
        self._weights = weights
        lengths = np.array([len(unit.strip()) + 1 for unit in units], dtype=np.float64)
        self._expected: Floats = lengths * (text.length[-1] / lengths.sum() if rate is None else rate)
        self._open = rate is not None
        self._slope: Floats = 1 / (weights.spread * np.sqrt(self._expected))
        self._any = np.minimum(0, text.at_borders(None, weights, 0.0)) - np.where(text.ended(), 0, NEVER)

    def run(self) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Return the gap after which the text of each unit ends; and, behind which unit, stretches that are of none."""
        weights, count = self._weights, len(self._text.gaps)
        kinds = [
            (end_kind(one), start_kind(other)) for one, other in zip(self._units, [*self._units[1:], ""], strict=True)
        ]
        signs = {kind: self._text.at_borders(kind, weights, 6.0) for kind in set(kinds)}
        best = self._any - weights.addition
        best[0] = 0
        held: list[tuple[Floats, Floats, Floats]] = []
        for number, kind in enumerate(kinds):
            filled = self._filled(best, number) + self._gained[:, number] + signs[kind] + self._at_border[:, number]
            filled = np.maximum(filled, best - weights.omission)
            opened = np.maximum.accumulate(filled + self._any) - weights.addition + self._any
            held.append((best, filled, opened))
            best = np.maximum(filled, opened)
        return self._back(held, int(np.argmax(best)) if self._open else count - 1)

    def _filled(self, before: Floats, number: int) -> Floats:
        """Return of each gap the best start before it, less what the length of the stretch speaks against it."""
        length, expected, slope = self._text.length, self._expected[number], self._slope[number]
        before = before - self._gained[:, number]
        result = np.full(len(before), -np.inf)
        # Whatever the length.
        result[1:] = np.maximum.accumulate(before)[:-1] - self._weights.farthest
        # Longer than expected: the start is at or before the expected one.
        middle: Ints = np.searchsorted(length, length - float(expected), side="right")
        some = np.flatnonzero(middle)
        rising = np.maximum.accumulate(before + slope * length)
        result[some] = np.maximum(result[some], rising[middle[some] - 1] - slope * (length[some] - expected))
        # Shorter: it is after that, up to the gap before this one.
        top = _range_maximum(before - slope * length, middle, np.arange(len(before)))
        return np.maximum(result, top + slope * (length - expected))

    def _back(
        self, held: Sequence[tuple[Floats, Floats, Floats]], at: int
    ) -> tuple[list[int], list[tuple[int, int, int]]]:
        ends, added = list[int](), list[tuple[int, int, int]]()
        for number in range(len(held) - 1, -1, -1):
            before, filled, opened = held[number]
            if opened[at] > filled[at]:
                start = int(np.argmax((filled + self._any)[: at + 1]))
                added.append((number, start, at))
                at = start
            ends.append(at)
            if before[at] - self._weights.omission >= filled[at]:
                continue
            away = self._text.length[at] - self._text.length[:at]
            against = np.minimum(np.abs(away - self._expected[number]) * self._slope[number], self._weights.farthest)
            at = int(np.argmax(before[:at] - self._gained[:at, number] - against))
        if at:
            added.append((-1, 0, at))
        return ends[::-1], added[::-1]


def _range_maximum(values: Floats, starts: Ints, stops: Ints) -> Floats:
    """Return the largest value from each start up to, without, its stop; −∞ for none."""
    result = np.full(len(starts), -np.inf)
    sizes = stops - starts
    if not (sizes > 0).any():
        return result
    levels = [values]
    while 2 << (len(levels) - 1) <= int(sizes.max()):
        last, step = levels[-1], 1 << (len(levels) - 1)
        levels.append(np.maximum(last, np.concatenate((last[step:], np.full(min(step, len(last)), -np.inf)))))
    table = np.stack(levels)
    some = np.flatnonzero(sizes > 0)
    level = np.frexp(sizes[some].astype(np.float64))[1] - 1
    result[some] = np.maximum(table[level, starts[some]], table[level, stops[some] - (1 << level)])
    return result


def _assemble(
    segments: int, numbers: Sequence[int], text: Text, ends: Sequence[int], added: Sequence[tuple[int, int, int]]
) -> Cut:
    """Return the cut: a segment ends where its last sentence does; an addition belongs to what is before it.

    An addition beside a segment without text is no addition: it is that segment's text, whatever it says.
    """
    begins = [0, *ends[:-1]]
    for unit, _, end in added:
        begins[unit + 1 : unit + 2] = [end] if unit + 1 < len(ends) else []
    filled = {number for number, begin, end in zip(numbers, begins, ends, strict=True) if end > begin}
    last = dict(zip(numbers, ends, strict=True))
    kept = list[tuple[int, int]]()
    for unit, begin, end in added:
        before = numbers[unit] if unit >= 0 else -1
        after = numbers[unit + 1] if unit + 1 < len(numbers) else -1
        if before >= 0 and (after < 0 or after == before or after in filled or before not in filled):
            last[before] = max(last[before], end)
        if (before < 0 or before in filled) and (after < 0 or after in filled):
            kept.append((begin, end))
    words = text.words
    spans = list[tuple[int, int]]()
    start = text.start
    for number in range(segments):
        gap = int(text.gaps[last[number]]) if number in last else -1
        end = start if gap < 0 else text.end if gap == len(words) else max(start, words[gap][1])
        spans.append((start, end))
        start = end
    additions = tuple((words[int(text.gaps[a])][1], words[int(text.gaps[b]) - 1][2]) for a, b in kept)
    return Cut(tuple(spans), additions, ())
