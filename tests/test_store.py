"""The store keeps what it is given, for several processes, and never misreads what is no store."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.engine import map_ordered
from endophora.errors import InputError
from endophora.store import Store, StoreWarning, Verified, parse_size, store_warnings, table


def _key(*parts: str) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


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


def _writer(path: Path):
    return partial(_write, Store(path))


def _write(store: Store, number: int) -> int:
    store.put_many({_key(str(number), str(n)): b"%d" % n for n in range(50)})
    return number


def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    assert list(map_ordered(partial(_writer, path), list(range(8)), workers=2)) == list(range(8))
    with Store(path) as store:
        assert len(store) == 400


def test_a_second_store_of_a_process_does_not_drop_the_locks_of_the_first(tmp_path: Path):
    """Else another process that closes the file takes itself for the last, and removes the log that this one writes."""
    path = tmp_path / "store.sqlite"
    with Store(path) as first, Store(path):
        first.put_many({b"k" * 16: b"value"})
        code = "import pathlib, sys; from endophora.store import Store; Store(pathlib.Path(sys.argv[1])).close()"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert (tmp_path / "store.sqlite-wal").stat().st_size
        first.put_many({b"l" * 16: b"value"})
    with Store(path) as store:
        assert len(store) == 2


def test_a_store_that_another_process_is_making_is_not_taken_for_a_foreign_one(tmp_path: Path):
    path = tmp_path / "store.sqlite"

    class Interrupted(sqlite3.Connection):
        def execute(self, sql, *parameters):
            if sql == "PRAGMA user_version":  # after the application's id was read as that of an empty file
                other = sqlite3.connect(path, timeout=0)
                with suppress(sqlite3.OperationalError), other:  # it has to wait for this look at the file
                    other.executescript("PRAGMA application_id=1; PRAGMA user_version=2; CREATE TABLE entry (key);")
                other.close()
            return super().execute(sql, *parameters)

    file = sqlite3.connect(path, factory=Interrupted)
    file.text_factory = bytes
    assert table.layout(file) == 0
    file.close()


def test_many_more_keys_than_one_query_takes():
    with Store() as store:
        entries = {_key(str(n)): str(n).encode() for n in range(3_000)}
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


def _damage(path: Path, key: bytes) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        (value,) = database.execute("SELECT value FROM entry WHERE key = ?", (key,)).fetchone()
        flipped = bytes([value[0] ^ 1]) + value[1:]
        database.execute("UPDATE entry SET value = ? WHERE key = ?", (flipped, key))


ONE, OTHER = b"1" * 16, b"2" * 16


def test_a_damaged_value_is_absent_counted_and_replaced(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many({ONE: b"one", OTHER: b"other"})
    _damage(path, ONE)
    with Store(path) as store:
        with pytest.warns(StoreWarning, match="1 damaged value"):
            assert store.get_many([ONE, OTHER]) == {OTHER: b"other"}
        store.put_many({ONE: b"one"})
        assert store.get_many([ONE, OTHER]) == {ONE: b"one", OTHER: b"other"}
    (told,) = store_warnings()
    assert "[E365]" in told
    assert "1 damaged value" in told
    assert store_warnings() == []


def test_a_value_under_the_key_of_another_is_damaged(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many({ONE: b"one"})
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE entry SET key = ?", (OTHER,))
    with Store(path) as store, pytest.warns(StoreWarning):
        assert store.get_many([OTHER]) == {}
    store_warnings()


def _find(path: Path):
    return partial(_found, Store(path))


def _found(store: Store, key: bytes) -> int:
    return len(store.get_many([key]))


def test_what_another_process_finds_damaged_is_counted_here(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many({ONE: b"one", OTHER: b"other"})
    _damage(path, ONE)
    _damage(path, OTHER)
    with pytest.warns(StoreWarning):
        assert list(map_ordered(partial(_find, path), [ONE, OTHER], workers=2)) == [0, 0]
    (told,) = store_warnings()
    assert "2 damaged values" in told


def test_pages_of_noise_cost_what_they_held_and_no_more_than_a_warning(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    entries = {_key(str(n)): b"%d" % n * 100 for n in range(500)}
    with Store(path) as store:
        store.put_many(entries)
    content = path.read_bytes()
    path.write_bytes(content[:20_000] + b"\xff" * 4_096 + content[24_096:])
    with Store(path) as store:
        with pytest.warns(StoreWarning, match="E365"):
            found = store.get_many(list(entries))
        assert found.items() <= entries.items()
        store.put_many(entries)
        assert store.get_many(list(entries)) == entries
    store_warnings()


def test_where_every_error_counts_a_damaged_file_is_one(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path, strict=True) as store:
        store.put_many({_key(str(n)): b"value" * 100 for n in range(100)})
    path.write_bytes(path.read_bytes()[:8_192] + b"\xff" * (path.stat().st_size - 8_192))
    with Store(path, strict=True) as store, pytest.raises(InputError) as caught:
        store.get_many([_key(str(n)) for n in range(100)])
    assert [fault.code for fault in caught.value.faults] == ["E365"]


def _full(store: Store) -> None:
    # As many pages as there are: the next one is a full disk to SQLite.
    file = store._file  # pyright: ignore[reportPrivateUsage]
    assert file is not None
    file.execute("PRAGMA max_page_count=1")


def test_on_a_full_disk_the_rest_is_kept_in_memory(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many({ONE: b"one"})
        _full(store)
        with pytest.warns(StoreWarning, match="E154"):
            store.put_many({OTHER: b"other" * 10_000})
        assert store.get_many([ONE, OTHER]) == {ONE: b"one", OTHER: b"other" * 10_000}
    assert len(store_warnings()) == 1
    with Store(path) as store:
        assert store.get_many([ONE, OTHER]) == {ONE: b"one"}


def test_a_full_disk_is_an_error_where_every_error_counts(tmp_path: Path):
    with Store(tmp_path / "store.sqlite", strict=True) as store:
        _full(store)
        with pytest.raises(InputError, match="E154"):
            store.put_many({OTHER: b"other" * 10_000})


def test_a_store_that_nobody_closes_is_closed_with_its_last_reference(tmp_path: Path):
    store = Store(tmp_path / "store")
    file = store._file
    assert file is not None
    del store
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        file.execute("SELECT 1")


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_files_are_readable_by_their_owner_alone_also_those_made_before(tmp_path: Path):
    path = tmp_path / "made" / "store.sqlite"

    def modes() -> set[int]:
        """Return the rights on the files of the store, and on its directory."""
        return {file.stat().st_mode & 0o777 for file in [path.parent, *path.parent.iterdir()]}

    with Store(path) as store:
        store.put_many({ONE: b"one"})
        assert len(list(path.parent.iterdir())) == 3
        assert modes() == {0o700, 0o600}
    path.chmod(0o644)
    with Store(path) as store:
        store.put_many({OTHER: b"other"})
        assert modes() == {0o700, 0o600}


def _used(path: Path, day: int, *keys: bytes) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.executemany("UPDATE entry SET used = ? WHERE key = ?", [(day, key) for key in keys])


def test_what_was_used_longest_ago_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENDOPHORA_STORE_LIMIT", "100kB")
    path = tmp_path / "store.sqlite"
    old, read, new = ([_key(name, str(n)) for n in range(30)] for name in ("old", "read", "new"))
    with Store(path) as store:
        store.put_many(dict.fromkeys([*old, *read], b"v" * 900))
        _used(path, 20_000, *old, *read)
        store.get_many(read)
        for key in new:
            store.put_many({key: b"v" * 900})
        assert len(store.get_many(read)) == len(store.get_many(new)) == 30
        assert 0 < len(store.get_many(old)) < 20
    assert 80_000 < path.stat().st_size < 130_000


def test_entries_of_one_day_make_room_too_and_what_is_unlimited_keeps_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ENDOPHORA_STORE_LIMIT", "50kB")
    entries = {_key(str(n)): b"v" * 900 for n in range(100)}
    with Store(tmp_path / "limited") as limited, Store(tmp_path / "whole", limited=False) as whole:
        for key, value in entries.items():
            limited.put_many({key: value})
            whole.put_many({key: value})
        assert 25 < len(limited) < 40
        assert len(whole) == 100


def test_pruning_by_age_and_size_gives_the_room_back(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    keys = [_key(str(n)) for n in range(300)]
    with Store(path) as store:
        store.put_many(dict.fromkeys(keys, b"v" * 900))
        _used(path, 20_000, *keys[:100])
        assert store.prune(days=30) == 100
        assert set(store.get_many(keys)) == set(keys[100:])
        assert store.prune(size=100_000) >= 100
        assert len(store) > 30
    assert path.stat().st_size <= 100_000


def test_what_entries_take_of_the_file_is_known(tmp_path: Path):
    for length in (10, 300, 900, 1_000, 3_000, 5_000, 20_000):
        path = tmp_path / str(length)
        with Store(path) as store:
            for number in range(400):
                store.put_many({_key(str(number)): b"v" * length})
        with closing(sqlite3.connect(path)) as database:
            counted = table.held(database)
        assert 0.75 < counted / path.stat().st_size < 1.25, length


@pytest.mark.parametrize(("text", "size"), [("2GB", 2_000_000_000), ("1.5 m", 1_500_000), ("70", 70)])
def test_sizes_are_read_with_their_unit(text: str, size: int):
    assert parse_size(text, "--max-size") == size


@pytest.mark.parametrize("text", ["", "GB", "2 bananas", "-3MB", "١MB"])
def test_what_is_no_size_is_refused(text: str):
    with pytest.raises(InputError, match="E366"):
        parse_size(text, "--max-size")


def _first_layout(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE entry (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        database.execute("INSERT INTO entry VALUES (?, ?)", (ONE, b"one"))
        database.execute("PRAGMA user_version=1")


def test_of_a_store_of_the_first_layout_only_what_cannot_be_computed_is_taken_over(tmp_path: Path):
    for limited in (True, False):
        _first_layout(tmp_path / str(limited))
        with Store(tmp_path / str(limited), limited=limited) as store:
            assert store.get_many([ONE]) == ({} if limited else {ONE: b"one"})
            store.put_many({OTHER: b"other"}, "kind")
        with Store(tmp_path / str(limited), limited=limited) as store:
            assert OTHER in store.get_many([OTHER])


def test_verifying_finds_and_removes_what_is_damaged(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_many({ONE: b"one", OTHER: b"other"}, "letters")
    _damage(path, ONE)
    with Store(path) as store:
        assert store.verify() == Verified(whole=1, damaged=1, rebuilt=False)
        assert store.verify() == Verified(whole=1, damaged=0, rebuilt=False)
        (row,) = store.contents()
        assert (row.kind, row.entries, row.size) == ("letters", 1, 5)


def test_of_a_damaged_file_all_is_saved_that_can_be_read(tmp_path: Path):
    path = tmp_path / "store.sqlite"
    entries = {_key(str(n)): b"%d" % n * 100 for n in range(1_000)}
    with Store(path, strict=True, limited=False) as store:
        store.put_many(entries, "numbers")
    content = bytearray(path.read_bytes())
    place = next(n for n in range(20 * 4_096, len(content), 4_096) if content[n] == 10)
    content[place : place + 4_096] = b"\xff" * 4_096
    path.write_bytes(content)
    with Store(path, strict=True, limited=False) as store:
        with pytest.raises(InputError, match="E365"):
            store.get_many(list(entries))
        found = store.verify()
        assert found.rebuilt
        assert 950 < found.whole < 1_000
        kept = store.get_many(list(entries))
        assert len(kept) == found.whole
        assert kept.items() <= entries.items()
        assert [row.kind for row in store.contents()] == ["numbers"]
    with Store(path, strict=True, limited=False) as store:
        store.put_many(entries)
        assert store.get_many(list(entries)) == entries
        assert store.verify() == Verified(whole=1_000, damaged=0, rebuilt=False)
