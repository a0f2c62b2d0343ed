"""What nobody foresaw: one line on standard error, and a file that shows those who can repair it what happened."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from endophora.cli.console import report_error
from endophora.errors import EndophoraError, Fault, MissingModelError
from endophora.version import __version__

_LONGEST = 200
_EXTRAS = {"torch": "neural", "transformers": "neural", "safetensors": "neural", "accelerate": "train"}
"""Libraries that modules import first of all, and the extra that brings each."""


def lacking(error: BaseException) -> MissingModelError | None:
    """Return the error (E150) of a command that cannot do without a library of an extra, or nothing."""
    library = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if library not in _EXTRAS:
        return None
    advice = f"install it with: pip install 'endophora[{_EXTRAS[library]}]'"
    return MissingModelError(Fault("E150", f"the command needs {library}, which is not installed", advice))


def report_crash(error: BaseException) -> None:
    """Write version, system, command and traceback to a file, and print one line (E360) that says where it is."""
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said[:_LONGEST]}" if said else type(error).__name__
    system = f"Python {platform.python_version()}, {platform.platform()}"
    trace = "".join(traceback.format_exception(error))
    place = _write(f"endophora {__version__}, {system}\n{shlex.join(sys.argv)}\n\n{trace}")
    cause = f"endophora has failed in a way that nobody foresaw ({what})"
    what = "the file" if place else "the command"
    advice = f"please send {what} to those who maintain endophora, as an issue{_tracker()}"
    report_error(EndophoraError(Fault("E360", cause, advice, place)))


def _tracker() -> str:
    """Return where issues are, if the installed package names the place."""
    with suppress(PackageNotFoundError):
        for entry in metadata("endophora").get_all("Project-URL", []):
            label, _, address = entry.partition(", ")
            if label.casefold() == "issues":
                return f" at {address}"
    return ""


def _write(text: str) -> str:
    """Return the path of a new file with a text; nothing if there is no place for one."""
    from endophora.store import default_store_path

    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}-"
    for find in (lambda: default_store_path().parent / "crashes", lambda: Path(tempfile.gettempdir())):
        with suppress(OSError, RuntimeError):
            folder = find()
            folder.mkdir(parents=True, exist_ok=True)
            # Made so that its owner alone can read it.
            descriptor, path = tempfile.mkstemp(".txt", name, folder)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
            return path
    return ""
