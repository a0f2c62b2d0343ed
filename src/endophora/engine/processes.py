"""Processes of this machine that work for this one, speak to it over a pipe, and end with it, however it ends.

They do shards (:class:`ProcessExecutor`), or one function over many items (:func:`map_ordered`).
"""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar, cast

from endophora.engine.shards import EngineOptions, Loaded
from endophora.engine.workers import (
    Cause,
    Failure,
    Job,
    JobOutcome,
    Jobs,
    Message,
    WorkerHandle,
    Workers,
    cores,
    failure,
    load_worker,
    work_with,
)
from endophora.errors import EndophoraError, EngineError, Fault
from endophora.process import prepare_process, serve_parent
from endophora.stopping import check_stopped, deferring
from endophora.store import StoreWarning, add_troubles, take_troubles

Item = TypeVar("Item")
Value = TypeVar("Value")

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_POLL = 1.0
_PATIENCE = 5.0
_WORDS_PER_WORKER = 60_000
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
    # A signal that another thread hears would be raised in the middle of it, and the process would find half a message.
    with deferring(), _held_back():
        process.start()
    there.close()
    check_stopped()
    return Child(process, here)


def speaking(children: Sequence[Child], seconds: float | None = None) -> list[Child]:
    """Return the children that have sent something or have ended, after so many seconds at most."""
    heard: set[Any] = set(wait([child.connection for child in children], seconds))
    return [child for child in children if child.connection in heard]


def end_children(children: Sequence[Child]) -> None:
    """Kill processes, even if they are busy."""
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

    def work(self, task: Loaded, jobs: Jobs) -> Generator[JobOutcome, None, None]:
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

    def start(self, task: Loaded) -> _Process:
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
        # Of those that this process may use.
        seen = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        wanted["CUDA_VISIBLE_DEVICES"] = seen[gpu] if gpu < len(seen) and seen[gpu] else str(gpu)
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


def _serve(connection: Connection, task: Loaded) -> None:
    """Work until the parent ends the connection; runs in the worker."""
    worker = load_worker(task)
    if isinstance(worker, Failure):
        connection.send(worker)
        return
    connection.send(None)
    while True:
        connection.send(worker.work(connection.recv_bytes()))


def map_ordered(
    make: Callable[[], Callable[[Item], Value]], items: Sequence[Item], workers: int = 1
) -> Iterator[Value]:
    """Yield ``make()(item)`` for each item, in order, or raise what it raised at the place of its item.

    ``make`` is called once in each process that works. With several workers it must be picklable (a module's function
    or a partial of one), and so must items and outcomes; a process that dies is E361.
    """
    if workers <= 1 or len(items) <= 1:
        function = make()
        for item in items:
            yield function(item)
        return
    yield from _map_in_children(make, items, min(workers, len(items)))


def run_elsewhere(function: Callable[[Item], Value], item: Item) -> Value:
    """Return ``function(item)``, computed in another process (E361): what it loads takes no memory here."""
    return next(_map_in_children(partial(_same, function), [item], 1))


def _same(function: Callable[[Item], Value]) -> Callable[[Item], Value]:
    return function


def _map_in_children(
    make: Callable[[], Callable[[Item], Value]], items: Sequence[Item], workers: int
) -> Iterator[Value]:
    children: list[Child] = []
    waiting = iter(enumerate(items))
    at: dict[Child, int] = {}
    heard: dict[int, _Answer] = {}

    def hand_out(child: Child) -> None:
        # Only when it waits for one: two that send at once would wait for each other.
        if not child.connection.closed and (following := next(waiting, None)) is not None:
            at[child] = following[0]
            child.send(bytes(ForkingPickler.dumps(following[1])))

    try:
        for _ in range(workers):
            children.append(start_child(_serve_items, make))
            hand_out(children[-1])
        for number in range(len(items)):
            while number not in heard:
                for child in speaking(list(at)):
                    heard[at.pop(child)] = _receive_answer(child)
                    hand_out(child)
            answer = heard.pop(number)
            add_troubles(answer.troubles)
            yield cast("Value", answer.outcome())
    finally:
        end_children(children)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of an item; can be sent from one process to another."""

    value: object = None
    error: Exception | None = None
    failure: Failure | None = None
    troubles: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])

    def outcome(self) -> object:
        """Return the value, or raise the error."""
        if self.failure is not None:
            raise self.failure.error()
        if self.error is not None:
            raise self.error
        return self.value


def _receive_answer(child: Child) -> _Answer:
    try:
        return cast("_Answer", child.connection.recv())
    except (EOFError, OSError):
        cause = f"a process that did part of the work was lost ({child.ending()})"
        advice = "give more memory or fewer --workers, and run the same command again"
        return _Answer(error=EngineError(Fault("E361", cause, advice)))
    except Exception as error:
        # An exception that can be pickled and not be made from it again.
        return _Answer(error=error)


def _serve_items(connection: Connection, make: Callable[[], Callable[[Any], Any]]) -> None:
    """Work until the parent ends the connection; runs in the child."""
    prepare_process()
    # The process that asked reports what went wrong with the store.
    warnings.simplefilter("ignore", StoreWarning)
    function: Callable[[Any], Any] | None = None
    while True:
        item = connection.recv()
        try:
            # One long-lived function a process, so that models are loaded once.
            function = function or make()
            answer = ForkingPickler.dumps(_Answer(function(item), troubles=take_troubles()))
        except Exception as error:
            answer = _pickled(error)
        connection.send_bytes(answer)


def _pickled(error: Exception) -> bytes:
    # Coded errors are sent as what they say, since an exception's own state is lost on the way.
    if isinstance(error, EndophoraError):
        return bytes(ForkingPickler.dumps(_Answer(failure=failure(error))))
    trace = "".join(traceback.format_exception(error))
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        error.add_note(trace)
        return bytes(ForkingPickler.dumps(_Answer(error=error)))
    except Exception:
        found = RuntimeError(f"{type(error).__name__}: {error}")
        found.add_note(trace)
        return bytes(ForkingPickler.dumps(_Answer(error=found)))


def useful_workers(words: int) -> int:
    """Return how many processes are worth starting for so many words: a process takes seconds to load its models."""
    return max(1, min(cores(), words // _WORDS_PER_WORKER))
