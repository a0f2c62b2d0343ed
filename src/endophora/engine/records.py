"""What goes into a run of the engine and what comes out: a task, options, progress, a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from endophora.corpus.records import Document
from endophora.options import option
from endophora.signature import unkeyed

Row = Mapping[str, object]
"""One row of the output: every column of the task's schema, by name."""

Work = Callable[[Sequence[Document]], Iterable[Row]]
"""Whole documents, in order, to their rows, in order."""

SHARD_SEGMENTS = 2_000
"""Segments in a shard: some seconds of annotation, and a message of some hundred kilobytes."""

SHARDS_PER_WORKER = 1_000
"""Shards that a worker does before another takes its place: loading its models is then a few hundredths of the time."""


class Task(Protocol):
    """A pure function from documents to rows, as a picklable setup that each worker loads once.

    What is promised of the output (the same bytes for any executor, number of workers and size of shard) holds if the
    function is pure: the rows of documents *a, b* are the rows of *a*, then the rows of *b*, and depend on nothing but
    those documents and the setup.

    Attributes:
        signature: all that decides the rows besides the documents: setup, models and their versions.
        schema: a ``pyarrow.Schema``, the columns of a row.
    """

    @property
    def signature(self) -> str:
        """What decides the rows besides the documents."""
        ...

    @property
    def schema(self) -> Any:
        """The columns, a ``pyarrow.Schema``."""
        ...

    def load(self) -> Work:
        """Load models and return the function; called once in each worker."""
        ...


@unkeyed("none of it has a part in the bytes of the output")
@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How a run is done; none of it has a part in the bytes of the output.

    Attributes:
        executor: a name of :data:`endophora.engine.workers.EXECUTORS`.
        workers: number of workers; 0 takes one for each core, of this machine or of the cluster.
        shard_segments: the most segments in a shard; a longer document is a shard of its own. A run that is
            resumed keeps the size with which it began.
        attempts: how often a shard is tried whose worker died.
        shards_per_worker: after so many shards a worker is replaced, which bounds what its libraries remember; 0 keeps
            it to the end. The executor ``serial`` has nobody to replace.
        fresh: throw away what an earlier run left in the output directory.
        address: the address of a Ray cluster; empty starts Ray on this machine.
        cores_per_worker: CPU cores that a worker on Ray takes.
        gpus_per_worker: GPUs (or a part of one) that a worker on Ray takes.
        gpus: numbers of the GPUs of this machine, for the executor ``process``: each worker sees one of them, and
            with no number of workers there are as many as GPUs.
    """

    executor: str = option("process", metavar="NAME", help="serial, process or ray.")
    workers: int = option(0, "--workers", "-w", least=0, help="0 takes one for each core.")
    shard_segments: int = option(SHARD_SEGMENTS, "--shard-size", least=1, help="Segments in a shard.")
    attempts: int = 3
    shards_per_worker: int = SHARDS_PER_WORKER
    fresh: bool = option(False, help="Begin anew instead of going on.")
    address: str = option("", metavar="ADDRESS", help="Of a Ray cluster.")
    cores_per_worker: float = 1.0
    gpus_per_worker: float = 0.0
    gpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        documents, segments, shards, rows: done, those of earlier runs that were taken over included.
        earlier_segments: segments among these that an earlier run had done.
        seconds: wall-clock time of this run so far.
        merging: all shards are done; the output is being put together.
    """

    documents: int
    segments: int
    shards: int
    rows: int
    earlier_segments: int
    seconds: float
    merging: bool = False

    @property
    def rate(self) -> float:
        """Segments per second of this run; what an earlier run had done does not count."""
        return (self.segments - self.earlier_segments) / self.seconds if self.seconds > 0 else 0.0

    def seconds_left(self, total_segments: int) -> float | None:
        """Return how long the rest of so many segments will take, or ``None`` while there is no rate."""
        return max(0, total_segments - self.segments) / self.rate if self.rate > 0 else None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a complete run has made.

    Attributes:
        path: the output, one Parquet file.
        rows: rows in it.
        bytes: its size.
        checksum: its SHA-256, hexadecimal.
        documents, segments, shards: of the input.
        input_hash: hash of all documents, hexadecimal; the size of the shards has no part in it.
        worked_shards: shards that this run has done; the rest was taken over from earlier runs.
        lost: how often a worker died over a shard that another then did.
        seconds: wall-clock time of this run.
    """

    path: Path
    rows: int
    bytes: int
    checksum: str
    documents: int
    segments: int
    shards: int
    input_hash: str
    worked_shards: int
    lost: int
    seconds: float
