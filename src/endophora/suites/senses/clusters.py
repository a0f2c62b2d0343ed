"""Step 2: translations clustered by a sense inventory, then by sense embeddings (Raganato et al., 2019, §2.2, §2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from endophora.suites.senses.inventory import Sense, SourceWord
from endophora.suites.senses.wiktionary import plain

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Translations of a word that say the same.

    Attributes:
        words: the translations, the most frequent first.
        senses: of the inventory, that are in it.
    """

    words: tuple[str, ...]
    senses: tuple[Sense, ...]

    @property
    def name(self) -> str:
        """Its words, as the published suites name a sense."""
        return "_".join(word.replace(" ", "-") for word in self.words)


class Similarity(Protocol):
    """Says how alike clusters of one word are."""

    @property
    def name(self) -> str:
        """What it is, for signatures."""
        ...

    def matrix(self, word: SourceWord, clusters: Sequence[Cluster]) -> FloatArray:
        """Return the cosines of a word's clusters, (clusters, clusters); NaN where a cluster has no embedding."""
        ...


@dataclass(frozen=True, slots=True)
class Merge:
    """Two clusters of a word, how alike they are, and whether they were merged; NaN where it is not known."""

    word: SourceWord
    first: str
    second: str
    similarity: float
    merged: bool


Lexicon = dict[SourceWord, tuple[Cluster, ...]]
"""Source word → its clusters."""


def cluster_targets(
    targets: Mapping[SourceWord, Mapping[str, int]], senses: Mapping[SourceWord, Sequence[Sense]]
) -> Lexicon:
    """Return the translations that alignment and inventory share, grouped by sense; groups that share one are merged.

    A word whose translations are all in one group stays, for the step to be seen; :func:`ambiguous` drops it.

    Args:
        targets: step 1's words, with their translations and how often each was linked.
        senses: what the inventory has of them.
    """
    lexicon: Lexicon = {}
    for word, counts in targets.items():
        known = {plain(lemma): lemma for lemma in reversed(list(counts))}
        groups = list[tuple[set[str], list[Sense]]]()
        for sense in senses.get(word, ()):
            found = {known[key] for key in map(plain, sense.words) if key in known}
            if not found:
                continue
            shared = [group for group in groups if group[0] & found]
            kept = [sense for _, listed in shared for sense in listed]
            groups = [group for group in groups if group not in shared]
            groups.append((found.union(*(words for words, _ in shared)), [*kept, sense]))
        clusters = [
            Cluster(tuple(lemma for lemma in counts if lemma in words), tuple(listed)) for words, listed in groups
        ]
        if clusters:
            lexicon[word] = _ordered(clusters, counts)
    return lexicon


def refine(
    lexicon: Mapping[SourceWord, Sequence[Cluster]], similarity: Similarity, threshold: float
) -> tuple[Lexicon, list[Merge]]:
    """Merge the clusters of a word that are more alike than a threshold, directly or through others.

    Args:
        lexicon: the clusters of the step before.
        similarity: of clusters.
        threshold: γ; a cosine above it merges.

    Returns:
        the lexicon, with each word's clusters in order, and every comparison.
    """
    refined: Lexicon = {}
    merges = list[Merge]()
    for word, clusters in lexicon.items():
        labels = list(range(len(clusters)))
        matrix = similarity.matrix(word, clusters) if len(clusters) > 1 else np.ones((1, 1))
        for first in range(len(clusters)):
            for second in range(first + 1, len(clusters)):
                cosine = float(matrix[first, second])
                merged = cosine > threshold
                merges.append(Merge(word, clusters[first].name, clusters[second].name, cosine, merged))
                if merged:
                    old, new = labels[second], labels[first]
                    labels = [new if label == old else label for label in labels]
        refined[word] = tuple(
            _joined([cluster for cluster, label in zip(clusters, labels, strict=True) if label == wanted])
            for wanted in dict.fromkeys(labels)
        )
    return refined, merges


def ambiguous(lexicon: Mapping[SourceWord, Sequence[Cluster]]) -> Lexicon:
    """Return the words that have more than one cluster."""
    return {word: tuple(clusters) for word, clusters in lexicon.items() if len(clusters) > 1}


def _joined(clusters: Sequence[Cluster]) -> Cluster:
    words = dict.fromkeys(word for cluster in clusters for word in cluster.words)
    senses = dict.fromkeys(sense for cluster in clusters for sense in cluster.senses)
    return Cluster(tuple(words), tuple(senses))


def _ordered(clusters: Iterable[Cluster], counts: Mapping[str, int]) -> tuple[Cluster, ...]:
    return tuple(sorted(clusters, key=lambda cluster: (-sum(counts[word] for word in cluster.words), cluster.words)))
