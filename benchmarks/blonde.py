"""BlonDe against the published tool, and its arithmetic written out plainly, on the same annotated English texts.

    python benchmarks/blonde.py REFERENCE SYSTEM [SYSTEM …] --segments 2640 --published FOLDER

Without the folder of the published package (see ``published_blonde.py``) only the plain arithmetic is measured against.

Files are plain text, one segment a line; they are repeated up to the number of segments. Reading of the annotated text
and counting are timed, annotation is not. Then the bootstrap of 26 systems with all categories.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import chain, cycle, islice
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "oracles"))
from plain_blonde import count, score
from published_blonde import PublishedBlonDe

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, names_entities
from endophora.annotate.store import AnnotationStore
from endophora.languages import LanguageRules, load_language
from endophora.metrics.blonde import BlonDe
from endophora.metrics.readings import TextReader
from endophora.statistics.significance import bootstrap
from endophora.statistics.units import each_row
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
    """Time all, compare their figures, and time the bootstrap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="reference, then systems")
    parser.add_argument("--segments", type=int, default=2640)
    parser.add_argument("--annotator", default=None)
    parser.add_argument("--repeat", type=int, default=5, help="the fastest of so many runs counts")
    parser.add_argument("--published", type=Path, default=None, help="the folder that the package blonde is in")
    options = parser.parse_args()
    (reference, *systems), typed = annotate(options.files, options.segments, options.annotator)
    rules = load_language("en")
    words = sum(len(text.tokens) for text in reference)
    print(f"{len(reference)} segments, {words} words in the reference, {len(systems)} systems")

    published = options.published and PublishedBlonDe(options.published, chain(reference, *systems))
    # In turns, so that what else the machine does slows down all.
    runs = [
        {
            "ours": our_times(rules, typed, reference, systems),
            "plain": plain_times(rules, reference, systems),
            **({"published": published.times(reference, systems)} if published else {}),
        }
        for _ in range(options.repeat)
    ]
    for index, name in enumerate(("reference", "each system")):
        best = {side: min(run[side][index] for run in runs) for side in runs[0]}
        ours = best.pop("ours")
        others = "".join(f"; {side} {seconds:.2f} s, ratio {seconds / ours:.1f}" for side, seconds in best.items())
        print(f"{name}: ours {ours:.4f} s{others}")
    print("F1 of the last system:", ", ".join(f"{side} {run[2]:.4f}" for side, run in runs[0].items()))
    print("plain, last system, recall/precision:", figures_of(rules, reference, systems[-1]))

    metric = BlonDe(rules)
    reader = TextReader(rules, typed)
    counts = metric.statistics(reader.read_all(systems[0]), [reader.read_all(reference)])
    many = np.stack([np.roll(counts, shift, axis=0) for shift in range(SYSTEMS)])
    start = time.process_time()
    bootstrap(many, metric.score, each_row(len(counts), "segments"), resamples=RESAMPLES)
    print(f"bootstrap over segments, {SYSTEMS} systems, {RESAMPLES} resamples: {time.process_time() - start:.2f} s")


def plain_times(
    rules: LanguageRules, reference: list[AnnotatedText], systems: list[list[AnnotatedText]]
) -> tuple[float, float, float]:
    """Return the seconds that the plain arithmetic takes for the reference and for a system, and the last one's F1."""
    start = time.process_time()
    counted = [count(text, rules) for text in reference]
    first = time.process_time() - start
    start = time.process_time()
    found = [score([count(text, rules) for text in system], counted, WEIGHTS) for system in systems]
    second = (time.process_time() - start) / len(systems)
    recall, precision = found[-1]["BlonDe"]
    return first, second, 200 * recall * precision / (recall + precision)


def figures_of(rules: LanguageRules, reference: list[AnnotatedText], system: list[AnnotatedText]) -> str:
    """Return the plain arithmetic's figures of a system."""
    found = score([count(text, rules) for text in system], [count(text, rules) for text in reference], WEIGHTS)
    return " ".join(f"{key} {recall:.4f}/{precision:.4f}" for key, (recall, precision) in found.items())


def our_times(
    rules: LanguageRules, typed: bool, reference: list[AnnotatedText], systems: list[list[AnnotatedText]]
) -> tuple[float, float, float]:
    """Return the seconds that ours takes for the reference and for a system, and the last system's F1."""
    metric = BlonDe(rules)
    reader = TextReader(rules, typed)
    start = time.process_time()
    readings = reader.read_all(reference)
    metric.prepare([readings])
    first = time.process_time() - start
    start = time.process_time()
    figures = [metric.figures(metric.statistics(reader.read_all(system), [readings]).sum(axis=0)) for system in systems]
    return first, (time.process_time() - start) / len(systems), float(figures[-1][0])


if __name__ == "__main__":
    main()
