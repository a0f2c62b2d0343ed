"""A worker does nothing with another version, other models or other files than the run's own process."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from toy_task import CountWords, FromFile, documents

from endophora.engine import EngineOptions, run
from endophora.engine.shipping import Shipment, difference, extract_files
from endophora.errors import EndophoraError, InputError


@dataclass(frozen=True)
class Elsewhere(CountWords):
    """A task whose signature is another one in each process."""

    @property
    def signature(self) -> str:
        return f"same|process:{os.getpid()}"


def test_a_worker_with_another_signature_refuses_and_says_what_differs(tmp_path: Path):
    with pytest.raises(InputError, match=r"E357.*process:.*and the run.*process:") as error:
        run(Elsewhere(), partial(documents, 20), tmp_path, EngineOptions(workers=1))
    assert "same" not in error.value.faults[0].cause


def test_a_worker_with_another_version_refuses(monkeypatch: pytest.MonkeyPatch):
    sent = Shipment(CountWords())
    sent.load()
    monkeypatch.setattr("endophora.engine.shipping.__version__", "0.0.9")
    with pytest.raises(EndophoraError, match=r"E357.*“package:0.0.9”.*“package:"):
        sent.load()


def test_files_travel_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "words.txt").write_text("ours")
    (tmp_path / "there" / "words.txt").write_text("another file of the same name")
    monkeypatch.chdir(tmp_path / "here")
    sent = Shipment(FromFile())
    packed = sent.packed()
    monkeypatch.chdir(tmp_path / "there")
    packed.load()
    with pytest.raises(EndophoraError, match=r"E357.*another file.*“content:ours”"):
        sent.load()


def test_a_folder_travels_whole_and_one_that_cannot_be_read_is_told(tmp_path: Path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_text("text")

    class Folder(CountWords):
        signature = "folder"
        files = (tmp_path / "a",)

        def moved(self, places):
            found = places[tmp_path / "a"]
            assert found.name == "a"
            assert (found / "b" / "c").read_text() == "text"
            return self

    Shipment(Folder()).packed().load()
    (tmp_path / "a" / "b" / "c").unlink()
    (tmp_path / "a" / "b").rmdir()
    (tmp_path / "a").rmdir()
    with pytest.raises(EndophoraError, match="E358"):
        Shipment(Folder()).packed()


def test_the_difference_of_signatures_is_in_their_fields():
    assert difference("a:1|b:2|c:3", "a:1|b:5|c:3") == ("“b:2”", "“b:5”")
    assert difference("a|b", "a") == ("“b”", "“nothing”")
    assert difference("a|b", "b|a") == ("“a|b”", "“b|a”")


def test_the_folder_of_a_worker_goes_with_it_also_when_it_is_killed():
    program = (
        "import os, time; from endophora.engine.shipping import temporary_folder\n"
        "folder = temporary_folder(); time.sleep(0.5)\n"
        "print(folder, folder.is_dir(), flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    name, was_there = killed.stdout.split()
    assert was_there == "True"
    end = time.monotonic() + 20
    while Path(name).exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(name).exists()


def packed(*members: tuple[str, bytes | None]) -> BytesIO:
    """Return an archive of files, and of links where there is no content."""
    stream = BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                member.size = len(content)
            archive.addfile(member, None if content is None else BytesIO(content))
    stream.seek(0)
    return stream


def test_the_files_of_an_archive_lie_below_its_folder(tmp_path: Path):
    with tarfile.open(fileobj=packed(("a/b/c", b"here"), ("d", b""))) as archive:
        extract_files(archive, tmp_path)
    found = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"a/b/c": b"here", "d": b""}


@pytest.mark.parametrize("member", [("../out", b"x"), ("/tmp/endophora-out", b"x"), ("link", None)])
def test_a_member_of_an_archive_that_leads_elsewhere_is_not_written(tmp_path: Path, member: tuple[str, bytes | None]):
    folder = tmp_path / "folder"
    folder.mkdir()
    with tarfile.open(fileobj=packed(member)) as archive, pytest.raises(tarfile.TarError, match="no file or folder"):
        extract_files(archive, folder)
    assert [path for path in tmp_path.rglob("*") if path != folder] == []
