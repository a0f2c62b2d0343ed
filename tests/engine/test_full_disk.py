"""A disk that is full at any step is an error that loses nothing: with room again, the run goes on."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from toy_task import CountWords, documents

from endophora.engine import EngineError, EngineOptions, run

OPTIONS = EngineOptions(executor="serial", shard_segments=20)


@pytest.fixture(scope="module", autouse=True)
def _no_remains() -> Iterator[None]:
    """What pyarrow leaves half written is finalised here: within Python's parser it is a SystemError (3.11)."""
    yield
    gc.collect()


class Full:
    """Lets some calls through, then raises."""

    def __init__(self, error: Exception, after: int) -> None:
        self.error = error
        self.left = after

    def around(self, function: Callable) -> Callable:
        def wrapper(*arguments: object, **options: object) -> object:
            self.left -= 1
            if self.left < 0:
                raise self.error
            return function(*arguments, **options)

        return wrapper


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (Path, "mkdir", 1),
        (Path, "write_bytes", 0),
        (Path, "write_bytes", 2),
        (os, "fsync", 0),
        (os, "fsync", 5),
        (Path, "replace", 2),
        # Five shards have been written when the output is.
        (parquet.ParquetWriter, "write_table", 5),
        (parquet.ParquetWriter, "close", 5),
    ],
)
def test_a_full_disk_loses_no_finished_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, after: int, number: int
):
    whole = run(CountWords(), partial(documents, 30), tmp_path / "whole", OPTIONS)
    log = tmp_path / "log"
    log.mkdir()
    task = CountWords(log=str(log))
    full = Full(OSError(number, os.strerror(number)), after)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, full.around(getattr(owner, name)))
        with pytest.raises(EngineError, match="make room") as error:
            run(task, partial(documents, 30), tmp_path / "out", OPTIONS)
    assert [fault.code for fault in error.value.faults] == ["E154"]
    assert not list(tmp_path.glob("out/**/*.part"))
    after_it = run(task, partial(documents, 30), tmp_path / "out", OPTIONS)
    assert after_it.path.read_bytes() == whole.path.read_bytes()
    # At most the shard that was being written was done twice.
    assert len(list(log.iterdir())) <= whole.shards + 1


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "E154"), (errno.EROFS, "E155")])
@pytest.mark.parametrize("name", ["run.json", "00000001-"])
def test_a_file_that_cannot_be_written_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str, name: str
):
    whole = run(CountWords(), partial(documents, 30), tmp_path / "whole", OPTIONS)
    write = Path.write_bytes

    def refuse(path: Path, data: bytes) -> int:
        if path.name.startswith(f".{name}"):
            raise OSError(number, os.strerror(number))
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", refuse)
        with pytest.raises(EngineError) as caught:
            run(CountWords(), partial(documents, 30), tmp_path / "out", OPTIONS)
    assert [fault.code for fault in caught.value.faults] == [code]
    after = run(CountWords(), partial(documents, 30), tmp_path / "out", replace(OPTIONS, shard_segments=7))
    assert after.path.read_bytes() == whole.path.read_bytes()


def test_a_damaged_shard_is_told_and_then_done_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    whole = run(CountWords(), partial(documents, 30), tmp_path / "whole", OPTIONS)

    def damage(progress: object) -> None:
        if progress.merging:
            (shard,) = (tmp_path / "out" / "work" / "shards" / "00000").glob("00000001-*.parquet")
            shard.write_bytes(b"x" * shard.stat().st_size)

    with pytest.raises(EngineError, match="damaged") as error:
        run(CountWords(), partial(documents, 30), tmp_path / "out", OPTIONS, damage)
    assert [fault.code for fault in error.value.faults] == ["E161"]
    after = run(CountWords(), partial(documents, 30), tmp_path / "out", OPTIONS)
    assert after.worked_shards == 1
    assert after.path.read_bytes() == whole.path.read_bytes()
