"""CPU time of the paired bootstrap: ours, all systems in one matrix product, against sacreBLEU's own, in one run.

Both count n-grams and resample, from the same texts, and their p-values are compared. Then the whole statistics of an
evaluation: intervals, randomisation and Holm correction of five tags and four metrics.

    python benchmarks/resampling.py --systems 26 --segments 997
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from endophora.metrics import load_metric
from endophora.metrics.word_f import WordF
from endophora.statistics.significance import bootstrap, holm, randomise
from endophora.statistics.units import choose_units, each_row

SEED = 12345
TAGS = ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")


def texts(systems: int, segments: int) -> tuple[list[str], list[list[str]]]:
    """Return a made-up reference of 25-word segments, and systems that keep ever fewer of its words."""
    rng = np.random.default_rng(SEED)
    words = np.array([f"word{number}" for number in range(3000)])
    chances = 1 / np.arange(1, 3001)
    reference = rng.choice(words, size=(segments, 25), p=chances / chances.sum())
    outputs = [
        np.where(rng.random(reference.shape) < 0.8 - 0.001 * system, reference, rng.choice(words, reference.shape))
        for system in range(systems)
    ]
    return [" ".join(line) for line in reference], [[" ".join(line) for line in output] for output in outputs]


def compare(name: str, scorer: BLEU | CHRF, reference: list[str], outputs: list[list[str]], resamples: int) -> None:
    """Print the times of both for one metric."""
    start = time.process_time()
    metric = load_metric(name, "")
    counts = np.stack([metric.statistics(output, [reference]) for output in outputs])
    counting = time.process_time() - start
    start = time.process_time()
    found = bootstrap(counts, metric.score, each_row(len(reference), "segments"), resamples=resamples, seed=SEED)
    resampling = time.process_time() - start
    start = time.process_time()
    named = [(str(index), output) for index, output in enumerate(outputs)]
    _, results = PairedTest(named, {name: scorer}, [reference], test_type="bs", n_samples=resamples)()
    theirs = time.process_time() - start
    expected = [result.p_value for key, column in results.items() if key != "System" for result in column[1:]]
    difference = np.abs(found.p_values[1:] - expected).max()
    print(
        f"{metric.name}: sacreBLEU {theirs:.2f} s, ours {counting:.2f} s counting + {resampling:.2f} s resampling, "
        f"ratio {theirs / (counting + resampling):.1f}; largest difference of p-values {difference:.4f}"
    )


def whole(systems: int, segments: int, resamples: int) -> None:
    """Print the time of all statistics of an evaluation, given the counts of its words and n-grams."""
    rng = np.random.default_rng(SEED)
    documents = (np.arange(segments) // 8).tolist()
    words = rng.poisson(1.0, size=(systems, segments, len(TAGS), 3)).astype(float)
    columns = [(words, WordF(TAGS).score)]
    for name in ("bleu", "chrf", "chrf++", "ter"):
        metric = load_metric(name, "")
        columns.append((rng.poisson(9.0, size=(systems, segments, len(metric.columns))).astype(float), metric.score))
    for kind, units in (("documents", choose_units(documents)), ("segments", choose_units(documents, "segments"))):
        start = time.process_time()
        for counts, score in columns:
            bootstrap(counts, score, units, resamples=resamples, seed=SEED)
            holm(randomise(counts, score, units, trials=10 * resamples, seed=SEED).p_values)
        print(
            f"{systems} systems, {len(TAGS)} tags and 4 metrics over {units.count} {kind}, {resamples} resamples and "
            f"{10 * resamples} randomisations: {time.process_time() - start:.1f} s"
        )


def main() -> None:
    """Run the comparison with sacreBLEU, then all that an evaluation needs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=26)
    parser.add_argument("--segments", type=int, default=997)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    reference, outputs = texts(options.systems, options.segments)
    compare("bleu", BLEU(), reference, outputs, options.resamples)
    compare("chrf", CHRF(), reference, outputs, options.resamples)
    whole(options.systems, options.segments, options.resamples)


if __name__ == "__main__":
    main()
