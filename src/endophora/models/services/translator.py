"""A translation service as a model that translates: estimate, cache, requests, and the right segment of each answer."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from endophora.errors import Fault, InputError
from endophora.models.records import ContextRead, ContextSentence, Decoding, ModelInput, SideRead, Translation
from endophora.models.services.options import RunOptions
from endophora.models.services.records import Answer, Cost, Kind, Price, Progress, Question, Resegmented, Service, Usage
from endophora.models.services.requests import Done, Group, GroupError, Pacer, Patience, Runner, group_questions
from endophora.signature import Keys, StoreKey, keyed
from endophora.stopping import keeping
from endophora.store import Store, default_store_path

_KEPT_ADVICE = (
    "it may hold translations that were paid for: endophora store verify --services saves what is whole of it, "
    "ENDOPHORA_CACHE names another directory"
)


def default_cache_path() -> Path:
    """Return where answers are kept: ``services.sqlite`` beside the store of annotations.

    It is a file apart since what is in it cannot be computed again, and costs money to have again.
    """
    return default_store_path().with_name("services.sqlite")


@keyed(code=False)
@dataclass(frozen=True, slots=True)
class _Answers:
    """What answers depend on besides the question: not on this package, which only asks."""

    place: str


class AnswerCache:
    """Questions to answers, on disk.

    A question's key is the hash of everything that determines the answer: service, address, all parameters, and the
    text. Used by one thread; each answer is on disk when :meth:`put` returns.

    Raises: InputError: the file cannot be used (E092, E093, E094, E154, E365).
    """

    def __init__(self, path: Path | None) -> None:
        # What was paid for is never removed to make room, and nothing more is paid for where it cannot be kept.
        self._store = Store(path, strict=True, limited=False, advice=_KEPT_ADVICE)

    def key(self, place: str, question: Question) -> StoreKey:
        """Return the key of a question."""
        return _keys(place)(question)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """Return the answers that are there."""
        return {key: _decode(value) for key, value in self._store.get_many(keys).items()}

    def put(self, entries: Sequence[tuple[StoreKey, Answer]]) -> None:
        """Keep answers."""
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        self._store.put_many({key: _encode(answer, today) for key, answer in entries}, "answers of services")

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self._store)

    def close(self) -> None:
        """Close the file."""
        self._store.close()


@cache
def _keys(place: str) -> Keys:
    return Keys(_Answers(place))


def _encode(answer: Answer, day: str) -> bytes:
    data = {
        "text": answer.text,
        "input": answer.usage.input,
        "output": answer.usage.output,
        "note": answer.note,
        "day": day,
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _decode(value: bytes) -> Answer:
    data = cast("dict[str, Any]", json.loads(value.decode("utf-8", "surrogatepass")))
    return Answer(str(data["text"]), Usage(int(data["input"]), int(data["output"])), str(data["note"]))


_ADVICE = {
    Kind.REFUSED: ("E243", "check the key, the account's quota, the languages and the options"),
    Kind.BUSY: ("E244", "try again later, with fewer requests at once (parallel=, requests_a_minute=)"),
    Kind.UNREADABLE: ("E245", "is the address that of this service?"),
    Kind.STOPPED: ("E244", "run it again"),
}

_ANSWERED = Fault("E362", "what the service has answered is kept", "run the same command again: it is not paid twice")


@dataclass(slots=True)
class _Tally:
    """Counts of one call."""

    total: int = 0
    done: int = 0
    cached: int = 0
    requests: int = 0
    retries: int = 0


class ServiceTranslator:
    """A :class:`~endophora.models.records.Translator` behind which a service stands.

    The thread that opened it may use it; it makes requests in several. Answers are kept on disk as they come: what was
    answered once is not asked again, whatever ended the run. Only requests that were under way at a kill are made
    again.

    Raises: InputError: the cache cannot be used (E092, E093, E094).
    """

    def __init__(self, service: Service, options: RunOptions, price: Price | None, cache: Path | None) -> None:
        self._service, self._options, self._price = service, options, price
        self._cache = AnswerCache(cache)
        patience = Patience(options.attempts, options.first_wait, options.longest_wait)
        pacer = Pacer(options.requests_a_minute, options.characters_a_minute)
        self._runner = Runner(service, pacer, patience, options.parallel)
        self._spent = 0.0
        self._reserved = 0.0

    @property
    def signature(self) -> str:
        """Service, model, languages, way of giving context, and what else answers depend on."""
        return self._service.signature

    @property
    def uses_target_context(self) -> bool:
        """Whether previous translations change the answer; if not, documents need not be translated in order."""
        return self._service.uses_target_context

    @property
    def spent(self) -> float | None:
        """What all calls have cost so far, in the currency of the price; ``None`` if that is not known."""
        return None if self._price is None else self._spent

    def close(self) -> None:
        """Close the cache and end the threads; the translator cannot be used any more."""
        self._runner.close()
        self._cache.close()

    def estimate(self, inputs: Sequence[ModelInput]) -> Cost:
        """Say what :meth:`translate` would cost; no request is made.

        Raises: InputError: an input cannot be sent to a service (E249).
        """
        plans = self._plans(inputs)
        first = self._unanswered([plan[0] for plan in plans if plan])
        every = self._unanswered([question for plan in plans for question in plan])
        usage = sum((question.usage for question in first), Usage())
        price = self._price
        return Cost(
            requests=len(group_questions(first, self._service.batch)),
            cached=len({(plan[0].shared, plan[0].text) for plan in plans if plan}) - len(first),
            usage=usage,
            unit=self._service.unit if price is None else price.unit,
            amount=None if price is None else price.amount(usage),
            worst=None if price is None else price.amount(sum((question.usage for question in every), Usage())),
            currency="" if price is None else price.currency,
            basis="the price is not known" if price is None else str(price),
        )

    def translate(
        self,
        inputs: Sequence[ModelInput],
        decoding: Decoding | None = None,  # noqa: ARG002
        *,
        progress: Callable[[Progress], None] | None = None,
    ) -> list[Translation]:
        """Translate each input; one translation for each, in their order.

        Raises: InputError (E249, E243, E244, E245, E246).
        """
        plans = self._plans(inputs)
        self._check_limit([plan[0] for plan in plans if plan])
        tally = _Tally()
        results = [Translation("")] * len(inputs)
        warnings: dict[int, list[str]] = {}
        pending = {place: 0 for place, plan in enumerate(plans) if plan}
        while pending:
            asked = {place: plans[place][way] for place, way in pending.items()}
            answers = self._obtain(list(asked.values()), tally, progress)
            pending = {}
            for place, question in asked.items():
                answer, plan = answers[self._key(question)], plans[place]
                read = _read(question, answer)
                following = _following(plan, question, read)
                if following is not None:
                    again = "in the same way" if plan[following].way == question.way else plan[following].way
                    warnings.setdefault(place, []).append(f"{read.fault}; asked again ({again})")
                    pending[place] = following
                    continue
                notes = [*warnings.get(place, []), *filter(None, (read.fault, read.remark, answer.note))]
                context = self._context(inputs[place], question)
                results[place] = Translation(_one_line(read.segment), None, "; ".join(notes), context)
        return results

    def _plans(self, inputs: Sequence[ModelInput]) -> list[tuple[Question, ...]]:
        """Return for each input what to ask, and what to fall back to; nothing for a blank one."""
        faults = [
            Fault(
                "E249",
                "the context is token ids, and services take text",
                "give text, or use a model that runs here",
                f"input {number}",
            )
            for number, item in enumerate(inputs, 1)
            if not all(isinstance(sentence, str) for sentence in (*item.source_context, *item.target_context))
        ]
        if faults:
            raise InputError(faults)
        return [self._service.questions(item) if item.source.strip() else () for item in inputs]

    def _context(self, item: ModelInput, question: Question) -> ContextRead:
        """Return how much context an answer had; a service with no way in for previous translations was given none."""
        target = item.target_context if self._service.uses_target_context else ()
        return ContextRead(_side(item.source_context, question.context), _side(target, question.target_context))

    def _key(self, question: Question) -> StoreKey:
        return self._cache.key(self._service.place, question)

    def _unanswered(self, questions: Sequence[Question]) -> list[Question]:
        distinct = {self._key(question): question for question in questions}
        there = self._cache.get(list(distinct))
        return [question for key, question in distinct.items() if key not in there]

    def _check_limit(self, questions: Sequence[Question]) -> None:
        """Refuse to begin what would pass the limit."""
        limit, price = self._options.limit, self._price
        todo = [] if limit is None else self._unanswered(questions)
        if limit is None or not todo:
            return
        if price is None:
            advice = "name a file with the price (prices=FILE), or leave the limit out"
            raise InputError(Fault("E246", "there is a limit on the cost, and no price is known", advice, "limit"))
        amount = self._spent + price.amount(sum((question.usage for question in todo), Usage()))
        if amount > limit:
            cause = f"the run would cost about {amount:.4f} {price.currency}, and the limit is {limit:g} ({price})"
            raise InputError(Fault("E246", cause, "raise the limit, or translate less; nothing was sent", "limit"))

    def _admit(self, group: Group) -> None:
        """Let a request begin, if it stays below the limit with all that are under way."""
        limit, price = self._options.limit, self._price
        if price is None:
            return
        amount = price.amount(sum((question.usage for question in group), Usage()))
        if limit is not None and self._spent + self._reserved + amount > limit:
            cause = (
                f"{self._spent:.4f} {price.currency} are spent, and the next request may pass the limit of {limit:g}"
            )
            advice = "raise the limit and run again: what was answered is in the cache"
            raise InputError(Fault("E246", cause, advice, "limit"))
        self._reserved += amount

    def _obtain(
        self, questions: Sequence[Question], tally: _Tally, progress: Callable[[Progress], None] | None
    ) -> dict[bytes, Answer]:
        """Return the answers of questions by key: those in the cache, and the others from the service."""
        distinct = {self._key(question): question for question in questions}
        answers = self._cache.get(list(distinct))
        tally.total += len(distinct)
        tally.cached += len(answers)
        tally.done += len(answers)

        def keep(done: Done) -> None:
            """Keep answers on disk before they count."""
            entries = [(self._key(one), answer) for one, answer in zip(done.group, done.answers, strict=True)]
            self._cache.put(entries)
            answers.update(entries)
            self._settle(done)
            tally.done += len(entries)
            tally.requests += 1
            tally.retries += done.attempts - 1

        def tell() -> None:
            """Say how far it is."""
            if progress is not None:
                currency = "" if self._price is None else self._price.currency
                counts = (tally.done, tally.total, tally.cached, tally.requests, tally.retries)
                progress(Progress(*counts, self.spent, currency))

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
        return answers

    def _settle(self, done: Done) -> None:
        if self._price is not None:
            self._reserved -= self._price.amount(sum((question.usage for question in done.group), Usage()))
            self._spent += self._price.amount(sum((answer.usage for answer in done.answers), Usage()))

    def _fault(self, error: GroupError, tally: _Tally) -> Fault:
        code, advice = _ADVICE[error.error.kind]
        start = " ".join(error.group[0].text.split())[:40]
        cause = f"{error.error.cause} (for “{start}”)"
        kept = f"{tally.done} of {tally.total} answers are in the cache and are not asked again"
        return Fault(code, cause, f"{advice}; {kept}", self._service.name)


@dataclass(frozen=True, slots=True)
class _Read:
    """What an answer says.

    Attributes:
        segment: the translation of the current segment: the last one, whatever came back.
        usable: whether it is that translation in spite of the fault.
    """

    segment: str
    fault: str = ""
    remark: str = ""
    usable: bool = False


def _read(question: Question, answer: Answer) -> _Read:
    """Return what an answer says of the current segment."""
    if question.joined is None:
        text = answer.text.strip()
        return _Read(text, "" if text or answer.note else "the answer is blank")
    if answer.note and not answer.text.strip():
        return _Read("")
    cut: Resegmented = question.joined.split(answer.text)
    if cut.fault:
        return _Read(cut.segments[-1], cut.fault, cut.remark)
    if "\n" in cut.segments[-1]:
        return _Read(cut.segments[-1], "the answer has more than one line", cut.remark, usable=True)
    return _Read(cut.segments[-1], "", cut.remark)


def _following(plan: Sequence[Question], question: Question, read: _Read) -> int | None:
    """Return which question comes after an answer; ``None`` if the answer is taken.

    A faulty answer is asked for in the same way first, since another way gives less of the context. One that still has
    more lines than were asked for is taken: with its context it says more than a tidy one without.
    """
    following = plan.index(question) + 1
    if not read.fault or following == len(plan):
        return None
    return None if read.usable and plan[following].way != question.way else following


def _side(given: Sequence[ContextSentence], kept: int) -> SideRead:
    """Return how much of a side's context a question had; blank sentences are none, and tokens are not known."""
    count = sum(bool(str(sentence).strip()) for sentence in given)
    return SideRead(count, kept, None, None) if count else SideRead()


def _one_line(segment: str) -> str:
    """Return a translation without line breaks."""
    return " ".join(segment.splitlines())
