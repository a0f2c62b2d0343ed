"""How much more probable a word is beside another than alone: sparse pairs of two vocabularies, without any text.

What is known beforehand is the priors of the two languages (:mod:`endophora.align.priors`), of words and of their
classes; names, numbers, loan words and signs are written alike, as a whole or at their beginning. A pair of languages
without priors, or one language twice, has the latter alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from endophora.align.priors import PairCounts, Priors, PriorSide, pairs_with_priors, shipped_priors
from endophora.align.words import plain
from endophora.corpus.scripts import IS_UNSPACED, LETTERS, unspaced
from endophora.signature import digest_of

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
_Pairs: TypeAlias = tuple[Ints, Ints, Floats]

ALIKE = 0.7
"""Share of the occurrences of a word that are written alike in the other text, where it is a name or a number."""
BEGINNING = 4
"""Letters at the beginning of a word that make it alike, with :data:`PREFIX` in place of :data:`ALIKE`."""
PREFIX = 0.2
OFTEN = 50.0
"""Occurrences in the priors' text from which on they tell better whether a word is written alike."""
RARE = 40.0
"""Occurrences in the priors' text that every word is given, so that no rare pair decides alone."""
_NO_TOTAL = 4e5
"""Words of the text that priors are thought to be from where there are none."""
_CLASS = 0.25
_SIEVE = 1 << 20
_WAY = "en"
"""The language that all priors have on one side."""

# A run of letters and digits, or a sign; letters of scripts that are written without spaces one by one.
_PIECE = re.compile(rf"[{LETTERS}]+|[^\W_{LETTERS}]+|[^\w\s]|_")

# Most words in Katakana are names or loan words, and so are the rest of a run that begins with one that is not known.
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]+")
_DIGITS = re.compile(r"\d+")

Word = tuple[str, int, int]
"""A word as the aligner of sentences sees it: in small letters, and where it begins and ends in the text."""

Splitter = Callable[[str], list[Word]]


def split_words(text: str, known: frozenset[str] = frozenset(), longest: int = 1) -> list[Word]:
    """Return the words of a text; where no spaces part them, the longest that are ``known``, else single letters."""
    found = [(match.group().lower(), match.start(), match.end()) for match in _PIECE.finditer(text)]
    if not unspaced(text):
        return found
    words: list[Word] = []
    for form, start, end in found:
        if not IS_UNSPACED.match(form):
            words.append((form, start, end))
            continue
        at = 0
        while at < len(form):
            size = next((n for n in range(min(longest, len(form) - at), 1, -1) if form[at : at + n] in known), 1)
            if size == 1 and (run := _KATAKANA.match(form, at)):
                size = run.end() - at
            words.append((form[at : at + size], start + at, start + at + size))
            at += size
    return words


def forms_of(split: Splitter, text: str) -> list[str]:
    """Return the words of a text alone, as :data:`Splitter` finds them."""
    return [word[0] for word in split(text)] if unspaced(text) else list(map(str.lower, _PIECE.findall(text)))


