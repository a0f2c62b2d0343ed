"""The executor that works in long-lived processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import cast

from endophora.engine.pool import Crew, Member, Message, work_with
from endophora.engine.records import EngineOptions, Task
from endophora.engine.working import Cause, Failure, Job, Jobs, Outcome, cores, load_worker

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_POLL = 1.0
_PATIENCE = 5.0


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
    process: SpawnProcess
    connection: Connection
    gpu: int | None


class _Processes(Crew[_Process]):
    def __init__(self, workers: int, gpus: Sequence[int]) -> None:
        self._workers = workers
        # GPU → workers on it, so that one that is replaced is replaced where it was.
        self._gpus = dict.fromkeys(gpus, 0)
        # "spawn" is the one start method that is safe with threads; it also leaves the lock's file to the parent.
        self._context = get_context("spawn")

    def limit(self) -> int:
        """Return how many processes there may be."""
        return self._workers

    def start(self, task: Task) -> _Process:
        """Start a process that loads the task."""
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there, task), daemon=True)
        gpu = min(self._gpus, key=lambda number: self._gpus[number], default=None)
        if gpu is not None:
            self._gpus[gpu] += 1
        with _environment(gpu):
            process.start()
        there.close()
        return _Process(process=process, connection=here, gpu=gpu)

    def send(self, member: _Process, job: Job) -> None:
        """Send a process its documents."""
        with suppress(BrokenPipeError, ConnectionResetError):
            member.connection.send_bytes(job.payload)

    def listen(self, members: Sequence[_Process]) -> list[tuple[_Process, Message]]:
        """Return what processes have sent, or that they have ended."""
        # The connection of a process that has ended can be read, too: it gives EOFError.
        speaking = set(wait([member.connection for member in members], _POLL))
        heard = [(member, _receive(member)) for member in members if member.connection in speaking]
        for member, _ in heard:
            if member.connection.closed and member.gpu is not None:
                self._gpus[member.gpu] -= 1
        return heard

    def end(self, members: Sequence[_Process]) -> None:
        """Kill processes."""
        for member in members:
            member.process.kill()
            if member.gpu is not None:
                self._gpus[member.gpu] -= 1
        for member in members:
            member.process.join(_PATIENCE)
            member.connection.close()


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


def _receive(member: _Process) -> Message:
    try:
        return cast("Message", member.connection.recv())
    except (EOFError, OSError):
        return Failure(Cause.LOST, _ending(member))


def _ending(member: _Process) -> str:
    member.connection.close()
    member.process.join(_PATIENCE)
    code = member.process.exitcode
    if code is None:
        member.process.kill()
        return "cut off from this process"
    if code >= 0:
        return f"ended with exit status {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"killed by {name}" + (", as when memory runs out" if code == -signal.SIGKILL else "")


def _serve(connection: Connection, task: Task) -> None:
    """Work until the parent ends the connection; runs in the worker."""
    # Ctrl-C reaches the whole group of processes: the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    worker = load_worker(task)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        if isinstance(worker, Failure):
            connection.send(worker)
            return
        connection.send(None)
        while True:
            connection.send(worker.work(connection.recv_bytes()))


def _end_with_parent() -> None:
    # A parent that was killed ends its workers too, at once: they would do a shard for nobody.
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
