"""Chinese words: jieba's, corrected by a linear model that has learned where Universal Dependencies part words.

jieba knows many words and cuts by its own rules (一个, 位于, 成为 are one word each); the treebank cuts otherwise
(一 个, 位 于). The model looks at the characters around each place between two characters, and at what jieba says
there. Traditional characters are shown to jieba in their simplified form, character by character, so that the offsets
stay; the model has seen both scripts.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.util import DummyTokenizer, get_words_and_spaces, registry

from endophora.errors import Fault, MissingModelError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.vocab import Vocab

WEIGHTS = Path(__file__).with_suffix(".npz")
"""The model that ships; ``python -m endophora_makers.segmenter`` makes it."""

BUCKETS = 1 << 18
_MODULES = ("jieba", "opencc")
_REACH = 3
_LONGEST = 5

# What a place between the characters 0 and 1 is described by: columns (c character, t its kind, j whether jieba parts
# after it, n the length of jieba's word, u the character in simplified form) and offsets, joined.
_TEMPLATES = (
    "c0 | c1 | c-1 | c2 | c0c1 | c-1c0 | c1c2 | c-1c0c1 | c0c1c2 | c-1c0c1c2 | t-1t0t1t2 | c-2c-1c0 | c1c2c3 | c-1c1 |"
    "c0c2 | t-1t0c1 | c-2c-1c0c1 | c0c1c2c3 | j0 | j-1j0j1 | j-2j-1j0j1j2 | j0c0 | j0c1 | j0n0n1 | j-1j0j1c0c1 |"
    "j-2j-1j0j1t-1t0t1t2 | j-1j0j1j2c0 | j-2j-1j0j1j2n0n1 | u0u1 | u-1u0u1 | u0u1u2 | j0u0 | j0u1 | j-1j0j1u0u1"
)


def _parse(template: str) -> tuple[tuple[str, int], ...]:
    parts: list[tuple[str, int]] = []
    for character in template.strip():
        if character.isalpha():
            parts.append((character, 0))
        elif character.isdigit():
            kind, sign = parts.pop()
            parts.append((kind, int(character) * (sign or 1)))
        else:
            parts[-1] = (parts[-1][0], -1)
    return tuple(parts)


_PARSED = tuple(_parse(template) for template in _TEMPLATES.split("|"))


class Segmenter:
    """Cuts Chinese text into words, where the weights (one a bucket) of a place's descriptions add up to more than 0.

    Without jieba and OpenCC it cannot be made (E040).
    """

    def __init__(self, weights: NDArray[np.float32]) -> None:
        missing = [name for name in _MODULES if find_spec(name) is None]
        if missing:
            cause = f"Chinese needs {' and '.join(missing)} to find its words"
            raise MissingModelError(Fault("E040", cause, "install it with: pip install 'endophora[zh]'"))
        self._weights = weights
        self._jieba, self._convert = _libraries()
        self._simplified: dict[str, str] = {}

    def words(self, text: str) -> list[str]:
        """Return the words of a text; white space is a separate word."""
        if not text:
            return []
        parted = self._weights[self.keys(text)].sum(axis=1) > 0
        pairs = pairwise(text)
        ends = [index for index, (a, b) in enumerate(pairs, start=1) if _certain(a, b, bool(parted[index - 1]))]
        starts = [0, *ends]
        return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]

    def keys(self, text: str) -> NDArray[np.int64]:
        """Return the buckets that describe each place between two characters, one row a place."""
        simple = "".join(map(self._simplify, text))
        parts, lengths = np.zeros(len(text), np.uint64), np.zeros(len(text), np.uint64)
        end = 0
        for word in self._jieba.cut(simple, HMM=False):
            start, end = end, end + len(word)
            lengths[start:end] = min(end - start, _LONGEST)
            parts[end - 1] = 1
        columns = {
            "c": np.fromiter(map(ord, text), np.uint64, len(text)),
            "u": np.fromiter(map(ord, simple), np.uint64, len(text)),
            "t": np.fromiter(map(_kind, text), np.uint64, len(text)),
            "j": parts,
            "n": lengths,
        }
        columns = {name: np.pad(column, _REACH) for name, column in columns.items()}
        places = len(text) - 1
        result = np.empty((places, len(_PARSED)), np.int64)
        for index, template in enumerate(_PARSED):
            key = np.full(places, index + 1, np.uint64)
            for name, offset in template:
                start = _REACH + offset
                key = key * np.uint64(0x9E3779B97F4A7C15) + columns[name][start : start + places]
                key ^= key >> np.uint64(29)
            result[:, index] = ((key * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(40)) & np.uint64(BUCKETS - 1)
        return result

    def _simplify(self, character: str) -> str:
        found = self._simplified.get(character)
        if found is None:
            converted = cast("str", self._convert(character))
            found = self._simplified[character] = converted if len(converted) == 1 else character
        return found


def _certain(character: str, following: str, guess: bool) -> bool:
    """Return whether two characters are parted: white space stands alone, runs of one mark (……) stay together."""
    if character.isspace() or following.isspace():
        return character.isspace() != following.isspace()
    return guess and (character != following or character.isalnum())


def _kind(character: str) -> int:
    if character.isdecimal():
        return 1
    if character.isascii() and character.isalpha():
        return 2
    return 3 if character.isalnum() else 4


@cache
def _libraries() -> tuple[Any, Any]:
    """Return jieba's tokenizer and OpenCC's conversion to simplified characters."""
    import jieba
    import opencc

    cast("Any", jieba).setLogLevel(logging.WARNING)
    return cast("Any", jieba).Tokenizer(), cast("Any", opencc).OpenCC("t2s").convert


@cache
def load_segmenter(path: Path = WEIGHTS) -> Segmenter:
    """Load the segmenter that ships, or another (E040)."""
    with np.load(path, allow_pickle=False) as file:
        weights = np.zeros(BUCKETS, np.float32)
        weights[file["buckets"]] = file["weights"]
    return Segmenter(weights)


class ChineseTokenizer(DummyTokenizer):
    """The segmenter as the tokenizer of a spaCy pipeline."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self._segmenter = load_segmenter()

    def __call__(self, text: str) -> Doc:
        """Return the words of a text."""
        words, spaces = get_words_and_spaces(self._segmenter.words(text), text)
        return Doc(self.vocab, words=words, spaces=spaces)


@cast("Any", registry).tokenizers("endophora.ChineseTokenizer.v1")
def create_chinese_tokenizer() -> Any:
    """Return what makes the tokenizer of a pipeline."""

    def create(nlp: Language) -> ChineseTokenizer:
        return ChineseTokenizer(nlp.vocab)

    return create