@dataclass(frozen=True)
class Ratios:
    """The ratios of a pair of languages; one language twice compares texts by their letters alone."""

    source_language: str
    target_language: str

    @cached_property
    def priors(self) -> Priors:
        """What is known beforehand."""
        if self.source_language == self.target_language:
            return Priors()
        return shipped_priors(self.source_language, self.target_language)

    @property
    def hash(self) -> str:
        """What is known beforehand, and from where: of the pair; else by way of English, or of the target alone."""
        if len(self.priors.words.keys):
            return self.priors.hash
        ways = shipped_priors(self.source_language, _WAY), shipped_priors(_WAY, self.target_language)
        return digest_of((*(one.hash for one in ways), len(_side(self.target_language).words)))

    @property
    def has_priors(self) -> bool:
        """Whether translations of words are known beforehand, of the pair or by way of English."""
        ways = (self.source_language, _WAY), (_WAY, self.target_language)
        return len(self.priors.words.keys) > 0 or all(len(shipped_priors(*way).words.keys) for way in ways)

    @cached_property
    def splitters(self) -> tuple[Splitter, Splitter]:
        """What splits texts of the source and of the target to words."""
        pair = self.source_language, self.target_language
        return _splitter(*pair, 0), _splitter(*pair, 1)

    def pairs(self, source: Sequence[str], target: Sequence[str]) -> _Pairs:
        """Return pairs as numbers of words of each side, and of each pair p(target | source) / p(target), (pairs,)."""
        priors = self.priors
        found = [_alike(source, target, self._weights(target), self._unknown(source))]
        many: _Pairs | None = None
        if len(priors.words.keys):
            (one, classes), (other, others) = _numbers(self, 0, tuple(source)), _numbers(self, 1, tuple(target))
            found.append(_known(priors.words, (priors.source, priors.target), one, other))
            many = _known_classes(priors, classes, others)
        elif self.source_language != self.target_language:
            found += self._by_way(source, target)
        return _largest(found, many, len(target))

    def _by_way(self, source: Sequence[str], target: Sequence[str]) -> list[_Pairs]:
        """Return pairs by way of English, where both languages have priors with it: p(way | source) · ratio."""
        first, second = shipped_priors(self.source_language, _WAY), shipped_priors(_WAY, self.target_language)
        if not len(first.words.keys) or not len(second.words.keys):
            return []
        from scipy.sparse import coo_matrix, csr_matrix

        numbers = _words(first.source, tuple(source))
        rows, way, counts = _look_up(first.words, numbers, np.arange(first.words.columns), first.words.columns)
        shares = counts / (first.source.frequency[numbers[rows]] + 2)
        used, way = np.unique(way, return_inverse=True)
        mids, columns, ratios = _known(
            second.words,
            (second.source, second.target),
            _words(second.source, tuple(str(first.target.words[number]) for number in used.tolist())),
            _words(second.target, tuple(target)),
        )
        one: Any = csr_matrix((shares, (rows, way)), shape=(len(source), len(used)))
        joined: Any = coo_matrix(one @ csr_matrix((ratios, (mids, columns)), shape=(len(used), len(target))))
        return [(joined.row.astype(np.int64), joined.col.astype(np.int64), joined.data.astype(np.float32))]

    def _unknown(self, source: Sequence[str]) -> Floats:
        """Return how little is known of words of the source: 1 for those that the priors never saw."""
        side = self.priors.source
        if not len(side.frequency):
            return np.ones(len(source), dtype=np.float32)
        numbers = _words(side, tuple(source))
        return (OFTEN / (OFTEN + np.where(numbers >= 0, side.frequency[numbers], 0))).astype(np.float32)

    def _weights(self, target: Sequence[str]) -> Floats:
        """Return how probable the words of the target are alone."""
        side = self.priors.target if len(self.priors.target.words) else _side(self.target_language)
        if not len(side.frequency):
            return np.full(len(target), RARE / _NO_TOTAL, dtype=np.float32)
        numbers = _words(side, tuple(target))
        frequency = np.where(numbers >= 0, side.frequency[numbers], 0)
        return ((frequency + RARE) / side.total).astype(np.float32)


def _largest(found: Sequence[_Pairs], many: _Pairs | None, size: int) -> _Pairs:
    """Return each pair once, with its largest ratio; ``many`` has each once, and most of them alone."""
    rows, columns, ratios = (np.concatenate(parts) for parts in zip(*found, strict=True))
    keys = rows * size + columns
    order = np.lexsort((-ratios, keys))
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(keys[order]) > 0
    kept = order[first]
    rows, columns, ratios, keys = rows[kept], columns[kept], ratios[kept].astype(np.float32), keys[kept]
    if many is None or not len(keys):
        return many or (rows, columns, ratios)
    others = many[0] * size + many[1]
    # Few of the many are among the others: a table without collisions to speak of says which may be.
    sieve = np.zeros(_SIEVE, dtype=bool)
    sieve[keys % _SIEVE] = True
    some = np.flatnonzero(sieve[others % _SIEVE])
    place = np.minimum(np.searchsorted(keys, others[some]), len(keys) - 1)
    both = keys[place] == others[some]
    some, place = some[both], place[both]
    ratios[place] = np.maximum(ratios[place], many[2][some])
    alone = np.ones(len(others), dtype=bool)
    alone[some] = False
    return (
        np.concatenate((rows, many[0][alone])),
        np.concatenate((columns, many[1][alone])),
        np.concatenate((ratios, many[2][alone])),
    )


