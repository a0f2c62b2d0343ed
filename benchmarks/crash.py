"""Measure what the engine promises: kills, lost nodes, memory and speed on large inputs.

    python benchmarks/crash.py kills --kills 50      # kill -9 at random moments, then on; the bytes of a run left alone
    python benchmarks/crash.py nodes --kills 5       # Ray on three nodes of this machine, one killed in the middle
    python benchmarks/crash.py scale --lines 10000000 --workers 2
    python benchmarks/crash.py speedup               # one worker against two, documents that wait for half a second
    python benchmarks/crash.py speedup --rounds 1000 # the same with documents that compute, for a machine at rest
    python benchmarks/crash.py kills --task extract  # a real extraction, of synthetic subtitles or of --text FILE
    python benchmarks/crash.py nodes --task extract --kills 1
    python benchmarks/crash.py commands --kills 50   # each of evaluate, extract, train model, translate, score

The tasks are those of the tests, and a synthetic one for the scale: what the engine itself costs, without annotation.
With ``--task extract`` it is an extraction of all phenomena of a pair; documents are cut into parts of 20 segments, and
shards have 40.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(TESTS / "crash"), str(TESTS / "engine")]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(TESTS / "engine"), os.environ.get("PYTHONPATH")]))

import command_kills  # noqa: E402
import subtitles  # noqa: E402
from extraction_task import Parts, extraction, setup_of  # noqa: E402
from kills import EXTRACTION, PROGRAM, complete, kill_often, summary  # noqa: E402
from toy_task import CountWords, documents  # noqa: E402

from endophora.corpus.records import Document, Location, Segment  # noqa: E402
from endophora.engine import EngineOptions, Progress, RunSummary, Task, run  # noqa: E402

LINE = "She said that it was not there, and nobody who had been in the house that night could tell her why. {}"
DOCUMENT = 800


@dataclass(frozen=True)
class EveryHundredth:
    """Rows for one segment in a hundred, after so many rounds of hashing for every segment.

    Attributes:
        rounds: how much there is to compute.
        seconds: how long each document waits besides, without computing.
    """

    rounds: int = 1
    seconds: float = 0.0

    @property
    def signature(self) -> str:
        """The name and the rounds."""
        return f"every hundredth {self.rounds}"

    @property
    def schema(self) -> Any:
        """Columns: document, line, source."""
        import pyarrow

        return pyarrow.schema({"document": pyarrow.string(), "line": pyarrow.int64(), "source": pyarrow.string()})

    def load(self) -> Callable[[Sequence[Document]], Iterator[Mapping[str, object]]]:
        """Return the function."""
        return self._work

    def _work(self, batch: Sequence[Document]) -> Iterator[Mapping[str, object]]:
        for document in batch:
            time.sleep(self.seconds)
            for segment in document.segments:
                digest = segment.source.encode()
                for _ in range(self.rounds):
                    digest = hashlib.sha256(digest).digest()
                if segment.location.line % 100 == 0:
                    yield {"document": document.id, "line": segment.location.line, "source": segment.source}


def synthetic(lines: int) -> Iterator[Document]:
    """Yield documents as long as a film's subtitles, made when they are asked for."""
    for start in range(0, lines, DOCUMENT):
        numbers = range(start, min(start + DOCUMENT, lines))
        yield Document(
            f"film/{start // DOCUMENT}",
            tuple(Segment(LINE.format(n), {"ref": LINE.format(-n)}, {}, Location("x.tsv", n + 1)) for n in numbers),
        )


@dataclass(frozen=True)
class Kind:
    """What is run, to be killed.

    Attributes:
        program: does it, with an output, a folder for the log, and options.
        options: of the program.
        slow: options of runs that are killed, besides.
        fast: options of runs that are left alone, besides.
        longest: a run is killed after so many seconds at most.
        late: share of kills whose seconds are counted from when it has begun more shards than it has workers.
        workers: of each run.
        task: log → the same task, for Ray.
        documents: the same documents.
        at: on Ray a node is killed after so many shards, from the first to below the second.
    """

    program: Path
    options: tuple[str, ...]
    slow: tuple[str, ...]
    fast: tuple[str, ...]
    longest: float
    late: float
    workers: int
    task: Callable[[Path], Task]
    documents: Callable[[], Iterator[Document]]
    at: tuple[int, int]


