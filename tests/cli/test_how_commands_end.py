"""How commands end that do not come to their end: signals, streams that take no more, and what nobody foresaw."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from command import run

BIN = f"{sys.executable} -m endophora"


def program(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program, and return what came of it."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, **variables},
    )


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, which fails as the first of its commands that fails."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, **variables},
    )


IMPORTING = """
import os, sys
class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Strike())
from endophora.cli import main
main()
"""

COMPUTING = """
import os, sqlite3, sys, threading, time
from endophora.errors import Fault
from endophora.stopping import keeping, watch_signals
watch_signals()
threading.Timer(0.1, os.kill, (os.getpid(), {number})).start()
with keeping(Fault("E362", "this is kept", "go on")):
    {work}
"""
FOR_EVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
WORK = {
    "a library computes": f"sqlite3.connect(':memory:').execute({FOR_EVER!r})",
    "something swallows it": """while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass""",
}


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_it_imports_is_one_line(number: int, status: int):
    done = program(IMPORTING.format(number=int(number)))
    assert done.returncode == status
    assert done.stderr.count("\n") == 1
    assert f"[E362] – stopped by {signal.Signals(number).name}; " in done.stderr


C_CODE = """
import os, sys
class Strike:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            try:
                os.kill(os.getpid(), {number})
                sum(range(9))
            except BaseException:
                os.abort()
sys.meta_path.insert(0, Strike())
from endophora.cli import main
main()
"""


@pytest.mark.parametrize("name", ["typer", "endophora.errors", "dataclasses"])
def test_a_signal_while_c_code_imports_is_one_line_though_it_takes_no_exception(name: str):
    """As torch does, which is in C++ when it imports ``torch.distributed``."""
    done = program(C_CODE.format(name=name, number=int(signal.SIGINT)))
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("[E362] – stopped by SIGINT; ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_signal_ends_a_process_that_does_not_come_back_from_a_library(work: str):
    begin = time.monotonic()
    done = program(COMPUTING.format(number=15, work=work))
    assert time.monotonic() - begin < 20
    assert done.returncode == 143
    assert done.stderr == "[E362] – stopped by SIGTERM; this is kept – go on\n"


LAUNCHED = """
import os, subprocess, sys, time
if len(sys.argv) > 1:
    from endophora.stopping import Stopped, stop_with_launcher, watch_signals
    watch_signals()
    stop_with_launcher()
    print("started", flush=True)
    try:
        time.sleep(60)
    except Stopped as stopped:
        print("stopped by", stopped.number)
else:
    subprocess.run([sys.executable, __file__, "child"])
"""


ACCELERATE = ["-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--main_process_port", "0"]


@pytest.mark.parametrize(
    ("launcher", "count"),
    [
        ([], 1),
        pytest.param(
            ACCELERATE,
            2,
            marks=pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed"),
        ),
    ],
    ids=["one process", "accelerate"],
)
def test_no_process_outlives_its_launcher(launcher: list[str], count: int, tmp_path: Path):
    script = tmp_path / "launched.py"
    script.write_text(LAUNCHED, "utf-8")
    process = subprocess.Popen(
        [sys.executable, *launcher, str(script), *(["child"] if launcher else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ} if launcher else {**os.environ, "TORCHELASTIC_RUN_ID": "one"},
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(count)] == ["started\n"] * count
    process.kill()
    # The pipe ends with the last process that holds it.
    assert process.communicate(timeout=20)[0] == "stopped by 15\n" * count


def test_only_the_command_takes_the_signals():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert run("--version") == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize("error", [KeyError("a\nb"), EOFError("cut"), OSError(5, "broken"), BrokenPipeError()])
def test_what_nobody_foresaw_is_one_line_and_a_file_for_those_who_repair_it(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path))
    monkeypatch.setattr("endophora.cli.inventory.print_table", fail)
    assert run("languages") == 70
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "[E360]" in shown
    assert type(error).__name__ in shown
    (file,) = (tmp_path / "crashes").iterdir()
    assert str(file) in shown
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text("utf-8")
    assert "Traceback" in text
    assert "endophora languages" in text
    assert "Python 3." in text


def test_what_a_thread_raises_is_told_too(tmp_path: Path):
    code = """
import threading
import endophora.cli.app as app
from endophora.cli.commands import build
def work() -> None:
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
app.app.add_command(build(work), "work")
import sys
sys.argv = ["endophora", "work"]
from endophora.cli import main
main()
"""
    done = program(code, ENDOPHORA_CACHE=str(tmp_path))
    assert done.returncode == 70
    assert done.stderr.count("\n") == 1
    assert "ZeroDivisionError" in done.stderr


def test_an_interrupt_before_signals_are_watched_is_one_line():
    done = program(IMPORTING.format(number="__import__('signal').SIGINT").replace('"typer"', '"endophora.stopping"'))
    assert done.returncode == 130
    assert done.stderr.startswith("[E362] – stopped by SIGINT")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_while_the_watch_is_set_up_is_one_line():
    done = program("""
import os, signal
from endophora.cli import main
pipe = os.pipe
def strike():
    os.kill(os.getpid(), signal.SIGINT)
    return pipe()
os.pipe = strike
main()
""")
    assert (done.returncode, done.stderr.count("\n")) == (130, 1)
    assert done.stderr.startswith("[E362] – stopped by SIGINT; ")


def test_a_command_that_is_done_does_not_wait_for_its_libraries_to_be_taken_down(tmp_path: Path):
    code = """
import atexit, sys, time
import endophora.cli.app as app
from endophora.cli.commands import build
class Library:
    def __del__(self):
        time.sleep(60)
library = Library()
def work() -> None:
    atexit.register(print, "closed")
app.app.add_command(build(work), "work")
sys.argv = ["endophora", "work"]
from endophora.cli import main
main()
"""
    done = program(code, ENDOPHORA_CACHE=str(tmp_path))
    assert done.returncode == 0
    assert done.stdout == "closed\n"


@pytest.mark.parametrize(
    ("line", "status", "code"),
    [
        (f"{BIN} --help >&-", 2, "E364"),
        (f"{BIN} --help >/dev/full", 2, "E364"),
        (f"{BIN} evaluate -l en-de -s - -r x -y a=x <&-", 2, "E363"),
        (f"{BIN} --help | true", 0, ""),
        (f"{BIN} --help 2>&- | cat", 0, ""),
        (f"{BIN} --help 2>&1 | head -n 1", 0, ""),
    ],
)
def test_a_stream_that_is_closed_full_or_left_is_no_traceback(tmp_path: Path, line: str, status: int, code: str):
    done = shell(f"cd {tmp_path}; {line}")
    assert done.returncode == status, done.stderr
    assert f"[{code}]" in done.stderr if code else done.stderr == ""


def test_an_ascii_terminal_is_no_traceback_and_a_file_is_utf_8():
    done = shell(f"{BIN} languages", LC_ALL="POSIX", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert "–" in done.stdout
