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


Answer = Callable[[bytes], bytes]
"""What one worker does: a payload to its result, both as they are sent."""


class Loaded(Protocol):
    """What executors start workers with: picklable, and loaded once in each of them."""

    def load(self) -> Answer:
        """Load models and return what answers payloads."""
        ...


class Task(Protocol):
    """A pure function from documents to rows, as a picklable setup that each worker loads once.

    What is promised of the output (the same bytes for any executor, number of workers and size of shard) holds if the
    function is pure: the rows of documents *a, b* are the rows of *a*, then the rows of *b*, and depend on nothing but
    those documents and the setup.
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


class Answerer(Protocol):
    """Work that is no documents: a picklable setup whose answer to a payload depends on nothing but the two."""

    @property
    def signature(self) -> str:
        """What decides the answers besides the payloads; in a worker it is asked for after :meth:`load`."""
        ...

    def load(self) -> Answer:
        """Load models and return what answers payloads; called once in each worker."""
        ...


@unkeyed("none of it has a part in the bytes of the output")
@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How a run is done; none of it has a part in the bytes of the output.

    ``workers`` 0 takes one for each core, of this machine or of the cluster. A longer document than ``shard_segments``
    is a shard by itself; a resumed run keeps the size with which it began. ``attempts`` is how often a shard is tried
    whose worker died. After ``shards_per_worker`` a worker is replaced, which bounds what its libraries remember (0:
    never). ``fresh`` throws away what an earlier run left. ``address`` (empty starts Ray here), ``cores_per_worker``
    and ``gpus_per_worker`` are for Ray; ``gpus`` are the numbers of this machine's, of which each process sees one.
    """

    executor: str = option("process", metavar="NAME", help="serial, process or ray.")
    workers: int = option(0, "--workers", "-w", least=0, help="0 takes one for each core.")
    shard_segments: int = option(SHARD_SEGMENTS, "--shard-size", least=1, help="Segments in a shard.")
    attempts: int = 3
    shards_per_worker: int = SHARDS_PER_WORKER
    fresh: bool = option(False, help="Begin again instead of going on.")
    address: str = option("", metavar="ADDRESS", help="Of a Ray cluster.")
    cores_per_worker: float = 1.0
    gpus_per_worker: float = 0.0
    gpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: what is done, by earlier runs too; ``merging`` when the output is being put together."""

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
    """What a complete run has made; ``checksum`` is the output's SHA-256, ``input_hash`` is of all documents.

    ``worked_shards`` are those that this run has done, ``lost`` is how often a worker died over a shard that another
    then did.
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
