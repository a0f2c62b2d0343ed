"""A model made up for tests: it cuts words in two, and its log-probabilities are given in a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from endophora.models.records import ContextSentence, ModelInput, ScoredTarget

_HALF = 3


def cut(text: str) -> list[tuple[int, int]]:
    """Cut each run of non-blanks after its third character."""
    spans: list[tuple[int, int]] = []
    for found in re.finditer(r"\S+", text):
        start, end = found.span()
        middle = min(start + _HALF, end)
        spans += [(start, middle), (middle, end)] if middle < end else [(start, end)]
    return spans


class FakeScorer:
    """Every sub-word has log-probability -1, its end -2, and ``gain`` more for each sentence of context.

    Args:
        gains: sub-word → how much more likely one sentence of context makes it.
    """

    def __init__(self, gains: Mapping[str, float] | None = None) -> None:
        self.gains = dict(gains or {})
        self.asked: list[tuple[ModelInput, str]] = []

    signature = "fake"
    vocabulary: Sequence[int] = range(10)

    def length(self, sentence: ContextSentence) -> int:
        return len(sentence)

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        if len(inputs) != len(targets):
            raise ValueError
        self.asked += zip(inputs, targets, strict=True)
        return [self._one(*pair) for pair in zip(inputs, targets, strict=True)]

    def _one(self, given: ModelInput, target: str) -> ScoredTarget:
        spans = cut(target)
        pieces = [target[start:end] for start, end in spans]
        context = len(given.source_context) + len(given.target_context)
        values = [-1.0 + context * self.gains.get(piece, 0.0) for piece in pieces] + [
            -2.0 + context * self.gains.get("</s>", 0.0)
        ]
        spans.append((len(target), len(target)))
        return ScoredTarget(target, (*pieces, "</s>"), tuple(spans), np.array(values))
