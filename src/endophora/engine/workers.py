"""What executors have in common: jobs and outcomes, the worker that each of them runs, and workers that may die."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, Protocol, TypeVar

from endophora.engine.shards import EngineOptions, Loaded, Shard
from endophora.errors import EndophoraError, Fault, InputError, MissingModelError
from endophora.registry import Registry


class Cause(Enum):
    """Why there is no result."""

    FAULT = "fault"
    """The task says what is wrong: a coded error."""
    ERROR = "error"
    """The task raised something else: it would do so again."""
    LOST = "lost"
    """The worker died or ran out of memory: another may do the work."""
    GONE = "gone"
    """The worker's machine is gone: the documents have no part in it."""
    START = "start"
    """Workers cannot be started, or the task's ``load`` raised something that is no coded error."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result, in one line, and with ``FAULT`` the coded faults; can be sent between processes."""

    cause: Cause
    message: str = ""
    faults: tuple[Fault, ...] = ()
    missing: bool = False

    def error(self) -> EndophoraError:
        """Return the coded error that the task raised."""
        return (MissingModelError if self.missing else InputError)(self.faults)


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to be done; ``payload`` is its documents, kept until it is done, since a worker may die over it.

    ``attempt`` counts from 1 how many workers died over it; ``moves`` how often it was taken from a lost machine.
    """

    shard: Shard
    payload: bytes
    attempt: int = 1
    moves: int = 0


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What happened to a job: its rows, a Parquet file, or a failure; no job if a worker failed before it had one."""

    job: Job | None
    result: bytes | Failure


IDLE = JobOutcome(None, b"")
"""What is yielded where no job is left, but more may come: the workers stay."""

MOST_MOVES = 20
"""A job is taken to another machine so often, when machines are lost."""


def again(job: Job, failure: Failure, attempts: int) -> Job | None:
    """Return a job that is to be tried once more; a machine that was lost is no attempt."""
    if failure.cause is Cause.GONE and job.moves < MOST_MOVES:
        return replace(job, moves=job.moves + 1)
    if failure.cause is Cause.LOST and job.attempt < attempts:
        return replace(job, attempt=job.attempt + 1)
    return None


def start_fault(failure: Failure) -> Fault:
    """Return the fault of workers that cannot be started (E158)."""
    cause = f"the workers cannot be started ({failure.message})"
    advice = "see what they printed; fewer workers, where memory ran out; a script needs: if __name__ == '__main__'"
    return Fault("E158", cause, advice)


class Jobs(Protocol):
    """Where executors get their work."""

    @property
    def lasting(self) -> bool:
        """Whether more may come when no job is left: the executor yields :data:`IDLE`, and goes on when asked."""
        ...

    def take(self) -> Job | None:
        """Return a job, or ``None`` if there is none now; a lost one may come back later."""
        ...


class Executor(Protocol):
    """Runs jobs on workers."""

    def work(self, task: Loaded, jobs: Jobs) -> Generator[JobOutcome, None, None]:
        """Yield the outcome of each job, as they come; end when no job is left and none is being done.

        A worker gets its next job only after the outcome of its last was yielded and the caller came back: what
        the caller has not recorded yet is then at most one shard a worker. Closing the iterator ends all workers.
        """
        ...


class Worker:
    """Does shards, one after the other, with a task that it has loaded."""

    def __init__(self, task: Loaded) -> None:
        self._answer = task.load()

    def work(self, payload: bytes) -> bytes | Failure:
        """Return the result of a payload, or why there is none; never raises an :class:`Exception`."""
        try:
            return self._answer(payload)
        except Exception as error:
            return failure(error)


def load_worker(task: Loaded) -> Worker | Failure:
    """Return a worker, or why the task cannot be loaded; never raises an :class:`Exception`."""
    try:
        return Worker(task)
    except Exception as error:
        found = failure(error)
        return found if found.cause is Cause.FAULT else Failure(Cause.START, found.message)


def failure(error: Exception) -> Failure:
    """Return an exception as what can be sent from one process to another."""
    if isinstance(error, EndophoraError):
        return Failure(Cause.FAULT, str(error), error.faults, isinstance(error, MissingModelError))
    text = str(error).strip()
    message = f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__
    return Failure(Cause.LOST if isinstance(error, MemoryError) else Cause.ERROR, message)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


