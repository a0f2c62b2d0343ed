"""Which language a text reads like: evidence of a sample of it, by the Compact Language Detector 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

PIECES = 24
"""How many pieces of a text are looked at: they cost some 10 ms, however long the text is."""

PIECE = 200
"""Letters of a piece. Of 200 letters the detector tells the 22 languages of NTREX almost without an error; of single
lines, which may be a name and a number, it errs in 1.3 %."""

SURE = 0.7
"""The least probability with which a piece counts; it is the detector's own bound of what is reliable."""

DENSE = 3
"""A Chinese, Japanese or Korean character says as much as so many letters of an alphabet."""

_DENSE_FROM = "\u2e80"
_CODES = {"iw": "he", "fil": "tl", "no": "nb"}
"""The detector's codes that are not those of ISO 639-1 which users write."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text reads like.

    Attributes:
        pieces: how many pieces were told with certainty.
        shares: language → its share of these pieces, the largest first.
    """

    pieces: int
    shares: Mapping[str, float]

    def like(self, language: str) -> float:
        """Return the share of pieces in a language, or in one that the detector takes for it."""
        return sum(share for other, share in self.shares.items() if other in taken_for(language))

    def other(self, language: str) -> tuple[str, float]:
        """Return the commonest language that is not taken for this one, and its share; empty and 0 if there is none."""
        near = taken_for(language)
        return next(((other, share) for other, share in self.shares.items() if other not in near), ("", 0.0))


def read_language(texts: Sequence[str]) -> Reading:
    """Tell which languages a text reads like, by pieces spread evenly over it."""
    detector = _detector()
    votes: Counter[str] = Counter()
    for piece in _pieces(texts):
        found: Any = detector.FindLanguage(piece)
        if found.probability >= SURE:
            language: str = found.language
            votes[_CODES.get(language, language)] += 1
    total = votes.total()
    return Reading(total, {language: count / total for language, count in votes.most_common()})


def is_identified(language: str) -> bool:
    """Tell whether the detector was measured on a language, and told its texts from others."""
    return language in _near_languages()


def taken_for(language: str) -> frozenset[str]:
    """Return a language and those that the detector takes for it, as Danish for Norwegian."""
    return _near_languages().get(language, frozenset((language,)))


def _pieces(texts: Sequence[str]) -> Iterator[str]:
    """Yield pieces of neighbouring segments, from places spread evenly over a text."""
    step = max(1, len(texts) // PIECES)
    begin = 0
    while begin < len(texts):
        end, letters = begin, 0
        while end < len(texts) and letters < PIECE:
            letters += sum((DENSE if letter >= _DENSE_FROM else 1) for letter in texts[end][:PIECE] if letter.isalpha())
            end += 1
        if letters:
            yield " ".join(text[:PIECE] for text in texts[begin:end])
        begin = max(end, begin + step)


@cache
def _detector() -> Any:
    # It is compiled, and has no types.
    library: Any = import_module("gcld3")
    return library.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * PIECE)


@cache
def _near_languages() -> dict[str, frozenset[str]]:
    text = (files("endophora.corpus") / "data" / "identified-languages.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {language: frozenset((language, *others.split())) for language, others in rows}
