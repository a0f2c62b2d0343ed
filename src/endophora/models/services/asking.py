"""Asks a service: answers that are kept, what they cost, and requests for the others.

Requests go in parallel, with limits a minute and further attempts, and each answer is kept as it comes.
"""

from __future__ import annotations

import datetime
import email.utils
import json
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from endophora.errors import Fault, InputError
from endophora.models.services.records import (
    Answer,
    Cost,
    Kind,
    Price,
    Question,
    RequestError,
    ServiceProgress,
    Usage,
    total_usage,
)
from endophora.signature import Keys, StoreKey, keyed
from endophora.stopping import keeping
from endophora.store import Store, default_store_path

if TYPE_CHECKING:
    from endophora.models.services.options import RunOptions
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


_KEPT_ADVICE = (
    "it may hold translations that were paid for: endophora store verify --services saves what is whole of it, "
    "ENDOPHORA_CACHE names another directory"
)


def default_cache_path() -> Path:
    """Return where answers are kept: ``services.sqlite`` next to the store of annotations.

    It is a file apart since what is in it cannot be computed again, and costs money to have again.
    """
    return default_store_path().with_name("services.sqlite")


@keyed(code=False)
@dataclass(frozen=True, slots=True)
class _Answers:
    """What answers depend on besides the question: not on this package, which only asks."""

    place: str


# Answers that were paid for were first kept under this name, which is a part of their keys.
_Answers.__module__ = "endophora.models.services.translator"

_ADVICE = {
    Kind.REFUSED: ("E243", "check the key, the account's quota, the languages and the options"),
    Kind.BUSY: ("E244", "try again later, with fewer requests at once (parallel=, requests_a_minute=)"),
    Kind.UNREADABLE: ("E245", "is the address that of this service?"),
    Kind.STOPPED: ("E244", "run it again"),
    Kind.UNSCORED: (
        "E282",
        "ask in another way (logprobs=echo or prompt), or use a server that gives them (vLLM does)",
    ),
    Kind.OTHER_TOKENS: ("E283", "name the tokenizer of the model that the server has: tokenizer=FOLDER"),
}

_ANSWERED = Fault("E362", "what the service has answered is kept", "run the same command again: it is not paid twice")


