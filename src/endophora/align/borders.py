"""Where text may end and begin: the signs at a border, and the words that sentences of a text begin and end with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, compress, pairwise
from operator import add, not_

import numpy as np
from numpy.typing import NDArray

from endophora.corpus.scripts import unspaced

Border = tuple[str, str]
"""How text ends before a border and begins after it: kinds of :func:`end_kind` and :func:`start_kind`."""

OFTEN = 2.0
"""Occurrences of a word that what its kind says of borders is worth."""
SMALL = 2.0
"""Against a border that words speak for only if capitals say nothing."""
_LOW = 0.1
"""How often a sentence begins with a small letter, to other places in a text; worth ten of them."""

FINAL = frozenset({"stop", "ask", "cry", "more"})
"""Kinds of signs that end sentences."""

_SENTENCE = re.compile(r"(?<![.!?…。！？؟।])[.!?…。！？؟।]++[\"'”’»)\]」』“]*+(?=\s)|[。！？]+[”’」』）]*|\n+")
_SIGNS = {"stop": ".。।", "ask": "?？؟", "cry": "!！", "more": "…", "colon": ":：", "comma": ",;，；、،–—-"}
_KINDS = {sign: kind for kind, signs in _SIGNS.items() for sign in signs}
_BASE = {"stop": 0.0, "ask": 1.0, "cry": 1.0, "more": 0.0, "short": -2.5, "number": -3.5, "colon": -2.0, "comma": -4.5}
CLOSING = "\"'”’»«)]}」』“）】*_ "
OPENING = "\"'“„‘«»([{「『（【*_¿¡- –—"
# What a full stop follows that ends no sentence: an ordinal number, an initial, a word without vowels (Dr, Mr, St).
_SHORT = re.compile(r"(?:^|[\s\W])(?:\d{1,2}|[^\W\d_]|[B-DF-HJ-NP-TV-Z][b-df-hj-np-tv-z]{1,2})\.$")
# Signs that may stand apart from what they belong to: with spaces on both sides, or where a script has no spaces.
_APART = re.compile(r"[.,;:!?…%、，。！？；：؟،؛)\]}）】」』》〉〕”»]|[(\[{（【「『《〈〔„«¿¡]|[\"“]")
_CLOSES = frozenset(".,;:!?…%、，。！？；：؟،؛)]}）】」』》〉〕”»")
_OPENS = frozenset("([{（【「『《〈〔„«¿¡")

_STOPS = frozenset(",.;:!?")
# A face, as in: so sorry : (
_FACE = re.compile(r"[:;=]\s?-?\s?$")
# Text in brackets, as in: three colours : ( red, blue, white ); no face has its mouth in them.
_BRACKETED = re.compile(r"\([^()\n]{0,80}[^()\s:;=-]\s?\)")
_OPENED = re.compile(r"\s+[\"“„«]\w")


def bound(text: str) -> tuple[set[int], set[int]]:
    """Return before and after which places of a text no border is, because of the sign that follows or precedes.

    Closing signs belong to what is before them, as in « quoi » or 。”, and opening ones to what follows. A sign that
    may be either opens if it has a space before it alone; else it does the opposite of the last one.
    """
    before, after = set[int](), set[int]()
    opened = False
    for match in _APART.finditer(text):
        at, sign = match.start(), match.group()
        left, right = text[at - 1 : at].strip() == "", text[at + 1 : at + 2].strip() == ""
        if sign in '"“”„':
            right = right or text[at + 1] in _STOPS
            alone = left == right
            # One that closes where none is open opens, as in: said he." I know
            opened = sign == "„" or (not opened and sign != "”" if alone or right else True)
            closes = (not opened if alone else right) if sign != "„" else False
            # A mark between two spaces may be of either side.
            if left and right and sign == '"':
                continue
        else:
            closes = sign in _CLOSES or (sign == "(" and right and _is_face(text, at))
        if closes and (right or not left):
            before.add(at)
        elif not closes and (left or not right) and not _OPENED.match(text, at + 1):
            after.add(at + 1)
    return before, after


def _is_face(text: str, mouth: int) -> bool:
    """Return whether a bracket that opens is the mouth of a face."""
    return bool(_FACE.search(text, max(0, mouth - 4), mouth)) and not _BRACKETED.match(text, mouth)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text begin and end, by their signs alone; together they are the text."""
    ends = [match.end() for match in _SENTENCE.finditer(text) if not _SHORT.search(text[: match.end()][-6:])]
    borders = [0, *(end for end in ends if text[end:].strip()), len(text)]
    return [(start, end) for start, end in pairwise(borders) if text[start:end].strip()]


