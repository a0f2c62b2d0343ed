"""Programs of others end with the process that started them; a library can be left out."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from endophora.process import run_bound, without

PARENT = """
import sys
from endophora.process import run_bound, without
run_bound([sys.executable, "-c", {code!r}])
"""
CHILD = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import os, time; print(os.getpid(), file=open({path!r}, 'w')); time.sleep(60)"])
"""


def alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended may wait for somebody to ask how."""
    stat = Path(f"/proc/{process}/stat")
    try:
        os.kill(process, 0)
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_status_and_text_of_a_program_are_returned():
    code = "import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.exit(3)"
    assert run_bound([sys.executable, "-c", code]) == (3, "out\nerr\n")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no groups of processes")
def test_what_a_program_has_started_ends_when_its_caller_is_killed(tmp_path: Path):
    path = tmp_path / "pid"
    program = subprocess.Popen([sys.executable, "-c", PARENT.format(code=CHILD.format(path=str(path)))])
    while not path.exists() or not path.read_text().strip():
        assert program.poll() is None
        time.sleep(0.02)
    program.send_signal(signal.SIGKILL)
    program.wait()
    grandchild = int(path.read_text())
    end = time.monotonic() + 20
    while alive(grandchild):
        assert time.monotonic() < end, "it outlives its caller"
        time.sleep(0.05)


def test_a_library_is_missing_in_the_block_alone_unless_it_was_imported_before():
    with without("tabnanny"), pytest.raises(ImportError):
        importlib.import_module("tabnanny")
    assert importlib.import_module("tabnanny").check
    with without("json"):
        assert importlib.import_module("json") is json


def test_an_embedded_pipeline_needs_no_torch():
    opened = "from endophora.annotate.loading import load_annotator; load_annotator('pt').nlp"
    code = f"import sys; {opened}; print('torch' in sys.modules)"
    assert run_bound([sys.executable, "-c", code]) == (0, "False\n")


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library"
)
def test_what_was_freed_in_small_pieces_is_given_back():
    """A piece that stays between those that were freed keeps the C library from giving back what is below it."""
    code = """
from endophora.process import give_back_memory
def resident():
    return int(open("/proc/self/statm").read().split()[1]) // 256
pieces = [bytes(1000) for _ in range(60_000)]
last = bytes(1000)
pieces.clear()
before = resident()
give_back_memory()
print(before - resident() > 30)
"""
    assert run_bound([sys.executable, "-c", code]) == (0, "True\n")
