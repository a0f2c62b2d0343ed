"""Processes of this machine that work for this one, speak to it over a pipe, and end with it, however it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, cast

from endophora.engine.records import EngineOptions, Task
from endophora.engine.workers import (
    Cause,
    Failure,
    Job,
    Jobs,
    Message,
    Outcome,
    WorkerHandle,
    Workers,
    cores,
    load_worker,
    work_with,
)
from endophora.process import serve_parent

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_POLL = 1.0
_PATIENCE = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True, eq=False)
class Child:
    """A process that was started, and our end of the pipe, to be read when it is ready (:func:`speaking`)."""

    process: SpawnProcess
    connection: Connection

    def send(self, data: bytes) -> None:
        """Send bytes; if the process is dead, the next reading says so."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send_bytes(data)

    def ending(self) -> str:
        """Say how a process has ended whose pipe gave no more, and close the pipe."""
        self.connection.close()
        self.process.join(_PATIENCE)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            return "cut off from this process"
        if code >= 0:
            return f"ended with exit status {code}"
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"killed by {name}" + (", as when memory runs out" if code == -signal.SIGKILL else "")


def start_child(serve: Callable[..., None], *arguments: object) -> Child:
    """Start a process that calls a module's function with the other end of a pipe, and picklable arguments.

    It ends when the function returns, when :func:`end_children` ends it, or when this process ends.
    """
    # "spawn" is the one start method that is safe with threads; it also leaves locked files to the parent.
    context = get_context("spawn")
    here, there = context.Pipe()
    # What serves is loaded there only when the process watches this one: its imports may take seconds.
    payload = bytes(ForkingPickler.dumps((serve, arguments)))
    process = context.Process(target=serve_parent, args=(there, payload), daemon=True)
    # It would unblock the signals itself, were it started with the first process.
    resource_tracker.ensure_running()
    with _held_back():
        process.start()
    there.close()
    return Child(process, here)


def speaking(children: Sequence[Child], seconds: float | None = None) -> list[Child]:
    """Return the children that have sent something or have ended, after so many seconds at most."""
    heard: set[Any] = set(wait([child.connection for child in children], seconds))
    return [child for child in children if child.connection in heard]


def end_children(children: Sequence[Child]) -> None:
    """Kill processes, whatever they are doing."""
    for child in children:
        child.process.kill()
    for child in children:
        child.process.join(_PATIENCE)
        child.connection.close()


@contextmanager
def _held_back() -> Generator[None, None, None]:
    # A process inherits what is blocked. Ctrl-C reaches the whole group of processes, and one that is still importing
    # would print a traceback: it lets signals through when it has said what they mean there.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class ProcessExecutor:
    """Does shards in processes, one core each; a process that dies is replaced."""

    def __init__(self, options: EngineOptions) -> None:
        self._workers = options.workers or len(options.gpus) or cores()
        self._gpus = options.gpus
        self._options = options

    def work(self, task: Task, jobs: Jobs) -> Generator[Outcome, None, None]:
        """Yield the outcome of each job, in the order in which they end."""
        return work_with(_Processes(self._workers, self._gpus), task, jobs, self._options)


@dataclass(slots=True, eq=False, kw_only=True)
class _Process(WorkerHandle):
    child: Child
    gpu: int | None


class _Processes(Workers[_Process]):
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
