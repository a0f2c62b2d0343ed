"""Long segments and documents in parts: the memory of the compact aligner is bounded.

What the aligner keeps grows with the pairs of words that are in one segment. A segment of too many is cut at the ends
of sentences, which are paired by their lengths (Gale and Church 1993); a document of too many is learned from in parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText

LONG_SEGMENT = 1_000
"""Words on either side above which a segment is cut."""

LONG_DOCUMENT = 8_000_000
"""Pairs of words above which a document is learned from in parts; each takes some hundred bytes."""

_UNIT = 100
"""Words after which a sentence is cut, ended or not."""
_PIECE = 200
"""Words on either side from which on a piece of a segment is whole."""

_Document: TypeAlias = tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]]
Documents: TypeAlias = Sequence[_Document]
Links: TypeAlias = list[tuple[Link, ...]]
_Span: TypeAlias = tuple[int, int]

# Sentences of source and target in a pair, and how often such pairs are (Gale and Church 1993, table 5).
_BEADS = ((1, 1, 0.89), (1, 0, 0.005), (0, 1, 0.005), (2, 1, 0.0445), (1, 2, 0.0445), (2, 2, 0.011))
_VARIANCE = 6.8
"""Of the characters of a translation, a character of the source."""


def align_in_parts(documents: Documents, align: Callable[[Documents], list[Links]]) -> list[Links]:
    """Align documents of any size with what aligns those of bounded size; it gets whole those that need no parts."""
    cut = [list(_cut(document)) for document in documents]
    if all(len(parts) == 1 and parts[0][0] is document for parts, document in zip(cut, documents, strict=True)):
        return align(documents)
    aligned = align([part for parts in cut for part, _ in parts])
    results: list[Links] = []
    at = 0
    for (source, _), parts in zip(documents, cut, strict=True):
        joined: list[list[Link]] = [[] for _ in source]
        for (_, places), links in zip(parts, aligned[at : at + len(parts)], strict=True):
            for (segment, one, other), found in zip(places, links, strict=True):
                joined[segment] += [Link(a.source + one, a.target + other, a.confidence) for a in found]
        at += len(parts)
        results.append([tuple(links) for links in joined])
    return results


_Part: TypeAlias = tuple[_Document, list[tuple[int, int, int]]]
"""Texts to be aligned, and of each the segment and the first token on either side that it is from."""


def _cut(document: _Document) -> Iterator[_Part]:
    source, target = document
    sizes = [len(one.tokens) * len(other.tokens) for one, other in zip(source, target, strict=True)]
    if sum(sizes) <= LONG_DOCUMENT and not any(map(_is_long, source, target)):
        yield document, [(segment, 0, 0) for segment in range(len(sizes))]
        return
    ones, others, places = list[AnnotatedText](), list[AnnotatedText](), list[tuple[int, int, int]]()
    held = 0
    for segment, (one, other) in enumerate(zip(source, target, strict=True)):
        for (a, b), (c, d) in pieces(one, other):
            size = (b - a) * (d - c)
            if ones and held + size > LONG_DOCUMENT:
                yield (ones, others), places
                ones, others, places, held = [], [], [], 0
            ones.append(_slice(one, a, b))
            others.append(_slice(other, c, d))
            places.append((segment, a, c))
            held += size
    yield (ones, others), places


def _is_long(source: AnnotatedText, target: AnnotatedText) -> bool:
    return max(len(source.tokens), len(target.tokens)) > LONG_SEGMENT


def _slice(text: AnnotatedText, start: int, end: int) -> AnnotatedText:
    whole = start == 0 and end == len(text.tokens)
    return text if whole else AnnotatedText(text.text, text.tokens[start:end])


def pieces(source: AnnotatedText, target: AnnotatedText) -> list[tuple[_Span, _Span]]:
    """Return the tokens, first and end, of the pieces of a segment; the whole of it if it is not too long."""
    if not _is_long(source, target):
        return [((0, len(source.tokens)), (0, len(target.tokens)))]
    ones, others = _units(source), _units(target)
    found: list[tuple[_Span, _Span]] = []
    start, other_start = 0, 0
    if not ones or not others:
        return [((0, 0), (0, 0))]
    for one, other in paired([_length(source, *unit) for unit in ones], [_length(target, *unit) for unit in others]):
        end = ones[one - 1][1] if one else 0
        other_end = others[other - 1][1] if other else 0
        last = one == len(ones) and other == len(others)
        if last or max(end - start, other_end - other_start) >= _PIECE:
            found.append(((start, end), (other_start, other_end)))
            start, other_start = end, other_end
    return found


def _units(text: AnnotatedText) -> list[_Span]:
    """Return the sentences as spans of tokens, the longest of them cut."""
    borders = sorted({0, len(text.tokens), *text.sentences})
    return [(place, min(place + _UNIT, end)) for start, end in pairwise(borders) for place in range(start, end, _UNIT)]


def _length(text: AnnotatedText, start: int, end: int) -> int:
    return text.tokens[end - 1].end - text.tokens[start].start + 1


def paired(source: Sequence[int], target: Sequence[int]) -> list[tuple[int, int]]:
    """Return how many sentences of both sides each pair ends after, by their lengths in characters."""
    ratio = sum(target) / sum(source)
    best: dict[tuple[int, int], tuple[float, int, int]] = {(0, 0): (0.0, 0, 0)}
    # As wide as the step from one sentence of the source to the next, at least, or there may be no way through.
    band = 10 + max(len(source), len(target)) // 10 + len(target) // len(source)
    for i in range(len(source) + 1):
        middle = round(i * len(target) / len(source))
        for j in range(max(0, middle - band), min(len(target), middle + band) + 1):
            choices = [
                (
                    best[i - a, j - b][0] + _cost(sum(source[i - a : i]), sum(target[j - b : j]), ratio, share),
                    i - a,
                    j - b,
                )
                for a, b, share in _BEADS
                if (i - a, j - b) in best
            ]
            if choices:
                best[i, j] = min(choices)
    path = [(len(source), len(target))]
    while path[-1] != (0, 0):
        path.append(best[path[-1]][1:])
    return path[-2::-1]


def _cost(source: int, target: int, ratio: float, share: float) -> float:
    spread = math.sqrt(_VARIANCE * max(source + target / ratio, 1) / 2 * ratio)
    return -math.log(share) - math.log(max(math.erfc(abs(target - source * ratio) / spread / math.sqrt(2)), 1e-300))