def toy() -> Kind:
    """Return the toy task of the tests."""
    return Kind(
        PROGRAM,
        ("--documents", "600"),
        ("--seconds", "0.01"),
        ("--seconds", "0"),
        4.0,
        0.0,
        2,
        lambda log: CountWords(log=str(log), seconds=0.05),
        partial(documents, 600),
        (4, 12),
    )


def real(folder: Path, lines: int, text: Path | None, languages: str, workers: int) -> Kind:
    """Return an extraction with all that it loads: pipelines, aligner, resolver, taggers.

    Args:
        folder: where a synthetic corpus is written.
        lines: how many lines it has.
        text: a TSV with document, source, target in its place.
        languages: the pair.
        workers: of each run.
    """
    from endophora.extraction.extract import prepared_task

    path = text or folder / "corpus.tsv"
    if text is None:
        subtitles.write(lines, path, languages.partition("-")[2])
    # Told once: each run would load the models in one more process to tell it.
    signature = prepared_task(setup_of(languages), "process").signature
    return Kind(
        EXTRACTION,
        (str(path), "--languages", languages, "--signature", signature),
        ("--workers", str(workers)),
        ("--workers", str(workers)),
        4.0,
        0.6,
        workers,
        lambda log: extraction(languages, log, signature),
        lambda: iter(Parts(str(path), languages, 20)),
        (4, 12),
    )


def kills(folder: Path, kind: Kind, count: int, seed: int) -> None:
    """Kill runs at random moments; print what was done twice and whether the bytes are those of a run left alone."""
    program = kind.program
    alone = summary(
        complete(folder / "whole", folder / "whole-log", *kind.options, "--executor", "serial", program=program)
    )
    shards = len(list((folder / "whole-log").iterdir()))
    print(f"left alone: {shards} shards, sha256 {str(alone['checksum'])[:12]}", flush=True)
    whole = contents(folder / "whole")
    options = (*kind.options, *kind.slow)
    late: dict[str, Any] = {"late": kind.late, "after": kind.workers}
    found = kill_often(folder, count, seed, kind.longest, *options, program=program, **late)
    places = sorted(folder.glob("out*"))
    for place in places:
        log = folder / place.name.replace("out", "log")
        summary(complete(place, log, *kind.options, *kind.fast, program=program))
    same = sum(contents(place) == whole for place in places)
    redone = [kill.redone for kill in found]
    print(
        f"{len(found)} kills after {min(k.seconds for k in found):.2f} to {max(k.seconds for k in found):.2f} s, "
        f"in {len(places)} outputs; {same} of {len(places)} outputs have the bytes of a run left alone "
        f"({', '.join(sorted(whole))})"
    )
    print(
        f"shards begun in vain: {sum(redone)} in all, {max(redone)} at most in one kill; "
        f"kills before the first shard was begun: {sum(k.begun == 0 for k in found)}; "
        f"shards done by runs that were killed: {sum(k.kept for k in found)}"
    )


def kill_commands(folder: Path, names: Sequence[str], count: int, seed: int) -> None:
    """Kill commands at random moments; print a table of what was wrong."""
    there = command_kills.commands(folder)
    if {"translate", "score"} & set(names):
        command_kills.complete(there["train model"], folder / "training")
        (folder / "training" / "out").rename(folder / "model")
    rows = [command_kills.HEADER]
    for name in names:
        place = folder / name.replace(" ", "-")
        place.mkdir()
        rows.append(command_kills.kill_command(there[name], place, count, seed).row(name))
    for row in rows:
        print(" | ".join(row), flush=True)


