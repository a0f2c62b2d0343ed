"""The store keeps what it is given, for several processes, and never misreads what is no store."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.engine import map_ordered
from endophora.errors import InputError
from endophora.store import Store, content_key


@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.binary(max_size=200)))
def test_what_is_put_is_got(entries: dict[bytes, bytes]):
    with Store() as store:
        store.put_many(entries)
        assert store.get_many([*entries, b"x" * 16]) == entries | store.get_many([b"x" * 16])
        assert len(store) == len(entries)


def test_entries_outlive_the_process_that_wrote_them(tmp_path: Path):
    path = tmp_path / "deep" / "store.sqlite"
    with Store(path) as store:
        store.put_many({b"k" * 16: b"value"})
    with Store(path) as store:
        assert store.get_many([b"k" * 16]) == {b"k" * 16: b"value"}


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_have_different_keys(one: list[str], other: list[str]):
    assert (content_key(*one) == content_key(*other)) == (one == other)


def _writer(path: Path):
    return partial(_write, Store(path))


def _write(store: Store, number: int) -> int:
    store.put_many({content_key(str(number), str(n)): b"%d" % n for n in range(50)})
    return number


def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    assert list(map_ordered(partial(_writer, path), list(range(8)), workers=2)) == list(range(8))
    with Store(path) as store:
        assert len(store) == 400


def test_many_more_keys_than_one_query_takes():
    with Store() as store:
        entries = {content_key(str(n)): str(n).encode() for n in range(3_000)}
        store.put_many(entries)
        assert store.get_many(list(entries)) == entries


def _faults(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        Store(path)
    return [fault.code for fault in caught.value.faults]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    path.write_bytes(b"this is no database" * 100)
    assert _faults(path) == ["E092"]
    assert path.read_bytes().startswith(b"this is no database")


def test_a_database_of_another_layout_is_refused(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version=99")
    assert _faults(path) == ["E093"]


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE places (url TEXT)")
    before = path.read_bytes()
    assert _faults(path) == ["E092"]
    assert path.read_bytes() == before


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    assert _faults(tmp_path / "file" / "store.sqlite") == ["E094"]
