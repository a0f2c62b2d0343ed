"""Decoder-only language models that translate and score by a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, cast

from endophora.corpus.codes import language_names
from endophora.errors import Fault, InputError
from endophora.models.batching import batches
from endophora.models.hub_coding import HubCoder
from endophora.models.layout import Ids, LaidOut
from endophora.models.loading import (
    batch_tokens,
    check_finite,
    find_device,
    load,
    load_tokenizer,
    need_libraries,
    signature,
    weights_file,
)
from endophora.models.options import ModelOptions
from endophora.models.presets import LONGEST
from endophora.models.prompts import ContextSegment, Form, PromptTemplate
from endophora.models.records import (
    ContextRead,
    ContextSentence,
    Decoding,
    Fit,
    ModelInput,
    ScoredTarget,
    SideRead,
    Translation,
)
from endophora.models.scoring import target_logprobs
from endophora.models.search import search
from endophora.models.sequence_model import EXTRA, Advance, check_excess
from endophora.models.stepping import TorchSteps

_LINE = "\n"


def open_language_model(argument: str, options: ModelOptions) -> LanguageModel:
    """Open a decoder-only model.

    Raises: InputError (E275, E280, E272, E284), MissingModelError (E273, E274).
    """
    need_libraries()
    if options.architecture is not None or options.separator is not None:
        cause = "a decoder-only model takes context by its prompt"
        raise InputError(Fault("E272", cause, "template=FILE instead of architecture= and separator=", argument))
    template = PromptTemplate(options.template)
    model = load(argument, "AutoModelForCausalLM", options)
    tokenizer = load_tokenizer(argument)
    names = tuple(language_names().get(code, code) for code in options.languages or ("", ""))
    form: Form = "chat" if getattr(tokenizer, "chat_template", None) else "plain"
    says = f"{form},template={template.digest},languages={'-'.join(options.languages or ())}"
    tokens = batch_tokens(options, find_device(options.device))
    return LanguageModel(
        model,
        tokenizer,
        template,
        form,
        cast("tuple[str, str]", names),
        signature("lm", argument, says, options, model.config),
        tokens,
        options.window,
        weights_file(argument),
    )


class LanguageModel:
    """A decoder-only model as translator and scorer.

    The target is cut by itself, so that its pieces do not depend on the prompt. In chat its end is the end of the
    model's turn; otherwise the end of the line.

    Args:
        window: most tokens of prompt and target together as long as there is context to leave out; by default what the
            model takes.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        template: PromptTemplate,
        form: Form,
        languages: tuple[str, str],
        signature: str,
        tokens: int,
        window: int | None = None,
        weights: str = "",
    ) -> None:
        self.model: Any = model
        self._tokenizer = tokenizer
        self._template, self._languages = template, languages
        self._form: Form = form
        self._signature, self._batch_tokens, self._weights = signature, tokens, weights
        self.coder = HubCoder(tokenizer, 0)
        eos = tokenizer.eos_token_id
        line = self.coder.target(_LINE).ids
        self._end = int(eos) if eos is not None and (form == "chat" or not line) else int(line[-1])
        self._ends = tuple({self._end, int(self._end if eos is None else eos)})
        self._pad = int(next(one for one in (tokenizer.pad_token_id, eos, 0) if one is not None))
        self._longest = int(getattr(model.config, "max_position_embeddings", LONGEST) or LONGEST)
        self._window = min(window or self._longest, self._longest)

    @property
    def signature(self) -> str:
        """Name, version and settings that the figures made with it depend on."""
        return self._signature

    @property
    def vocabulary(self) -> Sequence[int]:
        """Ids of the tokens that a random context is drawn from: all but the special ones."""
        return self.coder.ordinary

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of context, without special ones."""
        return len(self.coder.source(sentence).ids)

    def score(
        self, inputs: Sequence[ModelInput], targets: Sequence[str], *, advance: Advance | None = None
    ) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order.

        Raises: InputError: a source with its target is too long (E281), or the model gives NaN (E370).
        """
        cut = [self.coder.target(target) for target in targets]
        wanted = [(*pieces.ids, self._end) for pieces in cut]
        begins = [self._begin(given, len(ids)) for given, ids in zip(inputs, wanted, strict=True)]
        examples = [LaidOut((), (), (), begin, ids, read) for (begin, read), ids in zip(begins, wanted, strict=True)]
        check_excess([self._excess(len(one.prefix) + len(one.target)) for one in examples])
        found = target_logprobs(
            self.model, examples, start=None, pad=self._pad, batch_tokens=self._batch_tokens, advance=advance
        )
        check_finite((float(values.sum()) for values in found), self._weights)
        end = self.coder.piece(self._end)
        return [
            ScoredTarget(
                target, (*pieces.pieces, end), (*pieces.spans, (len(target), len(target))), values, example.context
            )
            for target, pieces, values, example in zip(targets, cut, found, examples, strict=True)
        ]

    def translate(
        self, inputs: Sequence[ModelInput], decoding: Decoding | None = None, *, advance: Advance | None = None
    ) -> list[Translation]:
        """Translate each input; one translation for each, in their order.

        Raises: InputError: a source is too long (E281), or the model gives NaN (E370).
        """
        decoding = decoding or Decoding()
        found = [Translation("", context=ContextRead())] * len(inputs)
        wanted = [number for number, given in enumerate(inputs) if given.source.strip()]
        limits = [self._limit(inputs[number], decoding) for number in wanted]
        prompts = [self._begin(inputs[number], limit) for number, limit in zip(wanted, limits, strict=True)]
        begins = [begin for begin, _ in prompts]
        lengths = [len(begin) + limit - 1 for begin, limit in zip(begins, limits, strict=True)]
        check_excess([self._excess(length + 1) for length in lengths])
        for batch in batches(lengths, max(1, self._batch_tokens // decoding.beam)):
            best = search(
                TorchSteps(self.model, None),
                [begins[index] for index in batch],
                [limits[index] for index in batch],
                self._ends,
                (),
                decoding,
                self.model.device,
            )
            check_finite((one.logprob for one in best), self._weights)
            for index, one in zip(batch, best, strict=True):
                ended = one.ids[-1] in self._ends
                text = self.coder.text(one.ids[:-1] if ended else one.ids).strip()
                warning = "" if ended else "the translation was cut at its greatest length"
                if _LINE in text:
                    text, warning = " ".join(text.split()), "; ".join(filter(None, (warning, "it had several lines")))
                found[wanted[index]] = Translation(text, one.logprob, warning, prompts[index][1])
            if advance is not None:
                advance(len(batch))
        return found

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Tell how much of each input's context the model would read, and which segment it cannot take at all."""
        if targets is None:
            rooms = [self._limit(given, decoding or Decoding()) for given in inputs]
        else:
            rooms = [len(self.coder.target(target).ids) + 1 for target in targets]
        found: list[Fit] = []
        for given, room in zip(inputs, rooms, strict=True):
            begin, read = self._begin(given, room)
            found.append(Fit(read, self._excess(len(begin) + room)))
        return found

    def prompt(self, given: ModelInput) -> Ids:
        """Return the tokens that the model reads before the translation."""
        sources = [self._as_text(sentence) for sentence in given.source_context]
        targets = [self._as_text(sentence) for sentence in given.target_context]
        # The last segments belong together, where one side has fewer.
        pairs = list(zip_longest(reversed(sources), reversed(targets), fillvalue=""))[::-1]
        text = self._template.fill(
            self._form, given.source, [ContextSegment(*pair) for pair in pairs], *self._languages
        )
        if self._form == "plain":
            return tuple(self._tokenizer(text)["input_ids"])
        message = [{"role": "user", "content": text}]
        return tuple(self._tokenizer.apply_chat_template(message, add_generation_prompt=True, return_dict=False))

    def _limit(self, given: ModelInput, decoding: Decoding) -> int:
        """Return the most tokens of a translation."""
        return max(1, min(int(self.length(given.source) * decoding.longest) + EXTRA, self._longest // 2))

    def _begin(self, given: ModelInput, room: int) -> tuple[Ids, ContextRead]:
        """Return the prompt, without the oldest context where there is no room for it, and what was kept of it."""
        found = self.prompt(given)
        sources, targets = given.source_context, given.target_context
        while len(found) + room > self._window and (sources or targets):
            most = max(len(sources), len(targets)) - 1
            sources = sources[-most:] if most else ()
            targets = targets[-most:] if most else ()
            found = self.prompt(ModelInput(given.source, sources, targets))
        read = ContextRead(self._side(given.source_context, sources), self._side(given.target_context, targets))
        # A model without a token for the beginning has to read something.
        return found or (self._pad,), read

    def _side(self, given: Sequence[ContextSentence], kept: Sequence[ContextSentence]) -> SideRead:
        lengths = [self.length(sentence) for sentence in given]
        return SideRead(len(given), len(kept), sum(lengths), sum(lengths[len(given) - len(kept) :]))

    def _as_text(self, sentence: ContextSentence) -> str:
        return sentence if isinstance(sentence, str) else self.coder.text(sentence).strip()

    def _excess(self, length: int) -> str:
        """Say that prompt and target are longer than the model takes; nothing if they are not."""
        length -= 1  # the last token is found, and not read
        return f"prompt and target have {length} tokens, and the model takes {self._longest}" * (length > self._longest)
