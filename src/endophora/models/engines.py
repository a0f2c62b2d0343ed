"""Scorers whose tokens an engine reads: vLLM in this process, and a server of completions.

An engine is given the tokens that ``lm:`` would read, and says how probable each token of the target is. A server is
named ``completions:MODEL,address=…,tokenizer=…``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.models.layout import Ids, LaidOut
from endophora.models.loading import (
    configured,
    load_tokenizer,
    missing_model,
    need_libraries,
    refuse_options,
    signature,
)
from endophora.models.options import Form, ModelOptions
from endophora.models.prompting import Prompted, Prompts, prompts_of
from endophora.models.records import ModelInput
from endophora.models.sequence_model import LaidOutScorer
from endophora.models.services.asking import Asker
from endophora.models.services.openai_service import OpenAIServer
from endophora.models.services.options import Key, Known, RunOptions, open_server
from endophora.models.services.records import Answer, Cost, Kind, Question, RequestError, Usage
from endophora.models.tokenization import HubCoder
from endophora.signature import keyed, write_signature

Floats = NDArray[np.float64]

_SPARE = 2
"""Tokens of the limit that a prompt cannot have: an engine reads the target's last token too, and writes one."""


class EngineScorer(Prompted):
    """A scorer that lays segments out as ``lm:`` does, and has an engine read them."""

    def __init__(
        self, name: str, tokenizer: Any, prompts: Prompts, signature: str, window: int | None, weights: str
    ) -> None:
        LaidOutScorer.__init__(self, HubCoder(tokenizer, 0), signature, weights)
        self._prepare(configured(name), tokenizer, prompts, window, spare=_SPARE)


def known_tokens(steps: Sequence[Mapping[Any, Any] | None], ids: Ids, first: int) -> list[Any]:
    """Return what an engine says of each token from ``first`` on; LookupError where it has read other tokens.

    ``steps`` has a table by token for each place, as vLLM's ``prompt_logprobs``: keys are numbers, or their texts.
    """
    if len(steps) != len(ids):
        raise LookupError(f"{len(steps)} tokens came back for {len(ids)}")
    found: list[Any] = []
    for place in range(first, len(ids)):
        table = steps[place] or {}
        key = next((key for key in (ids[place], str(ids[place])) if key in table), None)
        if key is None:
            raise LookupError(
                f"token {place + 1} is {ids[place]} here, and {', '.join(map(str, table)) or 'unknown'} there"
            )
        found.append(table[key])
    return found


def check_written(tokens: Sequence[str], ids: Ids, coder: HubCoder) -> None:
    """Check that an engine has read our tokens, of which it tells the writing alone: their letters are the same.

    Raises LookupError; a token that is a part of a character, or is written as a number or not at all, tells what it
    can.
    """
    for place, (said, index) in enumerate(zip(tokens, ids, strict=False)):
        if said.startswith(_NUMBERED):
            same = said == f"{_NUMBERED}{index}"
        elif not said:
            same = True
        else:
            ours = {_letters(coder.text([index])), _letters(coder.piece(index))}
            same = _PARTIAL in said or _letters(said) in ours or not _letters(coder.text([index]))
        if not same:
            raise LookupError(f"token {place + 1} is “{coder.piece(index)}” here, and “{said}” there")


_NUMBERED, _PARTIAL = "token_id:", "\N{REPLACEMENT CHARACTER}"


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def open_vllm(argument: str, options: ModelOptions) -> VllmScorer:
    """Open a decoder-only model in vLLM, in this process (E273, E274, E275, E280, E272)."""
    need_libraries()
    refuse_options(options, ("adapter", "weights", "device_map", "separator", "architecture", "prefix"), argument)
    if find_spec("vllm") is None:
        raise MissingModelError(
            Fault("E273", "the library vllm is not installed", "install it with: pip install 'endophora[vllm]'")
        )
    vllm: Any = import_module("vllm")
    tokenizer = load_tokenizer(argument)
    prompts, says = prompts_of(tokenizer, argument, options)
    try:
        engine = vllm.LLM(
            model=argument,
            dtype=options.precision or "auto",
            enable_prefix_caching=True,
            tensor_parallel_size=options.gpus or 1,
            trust_remote_code=False,
        )
    except OSError as error:
        raise missing_model(argument, error) from error
    except (ValueError, RuntimeError) as error:
        cause, advice = f"vLLM cannot take the model ({first_line(error)})", "name another, or use lm:"
        raise InputError(Fault("E275", cause, advice, argument)) from error
    config, precision = configured(argument).config, options.precision or "auto"
    signed = signature("vllm", argument, says, options, config, precision, ("vllm", "transformers"))
    return VllmScorer(engine, vllm, argument, tokenizer, prompts, signed, options.window)


