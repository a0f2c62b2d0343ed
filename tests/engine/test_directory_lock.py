"""An output directory has one owner; one that was killed is not in the way."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from endophora.engine import EngineError
from endophora.engine.directory import DirectoryLock, read_owner
from endophora.errors import InputError


def test_a_second_owner_is_refused_with_the_process_of_the_first(tmp_path: Path):
    path = tmp_path / "out" / "work" / "lock"
    with DirectoryLock(path) as lock:
        assert lock.left_behind is None
        with pytest.raises(EngineError, match=f"process {os.getpid()} on {socket.gethostname()}, since 20") as error:
            DirectoryLock(path)
        assert error.value.faults[0].code == "E151"
        assert error.value.faults[0].file == str(tmp_path / "out")
    with DirectoryLock(path):
        pass
    assert path.read_bytes() == b""


def test_a_stale_lock_is_taken_over_and_known_as_such(tmp_path: Path):
    path = tmp_path / "work" / "lock"
    path.parent.mkdir()
    # The process lives, and holds no lock: its number was given to another program.
    path.write_text('{"pid": 1, "host": "there", "since": "2026-01-01T00:00:00+00:00"}')
    with DirectoryLock(path) as lock:
        assert lock.left_behind is not None
        assert (lock.left_behind.pid, lock.left_behind.host) == (1, "there")
        owner = read_owner(path)
        assert owner is not None
        assert owner.pid == os.getpid()


@pytest.mark.parametrize("content", [b"[]", b"\xff", b"notes of a user", b'{"name": 1}'])
def test_a_file_of_somebody_else_in_the_place_of_the_lock_stays(tmp_path: Path, content: bytes):
    path = tmp_path / "work" / "lock"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(InputError, match="E356"):
        DirectoryLock(path)
    assert path.read_bytes() == content


def test_an_owner_that_is_nested_without_end_is_none(tmp_path: Path):
    (tmp_path / "lock").write_bytes(b'{"host": ' * 100_000)
    assert read_owner(tmp_path / "lock") is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"pid": 1}', b'{"pid": 12, "ho', b"\0" * 70, b'{"p' + b"\0" * 60])
def test_a_damaged_lock_file_is_no_owner(tmp_path: Path, content: bytes):
    path = tmp_path / "work" / "lock"
    path.parent.mkdir()
    path.write_bytes(content)
    assert read_owner(path) is None
    with DirectoryLock(path) as lock:
        assert lock.left_behind is None


def test_a_directory_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(EngineError) as error:
        DirectoryLock(tmp_path / "out" / "work" / "lock")
    assert error.value.faults[0].code == "E155"