class SerialExecutor:
    """Does one shard after the other in this process."""

    def __init__(self, options: EngineOptions) -> None:
        del options

    def work(self, task: Loaded, jobs: Jobs) -> Generator[JobOutcome, None, None]:
        """Yield the outcome of each job."""
        worker = None
        while (job := jobs.take()) or jobs.lasting:
            if job is None:
                yield IDLE
                continue
            # Loaded when there is something to do: a run that is complete loads no model.
            if worker is None:
                worker = load_worker(task)
            if isinstance(worker, Failure):
                yield JobOutcome(None, worker)
                return
            yield JobOutcome(job, worker.work(job.payload))


@dataclass(slots=True, eq=False)
class WorkerHandle:
    """A worker: whether it has loaded the task, what it is doing, how many shards it has done."""

    ready: bool = False
    job: Job | None = None
    done: int = 0


M = TypeVar("M", bound=WorkerHandle)

Message = bytes | Failure | None
"""What a member says: the rows of a shard, why there are none, or ``None`` when it has loaded the task."""

ENDS = frozenset({Cause.LOST, Cause.GONE})
"""Causes of a member's end."""


class Workers(ABC, Generic[M]):
    """Workers of one kind: how they are started, spoken to and ended."""

    @abstractmethod
    def limit(self) -> int:
        """Return how many workers there may be now."""

    @abstractmethod
    def start(self, task: Loaded) -> M:
        """Start a worker; it will say whether it has loaded the task."""

    @abstractmethod
    def send(self, member: M, job: Job) -> None:
        """Send a worker its job; if it is dead, :meth:`listen` says so."""

    @abstractmethod
    def listen(self, members: Sequence[M]) -> list[tuple[M, Message]]:
        """Return what has been said, after a second at the latest."""

    @abstractmethod
    def end(self, members: Sequence[M]) -> None:
        """End workers at once; they write nothing, so that it can be done at any moment."""


def work_with(
    workers: Workers[M], task: Loaded, jobs: Jobs, options: EngineOptions
) -> Generator[JobOutcome, None, None]:
    """Yield the outcome of each job, in the order in which they end; workers are started when there is something to do.

    ``attempts`` is also how many workers in a row may die before one has loaded the task.
    """
    pool: list[M] = []
    backlog: deque[Job] = deque()
    failed_starts = 0
    try:
        while True:
            limit = workers.limit()
            busy = sum(member.job is not None for member in pool)
            # One job for each worker that has none, and one that is ready when the next worker is.
            while len(backlog) < max(1, limit - busy) and (job := jobs.take()):
                backlog.append(job)
            if not backlog and not busy:
                if not jobs.lasting:
                    return
                yield IDLE
                continue
            for _ in range(min(len(backlog) - (len(pool) - busy), limit - len(pool))):
                pool.append(workers.start(task))
            for member in pool:
                if backlog and member.ready and member.job is None:
                    member.job = backlog.popleft()
                    workers.send(member, member.job)
            for member, message in workers.listen(pool):
                outcome = _heard(member, message, pool)
                if member.done == options.shards_per_worker > 0:
                    pool.remove(member)
                    workers.end([member])
                born = member.ready or outcome is None
                failed_starts = 0 if born else failed_starts + 1
                if outcome is None or (outcome.job is None and born):
                    continue
                if outcome.job is not None:
                    yield outcome
                elif (failure := _start_failure(message, failed_starts, options.attempts)) is not None:
                    yield JobOutcome(None, failure)
    finally:
        workers.end(pool)


def _heard(member: M, message: Message, pool: list[M]) -> JobOutcome | None:
    if message is None:
        member.ready = True
        return None
    if isinstance(message, Failure) and (message.cause in ENDS or not member.ready):
        pool.remove(member)
    member.done += isinstance(message, bytes)
    job, member.job = member.job, None
    return JobOutcome(job, message)


def _start_failure(message: Message, failed_starts: int, attempts: int) -> Failure | None:
    # A coded error of the task's load is reported at once; a death before the task was loaded, when it comes again.
    if not isinstance(message, Failure):
        return None
    if message.cause not in ENDS:
        return message
    return Failure(Cause.START, message.message) if failed_starts >= attempts else None


EXECUTORS: Registry[Callable[[EngineOptions], Executor]] = Registry(
    "executor",
    {
        "serial": "endophora.engine.workers:SerialExecutor",
        "process": "endophora.engine.processes:ProcessExecutor",
        "ray": "endophora.engine.ray_actors:RayExecutor",
    },
)
"""Name → executor."""
