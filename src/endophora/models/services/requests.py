"""Requests in parallel: limits a minute, further attempts, and each answer kept as it comes."""

from __future__ import annotations

import email.utils
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from endophora.models.services.records import Answer, Kind, Question, RequestError

if TYPE_CHECKING:
    from endophora.models.services.providers import Asked

_WINDOW = 60.0
_UNREADABLE_ATTEMPTS = 2  # an answer that cannot be read may have been billed all the same
_TEMPORARY = frozenset({408, 409, 425, 429})

T = TypeVar("T")


class Pacer:
    """Keeps requests and characters of any 60 seconds under a limit, over all threads.

    A request with more characters than the limit goes when nothing else does.
    """

    def __init__(
        self, requests: int | None, characters: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._requests, self._characters, self._clock = requests, characters, clock
        self._lock = threading.Lock()
        self._made: deque[tuple[float, int]] = deque()
        self._closed_until = float("-inf")

    def enter(self, characters: int, wait: Callable[[float], bool]) -> None:
        """Wait until a request may be made, and count it; ``wait`` returns whether the run was ended: RequestError."""
        while True:
            with self._lock:
                now = self._clock()
                seconds = self._seconds(now, characters)
                if seconds <= 0:
                    self._made.append((now, characters))
                    return
            _wait(seconds, wait)

    def pause(self, seconds: float) -> None:
        """Let no request be made for some seconds: the service has asked for it."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _seconds(self, now: float, characters: int) -> float:
        while self._made and self._made[0][0] <= now - _WINDOW:
            self._made.popleft()
        until = self._closed_until
        count, total = len(self._made), sum(sent for _, sent in self._made)
        for moment, sent in self._made:
            crowded = self._requests is not None and count >= self._requests
            if not crowded and not (self._characters is not None and total + characters > self._characters):
                break
            until = max(until, moment + _WINDOW)
            count, total = count - 1, total - sent
        return until - now


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is made, and how many seconds are waited in between.

    The first wait is doubled for each further one, and varied by a quarter so that parallel requests do not come again
    at once.
    """

    attempts: int
    first: float
    longest: float

    def ask(
        self,
        request: Callable[[], T],
        enter: Callable[[], None],
        pause: Callable[[float], None],
        wait: Callable[[float], bool],
    ) -> tuple[T, int]:
        """Make a request until there is an answer, and return how often; RequestError where there is none."""
        attempt = 0
        while True:
            enter()
            attempt += 1
            try:
                return request(), attempt
            except RequestError as error:
                most = min(self.attempts, _UNREADABLE_ATTEMPTS) if error.kind is Kind.UNREADABLE else self.attempts
                if error.kind not in (Kind.BUSY, Kind.UNREADABLE) or attempt >= most:
                    raise
                if error.wait is not None and error.wait > self.longest:
                    raise RequestError(
                        error.kind, f"{error.cause}; it asks to come again in {error.wait:.0f} seconds", error.wait
                    ) from None
                if error.wait is None:
                    spread = random.uniform(0.75, 1.25)  # noqa: S311
                    seconds = min(self.longest, self.first * 2.0 ** (attempt - 1) * spread)
                else:
                    seconds = error.wait
                    pause(seconds)
            _wait(seconds, wait)


def status_error(status: int, cause: str, retry_after: str | None) -> RequestError:
    """Return what a status of HTTP means."""
    kind = Kind.BUSY if status in _TEMPORARY or status >= 500 else Kind.REFUSED
    return RequestError(kind, f"{status} {cause}".strip(), read_retry_after(retry_after))


def read_retry_after(header: str | None) -> float | None:
    """Return the seconds of a ``Retry-After`` header: a number, or a date; ``None`` if it is neither."""
    text = (header or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None


def _wait(seconds: float, wait: Callable[[float], bool]) -> None:
    if wait(seconds):
        raise RequestError(Kind.STOPPED, "the run was ended")


Group = tuple[Question, ...]
"""Questions of one request."""


@dataclass(frozen=True, slots=True)
class Done:
    """A request that was answered."""

    group: Group
    answers: tuple[Answer, ...]
    attempts: int


class GroupError(Exception):
    """A request that failed for good."""

    def __init__(self, group: Group, error: RequestError) -> None:
        self.group, self.error = group, error
        super().__init__(str(error))


def group_questions(questions: Sequence[Question], batch: tuple[int, int]) -> list[Group]:
    """Put questions into requests: those that follow one another and have their parameters in common.

    A request has at most ``batch`` questions and bytes of their texts; a longer text goes alone.
    """
    groups: list[list[Question]] = []
    size = 0
    for question in questions:
        length = len(question.text.encode("utf-8", "surrogatepass"))
        fits = bool(groups) and len(groups[-1]) < batch[0] and size + length <= batch[1]
        if fits and groups[-1][0].shared == question.shared:
            groups[-1].append(question)
            size += length
        else:
            groups.append([question])
            size = length
    return [tuple(group) for group in groups]


class Runner:
    """Makes requests of one service."""

    def __init__(self, service: Asked[Any], pacer: Pacer, patience: Patience, parallel: int) -> None:
        self._service, self._pacer, self._patience, self._parallel = service, pacer, patience, parallel
        # Threads stay between runs: each has its own connection, and what it takes to be let in.
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="endophora-service")

    def close(self) -> None:
        """End the threads; there can be no further runs."""
        self._pool.shutdown()

    def run(
        self,
        groups: Sequence[Group],
        keep: Callable[[Done], None],
        admit: Callable[[Group], None],
        tell: Callable[[], None],
    ) -> None:
        """Make requests until all are answered; GroupError where one failed for good.

        If the run ends early for any reason, requests under way are waited for, and those that are answered are kept.
        """
        stop = threading.Event()
        waiting: Iterator[Group] = iter(groups)
        under_way: dict[Future[Done], Group] = {}
        failed: GroupError | None = None
        try:
            while failed is None:
                while len(under_way) < self._parallel and (group := next(waiting, None)) is not None:
                    admit(group)
                    under_way[self._pool.submit(self._ask, group, stop)] = group
                if not under_way:
                    return
                failed = self._collect(under_way, keep)
                tell()
        finally:
            stop.set()
            while under_way:
                self._collect(under_way, keep)
        raise failed

    def _collect(self, under_way: dict[Future[Done], Group], keep: Callable[[Done], None]) -> GroupError | None:
        """Take what is done; return the first failure of a request that was not merely stopped."""
        failed: GroupError | None = None
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            group = under_way.pop(future)
            error = future.exception()
            if error is None:
                keep(future.result())
            elif not isinstance(error, RequestError):
                raise error
            elif error.kind is not Kind.STOPPED:
                failed = failed or GroupError(group, error)
        return failed

    def _ask(self, group: Group, stop: threading.Event) -> Done:
        def request() -> list[Answer]:
            """Make the request once."""
            answers = self._service.ask(group)
            if len(answers) != len(group):
                cause = f"{len(answers)} translations came back for {len(group)} texts"
                raise RequestError(Kind.UNREADABLE, cause)
            return answers

        characters = sum(len(question.text) for question in group)
        answers, attempts = self._patience.ask(
            request, lambda: self._pacer.enter(characters, stop.wait), self._pacer.pause, stop.wait
        )
        return Done(group, tuple(answers), attempts)
