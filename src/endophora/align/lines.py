"""Whether the lines of a text translate the segments of their numbers, or others near them, or any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from statistics import median

import numpy as np
from numpy.typing import NDArray

from endophora.align.ratios import Ratios, forms_of, product
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
OWN, CHANCE = 8, 1e-4
"""Fewest lines of a document that say something, and the probability below which it is no chance that none of them
translates its segment: in right texts of NTREX .30 (Korean) to .99 (Dutch) of the lines clearly do, in exchanged ones
.01 at most."""
ROWS, WORDS = 20, 200
"""Segments and words, at least, of what is doubted together."""
NAMED = 3
"""Documents that a message names."""
FAR, TRANSLATED = 0.6, 0.2
"""Share of words explained below which segments are doubted: this part of the usual one; and, where translations of
words are known, this, which is far from any translation."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How many lines say which segment they translate, and how many of these name another than their own.

    ``own`` has number of each line with some words → whether it clearly translates its segment.
    """

    judged: int
    elsewhere: int
    own: Mapping[int, bool] = field(default_factory=dict[int, bool])

    @property
    def clear(self) -> bool:
        """Whether lines clearly do not belong to their segments."""
        return self.judged >= FEWEST and self.elsewhere > MOST * self.judged


def find_elsewhere(ratios: Ratios, segments: Sequence[str], texts: Sequence[Sequence[str]]) -> list[Elsewhere]:
    """Return of each text how many lines translate another segment than that of their number; all are as many."""
    starts = {round(number * max(0, len(segments) - LINES) / (BLOCKS - 1)) for number in range(BLOCKS)}
    numbers = sorted({at for start in starts for at in range(start, min(len(segments), start + LINES))})
    found = [Elsewhere(0, 0) for _ in texts]
    for begin in range(0, len(numbers) if texts else 0, LINES):
        here = _in_block(ratios, segments, texts, numbers[begin : begin + LINES])
        found = [
            Elsewhere(a.judged + b.judged, a.elsewhere + b.elsewhere, {**a.own, **b.own})
            for a, b in zip(found, here, strict=True)
        ]
    return found


def _in_block(
    ratios: Ratios, segments: Sequence[str], texts: Sequence[Sequence[str]], numbers: Sequence[int]
) -> list[Elsewhere]:
    # Systems translate one source by much the same words, so that the words of all are looked up together.
    low, high = max(0, numbers[0] - NEAR), min(len(segments), numbers[-1] + NEAR + 1)
    split_source, split_target = (partial(forms_of, split) for split in ratios.splitters)
    units = list(map(split_source, segments[low:high]))
    words = [[split_target(text[number]) for number in numbers] for text in texts]
    one, other = _vocabulary(units), _vocabulary(chain.from_iterable(words))
    shares = np.zeros((len(one), len(units)))
    for place, unit in enumerate(units):
        for form in unit:
            shares[one[form], place] += 1 / max(FEWEST_WORDS, len(unit))
    said = np.log(1 - LINKED + LINKED * product(ratios.pairs(list(one), list(other)), (len(one), len(other)), shares))
    return [_elsewhere(said, other, lines, numbers, low) for lines in words]


def _elsewhere(
    said: NDArray[np.float64], places: dict[str, int], lines: Sequence[Sequence[str]], numbers: Sequence[int], low: int
) -> Elsewhere:
    judged = elsewhere = 0
    clear: dict[int, bool] = {}
    for number, line in zip(numbers, lines, strict=True):
        if len(line) < FEWEST_WORDS:
            continue
        first = max(0, number - NEAR - low)
        scores = said[[places[form] for form in line], first : number + NEAR + 1 - low].sum(axis=0)
        own = float(scores[number - low - first])
        scores[number - low - first] = -np.inf
        best = float(scores.max())
        clear[number] = own >= CLEAR
        judged += max(own, best) >= CLEAR
        elsewhere += best >= CLEAR and best - own > CLEAR
    return Elsewhere(judged, elsewhere, clear)


def _vocabulary(texts: Iterable[Sequence[str]]) -> dict[str, int]:
    return {form: place for place, form in enumerate(dict.fromkeys(chain.from_iterable(texts)))}


def doubt_lines(corpus: Corpus) -> list[str]:
    """Return coded warnings of systems whose lines clearly translate other segments than their own, or none nearby."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    ratios = Ratios(corpus.source_language, corpus.target_language)
    source, found = [segment.source for segment in segments], list[str]()
    cut = {one.system for one in corpus.realigned} | _warned(corpus, ("E390",))
    told = _warned(corpus, ("E381", "E382", "E391", "E398"))  # these say why nothing is translated
    names = [name for name in corpus.systems if name not in cut]
    outputs = [[segment.outputs[name] for segment in segments] for name in names]
    for name, said in zip(names, find_elsewhere(ratios, source, outputs), strict=True):
        lost = _lost(corpus, said.own, known=ratios.has_priors) if name not in told else {}
        # Where most lines translate one nearby, they are moved, and none of them translates its own.
        if lost and 2 * said.elsewhere <= len(said.own):
            shown, count = _documents(corpus, lost), sum(lost.values())
            cause = (
                f"hardly any of the {count} lines looked at in {shown} of system “{name}” "
                "translates its segment or one nearby"
            )
            advice = "bring its documents into the order of the source, and check that they are these texts"
            found.append(str(Fault("E399", cause, advice, name)))
        elif said.clear:
            cause = f"{said.elsewhere} of {said.judged} lines looked at in system “{name}” translate another segment"
            found.append(str(Fault("E393", cause, "cut its text again: --resegment with --system NAME=FILE", name)))
    return found


