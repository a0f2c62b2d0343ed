"""Step 1: which source words are ambiguous, by the words that they are linked to (Raganato et al., 2019, §2.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from endophora.suites.senses.inventory import SourceWord
from endophora.suites.senses.links import LinkedPair, Side

_PRUNE = 2_000_000
"""Pairs of words in memory from which on the rare ones are dropped."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often words were linked one to one.

    Attributes:
        targets: source word → lemma of the target → how often.
        sentences: how many pairs were read.
        pruned: the most links that a pair of words may have had and be dropped for want of memory; 0 if none was.
    """

    targets: Mapping[SourceWord, Mapping[str, int]]
    sentences: int
    pruned: int = 0


def count_links(pairs: Iterable[LinkedPair], classes: Collection[str], target_classes: Collection[str]) -> Counts:
    """Count one-to-one links between words of some parts of speech.

    Lemmas that differ in case alone are counted together, under the writing that is most frequent. Where there are more
    pairs of words than memory should hold, those seen least are dropped, as in lossy counting.

    Args:
        pairs: the linked sentences, in any order.
        classes: universal parts of speech of the source words.
        target_classes: those of the target words.
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


def _is_word(side: Side, index: int) -> bool:
    lemma = side.lemmas[index]
    return lemma[:1].isalpha() and lemma[-1:].isalpha()


def ambiguous_words(counts: Counts, least: int = 10, fewest: int = 2) -> dict[SourceWord, dict[str, int]]:
    """Return the source words with several frequent translations, and these.

    Args:
        counts: how often words were linked.
        least: links that a pair of words needs.
        fewest: translations that a word needs.
    """
    found: dict[SourceWord, dict[str, int]] = {}
    for word, targets in counts.targets.items():
        kept = {lemma: count for lemma, count in targets.items() if count >= least}
        if len(kept) >= fewest:
            found[word] = kept
    return dict(sorted(found.items(), key=lambda entry: (entry[0].lemma, entry[0].upos)))
