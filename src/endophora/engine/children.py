"""Processes of this machine that work for this one, speak to it over a pipe, and end with it, however it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from endophora.process import serve_parent

_PATIENCE = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True, eq=False)
class Child:
    """A process that was started.

    Attributes:
        process: the process.
        connection: our end of the pipe; to be read when it is ready (:func:`speaking`).
    """

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
    """Start a process.

    Args:
        serve: a module's function; called there with the other end of the pipe and the arguments. The process ends when
            it returns, when :func:`end_children` ends it, or when this process ends.
        arguments: picklable.
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
    """Return the children whose pipe can be read, since they have sent something or have ended.

    Args:
        children: to listen to.
        seconds: how long to wait; ``None`` waits until there is one.
    """
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
