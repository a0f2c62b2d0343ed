"""P-CXMI: how much likelier a context makes each word of a gold output (the MuDA paper, §2.2).

The same model scores every output with and without context. The context-free side is scored once, whatever the number
of conditions; so is an input that two conditions share, as at the beginning of a document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from endophora.context.context_counts import context_of
from endophora.context.fitting import fitted, trimmed
from endophora.context.samples import Sample
from endophora.context.words import FloatArray, word_logprobs
from endophora.models.documents import Sides
from endophora.models.records import ContextRead, ModelInput, Scorer

_CHUNK = 512
"""Samples that go to the model at a time: enough for its batches to be even, and little to hold."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Which context a sample is given.

    Attributes:
        sides: source, target or both.
        size: most segments of it.
    """

    sides: Sides
    size: int

    @property
    def name(self) -> str:
        """Name for tables, as ``both-3``."""
        return f"{self.sides.value}-{self.size}"

    def cut(self, whole: ModelInput) -> ModelInput:
        """Return an input with no more context than this: the last ``size`` segments of the sides."""
        source = whole.source_context[-self.size :] if self.sides.source and self.size else ()
        target = whole.target_context[-self.size :] if self.sides.target and self.size else ()
        return ModelInput(whole.source, source, target)


@dataclass(frozen=True, slots=True, eq=False)
class Pointwise:
    """P-CXMI of one sample; C conditions, W words.

    Attributes:
        sample: the output, its words and its context.
        pieces: sub-words of the output, its end included.
        base: log-probability of the output without context.
        base_words: (W,) the same of each word.
        words: (C, W) P-CXMI of each word: log-probability with the condition's context less that without.
        end: (C,) the same of the end of the sentence and, where there are no words, of everything.
        contexts: (C,) how much context each condition gave, and how much the model read.
    """

    sample: Sample
    pieces: int
    base: float
    base_words: FloatArray
    words: FloatArray
    end: FloatArray
    contexts: tuple[ContextRead, ...]

    @property
    def totals(self) -> FloatArray:
        """P-CXMI of the whole sentence in each condition, (C,): the words' sum and the end."""
        return self.words.sum(axis=1) + self.end


def measure_pointwise(
    samples: Sequence[Sample],
    conditions: Sequence[Condition],
    scorer: Scorer,
    progress: Callable[[int], None] | None = None,
) -> list[Pointwise]:
    """Return P-CXMI of each sample under each condition, in the order given.

    Args:
        samples: what is scored.
        conditions: the contexts that are compared with none.
        scorer: the model.
        progress: called with numbers of samples as they are scored.
    """
    measured: list[Pointwise] = []
    for start in range(0, len(samples), _CHUNK):
        chunk = samples[start : start + _CHUNK]
        measured.extend(_measure_chunk(chunk, [Condition(Sides.NONE, 0), *conditions], scorer))
        if progress is not None:
            progress(len(chunk))
    return measured


def _measure_chunk(samples: Sequence[Sample], conditions: Sequence[Condition], scorer: Scorer) -> list[Pointwise]:
    """Return P-CXMI of some samples; the first condition is the one that the others are compared with.

    Contexts are cut before they are compared, so that what the model reads alike is scored once.
    """
    given = [(condition.cut(sample.whole), sample.target) for sample in samples for condition in conditions]
    fits = fitted(scorer, [one for one, _ in given], [target for _, target in given])
    asked = [(trimmed(one, fit.context), target) for (one, target), fit in zip(given, fits, strict=True)]
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(asked))}
    scored = scorer.score([one for one, _ in distinct], [target for _, target in distinct])
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