class Asker:
    """Asks one service (E092, E093, E094, E154, E365).

    The thread that opened it may use it; it makes requests in several. Answers are kept on disk as they come, under
    the hash of all that determines them (service, address, parameters, text): what was answered once is not asked
    again, however the run ended. Only requests that were under way at a kill are made again.
    """

    def __init__(self, service: Asked[Any], options: RunOptions, price: Price | None, cache: Path | None) -> None:
        self._service, self._options, self._price = service, options, price
        # What was paid for is never removed to make room, and nothing more is paid for where it cannot be kept.
        self._store = Store(cache, strict=True, limited=False, advice=_KEPT_ADVICE)
        self._key = Keys(_Answers(service.place))
        patience = Patience(options.attempts, options.first_wait, options.longest_wait)
        pacer = Pacer(options.requests_a_minute, options.characters_a_minute)
        self._runner = Runner(service, pacer, patience, options.parallel)
        self._spent = self._reserved = 0.0

    @property
    def spent(self) -> float | None:
        """What all calls have cost so far, in the currency of the price; ``None`` if that is not known."""
        return None if self._price is None else self._spent

    def close(self) -> None:
        """Close the cache and end the threads; nothing can be asked any more."""
        self._runner.close()
        self._store.close()

    def tally(self) -> ServiceProgress:
        """Return a count of answers at its beginning."""
        return ServiceProgress(currency="" if self._price is None else self._price.currency)

    def estimate(self, plans: Sequence[Sequence[Question]]) -> Cost:
        """Say what questions would cost, of each plan the first, and at worst the others too; nothing is asked."""
        first = self._unanswered([plan[0] for plan in plans if plan])
        every = self._unanswered([question for plan in plans for question in plan])
        usage, price = total_usage(first), self._price
        return Cost(
            requests=len(group_questions(first, self._service.batch)),
            cached=len({(plan[0].shared, plan[0].text) for plan in plans if plan}) - len(first),
            usage=usage,
            unit=self._service.unit if price is None else price.unit,
            amount=None if price is None else price.amount(usage),
            worst=None if price is None else price.amount(total_usage(every)),
            currency="" if price is None else price.currency,
            basis="the price is not known" if price is None else str(price),
        )

    def _unanswered(self, questions: Sequence[Question]) -> list[Question]:
        distinct = {self._key(question): question for question in questions}
        there = self._answers(distinct)
        return [question for key, question in distinct.items() if key not in there]

    def _answers(self, keys: Iterable[bytes]) -> dict[bytes, Answer]:
        """Return the answers that are kept."""
        found: dict[bytes, Answer] = {}
        for key, value in self._store.get_many(list(keys)).items():
            data = cast("dict[str, Any]", json.loads(value.decode("utf-8", "surrogatepass")))
            usage = Usage(int(data["input"]), int(data["output"]))
            found[key] = Answer(str(data["text"]), usage, str(data["note"]))
        return found

    def _keep(self, answers: Mapping[StoreKey, Answer]) -> None:
        """Keep answers: each is on disk when this returns."""
        day = datetime.datetime.now(datetime.UTC).date().isoformat()
        encoded: dict[StoreKey, bytes] = {}
        for key, one in answers.items():
            usage = {"input": one.usage.input, "output": one.usage.output}
            data = {"text": one.text, **usage, "note": one.note, "day": day}
            encoded[key] = json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self._store.put_many(encoded, "answers of services")

    def check_limit(self, questions: Sequence[Question]) -> None:
        """Refuse to begin what would pass the limit."""
        limit, price = self._options.limit, self._price
        todo = [] if limit is None else self._unanswered(questions)
        if limit is None or not todo:
            return
        if price is None:
            advice = "name a file with the price (prices=FILE), or leave the limit out"
            raise InputError(Fault("E246", "there is a limit on the cost, and no price is known", advice, "limit"))
        amount = self._spent + price.amount(total_usage(todo))
        if amount > limit:
            cause = f"the run would cost about {amount:.4f} {price.currency}, and the limit is {limit:g} ({price})"
            raise InputError(Fault("E246", cause, "raise the limit, or translate less; nothing was sent", "limit"))

    def _admit(self, group: Group) -> None:
        """Let a request begin, if it stays below the limit with all that are under way."""
        limit, price = self._options.limit, self._price
        if price is None:
            return
        amount = price.amount(total_usage(group))
        if limit is not None and self._spent + self._reserved + amount > limit:
            cause = (
                f"{self._spent:.4f} {price.currency} are spent, and the next request may pass the limit of {limit:g}"
            )
            advice = "raise the limit and run again: what was answered is in the cache"
            raise InputError(Fault("E246", cause, advice, "limit"))
        self._reserved += amount

    def obtain(
        self,
        questions: Sequence[Question],
        tally: ServiceProgress | None = None,
        progress: Callable[[ServiceProgress], None] | None = None,
    ) -> list[Answer]:
        """Return the answer of each question: those in the cache, and the others from the service."""
        tally = tally or self.tally()
        distinct = {self._key(question): question for question in questions}
        answers = self._answers(distinct)
        tally.total += len(distinct)
        tally.cached += len(answers)
        tally.done += len(answers)

        def keep(done: Done) -> None:
            """Keep answers on disk before they count."""
            entries = {self._key(one): answer for one, answer in zip(done.group, done.answers, strict=True)}
            self._keep(entries)
            answers.update(entries.items())
            if self._price is not None:
                self._reserved -= self._price.amount(total_usage(done.group))
                self._spent += self._price.amount(total_usage(done.answers))
            tally.done += len(done.answers)
            tally.requests += 1
            tally.retries += done.attempts - 1

        def tell() -> None:
            """Say how far it is."""
            if progress is not None:
                progress(replace(tally, spent=self.spent))

        tell()
        self._reserved = 0.0
        todo = [question for key, question in distinct.items() if key not in answers]
        failure: Fault | None = None
        try:
            with keeping(_ANSWERED):
                self._runner.run(group_questions(todo, self._service.batch), keep, self._admit, tell)
        except GroupError as error:
            failure = self._fault(error, tally)
        if failure is not None:
            raise InputError(failure)
        return [answers[self._key(question)] for question in questions]

    def _fault(self, error: GroupError, tally: ServiceProgress) -> Fault:
        code, advice = _ADVICE[error.error.kind]
        start = " ".join(error.group[0].text.split())[:40]
        cause = f"{error.error.cause} (for “{start}”)"
        kept = f"{tally.done} of {tally.total} answers are in the cache and are not asked again"
        return Fault(code, cause, f"{advice}; {kept}", self._service.name)