@lru_cache(maxsize=1 << 16)
def end_kind(text: str) -> str:
    """Return how a text ends: the kind of its last sign or the sign, with ``"`` where a quotation ends with it."""
    whole = text.rstrip()
    bare = whole.rstrip(CLOSING)
    sign = bare[-1:]
    if sign == "." and _SHORT.search(bare[-5:]):
        return "number" if bare[-2].isdigit() else "short"
    return _KINDS.get(sign, "" if sign.isalnum() else sign) + ('"' if len(whole) > len(bare) else "")


@lru_cache(maxsize=1 << 16)
def start_kind(text: str) -> str:
    """Return how a text begins: ``cap``, ``low``, ``digit`` or a sign of its own, with ``"`` for a quotation mark."""
    whole = text.lstrip()
    bare = whole.lstrip(OPENING)
    first = bare[:1]
    kind = ("low" if first.islower() else "cap") if first.isalpha() else "digit" if first.isdigit() else first
    return kind + ('"' if len(whole) > len(bare) else "")


@lru_cache(maxsize=1 << 16)
def border(end: str, start: str, source: Border | None, unsigned: float, likeness: float) -> float:
    """Return what the signs say for a border, the logarithm of odds; those of the source's border for comparison."""
    stop, begun, closed, opened = end.strip('"'), start.strip('"'), '"' in end, '"' in start
    score = _BASE.get(stop, -unsigned) + 0.5 * closed + 0.5 * opened
    if source is None:
        return score
    source_stop, source_begun = (kind.strip('"') for kind in source)
    like = 0.0
    if source_stop == stop:
        like += 3.0 if stop else 4.0
    elif not stop or not source_stop:
        like -= 1.0
    if source_begun == begun:
        like += 1.0 if begun == "cap" else 3.0
    for ours, theirs in ((closed, '"' in source[0]), (opened, '"' in source[1])):
        if ours == theirs:
            like += 1.5 if ours else 0.5
    return score + likeness * like


Floats = NDArray[np.float64]

_Counts = tuple[Counter[str], Counter[str]]


