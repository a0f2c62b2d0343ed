"""Requests in parallel: a few at once, each answer kept as it comes, none lost when the run ends early."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from endophora.models.services.pacing import Pacer, Patience
from endophora.models.services.records import Answer, Kind, Question, RequestError, Service

Group = tuple[Question, ...]
"""Questions of one request."""


@dataclass(frozen=True, slots=True)
class Done:
    """A request that was answered."""

    group: Group
    answers: tuple[Answer, ...]
    attempts: int


class GroupError(Exception):
    """A request that was given up."""

    def __init__(self, group: Group, error: RequestError) -> None:
        self.group, self.error = group, error
        super().__init__(str(error))


def group_questions(questions: Sequence[Question], batch: tuple[int, int]) -> list[Group]:
    """Put questions into requests: those that follow one another and have their parameters in common.

    Args:
        batch: most questions of a request, and most bytes of their texts; a longer text goes alone.
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

    def __init__(self, service: Service, pacer: Pacer, patience: Patience, parallel: int) -> None:
        self._service, self._pacer, self._patience, self._parallel = service, pacer, patience, parallel
        # Threads stay between runs: each has a connection of its own, and what it takes to be let in.
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
        """Make requests until all are answered.

        Whatever ends the run early, requests under way are waited for, and those that are answered are kept.

        Raises: GroupError: a request was given up.
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
        """Take what is done; return the first failure that is one of its own."""
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
        characters = sum(len(question.text) for question in group)
        answers, attempts = self._patience.ask(
            lambda: self._answers(group),
            lambda: self._pacer.enter(characters, stop.wait),
            self._pacer.pause,
            stop.wait,
        )
        return Done(group, tuple(answers), attempts)

    def _answers(self, group: Group) -> list[Answer]:
        answers = self._service.ask(group)
        if len(answers) != len(group):
            cause = f"{len(answers)} translations came back for {len(group)} texts"
            raise RequestError(Kind.UNREADABLE, cause)
        return answers
