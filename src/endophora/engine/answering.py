"""Workers that stay: they load something once, and answer payloads as long as they are asked.

Where :mod:`endophora.engine.resumable_run` keeps shards itself, here the caller keeps each answer as it comes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence

from endophora.engine.shards import Answerer, EngineOptions, Shard
from endophora.engine.shipping import Shipment
from endophora.engine.workers import ENDS, EXECUTORS, Failure, Job, JobOutcome, again, start_fault
from endophora.errors import EngineError, Fault
from endophora.process import Closing
from endophora.stopping import check_stopped


class Answering(Closing):
    """Workers of an executor that have loaded one thing, and answer payloads; started when there is one."""

    lasting = True

    def __init__(self, task: Answerer, options: EngineOptions) -> None:
        self._task, self._options = task, options
        self._waiting: deque[Job] = deque()
        self._under_way = False
        self._outcomes: Generator[JobOutcome, None, None] | None = None

    def take(self) -> Job | None:
        """Return the next payload, or ``None`` while there is none."""
        return self._waiting.popleft() if self._waiting else None

    def each(self, payloads: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the answer of each payload, as they come (E357, E158, E156, E157).

        A payload over which workers die, or that raises what has no code, is named at the end, when the others are
        answered.
        """
        if self._under_way:
            self.close()  # a call that was given up: its answers are no answers to this one
        self._under_way = True
        self._waiting.extend(Job(Shard(number, "", "", 0, 0, ""), data) for number, data in enumerate(payloads))
        faults: list[Fault] = []
        left = len(payloads)
        while left:
            job, result = self._next()
            if isinstance(result, bytes):
                if job is not None:
                    left -= 1
                    yield job.shard.number, result
            elif (more := self._failed(job, result)) is None:
                left -= 1
                faults.append(_fault(job, result))
            else:
                self._waiting.append(more)
        self._under_way = False
        if faults:
            raise EngineError(faults)

    def _next(self) -> tuple[Job | None, bytes | Failure]:
        check_stopped()
        if self._outcomes is None:
            self._outcomes = EXECUTORS.get(self._options.executor)(self._options).work(Shipment(self._task), self)
        outcome = next(self._outcomes, None)
        if outcome is None:
            # An executor that does not wait for more: it is started again for what is left.
            self._outcomes = None
            return None, b""
        return outcome.job, outcome.result

    def _failed(self, job: Job | None, failure: Failure) -> Job | None:
        if failure.faults:
            raise failure.error()
        if job is None:
            raise EngineError(start_fault(failure))
        return again(job, failure, self._options.attempts)

    def close(self) -> None:
        """End the workers, and forget what was asked."""
        self._waiting.clear()
        self._under_way = False
        if self._outcomes is not None:
            self._outcomes.close()
            self._outcomes = None


def _fault(job: Job | None, failure: Failure) -> Fault:
    where = f"batch {job.shard.number + 1 if job else 0}"
    if failure.cause in ENDS:
        advice = "give more memory, a smaller --batch-tokens or fewer workers, and run the same command again"
        return Fault("E157", f"{where}: workers died over it; the last was {failure.message}", advice)
    return Fault("E156", f"{where}: it failed with {failure.message}", "report it; the other batches are kept")