class Habits:
    """With which words sentences begin and end in texts, learned where signs say that they do."""

    def __init__(self, texts: Sequence[Sequence[str]], lines: Sequence[Sequence[str]] = ()) -> None:
        """Learn from texts in pieces, the words with the signs that stand with them; each line is one."""
        kinds, starts, ends = counted = _counted(texts)
        for each, other in zip(counted, _counted_lines(tuple(map(tuple, lines))), strict=True):
            each[0].update(other[0])
            each[1].update(other[1])
        self._letters = Counter[str](), Counter[str](), Counter[str]()
        for pieces in texts:
            if unspaced("".join(pieces)):
                one, other = [piece[-1] for piece in pieces[:-1]], [piece[0] for piece in pieces[1:]]
                for counts, each in zip(self._letters, (map(add, one, other), one, other), strict=True):
                    counts.update(each)
        self._sizes = [max(1, kind.total()) for kind in kinds]
        names = list({*kinds[0], "low"})
        alone = np.array([_LOW if kind == "low" else 1.0 for kind in names])
        self._kinds = dict(zip(names, self._odds(kinds, names, 10, alone).tolist(), strict=True))
        self._rows, self._said = dict[str, int](), np.zeros((0, 3))
        self._starts, self._folded, self._ends = starts, (_folded(starts[0]), _folded(starts[1])), ends
        self.said(list(dict.fromkeys(chain.from_iterable(texts))))

    def _odds(self, counts: _Counts, keys: Sequence[str], more: float, alone: Floats | float) -> Floats:
        inside, at_border = self._sizes
        one, other = (
            np.array([counts[ended].get(key, 0) for key in keys], dtype=np.float64) for ended in (True, False)
        )
        return (one / at_border + more * alone / inside) / ((other + more) / inside)

    def said(self, pieces: Sequence[str]) -> Floats:
        """Return what speaks for a sentence that begins with each piece of text or ends with it, (pieces, 3).

        They are logarithms of ratios; the second is that for a sentence that may well begin with a small letter.
        """
        if new := [piece for piece in dict.fromkeys(pieces) if piece not in self._rows]:
            kinds, first = np.array([self._kinds.get(_start(piece), 1.0) for piece in new]), list(map(_first, new))
            usual = np.log(self._odds(self._starts, first, OFTEN, kinds))
            small = np.log(self._odds(self._folded, [word.lower() for word in first], OFTEN, 1.0)) - SMALL
            ends = np.log(self._odds(self._ends, list(map(_last, new)), OFTEN, 1.0))
            self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
            self._said = np.concatenate((self._said, np.stack((usual, np.maximum(small, usual), ends), axis=1)))
        return self._said[[self._rows[piece] for piece in pieces]]

    def together(self, pieces: Sequence[str]) -> Floats:
        """Return how much oftener than by chance the letters at each gap follow each other elsewhere, (pieces - 1,)."""
        pairs, one, other = self._letters
        total = max(1, pairs.total())
        found = list[float]()
        for before, after in pairwise(pieces):
            a, b = before[-1], after[0]
            found.append((max(0, pairs[a + b] - 1) + 1.0) / (one[a] * other[b] / total + 1.0))
        return np.maximum(0.0, np.log(found))


def _counted(texts: Iterable[Sequence[str]], more: Iterable[Sequence[str]] = ()) -> tuple[_Counts, _Counts, _Counts]:
    """Return how often kinds and words begin and words end inside a sentence, and at its border.

    The texts of ``more`` each begin and end one.
    """
    befores, afters = list[str](), list[str]()
    for pieces in texts:
        befores += pieces[:-1]
        afters += pieces[1:]
    ended = {piece: _ended(piece) for piece in set(befores)}
    at_border = list(map(ended.__getitem__, befores))
    sides = list(map(not_, at_border)), at_border
    before, after = ([Counter(compress(some, side)) for side in sides] for some in (befores, afters))
    for pieces in more:
        before[1][pieces[-1]] += 1
        after[1][pieces[0]] += 1
    return _by(_start, after), _by(_first, after), _by(_last, before)


@lru_cache(maxsize=2)  # the lines of references are the same for every output
def _counted_lines(lines: Sequence[Sequence[str]]) -> tuple[_Counts, _Counts, _Counts]:
    return _counted(lines, filter(None, lines))


def _by(word: Callable[[str], str], counts: Iterable[Counter[str]]) -> _Counts:
    """Return counts of pieces by a word of each."""
    found = Counter[str](), Counter[str]()
    for some, every in zip(found, counts, strict=True):
        for piece, count in every.items():
            some[word(piece)] += count
    return found


@lru_cache(maxsize=1 << 16)
def _ended(piece: str) -> bool:
    return end_kind(piece).strip('"') in FINAL


@lru_cache(maxsize=1 << 16)
def _start(piece: str) -> str:
    return start_kind(piece).strip('"')


def _folded(counts: Counter[str]) -> Counter[str]:
    found = Counter[str]()
    for word, count in counts.items():
        found[word.lower()] += count
    return found


@lru_cache(maxsize=1 << 16)
def _first(piece: str) -> str:
    return piece.lstrip(OPENING)


@lru_cache(maxsize=1 << 16)
def _last(piece: str) -> str:
    return piece.rstrip(CLOSING).rstrip(".?!…,;:。！？，；：、")