class VllmScorer(EngineScorer):
    """A model in vLLM: all inputs of a call are given to it at once, and it makes the batches."""

    def __init__(
        self,
        engine: Any,
        library: Any,
        name: str,
        tokenizer: Any,
        prompts: Prompts,
        signature: str,
        window: int | None = None,
    ) -> None:
        super().__init__(name, tokenizer, prompts, signature, window, name)
        self._engine = engine
        self._asked = library.SamplingParams(prompt_logprobs=0, max_tokens=1, temperature=0.0, detokenize=False)

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[Floats]:
        sent = [{"prompt_token_ids": [*one.prefix, *one.target]} for one in examples]
        found: list[Floats] = []
        for one, answer in zip(examples, self._engine.generate(sent, self._asked, use_tqdm=False), strict=True):
            steps = cast("Sequence[Mapping[int, Any] | None]", answer.prompt_logprobs or ())
            try:
                tables = known_tokens(steps, (*one.prefix, *one.target), len(one.prefix))
            except LookupError as error:
                advice = "the version of vLLM may not fit: name the same model as lm:"
                raise InputError(Fault("E283", f"vLLM has read other tokens ({error})", advice)) from error
            found.append(np.array([table.logprob for table in tables], dtype=np.float64))
        return found


_LEAST = -9000.0
"""A server that writes JSON writes a lower number for minus infinity (vLLM: -9999)."""


@keyed()
class CompletionsOptions(RunOptions):
    """Options of a server of completions; those of prompts are as :class:`~endophora.models.options.ModelOptions` has.

    Attributes:
        tokenizer: of the server's model: a folder, or a name of the Hub.
        logprobs: how they are asked for: ``prompt`` is vLLM's ``prompt_logprobs``, ``echo`` OpenAI's of old, with the
            prompt repeated in the answer.
    """

    tokenizer: str = ""
    logprobs: Literal["prompt", "echo"] = "prompt"
    window: int | None = None
    template: Path | None = None
    form: Form | None = None
    chat_template_kwargs: str = ""


def open_completions(argument: str, given: ModelOptions, *, cache: Path | str | None = "default") -> CompletionsScorer:
    """Open a server's model; no request is made (E240, E241, E242, E273, E274, E275, E280, E272).

    Args:
        argument: ``MODEL,address=http://localhost:8000/v1,tokenizer=FOLDER``, and other options.
        cache: as :func:`~endophora.models.services.options.open_service` has it.
    """
    need_libraries("log-probabilities of a server need its tokenizer, by")
    server = open_server("completions", argument, CompletionsOptions, cache, limit=given.limit)
    options = server.options
    if not options.tokenizer or options.address is None:
        wanted = "tokenizer=FOLDER" if options.address else "address=http://HOST:PORT/v1"
        cause = "log-probabilities are asked of a server of one's own, with its model's tokenizer"
        raise InputError(Fault("E240", cause, f"write {wanted}", f"completions:{server.model}"))
    names = ("window", "template", "form", "chat_template_kwargs")
    chosen = {name: value for name in names if (value := getattr(options, name))}
    pair = {"languages": options.languages.split("-")} if options.languages else {}
    shown = ModelOptions.model_validate({"languages": given.languages, **pair, **chosen})
    tokenizer = load_tokenizer(options.tokenizer)
    prompts, says = prompts_of(tokenizer, options.tokenizer, shown)
    service = Completions(server.known, options, server.key, server.model, HubCoder(tokenizer, 0))
    signed = signature(
        "tokenizer", options.tokenizer, says, shown, precision="server", libraries=("transformers", "openai")
    )
    signed += f"|{write_signature([('server', service.place), ('model', server.model), ('asked', options.logprobs)])}"
    asker = Asker(service, options, server.price, server.cache)
    return CompletionsScorer(service, asker, (options.tokenizer, tokenizer, prompts), signed, shown.window)


