"""SIGINT and SIGTERM: a command ends within two seconds, with exit status 130 or 143, and says what is kept.

Only a command takes the signals (:func:`watch_signals`); a program that calls the package keeps its own handlers. The
first signal raises :class:`Stopped` in the main thread, so that what is open is closed. A separate thread hears of
it at the same time, and ends the process if that takes too long: a library may compute for minutes before Python gets
to a handler, or swallow what was raised.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import contextmanager

# A command watches signals before it imports anything that takes time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator
    from types import FrameType

    from endophora.errors import Fault

GRACE = 1.45
"""Seconds for closing what is open; the rest of the two seconds is for a machine under load.

No write may need longer: files are replaced when the new one is whole, so that an unfinished one can be abandoned.
"""

LAUNCHED = ("TORCHELASTIC_RUN_ID", "ACCELERATE_DYNAMO_BACKEND")
"""Environment variables that ``torchrun`` and ``accelerate launch`` set for the processes they start."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """A signal asked the process to stop; no ``except Exception`` on the way keeps it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    def __init__(self) -> None:
        self.kept: list[Fault] = []
        """What to say is kept, innermost last."""
        self.deferred = 0
        self.begin()

    def begin(self) -> None:
        """Forget the signals of an earlier command."""
        self.number = 0
        """The signal that has come, or 0."""
        self.notice: Fault | None = None
        """What is kept, of the moment at which it came."""
        self.told = False
        """The user has been informed."""
        self.status: int | None = None
        """Exit status of a command that has come to its end, which a signal does not change any more."""


_state = _State()


def stop_requested() -> int:
    """Return the signal that has come, or 0."""
    return _state.number


def check_stopped() -> None:
    """Raise :class:`Stopped` if a signal has come, should something have swallowed it."""
    if _state.number:
        raise Stopped(_state.number)


@contextmanager
def keeping(kept: Fault) -> Generator[None, None, None]:
    """Say what is kept (``kept.cause``, after the signal's name) and how to go on if a signal comes in the block."""
    _state.kept.append(kept)
    try:
        yield
    finally:
        _state.kept.remove(kept)


@contextmanager
def deferring() -> Generator[None, None, None]:
    """Note a signal that comes in the block, which asks :func:`stop_requested` and ends by itself.

    It has :data:`GRACE` seconds for that, as anything else.
    """
    _state.deferred += 1
    try:
        yield
    finally:
        _state.deferred -= 1


_LOST = ("what it has not written yet is lost", "run the same command again")


def stop_notice(number: int) -> Fault:
    """Return what to tell of a signal that has ended a command."""
    from dataclasses import replace

    from endophora.errors import Fault

    kept = _state.notice or (_state.kept[-1] if _state.kept else None)
    kept = kept or Fault("E362", *_LOST)
    return replace(kept, cause=f"stopped by {signal.Signals(number).name}; {kept.cause}")


def tell_stop(number: int, show: Callable[[Fault], None]) -> None:
    """Show what is kept, unless the watching thread has done so."""
    if not _state.told:
        _state.told = True
        show(stop_notice(number))


def finished(status: int) -> None:
    """Note that a command has come to its end: a signal that comes now does not change its exit status."""
    _state.status = status


def watch_signals() -> Callable[[], None]:
    """Take SIGINT and SIGTERM, from the main thread, and return what gives them back to those who had them before."""
    _state.begin()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # A shell starts jobs in the background with SIGINT ignored: that stays.
    taken = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _handle) for number in taken}
    import threading

    over = threading.Event()
    threading.Thread(target=_watch, args=(reader, over), daemon=True, name="endophora-signals").start()

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(earlier)
        over.set()
        os.close(writer)
        _state.begin()

    return give_back


def stop_with_launcher() -> None:
    """Stop as by SIGTERM when the launcher of this process has died, which can no longer pass a signal on.

    Does nothing where no launcher (:data:`LAUNCHED`) has started it: a shell may end before its jobs.
    """
    if os.name != "posix" or not any(name in os.environ for name in LAUNCHED):
        return
    import threading

    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="endophora-launcher").start()


def _handle(number: int, frame: FrameType | None) -> None:
    """Note the signal, and stop where the process is; runs in the main thread.

    While a module is imported the process ends at once: C code that imports may not survive what is raised (torch ends
    with SIGABRT).
    """
    # A second signal changes nothing: what is open is being closed.
    if _state.number or _state.status is not None:
        return
    _state.number, _state.notice = number, _state.kept[-1] if _state.kept else None
    if _state.deferred:
        return
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    if frame is not None:
        _end(number)
    raise Stopped(number)


def _watch(reader: int, over: threading.Event) -> None:
    """End the process if a signal has come and it is still there after the grace."""
    number = _next_signal(reader)
    if number and not over.wait(GRACE):
        _end(number)
    os.close(reader)


def _next_signal(reader: int) -> int:
    """Return the next of our signals; 0 when there will be no more."""
    while data := os.read(reader, 1):
        if data[0] in SIGNALS:
            return data[0]
    return 0


def _end(number: int) -> None:
    if _state.status is not None:
        os._exit(_state.status)

    def show(fault: Fault | str) -> None:
        # Without the locks of the streams, which the main thread may hold.
        # A progress bar may have hidden the cursor.
        cursor = "\r\x1b[?25h" if sys.stderr and sys.stderr.isatty() else ""
        os.write(2, f"{cursor}{fault}\n".encode("utf-8", "backslashreplace"))

    try:
        tell_stop(number, show)
    except BaseException:  # what it needs is being imported
        show(f"[E362] – stopped by {signal.Signals(number).name}; {_LOST[0]} – {_LOST[1]}")
    finally:
        os._exit(128 + number)
