"""Decoder-only language models that translate and score by a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endophora.errors import Fault, InputError
from endophora.models.chunks import Chunk, Reply
from endophora.models.layout import LaidOut, batches
from endophora.models.loading import (
    batch_tokens,
    check_finite,
    find_device,
    in_halves,
    load,
    load_tokenizer,
    need_libraries,
    signature,
    weights_file,
)
from endophora.models.options import ModelOptions
from endophora.models.prompting import LINE, Prompted, Prompts, prompts_of, side_pairs
from endophora.models.records import ContextRead, Decoding, ModelInput, Translation
from endophora.models.search import Search
from endophora.models.sequence_model import CUT, EXTRA, Found, LocalModel, Task
from endophora.models.services.options import known_services
from endophora.models.services.records import Joined, join_segments
from endophora.models.tokenization import HubCoder
from endophora.models.torch_model import TorchSteps, target_logprobs


def open_language_model(argument: str, options: ModelOptions) -> LanguageModel:
    """Open a decoder-only model (E275, E280, E272, E284, E273, E274)."""
    need_libraries()
    if options.architecture is not None or options.separator is not None:
        cause = "a decoder-only model takes context by its prompt"
        raise InputError(Fault("E272", cause, "template=FILE instead of architecture= and separator=", argument))
    model = load(argument, "AutoModelForCausalLM", options)
    tokenizer = load_tokenizer(argument)
    prompts, says = prompts_of(tokenizer, argument, options)
    tokens = batch_tokens(options, find_device(options.device), model)
    signed = signature("lm", argument, says, options, model.config)
    return LanguageModel(model, tokenizer, prompts, signed, tokens, options.window, weights_file(argument))


class LanguageModel(Prompted, LocalModel):
    """A decoder-only model that runs here, as translator and scorer; ``window`` as :class:`Prompted` has it."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        prompts: Prompts,
        signature: str,
        tokens: int,
        window: int | None = None,
        weights: str = "",
    ) -> None:
        LocalModel.__init__(self, model, HubCoder(tokenizer, 0), signature, tokens, weights)
        self._prepare(model, tokenizer, prompts, window)

    @property
    def takes_chunks(self) -> bool:
        """Whether it can be given instructions: it has turns."""
        return self._prompts.form != "plain"

    def translate_chunks(self, chunks: Sequence[Chunk], decoding: Decoding | None = None) -> list[Reply]:
        """Translate several segments in one turn each; a chunk that there is no room for is not asked for."""
        decoding = decoding or Decoding()
        joined = [join_segments(chunk.segments, known_services()["openai"].markers) for chunk in chunks]
        replies = [Reply("", sent=False)] * len(chunks)
        tasks: list[Task] = []
        for number, (chunk, one) in enumerate(zip(chunks, joined, strict=True)):
            alone = len(chunk.sources) == 1
            limit = int(self.length(one.text) * decoding.longest) + EXTRA
            limit = min(limit, self._longest // 2) if alone else limit
            example = self._laid_chunk(chunk, one, limit)
            if alone and self._excess(example):
                # A single segment needs no context: only what is too long by itself is a fault.
                example = self._laid_chunk(Chunk(chunk.sources, marked=chunk.marked), one, limit)
            if alone or not self._excess(example):
                tasks.append(Task(number, self._checked([example])[0], limit))
        for chosen in self._task_batches(tasks, decoding):
            found = in_halves(chosen, lambda some: self._search(some, decoding))
            check_finite((best.logprob for best in found), self._weights)
            for task, best in zip(chosen, found, strict=True):
                ended = best.ids[-1] in self._ends
                text = self.coder.text(best.ids[:-1] if ended else best.ids)
                replies[task.number] = Reply(text, joined[task.number], not ended)
        return replies

    def _laid_chunk(self, chunk: Chunk, joined: Joined, limit: int) -> LaidOut:
        context = side_pairs(chunk.source_context, chunk.target_context)
        turns = self._prompts.chunk("chunk" if chunk.marked else "whole", context, joined.variables)
        text = self._conversation(turns, True) + self._gap
        return LaidOut((), (), (), self._tokens(text) or (self._pad,), (), ContextRead(), limit)

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[NDArray[np.float64]]:
        return target_logprobs(self.model, examples, start=None, pad=self._pad, batch_tokens=self.batch_tokens)

    def _task(self, number: int, given: ModelInput, example: LaidOut, decoding: Decoding) -> Task:
        del given, decoding
        return Task(number, example, example.room)

    def _task_batches(self, tasks: Sequence[Task], decoding: Decoding) -> list[list[Task]]:
        lengths = [len(task.example.prefix) + task.limit - 1 for task in tasks]
        made = batches(lengths, max(1, self.batch_tokens // decoding.beam))
        return [[tasks[index] for index in batch] for batch in made]

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        begins, limits = [task.example.prefix for task in tasks], [task.limit for task in tasks]
        steps = TorchSteps(self.model, None)
        return Search(steps, begins, limits, self._ends, (), decoding, self.model.device).run()

    def _answer(self, task: Task, best: Found) -> Translation:
        ended = best.ids[-1] in self._ends
        plain = self._prompts.form == "plain"
        text = self.coder.text(best.ids[:-1] if ended and not plain else best.ids)
        text = (text.partition(LINE)[0] if plain else text).strip()
        warnings = [] if ended else [CUT]
        if LINE in text:
            text = " ".join(text.split())
            warnings.append("it had several lines")
        return Translation(text, best.logprob, "; ".join(warnings), task.example.context)
