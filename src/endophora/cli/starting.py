"""How a command begins and ends: signals, streams, exit status, and what nobody foresaw.

Nothing heavy is imported before signals are watched.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress

from endophora.stopping import SIGNALS, Stopped, finished, stop_requested, tell_stop, watch_signals

# Importing typing takes as long as all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence
    from typing import NoReturn

    from _typeshed import ReadableBuffer

_CRASHED = 70
"""Exit status of a command that ended for a reason that nobody foresaw, as in ``sysexits.h``."""


class CommandError(Exception):
    """Has as its cause what a command raised and the library that reads command lines would take for something else."""


def main() -> NoReturn:
    """Run the command line and end the process.

    The exit status is 0 done, 1 a check failed, 2 bad usage or input, 3 a model is missing, 4 a condition of
    ``--fail-if`` is met, 70 a failure that nobody
    foresaw, 130 and 143 a signal.
    """
    failed: list[BaseException] = []

    def in_thread(arguments: threading.ExceptHookArgs) -> None:
        """Report what a thread raised; whether the result is right, nobody knows then."""
        if isinstance(arguments.exc_value, Exception):
            failed.append(arguments.exc_value)
            _crash(arguments.exc_value)

    try:
        watch_signals()
        import atexit
        import threading

        # Registered first, it runs last, when all that must be closed is closed.
        atexit.register(_leave)

        threading.excepthook = in_thread
        status = _prepare_streams() or run_command()
        status = status or (_CRASHED if failed else 0)
        finished(status)
    except Stopped as stopped:
        status = _stopped(stopped)
    except KeyboardInterrupt:
        # It came before signals were watched.
        status = _stopped(Stopped(signal.SIGINT))
    if stop_requested():
        # What this process has started ends with it.
        _end(status)
    # A signal that comes now would change the exit status of a command that is done.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _ended_with.append(status)
    sys.exit(status)


_ended_with: list[int] = []
"""The exit status of the process, once there is one."""


def _leave() -> None:
    """End a process whose command is done before Python takes its libraries down, which may take seconds (torch)."""
    if _ended_with:
        _end(_ended_with[0])


def _end(status: int) -> NoReturn:
    """End the process here and now, with nothing of its output lost."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return the exit status; signals are the caller's."""
    from endophora.errors import EndophoraError
    from endophora.process import prepare_process

    try:
        prepare_process()
        return _ended(arguments)
    except Stopped as stopped:
        return _stopped(stopped)
    except KeyboardInterrupt:
        return 130
    except EndophoraError as error:
        from endophora.cli.console import report_error

        report_error(error)
        return error.exit_code
    except BaseException as error:
        cause = error.__cause__ if isinstance(error, CommandError) and error.__cause__ else error
        if isinstance(cause, OSError) and (status := _output_status()) is not None:
            return status
        from endophora.cli.crashes import lacking

        if (lack := lacking(cause)) is not None:
            from endophora.cli.console import report_error

            report_error(lack)
            return lack.exit_code
        _crash(cause)
        return _CRASHED


def _ended(arguments: Sequence[str] | None) -> int:
    """Return the exit status of a command that came to an end that was foreseen."""
    import warnings

    from endophora.cli.app import app
    from endophora.store import StoreWarning

    # They are reported when the command ends, once and with their number.
    warnings.simplefilter("ignore", StoreWarning)
    status = 0
    try:
        app(arguments, prog_name="endophora")
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    # What standard output has not taken yet, it may refuse now. Libraries have a status of their own for that.
    broken = _output_status()
    return status if broken is None else broken


def _crash(error: BaseException) -> None:
    from endophora.cli.crashes import report_crash

    report_crash(error)


def _stopped(stopped: Stopped) -> int:
    from endophora.cli.console import report_error
    from endophora.errors import EndophoraError

    tell_stop(stopped.number, lambda fault: report_error(EndophoraError(fault)))
    return 128 + stopped.number


class _Output(io.FileIO):
    """A standard stream that remembers what it could not write: the exception may look like that of another file."""

    failure: OSError | None = None

    def write(self, b: ReadableBuffer, /) -> int:
        """Write bytes."""
        try:
            return super().write(b)
        except OSError as error:
            self.failure = error
            raise


_outputs: list[_Output] = []


def _prepare_streams() -> int:
    """Make the standard streams fit to be written to; return an exit status if one is not there.

    Where one is closed, the next file that is opened would get its number, and what a library prints.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        return _refuse("standard output is closed")
    sys.stdout, sys.stderr = _fit(1, sys.stdout.encoding), _fit(2, sys.stderr.encoding)
    return 0


def _fit(number: int, encoding: str) -> io.TextIOWrapper:
    output = _Output(number, "w", closefd=False)
    _outputs.append(output)
    # A terminal shows what it can; a file is UTF-8, independent of the terminal's language. Names of files are bytes.
    how = (encoding, "backslashreplace") if output.isatty() else ("utf-8", "surrogateescape")
    return io.TextIOWrapper(io.BufferedWriter(output), *how, line_buffering=number == 2 or output.isatty())


def _refuse(cause: str) -> int:
    from endophora.cli.console import report_error
    from endophora.errors import Fault, InputError

    report_error(InputError(Fault("E364", cause, "send it to a file with room, or to /dev/null")))
    return InputError.exit_code


def _output_status() -> int | None:
    """Return the exit status if a standard stream takes no more: 0 if its reader has gone (``| head``)."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    broken = [output for output in _outputs if output.failure]
    if not broken:
        return None
    for output in broken:
        # At its end the process would try to write the rest.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, output.fileno())
        os.close(null)
    failure = broken[0].failure
    if isinstance(failure, BrokenPipeError):
        return 0
    return _refuse(f"standard output cannot be written ({failure and failure.strerror})")
