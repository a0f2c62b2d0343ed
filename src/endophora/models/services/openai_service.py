"""Any service with OpenAI's chat interface, through OpenAI's own library."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, cast

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError
from endophora.models.records import ModelInput
from endophora.models.services.options import Known, OpenAIOptions
from endophora.models.services.records import Answer, Kind, Question, RequestError, Usage, join_segments
from endophora.models.services.requests import read_retry_after, status_error
from endophora.models.services.specs import Key
from endophora.signature import digest_of, format_signature

_AGAIN = "again"
_PARTS = ("system", "prompt", "markers", "alone", _AGAIN)
_PACKAGED = "prompt.yaml"
_LANGUAGES: dict[str, object] = {"source_language": "English", "target_language": "German"}
_TRIAL: dict[str, object] = {
    "source_context": ["a"],
    "target_context": ["b"],
    "text": "c",
    "count": 2,
    "first": "1",
    "last": "2",
}


class Prompts:
    """The templates of a language model's requests.

    Raises: InputError (E248).
    """

    def __init__(self, file: Path | None = None) -> None:
        place = _PACKAGED if file is None else str(file)
        packaged = _read(files("endophora.models.services") / _PACKAGED, _PACKAGED)
        # Files of users that were written before there was such a template take the package's.
        table = packaged if file is None else {_AGAIN: packaged[_AGAIN]} | _read(file, place)
        self.digest = hashlib.blake2b(repr(sorted(map(str, table.items()))).encode(), digest_size=4).hexdigest()
        faults = [Fault("E248", f"there is no “{part}”", "see docs/services.md", place)
                  for part in _PARTS if not isinstance(table.get(part), str)]  # fmt: skip
        faults += [Fault("E248", f"there is no use for “{name}”", f"known: {', '.join(_PARTS)}", place)
                   for name in table if name not in _PARTS]  # fmt: skip
        environment = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )  # fmt: skip
        self._templates: dict[str, Any] = {}
        for part in _PARTS:
            if isinstance(table.get(part), str):
                try:
                    self._templates[part] = environment.from_string(str(table[part]))
                    filled = self.fill(part, _LANGUAGES if part == "system" else _LANGUAGES | _TRIAL)
                except Exception as error:  # a template is code: `{{ text + 1 }}` is a TypeError
                    faults.append(Fault("E248", f"“{part}”: {error}", "see docs/services.md for the variables", place))
                else:
                    if part not in ("system", _AGAIN) and str(_TRIAL["text"]) not in filled:
                        cause = f"“{part}” leaves out the text"
                        faults.append(Fault("E248", cause, "write {{ text }} in it", place))
        if faults:
            raise InputError(faults)

    def fill(self, part: str, values: Mapping[str, object]) -> str:
        """Return a template with its variables filled in."""
        return str(self._templates[part].render(values)).strip()


def _read(file: Traversable, place: str) -> dict[object, object]:
    """Return the table of a file; empty if there is something else in it."""
    try:
        data = load_yaml(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, TreeError) as error:
        cause = f"cannot be read ({str(error).splitlines()[0]})"
        raise InputError(Fault("E248", cause, "check the path and the form", place)) from error
    return cast("dict[object, object]", data) if isinstance(data, dict) else {}


_NO_MONEY = "insufficient_quota"  # said with status 429, which is no refusal otherwise
_MESSAGE_TOKENS = 8  # around the two messages

Way = Literal["prompt", "markers", "alone"]


class OpenAIChat:
    """A language model behind OpenAI's chat interface.

    ``prompt``: context and previous translations are shown, and the current segment alone is asked for. ``markers``:
    the source context is translated along with it, each segment behind a marker. An answer of the wrong number of
    segments, or of more than a line, is asked for once more in the same way, with the form named again; if segments are
    still wrong, in the next of these ways: ``markers``, ``prompt``, and without context.

    Raises: InputError: the file of prompts is not in its form (E248).
    """

    name = "OpenAI"
    unit = "tokens"
    uses_target_context = True

    def __init__(
        self,
        known: Known,
        options: OpenAIOptions,
        key: Key,
        model: str,
        languages: tuple[str, str],
        names: tuple[str, str],
    ) -> None:
        self._library: Any = import_module(known.library)
        self._known, self._options, self._key, self._model = known, options, key, model
        self._languages, self._names = languages, names
        self._prompts = Prompts(options.prompt)
        self._parameters: dict[str, object] = {"model": model}
        chosen = {
            "temperature": None if options.temperature == "default" else options.temperature,
            "seed": options.seed,
            "max_completion_tokens": options.longest,
            "reasoning_effort": options.reasoning,
        }
        self._parameters |= {name: value for name, value in chosen.items() if value is not None}
        system = self._prompts.fill("system", {"source_language": names[0], "target_language": names[1]})
        self._shared = json.dumps(self._parameters | {"system": system}, sort_keys=True, ensure_ascii=False)
        self._overhead = self._tokens(system) + _MESSAGE_TOKENS
        self._address = options.address or known.address
        self._client: Any = self._library.OpenAI(
            api_key=key.reveal(), base_url=self._address, timeout=options.timeout, max_retries=0
        )

    @property
    def batch(self) -> tuple[int, int]:
        """Most questions, and most bytes of their texts, of one request."""
        return self._known.batch.texts, self._known.batch.bytes

    @property
    def place(self) -> str:
        """Service and address."""
        return f"openai@{self._address}"

    @property
    def signature(self) -> str:
        """Settings that translations depend on."""
        version = str(getattr(self._library, "__version__", "unknown"))
        items: list[tuple[str, str, object]] = [("service", "s", self.place), ("context", "c", self._options.context)]
        items += [(name, name[:1], value) for name, value in self._parameters.items()]
        items += [("languages", "l", "-".join(self._languages)), ("prompt", "p", self._prompts.digest)]
        told = ("options", "o", digest_of(self._options)[:8])
        return format_signature([*items, told, ("library", "v", f"openai-{version}")])

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        source = [str(sentence) for sentence in item.source_context if str(sentence).strip()]
        target = [str(sentence) for sentence in item.target_context if str(sentence).strip()]
        ways: tuple[Way, ...] = ("prompt", "alone") if source or target else ("alone",)
        if self._options.context == "markers" and source:
            ways = ("markers", *ways)
        return tuple(self._question(item.source, source, target, way, again) for way in ways for again in (False, True))

    def _question(self, current: str, source: Sequence[str], target: Sequence[str], way: Way, again: bool) -> Question:
        segments = [*source, current] if way == "markers" else [current]
        joined = join_segments(segments, self._known.markers)
        values: dict[str, object] = {
            "source_language": self._names[0],
            "target_language": self._names[1],
            "source_context": list(source),
            "target_context": list(target),
            "text": joined.text,
            "count": len(segments),
            "first": joined.markers.marker(1, joined.salt),
            "last": joined.markers.marker(len(segments), joined.salt),
        }
        text = self._prompts.fill(way, values)
        if again:
            text = f"{self._prompts.fill('again', values)}\n\n{text}"
        usage = Usage(self._overhead + self._tokens(text), math.ceil(self._tokens(joined.text) * self._known.growth))
        shown = (0, 0) if way == "alone" else (len(source), len(target))
        return Question(self._shared, text, f"as {way}", usage, joined, *shown)

    def _tokens(self, text: str) -> int:
        return math.ceil(len(text.encode("utf-8", "surrogatepass")) / self._known.bytes_a_token)

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Make one request, once.

        Raises: RequestError: there is no answer.
        """
        (question,) = questions
        parameters = json.loads(question.shared)
        messages = [
            {"role": "system", "content": parameters.pop("system")},
            {"role": "user", "content": question.text},
        ]
        try:
            answer = self._answer(question, self._client.chat.completions.create(messages=messages, **parameters))
        except self._library.APIStatusError as error:
            failure = self._failure(error)
        except self._library.APIConnectionError as error:
            failure = RequestError(Kind.BUSY, self._key.redact(f"{error} {error.__cause__ or ''}".strip()))
        except (
            self._library.OpenAIError,
            ValueError,
            TypeError,
            AttributeError,
            LookupError,
        ) as error:
            failure = RequestError(Kind.UNREADABLE, self._key.redact(f"the answer is not in its form ({error})"))
        else:
            return [answer]
        raise failure

    def _answer(self, question: Question, completion: Any) -> Answer:
        choice = completion.choices[0]
        text, usage = choice.message.content, completion.usage
        refusal = getattr(choice.message, "refusal", None)
        note = ""
        if refusal or choice.finish_reason == "content_filter":
            note = f"the service refused to translate it{f' ({self._key.redact(refusal)})' if refusal else ''}"
        elif not isinstance(text, str):
            raise TypeError("no text in it")
        elif choice.finish_reason == "length":
            note = "the service cut the translation off"
        billed = question.usage if usage is None else Usage(int(usage.prompt_tokens), int(usage.completion_tokens))
        return Answer("" if text is None else self._key.redact(str(text)), billed, note)

    def _failure(self, error: Any) -> RequestError:
        cause = self._key.redact(str(error.message))
        headers = error.response.headers
        if error.code == _NO_MONEY:
            return RequestError(Kind.REFUSED, cause)
        milliseconds = read_retry_after(headers.get("retry-after-ms"))
        failure = status_error(int(error.status_code), "", headers.get("retry-after"))
        wait = failure.wait if milliseconds is None else milliseconds / 1000
        return RequestError(failure.kind, cause, wait)
