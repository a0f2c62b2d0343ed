"""ROUGE-L, CIDEr and METEOR: metrics of words.

ROUGE-L is of Lin (2004, “ROUGE: A Package for Automatic Evaluation of Summaries”, §3), CIDEr and CIDEr-D of Vedantam et
al. (2015, “CIDEr: Consensus-based Image Description Evaluation”, §4 and §6), METEOR of Banerjee and Lavie (2005,
“METEOR: An Automatic Metric for MT Evaluation …”), aligned by NLTK.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

import numpy as np

from endophora.errors import Fault, MissingModelError
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import WordMetric, read_number, read_options
from endophora.metrics.wordnet import load_wordnet

ORDER, SIGMA = 4, 6.0
"""Of CIDEr: the longest n-grams, and the deviation of CIDEr-D's penalty in words."""
ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
"""Of METEOR."""

Ngram: TypeAlias = tuple[str, ...]


class RougeL(WordMetric):
    """Mean over segments of the F-measure of the longest common subsequence of words, between 0 and 100.

    With L the length of that subsequence, recall is L per word of the reference and precision L per word of the
    hypothesis, and F = (1 + β²) P R / (R + β² P). With several references, the one with the best F counts. Words are
    sacreBLEU's, in lower case; there is no stemming.

    ``argument``: ``beta=1.2`` weighs recall as the evaluation scripts for image captions do; 1 if not given.
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


class _Vector(NamedTuple):
    """One text: the weights of its n-grams by order, their lengths as vectors, and its number of words."""

    weights: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]
    words: int


class CIDEr(WordMetric):
    """Mean over segments of the cosine between n-gram vectors, times 10; orders 1 to 4 weigh the same.

    An n-gram's weight is its count in the text times log(segments / segments whose references have it); one that no
    reference has counts as if one segment had it. With several references the mean over them is taken. The document
    frequencies come from the given references and are not resampled with the segments. With a single
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


class Meteor(WordMetric):
    """Unigram F-measure with nine tenths of its weight on recall, less a penalty for broken order, between 0 and 100.

    Words match if they are equal, then if their stems are, then, with a wordnet, if they have a sense in common. With m
    matches in c chunks of adjacent words, F = P R / (.9 P + .1 R) and METEOR = F (1 − .5 (c / m)³). A row of statistics
    has the lengths, the matches and the chunks; the score of a corpus comes from their sums, as METEOR's own. With
    several references, the one with the best score in the segment counts. Words are sacreBLEU's, in lower case; stems
    are Snowball's, in the languages that have one.

    ``argument``: ``wordnet=`` a file or a lexicon, as for LC; empty for equal words and stems only.
    """

    name: ClassVar[str] = "METEOR"
    columns: ClassVar[tuple[str, ...]] = ("hypothesis_length", "reference_length", "matches", "chunks")

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        options = read_options("meteor", argument, ("wordnet",), "wordnet")
        self.wordnet = load_wordnet(options["wordnet"]) if options else None

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return stemmer, wordnet and NLTK's version."""
        _, version, stemmer = _libraries(self.language)
        wordnet = "none" if self.wordnet is None else self.wordnet.name
        return (("stem", "st", stemmer.name), ("wordnet", "wn", wordnet), ("nltk", "n", version))

    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], list[Sequence[float]]]:
        """Return what aligns texts with the references: zeros where no reference has a word."""
        align, _, stemmer = _libraries(self.language)
        align = partial(align, stemmer=stemmer, wordnet=_NoWordnet)
        known = [[words for words in texts if words] for texts in references]
        return lambda texts: [self._best(align, words, there) for words, there in zip(texts, known, strict=True)]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return METEOR, (…, 4) → (…); NaN where no reference has a word."""
        hypothesis, reference, matches, chunks = (sums[..., column] for column in range(4))
        precision, recall = ratio(matches, hypothesis, 0.0), ratio(matches, reference)
        f_mean = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall, 0.0)
        found = 100 * f_mean * (1 - GAMMA * ratio(chunks, matches, 0.0) ** BETA)
        return np.where(reference > 0, found, np.nan)

    def _best(self, align: Any, words: Sequence[str], references: Iterable[Sequence[str]]) -> Sequence[float]:
        rows = [np.zeros(len(self.columns))]
        for reference in references:
            matches, *left = align(words, reference)
            matches = sorted(matches + self._synonyms(words, reference, *left))
            breaks = sum((i + 1, j + 1) != after for (i, j), after in pairwise(matches))
            chunks = breaks + 1 if matches else 0
            rows.append(np.array([len(words), len(reference), len(matches), chunks], dtype=np.float64))
        return max(rows, key=lambda row: np.nan_to_num(self.score(row), nan=-1.0)).tolist()

    def _synonyms(
        self,
        words: Sequence[str],
        reference: Sequence[str],
        here: Iterable[tuple[int, str]],
        there: Iterable[tuple[int, str]],
    ) -> list[tuple[int, int]]:
        """Return pairs of unmatched words with a sense in common, from the end on, as NLTK goes through its stages."""
        if self.wordnet is None:
            return []
        free = {j: self.wordnet.senses(reference[j]) for j, _ in sorted(there, reverse=True)}
        pairs: list[tuple[int, int]] = []
        for i, _ in sorted(here, reverse=True):
            senses = self.wordnet.senses(words[i])
            match = next((j for j, others in free.items() if senses & others), None)
            if match is not None:
                del free[match]
                pairs.append((i, match))
        return pairs


@dataclass(frozen=True, slots=True)
class _Stemmer:
    """A stemmer as NLTK asks for it."""

    name: str
    stem: Callable[[str], str]


class _NoWordnet:
    """What NLTK is given for a wordnet: it would look up stems, and few stems are words."""

    @staticmethod
    def synsets(word: str) -> tuple[()]:  # noqa: ARG004
        """Return nothing."""
        return ()


def _libraries(language: str) -> tuple[Any, str, _Stemmer]:
    """Return what aligns in NLTK, NLTK's version, and the language's stemmer, which may leave words unchanged.

    What aligns returns pairs of positions, and positions with stems of what is left of either text.
    """
    try:
        import nltk
        import Stemmer
        from nltk.translate import meteor_score
    except ImportError as error:
        cause = "METEOR needs NLTK and PyStemmer, which are not installed"
        raise MissingModelError(Fault("E143", cause, "pip install 'endophora[meteor]'")) from error
    stemmers: Any = Stemmer
    try:
        stemmer = _Stemmer(f"snowball-{language}", stemmers.Stemmer(language).stemWord)
    except KeyError:
        stemmer = _Stemmer("none", str)
    return cast("Any", meteor_score).align_words, nltk.__version__, stemmer
