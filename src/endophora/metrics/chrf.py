"""chrF2 (Popović, 2015) and chrF2++ (Popović, 2017)."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from sacrebleu.metrics import chrf as sacrebleu

from endophora.metrics.ngrams import NgramTable, totals
from endophora.metrics.records import FloatArray, Level, ratio
from endophora.metrics.texts import Count, PlainTextMetric

CHARACTERS = 6
BETA = 2
SIDES = ("hypothesis", "reference", "matched")
PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True, slots=True, eq=False)
class _Reference:
    """One reference: its n-grams, and how many there are of each order, (segments, orders)."""

    characters: NgramTable
    words: NgramTable
    totals: FloatArray


class ChrF(PlainTextMetric):
    """F-score of character n-grams, orders 1 to 6 without white space, β = 2, between 0 and 100.

    With several references, a segment is compared with the one that gives it the best score.
    """

    name: ClassVar[str] = "chrF2"
    words: ClassVar[int] = 0
    columns: ClassVar[tuple[str, ...]] = tuple(f"{side}_c{n}" for n in range(1, CHARACTERS + 1) for side in SIDES)

    def __init__(self, language: str = "", lowercase: bool = False) -> None:
        super().__init__(language)
        self.lowercase = lowercase

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return sacreBLEU's own signature, version last."""
        scorer = sacrebleu.CHRF(CHARACTERS, self.words, BETA, lowercase=self.lowercase, references=[["x"]] * references)
        return scorer.get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the n-grams of a system's texts against these references."""
        return partial(self._count_best, [self._read(reference) for reference in references])

    def score(self, sums: FloatArray) -> FloatArray:
        """Return chrF, (…, 3 · orders) → (…); NaN where the reference has no character.

        Precision and recall are means over the orders that occur on both sides (sacreBLEU's effective order).
        """
        hypothesis, reference, matched = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=-1), 1)
        # Summed and multiplied in sacreBLEU's order: where two references tie, rounding decides which is the best.
        precision = np.cumsum(ratio(matched, np.where(used, hypothesis, 0), 0.0), axis=-1)[..., -1] / orders
        recall = np.cumsum(ratio(matched, np.where(used, reference, 0), 0.0), axis=-1)[..., -1] / orders
        score = 100 * ratio((1 + BETA**2) * precision * recall, BETA**2 * precision + recall, 0.0)
        return np.where(reference[..., 0] > 0, score, np.nan)

    def _read(self, reference: list[str]) -> _Reference:
        characters = [self._characters(text) for text in reference]
        words = [self._words(text) for text in reference]
        return _Reference(
            NgramTable([characters], CHARACTERS), NgramTable([words], self.words), self._totals(characters, words)
        )

    def _count_best(self, references: list[_Reference], texts: list[str]) -> FloatArray:
        """Return the statistics of a system's texts, each against the reference that gives it the best score."""
        characters = [self._characters(text) for text in texts]
        words = [self._words(text) for text in texts]
        here = self._totals(characters, words)
        candidates: list[FloatArray] = []
        for reference in references:
            matched = np.column_stack((reference.characters.matches(characters), reference.words.matches(words)))
            there = reference.totals
            counts = np.stack((np.where(there > 0, here, 0), there, matched), axis=-1)
            candidates.append(counts.reshape(len(texts), len(self.columns)))
        best = np.nan_to_num(np.stack([self.score(counts) for counts in candidates])).argmax(axis=0)
        return np.stack(candidates)[best, np.arange(len(texts))]

    def _totals(self, characters: list[str], words: list[list[str]]) -> FloatArray:
        return np.column_stack(
            (
                totals(np.array([len(text) for text in characters], dtype=np.float64), CHARACTERS),
                totals(np.array([len(text) for text in words], dtype=np.float64), self.words),
            )
        )

    def _characters(self, text: str) -> str:
        return "".join((text.lower() if self.lowercase else text).split())

    def _words(self, text: str) -> list[str]:
        return split_words(text.lower() if self.lowercase else text) if self.words else []


class ChrFPlusPlus(ChrF):
    """chrF with word unigrams and bigrams besides the characters."""

    name: ClassVar[str] = "chrF2++"
    words: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = (*ChrF.columns, *(f"{side}_w{n}" for n in (1, 2) for side in SIDES))


class DocumentChrF(ChrF):
    """d-chrF: every document is one text, so that the division into sentences is free."""

    name: ClassVar[str] = "d-chrF2"
    level: ClassVar[Level] = "document"


class DocumentChrFPlusPlus(DocumentChrF, ChrFPlusPlus):
    """d-chrF++: the same with word unigrams and bigrams."""

    name: ClassVar[str] = "d-chrF2++"


def split_words(text: str) -> list[str]:
    """Return chrF++'s words: one ASCII punctuation mark is split off the end, or if there is none, off the start."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += word[0], word[1:]
        else:
            words.append(word)
    return words
