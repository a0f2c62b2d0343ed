"""What a pronoun's text says of its antecedent: a small transformer, computed by numpy.

A BERT (Devlin et al. 2019) of few layers reads the text around each pronoun in pieces of words. From its vectors of the
pronoun and of each candidate comes what is added to the candidate's score in the log-linear ranker; from the pronoun's
own, what is added to that of "outside" and to the log-odds of its standing for nothing. ``endophora_makers.encoder``
trains it.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from io import BytesIO
from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt

from endophora.corefer.mentions import shipped

Floats = npt.NDArray[np.float32]

PADDING, UNKNOWN, START, BREAK = range(4)
"""The first rows of the vocabulary; a break stands between segments and at the end."""
LENGTH, BEFORE, BEHIND = 256, 64, 16
"""Pieces of a window; how many of them a pronoun has before it, where the document has as many, and behind it."""
LONGEST = 8
"""Pieces that a word has at the most; of a longer one the first ones are read."""
DISTANCES = 12
_HEADS = 12
_STEP = ".step"
_EPSILON = 1e-12
_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a document in pieces: the row of each in the vocabulary, and where each word starts and ends.

    ``words`` are document-wide indices of tokens; ``asked`` are those among them that the window is for.
    """

    pieces: Sequence[int]
    words: Mapping[int, tuple[int, int]]
    asked: Sequence[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """What is added, in log-odds, to the scores of a pronoun's candidates, of "outside" and of standing for nothing."""

    candidates: Sequence[float]
    outside: float
    non_referential: float


class WordPieces:
    """Splits words into the pieces of a vocabulary, the longest first (Wu et al. 2016), without case and accents."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._rows = {piece: row for row, piece in enumerate(vocabulary)}
        self._known = lru_cache(maxsize=1 << 16)(self._first)

    def __call__(self, word: str) -> tuple[int, ...]:
        """Return the rows of a word's pieces, at least one and at most ``LONGEST``."""
        return self._known(word)

    def _first(self, word: str) -> tuple[int, ...]:
        return tuple(self._split(word))[:LONGEST] or (UNKNOWN,)

    def _split(self, word: str) -> Iterator[int]:
        plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
        run = ""
        for character in plain:
            if character.isalnum():
                run += character
                continue
            yield from self._greedy(run)
            run = ""
            if not character.isspace():
                yield self._rows.get(character, UNKNOWN)
        yield from self._greedy(run)

    def _greedy(self, run: str) -> list[int]:
        found: list[int] = []
        at = 0
        while at < len(run):
            pieces = (("##" if at else "") + run[at:end] for end in range(len(run), at, -1))
            piece = next((piece for piece in pieces if piece in self._rows), None)
            if piece is None:
                return [UNKNOWN]
            found.append(self._rows[piece])
            at += len(piece) - 2 * bool(at)
        return found


def windows(
    words: Sequence[str],
    segments: Sequence[int],
    asked: Iterable[int],
    pieces_of: WordPieces,
    *,
    length: int = LENGTH,
    before: int = BEFORE,
) -> Iterator[Window]:
    """Yield windows of a document such that each of the words asked for is in one of them with text before it.

    Args:
        words: a document's tokens.
        segments: of each token its segment.
        asked: indices of tokens.
        length: pieces of a window.
        before: of them, how many a word asked for has before it where the document has as many.
    """
    pieces: list[int] = []
    places: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        if index and segments[index] != segments[index - 1]:
            pieces.append(BREAK)
        start = len(pieces)
        pieces.extend(pieces_of(word))
        places.append((start, len(pieces)))
    left, whole = sorted(asked), len(pieces)
    while left:
        first = places[left[0]][0]
        start = 0 if first + BEHIND < length else first - before
        start = max(0, min(start, whole - length))
        end = min(whole, start + length)
        inside = [index for index in left if end == whole or places[index][0] + BEHIND < end]
        left = left[len(inside) :]
        known = {
            index: (place[0] - start + 1, place[1] - start + 1)
            for index, place in enumerate(places)
            if place[0] >= start and place[1] <= end
        }
        yield Window([START, *pieces[start:end], BREAK], known, inside)


def distance_of(pieces: int) -> int:
    """Return the class of a distance in pieces, from 0 to ``DISTANCES`` - 1."""
    return min(DISTANCES - 1, pieces if pieces < 4 else 4 + int(log2(pieces / 4) * 1.5))


class PronounEncoder:
    """The encoder with its weights.

    Args:
        arrays: name → weights as in the file, whole numbers with a step a row, “name.step”; matrices multiply vectors
            from the left.
        vocabulary: the pieces, in the order of the embeddings.
        digest: of the file that both are from.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], vocabulary: Sequence[str], digest: str = "") -> None:
        self._arrays = arrays
        self._layers = 1 + max(int(name.partition(".")[0]) for name in arrays if name[0].isdigit())
        self.pieces_of = WordPieces(vocabulary)
        self.digest = digest
        self.share = float(arrays["share"])
        """By how much the ranker's own scores are multiplied."""
        self.temperature = float(arrays["temperature"])
        """By what the sums of both are divided, so that probabilities are calibrated."""

    @cached_property
    def _weights(self) -> dict[str, Floats]:
        """The weights as numbers of four bytes: some 40 MB, made when the first pronoun is scored."""
        restored = {name: values.astype(np.float32) for name, values in self._arrays.items()}
        for name in [name for name in restored if name.endswith(_STEP)]:
            restored[name.removesuffix(_STEP)] *= restored.pop(name)[:, None]
        return restored

    def scores(
        self, words: Sequence[str], segments: Sequence[int], asked: Mapping[int, Sequence[int]]
    ) -> dict[int, Scores]:
        """Return what the text says of each pronoun.

        Args:
            words: a document's tokens.
            segments: of each token its segment.
            asked: index of a pronoun → those of its candidates' heads.
        """
        found: dict[int, Scores] = {}
        for window in windows(words, segments, asked, self.pieces_of):
            spans = {index: window.words[index] for index in window.asked}
            for pronoun in window.asked:
                spans.update((index, window.words[index]) for index in asked[pronoun] if index in window.words)
            # Of the last layer no other vectors are needed.
            rows = sorted({row for span in spans.values() for row in range(*span)})
            at = {row: place for place, row in enumerate(rows)}
            vectors = self.vectors(window.pieces, rows)
            means = {i: vectors[at[start] : at[end - 1] + 1].mean(axis=0) for i, (start, end) in spans.items()}
            for pronoun in window.asked:
                found[pronoun] = self._score(spans, means, pronoun, asked[pronoun])
        return found

    def vectors(self, pieces: Sequence[int], rows: Sequence[int] | None = None) -> Floats:
        """Return the vectors of a window's pieces, all or those at ``rows``: rows × dimensions."""
        weights = self._weights
        x = weights["words"][list(pieces)] + weights["positions"][: len(pieces)]
        x = self._norm(x, "norm")
        for layer in range(self._layers):
            own = x if rows is None or layer < self._layers - 1 else x[list(rows)]
            x = self._norm(own + self._attend(own, x, layer), f"{layer}.norm")
            x = self._norm(x + self._feed(x, layer), f"{layer}.last")
        return x

    def _attend(self, own: Floats, x: Floats, layer: int) -> Floats:
        """Return what some pieces, ``own``, take up from all of a window, ``x``."""
        width = x.shape[1]
        query = self._linear(own, f"{layer}.three", slice(width))
        query *= np.float32((width // _HEADS) ** -0.5)
        both = self._linear(x, f"{layer}.three", slice(width, None)).reshape(len(x), 2, _HEADS, -1)
        key, value = both.transpose(1, 2, 0, 3)
        weights = query.reshape(len(own), _HEADS, -1).transpose(1, 0, 2) @ key.transpose(0, 2, 1)
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        taken = weights @ value
        taken /= weights.sum(axis=2, keepdims=True)
        return self._linear(taken.transpose(1, 0, 2).reshape(own.shape), f"{layer}.out")

    def _feed(self, x: Floats, layer: int) -> Floats:
        wide = self._linear(x, f"{layer}.wide")
        # The Gaussian error linear unit by the hyperbolic tangent, at most .0005 off (Hendrycks and Gimpel 2016).
        gate = wide * wide
        gate *= np.float32(0.044715)
        gate += 1
        gate *= wide
        gate *= np.float32((2 / np.pi) ** 0.5)
        np.tanh(gate, out=gate)
        gate += 1
        gate *= wide
        gate *= np.float32(0.5)
        return self._linear(gate, f"{layer}.narrow")

    def _linear(self, x: Floats, name: str, part: slice = _ALL) -> Floats:
        found = x @ self._weights[name][part].T
        found += self._weights[f"{name}.bias"][part]
        return found

    def _norm(self, x: Floats, name: str) -> Floats:
        x = x - x.mean(axis=1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + np.float32(_EPSILON))
        x *= self._weights[name]
        x += self._weights[f"{name}.bias"]
        return x

    def _score(
        self,
        spans: Mapping[int, tuple[int, int]],
        means: Mapping[int, Floats],
        pronoun: int,
        candidates: Sequence[int],
    ) -> Scores:
        """Return the scores of a pronoun from the places of words in its window and the means of their vectors."""
        own = means[pronoun][None]
        outside, empty = (self._answer(own, name) for name in ("outside", "empty"))
        added = np.full(len(candidates), self._weights["gone"], dtype=np.float32)
        inside = [place for place, index in enumerate(candidates) if index in spans]
        if inside:
            theirs = np.stack([means[candidates[place]] for place in inside])
            start = spans[pronoun][0]
            distances = [distance_of(start - spans[candidates[place]][0]) for place in inside]
            hidden = self._linear(own, "pronoun") + self._linear(theirs, "candidate")
            hidden += self._linear(own * theirs, "both") + self._weights["distances"][distances]
            added[inside] = self._linear(np.maximum(hidden, 0), "pair")[:, 0]
        return Scores(added.tolist(), outside, empty)

    def _answer(self, own: Floats, name: str) -> float:
        hidden = np.maximum(self._linear(own, f"{name}.hidden"), 0)
        return float(self._linear(hidden, name)[0, 0])


@cache
def load_encoder(language: str) -> PronounEncoder | None:
    """Return the shipped encoder of a language, or ``None`` if there is none (E061, damaged)."""
    return shipped(f"{language}-encoder.npz", read_encoder)


def read_encoder(data: bytes) -> PronounEncoder:
    """Return an encoder from the bytes of its file: matrices in whole numbers with a step a row, and the vocabulary."""
    with np.load(BytesIO(data)) as packed:
        arrays = dict(packed)
    vocabulary = arrays.pop("vocabulary").tobytes().decode().split("\n")
    return PronounEncoder(arrays, vocabulary, hashlib.sha256(data).hexdigest()[:8])
