"""Work on long-lived workers that may die: one loop, whether they are processes or actors on other machines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from endophora.engine.records import EngineOptions, Task
from endophora.engine.working import Cause, Done, Failure, Job, Jobs, Outcome


@dataclass(slots=True, eq=False)
class Member:
    """A worker of a crew.

    Attributes:
        ready: it has loaded the task.
        job: what it is doing.
        done: shards that it has done.
    """

    ready: bool = False
    job: Job | None = None
    done: int = 0


M = TypeVar("M", bound=Member)

Message = Done | Failure | None
"""What a member says: ``None`` when it has loaded the task."""

ENDS = frozenset({Cause.LOST, Cause.GONE})
"""Causes of a member's end."""


class Crew(ABC, Generic[M]):
    """Workers of one kind: how they are started, spoken to and ended."""

    @abstractmethod
    def limit(self) -> int:
        """Return how many workers there may be now."""

    @abstractmethod
    def start(self, task: Task) -> M:
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


def work_with(crew: Crew[M], task: Task, jobs: Jobs, options: EngineOptions) -> Generator[Outcome, None, None]:
    """Yield the outcome of each job, in the order in which they end.

    Args:
        crew: who works; started when there is something to do.
        task: loaded by each worker.
        jobs: the work.
        options: ``attempts`` is also how many workers in a row may die before one has loaded the task;
            ``shards_per_worker``.
    """
    pool: list[M] = []
    backlog: deque[Job] = deque()
    stillborn = 0
    try:
        while True:
            limit = crew.limit()
            busy = sum(member.job is not None for member in pool)
            # One job for each worker that has none, and one that is ready when the next worker is.
            while len(backlog) < max(1, limit - busy) and (job := jobs.take()):
                backlog.append(job)
            if not backlog and not busy:
                return
            for _ in range(min(len(backlog) - (len(pool) - busy), limit - len(pool))):
                pool.append(crew.start(task))
            _hand_out(crew, pool, backlog)
            for member, message in crew.listen(pool):
                outcome = _heard(member, message, pool)
                if member.done == options.shards_per_worker > 0:
                    pool.remove(member)
                    crew.end([member])
                born = member.ready or outcome is None
                stillborn = 0 if born else stillborn + 1
                if outcome is None or (outcome.job is None and born):
                    continue
                if outcome.job is not None:
                    yield outcome
                elif (failure := _start_failure(message, stillborn, options.attempts)) is not None:
                    yield Outcome(None, failure)
    finally:
        crew.end(pool)


def _hand_out(crew: Crew[M], pool: Sequence[M], backlog: deque[Job]) -> None:
    for member in pool:
        if backlog and member.ready and member.job is None:
            member.job = backlog.popleft()
            crew.send(member, member.job)


def _heard(member: M, message: Message, pool: list[M]) -> Outcome | None:
    if message is None:
        member.ready = True
        return None
    if isinstance(message, Failure) and (message.cause in ENDS or not member.ready):
        pool.remove(member)
    member.done += isinstance(message, Done)
    job, member.job = member.job, None
    return Outcome(job, message)


def _start_failure(message: Message, stillborn: int, attempts: int) -> Failure | None:
    # A coded error of the task's load is told at once; a death before the task was loaded, when it comes again.
    if not isinstance(message, Failure):
        return None
    if message.cause not in ENDS:
        return message
    return Failure(Cause.START, message.message) if stillborn >= attempts else None