def product(ratios: _Pairs, sizes: tuple[int, int], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each target word the sum of its ratios to source words, by their counts: (target words, columns).

    ``ratios`` are of :meth:`Ratios.pairs`, ``sizes`` the numbers of words, ``counts`` are (source words, columns).
    """
    from scipy.sparse import csr_matrix

    rows, columns, ratio = ratios
    table: Any = csr_matrix((ratio, (columns, rows)), shape=sizes[::-1])
    return table @ counts


@lru_cache(maxsize=8)
def _side(language: str) -> PriorSide:
    """Return what any priors know of a language alone."""
    for pair in pairs_with_priors():
        if language in pair:
            priors = shipped_priors(*pair)
            return priors.source if pair[0] == language else priors.target
    return PriorSide()


@lru_cache(maxsize=64)
def _splitter(source: str, target: str, side: int) -> Splitter:
    priors = Ratios(source, target).priors
    words = (priors.source, priors.target)[side].words or _side((source, target)[side]).words
    known = frozenset(word for word in words if len(word) > 1 and IS_UNSPACED.match(word))
    longest = max(map(len, known), default=1)
    return lambda text: split_words(text, known, longest)


@lru_cache(maxsize=12)  # source and reference are the same for every output
def _words(side: PriorSide, words: tuple[str, ...]) -> Ints:
    """Return the numbers of words of a side in the priors, −1 of those that are not there."""
    return np.array([side.word_numbers.get(word, -1) for word in words], dtype=np.int64)


def _known(counts: PairCounts, sides: tuple[PriorSide, PriorSide], source: Ints, target: Ints) -> _Pairs:
    rows, columns, found = _look_up(counts, source, target, len(sides[1].words))
    one, other = sides[0].frequency[source[rows]], sides[1].frequency[target[columns]]
    return rows, columns, (found * sides[1].total / ((one + 2) * (other + RARE))).astype(np.float32)


@lru_cache(maxsize=12)
def _numbers(ratios: Ratios, side: int, words: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Return the numbers of words of a side in the priors, and of their classes."""
    known = (ratios.priors.source, ratios.priors.target)[side]
    classes = [known.class_numbers.get(known.classify(word), -1) for word in words]
    return _words(known, words), np.array(classes, dtype=np.int64)


def _known_classes(priors: Priors, source: Ints, target: Ints) -> _Pairs:
    rows, columns, found = _look_up(priors.classes, source, target, len(priors.target.classes))
    one, other = priors.source.class_linked[source[rows]], priors.target.class_linked[target[columns]]
    total = float(priors.target.class_linked.sum())
    return rows, columns, (_CLASS * found * total / ((one + 5) * (other + RARE))).astype(np.float32)


def _look_up(counts: PairCounts, source: Ints, target: Ints, size: int) -> _Pairs:
    """Return the pairs of two lists of numbers that have a count: all translations of each source number are tried."""
    order = np.argsort(target, kind="stable")
    # Of each number how many are in the target, and where the first of them is in that order.
    held = np.bincount(target[target >= 0], minlength=size)
    begins = np.cumsum(held) - held + int((target < 0).sum())
    starts = np.searchsorted(counts.keys, source * size)
    sizes = np.where(source >= 0, np.searchsorted(counts.keys, (source + 1) * size) - starts, 0)
    rows = np.repeat(np.arange(len(source)), sizes)
    at = _ranges(starts, sizes)
    numbers = counts.keys[at] - source[rows] * size
    some = np.flatnonzero(held[numbers])
    first, several = begins[numbers[some]], held[numbers[some]]
    rows, at = np.repeat(rows[some], several), np.repeat(at[some], several)
    return rows, order[_ranges(first, several)], counts.counts[at]


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the numbers from each start on, as many as its size says, one range after the other."""
    return np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))


def _alike(source: Sequence[str], target: Sequence[str], alone: Floats, unknown: Floats) -> _Pairs:
    """Return the pairs of words that are written alike, as a whole or at their beginning."""
    whole, begun = _keyed(tuple(target))
    rows, columns, shares = list[int](), list[int](), list[float]()
    for found, keyed, share in zip((whole, begun), _keyed(tuple(source)), (ALIKE, PREFIX), strict=True):
        for key in keyed.keys() & found.keys():
            for row in keyed[key]:
                rows += [row] * len(found[key])
                columns += found[key]
                shares += [share] * len(found[key])
    at, given = np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64)
    return given, at, (np.array(shares, dtype=np.float32) * unknown[given] / alone[at]).astype(np.float32)


@lru_cache(maxsize=12)  # source and reference are the same for every output
def _keyed(words: tuple[str, ...]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Return numbers of words by what they are written like, as a whole and at their beginning.

    Of a word that begins with a number, as 19th or 1980s, the number is the whole too.
    """
    whole: dict[str, list[int]] = defaultdict(list)
    begun: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(map(plain, words)):
        whole[word].append(place)
        if len(word) >= BEGINNING and word.isalpha():
            begun[word[:BEGINNING]].append(place)
        elif word[:1].isdigit() and (digits := _DIGITS.match(word)) and digits.end() < len(word):
            whole[digits.group()].append(place)
    return whole, begun
