"""The manifest gives back what it was given, also to the next process, and tells what is no manifest."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.engine import EngineError
from endophora.engine.manifest import Finished, Manifest, ShardRecord

# SQLite has no surrogates in its texts; ids come from UTF-8, which has none either.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNT = st.integers(0, 2**62)
RECORDS = st.builds(
    ShardRecord,
    st.integers(0, 50),
    TEXT,
    TEXT,
    TEXT,
    COUNT,
    COUNT,
    st.sampled_from(["done", "failed"]),
    COUNT,
    COUNT,
    TEXT,
    COUNT,
    st.floats(0, 1e9),
    TEXT,
)


@settings(max_examples=25)
@given(st.lists(RECORDS, max_size=6), st.builds(Finished, COUNT, COUNT, TEXT, TEXT))
def test_records_are_read_as_they_were_written_the_last_of_each_shard(records: list[ShardRecord], finished: Finished):
    last = {record.number: record for record in records}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manifest.sqlite"
        with Manifest(path) as manifest:
            for record in records:
                manifest.record(record)
            assert manifest.finished is None
            manifest.finish(finished)
        with Manifest(path) as manifest, patch("endophora.engine.manifest._PAGE", 2):
            assert list(manifest.shards()) == [last[number] for number in sorted(last)]
            assert all(manifest.shard(number) == last.get(number) for number in range(51))
            assert manifest.finished == finished
            manifest.reopen()
            assert manifest.finished is None


def test_a_setting_keeps_its_first_value(tmp_path: Path):
    with Manifest(tmp_path / "m") as manifest:
        assert manifest.setting("task", "a") == "a"
    with Manifest(tmp_path / "m") as manifest:
        assert manifest.setting("task", "b") == "a"


@pytest.mark.parametrize("content", [b"no database at all, whatever its name says", None])
def test_what_is_no_manifest_is_told(tmp_path: Path, content: bytes | None):
    path = tmp_path / "m"
    if content is None:
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE other (x)")
    else:
        path.write_bytes(content)
    with pytest.raises(EngineError, match="--fresh") as error:
        Manifest(path)
    assert error.value.faults[0].code == "E160"


def test_a_manifest_that_another_program_has_open_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    Manifest(tmp_path / "m").close()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **options: connect(path, timeout=0, **options))
    with closing(connect(tmp_path / "m")) as database:
        database.execute("BEGIN IMMEDIATE")
        with pytest.raises(EngineError, match="another program has it open") as error:
            Manifest(tmp_path / "m").setting("task", "a")
    assert error.value.faults[0].code == "E155"
