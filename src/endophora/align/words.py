"""Classes of words, and how alike two words are to the eye.

Names, numbers and loan words are often the same or nearly so in two languages. The measure is Dice's over bigrams with
the word's ends, without accents and with Cyrillic and Greek letters written in Latin ones.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from ruamel.yaml import YAML

from endophora.annotate.records import Token
from endophora.record import Fixed

_RULES = Path(__file__).parent / "data" / "classes.yaml"

Classify = Callable[[str], str]
"""Lower-cased word → the name of its class."""


class Scheme(Fixed):
    """How the class of a word is made; a priors file holds the two that it was learned with."""

    letters: int = 4  # the class is the first so many letters of a lower-cased word …
    strip: str = ""  # … without what this pattern matches at the word's beginning, such as proclitics
    written: dict[str, int] = {}  # pattern → letters of words that match it as a whole, as those of another script
    stems: bool = False  # an annotated word is its lemma, and of a lemma in morphemes (하늘+을) the first

    def word(self, token: Token) -> str:
        """Return what an annotated word is aligned as."""
        return token.lemma.partition("+")[0] or token.form if self.stems else token.form

    def classify(self) -> Classify:
        """Return the function from a lower-cased word to the name of its class."""
        letters = self.letters
        if not self.strip and not self.written:
            return lambda word: word[:letters]
        strip = re.compile(self.strip)
        written = [(re.compile(pattern), count) for pattern, count in self.written.items()]

        def class_of(word: str) -> str:
            """Return the class of a lower-cased word."""
            start = strip.match(word)
            stem = word[start.end() :] if start else word
            count = next((count for pattern, count in written if pattern.fullmatch(stem)), letters)
            return stem[:count]

        return class_of


@lru_cache(maxsize=1)
def _schemes() -> dict[str, Scheme]:
    rules = cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_RULES))
    return {language: Scheme.model_validate(rule) for language, rule in rules.items()}


def scheme_of(language: str) -> Scheme:
    """Return how classes are made in a language, by its ISO 639-1 code."""
    return _schemes().get(language, Scheme())


LEAST_LETTERS = 4
"""Shorter words are compared as wholes only."""

LEAST = 0.4
"""A similarity below this counts as none."""

_BITS = 64


@lru_cache(maxsize=1)
def _letters() -> dict[int, str]:
    text = files("endophora.align").joinpath("data/transliteration.json").read_text("utf-8")
    return str.maketrans(cast("dict[str, dict[str, str]]", json.loads(text))["letters"])


@lru_cache(maxsize=1 << 14)
def plain(word: str) -> str:
    """Return a lower-cased word in plain Latin letters, as far as its script has them."""
    if word.isascii():
        return word
    bare = "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
    return bare.translate(_letters())


@lru_cache(maxsize=1 << 15)
def dice(first: str, second: str) -> float:
    """Return the share of bigrams that two words have in common, 1 for identical words (Dice 1945)."""
    if first == second:
        return 1.0
    one, other = _bigrams(first), _bigrams(second)
    return 2 * len(one & other) / (len(one) + len(other))


def similarities(
    first: Sequence[str], second: Sequence[str], pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.float32]:
    """Return how alike the words of each pair are, given as indices into ``first`` and ``second``, (pairs,) twice.

    It is Dice's measure where both words have :data:`LEAST_LETTERS` letters and it reaches :data:`LEAST`, 1 for
    identical words of any length, else 0; shape (pairs,).
    """
    ones, others = list(map(plain, first)), list(map(plain, second))
    numbers = {word: number for number, word in enumerate(dict.fromkeys((*ones, *others)))}
    left = np.array([numbers[word] for word in ones], dtype=np.int64).take(pairs[0])
    right = np.array([numbers[word] for word in others], dtype=np.int64).take(pairs[1])
    words = list(numbers)
    masks = np.array(list(map(_mask, words)), dtype=np.uint64)
    bits = np.bitwise_count(masks)
    shared = np.bitwise_count(masks.take(left) & masks.take(right))
    alike = (left == right).astype(np.float32)
    # Hashed to 64 bits, the bigrams of two words share about as many: a sieve that lets few pairs through.
    enough = shared * np.float32(2 / LEAST) >= bits.take(left) + bits.take(right)
    likely = np.flatnonzero(enough & (shared > 0) & (alike == 0))
    for place in likely.tolist():
        value = dice(words[int(left[place])], words[int(right[place])])
        if value >= LEAST:
            alike[place] = value
    return alike


@lru_cache(maxsize=1 << 12)
def _bigrams(word: str) -> frozenset[str]:
    marked = f"<{word}>"
    return frozenset(marked[k : k + 2] for k in range(len(marked) - 1))


@lru_cache(maxsize=1 << 14)
def _mask(word: str) -> int:
    if len(word) < LEAST_LETTERS:
        return 0
    mask = 0
    for pair in _bigrams(word):
        mask |= 1 << ((ord(pair[0]) * 29 + ord(pair[1])) % _BITS)
    return mask
