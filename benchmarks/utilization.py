"""Tables 2 and 4 of Mohammed and Niculae (2024) with models of one's own, from held-out text and a contrastive suite.

    python benchmarks/utilization.py HELD-OUT.tsv -l zh-en --model sentence=DIR --model concatenation=DIR \
        --model multi-encoder=DIR --suite suite.jsonl --documents 20 --segments 16 -o tables

The text has the columns document, source, target; of its first documents the first segments are taken, so that there
are many documents, which is what is resampled. Prints Markdown, and writes result, page and translations of both
measurements into two directories. A broken run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from endophora.cli.context import named_models
from endophora.context.contrast import score_contrast, write_contrast_scores
from endophora.context.contrast_figures import ContrastOptions
from endophora.context.perturbation.conditions import PerturbationOptions, read_conditions
from endophora.context.perturbation.perturb import perturb, write_translations
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding
from endophora.models.specs import open_model
from endophora.report import render, write_report
from endophora.store import Store
from endophora.suites.formats import read_suite

REFERENCE = "reference"


def read_text(path: Path, languages: tuple[str, str], documents: int, segments: int) -> Corpus:
    """Return the first segments of the first documents that have as many."""
    found: dict[str, list[Segment]] = {}
    for number, line in enumerate(path.read_text("utf-8").split("\n")[1:], start=2):
        if line:
            document, source, target = line.split("\t")
            segment = Segment(source, {REFERENCE: target}, {}, Location(str(path), number))
            found.setdefault(document, []).append(segment)
    long = [(name, rows[:segments]) for name, rows in found.items() if len(rows) >= segments][:documents]
    return Corpus(*languages, tuple(Document(name, tuple(rows)) for name, rows in long), (REFERENCE,), ())


def perturbation(corpus: Corpus, models: dict[str, object], chosen: argparse.Namespace) -> None:
    """Print Table 2, the differences behind it, and the verdicts, as Markdown."""
    options = PerturbationOptions(
        conditions=read_conditions(chosen.condition),
        size=chosen.context,
        decoding=Decoding(beam=chosen.beam),
        cxmi=chosen.cxmi,
    )
    folder = chosen.output / f"perturbation.{chosen.languages}"
    start = time.perf_counter()
    with Store(folder / "answers.sqlite") as store:
        found = perturb(corpus, models, options, store)  # type: ignore[arg-type]
    write_translations(found, folder)
    write_report(found.result, folder)
    print(f"\n{len(corpus):,} segments of {len(corpus.documents)} documents, {time.perf_counter() - start:.0f} s\n")
    print(render(found.result, "markdown"))


def contrast(models: dict[str, object], chosen: argparse.Namespace) -> None:
    """Print Table 4, and the accuracy of groups, as Markdown."""
    suite = read_suite(chosen.suite)
    folder = chosen.output / f"contrast.{chosen.languages}"
    start = time.perf_counter()
    with Store(folder / "answers.sqlite") as store:
        options = ContrastOptions(sizes=tuple(chosen.size))
        found = score_contrast(suite, models, options, (), store)  # type: ignore[arg-type]
    write_contrast_scores(found, folder)
    write_report(found.result, folder)
    result = found.result
    print(f"\n{result.suite.items} items of {result.suite.documents} documents, {time.perf_counter() - start:.0f} s\n")
    print(render(result, "markdown"))


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("-l", "--languages", required=True)
    parser.add_argument("--model", action="append", required=True, metavar="NAME=MODEL")
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--condition", action="append", default=[])
    parser.add_argument("--documents", type=int, default=30)
    parser.add_argument("--segments", type=int, default=12)
    parser.add_argument("--context", type=int, default=5)
    parser.add_argument("--size", type=int, action="append", default=[])
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--cxmi", default="total")
    parser.add_argument("-o", "--output", type=Path, default=Path("utilization"))
    chosen = parser.parse_args()
    chosen.size = chosen.size or [0, chosen.context]
    source, _, target = chosen.languages.partition("-")
    specs = named_models(chosen.model)
    models: dict[str, object] = {name: open_model(spec, ModelOptions()) for name, spec in specs.items()}
    perturbation(read_text(chosen.text, (source, target), chosen.documents, chosen.segments), models, chosen)
    if chosen.suite:
        contrast(models, chosen)


if __name__ == "__main__":
    main()
