"""Text in lines of its own → the segments of its source: cuts between its words, found by a dynamic program.

The source is taken sentence by sentence; each sentence gets a stretch of the text, in order, which may be empty. A
stretch is judged by its words, by how much more likely each is beside the words of the sentence than alone (and beside
those of the reference, where there is one), by its length, and by its border: whether text ends and begins there as the
source does. A border can be anywhere; text that answers to no sentence is an addition, which the segment before keeps.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from endophora.align.borders import Habits, sentences, start_kind
from endophora.align.coverage import recut
from endophora.align.encoders import Encoder, Vectors
from endophora.align.guide import Guide, find_guide
from endophora.align.lines import doubted_stretches
from endophora.align.program import Program
from endophora.align.ratios import Ratios
from endophora.align.text import Text, Weights, weights_of
from endophora.align.vocabulary import Evidence, Units, Vocabulary, numbered
from endophora.signature import digest_of

Floats = NDArray[np.float64]

MOST_CELLS = 1 << 22
"""Sentences times places to cut, above which a text is long."""
MOST_GUIDED = 2
"""Times as many there are at most in a window that ends where source and text are known to be beside each other."""
WINDOW = 150
"""Sentences of the source that are looked at at once in a long text."""
ROOM, SLACK = 1.7, 2_000
"""Times as much text as is expected for these, and so many characters more."""
STEP = 5
"""Runs of sentences over which the lengths of both sides are compared."""
HOLE = 0.2
"""Part of what speaks against an omission where a long text lacks many sentences."""
FEW, ENOUGH = 0.5, 0.4
"""Shares of words explained below which texts are cut twice, and below which a word that is not known says less: else a
sentence would get long text as answering to none."""
_WORDED = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Cut:
    """A text in the segments of its source.

    Attributes:
        spans: of each segment, where its text begins and ends; one after the other they are the whole text.
        additions: stretches of the text that answer to no sentence of the source.
        omissions: numbers of the segments that have no text.
        explained: of each segment, of how many of its words the sentence beside them has a translation, and all words.
        doubted: segments, from one to before another, whose words are explained far less than the rest, or than those
            of any translation.
    """

    spans: tuple[tuple[int, int], ...]
    additions: tuple[tuple[int, int], ...]
    omissions: tuple[int, ...]
    explained: tuple[tuple[int, int], ...] = ()
    doubted: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Known:
    """What is known of texts: their words beside those of source and reference, and how sentences begin and end."""

    habits: Habits
    across: Vocabulary
    within: Vocabulary | None
    weights: Weights
    vectors: Vectors | None = None


class Resegmenter:
    """Cuts texts of a pair of languages; what is known of all texts of a system helps with each."""

    def __init__(
        self, source_language: str, target_language: str, weights: Weights | None = None, encoder: Encoder | None = None
    ) -> None:
        self.weights, self._encoder = weights or Weights(), encoder
        self._across = Ratios(source_language, target_language)
        self._within = Ratios(target_language, target_language)
        # Source and reference are the same for every output.
        each, (one, other) = lru_cache(maxsize=1 << 14), self._across.splitters
        self._split_source, self._split_reference, self._split = each(one), each(other), other
        self._units, self._pieces = each(_units), each(self._in_pieces)
        self._of_units = lru_cache(maxsize=1 << 12)(self._units_of)
        self._forms = lru_cache(maxsize=4)(self._forms_of)

    def _units_of(self, side: int, units: tuple[str, ...]) -> Units:
        """Return the words of sentences of the source, side 0, or of the reference."""
        return Units(list(map(self._across.splitters[side], units)))

    def _forms_of(self, side: int, units: tuple[str, ...]) -> dict[str, int]:
        split = (self._split_source, self._split_reference)[side]
        return numbered(word[0] for unit in units for word in split(unit))

    def _in_pieces(self, line: str) -> list[str]:
        return self.read(line).pieces

    @property
    def signature(self) -> tuple[str, ...]:
        """What cuts depend on besides the texts."""
        encoder = (self._encoder.signature,) if self._encoder else ()
        return (digest_of(self.weights), self._across.hash, *encoder)

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

    def learn(self, segments: Sequence[str], texts: Sequence[Text], reference: Sequence[str] = ()) -> Known:
        """Return what is known of the texts of a system, of the segments of their sources and of references."""
        words = numbered(chain.from_iterable(text.forms for text in texts))
        units = tuple(unit for segment in segments for unit in self._units(segment))
        return Known(
            Habits([text.pieces for text in texts], list(map(self._pieces, reference))),
            Vocabulary(self._across, self._forms(0, units), words),
            Vocabulary(self._within, self._forms(1, tuple(reference)), words) if reference else None,
            weights_of(self.weights, units, texts),
            self._vectors(segments, texts),
        )

    def _vectors(self, segments: Sequence[str], texts: Sequence[Text]) -> Vectors | None:
        if not self._encoder:
            return None
        units = chain.from_iterable(map(self._units, segments))
        return Vectors(self._encoder, [*units, *(one.text[a:b] for one in texts for a, b in sentences(one.text))])

    def cut_all(
        self, documents: Sequence[Sequence[str]], texts: Sequence[Text], references: Sequence[Sequence[str]] = ()
    ) -> list[Cut]:
        """Cut the texts of a system, each into the segments of its document.

        Where few of their words are explained, they are cut twice, the second time with the words that stood in the
        same segments the first time: without priors there is nothing else, and some systems have words of their own.
        """
        references = references or [()] * len(documents)
        known = self.learn(list(chain(*documents)), texts, list(chain(*references)))

        def cut_each() -> list[Cut]:
            """Cut by what is known."""
            each = zip(documents, texts, references, strict=True)
            return [self.cut(segments, text, reference, known) for segments, text, reference in each]

        cuts = cut_each()
        found, words = (sum(one[side] for cut in cuts for one in cut.explained) for side in (0, 1))
        if found < FEW * words:
            split = (
                (map(self._split_source, self._units(segment)), text.words_of(*span))
                for segments, text, cut in zip(documents, texts, cuts, strict=True)
                for segment, span in zip(segments, cut.spans, strict=True)
            )
            linked = known.weights.linked * min(1.0, found / (ENOUGH * words))
            known = replace(known, across=known.across.taught(split), weights=replace(known.weights, linked=linked))
            cuts = cut_each()
        return cuts

    def cut(
        self, segments: Sequence[str], text: Text, reference: Sequence[str] = (), known: Known | None = None
    ) -> Cut:
        """Cut a text into the translations of segments; ``reference`` has theirs, in the language of the text.

        What is long is cut from its beginning on, some hundred segments at a time, of which the last are cut again.
        """
        sizes = [len(self._units(segment)) for segment in segments]
        if not text.words or not any(sizes):
            spans = [(text.start, text.start)] * (len(segments) - 1) + [(text.start, text.end)]
            return Cut(tuple(spans), (), tuple(range(len(segments) - bool(text.words))))
        known = known or self.learn(segments, [text], reference)
        if sum(sizes) * len(text.gaps) <= MOST_CELLS:
            cut = self._cut(segments, text, reference, known)
        else:
            cut = self._cut_long(segments, sizes, text, reference, known)
        spans = (*cut.spans[:-1], (cut.spans[-1][0], text.end))
        empty = (number for number, (a, b) in enumerate(spans) if not text.text[a:b].strip())
        doubted = doubted_stretches(cut.explained, self.has_priors)
        return replace(cut, spans=spans, omissions=tuple(empty), doubted=doubted)

    def _cut_long(
        self, segments: Sequence[str], sizes: Sequence[int], text: Text, reference: Sequence[str], known: Known
    ) -> Cut:
        """Cut a long text, window by window, each to where source and text are known to be beside each other."""
        units = [self._split_source(unit) for segment in segments for unit in self._units(segment)]
        guide = find_guide(units, text.words, known.across)
        gone = guide.holes if guide else np.zeros(len(units), dtype=bool)
        begins: list[int] = [text.words[place][1] for place in text.gaps[:-1].tolist()]
        firsts = [0, *accumulate(sizes)]
        rate = self._rate(segments, firsts, text, guide)
        cuts, additions, explained = list[tuple[int, int]](), list[tuple[int, int]](), list[tuple[int, int]]()
        gap, at, last = 0, 0, len(text.gaps) - 1
        # Behind the end of the text, all segments are left without.
        while at < len(segments) and gap < last:
            until, stop = self._window(segments, firsts, text, guide, rate, at, gap)
            whole = until == len(segments)
            part = text.part(gap, stop if not whole else last)
            empty = gone[firsts[at] : firsts[until]]
            cut = self._cut(segments[at:until], part, reference[at:until], known, None if whole else rate, empty)
            # What is cut last could go on otherwise.
            kept = until - at if whole else max(1, bisect_right(firsts, firsts[until] - WINDOW // 2) - 1 - at)
            cuts += cut.spans[:kept]
            explained += cut.explained[:kept]
            additions += [one for one in cut.additions if one[0] < cuts[-1][1]]
            at += kept
            gap = bisect_left(begins, cuts[-1][1])
        left = len(segments) - at
        cuts += [(cuts[-1][1], cuts[-1][1])] * left
        explained += [(0, 0)] * left
        return Cut(tuple(cuts), tuple(additions), (), tuple(explained))

    @staticmethod
    def _window(
        segments: Sequence[str],
        firsts: Sequence[int],
        text: Text,
        guide: Guide | None,
        rate: float,
        at: int,
        gap: int,
    ) -> tuple[int, int]:
        """Return before which segment and at which gap the window ends that begins with a segment and at a gap."""
        last, until = len(text.gaps) - 1, max(at + 2, bisect_left(firsts, firsts[at] + WINDOW))
        if until < len(segments) and guide and (there := guide.behind(firsts[until], WINDOW // 2)):
            # All of these segments stand before the place; their text ends behind it.
            end = bisect_right(firsts, there[0]) - 1
            stop = min(int(np.searchsorted(text.gaps, there[1])), last)
            if stop > gap and (firsts[end] - firsts[at]) * (stop - gap) <= MOST_GUIDED * MOST_CELLS:
                return end, stop
        if until >= len(segments) or (firsts[-1] - firsts[at]) * (last - gap) <= MOST_CELLS:
            return len(segments), last
        room = ROOM * rate * sum(map(len, segments[at:until])) + SLACK
        stop = int(np.searchsorted(text.length, float(text.length[gap]) + room))
        return until, min(max(stop, gap + 1), last)

    @staticmethod
    def _rate(segments: Sequence[str], firsts: Sequence[int], text: Text, guide: Guide | None) -> float:
        """Return characters of the text for one of the source, where both are."""
        sums = [0, *accumulate(map(len, segments))]
        if guide is None:
            return (text.end - text.start) / sums[-1]
        places = [
            (sums[bisect_right(firsts, unit) - 1], text.words[word][1])
            for unit, word in zip(list[int](guide.units.tolist()), list[int](guide.words.tolist()), strict=True)
        ]
        pairs = zip(places, places[STEP:], strict=False)
        steps = [(end - start) / (other - one) for (one, start), (other, end) in pairs if other > one]
        return median(steps) if steps else (text.end - text.start) / sums[-1]

    def _cut(
        self,
        segments: Sequence[str],
        text: Text,
        reference: Sequence[str],
        known: Known,
        rate: float | None = None,
        gone: NDArray[np.bool_] | None = None,
    ) -> Cut:
        """Cut a text that is not long; with a ``rate`` of characters, it continues behind the last segment.

        Nothing much speaks against an omission of sentences that are ``gone``, (sentences,).
        """
        units = [(number, unit) for number, segment in enumerate(segments) for unit in self._units(segment)]
        if not text.words or not units:
            return Cut(tuple((text.start, text.start) for _ in segments), (), ())
        numbers, linked = [number for number, _ in units], known.weights.linked
        across, at = Evidence(self._of_units(0, tuple(unit for _, unit in units)), text, known.across, linked), text.at
        said = known.weights.source * across.said
        at_border = across.at_border(known.weights)
        if known.vectors:
            by_vectors = self._by_vectors(known.vectors, [unit for _, unit in units], text)
            said, at = said[at] + known.weights.vectors * by_vectors, np.arange(len(at))
        if reference and known.within and known.weights.reference:
            own = Evidence(self._of_units(1, tuple(reference)), text, known.within, linked)
            again = known.weights.reference * (own.said[text.at] if known.vectors else own.said)[:, numbers]
            # A word that neither explains counts once, as an addition does.
            said = np.where((said < 0) & (again < 0), np.minimum(said, again), said + again)
            changes = [place for place, (a, b) in enumerate(pairwise(numbers)) if a != b]
            at_border[:, changes] += own.at_border(known.weights)[:, [numbers[place] for place in changes]]
        small = [int(start_kind(unit).strip('"') == "low") for _, unit in units[1:]]
        at_border += text.by_words(known.habits, known.weights)[:, [*small, 0]]
        gained = np.concatenate((np.zeros((1, len(units))), np.cumsum(said[at], axis=0)))[text.gaps]
        against = self._omissions(units) * (1 if gone is None else np.where(gone, HOLE, 1.0))
        program = Program([unit for _, unit in units], text, gained, at_border, known.weights, rate, against)
        ends, added, strange = program.run()
        # Where few words are known, that one has no answer says nothing.
        if linked >= self.weights.linked:
            begins = {unit + 1: end for unit, _, end in added}
            answers = across.answers(known.weights)
            ends = recut(ends, begins, frozenset(strange), text.ended(), program.scores, answers)
        spans, additions = _assemble(len(segments), numbers, text, ends, added)
        words = np.diff(text.gaps[[0, *ends]])
        beside = np.repeat(np.arange(len(units)), words)
        found = np.bincount(np.array(numbers)[beside], across.said[text.at[: len(beside)], beside] > 0, len(segments))
        sizes = np.bincount(numbers, words, len(segments))
        explained = zip(found.astype(int).tolist(), sizes.astype(int).tolist(), strict=True)
        return Cut(spans, additions, (), tuple(explained))

    @staticmethod
    def _by_vectors(vectors: Vectors, units: Sequence[str], text: Text) -> Floats:
        """Return what the vectors of a text's own sentences say, shared out to their words, (words, units)."""
        said = np.zeros((len(text.words), len(units)))
        begins = [start for _, start, _ in text.words]
        spans = [(a, b, bisect_left(begins, a), bisect_left(begins, b)) for a, b in sentences(text.text)]
        inside = [span for span in spans if span[2] < span[3]]
        alike = vectors.alike([text.text[a:b] for a, b, _, _ in inside], units)
        for row, (_, _, first, last) in zip(alike, inside, strict=True):
            said[first:last] = row / (last - first)
        return said

    def _omissions(self, units: Sequence[tuple[int, str]]) -> Floats:
        """Return what speaks against each unit without text, (units,)."""
        weights = self.weights
        sizes = Counter(number for number, _ in units)
        return np.array(
            [
                weights.unworded
                if not _WORDED.search(unit)
                else weights.within
                if sizes[number] > 1
                else weights.omission
                for number, unit in units
            ]
        )


def _units(segment: str) -> tuple[str, ...]:
    return tuple(segment[a:b] for a, b in sentences(segment))


def _assemble(
    segments: int, numbers: Sequence[int], text: Text, ends: Sequence[int], added: Sequence[tuple[int, int, int]]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Return spans and additions: a segment ends where its last sentence does; an addition belongs to what is before.

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
    return tuple(spans), additions
