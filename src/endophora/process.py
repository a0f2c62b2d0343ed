"""How a process of ours runs, the command's own and those that it starts."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic

# A command begins here, and only those processes that it starts need these.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from typing import Self

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS")
"""Work is shared out to processes (``--workers``): threads in each would only wait for one another."""


def prepare_process() -> None:
    """Let numerical libraries use one thread unless the user says otherwise, and collect garbage seldom.

    To be called before such a library is imported. A run makes millions of small records that stay to its end; looking
    through them for cycles as often as Python does by default takes a fifth of the time.
    """
    for variable in _THREADS:
        os.environ.setdefault(variable, "1")
    gc.set_threshold(100_000, 50, 100)


PARTS: dict[str, float] = {}
"""Seconds that parts of the work have taken in this process, in the order in which they began."""
_INNER = [0.0]


@contextmanager
def part(name: str) -> Generator[None, None, None]:
    """Count the time of the block, or of a function, as one part of the work; parts within it are counted apart."""
    PARTS.setdefault(name, 0.0)
    began = monotonic()
    _INNER.append(0.0)
    try:
        yield
    finally:
        whole = monotonic() - began
        PARTS[name] += whole - _INNER.pop()
        _INNER[-1] += whole


@contextmanager
def uncollected() -> Generator[None, None, None]:
    """Open a block in which no cycles are looked for: for a job of bounded size, most of whose records stay to its end.

    Looking for them goes through every record once more, however seldom it is done.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def give_back_memory() -> None:
    """Give what a large part of the work has freed back to the system, where the C library has a call for it (glibc).

    It keeps small pieces for itself otherwise, and what comes after takes new ones on top of them.
    """
    with suppress(AttributeError, TypeError, OSError):  # another C library; Windows has no library without a name
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def without(library: str) -> Generator[None, None, None]:
    """Open a block in which a library that is not imported yet counts as missing; afterwards it is as before.

    For libraries that import others which they only might need.
    """
    known = library in sys.modules
    if not known:
        sys.modules[library] = None  # pyright: ignore[reportArgumentType] - so is a module marked that cannot be imported
    try:
        yield
    finally:
        if not known:
            del sys.modules[library]


class Closing(ABC):
    """What is closed at the end of a ``with`` block."""

    @abstractmethod
    def close(self) -> None:
        """Close it; it cannot be used any more."""

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()


def serve_parent(connection: Connection, payload: bytes) -> None:
    """Serve until the parent ends the connection or itself; the entry of the processes that the engine starts.

    The payload is what serves and its arguments after the connection, pickled by the parent.
    """
    import pickle
    import threading

    # The parent decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    serve, arguments = pickle.loads(payload)  # noqa: S301 - it comes from the process that started this one
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        serve(connection, *arguments)


def _end_with_parent() -> None:
    # A parent that was killed ends its workers too, at once: they would work for nobody, or wait for ever.
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


_BOUND = """
import os, signal, subprocess, sys, threading
def end():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end, daemon=True).start()
os._exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL) & 255)
"""


def run_bound(command: Sequence[str]) -> tuple[int, str]:
    """Run a program of others, and return its exit status and all that it wrote.

    It ends with this process, however this ends, and so does all that it starts.
    """
    # Its guard reads from a pipe whose other end is here: when this process is gone, it kills the group that it leads.
    guard = [sys.executable, "-I", "-c", _BOUND] if os.name == "posix" else []
    with subprocess.Popen(  # noqa: S603 - the caller answers for it
        [*guard, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            # communicate() would close the pipe at once.
            text = process.stdout.read() if process.stdout else b""
            return process.wait(), text.decode("utf-8", "replace")
        except BaseException:
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            raise
