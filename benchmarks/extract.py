"""Measure extraction: rate, memory, where the time goes, and how it grows with lines and workers.

The corpus is synthetic (``subtitles.py``), or any TSV with the columns document, source, target.

    python benchmarks/extract.py scale 100000 1000000 --workers 1 2
    python benchmarks/extract.py shares 20000 --phenomenon auxiliary
    python benchmarks/extract.py words 200000
    python benchmarks/extract.py loss corpus.tsv --languages en-de
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import subtitles

from endophora.annotate.records import AnnotatedText
from endophora.corpus.formats import open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import ReadOptions
from endophora.engine import EngineOptions
from endophora.extraction import ExtractionSetup, ExtractOptions, TestSetOptions, default_phenomena, extract
from endophora.extraction.select import Selector
from endophora.extraction.task import Extractor


def setup_for(pair: str, phenomena: Sequence[str], prefilter: bool) -> ExtractionSetup:
    """Return the setup of a pair; all phenomena of test sets if none are named."""
    source, target = pair.split("-")
    names = tuple(phenomena) or default_phenomena(source, target)
    return ExtractionSetup(source_language=source, target_language=target, phenomena=names, prefilter=prefilter)


def corpus(lines: int, pair: str, folder: Path) -> Path:
    """Write a synthetic corpus, unless it is there."""
    path = folder / f"{pair}.{lines}.tsv"
    if not path.exists():
        subtitles.write(lines, path, pair.partition("-")[2])
    return path


def run_one(path: Path, output: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """Extract a corpus, and return what it took; in a process of its own, so that peaks are its own."""
    pair = chosen.languages
    source, target = pair.split("-")
    stream = open_stream([path], ReadOptions(languages=(source, target)))
    engine = EngineOptions(executor=chosen.executor, workers=chosen.one_workers, fresh=True)
    options = ExtractOptions(engine=engine, test_sets=TestSetOptions(formats=("jsonl",)))
    start = time.perf_counter()
    done = extract(setup_for(pair, chosen.phenomenon, not chosen.no_prefilter), stream, output, options)
    seconds = time.perf_counter() - start
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "lines": done.summary.segments,
        "workers": chosen.one_workers,
        "occurrences": done.summary.rows,
        "seconds": round(seconds, 1),
        "engine_seconds": round(done.summary.seconds, 1),
        "lines_per_second": round(done.summary.segments / done.summary.seconds, 1),
        "parent_cpu": round(own.ru_utime + own.ru_stime, 1),
        "workers_cpu": round(children.ru_utime + children.ru_stime, 1),
        "parent_peak_mb": round(own.ru_maxrss / 1024),
        "worker_peak_mb": round(children.ru_maxrss / 1024),
        "checksum": done.summary.checksum[:16],
    }


def scale(chosen: argparse.Namespace) -> None:
    """Extract corpora of growing size with growing numbers of workers, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="extract-") as temporary:
        folder = Path(chosen.folder or temporary)
        for count in chosen.lines:
            path = corpus(count, chosen.languages, folder)
            for workers in chosen.workers:
                command = [sys.executable, __file__, "one", str(path), "--one-workers", str(workers)]
                command += ["--languages", chosen.languages, "--executor", chosen.executor]
                command += [part for name in chosen.phenomenon for part in ("--phenomenon", name)]
                command += ["--no-prefilter"] if chosen.no_prefilter else []
                subprocess.run(command, check=True)  # noqa: S603


def one(chosen: argparse.Namespace) -> None:
    """Extract one corpus and print what it took."""
    with tempfile.TemporaryDirectory(prefix="extract-") as temporary:
        print(json.dumps(run_one(Path(chosen.path), Path(temporary), chosen)), flush=True)


class Clock:
    """CPU time by step."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def timed(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is timed; what it yields is made at once."""

        def wrapped(*arguments: Any, **named: Any) -> Any:
            start = time.process_time()
            found = function(*arguments, **named)
            found = list(found) if isinstance(found, Iterator) else found
            self.spent[step] = self.spent.get(step, 0.0) + time.process_time() - start
            return found

        return wrapped


class Counted:
    """An annotator that is timed, and counts its texts."""

    def __init__(self, annotator: Any, clock: Clock, side: str) -> None:
        self._annotator = annotator
        self._annotate = clock.timed(f"annotate {side}", annotator.annotate)
        self.nlp = annotator.nlp
        self.texts = 0

    def annotate(self, texts: Iterable[str]) -> list[AnnotatedText]:
        """Annotate texts."""
        held = list(texts)
        self.texts += len(held)
        return self._annotate(held)


