"""Only what was written here is ever replaced or deleted; a bad place is found before the work."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from endophora.errors import InputError
from endophora.files import LIST, Output, check_directory, check_file, written_file


def write(root: Path, files: dict[str, str], *, replaced: str = "") -> None:
    with Output(root, [*files, *([replaced] if replaced else [])]).writing(replaced) as folder:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)


def content(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and path.name != LIST
    }


def test_the_same_files_are_written_again_and_others_stay(tmp_path: Path):
    (tmp_path / "notes.part").write_text("mine")
    write(tmp_path, {"a": "1", "b/c": "2"})
    write(tmp_path, {"a": "3", "b/c": "4"})
    assert content(tmp_path) == {"a": "3", "b/c": "4", "notes.part": "mine"}


@pytest.mark.parametrize("name", ["a", "b/c", "b"])
def test_a_file_of_others_is_an_error_before_the_work(tmp_path: Path, name: str):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(InputError, match=rf"E356.*: {name} "):
        write(tmp_path, {"a": "1", "b/c": "2"}, replaced="b/")
    assert content(tmp_path) == {name: "mine"}


def test_a_file_that_was_changed_or_linked_is_anothers(tmp_path: Path):
    write(tmp_path, {"a": "1"})
    (tmp_path / "a").write_text("2")
    with pytest.raises(InputError, match="E356"):
        write(tmp_path, {"a": "1"})
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="E356"):
        write(tmp_path, {"a": "1"})


def test_what_an_earlier_run_wrote_goes_unless_it_was_changed(tmp_path: Path):
    write(tmp_path, {"s/x/one": "1", "s/y/two": "2", "other": "3"})
    output = Output(tmp_path, ["s/"])
    (tmp_path / "s" / "y" / "two").write_text("put there while it works")
    (tmp_path / "s" / "three").write_text("mine")
    with output.writing("s/") as folder:
        (folder / "s").mkdir()
        (folder / "s" / "four").write_text("4")
    assert content(tmp_path) == {
        "s/four": "4",
        "other": "3",
        "s/y/two": "put there while it works",
        "s/three": "mine",
    }
    assert not (tmp_path / "s" / "x").exists()


def test_a_file_that_came_in_the_way_meanwhile_stays_and_the_work_is_kept(tmp_path: Path):
    output = Output(tmp_path, ["a"])

    def work() -> None:
        with output.writing() as folder:
            (tmp_path / "a").write_text("mine")
            (folder / "a").write_text("ours")

    with pytest.raises(InputError, match="E356") as error:
        work()
    assert (tmp_path / "a").read_text() == "mine"
    kept = Path(error.value.faults[0].advice.rpartition(" ")[2])
    assert (kept / "a").read_text() == "ours"


def test_a_run_that_fails_or_is_killed_changes_nothing_and_leaves_nothing(tmp_path: Path):
    write(tmp_path, {"a": "1"})

    def fail() -> None:
        with Output(tmp_path, ["a"]).writing() as folder:
            (folder / "a").write_text("2")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert content(tmp_path) == {"a": "1"}
    child = os.fork()
    if child == 0:
        with Output(tmp_path, ["a"]).writing() as folder:
            (folder / "a").write_text("3")
            os._exit(9)
    os.waitpid(child, 0)
    assert "3" in content(tmp_path).values()
    write(tmp_path, {"a": "4"})
    assert content(tmp_path) == {"a": "4"}


def test_the_folder_of_a_run_at_work_stays(tmp_path: Path):
    with Output(tmp_path, ["a"]).writing() as folder:
        write(tmp_path, {"b": "1"})
        (folder / "a").write_text("2")
    assert content(tmp_path) == {"a": "2", "b": "1"}


def test_a_list_that_a_crash_has_cut_is_read_as_far_as_it_is_whole(tmp_path: Path):
    write(tmp_path, {"a": "1"})
    with (tmp_path / LIST).open("a") as stream:
        stream.write('{"file": "b", "byt')
    write(tmp_path, {"a": "2", "b": "1"})
    write(tmp_path, {"a": "3", "b": "2"})
    rows = [line for line in (tmp_path / LIST).read_text().split("\n") if line]
    assert json.loads(rows[0])["endophora"]


def test_what_is_held_is_ours_from_then_on(tmp_path: Path):
    (tmp_path / "work").mkdir()
    output = Output(tmp_path, held=["work/"])
    output.hold()
    (tmp_path / "work" / "x").write_text("ours")
    Output(tmp_path, held=["work/"]).hold()
    assert (tmp_path / LIST).read_text().count("work/") == 1
    with pytest.raises(InputError, match="E356"):
        Output(tmp_path, ["work/"])


def test_bad_places_are_told(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    for path in ("file", "file/below", "link", "link/below", "n" * 300):
        with pytest.raises(InputError, match="E355"):
            check_directory(tmp_path / path)
    for path in ("file/below", "folder", "n" * 300):
        with pytest.raises(InputError, match="E355"):
            check_file(tmp_path / path)
    for path in ("/proc/new", "/proc/new/below"):
        with pytest.raises(InputError, match="E355"):
            check_directory(Path(path))
        with pytest.raises(InputError, match="E355"):
            check_file(path)
    check_directory(tmp_path / "new" / "below")
    for path in ("file", "new/below", "link"):
        check_file(tmp_path / path)
    check_file("-")
    check_file(os.devnull)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "link", "folder"}


def test_a_place_that_may_not_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if os.geteuid() == 0:

        def refuse(**options: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match=r"E355.*Permission denied"):
        check_directory(tmp_path / "new")
    with pytest.raises(InputError, match=r"E355.*Permission denied"):
        check_file(tmp_path / "new")
    tmp_path.chmod(0o755)


def test_a_file_that_is_named_is_replaced_when_the_new_one_is_whole(tmp_path: Path):
    path = tmp_path / "new" / "a.gz"
    with written_file(path) as place:
        assert place.name == "a.gz"
        place.write_text("1")
    path.chmod(0o600)

    def fail() -> None:
        with written_file(path) as place:
            place.write_text("2")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "1"
    with written_file(path) as place, written_file(path) as other:
        place.write_text("3")
        other.write_text("4")
    assert path.read_text() == "3"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    with written_file(os.devnull) as place:
        assert place == Path(os.devnull)
