"""Commands of training in processes of their own, forked where all that they import is loaded: seconds, paid once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["endophora.cli.train", "endophora.training.translation.train", "accelerate"])


def start(
    command: Sequence[str],
    out: Path,
    err: Path,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] | None = None,
) -> BaseProcess:
    """Start a command that writes to files, with more in its environment, after a function of a module of tests.

    It ends with the tests, whatever it waits for.
    """
    arguments = (command, out, err, dict(environment or {}), before)
    process = _CONTEXT.Process(target=_work, args=arguments, daemon=True)
    process.start()
    return process


def _work(
    command: Sequence[str], out: Path, err: Path, environment: dict[str, str], before: Callable[[], object] | None
) -> None:
    from endophora.cli import main

    os.environ.update(environment)
    for stream, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream)
    sys.argv = ["endophora", *command]
    if before:
        before()
    main()