def shares(chosen: argparse.Namespace) -> None:
    """Extract in this process, and print how CPU time is shared among the steps, beside one sentence at a time."""
    with tempfile.TemporaryDirectory(prefix="extract-") as temporary:
        count = chosen.lines[0]
        path = chosen.corpus or corpus(count, chosen.languages, Path(temporary))
        source, target = chosen.languages.split("-")
        documents = _first(open_stream([path], ReadOptions(languages=(source, target))), count)
    tools = setup_for(chosen.languages, chosen.phenomenon, not chosen.no_prefilter).load()
    clock = Clock()
    selector = Selector(tools)
    selector.candidates = clock.timed("look at the surface", selector.candidates)  # type: ignore[method-assign]
    work = Extractor(tools, selector)
    plain = (tools.source_annotator, tools.target_annotator)
    sides = [Counted(annotator, clock, side) for annotator, side in zip(plain, ("source", "target"), strict=True)]
    tools.__dict__["source_annotator"], tools.__dict__["target_annotator"] = sides
    tools.aligner.align_many = clock.timed("align", tools.aligner.align_many)  # type: ignore[method-assign]
    for name in ("resolver", "target_resolver"):
        if (name == "resolver") == (source == "en"):
            resolver = getattr(tools, name)
            for method in ("prepare", "with_target"):
                setattr(resolver, method, clock.timed("resolve", getattr(resolver, method)))
    start, rows, held = time.process_time(), 0, 0
    for shard in _shards(documents):
        rows += sum(1 for _ in work(shard))
        held += sum(len(document.segments) for document in shard)
    total = time.process_time() - start
    print(f"{held} lines, {rows} occurrences, {total:.1f} s of CPU, {held / total:.0f} lines/s")
    print(f"texts annotated: source {sides[0].texts}, target {sides[1].texts}")
    for step, spent in {**clock.spent, "the rest (tag, items)": total - sum(clock.spent.values())}.items():
        print(f"{step:24} {spent:8.1f} s {spent / total:6.1%}")
    _one_at_a_time(documents, plain, chosen.sample, held / total)


def _one_at_a_time(documents: Sequence[Document], annotators: tuple[Any, Any], sample: int, rate: float) -> None:
    segments = [segment for document in documents for segment in document.segments][:sample]
    start = time.process_time()
    for segment in segments:
        for annotator, text in zip(annotators, (segment.source, segment.references["reference"]), strict=True):
            list(annotator.annotate([text]))
    alone = len(segments) / (time.process_time() - start)
    print(f"every line annotated one sentence at a time: {alone:.0f} lines/s; extraction {rate / alone:.1f} times that")


def _first(stream: Iterable[Document], count: int) -> list[Document]:
    found: list[Document] = []
    for document in stream:
        found.append(document)
        count -= len(document.segments)
        if count <= 0:
            break
    return found


def _shards(documents: Iterable[Document], size: int = 2_000) -> Iterator[list[Document]]:
    shard: list[Document] = []
    for document in documents:
        if shard and sum(len(each.segments) for each in shard) + len(document.segments) > size:
            yield shard
            shard = []
        shard.append(document)
    if shard:
        yield shard


def words(chosen: argparse.Namespace) -> None:
    """Annotate words that were never met before, shard by shard, and print how the memory grows."""
    tools = setup_for(chosen.languages, chosen.phenomenon, prefilter=True).load()
    annotators: list[Any] = [tools.source_annotator, tools.target_annotator]
    draw = random.Random(1)  # noqa: S311
    for annotator in annotators:
        list(annotator.annotate(["This is a sentence."] * 1_000))
    for done in range(0, chosen.lines[0] + 1, WORDS_A_SHARD):
        if done % (chosen.lines[0] // 10) < WORDS_A_SHARD:
            print(f"{done:9} new words, {_resident():7.1f} MB", flush=True)
        texts = [
            " ".join("".join(draw.choices("abdegiklmnoprstu", k=10)).capitalize() for _ in range(10))
            for _ in range(WORDS_A_SHARD // 10)
        ]
        for annotator in annotators:
            with annotator.forgetting():
                list(annotator.annotate(texts))


WORDS_A_SHARD = 2_000


def _resident() -> float:
    """Return the megabytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def loss(chosen: argparse.Namespace) -> None:
    """Extract with and without the look at the surface, and print what is lost and what is new, by phenomenon."""
    source, target = chosen.languages.split("-")
    documents = list(open_stream([chosen.path], ReadOptions(languages=(source, target)), chosen.format))
    found: list[dict[Any, str]] = []
    for prefilter in (False, True):
        tools = setup_for(chosen.languages, chosen.phenomenon, prefilter).load()
        rows = [row for shard in _shards(documents) for row in Extractor(tools, Selector(tools, chosen.reach))(shard)]
        found.append({(row["id"], str(row["reference_spans"])): str(row["phenomenon"]) for row in rows})
    whole, part = found
    for phenomenon in sorted({*whole.values(), *part.values()}):
        ones, others = ({key for key, name in each.items() if name == phenomenon} for each in found)
        counts = (phenomenon, len(ones), len(others), len(ones - others), len(others - ones))
        print("{}: {} without, {} with; {} lost, {} new".format(*counts))


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, function in (("scale", scale), ("one", one), ("shares", shares), ("words", words), ("loss", loss)):
        command = commands.add_parser(name)
        command.set_defaults(run=function)
        if name in ("scale", "shares", "words"):
            command.add_argument("lines", type=int, nargs="+")
        else:
            command.add_argument("path")
        command.add_argument("--corpus", type=Path, help="in place of a synthetic one")
        command.add_argument("--languages", default="en-de")
        command.add_argument("--phenomenon", action="append", default=[])
        command.add_argument("--workers", type=int, nargs="+", default=[1])
        command.add_argument("--one-workers", type=int, default=1)
        command.add_argument("--executor", default="process")
        command.add_argument("--no-prefilter", action="store_true")
        command.add_argument("--folder", help="where synthetic corpora are kept")
        command.add_argument("--sample", type=int, default=1_000)
        command.add_argument("--reach", type=int, default=2)
        command.add_argument("--format")
    chosen = parser.parse_args()
    chosen.run(chosen)


if __name__ == "__main__":
    main()
