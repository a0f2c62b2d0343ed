"""The threshold γ, chosen by a gold clustering; and the curves by it (Raganato et al., 2019, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from endophora.suites.senses.clusters import Cluster, Lexicon, Similarity, ambiguous, refine
from endophora.suites.senses.inventory import SourceWord, folded
from endophora.suites.senses.tables import Gold

STEPS = tuple(round(0.15 + 0.05 * step, 2) for step in range(11))
"""The thresholds of the paper: 0.15 to 0.65."""
_USUAL = 0.3
"""The one that it found best."""


@dataclass(frozen=True, slots=True)
class ClusterScore:
    """How inferred clusters compare with gold ones.

    Attributes:
        threshold: γ.
        correct: inferred clusters that are right.
        inferred: all of them.
        gold: gold clusters of the words that were tried.
    """

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
    is in another inferred cluster. A cluster of which the gold clustering has no word is not counted.

    Args:
        lexicon: word, folded → its clusters' words, folded; a word that was discarded has none.
        gold: the gold clusters; words of which nothing is inferred count in the recall alone.
        threshold: for the record.
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
    lexicon: Lexicon, similarity: Similarity, gold: Gold, steps: Sequence[float] = STEPS
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
