"""SIGINT and SIGTERM, while a run is at work."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Stopped(BaseException):
    """A signal asked the run to stop; no ``except Exception`` on the way keeps it.

    Args:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class StopRequest:
    """Whether a signal has come.

    Attributes:
        number: the signal, or 0.
    """

    def __init__(self) -> None:
        self.number = 0

    def check(self) -> None:
        """Raise :class:`Stopped` if a signal has come."""
        if self.number:
            raise Stopped(self.number)


@contextmanager
def stopping() -> Generator[StopRequest, None, None]:
    """While the block runs, SIGINT and SIGTERM raise :class:`Stopped` in it, once; the handlers are put back after.

    Elsewhere than in the main thread Python takes no handlers: the block then runs as it is.
    """
    request = StopRequest()

    def handle(number: int, frame: FrameType | None) -> None:
        """Note the signal, and stop where the process is."""
        del frame
        # Raised where the process is, so that a long computation stops; noted, should something there swallow it.
        # A second signal changes nothing: what is left to do is to end the workers.
        if not request.number:
            request.number = number
            raise Stopped(number)

    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
