"""Measure what the engine promises: kills, lost nodes, memory and speed on large inputs.

    python benchmarks/crash.py kills --kills 50      # kill -9 at random moments, then on; the bytes of a run left alone
    python benchmarks/crash.py nodes --kills 5       # Ray on three nodes of this machine, one killed in the middle
    python benchmarks/crash.py scale --lines 10000000 --workers 2
    python benchmarks/crash.py speedup               # one worker against two, documents that wait for half a second
    python benchmarks/crash.py speedup --rounds 1000 # the same with documents that compute, for a machine at rest

The tasks are those of the tests, and a synthetic one for the scale: what the engine itself costs, without annotation.
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
os.environ["PYTHONPATH"] = str(TESTS / "engine")

from kills import complete, kill_often, summary  # noqa: E402
from toy_task import CountWords, documents  # noqa: E402

from endophora.corpus.records import Document, Location, Segment  # noqa: E402
from endophora.engine import EngineOptions, Progress, RunSummary, run  # noqa: E402

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


def kills(folder: Path, count: int, seed: int) -> None:
    """Kill runs at random moments; print what was done twice and whether the bytes are those of a run left alone."""
    size = ("--documents", "600")
    summary(complete(folder / "whole", folder / "whole-log", "--executor", "serial", "--seconds", "0", *size))
    whole = (folder / "whole" / "rows.parquet").read_bytes()
    found = kill_often(folder, count, seed, 4.0, "--workers", "2", "--seconds", "0.01", *size)
    places = sorted(folder.glob("out*"))
    for place in places:
        summary(complete(place, folder / place.name.replace("out", "log"), "--seconds", "0", *size))
    same = sum((place / "rows.parquet").read_bytes() == whole for place in places)
    redone = [kill.redone for kill in found]
    print(
        f"{len(found)} kills after {min(k.seconds for k in found):.2f} to {max(k.seconds for k in found):.2f} s, "
        f"in {len(places)} outputs; {same} of {len(places)} outputs have the bytes of a run left alone"
    )
    print(
        f"shards begun in vain: {sum(redone)} in all, {max(redone)} at most in one kill (2 workers); "
        f"kills before the first shard was begun: {sum(k.begun == 0 for k in found)}"
    )


def children(parents: Sequence[int]) -> list[int]:
    """Return the processes that some processes have started."""
    found = [
        int(n)
        for pid in parents
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for n in path.read_text().split()
    ]
    return [*found, *children(found)] if found else []


def nodes(folder: Path, count: int, seed: int) -> None:
    """Kill all processes of a node of Ray in the middle of a run; print whether the bytes are the same."""
    from ray.cluster_utils import Cluster

    store = 80 * 1024 * 1024
    serial = run(CountWords(), partial(documents, 600), folder / "serial", EngineOptions(executor="serial"))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": store})
    cluster.add_node(num_cpus=1, object_store_memory=store)
    generator = random.Random(seed)  # noqa: S311 - moments, not secrets.
    for kill in range(count):
        node = cluster.add_node(num_cpus=1, object_store_memory=store)
        cluster.wait_for_nodes()
        log = folder / f"log{kill}"
        log.mkdir()
        at = generator.randrange(4, 12)
        killed: list[float] = []

        # Called before the next round begins.
        def strike(progress: Progress, log: Path = log, at: int = at, killed: list[float] = killed) -> None:
            workers = {path.name.rpartition(".")[2] for path in log.iterdir()}
            if not killed and progress.shards >= at and len(workers) == 2:
                # As when a machine loses its power: Ray's own processes and the workers, all at once.
                own = [p.process.pid for some in node.all_processes.values() for p in some]  # noqa: B023 - see above.
                for process in [*own, *children(own)]:
                    os.kill(process, signal.SIGKILL)
                killed.append(time.monotonic())

        options = EngineOptions(executor="ray", shard_segments=40, address=cluster.address)
        task = CountWords(log=str(log), seconds=0.05)
        done = run(task, partial(documents, 600), folder / f"out{kill}", options, strike)
        same = done.path.read_bytes() == serial.path.read_bytes()
        print(
            f"node killed after {at} or more of {done.shards} shards: same bytes: {same}; {done.lost} shard lost and "
            f"done elsewhere; {done.seconds:.0f} s, {time.monotonic() - killed[0]:.0f} of them after the kill",
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
    parser.add_argument("what", choices=["kills", "nodes", "scale", "speedup"])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", default="process")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.what == "kills":
            kills(folder, given.kills, given.seed)
        elif given.what == "nodes":
            nodes(folder, given.kills, given.seed)
        elif given.what == "scale":
            scale(folder, given.lines, given.workers, given.executor, given.rounds)
        else:
            seconds = 0.5 if given.rounds == 1 else 0.0
            one, two = (scale(folder / str(n), 100_000, n, "process", given.rounds, seconds) for n in (1, 2))
            print(f"two workers are {one.seconds / two.seconds:.2f} times as fast as one")


if __name__ == "__main__":
    main()
