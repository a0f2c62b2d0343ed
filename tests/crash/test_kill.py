"""A killed run goes on where it stopped, and ends with the bytes of one that was never killed."""

from __future__ import annotations

import os
import re
import signal
import time
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
from kills import complete, kill_often, shards_done, start, summary, wait_until_alone
from toy_run import CountWords, documents

from endophora.engine import EngineOptions, RunSummary, run

WORKERS = 2
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def go_on(output: Path, log: Path, count: int = 200, shard: int = 20) -> RunSummary:
    """Do in this process what a run has left, as the program would."""
    log.mkdir(exist_ok=True)
    options = EngineOptions(executor="serial", shard_segments=shard)
    return run(CountWords(log=str(log)), partial(documents, count), output, options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The output of a run that was left alone."""
    folder = tmp_path_factory.mktemp("whole")
    return go_on(folder / "out", folder / "log").path.read_bytes()


def test_killed_at_random_moments_it_goes_on_and_redoes_a_shard_a_worker_at_most(tmp_path: Path, whole: bytes):
    begin = time.monotonic()
    summary(complete(tmp_path / "out", tmp_path / "log", "--seconds", "0.01"))
    # On a busy machine a run takes longer to begin: the moments are spread over as long as one takes now.
    kills = kill_often(tmp_path, 5, 7, max(2.0, time.monotonic() - begin), "--seconds", "0.01")
    assert all(0 <= kill.redone <= WORKERS for kill in kills)
    places = sorted(tmp_path.glob("out*"))
    go_on(places[-1], tmp_path / f"log{places[-1].name.removeprefix('out')}")
    assert all((place / "rows.parquet").read_bytes() == whole for place in places)


def test_killed_before_any_step_that_reaches_the_disk_it_goes_on(tmp_path: Path):
    small = ("--executor", "serial", "--documents", "7", "--seconds", "0")
    expected = go_on(tmp_path / "whole", tmp_path / "log", 7).path.read_bytes()
    ended = complete(tmp_path, tmp_path / "log", *small, "--die-everywhere")
    assert ended.status == 0, ended.err
    # One process a step, each with a directory named by the number of the step; the last one met none.
    statuses = [int(status) for status in re.findall(r"^ended (\d+)$", ended.out, re.MULTILINE)]
    points = len(statuses) - 1
    assert statuses == [9] * points + [0]
    assert points >= 15
    for point in range(1, points + 1):
        place = tmp_path / str(point)
        # The output is never there half, at any moment.
        assert not (place / "rows.parquet").exists() or (place / "rows.parquet").read_bytes() == expected
        run(CountWords(), partial(documents, 7), place, EngineOptions(executor="serial"))
        assert (place / "rows.parquet").read_bytes() == expected
        assert not list(place.glob("**/*.part"))
        assert not list(place.glob("work/shards/*/*"))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("executor", ["serial", "process"])
def test_a_signal_stops_it_at_once_with_a_message_and_it_goes_on(
    tmp_path: Path, whole: bytes, number: int, status: int, executor: str
):
    program = start(tmp_path / "out", tmp_path / "log", "--executor", executor, "--seconds", "0.02")
    assert program.stdout is not None
    while int(program.stdout.readline()) < 2:
        pass
    # As a terminal does with Ctrl-C: to all processes of the group.
    os.killpg(program.pid, number)
    begin = time.monotonic()
    _, err = program.communicate(timeout=30)
    assert time.monotonic() - begin < 3
    assert program.returncode == status
    assert "[E159]" in err
    assert "run the same command again" in err
    assert "Traceback" not in err
    wait_until_alone(program.pid, seconds=2)
    done = shards_done(tmp_path / "out")
    assert done >= 2
    after = go_on(tmp_path / "out", tmp_path / "log")
    begun = len(list((tmp_path / "log").iterdir()))
    assert 0 <= begun - done - after.worked_shards <= (WORKERS if executor == "process" else 1)
    assert (tmp_path / "out" / "rows.parquet").read_bytes() == whole


def test_a_second_run_is_refused_with_the_owners_process_and_a_killed_owner_is_not_in_the_way(
    tmp_path: Path, whole: bytes
):
    first = start(tmp_path / "out", tmp_path / "log", "--seconds", "0.02")
    assert first.stdout is not None
    first.stdout.readline()
    second = complete(tmp_path / "out", tmp_path / "log2")
    assert second.status == 2
    assert "[E151]" in second.err
    assert f"process {first.pid} on " in second.err
    first.kill()
    first.communicate()
    wait_until_alone(first.pid)
    assert (tmp_path / "out" / "work" / "lock").read_text().count(f'"pid": {first.pid}') == 1
    go_on(tmp_path / "out", tmp_path / "log")
    assert (tmp_path / "out" / "rows.parquet").read_bytes() == whole


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run of some megabytes of text."""
    place = tmp_path_factory.mktemp("large")
    run(CountWords(), partial(documents, 5000), place, EngineOptions(executor="serial", shard_segments=3000))
    return place / "rows.parquet"


@pytest.mark.parametrize("limit", [20_000, 65_000], ids=["a shard", "the output"])
def test_a_file_that_cannot_grow_loses_nothing(tmp_path: Path, limit: int, large: Path):
    """Shards have some 25 kB, the output 125 kB."""
    options = ("--executor", "serial", "--documents", "5000", "--shard", "3000", "--seconds", "0")
    full = complete(tmp_path / "out", tmp_path / "log", *options, "--largest-file", str(limit))
    assert full.status == 2
    assert "[E154]" in full.err
    assert "Traceback" not in full.err
    assert not list((tmp_path / "out").glob("**/*.part"))
    assert not list((tmp_path / "out").glob("rows.parquet"))
    done = shards_done(tmp_path / "out")
    after = go_on(tmp_path / "out", tmp_path / "log", 5000, 3000)
    assert (done, after.worked_shards) == ((0, 6) if limit < 25_000 else (6, 0))
    assert (tmp_path / "out" / "rows.parquet").read_bytes() == large.read_bytes()
