"""Steps 1 and 2: ambiguous words by their links, and their translations clustered (Raganato et al., 2019, §2.1–2.3).

Clusters are by a sense inventory, then merged by sense embeddings above a threshold γ, which a gold clustering may
choose (Figures 1 and 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from endophora.suites.senses.inventory import Gold, Sense, SourceWord, folded, plain
from endophora.suites.senses.links import LinkedPair, LinkedSide

_PRUNE = 2_000_000
"""Pairs of words in memory from which on the rare ones are dropped."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often words were linked one to one."""

    targets: Mapping[SourceWord, Mapping[str, int]]
    sentences: int
    pruned: int = 0  # the most links that a pair of words may have had and be dropped for lack of memory


def count_links(pairs: Iterable[LinkedPair], classes: Collection[str], target_classes: Collection[str]) -> Counts:
    """Count one-to-one links between words of some parts of speech.

    Lemmas that differ in case alone are counted together, under the writing that is most frequent. Where there are more
    pairs of words than memory should hold, those seen least are dropped, as in lossy counting.
    """
    counts, writings = Counter[tuple[SourceWord, str]](), dict[str, Counter[str]]()
    sentences, pruned = 0, 0
    for pair in pairs:
        sentences += 1
        for source, target in linked_words(pair, classes, target_classes):
            word, lemma = (
                SourceWord(pair.source.lemmas[source].lower(), pair.source.upos[source]),
                pair.target.lemmas[target],
            )
            counts[word, lemma.lower()] += 1
            writings.setdefault(lemma.lower(), Counter())[lemma] += 1
        if len(counts) > _PRUNE:
            pruned += 1
            counts = Counter({key: count for key, count in counts.items() if count > pruned})
    table: dict[SourceWord, dict[str, int]] = {}
    for (word, lemma), count in counts.most_common():
        table.setdefault(word, {})[writings[lemma].most_common(1)[0][0]] = count
    return Counts(table, sentences, pruned)


