"""A run of the engine as a program, to be killed: python toy_run.py OUTPUT LOG [--workers 2 …]."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "engine"))

from toy_task import CountWords, documents

from endophora.engine import EngineOptions, run
from endophora.errors import EndophoraError
from endophora.stopping import Stopped, tell_stop, watch_signals


def die_at(point: int) -> None:
    """End the process, as ``kill -9`` does, before the n-th step that reaches the disk; tell how many there were."""
    steps = 0

    def counting(function: Callable) -> Callable:
        @wraps(function)
        def wrapper(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps == point:
                os._exit(9)
            return function(*arguments, **options)

        return wrapper

    for owner, names in ((os, ["fsync"]), (Path, ["mkdir", "replace", "unlink"])):
        for name in names:
            setattr(owner, name, counting(getattr(owner, name)))


def die_everywhere(given: argparse.Namespace) -> int:
    """Do the run in processes that die before the first step, the second …, until one comes to its end."""
    point, code = 0, 9
    folder = given.output
    while code:
        point += 1
        # A fork before anything of the run: its imports, most of the time of a run, are paid once.
        if (child := os.fork()) == 0:
            die_at(point)
            given.output = folder / str(point)
            os._exit(work(given))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(f"ended {code}", flush=True)
        if code not in (0, 9):
            return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("log")
    parser.add_argument("--executor", default="process")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.002)
    parser.add_argument("--shard", type=int, default=20)
    parser.add_argument("--die-everywhere", action="store_true")
    parser.add_argument("--largest-file", type=int)
    parser.add_argument("--address", default="")
    given = parser.parse_args()
    if given.die_everywhere:
        return die_everywhere(given)
    if given.largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.largest_file, resource.RLIM_INFINITY))
    return work(given)


def work(given: argparse.Namespace) -> int:
    options = EngineOptions(
        executor=given.executor, workers=given.workers, shard_segments=given.shard, address=given.address
    )
    task = CountWords(log=given.log, seconds=given.seconds)
    watch_signals()
    try:
        summary = run(
            task,
            partial(documents, given.documents),
            given.output,
            options,
            lambda progress: print(progress.shards, flush=True),
        )
    except EndophoraError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except Stopped as stopped:
        tell_stop(stopped.number, lambda fault: print(fault, file=sys.stderr))
        return 128 + stopped.number
    print(json.dumps({"checksum": summary.checksum, "worked": summary.worked_shards, "lost": summary.lost}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
