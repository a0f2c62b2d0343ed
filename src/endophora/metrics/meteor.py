"""METEOR (Banerjee and Lavie, 2005, “METEOR: An Automatic Metric for MT Evaluation …”), aligned by NLTK."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import numpy as np

from endophora.errors import Fault, MissingModelError
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import WordMetric, read_options
from endophora.metrics.wordnet import load_wordnet

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_INSTALL = "pip install 'endophora[meteor]'"


class Meteor(WordMetric):
    """Unigram F-measure with nine tenths of its weight on recall, less a penalty for broken order, between 0 and 100.

    Words match if they are equal, then if their stems are, then, with a wordnet, if they have a sense in common. With m
    matches in c chunks of adjacent words, F = P R / (.9 P + .1 R) and METEOR = F (1 − .5 (c / m)³). A row of statistics
    has the lengths, the matches and the chunks; the score of a corpus comes from their sums, as METEOR's own. With
    several references, the one with the best score in the segment counts. Words are sacreBLEU's, in lower case; stems
    are Snowball's, in the languages that have one.

    Args:
        argument: ``wordnet=`` a file or a lexicon, as for LC; empty for equal words and stems only.
    """

    name: ClassVar[str] = "METEOR"
    columns: ClassVar[tuple[str, ...]] = ("hypothesis_length", "reference_length", "matches", "chunks")

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        options = read_options("meteor", argument, ("wordnet",), "wordnet")
        self.wordnet = load_wordnet(options["wordnet"]) if options else None

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return stemmer, wordnet and NLTK's version."""
        library, stemmer = _libraries(self.language)
        return (
            ("stem", "st", stemmer.name),
            ("wordnet", "wn", "none" if self.wordnet is None else self.wordnet.name),
            ("nltk", "n", library.version),
        )

    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], list[Sequence[float]]]:
        """Return what aligns texts with the references: zeros where no reference has a word."""
        library, stemmer = _libraries(self.language)
        known = [[words for words in texts if words] for texts in references]
        return lambda texts: [
            self._best(library.align, stemmer, words, there) for words, there in zip(texts, known, strict=True)
        ]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return METEOR, (…, 4) → (…); NaN where no reference has a word."""
        hypothesis, reference, matches, chunks = (sums[..., column] for column in range(4))
        precision, recall = ratio(matches, hypothesis, 0.0), ratio(matches, reference)
        f_mean = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall, 0.0)
        found = 100 * f_mean * (1 - GAMMA * ratio(chunks, matches, 0.0) ** BETA)
        return np.where(reference > 0, found, np.nan)

    def _best(
        self, align: _Align, stemmer: _Stemmer, words: Sequence[str], references: Iterable[Sequence[str]]
    ) -> Sequence[float]:
        rows = [np.zeros(len(self.columns))]
        for reference in references:
            matches, *left = align(words, reference, stemmer=stemmer, wordnet=_NoWordnet)
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


class _Align(Protocol):
    """NLTK's function that aligns two texts: pairs of positions, and positions with stems of what is left of either."""

    def __call__(
        self, hypothesis: Sequence[str], reference: Sequence[str], *, stemmer: object, wordnet: object
    ) -> tuple[list[tuple[int, int]], list[tuple[int, str]], list[tuple[int, str]]]: ...


@dataclass(frozen=True, slots=True)
class _Stemmer:
    """A stemmer as NLTK asks for it."""

    name: str
    stem: Callable[[str], str]  # word → stem


class _NoWordnet:
    """What NLTK is given for a wordnet: it would look up stems, and few stems are words."""

    @staticmethod
    def synsets(word: str) -> tuple[()]:  # noqa: ARG004
        """Return nothing."""
        return ()


class _Library(NamedTuple):
    """What is used of NLTK: its version, and its function that aligns."""

    version: str
    align: _Align


def _libraries(language: str) -> tuple[_Library, _Stemmer]:
    """Return NLTK and the language's stemmer, which leaves words as they are where there is none."""
    try:
        import nltk
        import Stemmer
        from nltk.translate import meteor_score
    except ImportError as error:
        cause = "METEOR needs NLTK and PyStemmer, which are not installed"
        raise MissingModelError(Fault("E143", cause, _INSTALL)) from error
    library = _Library(nltk.__version__, cast("_Align", meteor_score.align_words))
    stemmers: Any = Stemmer
    try:
        return library, _Stemmer(f"snowball-{language}", stemmers.Stemmer(language).stemWord)
    except KeyError:
        return library, _Stemmer("none", str)