class Completions(OpenAIServer[CompletionsOptions]):
    """A server with OpenAI's interface of completions that tells how probable the tokens are that it is sent."""

    def __init__(self, known: Known, options: CompletionsOptions, key: Key, model: str, coder: HubCoder) -> None:
        super().__init__(known, options, key)
        self._coder = coder
        asked = {"echo": True, "logprobs": 1} if options.logprobs == "echo" else {"prompt_logprobs": 0}
        self._parameters |= {"model": model, "max_tokens": 1, "temperature": 0.0, "asked": asked}

    def question(self, ids: Ids, first: int) -> Question:
        """Return what to ask for a sequence of tokens whose target begins at ``first``."""
        text = json.dumps({"prompt": ids, "first": first})
        return Question(self._shared({}), text, "as tokens", Usage(len(ids), 1))

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        (question,) = questions
        parameters, sent = json.loads(question.shared), json.loads(question.text)
        asked, ids, first = parameters.pop("asked"), tuple(sent["prompt"]), int(sent["first"])
        completion = self._client.completions.create(prompt=list(ids), extra_body=asked, **parameters)
        choice: Any = completion.choices[0]
        try:
            values = self._echoed(choice, ids, first) if "echo" in asked else self._told(choice, ids, first)
        except LookupError as error:
            raise RequestError(Kind.OTHER_TOKENS, f"the server has read other tokens: {error}") from None
        if not all(math.isfinite(value) for value in values):
            # It is no answer, and must not be kept as one.
            raise RequestError(Kind.UNREADABLE, "the server gives NaN or infinity where a log-probability should be")
        usage = completion.usage
        billed = question.usage if usage is None else Usage(int(usage.prompt_tokens), int(usage.completion_tokens))
        return [Answer(json.dumps(values), billed)]

    def _told(self, choice: Any, ids: Ids, first: int) -> list[float]:
        """Return the log-probabilities of vLLM's ``prompt_logprobs``: for each place a table by token."""
        steps = getattr(choice, "prompt_logprobs", None)
        if not steps:
            raise RequestError(Kind.UNSCORED, "the answer has no prompt_logprobs")
        # The first token of all has no probability, and no table.
        tables = known_tokens(cast("Sequence[Mapping[str, Any] | None]", steps), ids, min(first, 1))
        check_written([str(table.get("decoded_token") or "") for table in tables], ids[-len(tables) :], self._coder)
        return [float(table["logprob"]) for table in tables[first - len(ids) :]]

    def _echoed(self, choice: Any, ids: Ids, first: int) -> list[float]:
        """Return the log-probabilities of a prompt that is repeated, with one token after it or none."""
        told = choice.logprobs
        if told is None or not told.token_logprobs:
            raise RequestError(Kind.UNSCORED, "the answer has no logprobs")
        values, written = told.token_logprobs, cast("list[str]", told.tokens or [])
        if len(values) - len(ids) not in (0, 1) or len(written) != len(values):
            raise LookupError(f"{len(values)} tokens came back for {len(ids)}, with one more at most")
        check_written(written, ids, self._coder)
        wanted = values[first : len(ids)]
        if None in wanted:
            raise RequestError(Kind.UNSCORED, "the answer lacks logprobs of the target")
        return [float(one) for one in wanted]


class CompletionsScorer(EngineScorer):
    """A :class:`~endophora.models.records.Scorer` behind which a server stands; its answers are kept."""

    def __init__(
        self, service: Completions, asker: Asker, read: tuple[str, Any, Prompts], signature: str, window: int | None
    ) -> None:
        super().__init__(*read, signature, window, service.place)
        self._service, self._asker = service, asker

    @property
    def spent(self) -> float | None:
        """What all calls have cost so far, in the currency of the price; ``None`` if that is not known."""
        return self._asker.spent

    def close(self) -> None:
        """Close the cache and end the threads; the scorer cannot be used any more."""
        self._asker.close()

    def estimate(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> Cost:
        """Say what :meth:`score` would cost; no request is made."""
        examples = self._laid_out(inputs, targets, None)
        return self._asker.estimate([[question] for question in self._questions(examples)])

    def _questions(self, examples: Sequence[LaidOut]) -> list[Question]:
        return [self._service.question((*one.prefix, *one.target), len(one.prefix)) for one in examples]

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[Floats]:
        questions = self._questions(examples)
        self._asker.check_limit(questions)
        found = (json.loads(answer.text) for answer in self._asker.obtain(questions))
        return [np.array([one if one > _LEAST else -math.inf for one in values]) for values in found]
