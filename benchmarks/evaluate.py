"""What the main job costs: processor time of a whole evaluation against bare annotation, of a second run, and memory.

    python benchmarks/evaluate.py ../shared/documents/wmt24 --languages en-de --reference refA [--systems 8]

Prints the bare ``nlp.pipe`` time over every distinct text, pipelines opened before, then for each number of processes
that of a first run with an empty store and of a second run with a full one, their ratios, wall time, and the peak
memory. Bare annotation is measured before and after each pair of runs, since a busy machine changes under them.
Processor time is that of user and system, of all processes, each with one thread.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path

import endophora
from endophora.process import prepare_process


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a run: processor and wall seconds, and the largest peak memory of a process, in MB."""

    processor: float
    wall: float
    memory: float


def systems_of(directory: Path, languages: str, most: int | None) -> list[str]:
    """Return the names of the first systems."""
    return sorted(path.stem for path in (directory / "system-outputs" / languages).glob("*.txt"))[:most]


def annotate(arguments: argparse.Namespace) -> None:
    """Print the processor seconds that ``nlp.pipe`` takes over all distinct texts, and their words."""
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.loading import load_annotator
    from endophora.corpus.formats import read_corpus

    source, target = arguments.languages.split("-")
    corpus = read_corpus(arguments.directory, "wmt", languages=(source, target), references=[arguments.reference])
    systems = systems_of(arguments.directory, arguments.languages, arguments.systems)
    segments = [segment for document in corpus.documents for segment in document.segments]
    texts = {
        source: {segment.source for segment in segments},
        target: {text for s in segments for text in (*s.references.values(), *(s.outputs[name] for name in systems))},
    }
    seconds, words = 0.0, 0
    for language, distinct in texts.items():
        annotator = load_annotator(language)
        if not isinstance(annotator, SpacyAnnotator):
            raise TypeError(f"{language}: the embedded annotator is no spaCy pipeline")
        nlp = annotator.nlp  # opened before the clock starts
        started = time.process_time()
        words += sum(len(doc) for doc in nlp.pipe(sorted(distinct), batch_size=128))
        seconds += time.process_time() - started
    print(seconds, words)


def bare() -> tuple[float, int]:
    """Return what :func:`annotate` prints, in a process of its own."""
    found = subprocess.run([sys.executable, *sys.argv, "--bare"], check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    seconds, words = found.stdout.split()
    print(f"bare annotation   {float(seconds):7.1f} s  {int(words):,} words", flush=True)
    return float(seconds), int(words)


def run(arguments: argparse.Namespace, store: Path, workers: int) -> Cost:
    """Return the cost of one run of the command."""
    command = [sys.executable, "-c", "from endophora.cli import main; main()", "evaluate", "--quiet"]
    options = ["--input", str(arguments.directory), "--reference", arguments.reference, "-l", arguments.languages]
    for name in systems_of(arguments.directory, arguments.languages, arguments.systems):
        options += ["--system", name]
    places = ["--store", str(store), "--output", str(store.parent / "out"), "--workers", str(workers)]
    started = time.perf_counter()
    process = subprocess.Popen([*command, *options, *places], stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss / 1024)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--languages", default="en-de")
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--systems", type=int, help="only the first so many")
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    prepare_process()
    if arguments.bare:
        annotate(arguments)
        return
    compile_dir(Path(endophora.__file__).parent, quiet=1)  # an installed package has its bytecode
    before, _ = bare()
    for workers in arguments.workers:
        with tempfile.TemporaryDirectory() as directory:
            store = Path(directory) / "store.sqlite"
            first, second = run(arguments, store, workers), run(arguments, store, workers)
            after, _ = bare()
            mean = (before + after) / 2
            print(
                f"{workers} process(es): {first.processor:.1f} s of processor time, "
                f"{first.processor / mean:.2f} × bare annotation ({mean:.1f} s); {first.wall:.1f} s; "
                f"peak {first.memory:,.0f} MB a process\n"
                f"second run: {second.processor:.1f} s, {second.processor / first.processor:.1%} of the first; "
                f"{second.wall:.1f} s; peak {second.memory:,.0f} MB; store {store.stat().st_size / 1e6:.0f} MB",
                flush=True,
            )
            before = after


if __name__ == "__main__":
    main()
