"""CIDEr and CIDEr-D (Vedantam et al., 2015, “CIDEr: Consensus-based Image Description Evaluation”, §4 and §6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import ClassVar, TypeAlias

import numpy as np

from endophora.metrics.options import read_options
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import Count, Texts
from endophora.metrics.words import make_splitter
from endophora.signature import format_signature
from endophora.version import __version__

ORDER = 4
SIGMA = 6.0

Ngram: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Vector:
    """One text: the weights of its n-grams by order, their lengths as vectors, and its number of words."""

    weights: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]
    words: int


class CIDEr(Texts):
    """Mean over segments of the cosine between n-gram vectors, times 10; orders 1 to 4 weigh the same.

    An n-gram's weight is its count in the text times log(segments / segments whose references have it); one that no
    reference has counts as if one segment had it. With several references the mean over them is taken. The document
    frequencies come from the references as they are given and are not resampled with the segments. With a single
    segment every weight is zero, and there is no score. Words are sacreBLEU's, in lower case, without stemming.

    Args:
        language: ISO 639-1 code of the target; sacreBLEU chooses its tokenizer by it.

    Raises: InputError: an argument is given (E140).
    """

    name: ClassVar[str] = "CIDEr"
    maximum: ClassVar[float] = 10.0
    columns: ClassVar[tuple[str, ...]] = ("score", "segments")

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        read_options(self.name.lower(), argument, ())

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, orders, tokenizer and version."""
        items = (
            ("nrefs", "#", references),
            ("case", "c", "lc"),
            ("tok", "tok", make_splitter(self.language).name),
            ("order", "o", ORDER),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what compares a system's texts with these references.

        Raises: MissingModelError: the language's tokenizer needs a library that is not installed (E073).
        """
        split = make_splitter(self.language).split
        segments = [[split(text) for text in texts] for texts in zip(*references, strict=True)]
        frequencies: Counter[Ngram] = Counter()
        for texts in segments:
            frequencies.update(set[Ngram]().union(*(_ngrams(words) for words in texts)))
        known = [[_weigh(words, frequencies, len(segments)) for words in texts] for texts in segments]

        def count(texts: list[str]) -> FloatArray:
            """Return (score, 1) of each text, or (0, 0) where nothing can be weighed."""
            rows: list[tuple[float, float]] = []
            for text, there in zip(texts, known, strict=True):
                here = _weigh(split(text), frequencies, len(segments))
                similarities = [self.similarity(here, each) for each in there]
                countable = len(segments) > 1 and any(each.words for each in there)
                rows.append((10 * sum(similarities) / len(there), 1.0) if countable else (0.0, 0.0))
            return np.array(rows, dtype=np.float64).reshape(-1, 2)

        return count

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean, (…, 2) → (…); NaN where nothing can be weighed."""
        return ratio(sums[..., 0], sums[..., 1])

    def similarity(self, hypothesis: _Vector, reference: _Vector) -> float:
        """Return the mean over the orders of the cosines."""
        return _cosine(hypothesis, reference)


class CIDErD(CIDEr):
    """CIDEr-D, what evaluation scripts call CIDEr: counts are clipped, and another length than the reference's costs.

    The smaller of the two weights meets the reference's, and the cosine is multiplied by a Gaussian, σ = 6, of the
    difference of the numbers of words.
    """

    name: ClassVar[str] = "CIDEr-D"

    def similarity(self, hypothesis: _Vector, reference: _Vector) -> float:
        """Return the mean over the orders of the clipped cosines, times the penalty."""
        difference = hypothesis.words - reference.words
        return exp(-(difference**2) / (2 * SIGMA**2)) * _cosine(hypothesis, reference, clip=True)


def _cosine(hypothesis: _Vector, reference: _Vector, *, clip: bool = False) -> float:
    total = 0.0
    for here, there, *norms in zip(
        hypothesis.weights, reference.weights, hypothesis.norms, reference.norms, strict=True
    ):
        if all(norms):
            pairs = ((weight, there.get(ngram, 0.0)) for ngram, weight in here.items())
            total += sum((min(pair) if clip else pair[0]) * pair[1] for pair in pairs) / (norms[0] * norms[1])
    return total / ORDER


def _ngrams(words: Sequence[str]) -> Counter[Ngram]:
    return Counter(tuple(words[i : i + n]) for n in range(1, ORDER + 1) for i in range(len(words) - n + 1))


def _weigh(words: Sequence[str], frequencies: Mapping[Ngram, int], segments: int) -> _Vector:
    weights: tuple[dict[Ngram, float], ...] = tuple({} for _ in range(ORDER))
    for ngram, count in _ngrams(words).items():
        weights[len(ngram) - 1][ngram] = count * log(segments / max(1, frequencies.get(ngram, 0)))
    norms = tuple(sqrt(sum(weight**2 for weight in each.values())) for each in weights)
    return _Vector(weights, norms, len(words))
