"""A task on its way to a worker: with the signature that it must have there, and the files that it names.

A worker may be on a machine with another version of the package, other models or other files. It derives its own
signature from what it has, and works only if that is the run's. Files that a task names by path travel by content, so
that it does not matter where a worker was started.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import endophora
from endophora.engine.shards import Answer, Answerer, Task, read_payload, rows_to_parquet
from endophora.errors import EngineError, Fault
from endophora.files import disk_faults
from endophora.signature import Signature
from endophora.version import __version__

_SHOWN = 160


_UNTOLD = cast("Signature", "")


@runtime_checkable
class NamesFiles(Protocol):
    """What a task has besides, if its settings name files or folders by path."""

    @property
    def files(self) -> Sequence[Path]:
        """The files and folders that the settings name."""
        ...

    def moved(self, places: Mapping[Path, Path]) -> Task:
        """Return the task with each of these paths replaced by the place where its content is now."""
        ...


@dataclass(frozen=True)
class Shipment:
    """A task as workers get it.

    ``signature`` and ``sender`` are what the run's own process says of itself; ``content`` is path → the file or folder
    as an archive, if it travels.
    """

    task: Task | Answerer
    signature: Signature = _UNTOLD
    sender: str = field(default_factory=lambda: _here())
    content: Mapping[Path, bytes] = field(default_factory=dict[Path, bytes])

    def __post_init__(self) -> None:
        if not self.signature:
            object.__setattr__(self, "signature", _signature(self.task))

    def packed(self) -> Shipment:
        """Return it with the content of all files that the task names (E358)."""
        files = self.task.files if isinstance(self.task, NamesFiles) else ()
        return replace(self, content={path: _archive(path) for path in dict.fromkeys(files)})

    def load(self) -> Answer:
        """Load the task where the worker is; with another signature than the run's it is refused (E357)."""
        task = self.task
        if self.content and isinstance(task, NamesFiles):
            task = task.moved(_unpack(self.content))
        answer = _answer(task)
        own = _signature(task)
        if own != self.signature:
            raise EngineError(_refusal(own, self.signature, self.sender))
        return answer


def _answer(task: Task | Answerer) -> Answer:
    """Load a task; shards of documents become Parquet files of their rows."""
    if not hasattr(task, "schema"):
        return cast("Answerer", task).load()
    of_rows = cast("Task", task)
    work, schema = of_rows.load(), of_rows.schema
    return lambda payload: rows_to_parquet(work(read_payload(payload)), schema)


def _signature(task: Task | Answerer) -> Signature:
    return cast("Signature", f"{task.signature}|package:{__version__}")


def _here() -> str:
    """Say on which machine this process is, and with which package."""
    return f"{socket.gethostname()}, endophora {__version__} in {Path(endophora.__file__).parent}"


def _refusal(own: str, wanted: str, sender: str) -> Fault:
    mine, theirs = difference(own, wanted)
    cause = f"this node would give other rows than the run: it has {mine}, and the run {theirs} (the run: {sender})"
    advice = "install the run's version of the package and of the models there, name --precision if that is what"
    advice += " differs, or end the node, and run again"
    return Fault("E357", cause, advice, f"{_here()}, process {os.getpid()}")


def difference(one: str, other: str) -> tuple[str, str]:
    """Return the fields in which two signatures differ, of each; fields stand between ``|``."""
    fields, others = one.split("|"), other.split("|")
    shown = [[part for part in these if part not in those] for these, those in ((fields, others), (others, fields))]
    mine, theirs = ("|".join(parts) or "nothing" for parts in shown) if any(shown) else (one, other)
    return f"“{_cut(mine)}”", f"“{_cut(theirs)}”"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _archive(path: Path) -> bytes:
    """Return a file or folder as an archive of one entry, whose name is the last part of the path."""
    stream = BytesIO()
    try:
        place = path.resolve(strict=True)
        with tarfile.open(fileobj=stream, mode="w", dereference=True) as archive:
            archive.add(place, arcname=path.name or place.name)
    except OSError as error:
        cause = f"it cannot be read, to be sent to the workers ({error.strerror or error})"
        raise EngineError(Fault("E358", cause, "check the path and its permissions", str(path))) from error
    return stream.getvalue()


def _unpack(content: Mapping[Path, bytes]) -> dict[Path, Path]:
    """Unpack archives into a folder that goes with this process, and return path → where it is now."""
    folder = temporary_folder()
    with disk_faults(folder):
        return {path: _extract(data, folder / str(number)) for number, (path, data) in enumerate(content.items())}


def _extract(data: bytes, folder: Path) -> Path:
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        extract_files(archive, folder)
    return next(cast("Iterator[Path]", folder.iterdir()))


def extract_files(archive: tarfile.TarFile, folder: Path) -> None:
    """Write an archive's files and folders below a folder.

    Raises:
        tarfile.TarError: a member would lie elsewhere, or is neither; it is not written.
    """
    # The filter of extractall() that checks this came with Python 3.11.4; Debian 12 has 3.11.2.
    root = folder.resolve()
    for member in archive:
        place = (root / member.name).resolve()
        if not place.is_relative_to(root) or not (member.isfile() or member.isdir()):
            raise tarfile.TarError(f"“{member.name}” is no file or folder below the one it is extracted to")
        (place if member.isdir() else place.parent).mkdir(parents=True, exist_ok=True)
        if (content := archive.extractfile(member)) is not None:
            with content, place.open("wb") as file:
                shutil.copyfileobj(content, file)


def temporary_folder() -> Path:
    """Return a new folder that is removed when this process ends, also if it is killed.

    Workers are ended by a signal that no handler sees. So another process, which does nothing else, waits for the end
    of a pipe that this one holds.
    """
    folder = Path(tempfile.mkdtemp(prefix="endophora-worker-"))
    # In the background, so that it is no child of the worker: Ray kills those.
    script = 'exec 3<&0; { cat <&3 >/dev/null; rm -rf -- "$1"; } &'
    remover = subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", script, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _held.append(remover.stdin)
    remover.wait()
    return folder


_held: list[Any] = []
"""The pipes whose end removes a folder: open as long as the process lives."""
