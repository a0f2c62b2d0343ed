"""Sequence-to-sequence models on torch that translate and score: those trained here, and those of the Hub."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from endophora.errors import Fault, InputError
from endophora.models.batching import batches
from endophora.models.coding import Coder
from endophora.models.forward import encode
from endophora.models.layout import Ids, LaidOut, Layout
from endophora.models.presets import Architecture
from endophora.models.records import ContextSentence, Decoding, ModelInput, ScoredTarget, Translation
from endophora.models.scoring import decoder_length, source_length, target_logprobs
from endophora.models.search import Found, search
from endophora.models.stepping import TorchSteps
from endophora.models.vocabulary import Pieces

Advance = Callable[[int], None]
"""Told how many more inputs are done."""


@dataclass(frozen=True, slots=True)
class _Task:
    """An input to translate: its number, its sequences, the most tokens to find, and the separators among them."""

    number: int
    example: LaidOut
    limit: int
    separators: int


EXTRA = 10
"""Tokens that a translation may be longer than its multiple of the source."""


def _ignore(count: int) -> None:
    del count


class TorchModel:
    """A translator and scorer; what it is made of is open to those who look inside.

    Args:
        model: of ``transformers``, or the multi-encoder; in evaluation mode, on its device.
        coder: between text and its token ids.
        layout: how it takes context.
        signature: name and settings that figures depend on.
        batch_tokens: most tokens of a batch on either side, padding included.

    Attributes:
        model, coder, layout: as given; ``encode`` gives the token sequences that the model reads.
    """

    def __init__(self, model: Any, coder: Coder, layout: Layout, signature: str, batch_tokens: int = 4096) -> None:
        self.model: Any = model
        self.coder = coder
        self.layout = layout
        self._signature = signature
        self._batch_tokens = batch_tokens

    @property
    def signature(self) -> str:
        """Name, version and settings that the figures made with it depend on."""
        return self._signature

    @property
    def vocabulary(self) -> Sequence[int]:
        """Ids of the tokens that a random context is drawn from: all but the special ones."""
        return self.coder.ordinary

    @property
    def uses_target_context(self) -> bool:
        """Whether previous translations change what it says; if not, documents need not be translated in order."""
        return self.layout.takes_target_context

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of context, without special ones."""
        return len(self.coder.source(sentence).ids)

    def encode(self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None) -> list[LaidOut]:
        """Return the token sequences of inputs as the model reads them.

        Args:
            inputs: sources with their contexts. Context that the model has no room for is left out, the oldest first.
            targets: for each the target; ``None`` where it is to be found.

        Raises:
            ValueError: the two have not the same length.
            InputError: a source or a target alone is longer than what the model takes (E281); all are named.
        """
        if targets is None:
            return self._checked([self._lay_out(given, None) for given in inputs])
        return self._encode(inputs, [self.coder.target(target) for target in targets])

    def score(
        self, inputs: Sequence[ModelInput], targets: Sequence[str], *, advance: Advance = _ignore
    ) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order.

        Args:
            inputs: sources with their contexts.
            targets: the targets.
            advance: told how many more are done.

        Raises:
            ValueError: the two have not the same length.
            InputError: a source or a target is too long (E281).
        """
        cut = [self.coder.target(target) for target in targets]
        examples = self._encode(inputs, cut)
        found = target_logprobs(
            self.model,
            examples,
            start=self.coder.start,
            pad=self.coder.pad,
            batch_tokens=self._batch_tokens,
            advance=advance,
        )
        scored: list[ScoredTarget] = []
        for target, pieces, example, values in zip(targets, cut, examples, found, strict=True):
            ends = example.target[len(pieces.ids) :]
            written = (*pieces.pieces, *(self.coder.piece(index) for index in ends))
            spans = (*pieces.spans, *[(len(target), len(target))] * len(ends))
            scored.append(ScoredTarget(target, written, spans, values))
        return scored

    def translate(
        self, inputs: Sequence[ModelInput], decoding: Decoding | None = None, *, advance: Advance = _ignore
    ) -> list[Translation]:
        """Translate each input; one translation for each, in their order.

        Target context is forced upon the decoder. A concatenating model that is given source context without target
        context translates the context too; what follows the last separator is the answer.

        Args:
            inputs: sources with their contexts; a blank source has a blank translation.
            decoding: how it is searched for.
            advance: told how many more are done.

        Raises:
            InputError: a source is too long (E281).
        """
        decoding = decoding or Decoding()
        found = [Translation("")] * len(inputs)
        wanted = [number for number, given in enumerate(inputs) if given.source.strip()]
        advance(len(inputs) - len(wanted))
        examples = self._checked([self._lay_out(inputs[number], None, decoding) for number in wanted])
        tasks = [
            self._task(number, inputs[number], one, decoding) for number, one in zip(wanted, examples, strict=True)
        ]
        lengths = [max(source_length(task.example), decoder_length(task.example) + task.limit) for task in tasks]
        # Beams multiply what the decoder holds.
        for batch in batches(lengths, max(1, self._batch_tokens // decoding.beam)):
            chosen = [tasks[index] for index in batch]
            for task, best in zip(chosen, self._search(chosen, decoding), strict=True):
                found[task.number] = self._answer(task, best)
            advance(len(batch))
        return found

    def _task(self, number: int, given: ModelInput, example: LaidOut, decoding: Decoding) -> _Task:
        joined = self.layout.architecture in (Architecture.CONCATENATION, Architecture.SENTENCE)
        forced = len(example.prefix) > len(self.layout.target_start)
        free = joined and bool(given.source_context) and not forced
        source = len(example.source) if free else len(self.coder.source(given.source).ids)
        room = self.layout.longest - len(example.prefix) - 1
        limit = max(1, min(int(source * decoding.longest) + EXTRA, room))
        return _Task(number, example, limit, len(given.source_context) - example.left_out if free else 0)

    def _search(self, tasks: Sequence[_Task], decoding: Decoding) -> list[Found]:
        with torch.inference_mode():
            encoded = encode(self.model, [task.example for task in tasks], self.coder.pad)
            return search(
                TorchSteps(self.model, encoded),
                [(self.coder.start, *task.example.prefix) for task in tasks],
                [task.limit for task in tasks],
                self.layout.closing[:1],
                (self.coder.pad,),
                decoding,
                self.model.device,
            )

    def _answer(self, task: _Task, best: Found) -> Translation:
        """Return the current sentence of what was found: what follows the last separator."""
        warnings: list[str] = []
        ended = best.ids[-1] in self.layout.closing
        ids = list(best.ids[:-1] if ended else best.ids)
        if not ended:
            warnings.append("the translation was cut at its greatest length")
        if self.layout.separator:
            sentences = _split(ids, self.layout.separator)
            if len(sentences) - 1 != task.separators:
                warnings.append(f"the model gave {len(sentences)} sentences, not {task.separators + 1}")
            ids = sentences[-1]
        elif task.separators:
            warnings.append("the translation has that of the context in it: there is no separator, nor target context")
        if task.example.left_out:
            warnings.append(f"{task.example.left_out} sentences of context were left out, for want of room")
        return Translation(self.coder.text(ids).strip(), best.logprob, "; ".join(warnings))

    def _encode(self, inputs: Sequence[ModelInput], cut: Sequence[Pieces]) -> list[LaidOut]:
        return self._checked([self._lay_out(given, pieces.ids) for given, pieces in zip(inputs, cut, strict=True)])

    def _lay_out(self, given: ModelInput, target: Ids | None, decoding: Decoding | None = None) -> LaidOut:
        source = self.coder.source(given.source).ids
        room = 0 if decoding is None else int(len(source) * decoding.longest) + EXTRA
        return self.layout.lay_out(
            source,
            target,
            [self.coder.source(sentence).ids for sentence in given.source_context],
            [self.coder.target(sentence).ids for sentence in given.target_context],
            min(room, self.layout.longest // 2),
        )

    def _checked(self, examples: list[LaidOut]) -> list[LaidOut]:
        """Return the examples, if all fit.

        Raises:
            InputError: a source or a target is too long (E281).
        """
        longest = self.layout.longest
        faults = [
            Fault(
                "E281",
                f"{name} has {count} tokens, and the model takes {longest}",
                "split the segment, or use a model that takes more",
                f"input {number}",
            )
            for number, one in enumerate(examples, 1)
            for name, count in (("the source", len(one.source)), ("the target", decoder_length(one)))
            if count > longest
        ]
        if faults:
            raise InputError(faults)
        return examples


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
