"""ROUGE-L: the longest common subsequence (Lin, 2004, “ROUGE: A Package for Automatic Evaluation of Summaries”, §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from endophora.metrics.options import read_number, read_options
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import Count, Texts
from endophora.metrics.words import make_splitter
from endophora.signature import format_signature
from endophora.version import __version__


class RougeL(Texts):
    """Mean over segments of the F-measure of the longest common subsequence of words, between 0 and 100.

    With L the length of that subsequence, recall is L per word of the reference and precision L per word of the
    hypothesis, and F = (1 + β²) P R / (R + β² P). With several references, the one with the best F counts. Words are
    sacreBLEU's, in lower case; there is no stemming.

    Args:
        language: ISO 639-1 code of the target; sacreBLEU chooses its tokenizer by it.
        argument: ``beta=1.2`` weighs recall as the evaluation scripts for image captions do; 1 if not given.

    Raises: InputError: an option is unknown (E140).
    """

    name: ClassVar[str] = "ROUGE-L"
    columns: ClassVar[tuple[str, ...]] = ("score", "segments")

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        self.beta = read_number("rouge-l", read_options("rouge-l", argument, ("beta",)), "beta", 1.0)

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, β, tokenizer and version."""
        items = (
            ("nrefs", "#", references),
            ("case", "c", "lc"),
            ("tok", "tok", make_splitter(self.language).name),
            ("beta", "b", f"{self.beta:g}"),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what compares a system's texts with these references.

        Raises: MissingModelError: the language's tokenizer needs a library that is not installed (E073).
        """
        split = make_splitter(self.language).split
        segments = [
            [Pattern(words) for text in texts if (words := split(text))] for texts in zip(*references, strict=True)
        ]

        def count(texts: list[str]) -> FloatArray:
            """Return (score, 1) of each text, or (0, 0) where no reference has a word."""
            rows = [
                (max(map(partial(self._f, split(text)), patterns)), 1.0) if patterns else (0.0, 0.0)
                for text, patterns in zip(texts, segments, strict=True)
            ]
            return np.array(rows, dtype=np.float64).reshape(-1, 2)

        return count

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean, (…, 2) → (…); NaN where no reference has a word."""
        return ratio(sums[..., 0], sums[..., 1])

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
