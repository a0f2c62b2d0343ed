"""Runs a task over documents: continues where an earlier run stopped, keeps each shard, puts the output together."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from endophora.corpus.records import Document
from endophora.engine.directory import ROWS, WORK, DirectoryLock, OutputDirectory, RunFile, changed
from endophora.engine.shards import (
    EngineOptions,
    FullShard,
    Merged,
    Progress,
    RunSummary,
    Shard,
    Task,
    arrow,
    count_rows,
    cut,
    described,
    merge,
    parquet,
)
from endophora.engine.shipping import Shipment, difference
from endophora.engine.workers import ENDS, EXECUTORS, Cause, Executor, Failure, Job, JobOutcome, again, start_fault
from endophora.errors import EngineError, Fault, refuse
from endophora.files import Output, disk_faults
from endophora.stopping import check_stopped, keeping
from endophora.version import __version__

MOST_FAILURES = 20
"""A run gives up after so many shards have failed: the fault is then not in the documents."""

Report = Callable[[Progress], None]


def run(
    task: Task,
    documents: Callable[[], Iterator[Document]],
    output: Path,
    options: EngineOptions | None = None,
    report: Report | None = None,
    after: Callable[[RunSummary], None] | None = None,
) -> RunSummary:
    """Do a task over all documents and write its rows to ``rows.parquet`` in a directory.

    What an earlier run with the same task and documents has done in the directory is taken over. The documents are read
    once, as a stream. The bytes of the output depend on the rows, the schema, the task's signature and the version of
    pyarrow alone: not on executor, workers, size of shards, or interruptions. The task must be picklable unless the
    executor is ``serial``. ``report`` is called after each shard, ``after`` when the rows are complete: no other run
    can begin in the directory before it is done.

    Raises:
        MissingModelError: pyarrow or Ray is not installed (E150), or the task lacks a model.
        InputError: an option is out of range (E162), the executor is unknown (E090), the directory cannot be written
            (E355) or has files of others in the way (E356), or the task says what is wrong.
        EngineError: the run cannot begin, go on or be completed (E151 to E161, E163); what it has done is kept.
    """
    chosen = options or EngineOptions()
    _check_options(chosen)
    arrow()
    executor = EXECUTORS.get(chosen.executor)(chosen)
    directory = OutputDirectory(output)
    place = Output(output, [ROWS], [WORK])
    place.hold()
    with keeping(kept_in(output)), DirectoryLock(directory.lock):
        if chosen.fresh:
            directory.clear()
        size = _begin(task, directory, chosen)
        running = _Run(task, cut(documents(), size), directory, chosen, report or (lambda _: None), place)
        summary = running.complete(executor)
        if after is not None:
            after(summary)
        return summary


def kept_in(output: Path) -> Fault:
    """Return what is kept when a signal stops a run (E159)."""
    return Fault("E159", "what is done is kept", "run the same command again to go on", str(output))


def _check_options(options: EngineOptions) -> None:
    none = ("workers", "shards_per_worker", "cores_per_worker", "gpus_per_worker")
    least = {"shard_segments": 1, "attempts": 1, **dict.fromkeys(none, 0)}
    refuse(
        Fault("E162", f"{name} is {getattr(options, name)}", f"give a number from {low}")
        for name, low in least.items()
        if getattr(options, name) < low
    )


def _begin(task: Task, directory: OutputDirectory, options: EngineOptions) -> int:
    """Compare the task with the one that began the output (E152), and return the size of its shards."""
    columns = hashlib.sha256(task.schema.serialize().to_pybytes()).hexdigest()
    mine = RunFile(task.signature, columns, options.shard_segments)
    found = directory.begin(mine)
    if found.task != mine.task:
        began, now = difference(found.task, mine.task)
        raise _other_run(directory, f"it was begun with {began}, and this is {now}")
    if found.columns != mine.columns:
        raise _other_run(directory, "its columns differ")
    return found.shard_segments


def _other_run(directory: OutputDirectory, how: str) -> EngineError:
    advice = "use the same settings and versions, begin again with --fresh, or name another directory"
    return EngineError(Fault("E152", f"the output directory is of another run ({how})", advice, str(directory.root)))


@dataclass
class _Run:
    """The state of one run: its jobs, counts, failures, and what to do with an outcome."""

    _task: Task
    _shards: Iterator[FullShard]
    _directory: OutputDirectory
    _options: EngineOptions
    _report: Report
    _place: Output
    lasting = False

    def __post_init__(self) -> None:
        self._start = time.perf_counter()
        self._documents = self._segments = self._rows = self._done = self._earlier = self._worked = self._lost = 0
        self._read = 0
        self._ended = False
        self._again: deque[Job] = deque()
        self._faults: list[Fault] = []
        # Of all documents: where shards are cut has no part in it.
        self._input = hashlib.blake2b(digest_size=16)

    def complete(self, executor: Executor) -> RunSummary:
        """Do all shards that are not done, and put the output together."""
        merged = self._compare() if self._directory.rows.is_file() else self._work(executor)
        self._directory.remove_shards()
        return RunSummary(
            self._directory.rows,
            merged.rows,
            merged.bytes,
            merged.checksum,
            self._documents,
            self._segments,
            self._done,
            self._input.hexdigest(),
            self._worked,
            self._lost,
            time.perf_counter() - self._start,
        )

    def _compare(self) -> Merged:
        """Compare the input with that of a complete output, whose footer has its hash (E153)."""
        path = self._directory.rows
        with disk_faults(path):
            made = described(path)
            said = cast("dict[bytes, bytes]", parquet().read_metadata(path).metadata or {})
        if said.get(b"endophora.task") != self._task.signature.encode():
            raise _other_run(self._directory, f"{ROWS} is of another task")
        self._rows = made.rows
        for full in self._next_shards():
            self._take_over(full.shard, 0)
        if said.get(b"endophora.input") != self._input.hexdigest().encode():
            changed(f"it has {self._documents} documents now, of {self._segments} segments")
        return made

    def _work(self, executor: Executor) -> Merged:
        # Each worker compares its own signature with this process's before it does anything.
        with closing(executor.work(Shipment(self._task), self)) as outcomes:
            for outcome in outcomes:
                self._settle(outcome)
        check_stopped()
        if self._faults:
            raise EngineError(self._faults)
        return self._merge()

    def take(self) -> Job | None:
        """Return the next job, or ``None`` if there is none now (E153); a shard that is done is none."""
        # The other shards are done though some fail: the user gets all faults at once, and loses no work.
        if len(self._faults) >= MOST_FAILURES:
            return None
        if self._again:
            return self._again.popleft()
        for full in self._next_shards():
            if (data := self._directory.find(full.shard)) is None:
                return Job(full.shard, full.payload())
            self._take_over(full.shard, count_rows(data))
        if not self._ended:
            self._ended = True
            self._directory.check_end(self._read)
        return None

    def _next_shards(self) -> Iterator[FullShard]:
        for full in self._shards:
            check_stopped()
            self._input.update(full.text)
            self._read += 1
            yield full

    def _take_over(self, shard: Shard, rows: int) -> None:
        self._earlier += shard.segments
        self._count(shard, rows)

    def _count(self, shard: Shard, rows: int) -> None:
        self._documents += shard.documents
        self._segments += shard.segments
        self._rows += rows
        self._done += 1
        self._show()

    def _show(self, *, merging: bool = False) -> None:
        seconds = time.perf_counter() - self._start
        self._report(Progress(self._documents, self._segments, self._done, self._rows, self._earlier, seconds, merging))

    def _settle(self, outcome: JobOutcome) -> None:
        check_stopped()
        job, result = outcome.job, outcome.result
        if isinstance(result, Failure):
            self._settle_failure(job, result)
        elif job is not None:
            self._directory.keep(job.shard, result)
            self._worked += 1
            self._count(job.shard, count_rows(result))

    def _settle_failure(self, job: Job | None, failure: Failure) -> None:
        if failure.cause is Cause.FAULT:
            raise failure.error()
        if job is None:
            raise EngineError(start_fault(failure))
        if failure.cause in ENDS:
            self._lost += 1
        if (more := again(job, failure, self._options.attempts)) is not None:
            self._again.append(more)
            return
        self._faults.append(_shard_fault(job, failure))

    def _merge(self) -> Merged:
        self._show(merging=True)
        metadata = {
            "endophora.version": __version__,
            "endophora.task": self._task.signature,
            "endophora.input": self._input.hexdigest(),
        }
        return merge(
            map(_unless_stopped, self._directory.read_shards()),
            self._task.schema,
            metadata,
            self._directory.rows,
            self._directory.work,
            lambda made: self._place.note(ROWS, made.bytes, made.checksum),
        )


def _unless_stopped(shard: bytes) -> bytes:
    check_stopped()
    return shard


def _shard_fault(job: Job, failure: Failure) -> Fault:
    shard = job.shard
    which = f"document “{shard.first}”" if shard.documents == 1 else f"documents “{shard.first}” to “{shard.last}”"
    where = f"shard {shard.number} ({which}, {shard.segments} segments)"
    if failure.cause in ENDS:
        cause = f"{where}: {job.attempt + job.moves} workers died over it; the last was {failure.message}"
        advice = "give more memory or fewer --workers, look for an oversized text, and run the same command again"
        return Fault("E157", cause, advice)
    advice = "report it with these documents, or leave them out; the other shards are kept"
    return Fault("E156", f"{where}: the task failed with {failure.message}", advice)
