"""Commands that are killed or asked to stop leave no process behind, and say what is kept."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
from command_kills import INT, KILL, PATIENCE, STATUS, TERM, Command, start, write_corpus
from kills import session_processes

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    """Commands that start processes, with little to do."""
    corpus = write_corpus(tmp_path_factory.mktemp("corpus"))
    pairs = corpus.with_name("pairs.tsv")
    rows = [line.split("\t")[:3] for line in corpus.read_text("utf-8").splitlines()]
    pairs.write_text("".join("\t".join(row).replace("reference:ref", "target") + "\n" for row in rows), "utf-8")
    evaluate = ("evaluate", "-l", "en-de", "--input", str(corpus), "-q", "-w", "2", "-p", "gender")
    extract = ("extract", "-l", "en-de", "-i", str(pairs), "-q", "-w", "2", "-p", "gender")
    return {
        "evaluate": Command(
            "evaluate", lambda place: (*evaluate, "-o", f"{place}/out", "--store", f"{place}/store.sqlite"), ()
        ),
        "extract": Command("extract", lambda place: (*extract, "-o", f"{place}/out"), ()),
    }


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("extract", KILL, ""),
        ("extract", TERM, "[E159]"),
        ("evaluate", KILL, ""),
        ("evaluate", INT, "what was computed is kept in the store"),
    ],
)
def test_no_process_outlives_a_command(commands: dict[str, Command], tmp_path: Path, name: str, number: int, said: str):
    program = start(commands[name], tmp_path)
    # The first that extract starts tells the signature; a tracker of resources is one more process.
    while len(session_processes(program.pid)) < 3:
        assert program.poll() is None, (tmp_path / "stderr").read_text()
        time.sleep(0.01)
    os.kill(program.pid, number)
    assert program.wait(20) == STATUS[number]
    end = time.monotonic() + 4 * PATIENCE
    while (left := session_processes(program.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left
    message = (tmp_path / "stderr").read_text("utf-8")
    assert said in message
    assert number == KILL or message.count("\n") == 1
