"""A server of completions as a scorer: ``completions:MODEL,address=…,tokenizer=…``, prompts and cuts as ``lm:``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from endophora.errors import Fault, InputError
from endophora.models.engines import EngineScorer, Floats, check_written, known_tokens
from endophora.models.layout import Ids, LaidOut
from endophora.models.loading import load_tokenizer, need_libraries, signature
from endophora.models.options import Form, ModelOptions
from endophora.models.prompting import Prompts, prompts_of
from endophora.models.records import ModelInput
from endophora.models.services.asking import Asker
from endophora.models.services.openai_service import OpenAIServer
from endophora.models.services.options import Key, Known, RunOptions, open_server
from endophora.models.services.records import Answer, Cost, Kind, Question, RequestError, Usage
from endophora.models.tokenization import HubCoder
from endophora.signature import keyed, write_signature

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
