"""The store as a user meets it: the command that shows and clears it, and evaluations with one that is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from command import run
from endophora.store import Store

SOURCE = "Can you help me?\nYou have my lamp.\nIt is on your table.\n"
REFERENCE = "Können Sie mir helfen?\nSie haben meine Lampe.\nSie steht auf Ihrem Tisch.\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the default store lies, in a working directory with a small corpus."""
    (tmp_path / "source.en").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "reference.de").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "system.de").write_text(REFERENCE.replace("Sie steht", "Es steht").replace("helfen", "hälfen"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "store.sqlite"


def _evaluate(*more: str) -> bytes:
    inputs = ("-l", "en-de", "-s", "source.en", "-r", "reference.de", "-y", "a=system.de", "-m", "bleu", "-m", "chrf")
    assert run("evaluate", *inputs, "-o", "out", "--resamples", "100", *more) == 0
    return Path("out", "result.json").read_bytes()


def _in_values(kind: str) -> Callable[[Path], None]:
    """Return what flips a bit in the middle of each value of a kind."""

    def flip(path: Path) -> None:
        """Flip them."""
        with closing(sqlite3.connect(path)) as database, database:
            for key, value in database.execute("SELECT key, value FROM entry WHERE kind = ?", (kind,)).fetchall():
                middle = len(value) - 20
                changed = value[:middle] + bytes([value[middle] ^ 64]) + value[middle + 1 :]
                database.execute("UPDATE entry SET value = ? WHERE key = ?", (changed, key))

    return flip


def _in_bytes(start: int, end: int) -> Callable[[Path], None]:
    """Return what sets bytes of the file to ones."""

    def overwrite(path: Path) -> None:
        """Overwrite them."""
        data = path.read_bytes()
        path.write_bytes(data[:start] + b"\xff" * (min(end, len(data)) - start) + data[end:])

    return overwrite


DAMAGES = {
    "statistics": _in_values("statistics"),
    "tags": _in_values("tags"),
    "pages": _in_bytes(2 * 4_096, 10**6),
    "beginning": _in_bytes(0, 50),
}


def test_figures_are_right_whatever_happens_to_the_store(store: Path, capsys: pytest.CaptureFixture[str]):
    wanted = _evaluate("--no-store")
    assert _evaluate("--quiet") == wanted
    with closing(sqlite3.connect(store)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = store.read_bytes()
    for name, damage in DAMAGES.items():
        for file in store.parent.iterdir():
            file.unlink()
        store.write_bytes(whole)
        damage(store)
        capsys.readouterr()
        assert _evaluate() == wanted, name
        said = capsys.readouterr().err
        assert said.count("store.sqlite") == 1, (name, said)


def test_a_store_that_nobody_named_and_that_cannot_be_made_stops_no_command(
    store: Path, capsys: pytest.CaptureFixture[str]
):
    store.parent.write_text("a file where the directory should be")
    assert run("tag", "-l", "en-de", "-s", "source.en", "-r", "reference.de", "-o", "out") == 0
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "store.sqlite" in line]
    assert told.startswith("warning: [E094]")
    assert "--no-store" in told


def test_a_store_that_was_named_is_looked_at_before_the_work(store: Path, capsys: pytest.CaptureFixture[str]):
    arguments = ("tag", "-l", "en-de", "-s", "source.en", "-r", "reference.de", "-o", "out", "--store", "source.en")
    assert run(*arguments) == 2
    assert "[E092] source.en" in capsys.readouterr().err
    assert Path("source.en").read_text(encoding="utf-8") == SOURCE


@pytest.fixture
def filled(store: Path) -> Path:
    """The default store, with a hundred values of two kinds."""
    with Store(store) as opened:
        opened.put_many({b"a%15d" % n: b"v" * 10_000 for n in range(80)}, "annotations")
        opened.put_many({b"b%15d" % n: b"v" * 10_000 for n in range(20)}, "statistics")
    return store


def test_the_store_is_shown_by_kind_pruned_and_cleared(filled: Path, capsys: pytest.CaptureFixture[str]):
    assert run("store") == 0
    shown = capsys.readouterr().out
    assert "100 entries" in shown
    assert [line.split()[1:3] for line in shown.splitlines()[2:]] == [["80", "0.8"], ["20", "0.2"]]
    assert run("store", "prune", "--older-than", "1d", "--max-size", "500kB") == 0
    assert filled.stat().st_size <= 500_000
    assert run("store", "clear") == 0
    assert run("store") == 0
    assert ": 0 entries" in capsys.readouterr().out


def test_verify_ends_with_1_where_something_is_damaged(filled: Path, capsys: pytest.CaptureFixture[str]):
    _in_values("statistics")(filled)
    assert run("store", "verify") == 1
    assert "80 entries whole, 20 damaged" in capsys.readouterr().out
    assert run("store", "verify") == 0


def test_clearing_deletes_a_default_store_that_cannot_be_opened_and_nothing_that_was_named(
    filled: Path, capsys: pytest.CaptureFixture[str]
):
    assert run("store", "clear", "--store", "source.en") == 2
    assert Path("source.en").exists()
    filled.write_bytes(b"no database" * 1_000)
    assert run("store") == 2
    assert "endophora store clear" in capsys.readouterr().err
    assert run("store", "clear") == 0
    assert not filled.exists()


def test_answers_of_services_are_touched_where_they_are_named_alone(filled: Path, capsys: pytest.CaptureFixture[str]):
    services = filled.with_name("services.sqlite")
    with Store(services, strict=True, limited=False) as opened:
        opened.put_many({b"k" * 16: b"paid"}, "answers of services")
    assert run("store", "clear") == 0
    assert run("store", "--services") == 0
    assert "1 entries" in capsys.readouterr().out
    assert run("store", "clear", "--services") == 0
    assert run("store", "--services") == 0
    assert "0 entries" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [("prune",), ("prune", "--max-size", "much"), ("prune", "--older-than", "Tuesday")]
)
def test_what_is_no_size_and_no_age_is_refused(filled: Path, arguments: tuple[str, ...]):
    before = filled.read_bytes()
    assert run("store", *arguments) == 2
    assert filled.read_bytes() == before
