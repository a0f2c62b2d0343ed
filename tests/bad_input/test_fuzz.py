"""Damaged files of every reader are read or refused with a code; ``benchmarks/fuzz.py`` tries thousands."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutation import fuzz, targets

from endophora.errors import EndophoraError

REFUSED = {"cxmi result", "contrast result"}
"""Whose file is only the beginning of one: all that may go wrong on the way to a whole one is tried."""


def test_damaged_files_of_every_reader_are_read_or_refused():
    found = fuzz(list(targets()), 6 * len(targets()), seed=3)
    assert not found.uncaught
    assert found.counts["coded"] > 100 < found.counts["ok"]


@pytest.mark.parametrize("name", sorted(targets().keys() - REFUSED))
def test_the_files_that_are_damaged_are_sound(name: str, tmp_path: Path):
    target = targets()[name]
    for file, data in {**target.beside, target.file: target.data}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    target.read(tmp_path / target.file)


def test_an_error_of_pythons_own_is_counted(monkeypatch: pytest.MonkeyPatch):
    import mutation

    def fail(path: Path) -> None:
        raise ValueError(path) if path.read_bytes() else EndophoraError(())

    monkeypatch.setattr(mutation, "targets", lambda: {"x": mutation.Target("x", b"1" * 50, fail)})
    found = fuzz(["x"], 10, seed=1)
    assert found.counts["uncaught"] > 5
    assert all("ValueError" in cause for cause in found.uncaught)
