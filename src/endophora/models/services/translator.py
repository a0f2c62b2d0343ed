"""A translation service as a model that translates: estimate, cache, requests, and the right segment of each answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endophora.errors import Fault, InputError
from endophora.models.chunks import Chunk, Reply
from endophora.models.records import (
    ContextRead,
    ContextSentence,
    Decoding,
    ModelInput,
    SideRead,
    Translation,
    is_filled,
)
from endophora.models.services.asking import Asker
from endophora.models.services.records import CUT_OFF, Answer, Cost, Price, Question, Resegmented, ServiceProgress

if TYPE_CHECKING:
    from endophora.models.services.options import RunOptions
    from endophora.models.services.providers import Service


class ServiceTranslator:
    """A :class:`~endophora.models.records.Translator` behind which a service stands, asked by an :class:`Asker`."""

    def __init__(self, service: Service[Any], options: RunOptions, price: Price | None, cache: Path | None) -> None:
        self._service = service
        self.signature, self.uses_target_context = service.signature, service.uses_target_context
        self._asker = Asker(service, options, price, cache)

    @property
    def spent(self) -> float | None:
        """What all calls have cost so far, in the currency of the price; ``None`` if that is not known."""
        return self._asker.spent

    def close(self) -> None:
        """Close the cache and end the threads; the translator cannot be used any more."""
        self._asker.close()

    def estimate(self, inputs: Sequence[ModelInput]) -> Cost:
        """Say what :meth:`translate` would cost; no request is made (E249)."""
        return self._asker.estimate(self._plans(inputs))

    def estimate_chunks(self, plans: Sequence[Sequence[Chunk]]) -> Cost:
        """Say what :meth:`translate_chunks` would cost; of each plan the first, and at worst the others too."""
        return self._asker.estimate([[self._service.chunk_question(chunk) for chunk in plan] for plan in plans])

    def translate(
        self,
        inputs: Sequence[ModelInput],
        decoding: Decoding | None = None,  # noqa: ARG002
        *,
        progress: Callable[[ServiceProgress], None] | None = None,
    ) -> list[Translation]:
        """Translate each input; one translation for each, in their order (E249, E243, E244, E245, E246)."""
        plans = self._plans(inputs)
        self._asker.check_limit([plan[0] for plan in plans if plan])
        tally = self._asker.tally()
        results = [Translation("")] * len(inputs)
        warnings: dict[int, list[str]] = {}
        pending = {place: 0 for place, plan in enumerate(plans) if plan}
        while pending:
            asked = {place: plans[place][way] for place, way in pending.items()}
            answers = self._asker.obtain(list(asked.values()), tally, progress)
            pending = {}
            for (place, question), answer in zip(asked.items(), answers, strict=True):
                plan = plans[place]
                read = _read(question, answer)
                following = _following(plan, question, read)
                if following is not None:
                    again = "in the same way" if plan[following].way == question.way else plan[following].way
                    warnings.setdefault(place, []).append(f"{read.fault}; asked again ({again})")
                    pending[place] = following
                    continue
                notes = [*warnings.get(place, []), *filter(None, (read.fault, read.remark, answer.note))]
                given = inputs[place]
                # A service with no way in for previous translations was given none.
                target = given.target_context if self._service.uses_target_context else ()
                sides = _side(given.source_context, question.context), _side(target, question.target_context)
                text = " ".join(read.segments[-1].splitlines())
                results[place] = Translation(text, None, "; ".join(notes), ContextRead(*sides))
        return results

    def translate_chunks(
        self,
        chunks: Sequence[Chunk],
        decoding: Decoding | None = None,  # noqa: ARG002
    ) -> list[Reply]:
        """Translate several segments in each request (E243, E244, E245, E246); what is too long is not sent."""
        asked = [self._service.chunk_question(chunk) for chunk in chunks]
        longest = self._service.longest
        sent = [
            longest is None or len(chunk.sources) == 1 or len(one.text.encode("utf-8", "surrogatepass")) <= longest
            for one, chunk in zip(asked, chunks, strict=True)
        ]
        wanted = [one for one, goes in zip(asked, sent, strict=True) if goes]
        self._asker.check_limit(wanted)
        answers = iter(self._asker.obtain(wanted))
        found = [next(answers) if goes else None for goes in sent]
        return [
            Reply("", sent=False)
            if answer is None
            else Reply(answer.text, question.joined, answer.note == CUT_OFF, note=answer.note.replace(CUT_OFF, ""))
            for question, answer in zip(asked, found, strict=True)
        ]

    def _plans(self, inputs: Sequence[ModelInput]) -> list[tuple[Question, ...]]:
        """Return for each input what to ask, and what to fall back to; nothing for a blank one."""
        cause, advice = "the context is token ids, and services take text", "give text, or use a model that runs here"
        faults = [
            Fault("E249", cause, advice, f"input {number}")
            for number, item in enumerate(inputs, 1)
            if not all(isinstance(sentence, str) for sentence in (*item.source_context, *item.target_context))
        ]
        if faults:
            raise InputError(faults)
        return [self._service.questions(item) if item.source.strip() else () for item in inputs]


def _read(question: Question, answer: Answer) -> Resegmented:
    """Return the segments of an answer; its last one is the current one, however complete the answer is."""
    if question.joined is None:
        text = answer.text.strip()
        return Resegmented((text,), "" if text or answer.note else "the answer is blank")
    if answer.note and not answer.text.strip():
        return Resegmented(("",))
    cut = question.joined.split(answer.text)
    if not cut.fault and "\n" in cut.segments[-1]:
        return replace(cut, fault="the answer has more than one line", usable=True)
    return cut


def _following(plan: Sequence[Question], question: Question, read: Resegmented) -> int | None:
    """Return which question comes after an answer; ``None`` if the answer is taken.

    A faulty answer is asked for in the same way first, since another way gives less of the context. One that still has
    more lines than were asked for is taken: with its context it says more than a tidy one without.
    """
    following = plan.index(question) + 1
    if not read.fault or following == len(plan):
        return None
    return None if read.usable and plan[following].way != question.way else following


def _side(given: Sequence[ContextSentence], kept: int) -> SideRead:
    """Return how much of a side's context a question had; tokens are not known."""
    count = sum(map(is_filled, given))
    return SideRead(count, kept, None, None) if count else SideRead()
