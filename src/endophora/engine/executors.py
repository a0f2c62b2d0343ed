"""Run one function over items in this process or in several, in order."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar, cast

from endophora.process import prepare_process
from endophora.store import StoreWarning, add_troubles, take_troubles

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

_function: Callable[[Any], Any] | None = None


def _start(make: Callable[[], Callable[[Any], Any]]) -> None:
    # One long-lived function a process, so that models are loaded once.
    global _function
    prepare_process()
    warnings.simplefilter("ignore", StoreWarning)
    _function = make()


def _call(item: object) -> tuple[object, dict[str, tuple[int, str]]]:
    # The process that asked tells what went wrong with the store.
    return cast("Callable[[object], object]", _function)(item), take_troubles()


def map_ordered(
    make: Callable[[], Callable[[Item], Outcome]], items: Sequence[Item], workers: int = 1
) -> Iterator[Outcome]:
    """Yield ``make()(item)`` for each item, in the order of the items.

    Args:
        make: returns the function; called once in each process that works. With several workers it must be
            picklable (a module's function or a partial of one), and so must items and outcomes.
        items: what to work on.
        workers: number of processes; with 1, or a single item, the work is done in this process.

    Raises:
        Exception: whatever the function raises, at the place of its item.
    """
    if workers <= 1 or len(items) <= 1:
        function = make()
        for item in items:
            yield function(item)
        return
    # "spawn" is the one start method that is safe with threads and the same on every system.
    context = get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(items)), context, initializer=_start, initargs=(make,)) as pool:
        for outcome, troubles in pool.map(_call, items):
            add_troubles(troubles)
            yield cast("Outcome", outcome)


def useful_workers(words: int, words_per_worker: int = 60_000) -> int:
    """Return how many processes are worth starting for so many words: a process takes seconds to load its models."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(cores, words // words_per_worker))
