"""Reports on disk: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.evaluation.result import Result


def write_report(result: Result, directory: Path) -> tuple[Path, Path]:
    """Write ``result.json`` and ``report.html`` into a directory, which is made if it is absent.

    Each file is written under a temporary name, synced and renamed: whoever reads sees the old file or the new one.

    Returns:
        The paths of the two files.

    Raises:
        InputError: the directory cannot be written (E095).
    """
    from endophora.report import json, page  # what renders HTML is loaded where it is needed

    texts = {"result.json": json.render(result), "report.html": page.render(result)}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        paths = [_write(directory / name, text) for name, text in texts.items()]
    except OSError as error:
        cause = f"the report cannot be written: {error.strerror or error}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(directory))) from error
    return paths[0], paths[1]


def _write(path: Path, text: str) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