def _warned(corpus: Corpus, codes: Sequence[str]) -> set[str]:
    """Return the systems of which a warning with one of some codes speaks."""
    warnings = [one for one in corpus.warnings if any(code in one for code in codes)]
    return {name for name in corpus.systems if any(f"“{name}”" in one for one in warnings)}


def _lost(corpus: Corpus, own: Mapping[int, bool], *, known: bool) -> dict[str, int]:
    """Return the documents of which hardly any line translates its segment, each with how many lines were looked at.

    That is much if most lines of other documents do, or if translations of words are known and none of any does.
    """
    lines: dict[str, list[bool]] = {}
    number = 0
    for document in corpus.documents:
        for at in range(number, number + len(document.segments)):
            if at in own:
                lines.setdefault(document.id, []).append(own[at])
        number += len(document.segments)
    lost = {name: len(said) for name, said in lines.items() if sum(said) <= MOST * len(said)}
    if sum(own.values()) <= MOST * len(own):
        return {name: len(said) for name, said in lines.items()} if known and len(own) >= FEWEST else {}
    rest = [one for name, said in lines.items() if name not in lost for one in said]
    # Of two lines of a document one is counted: they are of one kind.
    less = 1 - sum(rest) / len(rest)
    return {name: size for name, size in lost.items() if size >= OWN and less ** (size / 2) <= CHANCE}


def _documents(corpus: Corpus, lost: Mapping[str, int]) -> str:
    """Return what messages call some documents."""
    if len(lost) == len(corpus.documents):
        return "all documents"
    shown = ", ".join(f"“{name}”" for name in islice(lost, NAMED))
    return f"{len(lost)} of {len(corpus.documents)} documents ({shown}{', …' if len(lost) > NAMED else ''})"


def doubted_stretches(explained: Sequence[tuple[int, int]], known: bool) -> tuple[tuple[int, int], ...]:
    """Return stretches of segments whose words are explained far less than usual, as far as they have words."""
    shares = dict[tuple[int, int], float]()
    begin = found = words = 0
    for end, (translated, size) in enumerate(explained, start=1):
        found, words = found + translated, words + size
        if end - begin >= ROWS and words >= WORDS:
            shares[begin, end] = found / words
            begin, found, words = end, 0, 0
    least = max(FAR * median(shares.values()), TRANSLATED * known) if shares else 0.0
    stretches = list[tuple[int, int]]()
    for (a, b), share in shares.items():
        if share <= least:
            if stretches and stretches[-1][1] == a:
                a = stretches.pop()[0]
            stretches.append((a, b))
    return tuple(stretches)
