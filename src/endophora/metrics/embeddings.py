"""Embedding average, vector extrema and greedy matching over word vectors that the user names.

The three were put side by side by Sharma et al. (2017, “Relevance of Unsupervised Metrics in Task-Oriented Dialogue for
Evaluating Natural Language Generation”); vector extrema are Forgues et al.'s (2014), greedy matching is Rus and
Lintean's (2012).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.options import read_options
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import Count, Texts
from endophora.metrics.vectors import Vector, load_vectors
from endophora.metrics.words import make_splitter
from endophora.provenance import content_of
from endophora.signature import format_signature
from endophora.version import __version__

_UNKNOWN = ("skip", "mean")

LITTLE = 0.5
"""A share of words with a vector under which a score speaks for few of the words, and a warning says so."""


class EmbeddingMetric(Texts):
    """Mean over segments of the similarity of hypothesis and reference by the vectors of their words, at most 1.

    A word is looked up as it stands and, if the file does not have it, in lower case. Words without a vector are left
    out (``unknown=skip``, as in Forgues et al. and Liu et al., 2016), or take the mean of all vectors in the file
    (``unknown=mean``, as in Sharma et al.'s code). A segment whose reference has no known word is not counted; one
    whose hypothesis has none scores 0. With several references, the most similar counts. Words are sacreBLEU's.

    Args:
        language: ISO 639-1 code of the target; sacreBLEU chooses its tokenizer by it.

    Raises: InputError: no file is named, or an option is unknown (E140), or there is no such file (E001).
    """

    kind: ClassVar[str]
    maximum: ClassVar[float] = 1.0
    columns: ClassVar[tuple[str, ...]] = ("score", "segments", "known_words", "words")

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        key = self.kind
        options = read_options(key, argument, ("vectors", "unknown"), "vectors")
        if "vectors" not in options:
            raise InputError(Fault("E140", f"{key} needs word vectors", f"name their file: {key}:PATH"))
        self.unknown = options.get("unknown", _UNKNOWN[0])
        if self.unknown not in _UNKNOWN:
            cause = f"{key} does not know unknown={self.unknown}"
            raise InputError(Fault("E140", cause, f"known: {', '.join(_UNKNOWN)}"))
        self.vectors = load_vectors(options["vectors"])
        if not self.vectors.path.is_file():
            raise InputError(Fault("E001", "no such file", "check the path", options["vectors"]))

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, the vectors' file with a hash of its content, unknown words, tokenizer and version."""
        items = (
            ("nrefs", "#", references),
            ("case", "c", "mixed"),
            ("tok", "tok", make_splitter(self.language).name),
            ("vectors", "vec", f"{self.vectors.path.name}-{content_of(self.vectors.path)[:8]}"),
            ("unknown", "u", self.unknown),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what compares a system's texts with these references; the vectors are read when it is called.

        Raises: MissingModelError: the language's tokenizer needs a library that is not installed (E073).
        """
        split = make_splitter(self.language, lowercase=False).split
        segments = [[split(text) for text in texts] for texts in zip(*references, strict=True)]

        def count(texts: list[str]) -> FloatArray:
            """Return the statistics of each text; no similarity and no segment where no reference has a known word."""
            words = [split(text) for text in texts]
            self._look_up([*words, *(each for there in segments for each in there)])
            rows = [self._row(here, there) for here, there in zip(words, segments, strict=True)]
            return np.array(rows, dtype=np.float64).reshape(-1, len(self.columns))

        return count

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean, (…, 4) → (…); NaN where no reference has a known word."""
        return ratio(sums[..., 0], sums[..., 1])

    def coverage(self, sums: FloatArray) -> FloatArray:
        """Return the share of the words of hypotheses and references that have a vector, (…, 4) → (…)."""
        return ratio(sums[..., 2], sums[..., 3])

    def warn(self, sums: Mapping[str, FloatArray]) -> str:
        """Return the share of the words that have a vector, for the systems where it is under :data:`LITTLE`."""
        shares = {system: float(self.coverage(counts)) for system, counts in sums.items()}
        low = [f"{system} {100 * share:.0f} %" for system, share in shares.items() if share < LITTLE]
        if not low:
            return ""
        where = f"{self.vectors.path.name} has vectors of few words of output and reference"
        return f"{self.name}: {where} ({', '.join(low)}); the score speaks for those alone"

    @abstractmethod
    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the similarity of two texts.

        Args:
            hypothesis: vectors of its words, (words, dimension); at least one.
        """

    def _row(self, here: Sequence[str], there: Sequence[Sequence[str]]) -> tuple[float, ...]:
        hypothesis = self._known(here)
        references = [known for words in there if len(known := self._known(words))]
        words = len(here) + sum(map(len, there))
        known = sum(self._vector(word) is not None for text in (here, *there) for word in text)
        if not references:
            return 0.0, 0.0, known, words
        if not len(hypothesis):
            return 0.0, 1.0, known, words
        return max(self.similarity(hypothesis, each) for each in references), 1.0, known, words

    def _known(self, words: Iterable[str]) -> FloatArray:
        """Return the vectors of words, (words, dimension)."""
        filler = self.vectors.mean if self.unknown == "mean" else None
        found = [each for word in words if (each := self._vector(word, filler)) is not None]
        return np.array(found, dtype=np.float64)

    def _vector(self, word: str, filler: Vector | None = None) -> Vector | None:
        for form in (word, word.lower()):
            vector = self.vectors.get(form)
            if vector is not None:
                return vector
        return filler

    def _look_up(self, texts: Sequence[Sequence[str]]) -> None:
        words = {word for text in texts for word in text}
        self.vectors.look_up(words | {word.lower() for word in words})
        if words and all(self._vector(word) is None for word in words):
            cause = f"none of {len(words)} different words has a vector"
            advice = "are the vectors of the texts' language?"
            raise InputError(Fault("E146", cause, advice, str(self.vectors.path)))


class EmbeddingAverage(EmbeddingMetric):
    """Cosine of the sums of the words' vectors."""

    name: ClassVar[str] = "Embedding average"
    kind: ClassVar[str] = "average"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the cosine of the sums."""
        return _cosine(hypothesis.sum(axis=0), reference.sum(axis=0))


class VectorExtrema(EmbeddingMetric):
    """Cosine of the vectors that have in each dimension the words' value that is farthest from zero.

    Of a positive and a negative value equally far from it, the negative is taken.
    """

    name: ClassVar[str] = "Vector extrema"
    kind: ClassVar[str] = "extrema"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the cosine of the extrema."""
        return _cosine(_extrema(hypothesis), _extrema(reference))


class GreedyMatching(EmbeddingMetric):
    """Mean cosine of each word with its nearest in the other text, both ways, and their mean."""

    name: ClassVar[str] = "Greedy matching"
    kind: ClassVar[str] = "greedy"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the mean of the two directions."""
        cosines = _unit(hypothesis) @ _unit(reference).T
        return float(cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2


def _extrema(vectors: FloatArray) -> FloatArray:
    high: FloatArray = vectors.max(axis=0)
    low: FloatArray = vectors.min(axis=0)
    return np.where(high > -low, high, low)


def _unit(vectors: FloatArray) -> FloatArray:
    norms: FloatArray = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit


def _cosine(a: FloatArray, b: FloatArray) -> float:
    return float(_unit(a) @ _unit(b))
