"""Asks a service: answers that are kept, requests for the others, and what they cost."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from endophora.errors import Fault, InputError
from endophora.models.services.records import Answer, Cost, Kind, Price, Question, ServiceProgress, Usage, total_usage
from endophora.models.services.requests import Done, Group, GroupError, Pacer, Patience, Runner, group_questions
from endophora.signature import Keys, StoreKey, keyed
from endophora.stopping import keeping
from endophora.store import Store, default_store_path

if TYPE_CHECKING:
    from endophora.models.services.options import RunOptions
    from endophora.models.services.providers import Asked

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
