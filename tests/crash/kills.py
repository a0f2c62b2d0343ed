"""Kills runs of the engine at random moments, and counts what was done twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "toy_run.py"
EXTRACTION = PROGRAM.with_name("extract_run.py")
"""The same with the real task; its first option is the corpus."""


@dataclass(frozen=True)
class Ended:
    """A program that has ended: its exit status and what it printed."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Kill:
    """A killed run.

    Attributes:
        seconds: how long it had run.
        begun: shards that it had begun.
        kept: shards that it had done and recorded.
        total: shards that are done after it, those of earlier runs included.
    """

    seconds: float
    begun: int
    kept: int
    total: int

    @property
    def redone(self) -> int:
        """Shards that were begun in vain."""
        return self.begun - self.kept


def command(output: Path, log: Path, *options: str, program: Path = PROGRAM) -> list[str]:
    log.mkdir(exist_ok=True)
    return [sys.executable, str(program), str(output), str(log), *options]


def start(output: Path, log: Path, *options: str, program: Path = PROGRAM) -> subprocess.Popen[str]:
    path = [str(program.parent.parent / "engine"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        command(output, log, *options, program=program),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    )


def complete(output: Path, log: Path, *options: str, program: Path = PROGRAM, timeout: float = 300) -> Ended:
    started = start(output, log, *options, program=program)
    out, err = started.communicate(timeout=timeout)
    return Ended(started.returncode, out, err)


def summary(ended: Ended) -> dict[str, object]:
    assert ended.status == 0, ended.err
    return json.loads(ended.out.splitlines()[-1])


def shards_done(output: Path, log: Path | None = None) -> int:
    """Shards that are done: files of them, or all that the log names once the output is complete."""
    if log is not None and (output / "rows.parquet").exists():
        return len({path.name.partition(".")[0] for path in log.iterdir()})
    return len(list(output.glob("work/shards/*/[0-9]*.parquet")))


def kill_once(
    output: Path, log: Path, seconds: float, *options: str, program: Path = PROGRAM, after: int = 0
) -> Kill | None:
    """Start a run and kill it after some seconds; ``None`` if it was complete before.

    Seconds are counted from when it has begun more than ``after`` shards, unless that is 0: the first shard of a worker
    may wait for models.
    """
    begun, done = _files(log), shards_done(output, log)
    begin = time.monotonic()
    started = start(output, log, *options, program=program)
    while after and started.poll() is None and _files(log) <= begun + after:
        time.sleep(0.02)
    try:
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        # Only the run itself: its workers have to notice.
        started.send_signal(signal.SIGKILL)
    lived = time.monotonic() - begin
    _, err = started.communicate()
    if started.returncode == 0:
        return None
    assert started.returncode == -signal.SIGKILL, err
    wait_until_alone(started.pid)
    now = shards_done(output, log)
    return Kill(lived, _files(log) - begun, now - done, now)


def _files(folder: Path) -> int:
    return len(list(folder.iterdir())) if folder.exists() else 0


def wait_until_alone(session: int, seconds: float = 10) -> None:
    """Wait until all processes of a session have ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not session_processes(session):
            return
        time.sleep(0.02)
    raise AssertionError(f"processes outlive their run: {session_processes(session)}")


def session_processes(session: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session) and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def kill_often(
    folder: Path,
    kills: int,
    seed: int,
    longest: float,
    *options: str,
    program: Path = PROGRAM,
    late: float = 0.0,
    after: int = 0,
) -> list[Kill]:
    """Kill runs at random moments, each going on with the last; a directory that is complete is begun again.

    Moments are at most ``longest`` seconds after the start; of a share ``late`` of them, after the run has begun more
    than ``after`` shards.
    """
    generator = random.Random(seed)
    found: list[Kill] = []
    place = 0
    while len(found) < kills:
        seconds = generator.uniform(0.05, longest)
        wait = after if late and generator.random() < late else 0
        places = (folder / f"out{place}", folder / f"log{place}")
        kill = kill_once(*places, seconds, *options, program=program, after=wait)
        if kill is None:
            place += 1
        else:
            found.append(kill)
    return found
