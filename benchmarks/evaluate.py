"""What the main job costs: wall time of a whole evaluation against bare annotation, and of a second run.

    python benchmarks/evaluate.py ../shared/documents/wmt24 --languages en-de --reference refA

Prints the bare ``nlp.pipe`` time over every distinct text, the time of a first run with an empty store and of a second
run with a full one, their ratios, the processor time of all their processes, and the peak memory, with one process and
with two.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from endophora.annotate import load_annotator
from endophora.annotate.annotator import SpacyAnnotator
from endophora.corpus import read_corpus


def annotation_seconds(arguments: argparse.Namespace) -> tuple[float, int]:
    """Return the seconds that ``nlp.pipe`` takes over all distinct texts, and their words."""
    source, target = arguments.languages.split("-")
    corpus = read_corpus(arguments.directory, "wmt", languages=(source, target), references=[arguments.reference])
    segments = [segment for document in corpus.documents for segment in document.segments]
    texts = {
        source: {segment.source for segment in segments},
        target: {text for s in segments for text in (*s.references.values(), *s.outputs.values())},
    }
    seconds, words = 0.0, 0
    for language, distinct in texts.items():
        annotator = load_annotator(language)
        if not isinstance(annotator, SpacyAnnotator):
            raise TypeError(f"{language}: the embedded annotator is no spaCy pipeline")
        nlp = annotator.nlp  # opened before the clock starts
        started = time.perf_counter()
        words += sum(len(doc) for doc in nlp.pipe(sorted(distinct), batch_size=128))
        seconds += time.perf_counter() - started
    return seconds, words


def run_seconds(arguments: argparse.Namespace, store: Path, workers: int) -> tuple[float, float, float]:
    """Return wall and processor seconds of one run of the command, and the largest peak memory of a process, in MB."""
    command = [sys.executable, "-c", "from endophora.cli import main; main()", "evaluate", "--quiet"]
    options = ["--input", str(arguments.directory), "--reference", arguments.reference, "-l", arguments.languages]
    places = ["--store", str(store), "--output", str(store.parent / "out"), "--workers", str(workers)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, *options, *places], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor, after.ru_maxrss / 1024


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--languages", default="en-de")
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    bare, words = annotation_seconds(arguments)
    print(f"bare annotation   {bare:7.1f} s  {words:,} words, {words / bare:,.0f} words/s, one process")
    for workers in arguments.workers:
        with tempfile.TemporaryDirectory() as directory:
            store = Path(directory) / "store.sqlite"
            first, worked, memory = run_seconds(arguments, store, workers)
            second, again, _ = run_seconds(arguments, store, workers)
            print(
                f"{workers} process(es)      {first:7.1f} s  {first / bare:.2f} × bare annotation; "
                f"second run {second:.1f} s, {second / first:.0%}; processor {worked:.1f} and {again:.1f} s; "
                f"peak {memory:,.0f} MB a process; "
                f"store {store.stat().st_size / 1e6:.0f} MB"
            )


if __name__ == "__main__":
    main()
