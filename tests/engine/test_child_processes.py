"""Processes that work for another end with it, whatever they are doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

PARENT = """
import time
import slow_to_import
from endophora.engine.processes import start_child

print(start_child(slow_to_import.serve).process.pid, flush=True)
time.sleep(60)
"""

SLOW = """
import multiprocessing, time

if multiprocessing.parent_process() is not None:
    open("importing", "w").close()
    time.sleep(60)

def serve(connection):
    connection.recv()
"""


def _is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_that_is_still_importing_what_it_serves_ends_with_its_parent(tmp_path):
    (tmp_path / "slow_to_import.py").write_text(SLOW)
    # A script given as text is one that children do not run again.
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        deadline = time.monotonic() + 30
        while not (tmp_path / "importing").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        deadline = time.monotonic() + 10
        while _is_there(child):
            assert time.monotonic() < deadline, "it goes on importing for nobody"
            time.sleep(0.05)
    finally:
        if _is_there(child):
            os.kill(child, signal.SIGKILL)
