"""The executor that works in long-lived processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import cast

from endophora.engine.children import Child, end_children, speaking, start_child
from endophora.engine.pool import Crew, Member, Message, work_with
from endophora.engine.records import EngineOptions, Task
from endophora.engine.working import Cause, Failure, Job, Jobs, Outcome, cores, load_worker

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_POLL = 1.0


class ProcessExecutor:
    """Does shards in processes, one core each; a process that dies is replaced.

    Args:
        options: ``workers``, ``gpus``, ``attempts`` and ``shards_per_worker``.
    """

    def __init__(self, options: EngineOptions) -> None:
        self._workers = options.workers or len(options.gpus) or cores()
        self._gpus = options.gpus
        self._options = options

    def work(self, task: Task, jobs: Jobs) -> Generator[Outcome, None, None]:
        """Yield the outcome of each job, in the order in which they end."""
        return work_with(_Processes(self._workers, self._gpus), task, jobs, self._options)


@dataclass(slots=True, eq=False, kw_only=True)
class _Process(Member):
    child: Child
    gpu: int | None


class _Processes(Crew[_Process]):
    def __init__(self, workers: int, gpus: Sequence[int]) -> None:
        self._workers = workers
        # GPU → workers on it, so that one that is replaced is replaced where it was.
        self._gpus = dict.fromkeys(gpus, 0)

    def limit(self) -> int:
        """Return how many processes there may be."""
        return self._workers

    def start(self, task: Task) -> _Process:
        """Start a process that loads the task."""
        gpu = min(self._gpus, key=lambda number: self._gpus[number], default=None)
        if gpu is not None:
            self._gpus[gpu] += 1
        with _environment(gpu):
            return _Process(child=start_child(_serve, task), gpu=gpu)

    def send(self, member: _Process, job: Job) -> None:
        """Send a process its documents."""
        member.child.send(job.payload)

    def listen(self, members: Sequence[_Process]) -> list[tuple[_Process, Message]]:
        """Return what processes have sent, or that they have ended."""
        ready = set(speaking([member.child for member in members], _POLL))
        heard = [(member, _receive(member.child)) for member in members if member.child in ready]
        for member, _ in heard:
            if member.child.connection.closed and member.gpu is not None:
                self._gpus[member.gpu] -= 1
        return heard

    def end(self, members: Sequence[_Process]) -> None:
        """Kill processes."""
        for member in members:
            if member.gpu is not None:
                self._gpus[member.gpu] -= 1
        end_children([member.child for member in members])


@contextmanager
def _environment(gpu: int | None) -> Generator[None, None, None]:
    # A worker has one core: numerical libraries that started a thread for every core would fight over them.
    wanted = dict.fromkeys((name for name in _THREADS if name not in os.environ), "1")
    if gpu is not None:
        wanted["CUDA_VISIBLE_DEVICES"] = str(gpu)
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _receive(child: Child) -> Message:
    try:
        return cast("Message", child.connection.recv())
    except (EOFError, OSError):
        return Failure(Cause.LOST, child.ending())


def _serve(connection: Connection, task: Task) -> None:
    """Work until the parent ends the connection; runs in the worker."""
    worker = load_worker(task)
    if isinstance(worker, Failure):
        connection.send(worker)
        return
    connection.send(None)
    while True:
        connection.send(worker.work(connection.recv_bytes()))
