"""What each word was made from, by one model: measured once, and kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.cases import Case
from endophora.context.attribution.flows import Floats, Flow, Part, Rows, Shares, Span, shares, words
from endophora.context.attribution.inseq_flows import InseqAttributor
from endophora.context.attribution.results import AttributedExample, FlowRow, FlowSentence, FlowWord
from endophora.models.records import ModelInput
from endophora.signature import Keys, keyed
from endophora.store import Store


class Explainer(Protocol):
    """Gives the flows of targets: an :class:`~endophora.context.attribution.attributor.Attributor`, or a file's."""

    @property
    def unread(self) -> frozenset[Part]:
        """The contexts that the model never reads."""
        ...

    @property
    def method(self) -> Signed:
        """The method, with its signature."""
        ...

    def flows(
        self,
        inputs: Sequence[ModelInput],
        targets: Sequence[str],
        others: Sequence[str] | None = None,
        wanted: Sequence[tuple[int, int] | None] | None = None,
    ) -> Iterator[tuple[int, Flow]]:
        """Yield numbers of inputs and their flows, as :meth:`Attributor.flows` does."""
        ...


class Signed(Protocol):
    """What has a signature."""

    @property
    def signature(self) -> str:
        """Method and variants."""
        ...


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model to be explained, with or without context; a sentence-level model may be measured in both ways."""

    name: str
    attributor: Explainer
    signature: str = ""
    context: bool = True


Measured = tuple[Shares | None, AttributedExample | None]
"""What a word was made from, ``None`` where the model has no room for it or its support; its flow, if it is drawn."""

BATCH = 32
"""Words that a broken run may lose."""


@keyed()
@dataclass(frozen=True, slots=True)
class _Attributions:
    """What the shares of a word depend on besides the word."""

    attributor: Attributor
    rows: Rows | None


def measure(
    model: NamedModel,
    cases: Sequence[Case],
    rows: Rows | None,
    drawn: Collection[int],
    store: Store,
    progress: Callable[[int], None] | None = None,
) -> list[Measured]:
    """Return what a model generated each word from; what is in the store is not measured again.

    Args:
        rows: which rows are used for a word; ``None`` for the one that compares it with a wrong form.
        drawn: numbers of the words whose flow is wanted too.
        store: keeps the shares of models, not those of files or of flows that are written.
        progress: called with the number of words that are done.
    """
    given = cases if model.context else [case.without_context() for case in cases]
    asked = model.attributor
    if not isinstance(asked, Attributor) or asked.taken is not None or not asked.named:
        made = dict(_values(model, given, range(len(given)), rows, drawn, progress))
        return [_read(model.name, made.get(number, _NOTHING)) for number in range(len(given))]
    key = Keys(_Attributions(asked, rows))
    keys = [key(case, number in drawn) for number, case in enumerate(given)]
    known = store.get_many(keys)
    missing = [number for number, one in enumerate(keys) if one not in known]
    if progress is not None:
        progress(len(keys) - len(missing))
    found = _values(model, given, missing, rows, drawn, progress)
    while batch := {keys[number]: value for number, value in islice(found, BATCH)}:
        store.put_many(batch, "attributions")
        known |= batch
    # What the model has no room for has no flow.
    rest = {keys[number]: _NOTHING for number in missing if keys[number] not in known}
    store.put_many(rest, "attributions")
    known |= rest
    return [_read(model.name, known[one]) for one in keys]


def _values(
    model: NamedModel,
    cases: Sequence[Case],
    chosen: Sequence[int],
    rows: Rows | None,
    drawn: Collection[int],
    progress: Callable[[int], None] | None,
) -> Iterator[tuple[int, bytes]]:
    """Yield numbers of words, and what the store has of them."""
    unread, asked = model.attributor.unread, [cases[number] for number in chosen]
    others = [case.wrong for case in asked] if rows is None else None
    # A file has the rows that it has, and is asked for those of the word.
    whole = () if isinstance(model.attributor, InseqAttributor) else drawn
    wanted = [None if number in whole else _wanted(cases[number], rows) for number in chosen]
    texts = [case.given for case in asked], [case.target for case in asked]
    for place, flow in model.attributor.flows(*texts, others, wanted):
        case, number = asked[place], chosen[place]
        support = [span for span in case.support if span.part not in unread]
        spans = [span for span in support if span.part is not Part.TARGET_PREFIX]
        value = _NOTHING
        if all(any(map(span.covers, flow.columns)) for span in spans):
            found = replace(shares(_row_of(case, flow, rows), flow.columns, support), residue=flow.residue)
            value = _written(found, as_example(model.name, case, flow, rows) if number in drawn else None)
        yield number, value
        if progress is not None:
            progress(1)


def _written(found: Shares | None, example: AttributedExample | None) -> bytes:
    values = found and [found.support, found.context, found.current, found.current_support, *found.parts.values()]
    kept = [values, example and example.model_dump(mode="json"), *([found.residue] if found and found.residue else [])]
    return json.dumps(kept, ensure_ascii=False).encode()


def _read(name: str, value: bytes) -> Measured:
    values, example, *residue = json.loads(value)
    parts = dict(zip(Part, values[4:], strict=True)) if values else {}
    found = Shares(*values[:4], parts=parts, residue=sum(residue)) if values else None
    return found, AttributedExample.model_validate({**example, "model": name}) if example else None


_NOTHING = _written(None, None)


def _wanted(case: Case, rows: Rows | None) -> tuple[int, int]:
    """Return of which stretch of the target rows are needed; the others cost time alone."""
    return (0 if rows is Rows.PREFIX_MEAN else case.word[0]), case.word[1]


def _row_of(case: Case, flow: Flow, rows: Rows | None) -> Floats:
    """Return the row of a word; without ``rows``, the one row of a flow that compares it with another."""
    return flow.matrix[0] if rows is None else flow.row(*case.word, rows)


def as_example(name: str, case: Case, flow: Flow, rows: Rows | None) -> AttributedExample:
    """Return a word's flow by words."""
    row = _row_of(case, flow, rows)
    found = shares(row, flow.columns, case.support)
    sentences: list[FlowSentence] = []
    before: tuple[Part, int] | None = None
    for word, members in words(flow.columns):
        # A token that no sentence has stays with the sentence before it.
        at = before if before and word.sentence < 0 and word.part is before[0] else (word.part, word.sentence)
        if at != before:
            sentences.append(FlowSentence(part=word.part.value, words=[]))
            before = at
        supports = any(span.covers(flow.columns[index]) for index in members for span in case.support)
        share = 100 * float(row[members].sum())
        sentences[-1].words.append(FlowWord(text=word.text, share=round(share, 3), support=supports))
    spoken, by_words = Span(Part.TARGET_PREFIX, 0, *case.word), flow.by_words()
    return AttributedExample(
        id=case.id,
        model=name,
        document=case.document,
        phenomenon=case.group,
        distance=case.distance,
        word=case.target[slice(*case.word)],
        place=next((place for place, word in enumerate(by_words.rows) if spoken.covers(word)), 0),
        support=100 * found.support,
        context=100 * found.context,
        sentences=sentences,
        target=[_row(word.text, row, by_words) for word, row in zip(by_words.rows, by_words.matrix, strict=True)],
    )


def _row(word: str, row: Floats, flow: Flow) -> FlowRow:
    parts = {
        part.value.replace(" ", "_"): round(100 * float(row[[one.part is part for one in flow.columns]].sum()), 3)
        for part in Part
    }
    return FlowRow(word=word, **parts)
