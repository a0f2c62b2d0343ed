"""Translation edit rate (Snover et al., 2006)."""

from __future__ import annotations

from typing import ClassVar

from sacrebleu.metrics import ter as sacrebleu

from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.sacre import SacreMetric, Scorer


class TER(SacreMetric):
    """Edits (insertions, deletions, substitutions, shifts) per reference word, in per cent; lower is better.

    Slow: the search for shifts takes about 20 ms for a segment of 30 words, so it is not computed unless asked for.

    Args:
        language: not needed; every text metric takes it.
        normalized: tokenise punctuation as tercom does.
    """

    name: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False
    columns = ("edits", "reference_length")

    def __init__(self, language: str = "", normalized: bool = False) -> None:
        super().__init__()
        self.language = language
        self.normalized = normalized

    def build(self, references: list[list[str]]) -> Scorer:
        """Return sacreBLEU's TER with these references cached in it."""
        return sacrebleu.TER(normalized=self.normalized, references=references)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return 100 · edits / mean reference length, (..., 2) → (...); NaN where the references have no word."""
        return ratio(100 * sums[..., 0], sums[..., 1])
