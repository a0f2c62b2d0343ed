"""Embeddings of clusters, by which they are merged: of words, synsets, shared translations, the corpus itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError, MissingModelError
from endophora.metrics.embeddings import WordVectors, read_vectors
from endophora.suites.senses.clusters import Cluster, Counts, FloatArray, SenseLexicon, Similarity
from endophora.suites.senses.inventory import Sense, SourceWord, folded

Vector = npt.NDArray[np.float32]
_WORD = re.compile(r"\w+")
Known = TypeVar("Known")


THRESHOLDS = {"signs": 0.25, "corpus": 0.02, "glosses": 0.5}
"""Usual γ of our own embeddings; research/notes/senses.md has what they were chosen by."""
THRESHOLD = 0.3
"""γ of others; the paper's."""


class VectorSimilarity:
    """Cosines of the mean vectors of clusters."""

    def __init__(self, name: str, vectors: Mapping[str, Vector], *, by_synset: bool = False) -> None:
        self.name, self._vectors, self._by_synset = name, vectors, by_synset

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return the cosines; see :class:`~endophora.suites.senses.clusters.Similarity`."""
        del word
        return _pairwise(list(map(self._mean, clusters)), lambda first, second: float(first @ second))

    def _mean(self, cluster: Cluster) -> Vector | None:
        names = [sense.id for sense in cluster.senses] if self._by_synset else [*cluster.words]
        vectors = [vector for name in names if (vector := self._get(name)) is not None]
        if not vectors:
            return None
        total = np.sum([vector / max(float(np.linalg.norm(vector)), 1e-12) for vector in vectors], axis=0)
        norm = float(np.linalg.norm(total))
        return total / norm if norm else None

    def _get(self, name: str) -> Vector | None:
        found = self._vectors.get(name)
        return self._vectors.get(name.lower()) if found is None else found


def _pairwise(clusters: Sequence[Known | None], alike: Callable[[Known, Known], float]) -> FloatArray:
    """Return how alike each two clusters are, by what is known of them; NaN where that is nothing."""
    found = np.full((len(clusters), len(clusters)), np.nan)
    for (row, first), (column, second) in product(enumerate(clusters), repeat=2):
        if first is not None and second is not None:
            found[row, column] = alike(first, second)
    return found


def _nearest(clusters: Sequence[Sequence[Known]], alike: Callable[[Known, Known], float]) -> FloatArray:
    """Return how alike two clusters' most similar senses are; NaN where nothing is known of a cluster's senses."""
    known = [senses or None for senses in clusters]
    return _pairwise(known, lambda ones, others: max(alike(one, other) for one in ones for other in others))


class SharedSigns:
    """Cosines of what senses share in the inventory: with Wiktionary, their words in all other languages.

    Two clusters are as alike as the two of their senses that are most alike. A sign more in the denominator keeps
    senses with few of them apart.
    """

    name = "signs"

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return the cosines of sets; see :class:`~endophora.suites.senses.clusters.Similarity`."""
        del word
        return _nearest([[sense.signs for sense in cluster.senses if sense.signs] for cluster in clusters], _shared)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / ((len(one) * len(other)) ** 0.5 + 1)


class GlossMentions:
    """Return whether the inventory explains one sense by the headword of the other.

    With Wiktionary, into English or through it: *lady*, for one, is explained by *woman*. Senses of one headword say
    nothing about one another so.
    """

    name = "glosses"

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return 1 where a gloss names the other's headword, else 0; NaN where a cluster has no glosses."""
        del word
        explained = [[_headword_and_gloss(sense) for sense in cluster.senses] for cluster in clusters]
        return _nearest([[pair for pair in pairs if all(pair)] for pairs in explained], _names)


def _headword_and_gloss(sense: Sense) -> tuple[str, str]:
    headword, _, gloss = sense.gloss.partition(": ")
    return folded(headword), " ".join(_WORD.findall(gloss.lower()))


def _names(one: tuple[str, str], other: tuple[str, str]) -> bool:
    (first, gloss), (second, explanation) = one, other
    return first != second and (f" {first} " in f" {explanation} " or f" {second} " in f" {gloss} ")


