"""What all models that run here have in common: from inputs to token sequences and back, with any library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from endophora.errors import Fault, InputError
from endophora.models.layout import TOO_LONG, Architecture, Ids, LaidOut, Layout, decoder_length, source_length
from endophora.models.loading import check_finite, in_halves
from endophora.models.records import ContextRead, ContextSentence, Decoding, Fit, ModelInput, ScoredTarget, Translation
from endophora.models.tokenization import Coder, Pieces

EXTRA = 10
"""Tokens that a translation may be longer than its multiple of the source."""

STEP_FACTOR = 4
"""Times as many tokens are in a batch that is translated as in one that is scored."""

PREFIX_GAP = 12
"""Tokens that the forced beginnings of a batch may differ in."""

CUT = "the translation was cut at its greatest length"
"""The warning of a translation that has not ended at its limit."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best hypothesis of an example: its tokens after the forced ones, the end last unless the limit came first.

    The log-probability is ``None`` where it is not known, NaN where the model gave NaN.
    """

    ids: Ids
    logprob: float | None


@dataclass(frozen=True, slots=True)
class Task:
    """An input to translate.

    Attributes:
        limit: most tokens of the translation.
        separators: how many of them should be separators: those of a context that is translated too.
    """

    number: int
    example: LaidOut
    limit: int
    separators: int = 0


class LaidOutScorer(ABC):
    """A scorer that is given tokens, laid out here; kinds differ in how they lay inputs out, and in who reads them."""

    def __init__(self, coder: Coder, signature: str, weights: str = "") -> None:
        self.coder, self.signature, self._weights = coder, signature, weights
        # What random context is drawn from.
        self.vocabulary, self.target_vocabulary = coder.ordinary, coder.target_ordinary

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of source context, without special ones."""
        return len(self.coder.source(sentence).ids)

    def target_length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of target context, without special ones."""
        return len(self.coder.target(sentence).ids)

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Tell how much of each input's context the model would read, and which segment it cannot take at all."""
        laid = self._laid_out(inputs, targets, decoding or Decoding())
        return [Fit(one.context, self._excess(one)) for one in laid]

    def encode(self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None) -> list[LaidOut]:
        """Return the token sequences of inputs as the model reads them, without the context that it has no room for.

        Raises: InputError: a source or a target alone is longer than what the model takes (E281); all are named.
        """
        return self._checked(self._laid_out(inputs, targets, None))

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order (E281, E370)."""
        examples = self._checked(self._laid_out(inputs, targets, None))
        found = self._logprobs(examples)
        check_finite((float(values.sum()) for values in found), self._weights)
        scored: list[ScoredTarget] = []
        for target, example, values in zip(targets, examples, found, strict=True):
            pieces = cast("Pieces", example.cut)
            ends = example.target[len(pieces.ids) :]
            written = (*pieces.pieces, *(self.coder.piece(index) for index in ends))
            spans = (*pieces.spans, *[(len(target), len(target))] * len(ends))
            scored.append(ScoredTarget(target, written, spans, values, example.context))
        return scored

    def _laid_out(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None, decoding: Decoding | None
    ) -> list[LaidOut]:
        if targets is None:
            return [self._lay_out(given, None, decoding) for given in inputs]
        return [self._lay_out(given, target, None) for given, target in zip(inputs, targets, strict=True)]

    def _checked(self, examples: list[LaidOut]) -> list[LaidOut]:
        """Return the examples, if all fit (E281)."""
        causes = [self._excess(one) for one in examples]
        faults = [Fault("E281", cause, TOO_LONG, f"input {number}") for number, cause in enumerate(causes, 1) if cause]
        if faults:
            raise InputError(faults)
        return examples

    @abstractmethod
    def _lay_out(self, given: ModelInput, target: str | None, decoding: Decoding | None) -> LaidOut:
        """Lay out one input; room is kept for a target to be found by ``decoding``."""

    @abstractmethod
    def _excess(self, example: LaidOut) -> str:
        """Say what is longer than the model takes, with any context; nothing if all fits."""

    @abstractmethod
    def _logprobs(self, examples: Sequence[LaidOut]) -> list[NDArray[np.float64]]:
        """Return the log-probabilities of each example's target, (T,)."""


