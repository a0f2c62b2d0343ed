"""ROUGE-L: the longest common subsequence (Lin, 2004, “ROUGE: A Package for Automatic Evaluation of Summaries”, §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar

from endophora.metrics.texts import WordMetric, read_number, read_options


class RougeL(WordMetric):
    """Mean over segments of the F-measure of the longest common subsequence of words, between 0 and 100.

    With L the length of that subsequence, recall is L per word of the reference and precision L per word of the
    hypothesis, and F = (1 + β²) P R / (R + β² P). With several references, the one with the best F counts. Words are
    sacreBLEU's, in lower case; there is no stemming.

    Args:
        argument: ``beta=1.2`` weighs recall as the evaluation scripts for image captions do; 1 if not given.
    """

    name: ClassVar[str] = "ROUGE-L"

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        self.beta = read_number("rouge-l", read_options("rouge-l", argument, ("beta",)), "beta", 1.0)

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return β."""
        return (("beta", "b", f"{self.beta:g}"),)

    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], list[tuple[float, float]]]:
        """Return what makes (score, 1) of each text, or (0, 0) where no reference has a word."""
        patterns = [[Pattern(words) for words in texts if words] for texts in references]
        return lambda texts: [
            (max(map(partial(self._f, words), there)), 1.0) if there else (0.0, 0.0)
            for words, there in zip(texts, patterns, strict=True)
        ]

    def _f(self, words: Sequence[str], pattern: Pattern) -> float:
        common = pattern.common(words)
        if not common:
            return 0.0
        precision, recall, square = common / len(words), common / pattern.length, self.beta**2
        return 100 * (1 + square) * precision * recall / (recall + square * precision)


class Pattern:
    """A sequence of words with which others are compared.

    The length of the longest common subsequence comes from a row of bits, one for each word (Hyyrö, 2004,
    “Bit-Parallel LCS-length Computation Revisited”), so that each word of the other text costs a few operations.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.length = 0
        self._places: dict[str, int] = {}
        for self.length, word in enumerate(words, start=1):
            self._places[word] = self._places.get(word, 0) | 1 << (self.length - 1)

    def common(self, words: Iterable[str]) -> int:
        """Return the length of the longest common subsequence."""
        full = (1 << self.length) - 1
        row = full
        for word in words:
            both = row & self._places.get(word, 0)
            row = (row + both | row - both) & full
        return self.length - row.bit_count()