def linked_words(
    pair: LinkedPair, classes: Collection[str], target_classes: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Yield the links between words of some parts of speech."""
    for source, target in pair.links:
        if (
            pair.source.upos[source] in classes
            and pair.target.upos[target] in target_classes
            and _is_word(pair.source, source)
            and _is_word(pair.target, target)
        ):
            yield source, target


def _is_word(side: LinkedSide, index: int) -> bool:
    lemma = side.lemmas[index]
    return lemma[:1].isalpha() and lemma[-1:].isalpha()


def ambiguous_words(counts: Counts, least: int = 10) -> dict[SourceWord, dict[str, int]]:
    """Return the source words with several frequent translations, and these."""
    found: dict[SourceWord, dict[str, int]] = {}
    for word, targets in counts.targets.items():
        kept = {lemma: count for lemma, count in targets.items() if count >= least}
        if len(kept) > 1:
            found[word] = kept
    return dict(sorted(found.items(), key=lambda entry: (entry[0].lemma, entry[0].upos)))


FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Translations of a word that say the same."""

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


SenseLexicon = dict[SourceWord, tuple[Cluster, ...]]
"""Source word → its clusters."""


def cluster_targets(
    targets: Mapping[SourceWord, Mapping[str, int]], senses: Mapping[SourceWord, Sequence[Sense]]
) -> SenseLexicon:
    """Return the translations that alignment and inventory share, grouped by sense; groups that share one are merged.

    A word whose translations are all in one group stays, for the step to be seen; :func:`ambiguous` drops it.
    """
    lexicon: SenseLexicon = {}
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
            frequent = sorted(clusters, key=lambda one: (-sum(map(counts.__getitem__, one.words)), one.words))
            lexicon[word] = tuple(frequent)
    return lexicon


def refine(
    lexicon: Mapping[SourceWord, Sequence[Cluster]], similarity: Similarity, threshold: float
) -> tuple[SenseLexicon, list[Merge]]:
    """Merge the clusters of a word that are more alike than a threshold, directly or through others."""
    refined: SenseLexicon = {}
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


def ambiguous(lexicon: Mapping[SourceWord, Sequence[Cluster]]) -> SenseLexicon:
    """Return the words that have more than one cluster."""
    return {word: tuple(clusters) for word, clusters in lexicon.items() if len(clusters) > 1}


def _joined(clusters: Sequence[Cluster]) -> Cluster:
    words = dict.fromkeys(word for cluster in clusters for word in cluster.words)
    senses = dict.fromkeys(sense for cluster in clusters for sense in cluster.senses)
    return Cluster(tuple(words), tuple(senses))


STEPS = tuple(round(0.15 + 0.05 * step, 2) for step in range(11))
"""The thresholds of the paper: 0.15 to 0.65."""
_USUAL = 0.3
"""The one that it found best."""


@dataclass(frozen=True, slots=True)
class ClusterScore:
    """How inferred clusters compare with gold ones."""

    threshold: float
    correct: int
    inferred: int
    gold: int

    @property
    def precision(self) -> float:
        """Right ones among those inferred; 0 where there are none."""
        return self.correct / self.inferred if self.inferred else 0.0

    @property
    def recall(self) -> float:
        """Right ones, of so many gold ones; 0 where there are none."""
        return self.correct / self.gold if self.gold else 0.0

    def f(self, beta: float) -> float:
        """Return the weighted harmonic mean; with β = 0.5 precision counts more."""
        weight = beta * beta
        below = weight * self.precision + self.recall
        return (1 + weight) * self.precision * self.recall / below if below else 0.0


def compare_with_gold(
    lexicon: Mapping[str, Sequence[frozenset[str]]], gold: Gold, threshold: float = 0.0
) -> ClusterScore:
    """Compare clusters with gold ones, as the paper's §2.3 does.

    An inferred cluster is right if all its words that the gold clustering has are in one gold cluster, of which no word
    is in another inferred cluster. A cluster of which the gold clustering has no word is not counted; gold words of
    which nothing is inferred count in the recall alone. All words are folded.
    """
    correct = inferred = total = 0
    for word, senses in gold.items():
        total += len(senses)
        clusters = lexicon.get(word, ())
        for cluster in clusters:
            touched = [sense for sense in senses if sense & cluster]
            if touched:
                inferred += 1
                others = (other for other in clusters if other is not cluster)
                correct += len(touched) == 1 and not any(touched[0] & other for other in others)
    return ClusterScore(threshold, correct, inferred, total)


def words_by_name(lexicon: Mapping[SourceWord, Sequence[Cluster]]) -> dict[str, list[frozenset[str]]]:
    """Return the clusters of a lexicon by the folded lemma; those of all its parts of speech together."""
    found: dict[str, list[frozenset[str]]] = {}
    for word, clusters in lexicon.items():
        name = folded(word.lemma)
        found.setdefault(name, []).extend(frozenset(map(folded, cluster.words)) for cluster in clusters)
    return found


def try_thresholds(
    lexicon: SenseLexicon, similarity: Similarity, gold: Gold, steps: Sequence[float] = STEPS
) -> list[ClusterScore]:
    """Return the score of each threshold, on the gold words that the lexicon has."""
    tried = {name: senses for name, senses in gold.items() if name in words_by_name(lexicon)}
    return [
        compare_with_gold(words_by_name(ambiguous(refine(lexicon, similarity, step)[0])), tried, step) for step in steps
    ]


def steps_around(usual: float) -> tuple[float, ...]:
    """Return thresholds that lie about a usual one as the paper's do about its own, 0.3."""
    return tuple(float(f"{step * usual / _USUAL:.3g}") for step in STEPS)


def choose_threshold(scores: Sequence[ClusterScore]) -> float:
    """Return the threshold with the best F0.5; of equally good ones the lowest."""
    return max(scores, key=lambda score: (score.f(0.5), -score.threshold)).threshold