class LinkSimilarity:
    """Cosines of translations by what else they translate: a distributional vector from the corpus itself.

    A translation's vector has a number for each source word that it was linked to, the geometric mean of their share
    among its own links and among that word's. The ambiguous word itself has a part in the vectors' lengths, and none
    in their product: two words that translate nothing else are not alike.
    """

    name = "corpus"

    def __init__(self, counts: Counts, lexicon: SenseLexicon) -> None:
        wanted = {word for clusters in lexicon.values() for cluster in clusters for word in cluster.words}
        self._vectors: dict[str, dict[SourceWord, float]] = {word: {} for word in wanted}
        for source, targets in counts.targets.items():
            total = sum(targets.values())
            for target in targets.keys() & wanted:
                if targets[target] > 1:
                    self._vectors[target][source] = targets[target] / total**0.5

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return the cosines; see :class:`~endophora.suites.senses.clusters.Similarity`."""
        vectors = [self._mean(cluster) or None for cluster in clusters]
        return _pairwise(
            vectors, lambda one, other: sum(one[key] * other[key] for key in one.keys() & other.keys() - {word})
        )

    def _mean(self, cluster: Cluster) -> dict[SourceWord, float]:
        total: dict[SourceWord, float] = {}
        for word in cluster.words:
            for source, value in _normalised(self._vectors[word]).items():
                total[source] = total.get(source, 0.0) + value
        return _normalised(total)


def _normalised(vector: Mapping[SourceWord, float]) -> dict[SourceWord, float]:
    norm = sum(value * value for value in vector.values()) ** 0.5
    return {source: value / norm for source, value in vector.items()} if norm else {}


class AnySimilarity:
    """The largest of several cosines, each in the measure of the first one's usual threshold.

    So clusters merge that any of the embeddings finds alike. What one does not know, the others decide.
    """

    def __init__(self, parts: Sequence[tuple[Similarity, float]]) -> None:
        self.name, self._parts = "+".join(part.name for part, _ in parts), parts

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return the largest; see :class:`~endophora.suites.senses.clusters.Similarity`."""
        first = self._parts[0][1]
        values = np.stack([part.matrix(word, clusters) * (first / usual) for part, usual in self._parts])
        return np.where(np.isnan(values).all(axis=0), np.nan, np.nan_to_num(values, nan=-np.inf).max(axis=0))


def usual_threshold(name: str) -> float:
    """Return γ of embeddings where no gold clustering chooses it; of several that of the first."""
    return THRESHOLDS.get(name.split("+")[0], THRESHOLD)


def load_similarity(name: str, lexicon: SenseLexicon, counts: Counts) -> Similarity | None:
    """Load embeddings by name, several with a ``+`` between; ``none`` is no refinement.

    There are ``corpus``, ``signs``, ``glosses``, ``words:FILE`` of word vectors of the target language, ``spacy:MODEL``
    by name or directory, and ``synsets:FILE`` of vectors by the inventory's ids, such as NASARI's or SW2V's.
    """
    if name == "none":
        return None
    parts = [(_load(part, lexicon, counts), usual_threshold(part)) for part in name.split("+")]
    return parts[0][0] if len(parts) == 1 else AnySimilarity(parts)


def _load(name: str, lexicon: SenseLexicon, counts: Counts) -> Similarity:
    kind, _, argument = name.partition(":")
    if name == "corpus":
        return LinkSimilarity(counts, lexicon)
    if name == "signs":
        return SharedSigns()
    if name == "glosses":
        return GlossMentions()
    if kind not in _KINDS or not argument:
        advice = "corpus, signs, glosses, words:FILE, spacy:MODEL, synsets:FILE, several with + between, or none"
        raise InputError(Fault("E220", f"“{name}” names no embeddings", advice, "--embeddings"))
    return _KINDS[kind](argument, lexicon)


def _words_and_lowered(lexicon: SenseLexicon) -> set[str]:
    words = {word for clusters in lexicon.values() for cluster in clusters for word in cluster.words}
    return {*words, *map(str.lower, words)}


def _word_vectors(argument: str, lexicon: SenseLexicon) -> VectorSimilarity:
    path, wanted = Path(argument), _words_and_lowered(lexicon)
    file = WordVectors(path)
    file.look_up(wanted)
    found = {word: vector for word in wanted if (vector := file.get(word)) is not None}
    return VectorSimilarity(f"words-{path.name}", found)


def _spacy_vectors(argument: str, lexicon: SenseLexicon) -> VectorSimilarity:
    import spacy

    try:
        vocab = spacy.load(argument).vocab
    except OSError as error:
        advice = f"install it: python -m spacy download {argument}; or name its directory"
        raise MissingModelError(Fault("E334", f"spaCy has no model “{argument}”", advice, "--embeddings")) from error
    if not vocab.vectors_length:
        advice = "take one with vectors: its name ends in _md or _lg"
        raise MissingModelError(Fault("E334", f"spaCy's model “{argument}” has no vectors", advice, "--embeddings"))
    found = {word: np.asarray(vocab.get_vector(word)) for word in _words_and_lowered(lexicon) if vocab.has_vector(word)}
    return VectorSimilarity(f"spacy-{Path(argument).name}", found)


def _synset_vectors(argument: str, lexicon: SenseLexicon) -> VectorSimilarity:
    path = Path(argument)
    ids = {sense.id for clusters in lexicon.values() for cluster in clusters for sense in cluster.senses}
    vectors = dict[str, Vector]()
    for word, vector in read_vectors(path):
        # NASARI writes the name of the page after the id.
        id = word.partition("__")[0]
        if id in ids:
            vectors.setdefault(id, vector)
    return VectorSimilarity(f"synsets-{path.name}", vectors, by_synset=True)


_KINDS = {"words": _word_vectors, "spacy": _spacy_vectors, "synsets": _synset_vectors}
"""Embeddings that take an argument after a colon."""