class LocalModel(LaidOutScorer):
    """A translator and scorer that runs here; kinds differ in how they lay inputs out, score and search."""

    def __init__(self, model: Any, coder: Coder, signature: str, batch_tokens: int, weights: str = "") -> None:
        LaidOutScorer.__init__(self, coder, signature, weights)
        self.model: Any = model
        self.batch_tokens = batch_tokens

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input; one translation for each, in their order. A blank source has a blank translation.

        Target context is forced upon the decoder. A concatenating model that is given source context without target
        context translates the context too; what follows the last separator is the answer.

        Raises: InputError: a source is too long (E281), or the model gives NaN (E370).
        """
        decoding = decoding or Decoding()
        found = [Translation("", context=ContextRead())] * len(inputs)
        wanted = [number for number, given in enumerate(inputs) if given.source.strip()]
        examples = self._checked(self._laid_out([inputs[number] for number in wanted], None, decoding))
        pairs = zip(wanted, examples, strict=True)
        tasks = [self._task(number, inputs[number], example, decoding) for number, example in pairs]
        for chosen in self._task_batches(tasks, decoding):
            bests = in_halves(chosen, lambda some: self._search(some, decoding))
            check_finite((best.logprob for best in bests), self._weights)
            for task, best in zip(chosen, bests, strict=True):
                found[task.number] = self._answer(task, best)
        return found

    @abstractmethod
    def _task(self, number: int, given: ModelInput, example: LaidOut, decoding: Decoding) -> Task: ...

    @abstractmethod
    def _task_batches(self, tasks: Sequence[Task], decoding: Decoding) -> list[list[Task]]: ...

    @abstractmethod
    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        """Return the best translation of each task of a batch."""

    @abstractmethod
    def _answer(self, task: Task, best: Found) -> Translation:
        """Return the translation of the current sentence alone."""


class SequenceModel(LocalModel):
    """A sequence-to-sequence model."""

    def __init__(
        self, model: Any, coder: Coder, layout: Layout, signature: str, batch_tokens: int = 512, weights: str = ""
    ) -> None:
        super().__init__(model, coder, signature, batch_tokens, weights)
        self.layout = layout
        # Where previous translations change nothing, documents need not be translated in order.
        self.uses_target_context = layout.takes_target_context

    def _lay_out(self, given: ModelInput, target: str | None, decoding: Decoding | None) -> LaidOut:
        source = self.coder.source(given.source).ids
        cut = None if target is None else self.coder.target(target)
        room = 0 if cut is not None or decoding is None else int(len(source) * decoding.longest) + EXTRA
        laid = self.layout.lay_out(
            source,
            None if cut is None else cut.ids,
            [self.coder.source(sentence).ids for sentence in given.source_context],
            [self.coder.target(sentence).ids for sentence in given.target_context],
            min(room, self.layout.longest // 2),
        )
        return replace(laid, cut=cut)

    def _excess(self, example: LaidOut) -> str:
        longest = self.layout.longest
        lengths = (("the source", len(example.source)), ("the target", decoder_length(example)))
        return " and ".join(
            f"{name} has {count} tokens, and the model takes {longest}" for name, count in lengths if count > longest
        )

    def _task(self, number: int, given: ModelInput, example: LaidOut, decoding: Decoding) -> Task:
        joined = self.layout.architecture in (Architecture.CONCATENATION, Architecture.SENTENCE)
        forced = len(example.prefix) > len(self.layout.target_start)
        free = joined and bool(given.source_context) and not forced
        source = len(example.source) if free else len(self.coder.source(given.source).ids)
        room = self.layout.longest - len(example.prefix) - 1
        limit = max(1, min(int(source * decoding.longest) + EXTRA, room))
        return Task(number, example, limit, example.joined if free else 0)

    def _task_batches(self, tasks: Sequence[Task], decoding: Decoding) -> list[list[Task]]:
        """Share tasks out to batches in which prefixes are of about the same length.

        What is forced upon the decoder is read in one pass only as far as all of a batch have it.
        """
        # Beams multiply what the decoder holds; but it reads one token at a time.
        most = max(1, STEP_FACTOR * self.batch_tokens // decoding.beam)
        made: list[list[Task]] = []
        longest = 0
        for task in sorted(tasks, key=lambda one: (-len(one.example.prefix), -source_length(one.example))):
            length = max(source_length(task.example), len(task.example.prefix) + 1 + task.limit)
            ahead = len(made[-1][0].example.prefix) if made else 0
            near = ahead - len(task.example.prefix) <= PREFIX_GAP
            longest = max(longest, length)
            if made and near and (len(made[-1]) + 1) * longest <= most:
                made[-1].append(task)
            else:
                made.append([task])
                longest = length
        return made

    def _answer(self, task: Task, best: Found) -> Translation:
        warnings: list[str] = []
        ended = bool(best.ids) and best.ids[-1] in self.layout.closing
        ids = list(best.ids[:-1] if ended else best.ids)
        if not ended:
            warnings.append(CUT)
        if self.layout.separator:
            sentences = _split(ids, self.layout.separator)
            if len(sentences) - 1 != task.separators:
                warnings.append(f"the model gave {len(sentences)} sentences, not {task.separators + 1}")
            ids = sentences[-1]
        elif task.separators:
            warnings.append("the translation has that of the context in it: there is no separator, nor target context")
        return Translation(self.coder.text(ids).strip(), best.logprob, "; ".join(warnings), task.example.context)


def _split(ids: Sequence[int], separator: Ids) -> list[list[int]]:
    """Split ids at each separator."""
    made: list[list[int]] = [[]]
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + len(separator)]) == separator:
            made.append([])
            place += len(separator)
        else:
            made[-1].append(ids[place])
            place += 1
    return made
