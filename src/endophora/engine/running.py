"""Runs a task over documents: resumes, records each shard, puts the output together."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

from endophora.corpus.records import Document
from endophora.engine.directory import ROWS, WORK, OutputDirectory, holds, is_whole
from endophora.engine.durable import write_durably
from endophora.engine.feed import Feed
from endophora.engine.lock import DirectoryLock
from endophora.engine.manifest import DONE, FAILED, Finished, Manifest, ShardRecord
from endophora.engine.merge import merge
from endophora.engine.outputs import Output
from endophora.engine.pool import ENDS
from endophora.engine.records import EngineError, EngineOptions, Progress, RunSummary, Task
from endophora.engine.shipping import Shipment, difference
from endophora.engine.tables import arrow
from endophora.engine.working import EXECUTORS, Cause, Done, Executor, Failure, Job, Outcome
from endophora.errors import Fault, InputError
from endophora.stopping import check_stopped, keeping

MOST_FAILURES = 20
"""A run gives up after so many shards have failed: the fault is then not in the documents."""

MOST_MOVES = 20
"""A shard is taken to another machine so often, when machines are lost."""

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

    What an earlier run with the same task and documents has done in the directory is taken over. The documents are
    read once, as a stream. The bytes of the output depend on the rows, the schema, the task's signature and the
    version of pyarrow alone: not on executor, workers, size of shards, or interruptions.

    Args:
        task: what to do; picklable, unless the executor is ``serial``.
        documents: returns the documents, in order.
        output: the directory, made if absent.
        options: how to do it.
        report: told of progress, after each shard.
        after: called when the rows are complete; no other run can begin in the directory before it is done.

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
        directory.remove_unfinished()
        with Manifest(directory.manifest) as manifest:
            size = _agree(manifest, task, directory, chosen)
            running = _Run(task, directory, manifest, chosen, report or _silent, place)
            summary = running.complete(documents(), size, executor)
        if after is not None:
            after(summary)
        return summary


def kept_in(output: Path) -> Fault:
    """Return what is kept when a signal stops a run (E159)."""
    return Fault("E159", "what is done is kept", "run the same command again to go on", str(output))


def _silent(progress: Progress) -> None:
    del progress


def _check_options(options: EngineOptions) -> None:
    least = {
        "workers": 0,
        "shard_segments": 1,
        "attempts": 1,
        "shards_per_worker": 0,
        "cores_per_worker": 0,
        "gpus_per_worker": 0,
    }
    faults = [
        Fault("E162", f"{name} is {getattr(options, name)}", f"give a number from {low}")
        for name, low in least.items()
        if getattr(options, name) < low
    ]
    if faults:
        raise InputError(faults)


def _agree(manifest: Manifest, task: Task, directory: OutputDirectory, options: EngineOptions) -> int:
    """Compare the task with the one that began the output, and return the size of its shards."""
    columns = hashlib.sha256(task.schema.serialize().to_pybytes()).hexdigest()
    for key, mine in (("task", task.signature), ("columns", columns)):
        theirs = manifest.setting(key, mine)
        if theirs != mine:
            began, now = difference(theirs, mine)
            what = f"it was begun with {began}, and this is {now}" if key == "task" else "its columns differ"
            advice = "use the same settings and versions, begin anew with --fresh, or name another directory"
            raise EngineError(
                Fault("E152", f"the output directory is of another run ({what})", advice, str(directory.root))
            )
    finished = manifest.finished
    if finished and not is_whole(directory.rows, finished.bytes, finished.checksum):
        manifest.reopen()
    return int(manifest.setting("shard_segments", str(options.shard_segments)))


class _Run:
    """The state of one run: counts, failures, and what to do with an outcome."""

    def __init__(
        self,
        task: Task,
        directory: OutputDirectory,
        manifest: Manifest,
        options: EngineOptions,
        report: Report,
        place: Output,
    ) -> None:
        self._task = task
        self._directory = directory
        self._manifest = manifest
        self._options = options
        self._report = report
        self._place = place
        self._start = time.perf_counter()
        self._documents = self._segments = self._rows = self._earlier = self._worked = self._lost = 0
        self._faults: list[Fault] = []
        self.shards = 0

    def complete(self, documents: Iterator[Document], size: int, executor: Executor) -> RunSummary:
        """Do all shards that are not done, and put the output together."""
        feed = Feed(documents, size, self._manifest, self._is_there, self._take_over, check_stopped)
        # Each worker compares its own signature with this process's before it does anything.
        with closing(executor.work(Shipment(self._task), feed)) as outcomes:
            for outcome in outcomes:
                self._settle(outcome, feed)
        check_stopped()
        if self._faults:
            raise EngineError(self._faults)
        finished = self._manifest.finished or self._finish(feed.input_hash)
        self._directory.remove_shards()
        return RunSummary(
            self._directory.rows,
            finished.rows,
            finished.bytes,
            finished.checksum,
            self._documents,
            self._segments,
            self.shards,
            finished.input_hash,
            self._worked,
            self._lost,
            time.perf_counter() - self._start,
        )

    def _is_there(self, record: ShardRecord) -> bool:
        return holds(self._directory, record)

    def _take_over(self, record: ShardRecord) -> None:
        self._earlier += record.segments
        self._count(record)

    def _count(self, record: ShardRecord) -> None:
        self._documents += record.documents
        self._segments += record.segments
        self._rows += record.rows
        self.shards += 1
        self._tell()

    def _tell(self, *, merging: bool = False) -> None:
        seconds = time.perf_counter() - self._start
        self._report(
            Progress(self._documents, self._segments, self.shards, self._rows, self._earlier, seconds, merging)
        )

    def _settle(self, outcome: Outcome, feed: Feed) -> None:
        check_stopped()
        job, result = outcome.job, outcome.result
        if isinstance(result, Failure):
            self._settle_failure(job, result, feed)
        elif job is not None:
            self._keep(job, result)

    def _keep(self, job: Job, done: Done) -> None:
        # First the rows, then the row in the manifest: what the manifest names is there.
        number = job.shard.number
        self._directory.make_folder(number)
        write_durably(self._directory.shard(number), done.data)
        checksum = hashlib.sha256(done.data).hexdigest()
        record = _record(job, DONE, rows=done.rows, size=len(done.data), checksum=checksum, seconds=done.seconds)
        self._manifest.record(record)
        self._worked += 1
        self._count(record)

    def _settle_failure(self, job: Job | None, failure: Failure, feed: Feed) -> None:
        if failure.cause is Cause.FAULT:
            raise failure.error()
        if job is None:
            cause = f"the workers cannot be started ({failure.message})"
            advice = "see what they printed; a script that calls run() needs: if __name__ == '__main__'"
            raise EngineError(Fault("E158", cause, advice))
        if failure.cause in ENDS:
            self._lost += 1
            gone = failure.cause is Cause.GONE
            if job.moves < MOST_MOVES if gone else job.attempt < self._options.attempts:
                feed.give_back(job, moved=gone)
                return
        self._manifest.record(_record(job, FAILED, message=failure.message))
        self._faults.append(_shard_fault(job, failure))
        # The other shards are done all the same: the user gets all faults at once, and loses no work.
        feed.closed = len(self._faults) >= MOST_FAILURES

    def _finish(self, input_hash: str) -> Finished:
        self._tell(merging=True)
        version = str(import_module("endophora.version").__version__)
        metadata = {
            "endophora.version": version,
            "endophora.task": self._task.signature,
            "endophora.input": input_hash,
        }
        directory = self._directory
        merged = merge(
            self._shard_files(),
            self._task.schema,
            metadata,
            directory.rows,
            directory.work,
            lambda made: self._place.note(ROWS, made.bytes, made.checksum),
        )
        finished = Finished(merged.rows, merged.bytes, merged.checksum, input_hash)
        self._manifest.finish(finished)
        return finished

    def _shard_files(self) -> Iterator[tuple[Path, ShardRecord]]:
        for record in self._manifest.shards():
            check_stopped()
            yield self._directory.shard(record.number), record


def _record(
    job: Job,
    state: str,
    *,
    rows: int = 0,
    size: int = 0,
    checksum: str = "",
    seconds: float = 0.0,
    message: str = "",
) -> ShardRecord:
    shard = job.shard
    return ShardRecord(
        shard.number,
        shard.input_hash,
        shard.first,
        shard.last,
        shard.documents,
        shard.segments,
        state,
        rows,
        size,
        checksum,
        job.attempt,
        seconds,
        message,
    )


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
