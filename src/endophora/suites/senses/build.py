"""A suite of word senses from linked sentence pairs, each step's outcome kept (Raganato et al., 2019, §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.signature import digest_of, keyed, write_signature
from endophora.suites.records import Suite
from endophora.suites.senses.clusters import (
    ClusterScore,
    Merge,
    SenseLexicon,
    Similarity,
    ambiguous,
    ambiguous_words,
    choose_threshold,
    cluster_targets,
    count_links,
    refine,
    steps_around,
    try_thresholds,
)
from endophora.suites.senses.embeddings import load_similarity, usual_threshold
from endophora.suites.senses.inventory import ADJECTIVE, ADVERB, CLASSES, NOUN, VERB, Gold, Inventory, SourceWord
from endophora.suites.senses.links import LinkedPair
from endophora.suites.senses.selection import (
    SelectionOptions,
    scoring_suite,
    select_examples,
    translation_suite,
)

AUTO = "auto"
"""The inventory's signs, where it has them, and the corpus."""

Pairs = Callable[[], Iterable[LinkedPair]]
"""Reads the corpus anew at each call."""


@keyed(names=("embeddings",))
@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a suite is built.

    Attributes:
        least: links that a pair of words needs.
        embeddings: see :func:`~endophora.suites.senses.embeddings.load_similarity`; or :data:`AUTO`.
        threshold: γ; ``None`` for the usual one, or for the one that the gold clustering chooses.
    """

    classes: tuple[str, ...] = (NOUN, VERB, ADJECTIVE)
    target_classes: tuple[str, ...] = (NOUN, VERB, ADJECTIVE, ADVERB)
    least: int = option(10, help="Links that a pair of words needs.")
    embeddings: str = option(
        AUTO,
        metavar="NAME",
        help="Of senses: auto, signs, glosses, corpus, words:FILE, spacy:MODEL, synsets:FILE, several with +, or none.",
    )
    threshold: float | None = option(None, metavar="COSINE", help="Senses more alike than this are merged.")
    selection: SelectionOptions = field(default_factory=SelectionOptions)

    def __post_init__(self) -> None:
        faults = [
            Fault("E220", f"“{name}” is no part of speech of inventories", f"known: {', '.join(CLASSES)}", "--upos")
            for name in (*self.classes, *self.target_classes)
            if name not in CLASSES
        ]
        chosen = self.selection
        for flag, value, low in (
            ("--least", self.least, 1),
            ("--most", chosen.most, 1),
            ("--longer-than", chosen.longer_than, 0),
        ):
            if value < low:
                faults.append(Fault("E220", f"{value} is too small", f"give a number from {low}", flag))
        if self.threshold is not None and not -1 <= self.threshold <= 1:
            faults.append(Fault("E220", f"{self.threshold} is no cosine", "give a number from -1 to 1", "--threshold"))
        if faults:
            raise InputError(faults)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the paper's Tables 4 and 6 say of a suite.

    Attributes:
        contrast_pairs: right and wrong translations of the scoring variant, as the paper counts its sentence pairs.
    """

    sentence_pairs: int
    source_words: int
    target_senses: int
    target_words: int
    contrast_pairs: int
    scoring_items: int
    translation_words: int
    translation_senses: int
    in_domain: int
    out_of_domain: int
    sentences: int


@dataclass(frozen=True, slots=True)
class Build:
    """The outcome of each step.

    Attributes:
        targets: step 1: ambiguous words, their translations and how often each was linked.
        clustered: step 2a: their clusters by the inventory.
        refined: step 2b: words that still have several clusters.
        curve: scores of thresholds by the gold clustering; empty without one.
    """

    targets: dict[SourceWord, dict[str, int]]
    clustered: SenseLexicon
    refined: SenseLexicon
    merges: list[Merge]
    curve: list[ClusterScore]
    threshold: float
    scoring: Suite
    translation: Suite
    sizes: Sizes
    signature: str
    warnings: tuple[str, ...]


