"""The executor that works in the process itself."""

from __future__ import annotations

from collections.abc import Generator

from endophora.engine.records import EngineOptions, Task
from endophora.engine.working import Failure, Jobs, Outcome, load_worker


class SerialExecutor:
    """Does one shard after the other in this process.

    Args:
        options: none of them matters here.
    """

    def __init__(self, options: EngineOptions) -> None:
        del options

    def work(self, task: Task, jobs: Jobs) -> Generator[Outcome, None, None]:
        """Yield the outcome of each job."""
        worker = None
        while job := jobs.take():
            # Loaded when there is something to do: a run that is complete loads no model.
            if worker is None:
                worker = load_worker(task)
            if isinstance(worker, Failure):
                yield Outcome(None, worker)
                return
            yield Outcome(job, worker.work(job.payload))
