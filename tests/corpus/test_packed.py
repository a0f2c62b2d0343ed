"""Packed data that unpack to far more than text does are refused, whoever reads them."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest

from endophora.corpus import lines
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import InflatedError, each_line, unpacked


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "FREE", 1 << 20)


def codes(path: Path) -> list[tuple[str, int | None]]:
    log = FaultLog()
    for _ in each_line(path, log):
        pass
    return [(fault.code, fault.line) for fault in log.faults()]


def test_a_bomb_is_refused_where_it_goes_off(tmp_path: Path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a segment\n" * 400_000))
    assert path.stat().st_size < 20_000
    assert [code for code, _ in codes(path)] == ["E346"]


def test_text_and_small_files_are_not(tmp_path: Path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a segment\n" * 100_000))  # 10^6 bytes: less than is free
    assert codes(path) == []
    letters = random.Random(1).choices("abcdefgh \n", k=3_000_000)
    path.write_bytes(gzip.compress("".join(letters).encode()))
    assert codes(path) == []
    with pytest.raises(InflatedError):
        unpacked(io.BytesIO(gzip.compress(bytes(4 << 20)))).read()


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1_000)
    path = tmp_path / "a"
    path.write_bytes(b"a\n" + b"b" * 999 + b"\n" + b"c" * 1_000 + b"\nd\n")
    assert codes(path) == [("E345", 3)]
