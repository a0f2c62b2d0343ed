"""Translation edit rate (Snover et al., 2006)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from sacrebleu.metrics import ter as sacrebleu

from endophora.metrics.records import FloatArray, Level, ratio
from endophora.metrics.texts import Count, PlainTextMetric


class TER(PlainTextMetric):
    """Edits (insertions, deletions, substitutions, shifts) per reference word, in per cent; lower is better.

    Slow, some 20 ms a segment in sacreBLEU's search for shifts; so it is not computed unless asked for. With several
    references, the fewest edits are set against the references' mean length.
    """

    name: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    def __init__(self, language: str = "", normalized: bool = False) -> None:
        super().__init__(language)
        self.normalized = normalized

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return sacreBLEU's own signature, version last."""
        scorer = sacrebleu.TER(normalized=self.normalized, references=[["x"]] * references)
        return scorer.get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the edits of a system's texts against these references."""
        scorer = sacrebleu.TER(normalized=self.normalized)
        segments = list(zip(*references, strict=True))
        return partial(_count, scorer, segments)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return 100 · edits / mean reference length, (…, 2) → (…); NaN where the references have no word."""
        return ratio(100 * sums[..., 0], sums[..., 1])


class DocumentTER(TER):
    """d-TER: every document is one text, so that the division into sentences is free.

    Slow: about 0.2 s for a document of 100 words, 2 s for 300, 10 s for 500 and 35 s for 1,000 (two shared cores,
    2026-11-20). And coarse: sacreBLEU looks at a thousand shifts in a text and no more, and aligns within 25 words of
    the diagonal, so that of a long document only a part is searched for shifts.
    """

    name: ClassVar[str] = "d-TER"
    level: ClassVar[Level] = "document"


def _count(scorer: sacrebleu.TER, references: list[tuple[str, ...]], texts: list[str]) -> FloatArray:
    scores = [scorer.sentence_score(text, segment) for text, segment in zip(texts, references, strict=True)]
    return np.array([(score.num_edits, score.ref_length) for score in scores], dtype=np.float64).reshape(-1, 2)
