"""One function over many items, in this process or in several, in the order of the items."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar, cast

from endophora.engine.processes import Child, end_children, speaking, start_child
from endophora.engine.workers import Failure, cores, failure
from endophora.errors import EndophoraError, EngineError, Fault
from endophora.process import prepare_process
from endophora.store import StoreWarning, add_troubles, take_troubles

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def map_ordered(
    make: Callable[[], Callable[[Item], Outcome]], items: Sequence[Item], workers: int = 1
) -> Iterator[Outcome]:
    """Yield ``make()(item)`` for each item, in order, or raise what it raised at the place of its item.

    ``make`` is called once in each process that works. With several workers it must be picklable (a module's function
    or a partial of one), and so must items and outcomes; a process that dies is E361.
    """
    if workers <= 1 or len(items) <= 1:
        function = make()
        for item in items:
            yield function(item)
        return
    yield from _map_in_children(make, items, min(workers, len(items)))


def run_elsewhere(function: Callable[[Item], Outcome], item: Item) -> Outcome:
    """Return ``function(item)``, computed in another process (E361): what it loads takes no memory here."""
    return next(_map_in_children(partial(_same, function), [item], 1))


def _same(function: Callable[[Item], Outcome]) -> Callable[[Item], Outcome]:
    return function


def _map_in_children(
    make: Callable[[], Callable[[Item], Outcome]], items: Sequence[Item], workers: int
) -> Iterator[Outcome]:
    children: list[Child] = []
    waiting = iter(enumerate(items))
    at: dict[Child, int] = {}
    heard: dict[int, _Answer] = {}

    def hand_out(child: Child) -> None:
        """Send a child its next item, when it waits for one: two that send at once would wait for each other."""
        if not child.connection.closed and (following := next(waiting, None)) is not None:
            at[child] = following[0]
            child.send(bytes(ForkingPickler.dumps(following[1])))

    try:
        for _ in range(workers):
            children.append(start_child(_serve, make))
            hand_out(children[-1])
        for number in range(len(items)):
            while number not in heard:
                for child in speaking(list(at)):
                    heard[at.pop(child)] = _receive(child)
                    hand_out(child)
            answer = heard.pop(number)
            add_troubles(answer.troubles)
            yield cast("Outcome", answer.outcome())
    finally:
        end_children(children)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of an item; can be sent from one process to another."""

    value: object = None
    error: Exception | None = None
    failure: Failure | None = None
    troubles: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])

    def outcome(self) -> object:
        """Return the value, or raise the error."""
        if self.failure is not None:
            raise self.failure.error()
        if self.error is not None:
            raise self.error
        return self.value


def _receive(child: Child) -> _Answer:
    try:
        return cast("_Answer", child.connection.recv())
    except (EOFError, OSError):
        cause = f"a process that did part of the work was lost ({child.ending()})"
        advice = "give more memory or fewer --workers, and run the same command again"
        return _Answer(error=EngineError(Fault("E361", cause, advice)))
    except Exception as error:
        # An exception that can be pickled and not be made from it again.
        return _Answer(error=error)


def _serve(connection: Connection, make: Callable[[], Callable[[Any], Any]]) -> None:
    """Work until the parent ends the connection; runs in the child."""
    prepare_process()
    # The process that asked tells what went wrong with the store.
    warnings.simplefilter("ignore", StoreWarning)
    function: Callable[[Any], Any] | None = None
    while True:
        item = connection.recv()
        try:
            # One long-lived function a process, so that models are loaded once.
            function = function or make()
            answer = ForkingPickler.dumps(_Answer(function(item), troubles=take_troubles()))
        except Exception as error:
            answer = _pickled(error)
        connection.send_bytes(answer)


def _pickled(error: Exception) -> bytes:
    # Coded errors are sent as what they say, since an exception's own state is lost on the way.
    if isinstance(error, EndophoraError):
        return bytes(ForkingPickler.dumps(_Answer(failure=failure(error))))
    trace = "".join(traceback.format_exception(error))
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        error.add_note(trace)
        return bytes(ForkingPickler.dumps(_Answer(error=error)))
    except Exception:
        found = RuntimeError(f"{type(error).__name__}: {error}")
        found.add_note(trace)
        return bytes(ForkingPickler.dumps(_Answer(error=found)))


def useful_workers(words: int, words_per_worker: int = 60_000) -> int:
    """Return how many processes are worth starting for so many words: a process takes seconds to load its models."""
    return max(1, min(cores(), words // words_per_worker))
