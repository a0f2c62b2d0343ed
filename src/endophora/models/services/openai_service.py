"""Language models behind OpenAI's interface, OpenAI's or any other server's."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from endophora.corpus.codes import language_names
from endophora.models.chunks import Chunk
from endophora.models.prompting import TEXT, Templates
from endophora.models.records import ModelInput
from endophora.models.services.asking import Asker, read_retry_after, status_error
from endophora.models.services.options import ChatOptions, Key, Known, OpenAIOptions, open_server
from endophora.models.services.providers import Asked, AskedOptions, Service, filled
from endophora.models.services.records import CUT_OFF, Answer, Kind, Question, RequestError, Usage, join_segments
from endophora.signature import keyed, write_signature

_NO_MONEY = "insufficient_quota"  # said with status 429, which is no refusal otherwise
_MESSAGE_TOKENS = 8  # around the two messages

Way = Literal["prompt", "markers", "alone", "chunk", "whole"]


def service_prompts(file: Path | None = None) -> Templates:
    """Return the templates of a language model's requests (E248)."""
    languages: dict[str, object] = {"source_language": "English", "target_language": "German"}
    context: dict[str, object] = {"source_context": ["a"], "target_context": ["b"]}
    again: dict[str, object] = {**languages, **context, "text": "c", "count": 2, "first": "1", "last": "2"}
    asked: dict[str, object] = {**again, "text": TEXT}
    trials = {"system": languages, "again": again}
    trials |= dict.fromkeys(("prompt", "markers", "alone", "chunk", "whole"), asked)
    packaged = files("endophora.models.services") / "prompt.yaml"
    # Files of users that were written before there were these take the package's.
    return Templates(file, packaged, trials, ("E248", "docs/services.md"), optional=("again", "chunk", "whole"))


def chat_parameters(options: ChatOptions, model: str) -> dict[str, object]:
    """Return the parameters of a chat's requests."""
    chosen = {
        "model": model,
        "temperature": None if options.temperature == "default" else options.temperature,
        "seed": options.seed,
        "max_completion_tokens": options.longest,
        "reasoning_effort": options.reasoning,
    }
    return {name: value for name, value in chosen.items() if value is not None}


class OpenAIServer(Asked[AskedOptions]):
    """A server with OpenAI's interface: its client, and what its refusals mean."""

    name = "OpenAI"
    unit = "tokens"
    package = "openai"

    def __init__(self, known: Known, options: AskedOptions, key: Key) -> None:
        super().__init__(known, options, key)
        address = options.address or known.address
        self.place = f"openai@{address}"
        self._client: Any = self._library.OpenAI(
            api_key=key.reveal(), base_url=address, timeout=options.timeout, max_retries=0
        )

    def _tokens(self, text: str) -> int:
        return math.ceil(len(text.encode("utf-8", "surrogatepass")) / self._known.bytes_a_token)

    def _chat(self, question: Question) -> Answer:
        """Ask one question in two turns, the system's and the user's."""
        parameters = json.loads(question.shared)
        messages = [{"role": "system", "content": parameters.pop("system")}, {"role": "user", "content": question.text}]
        completion = self._client.chat.completions.create(messages=messages, **parameters)
        choice = completion.choices[0]
        text, usage = choice.message.content, completion.usage
        refusal = getattr(choice.message, "refusal", None)
        note = ""
        if refusal or choice.finish_reason == "content_filter":
            note = f"the service refused to translate it{f' ({self._redact(refusal)})' if refusal else ''}"
        elif not isinstance(text, str):
            raise TypeError("no text in it")
        elif choice.finish_reason == "length":
            note = CUT_OFF
        billed = question.usage if usage is None else Usage(int(usage.prompt_tokens), int(usage.completion_tokens))
        return Answer("" if text is None else self._redact(str(text)), billed, note)

    def _failure(self, error: Any) -> RequestError | None:
        if isinstance(error, self._library.APIStatusError):
            return self._refusal(error)
        if isinstance(error, self._library.APIConnectionError):
            return RequestError(Kind.BUSY, self._redact(f"{error} {error.__cause__ or ''}".strip()))
        return super()._failure(ValueError(str(error)) if isinstance(error, self._library.OpenAIError) else error)

    def _refusal(self, error: Any) -> RequestError:
        cause, headers = self._redact(str(error.message)), error.response.headers
        if error.code == _NO_MONEY:
            return RequestError(Kind.REFUSED, cause)
        milliseconds = read_retry_after(headers.get("retry-after-ms"))
        failure = status_error(int(error.status_code), "", headers.get("retry-after"))
        return RequestError(failure.kind, cause, failure.wait if milliseconds is None else milliseconds / 1000)


