"""The tables of research/notes/senses.md: clusters held against those made by hand, sizes of builds, lemmas of our own.

python benchmarks/senses.py draw BUILD/links/rows.parquet zh en > zh-en.tsv
python benchmarks/senses.py clusters BUILD/links/rows.parquet de en docs/quality/word-senses-de-en.tsv [reverse]
python benchmarks/senses.py lemmas ../shared/known-answers/mucow

``BUILD`` is a directory that ``endophora suite build`` wrote; ``reverse`` takes its rows in the other direction.
``draw`` gives words to judge, with the translations that alignment and inventory share in the order of the alphabet, so
that nothing of their clusters can be seen; words drawn stay drawn when a corpus grows.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from endophora.suites.outputs import read_outputs
from endophora.suites.senses import SenseOptions, score_sense_outputs
from endophora.suites.senses.build import BuildOptions
from endophora.suites.senses.clusters import (
    ClusterScore,
    Counts,
    SenseLexicon,
    ambiguous,
    ambiguous_words,
    cluster_targets,
    compare_with_gold,
    count_links,
    try_thresholds,
    words_by_name,
)
from endophora.suites.senses.embeddings import load_similarity, usual_threshold
from endophora.suites.senses.inventory import open_inventory, read_gold
from endophora.suites.senses.links import read_links
from endophora.suites.senses.matching import read_lemmas
from endophora.suites.senses.mucow import read_mucow_lines

EMBEDDINGS = ("signs", "corpus", "signs+corpus", "signs+corpus+glosses")
FACTORS = (0.2, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
"""Of the usual threshold."""
DRAWN = 50
"""Words that are judged of each pair of languages."""


def row(name: str, threshold: str, score: ClusterScore) -> str:
    """Return a row of the table, with the columns of the paper's Table 3."""
    figures = (score.precision, score.recall, score.f(1), score.f(0.5))
    cells = " | ".join(f"{100 * figure:.0f} %" for figure in figures)
    return f"| {name} | {threshold} | {cells} | {score.correct} of {score.inferred} |"


def find_candidates(rows: Path, source: str, target: str, *, reverse: bool) -> tuple[SenseLexicon, Counts]:
    """Return the words that the inventory alone gives several clusters, and how often words were linked."""
    options = BuildOptions()
    counts = count_links(read_links(rows, reverse=reverse), options.classes, options.target_classes)
    words = ambiguous_words(counts, options.least)
    inventory = open_inventory("wiktionary", source, target)
    return ambiguous(cluster_targets(words, inventory.senses(words))), counts


def draw(rows: Path, source: str, target: str, *, reverse: bool) -> None:
    """Print words drawn by a hash, each with its translations in one line, to be taken apart by hand."""
    candidates, _ = find_candidates(rows, source, target, reverse=reverse)
    drawn = sorted(candidates, key=lambda word: hashlib.sha256(str(word).encode()).digest())[:DRAWN]
    for word in sorted(drawn, key=lambda word: (word.lemma, word.upos)):
        translations = sorted({text for cluster in candidates[word] for text in cluster.words})
        print(word.lemma, word.upos, "?", "|".join(translations), sep="\t")


def clusters(rows: Path, source: str, target: str, gold_file: Path, *, reverse: bool) -> None:
    """Print precision and recall of the clusters of each embedding, by threshold."""
    gold = read_gold(gold_file)
    candidates, counts = find_candidates(rows, source, target, reverse=reverse)
    print("| | threshold | precision | recall | F1 | F0.5 | right |\n|---|---|---|---|---|---|---|")
    print(row("inventory alone", "", compare_with_gold(words_by_name(candidates), gold)))
    for name in EMBEDDINGS:
        similarity = load_similarity(name, candidates, counts)
        if similarity is not None:
            steps = [round(usual_threshold(name) * factor, 4) for factor in FACTORS]
            for score in try_thresholds(candidates, similarity, gold, steps):
                print(row(name, f"{score.threshold:g}", score))


def lemmas(folder: Path) -> None:
    """Print the coverage of the published English–Finnish output by each source of lemmas, beside Table 8."""
    suite = read_mucow_lines(folder / "en-fi.key.txt")
    outputs = read_outputs(suite, {"A": folder / "examples/en-fi/newstest2019.Helsinki_NLP.6860.en-fi"})
    file = folder / "examples/en-fi-lem/newstest2019.Helsinki_NLP.6860.en-fi.parsed.toklemma"
    published = read_lemmas(suite, {"A": file})
    options = SenseOptions(resamples=0)
    print("| lemmas | found in forms | with back-off | precision | recall | F1 |\n|---|---|---|---|---|---|")
    for name, given in (("published", published), ("embedded", None)):
        result = score_sense_outputs(suite, outputs, options, lemmas=given)
        figures = ("coverage_forms", "coverage", "precision", "recall_a", "f1_a")
        values = (result.score("A", figure).value or 0.0 for figure in figures)
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |")


def main(arguments: list[str]) -> None:
    """Print one of the tables."""
    match arguments:
        case ["lemmas", folder]:
            lemmas(Path(folder))
        case ["draw", rows, source, target, *rest]:
            draw(Path(rows), source, target, reverse=rest == ["reverse"])
        case ["clusters", rows, source, target, gold, *rest]:
            clusters(Path(rows), source, target, Path(gold), reverse=rest == ["reverse"])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
