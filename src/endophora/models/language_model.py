"""Decoder-only language models that translate and score by a prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from endophora.corpus.codes import language_names
from endophora.errors import Fault, InputError
from endophora.models.chunks import Chunk, Reply
from endophora.models.layout import LONGEST, Ids, LaidOut, batches
from endophora.models.loading import (
    batch_tokens,
    find_device,
    load,
    load_tokenizer,
    need_libraries,
    signature,
    weights_file,
)
from endophora.models.options import ModelOptions
from endophora.models.records import ContextRead, ContextSentence, Decoding, ModelInput, SideRead, Translation
from endophora.models.search import Search
from endophora.models.sequence_model import CUT, EXTRA, Found, LocalModel, Task
from endophora.models.services.options import known_services
from endophora.models.services.records import Joined, join_segments
from endophora.models.templates import TEXT, Templates
from endophora.models.tokenization import HubCoder
from endophora.models.torch_model import TorchSteps, target_logprobs

Form = Literal["chat", "plain"]
"""For models with turns, and for all others."""


def prompt_template(file: Path | None = None) -> Templates:
    """Return the templates of a user's file, or of the package's (E280)."""
    values: dict[str, object] = {"source": TEXT, "context": [{"source": "a", "target": "b"}]}
    values |= {"source_language": "English", "target_language": "German"}
    packaged = files("endophora.models") / "prompts.yaml"
    several = {**values, "text": TEXT, "count": 2, "first": "1", "last": "2"}
    several.pop("source")
    trials = {"chat": values, "plain": values, "chunk": several, "whole": several}
    return Templates(file, packaged, trials, ("E280", "docs/models.md"), optional=("chunk", "whole"))


_LINE = "\n"


def open_language_model(argument: str, options: ModelOptions) -> LanguageModel:
    """Open a decoder-only model (E275, E280, E272, E284, E273, E274)."""
    need_libraries()
    if options.architecture is not None or options.separator is not None:
        cause = "a decoder-only model takes context by its prompt"
        raise InputError(Fault("E272", cause, "template=FILE instead of architecture= and separator=", argument))
    template = prompt_template(options.template)
    digest = hashlib.blake2b(template.text.encode(), digest_size=4).hexdigest()
    model = load(argument, "AutoModelForCausalLM", options)
    tokenizer = load_tokenizer(argument)
    names = tuple(language_names().get(code, code) for code in options.languages or ("", ""))
    form: Form = "chat" if getattr(tokenizer, "chat_template", None) else "plain"
    says = f"{form},template={digest},languages={'-'.join(options.languages or ())}"
    tokens = batch_tokens(options, find_device(options.device))
    signed = signature("lm", argument, says, options, model.config)
    form_of = (template, form, cast("tuple[str, str]", names))
    return LanguageModel(model, tokenizer, form_of, signed, tokens, options.window, weights_file(argument))


class LanguageModel(LocalModel):
    """A decoder-only model as translator and scorer.

    The target is cut by itself, so that its pieces do not depend on the prompt. In chat its end is the end of the
    model's turn; otherwise the end of the line.

    Args:
        prompts: templates, which of them is filled, and the names of the languages in it.
        window: most tokens of prompt and target together as long as there is context to leave out; by default what the
            model takes.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        prompts: tuple[Templates, Form, tuple[str, str]],
        signature: str,
        tokens: int,
        window: int | None = None,
        weights: str = "",
    ) -> None:
        super().__init__(model, HubCoder(tokenizer, 0), signature, tokens, weights)
        self._tokenizer = tokenizer
        self._template, self._form, languages = prompts
        self._languages = {"source_language": languages[0], "target_language": languages[1]}
        eos = tokenizer.eos_token_id
        line = self.coder.target(_LINE).ids
        self._end = int(eos) if eos is not None and (self._form == "chat" or not line) else int(line[-1])
        self._ends = tuple({self._end, int(self._end if eos is None else eos)})
        self._pad = int(next(one for one in (tokenizer.pad_token_id, eos, 0) if one is not None))
        self._longest = int(getattr(model.config, "max_position_embeddings", LONGEST) or LONGEST)
        self._window = min(window or self._longest, self._longest)

    def prompt(self, given: ModelInput) -> Ids:
        """Return the tokens that the model reads before the translation."""
        sources = [self._as_text(sentence) for sentence in given.source_context]
        targets = [self._as_text(sentence) for sentence in given.target_context]
        context = _pairs(sources, targets)
        text = self._template.fill(self._form, {**self._languages, "source": given.source, "context": context})
        return tuple(self._tokenizer(text)["input_ids"]) if self._form == "plain" else self._turn(text)

    def _turn(self, text: str) -> Ids:
        """Return the tokens of a user's turn, and of the beginning of the model's."""
        message = [{"role": "user", "content": text}]
        return tuple(self._tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=False))

    @property
    def takes_chunks(self) -> bool:
        """Whether it can be told how to answer: it has turns."""
        return self._form == "chat"

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
            for task, best in zip(chosen, self._search(chosen, decoding), strict=True):
                ended = best.ids[-1] in self._ends
                text = self.coder.text(best.ids[:-1] if ended else best.ids)
                replies[task.number] = Reply(text, joined[task.number], not ended)
        return replies

    def _laid_chunk(self, chunk: Chunk, joined: Joined, limit: int) -> LaidOut:
        values = {**self._languages, "context": _pairs(chunk.source_context, chunk.target_context), **joined.variables}
        text = self._template.fill("chunk" if chunk.marked else "whole", values)
        return LaidOut((), (), (), self._turn(text) or (self._pad,), (), ContextRead(), limit)

    def _lay_out(self, given: ModelInput, target: Ids | None, decoding: Decoding | None) -> LaidOut:
        """Lay out an input, without the oldest context where there is no room for it."""
        if target is None:
            wanted, room = (), self._limit(given, decoding or Decoding())
        else:
            wanted, room = (*target, self._end), len(target) + 1
        found = self.prompt(given)
        sources, targets = given.source_context, given.target_context
        while len(found) + room > self._window and (sources or targets):
            most = max(len(sources), len(targets)) - 1
            sources = sources[-most:] if most else ()
            targets = targets[-most:] if most else ()
            found = self.prompt(ModelInput(given.source, sources, targets))
        read = ContextRead(self._side(given.source_context, sources), self._side(given.target_context, targets))
        # A model without a token for the beginning has to read something.
        return LaidOut((), (), (), found or (self._pad,), wanted, read, room)

    def _excess(self, example: LaidOut) -> str:
        length = len(example.prefix) + example.room - 1  # the last token is found, and not read
        return f"prompt and target have {length} tokens, and the model takes {self._longest}" * (length > self._longest)

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
        text = self.coder.text(best.ids[:-1] if ended else best.ids).strip()
        warnings = [] if ended else [CUT]
        if _LINE in text:
            text = " ".join(text.split())
            warnings.append("it had several lines")
        return Translation(text, best.logprob, "; ".join(warnings), task.example.context)

    def _limit(self, given: ModelInput, decoding: Decoding) -> int:
        """Return the most tokens of a translation."""
        return max(1, min(int(self.length(given.source) * decoding.longest) + EXTRA, self._longest // 2))

    def _side(self, given: Sequence[ContextSentence], kept: Sequence[ContextSentence]) -> SideRead:
        lengths = [self.length(sentence) for sentence in given]
        return SideRead(len(given), len(kept), sum(lengths), sum(lengths[len(given) - len(kept) :]))

    def _as_text(self, sentence: ContextSentence) -> str:
        return sentence if isinstance(sentence, str) else self.coder.text(sentence).strip()


def _pairs(sources: Sequence[str], targets: Sequence[str]) -> list[dict[str, str]]:
    """Return segments with their translations; the last ones belong together, where one side has fewer."""
    pairs = list(zip_longest(reversed(sources), reversed(targets), fillvalue=""))[::-1]
    return [{"source": source, "target": target} for source, target in pairs]
