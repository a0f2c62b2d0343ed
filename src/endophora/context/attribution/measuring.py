"""Shares of many words by one model, and some words' flows for people to read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.cases import Case
from endophora.context.attribution.flows import Flow, Rows, Shares, Span, shares, words
from endophora.context.attribution.pieces import Part, Piece
from endophora.context.attribution.result import AttributedExample, FlowRow, FlowSentence, FlowWord


@dataclass(frozen=True, slots=True)
class Measured:
    """What a model generated some words from.

    Attributes:
        shares: for each word its shares; ``None`` where the model has no room for it or for its supporting words.
        examples: the flows that were asked for, by the number of the word.
    """

    shares: tuple[Shares | None, ...]
    examples: dict[int, AttributedExample]


def measure(
    name: str,
    attributor: Attributor,
    cases: Sequence[Case],
    *,
    rows: Rows = Rows.WORD,
    examples: Collection[int] = (),
    progress: Callable[[int], None] | None = None,
) -> Measured:
    """Attribute words to what a model read.

    Args:
        name: the model's.
        attributor: has the model.
        cases: the words.
        rows: which rows speak for a word.
        examples: numbers of the words whose flow is kept.
        progress: called with the number of words that were done.

    Raises:
        InputError: the model cannot be taken apart (E260, E261).
    """
    found: list[Shares | None] = [None] * len(cases)
    kept: dict[int, AttributedExample] = {}
    takes_target = attributor.takes_target_context
    for number, flow in attributor.flows([case.given for case in cases], [case.target for case in cases]):
        case = cases[number]
        support = [span for span in case.support if takes_target or span.part is not Part.TARGET_CONTEXT]
        if all(_stands(span, flow) for span in support if span.part is not Part.TARGET_PREFIX):
            found[number] = shares(flow.row(*case.word, rows), flow.columns, support)
            if number in examples:
                kept[number] = as_example(name, case, flow, rows)
        if progress is not None:
            progress(1)
    return Measured(tuple(found), kept)


def as_example(name: str, case: Case, flow: Flow, rows: Rows) -> AttributedExample:
    """Return a word's flow by words.

    Args:
        name: the model's.
        case: the word.
        flow: of its target.
        rows: which rows speak for it.
    """
    row = flow.row(*case.word, rows)
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
    grouped = words(flow.rows)
    spoken = Span(Part.TARGET_PREFIX, 0, *case.word)
    place = next(number for number, (word, _) in enumerate(grouped) if spoken.covers(word))
    return AttributedExample(
        id=case.id,
        model=name,
        document=case.document,
        phenomenon=case.group,
        distance=case.distance,
        word=case.target[slice(*case.word)],
        place=place,
        support=100 * found.support,
        context=100 * found.context,
        sentences=sentences,
        target=[_row(word, members, flow) for word, members in grouped],
    )


def _row(word: Piece, members: Sequence[int], flow: Flow) -> FlowRow:
    mean = flow.matrix[list(members)].mean(0)
    parts = {
        part.value.replace(" ", "_"): round(100 * float(mean[[one.part is part for one in flow.columns]].sum()), 3)
        for part in Part
    }
    return FlowRow(word=word.text, **parts)


def _stands(span: Span, flow: Flow) -> bool:
    """Tell whether any token that was read stands in a span."""
    return bool(np.any([span.covers(piece) for piece in flow.columns]))
