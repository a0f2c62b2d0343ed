"""chrF2 (Popović, 2015) and chrF2++ (Popović, 2017)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sacrebleu.metrics import chrf as sacrebleu

from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.sacre import SacreMetric, Scorer

CHARACTER_ORDER = 6
BETA = 2
SIDES = ("hypothesis", "reference", "matched")


class ChrF(SacreMetric):
    """Character n-gram F-score, orders 1 to 6, β = 2, between 0 and 100.

    With several references, a segment is compared with the one that gives it the best score.

    Args:
        language: not needed; every text metric takes it.
        lowercase: compare in lower case.
    """

    name: ClassVar[str] = "chrF2"
    word_order: ClassVar[int] = 0
    columns = tuple(
        f"{side}_c{n}" for n in range(1, CHARACTER_ORDER + 1) for side in ("hypothesis", "reference", "matched")
    )

    def __init__(self, language: str = "", lowercase: bool = False) -> None:
        super().__init__()
        self.language = language
        self.lowercase = lowercase

    def build(self, references: list[list[str]]) -> Scorer:
        """Return sacreBLEU's chrF with these references cached in it."""
        return sacrebleu.CHRF(
            char_order=CHARACTER_ORDER,
            word_order=self.word_order,
            beta=BETA,
            lowercase=self.lowercase,
            references=references,
        )

    def score(self, sums: FloatArray) -> FloatArray:
        """Return chrF, (..., 3 · orders) → (...); NaN where the reference has no character.

        Precision and recall are means over the orders that occur on both sides (sacreBLEU's effective order).
        """
        hypothesis, reference, matched = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=-1), 1)
        precision = ratio(matched, np.where(used, hypothesis, 0), 0.0).sum(axis=-1) / orders
        recall = ratio(matched, np.where(used, reference, 0), 0.0).sum(axis=-1) / orders
        score = ratio(100 * (1 + BETA**2) * precision * recall, BETA**2 * precision + recall, 0.0)
        return np.where(reference[..., 0] > 0, score, np.nan)


class ChrFPlusPlus(ChrF):
    """chrF with word unigrams and bigrams besides the characters."""

    name: ClassVar[str] = "chrF2++"
    word_order: ClassVar[int] = 2
    columns = (
        *ChrF.columns,
        *(f"{side}_w{n}" for n in (1, 2) for side in SIDES),
    )
