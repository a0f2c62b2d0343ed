"""The directory of a run gives back what it was given, also to the next process, and tells what it cannot use."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.engine import EngineError
from endophora.engine.directory import OutputDirectory, RunFile
from endophora.engine.shards import Shard

MINE = RunFile("task", "columns", 20)
TEXT = st.text(max_size=8)
SHARDS = st.dictionaries(st.integers(0, 3_000), st.tuples(st.binary(min_size=16, max_size=16), st.binary()), max_size=6)


def shard(number: int, digest: bytes = bytes(16)) -> Shard:
    return Shard(number, "d", "e", 2, 2, digest.hex())


def begun(root: Path, mine: RunFile = MINE) -> OutputDirectory:
    (root / "work").mkdir(parents=True, exist_ok=True)
    directory = OutputDirectory(root)
    directory.begin(mine)
    return directory


@settings(max_examples=25)
@given(SHARDS)
def test_shards_are_read_as_they_were_written_in_order(shards: dict[int, tuple[bytes, bytes]]):
    with tempfile.TemporaryDirectory() as folder:
        first = begun(Path(folder))
        for number, (digest, data) in shards.items():
            first.keep(shard(number, digest), data)
        for directory in (first, begun(Path(folder))):
            assert list(directory.read_shards()) == [shards[number][1] for number in sorted(shards)]
            found = {number: directory.find(shard(number, digest)) for number, (digest, _) in shards.items()}
            assert found == {number: data for number, (_, data) in shards.items()}
            assert directory.find(shard(3_001)) is None
            directory.check_end(max(shards, default=-1) + 1)
        first.remove_shards()
        assert not list(Path(folder).glob("work/shards/*"))
        assert not list(begun(Path(folder)).read_shards())


@settings(max_examples=25)
@given(TEXT, TEXT, st.integers(1, 10**9))
def test_a_run_keeps_what_it_was_begun_with(task: str, columns: str, size: int):
    with tempfile.TemporaryDirectory() as folder:
        begun(Path(folder), RunFile(task, columns, size))
        assert OutputDirectory(Path(folder)).begin(MINE) == RunFile(task, columns, size)


def test_another_input_is_told(tmp_path: Path):
    directory = begun(tmp_path)
    directory.keep(shard(1), b"rows")
    with pytest.raises(EngineError, match=r"E153.*documents “d” to “e”"):
        directory.find(shard(1, b"x" * 16))
    with pytest.raises(EngineError, match=r"E153.*it ends after 1 shards"):
        directory.check_end(1)


def test_a_damaged_file_is_no_shard(tmp_path: Path):
    directory = begun(tmp_path)
    directory.keep(shard(1), b"rows")
    (file,) = tmp_path.glob("work/shards/*/*.parquet")
    file.write_bytes(b"sows")
    with pytest.raises(EngineError, match="E161"):
        list(directory.read_shards())
    assert begun(tmp_path).find(shard(1)) is None
    assert not file.exists()


@pytest.mark.parametrize("content", [b"no settings at all", b"{}", b'{"task": "a", "columns": "b"}', b"[1]", None])
def test_settings_that_cannot_be_used_are_told(tmp_path: Path, content: bytes | None):
    if content is None:
        begun(tmp_path, replace(MINE, layout=3))
    else:
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "run.json").write_bytes(content)
    with pytest.raises(EngineError, match=r"E160.*--fresh"):
        OutputDirectory(tmp_path).begin(MINE)


def test_a_directory_of_an_earlier_version_is_told_and_cleared(tmp_path: Path):
    (tmp_path / "work" / "shards" / "00000").mkdir(parents=True)
    for name in ("manifest.sqlite", "manifest.sqlite-wal", "shards/00000/00000000.parquet"):
        (tmp_path / "work" / name).write_bytes(b"x")
    with pytest.raises(EngineError, match=r"E160.*layout 2"):
        OutputDirectory(tmp_path).begin(MINE)
    OutputDirectory(tmp_path).clear()
    assert begun(tmp_path).find(shard(0)) is None
    assert [path.name for path in (tmp_path / "work").rglob("*") if path.is_file()] == ["run.json"]
