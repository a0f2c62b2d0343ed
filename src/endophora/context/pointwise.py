"""P-CXMI: how much more probable a context makes each word of a gold output (the MuDA paper, §2.2).

The same model scores every output with and without context. The context-free side is scored once for all numbers
of conditions; so is an input that two conditions share, as at the beginning of a document.

On disk it is JSON Lines, one sample a line, next to ``result.json``, with the conditions in its order; values are in
nats, to six decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import ConfigDict, Field, FiniteFloat, ValidationError

from endophora.context.context_read import KeptAnswers, context_of, fitted, scored_by, trimmed
from endophora.context.samples import JsonRows, Sample, Word, word_logprobs
from endophora.corpus.faults import FaultLog
from endophora.errors import Fault, InputError
from endophora.files import replacing
from endophora.models.records import ContextRead, ContextSentence, ModelInput, ScoredTarget, Scorer, SideRead, Sides
from endophora.record import Record
from endophora.statistics.units import FloatArray
from endophora.store import Store

_CHUNK = 2048
"""Samples that are asked for at a time: enough for many workers to have their parts, and little to hold."""


@dataclass(frozen=True, slots=True)
class ContextCondition:
    """Which context a sample is given."""

    sides: Sides
    size: int

    @property
    def name(self) -> str:
        """Name for tables, as ``both-3``."""
        return f"{self.sides.value}-{self.size}"

    def cut(self, whole: ModelInput) -> ModelInput:
        """Return an input with no more context than this: the last ``size`` segments of the sides."""
        return whole.nearest(self.size * self.sides.source, self.size * self.sides.target)


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """P-CXMI of one sample; C conditions, W words: log-probability with the condition's context less that without."""

    sample: Sample
    pieces: int
    base: float
    """Log-probability of the whole target without context."""
    base_words: FloatArray
    """The same of each word, (W,)."""
    words: FloatArray
    """(C, W)."""
    end: FloatArray
    """Of the end of the sentence and, where there are no words, of everything, (C,)."""
    contexts: tuple[ContextRead, ...]

    @property
    def totals(self) -> FloatArray:
        """P-CXMI of the whole sentence in each condition, (C,): the words' sum and the end."""
        return self.words.sum(axis=1) + self.end


def measure_pointwise(
    samples: Sequence[Sample],
    conditions: Sequence[ContextCondition],
    scorer: Scorer,
    store: Store | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Pointwise]:
    """Return P-CXMI of each sample under each condition, in the order given; scores are kept in the store."""
    score = partial(scored_by, scorer) if store is None else partial(KeptAnswers(store).score, scorer)
    measured: list[Pointwise] = []
    for start in range(0, len(samples), _CHUNK):
        chunk = samples[start : start + _CHUNK]
        measured.extend(_measure_chunk(chunk, [ContextCondition(Sides.NONE, 0), *conditions], scorer, score))
        if progress is not None:
            progress(len(chunk))
    return measured


def _measure_chunk(
    samples: Sequence[Sample],
    conditions: Sequence[ContextCondition],
    scorer: Scorer,
    score: Callable[[Sequence[ModelInput], Sequence[str]], list[ScoredTarget]],
) -> list[Pointwise]:
    """Return P-CXMI of some samples; the first condition is the one that the others are compared with.

    Contexts are cut before they are compared, so that what the model reads alike is scored once.
    """
    given = [(condition.cut(sample.whole), sample.target) for sample in samples for condition in conditions]
    fits = fitted(scorer, [one for one, _ in given], [target for _, target in given])
    asked = [(trimmed(one, fit.context), target) for (one, target), fit in zip(given, fits, strict=True)]
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(asked))}
    scored = score([one for one, _ in distinct], [target for _, target in distinct])
    places = iter(zip(given, asked, fits, strict=True))
    measured: list[Pointwise] = []
    for sample in samples:
        numbers: list[int] = []
        contexts: list[ContextRead] = []
        for (whole, _), pair, fit in (next(places) for _ in conditions):
            context = fit.context or context_of(scored[distinct[pair]], whole)
            contexts.append(context)
            # Where nothing of the context was read there is no difference: not even that of rounding.
            numbers.append(distinct[pair] if context.kept or not numbers else numbers[0])
        rows = np.stack([word_logprobs(scored[number], sample.words) for number in numbers])
        gained = rows[1:] - rows[0]
        base = scored[numbers[0]]
        values = (base.total, rows[0, :-1], gained[:, :-1], gained[:, -1])
        measured.append(Pointwise(sample, len(base.pieces), *values, tuple(contexts[1:])))
    return measured


SEGMENTS = "segments.jsonl"

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
    """Write P-CXMI of every sample and word; the file is there whole or not at all (E154, E155)."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        for one in measured:
            stream.write(_line(one).model_dump_json() + "\n")


_AGAIN = "write both again with endophora context cxmi"


def read_segments(path: Path, conditions: int) -> list[Pointwise]:
    """Read what :func:`write_segments` wrote (E001–E007, E310, E312; E315 for conditions other than the result's)."""
    log = FaultLog()
    rows = JsonRows(path, log)
    measured: list[Pointwise] = []
    for number, value in rows:
        try:
            line = SegmentLine.model_validate(value)
        except ValidationError as error:
            for one in error.errors():
                place = ".".join(map(str, one["loc"]))
                log.add("E312", f"{place}: {one['msg']}", _AGAIN, rows.file, number)
            continue
        lengths = {len(line.gain), len(line.end), len(line.contexts), *(len(word.gain) for word in line.words)}
        if lengths != {conditions} or any(not word.start <= word.end <= len(line.target) for word in line.words):
            cause = f"the line does not fit its text, or the {conditions} conditions of the result"
            log.add("E315", cause, _AGAIN, rows.file, number)
            continue
        measured.append(_pointwise(line, conditions))
    log.check()
    if not measured:
        raise InputError(Fault("E315", "there is no segment", _AGAIN, rows.file))
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


def context_texts(context: Iterable[ContextSentence]) -> list[str]:
    """Return sentences of a context as texts; ids of tokens are written as numbers."""
    return [sentence if isinstance(sentence, str) else " ".join(map(str, sentence)) for sentence in context]