def contents(output: Path) -> dict[str, bytes]:
    """Return the files of an output directory, by name, without those that a run needs to go on."""
    files = (path for path in output.rglob("*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in files if output / "work" not in path.parents}


def children(parents: Sequence[int]) -> list[int]:
    """Return the processes that some processes have started."""
    found = [
        int(n)
        for pid in parents
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for n in path.read_text().split()
    ]
    return [*found, *children(found)] if found else []


def nodes(folder: Path, kind: Kind, count: int, seed: int) -> None:
    """Kill all processes of a node of Ray in the middle of a run; print whether the bytes are the same."""
    # Ray's workers give way to all other work otherwise, and a busy machine does not come to an end with them.
    os.environ.setdefault("RAY_worker_niceness", "0")
    from ray.cluster_utils import Cluster

    store = 80 * 1024 * 1024
    (folder / "serial-log").mkdir()
    options = EngineOptions(executor="serial", shard_segments=40)
    serial = run(kind.task(folder / "serial-log"), kind.documents, folder / "serial", options)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": store})
    cluster.add_node(num_cpus=1, object_store_memory=store)
    generator = random.Random(seed)  # noqa: S311 - moments, not secrets.
    for kill in range(count):
        node = cluster.add_node(num_cpus=1, object_store_memory=store)
        cluster.wait_for_nodes()
        log = folder / f"log{kill}"
        log.mkdir()
        at = generator.randrange(*kind.at)
        killed: list[tuple[float, int]] = []

        # Called before the next round begins.
        def strike(progress: Progress, log: Path = log, at: int = at, killed: list[Any] = killed) -> None:
            workers = {path.name.rpartition(".")[2] for path in log.iterdir()}
            if not killed and progress.shards >= at and len(workers) == 2:
                # As when a machine loses its power: Ray's own processes and the workers, all at once.
                own = [p.process.pid for some in node.all_processes.values() for p in some]  # noqa: B023 - see above.
                for process in [*own, *children(own)]:
                    os.kill(process, signal.SIGKILL)
                killed.append((time.monotonic(), progress.shards))

        options = EngineOptions(executor="ray", shard_segments=40, address=cluster.address)
        done = run(kind.task(log), kind.documents, folder / f"out{kill}", options, strike)
        same = done.path.read_bytes() == serial.path.read_bytes()
        moment, shards = killed[0]
        print(
            f"node killed after {shards} of {done.shards} shards: same bytes: {same}; {done.lost} shard lost and "
            f"done elsewhere; {done.seconds:.0f} s, {time.monotonic() - moment:.0f} of them after the kill",
            flush=True,
        )
        cluster.remove_node(node, allow_graceful=False)
    cluster.shutdown()


def scale(folder: Path, lines: int, workers: int, executor: str, rounds: int, seconds: float = 0.0) -> RunSummary:
    """Do a synthetic input; print speed and memory."""
    options = EngineOptions(executor=executor, workers=workers)
    done = run(EveryHundredth(rounds, seconds), partial(synthetic, lines), folder, options)
    parent, child = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(
        f"{lines:,} lines, {executor}, {workers} workers: {done.seconds:.1f} s, {lines / done.seconds:,.0f} lines a "
        f"second, {done.shards} shards, {done.rows:,} rows; peak memory {parent:.0f} MiB, of a worker {child:.0f} MiB; "
        f"sha256 {done.checksum[:12]}",
        flush=True,
    )
    begin = time.monotonic()
    run(EveryHundredth(rounds, seconds), partial(synthetic, lines), folder, options)
    print(f"  compared again with its input in {time.monotonic() - begin:.1f} s")
    return done


def main() -> None:
    """Run what is asked for, in a temporary directory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kills", "nodes", "scale", "speedup", "commands"])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", default="process")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--task", choices=["toy", "extract"], default="toy", help="of kills and nodes")
    parser.add_argument("--text", type=Path, help="with extract: a TSV in place of synthetic subtitles")
    parser.add_argument("--languages", default="en-de", help="with extract: the pair")
    parser.add_argument("--command", action="append", help="with commands: only this; repeatable")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.what in ("kills", "nodes"):
            text = given.text and given.text.resolve()
            lines = min(given.lines, 8_000)
            kind = toy() if given.task == "toy" else real(folder, lines, text, given.languages, given.workers)
            (kills if given.what == "kills" else nodes)(folder, kind, given.kills, given.seed)
        elif given.what == "commands":
            names = given.command or ["evaluate", "extract", "train model", "translate", "score"]
            kill_commands(folder, names, given.kills, given.seed)
        elif given.what == "scale":
            scale(folder, given.lines, given.workers, given.executor, given.rounds)
        else:
            seconds = 0.5 if given.rounds == 1 else 0.0
            one, two = (scale(folder / str(n), 100_000, n, "process", given.rounds, seconds) for n in (1, 2))
            print(f"two workers are {one.seconds / two.seconds:.2f} times as fast as one")


if __name__ == "__main__":
    main()