def build_suite(
    pairs: Pairs,
    inventory: Inventory,
    options: BuildOptions,
    languages: tuple[str, str],
    gold: Gold | None = None,
) -> Build:
    """Build a suite of word senses; the corpus is read twice, and never held.

    Raises: InputError: no word is ambiguous (E228), embeddings are unknown or malformed (E220, E144), the inventory
    refuses (E225, E227).
    """
    counts = count_links(pairs(), options.classes, options.target_classes)
    targets = ambiguous_words(counts, options.least)
    clustered = cluster_targets(targets, inventory.senses(targets)) if targets else {}
    candidates = ambiguous(clustered)
    if not candidates:
        cause = f"of {counts.sentences} sentence pairs no word is ambiguous ({len(targets)} had several translations)"
        raise InputError(
            Fault("E228", cause, "more sentences, a smaller --least, or another inventory", inventory.name)
        )
    embeddings = _embeddings(candidates, options)
    similarity = load_similarity(embeddings, candidates, counts)
    steps = steps_around(usual_threshold(embeddings))
    curve = try_thresholds(candidates, similarity, gold, steps) if similarity and gold else []
    threshold = options.threshold
    if threshold is None:
        threshold = choose_threshold(curve) if curve else usual_threshold(embeddings)
    merges = list[Merge]()
    refined = candidates
    if similarity:
        joined, merges = refine(candidates, similarity, threshold)
        refined = ambiguous(joined)
    classes = options.target_classes
    scoring, translating = select_examples(pairs(), refined, options.selection, classes)
    name = "-".join(languages)
    scored = scoring_suite(scoring, refined, f"{name}.scoring", languages)
    outside = options.selection.out_of_domain
    translated = translation_suite(translating, refined, f"{name}.translation", languages, outside)
    return Build(
        targets=targets,
        clustered=clustered,
        refined=refined,
        merges=merges,
        curve=curve,
        threshold=threshold,
        scoring=scored,
        translation=translated,
        sizes=_sizes(counts.sentences, refined, scored, translated),
        signature=_signature(inventory, similarity, threshold, options),
        warnings=_warnings(counts.pruned, gold, curve),
    )


def _embeddings(candidates: SenseLexicon, options: BuildOptions) -> str:
    if options.embeddings != AUTO:
        return options.embeddings
    clusters = (cluster for listed in candidates.values() for cluster in listed)
    return "signs+corpus" if any(sense.signs for cluster in clusters for sense in cluster.senses) else "corpus"


def _warnings(pruned: int, gold: Gold | None, curve: Sequence[ClusterScore]) -> tuple[str, ...]:
    found = list[str]()
    if pruned:
        found.append(f"pairs of words that were linked at most {pruned} times may have been dropped for want of memory")
    if gold and not any(score.gold for score in curve):
        found.append("the gold clustering has none of the ambiguous words, so it chose nothing")
    return tuple(found)


def _sizes(sentences: int, lexicon: SenseLexicon, scoring: Suite, translation: Suite) -> Sizes:
    clusters = [cluster for listed in lexicon.values() for cluster in listed]
    domains = {item.rule: str(item.extra.get("domain", "in")) for item in translation.items}
    return Sizes(
        sentence_pairs=sentences,
        source_words=len(lexicon),
        target_senses=len(clusters),
        target_words=sum(len(cluster.words) for cluster in clusters),
        contrast_pairs=sum(1 + len(item.variants) for item in scoring.items),
        scoring_items=len(scoring),
        translation_words=len({item.source_lemma for item in translation.items}),
        translation_senses=len(domains),
        in_domain=sum(domain == "in" for domain in domains.values()),
        out_of_domain=sum(domain == "out" for domain in domains.values()),
        sentences=len(translation),
    )


def _signature(inventory: Inventory, similarity: Similarity | None, threshold: float, options: BuildOptions) -> str:
    chosen = options.selection
    pairs = {
        "inventory": inventory.name,
        "embeddings": similarity.name if similarity else "none",
        "threshold": f"{threshold:g}" if similarity else "no",
        "upos": "+".join(options.classes),
        "least": options.least,
        "longer": chosen.longer_than,
        "most": chosen.most,
        "base": chosen.base_forms,
        "seed": chosen.seed,
    }
    return write_signature([*pairs.items(), ("options", digest_of(options)[:8])])


def read_rows(path: Path) -> Pairs:
    """Return what reads the rows that the engine wrote."""
    from endophora.suites.senses.links import read_links

    return lambda: read_links(path)