class OpenAIChat(OpenAIServer[OpenAIOptions], Service[OpenAIOptions]):
    """A language model behind OpenAI's chat interface, OpenAI's or any other (E248).

    ``prompt``: context and previous translations are shown, and the current segment alone is asked for. ``markers``:
    the source context is translated along with it, each segment behind a marker. An answer of the wrong number of
    segments, or of more than a line, is asked for once more in the same way, with the form named again; if segments are
    still wrong, in the next of these ways: ``markers``, ``prompt``, and without context.
    """

    uses_target_context = True

    def __init__(self, known: Known, options: OpenAIOptions, key: Key, languages: tuple[str, str], model: str) -> None:
        super().__init__(known, options, key)
        self._languages, self._prompts = languages, service_prompts(options.prompt)
        self._parameters |= chat_parameters(options, model)
        self._names = {
            f"{side}_language": language_names()[code]
            for side, code in zip(("source", "target"), languages, strict=True)
        }
        self._system = self._prompts.fill("system", self._names).strip()

    def _settings(self) -> Iterable[tuple[str, object]]:
        digest = hashlib.blake2b(repr(sorted(map(str, self._prompts.table.items()))).encode(), digest_size=4)
        prompts = ("prompt", digest.hexdigest())
        return [*self._parameters.items(), ("languages", "-".join(self._languages)), prompts]

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        source, target = filled(item.source_context), filled(item.target_context)
        ways: tuple[Way, ...] = ("prompt", "alone") if source or target else ("alone",)
        if self._options.context == "markers" and source:
            ways = ("markers", *ways)
        asked = {way: [*source, item.source] if way == "markers" else [item.source] for way in ways}
        return tuple(self._question(asked[way], source, target, way, again) for way in ways for again in (False, True))

    def chunk_question(self, chunk: Chunk) -> Question:
        """Return what to ask for several segments in one request."""
        way: Way = "chunk" if chunk.marked else "whole"
        return self._question(chunk.segments, chunk.source_context, chunk.target_context, way)

    def _question(
        self, segments: Sequence[str], source: Sequence[str], target: Sequence[str], way: Way, again: bool = False
    ) -> Question:
        joined = join_segments(segments, self._known.markers)
        values: dict[str, object] = {
            **self._names,
            "source_context": source,
            "target_context": target,
            **joined.variables,
        }
        text = self._prompts.fill(way, values).strip()
        if again:
            text = f"{self._prompts.fill('again', values).strip()}\n\n{text}"
        asked = self._tokens(self._system) + _MESSAGE_TOKENS + self._tokens(text)
        usage = Usage(asked, math.ceil(self._tokens(joined.text) * self._known.growth))
        shown = self._shown(way, values, len(source), len(target))
        if way == "markers":
            shown = len(source), shown[1]  # they are in the text that is sent
        return Question(self._shared({"system": self._system}), text, f"as {way}", usage, joined, *shown)

    def _shown(self, way: Way, values: Mapping[str, object], sources: int, targets: int) -> tuple[int, int]:
        """Return how many segments of context the request shows of each side: a user's may leave out any."""
        source, target = ([f"\ue002{side}-{number}\ue002" for number in range(length)]
                          for side, length in (("s", sources), ("t", targets)))  # fmt: skip
        text = self._prompts.fill(way, {**values, "source_context": source, "target_context": target})
        return sum(one in text for one in source), sum(one in text for one in target)

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        return [self._chat(questions[0])]


_ANSWER_TOKENS = 120
"""Of an answer, for estimates."""


@keyed()
class JudgeOptions(ChatOptions):
    """Options of a model that judges.

    Attributes:
        answers: how the form of answers is asked for: ``json_schema``, ``json_object`` where a server knows no schemas,
            ``text`` where it knows neither. The prompt says the form in any case.
    """

    answers: Literal["json_schema", "json_object", "text"] = "json_schema"


class ChatJudge(OpenAIServer[JudgeOptions]):
    """A model that is asked one question at a time."""

    def __init__(self, known: Known, options: JudgeOptions, key: Key, model: str) -> None:
        super().__init__(known, options, key)
        self._parameters |= chat_parameters(options, model)

    @property
    def signature(self) -> str:
        """Server, model and parameters."""
        return write_signature([("server", self.place), *self._parameters.items(), ("answers", self._options.answers)])

    def question(self, system: str, text: str, schema: Mapping[str, object]) -> Question:
        """Return what to ask; answers are to be JSON that fits the schema."""
        shared: dict[str, object] = {"system": system}
        if self._options.answers == "json_schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            shared["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self._options.answers == "json_object":
            shared["response_format"] = {"type": "json_object"}
        usage = Usage(self._tokens(system) + self._tokens(text), _ANSWER_TOKENS)
        return Question(self._shared(shared), text, "as question", usage)

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        return [self._chat(questions[0])]

    def read(self, answer: Answer, question: Question) -> str:
        """Return an answer's text without what a model has thought before."""
        return self._known.markers.answer(answer.text, question.text).strip()


def open_judge(
    argument: str, limit: float | None = None, cache: Path | str | None = "default"
) -> tuple[ChatJudge, Asker, str]:
    """Open a model that judges, what asks it, and its currency; no request is made (E240, E241, E242, E247).

    The argument is ``MODEL``, and options: ``gpt-4.1,parallel=8``, ``qwen3,address=http://localhost:8000/v1``.
    """
    server = open_server("llm", argument, JudgeOptions, cache, limit=limit)
    judge = ChatJudge(server.known, server.options, server.key, server.model)
    currency = "" if server.price is None else server.price.currency
    return judge, Asker(judge, server.options, server.price, server.cache), currency
