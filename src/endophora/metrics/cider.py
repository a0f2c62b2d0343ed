"""CIDEr and CIDEr-D (Vedantam et al., 2015, “CIDEr: Consensus-based Image Description Evaluation”, §4 and §6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import ClassVar, TypeAlias

from endophora.metrics.texts import WordMetric, read_options

ORDER = 4
SIGMA = 6.0

Ngram: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Vector:
    """One text: the weights of its n-grams by order, their lengths as vectors, and its number of words."""

    weights: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]
    words: int


class CIDEr(WordMetric):
    """Mean over segments of the cosine between n-gram vectors, times 10; orders 1 to 4 weigh the same.

    An n-gram's weight is its count in the text times log(segments / segments whose references have it); one that no
    reference has counts as if one segment had it. With several references the mean over them is taken. The document
    frequencies come from the references as they are given and are not resampled with the segments. With a single
    segment every weight is zero, and there is no score. Words are sacreBLEU's, in lower case, without stemming.
    """

    name: ClassVar[str] = "CIDEr"
    maximum: ClassVar[float] = 10.0

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        read_options(self.name.lower(), argument, ())

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return the number of orders."""
        return (("order", "o", ORDER),)

    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], list[tuple[float, float]]]:
        """Return what makes (score, 1) of each text, or (0, 0) where nothing can be weighed."""
        frequencies: Counter[Ngram] = Counter()
        for texts in references:
            frequencies.update(set[Ngram]().union(*(_ngrams(words) for words in texts)))
        size = len(references)
        known = [[_weigh(words, frequencies, size) for words in texts] for texts in references]

        def count(texts: list[list[str]]) -> list[tuple[float, float]]:
            """Return the rows of a system."""
            rows: list[tuple[float, float]] = []
            for words, there in zip(texts, known, strict=True):
                here = _weigh(words, frequencies, size)
                similarities = [self.similarity(here, each) for each in there]
                countable = size > 1 and any(each.words for each in there)
                rows.append((10 * sum(similarities) / len(there), 1.0) if countable else (0.0, 0.0))
            return rows

        return count

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
