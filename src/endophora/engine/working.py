"""What executors have in common: jobs, outcomes, and the worker that every one of them runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from endophora.engine.records import EngineOptions, Task
from endophora.engine.shards import Shard, read_payload
from endophora.engine.tables import rows_to_parquet
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
    """Why there is no result; it can be sent from one process to another.

    Attributes:
        cause: the kind of failure.
        message: what happened, in one line.
        faults: with ``FAULT``, the coded faults.
        missing: with ``FAULT``, whether it was a :class:`MissingModelError`.
    """

    cause: Cause
    message: str = ""
    faults: tuple[Fault, ...] = ()
    missing: bool = False

    def error(self) -> EndophoraError:
        """Return the coded error that the task raised."""
        return (MissingModelError if self.missing else InputError)(self.faults)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a shard.

    Attributes:
        data: its rows, a Parquet file.
        rows: how many.
        seconds: how long the worker took.
    """

    data: bytes
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to be done.

    Attributes:
        shard: the shard.
        payload: its documents, compressed; kept until it is done, since a worker may die over it.
        attempt: from 1; more if workers died over it.
        moves: how often it was taken from a machine that was lost.
    """

    shard: Shard
    payload: bytes
    attempt: int = 1
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has become of a job.

    Attributes:
        job: the job; ``None`` if a worker failed before it had one.
        result: what came of it.
    """

    job: Job | None
    result: Done | Failure


class Jobs(Protocol):
    """Where executors get their work."""

    def take(self) -> Job | None:
        """Return a job, or ``None`` if there is none now; a lost one may come back later."""
        ...


class Executor(Protocol):
    """Runs jobs on workers."""

    def work(self, task: Task, jobs: Jobs) -> Generator[Outcome, None, None]:
        """Yield the outcome of each job, as they come; end when no job is left and none is being done.

        A worker gets its next job only after the outcome of its last was yielded and the caller came back: what
        the caller has not recorded yet is then at most one shard a worker. Closing the iterator ends all workers.
        """
        ...


class Worker:
    """Does shards, one after the other, with a task that it has loaded.

    Args:
        task: loaded at once.
    """

    def __init__(self, task: Task) -> None:
        self._function = task.load()
        self._schema = task.schema

    def work(self, payload: bytes) -> Done | Failure:
        """Return the rows of a shard's payload, or why there are none; never raises an :class:`Exception`."""
        start = time.perf_counter()
        try:
            data, rows = rows_to_parquet(self._function(read_payload(payload)), self._schema)
        except Exception as error:
            return failure(error)
        return Done(data, rows, time.perf_counter() - start)


def load_worker(task: Task) -> Worker | Failure:
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


EXECUTORS: Registry[Callable[[EngineOptions], Executor]] = Registry(
    "executor",
    {
        "serial": "endophora.engine.serial:SerialExecutor",
        "process": "endophora.engine.processes:ProcessExecutor",
        "ray": "endophora.engine.ray_actors:RayExecutor",
    },
)
"""Name → executor."""
