"""BlonDe against the published arithmetic written out plainly, on the same annotated English texts, in one run.

    python benchmarks/blonde.py REFERENCE SYSTEM [SYSTEM …] --segments 2640

Files are plain text, one segment a line; they are repeated up to the number of segments. Reading of the annotated text
and counting are timed, annotation is not. Then the bootstrap of 26 systems with all categories.
"""

from __future__ import annotations

import argparse
import time
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from plain_blonde import count, score

from endophora.annotate import AnnotatedText, AnnotationStore, load_annotator, names_entities
from endophora.languages import LanguageRules, load_language
from endophora.metrics.blonde import BlonDe
from endophora.metrics.readings import TextReader
from endophora.statistics import bootstrap, each_row
from endophora.store import Store, default_store_path

SYSTEMS, RESAMPLES = 26, 1000
WEIGHTS = {("pronoun", "masculine"): 0.5, ("pronoun", "feminine"): 0.5} | {
    ("pronoun", "neuter"): 0.0,
    ("pronoun", "epicene"): 0.0,
}


def annotate(paths: list[Path], segments: int, annotator: str | None) -> tuple[list[list[AnnotatedText]], bool]:
    """Return the annotated segments of each file, and whether the annotator names entities."""
    tool = load_annotator("en", annotator)
    store = AnnotationStore(Store(default_store_path()))
    files = [path.read_text(encoding="utf-8").splitlines() for path in paths]
    return [list(islice(cycle(store.annotate(tool, lines)), segments)) for lines in files], names_entities(tool)


def main() -> None:
    """Time both, compare their figures, and time the bootstrap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="reference, then systems")
    parser.add_argument("--segments", type=int, default=2640)
    parser.add_argument("--annotator", default=None)
    parser.add_argument("--repeat", type=int, default=5, help="the fastest of so many runs counts")
    options = parser.parse_args()
    (reference, *systems), typed = annotate(options.files, options.segments, options.annotator)
    rules = load_language("en")
    words = sum(len(text.tokens) for text in reference)
    print(f"{len(reference)} segments, {words} words in the reference, {len(systems)} systems")

    # In turns, so that what else the machine does slows down both.
    runs = [
        (plain_times(rules, reference, systems), our_times(rules, typed, reference, systems))
        for _ in range(options.repeat)
    ]
    for index, name in enumerate(("reference", "each system")):
        plain, ours = (min(run[side][index] for run in runs) for side in (0, 1))
        print(f"{name}: plain {plain:.2f} s, ours {ours:.3f} s, ratio {plain / ours:.1f}")
    print("plain, last system, recall/precision:", figures_of(rules, reference, systems[-1]))

    metric = BlonDe(rules)
    reader = TextReader(rules, typed)
    counts = metric.statistics([reader.read(t) for t in systems[0]], [[reader.read(text) for text in reference]])
    many = np.stack([np.roll(counts, shift, axis=0) for shift in range(SYSTEMS)])
    start = time.process_time()
    bootstrap(many, metric.score, each_row(len(counts), "segments"), resamples=RESAMPLES)
    print(f"bootstrap over segments, {SYSTEMS} systems, {RESAMPLES} resamples: {time.process_time() - start:.2f} s")


def plain_times(
    rules: LanguageRules, reference: list[AnnotatedText], systems: list[list[AnnotatedText]]
) -> tuple[float, float]:
    """Return the seconds that the plain arithmetic takes for the reference and for a system."""
    start = time.process_time()
    counted = [count(text, rules) for text in reference]
    first = time.process_time() - start
    start = time.process_time()
    for system in systems:
        score([count(text, rules) for text in system], counted, WEIGHTS)
    return first, (time.process_time() - start) / len(systems)


def figures_of(rules: LanguageRules, reference: list[AnnotatedText], system: list[AnnotatedText]) -> str:
    """Return the plain arithmetic's figures of a system."""
    found = score([count(text, rules) for text in system], [count(text, rules) for text in reference], WEIGHTS)
    return " ".join(f"{key} {recall:.4f}/{precision:.4f}" for key, (recall, precision) in found.items())


def our_times(
    rules: LanguageRules, typed: bool, reference: list[AnnotatedText], systems: list[list[AnnotatedText]]
) -> tuple[float, float]:
    """Return the seconds that ours takes for the reference and for a system."""
    metric = BlonDe(rules)
    reader = TextReader(rules, typed)
    start = time.process_time()
    readings = [reader.read(text) for text in reference]
    metric.prepare([readings])
    first = time.process_time() - start
    start = time.process_time()
    for system in systems:
        counts = metric.statistics([reader.read(text) for text in system], [readings])
        metric.figures(counts.sum(axis=0))
    second = (time.process_time() - start) / len(systems)
    return first, second


if __name__ == "__main__":
    main()
