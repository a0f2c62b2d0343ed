"""The output directory of a run: where everything lies, and how to begin anew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from endophora.engine.durable import TEMPORARY, disk_faults
from endophora.engine.manifest import ShardRecord

ROWS, WORK = "rows.parquet", "work/"
"""Names in an output directory: the output, and what a run needs to go on."""

_PER_FOLDER = 1_000
_DIGITS = "[0-9]" * 5


@dataclass(frozen=True, slots=True)
class OutputDirectory:
    """The paths of a run.

    Attributes:
        root: the output directory.
    """

    root: Path

    @property
    def rows(self) -> Path:
        """The output: all rows in the order of the input, there only when the run is complete."""
        return self.root / ROWS

    @property
    def work(self) -> Path:
        """What a run needs to go on; all in it is the engine's."""
        return self.root / WORK

    @property
    def _shards(self) -> Path:
        return self.work / "shards"

    @property
    def lock(self) -> Path:
        """The lock file."""
        return self.work / "lock"

    @property
    def manifest(self) -> Path:
        """The manifest, a SQLite database."""
        return self.work / "manifest.sqlite"

    def shard(self, number: int) -> Path:
        """Return the path of a shard's rows, there until the run is complete."""
        folder = self._shards / f"{number // _PER_FOLDER:05d}"
        return folder / f"{number:08d}.parquet"

    def make_folder(self, number: int) -> None:
        """Make the folder of a shard.

        Raises:
            EngineError: it cannot be made (E154, E155).
        """
        folder = self.shard(number).parent
        with disk_faults(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def shards(self) -> Iterator[Path]:
        """Yield the files of shards that are there, whole or not."""
        yield from self._shards.glob(f"{_DIGITS}/.*{TEMPORARY}")
        yield from self._shards.glob(f"{_DIGITS}/[0-9]*.parquet")

    def remove_shards(self) -> None:
        """Remove the files of all shards, and their folders.

        Raises:
            EngineError: they cannot be removed (E155).
        """
        with disk_faults(self.root):
            for path in self.shards():
                path.unlink()
        for folder in self._shards.glob("*/"):
            # What somebody else has put there stays.
            with suppress(OSError):
                folder.rmdir()

    def remove_unfinished(self) -> None:
        """Remove what was being written when a run was killed.

        Raises:
            EngineError: it cannot be removed (E155).
        """
        with disk_faults(self.root):
            for path in (*(p for p in self.shards() if p.name.endswith(TEMPORARY)), *self.work.glob(f".*{TEMPORARY}")):
                path.unlink()

    def clear(self) -> None:
        """Remove all that a run makes, but the lock; other files in the directory stay.

        Raises:
            EngineError: it cannot be removed (E155).
        """
        with disk_faults(self.root):
            self.rows.unlink(missing_ok=True)
            for path in self.work.glob("manifest.sqlite*"):
                path.unlink()
        self.remove_unfinished()
        self.remove_shards()


def is_whole(path: Path, size: int, checksum: str) -> bool:
    """Tell whether a file is there with a size and a SHA-256.

    Raises:
        EngineError: it is there and cannot be read (E155).
    """
    with disk_faults(path):
        if not path.is_file() or path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == checksum


def holds(directory: OutputDirectory, record: ShardRecord) -> bool:
    """Tell whether the file of a shard is there as the manifest says."""
    return is_whole(directory.shard(record.number), record.bytes, record.checksum)
