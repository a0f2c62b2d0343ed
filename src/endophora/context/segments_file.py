"""P-CXMI of every sentence and word on disk: JSON Lines, one sample a line, beside ``result.json``.

The conditions of a ``gain`` are those of ``result.json``, in its order. Values are in nats, to six decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import ConfigDict, Field, FiniteFloat, ValidationError

from endophora.context.cxmi_figures import context_texts
from endophora.context.json_lines import Rows
from endophora.context.pointwise import Pointwise
from endophora.context.samples import Sample
from endophora.context.words import FloatArray, Word
from endophora.corpus.faults import FaultLog
from endophora.engine.durable import replacing
from endophora.errors import Fault, InputError
from endophora.models.records import ContextRead, ModelInput, SideRead
from endophora.record import Record

SEGMENTS = "segments.jsonl"
"""How the file is called."""

_DECIMALS = 6
_Place = Annotated[int, Field(ge=0)]


class _Line(Record):
    model_config = ConfigDict(strict=True)


class SideLine(_Line):
    """Context of one side: sentences and tokens that were given, and those that were read."""

    given: _Place
    kept: _Place
    given_tokens: _Place | None = Field(description="null where the model does not tell")
    kept_tokens: _Place | None


class ContextLine(_Line):
    """How much context a sample had in a condition."""

    source: SideLine
    target: SideLine
    assumed: bool = Field(description="the model does not tell, and all counts as read")


class WordLine(_Line):
    """A word of a gold output."""

    start: _Place = Field(description="in the target, in characters")
    end: _Place
    lemma: str
    labels: list[str] = Field(description="part of speech, alone and with features")
    tags: list[str] = Field(description="phenomena")
    logprob: FiniteFloat = Field(description="without context")
    gain: list[FiniteFloat] = Field(description="P-CXMI in each condition")


class SegmentLine(_Line):
    """A sample; its sentence's P-CXMI is the sum of its words' and its end's."""

    document: str
    segment: _Place = Field(description="from 0, in the document")
    source: str
    target: str
    source_context: list[str] = Field(description="oldest first, as much as the largest condition gives")
    target_context: list[str]
    pieces: int = Field(ge=1, description="sub-words of the target, its end included")
    logprob: FiniteFloat = Field(description="of the whole target without context")
    gain: list[FiniteFloat] = Field(description="P-CXMI of the sentence in each condition")
    end: list[FiniteFloat] = Field(description="P-CXMI of the end of the sentence in each condition")
    contexts: list[ContextLine] = Field(description="how much context each condition gave, and how much was read")
    words: list[WordLine]


def write_segments(measured: Sequence[Pointwise], path: Path) -> None:
    """Write P-CXMI of every sample and word; the file is there whole or not at all.

    Raises:
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        for one in measured:
            stream.write(_line(one).model_dump_json() + "\n")


def read_segments(path: Path, conditions: int) -> list[Pointwise]:
    """Read what :func:`write_segments` wrote.

    Args:
        path: the file.
        conditions: how many there are in the result that it stands beside.

    Raises:
        InputError: with all faults: those of files (E001–E007), a line that is no JSON object (E310) or not in this
            form (E312), and one of other conditions than the result's (E315).
    """
    log = FaultLog()
    rows = Rows(path, log)
    measured: list[Pointwise] = []
    for number, value in rows:
        try:
            line = SegmentLine.model_validate(value)
        except ValidationError as error:
            for one in error.errors():
                place = ".".join(map(str, one["loc"]))
                log.add("E312", f"{place}: {one['msg']}", "write it anew with context cxmi", rows.file, number)
            continue
        lengths = {len(line.gain), len(line.end), len(line.contexts), *(len(word.gain) for word in line.words)}
        if lengths != {conditions} or any(not word.start <= word.end <= len(line.target) for word in line.words):
            cause = f"the line does not fit its text, or the {conditions} conditions of the result"
            log.add("E315", cause, "write both anew with context cxmi", rows.file, number)
            continue
        measured.append(_pointwise(line, conditions))
    log.check()
    if not measured:
        raise InputError(Fault("E315", "there is no segment", "write it anew with context cxmi", rows.file))
    return measured


def _line(one: Pointwise) -> SegmentLine:
    sample = one.sample
    return SegmentLine(
        document=sample.document,
        segment=sample.segment,
        source=sample.whole.source,
        target=sample.target,
        source_context=context_texts(sample.whole.source_context),
        target_context=context_texts(sample.whole.target_context),
        pieces=one.pieces,
        logprob=round(one.base, _DECIMALS),
        gain=_rounded(one.totals),
        end=_rounded(one.end),
        contexts=[ContextLine.model_validate(asdict(context)) for context in one.contexts],
        words=[
            WordLine(
                start=word.start,
                end=word.end,
                lemma=word.lemma,
                labels=list(word.labels),
                tags=list(word.tags),
                logprob=round(float(one.base_words[number]), _DECIMALS),
                gain=_rounded(one.words[:, number]),
            )
            for number, word in enumerate(sample.words)
        ],
    )


def _pointwise(line: SegmentLine, conditions: int) -> Pointwise:
    words = tuple(
        Word(word.start, word.end, line.target[word.start : word.end], word.lemma, tuple(word.labels), tuple(word.tags))
        for word in line.words
    )
    whole = ModelInput(line.source, tuple(line.source_context), tuple(line.target_context))
    gains = np.array([word.gain for word in line.words], dtype=np.float64).reshape(len(words), conditions)
    base = np.array([word.logprob for word in line.words], dtype=np.float64)
    sample = Sample(line.document, line.segment, whole, line.target, words)
    contexts = tuple(
        ContextRead(SideRead(**dict(one.source)), SideRead(**dict(one.target)), one.assumed) for one in line.contexts
    )
    return Pointwise(sample, line.pieces, line.logprob, base, gains.T, np.array(line.end, dtype=np.float64), contexts)


def _rounded(values: FloatArray) -> list[float]:
    return [round(float(value), _DECIMALS) for value in values]
