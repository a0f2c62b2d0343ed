"""A language model behind OpenAI's chat interface that answers questions in a fixed form: ``llm:MODEL,address=…``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from endophora.models.services.asking import Asker
from endophora.models.services.openai_service import OpenAIServer, chat_parameters
from endophora.models.services.options import ChatOptions, Key, Known, open_server
from endophora.models.services.records import Answer, Question, Usage
from endophora.signature import keyed, write_signature

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

    Args:
        argument: ``MODEL``, and options: ``gpt-4.1,parallel=8``, ``qwen3,address=http://localhost:8000/v1``.
        limit: most that it may cost, in the currency of its price.
    """
    server = open_server("llm", argument, JudgeOptions, cache, limit=limit)
    judge = ChatJudge(server.known, server.options, server.key, server.model)
    currency = "" if server.price is None else server.price.currency
    return judge, Asker(judge, server.options, server.price, server.cache), currency
