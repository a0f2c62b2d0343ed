"""The services: what all have in common, and DeepL, Google Cloud Translation and OpenAI's interface by their libraries.

A key must never be seen again: what a library says is shown without it, and errors are raised outside the block that
caught the library's, whose traceback may hold requests.
"""

from __future__ import annotations

import html
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.client import HTTPException, IncompleteRead
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from endophora.errors import Fault, InputError
from endophora.models.chunks import Chunk
from endophora.models.records import ContextSentence, ModelInput
from endophora.models.services.asking import status_error
from endophora.models.services.options import (
    DeepLOptions,
    GoogleBasicOptions,
    GoogleOptions,
    Key,
    Known,
    OpenAIOptions,
    RunOptions,
    hide,
)
from endophora.models.services.records import Answer, Joined, Kind, Question, RequestError, Usage, join_segments
from endophora.signature import digest_of, write_signature

_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError)
"""What is raised where an answer is not in its form."""

Options = TypeVar("Options", DeepLOptions, GoogleBasicOptions, OpenAIOptions)
AskedOptions = TypeVar("AskedOptions", bound=RunOptions)


class Asked(ABC, Generic[AskedOptions]):
    """A service that is asked something.

    Attributes:
        name: what it is called in messages.
        unit: what usage is counted in: ``"characters"`` or ``"tokens"``.
        package: the library's name in signatures; empty if it is Python's own.
        place: service and address: the part of a cache key that does not change between questions.
    """

    name: ClassVar[str]
    unit: ClassVar[str] = "characters"
    package: ClassVar[str]
    place: str

    def __init__(self, known: Known, options: AskedOptions, key: Key) -> None:
        self._library: Any = import_module(known.library)
        self._known, self._options, self._key = known, options, key
        self._threads = threading.local()
        self.batch, self.longest = known.batch, known.longest
        self._parameters: dict[str, object] = {}

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Make one request, once; one answer for each question, or RequestError. Called from several threads."""
        try:
            return self._request(questions)
        except Exception as error:
            failure = self._failure(error)
            if failure is None:
                raise
        raise failure

    @abstractmethod
    def _request(self, questions: Sequence[Question]) -> list[Answer]: ...

    def _failure(self, error: Any) -> RequestError | None:
        """Return what an error of the library means; ``None`` if it is an error of ours."""
        if isinstance(error, _UNREADABLE):
            return RequestError(Kind.UNREADABLE, self._redact(f"the answer is not in its form ({error})"))
        return None

    def _redact(self, text: str) -> str:
        return self._key.redact(text)

    def _shared(self, more: Mapping[str, object]) -> str:
        """Return the parameters of a request as questions have them."""
        return json.dumps({**self._parameters, **more}, sort_keys=True, ensure_ascii=False)

    def _of_thread(self, connect: Callable[[], Any]) -> Any:
        """Return the client of this thread: its session is not to be shared."""
        if not hasattr(self._threads, "client"):
            self._threads.client = connect()
        return self._threads.client


class Service(Asked[Options]):
    """A translation service.

    Attributes:
        uses_target_context: whether previous translations change the answer.
    """

    uses_target_context: ClassVar[bool] = False

    @property
    def signature(self) -> str:
        """Settings that translations depend on; no keys."""
        items = [("service", self.place), ("context", self._options.context), *self._settings()]
        items += [("options", digest_of(self._options)[:8])]
        if self.package:
            items += [("library", f"{self.package}-{getattr(self._library, '__version__', 'unknown')}")]
        return write_signature(items)

    def _settings(self) -> Iterable[tuple[str, object]]:
        return self._parameters.items()

    @abstractmethod
    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to.

        A question that follows one of the same ``way`` asks it once more. The context is text here, and the source is
        not blank.
        """

    @abstractmethod
    def chunk_question(self, chunk: Chunk) -> Question:
        """Return what to ask for several segments in one request."""


def filled(sentences: Iterable[ContextSentence]) -> list[str]:
    """Return the sentences that have text."""
    return [text for text in map(str, sentences) if text.strip()]


class DeepL(Service[DeepLOptions]):
    """DeepL.

    The source context goes along in one of two ways. ``parameter``: as DeepL's own parameter ``context``, which is not
    translated and not billed. ``markers``: in one text with the current segment, which is cut again; all of it is
    billed, and an answer with the wrong number of segments is asked again with the parameter. Previous translations
    have no way in.
    """

    name = "DeepL"
    package = "deepl"

    def __init__(self, known: Known, options: DeepLOptions, key: Key, languages: tuple[str, str]) -> None:
        super().__init__(known, options, key)
        key.guard(known.library)
        source, target = languages
        self._parameters |= {
            "source_lang": known.sources.get(source, source).upper(),
            "target_lang": options.target or known.targets.get(target, target.upper()),
        }
        chosen = {name: getattr(options, name) for name in ("formality", "model_type", "glossary")}
        self._parameters |= {name: value for name, value in chosen.items() if value is not None}
        self.place = "deepl" if options.address is None else f"deepl@{options.address}"

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        context = filled(item.source_context)
        source, given = item.source, len(context)
        if not context:
            return (Question(self._shared({}), source, "alone", Usage(len(source))),)
        shared = self._shared({"context": "\n".join(context)})
        parameter = Question(shared, source, "context as a parameter", Usage(len(source)), context=given)
        if self._options.context == "parameter":
            return (parameter,)
        joined = join_segments([*context, source], self._known.markers)
        billed = Usage(sum(map(len, (*context, source))) + 2 * given + 1)
        shared = self._shared({"tag_handling": "xml"})
        return Question(shared, joined.text, "context with markers", billed, joined, given), parameter

    def chunk_question(self, chunk: Chunk) -> Question:
        """Return what to ask for several segments in one request; the context is the parameter."""
        joined = join_segments(chunk.sources, self._known.markers) if chunk.marked else None
        more = {"context": "\n".join(chunk.source_context)} if chunk.source_context else {}
        more |= {"tag_handling": "xml"} if joined else {}
        text = joined.text if joined else "\n".join(chunk.sources)
        billed = Usage(sum(map(len, chunk.sources)) + (2 if joined else 1) * len(chunk.sources))
        return Question(self._shared(more), text, "chunk", billed, joined, len(chunk.source_context))

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        client = self._of_thread(self._connect)
        self._threads.attempt.retry_after = None
        texts = [question.text for question in questions]
        found: list[Any] = client.translate_text(texts, **json.loads(questions[0].shared))
        return [Answer(self._redact(str(one.text)), Usage(int(one.billed_characters))) for one in found]

    def _failure(self, error: Any) -> RequestError | None:
        cause = self._redact(str(error))
        if isinstance(error, self._library.exceptions.ConnectionException):
            return RequestError(Kind.BUSY, cause)
        if not isinstance(error, self._library.DeepLException):
            return super()._failure(error)
        status: Any = getattr(error, "http_status_code", None)
        if status is None:
            return RequestError(Kind.REFUSED, cause)
        return status_error(int(status), cause, self._threads.attempt.retry_after)

    def _connect(self) -> Any:
        address = self._options.address
        client: Any = self._library.DeepLClient(self._key.reveal(), server_url=address, send_platform_info=False)
        client._client = self._threads.attempt = _OneAttempt(client._client, self._options.timeout)
        return client


class _OneAttempt:
    """DeepL's HTTP client without its own repetitions, which do not look at ``Retry-After``."""

    def __init__(self, client: Any, timeout: float) -> None:
        self._inner, self._timeout = client, timeout
        self.retry_after: str | None = None

    def _note(self, response: Any, **_: object) -> None:
        self.retry_after = response.headers.get("Retry-After")

    def request_with_backoff(self, method: str, url: str, stream: bool = False, **rest: Any) -> Any:
        """Make a request once, in the place of the library's function of this name."""
        request = self._inner._prepare_request(method, url, **rest)
        request.register_hook("response", self._note)
        return self._inner._internal_request(request, stream=stream, timeout=self._timeout)

    def close(self) -> None:
        """Close the session."""
        self._inner.close()


PROJECT = "GOOGLE_CLOUD_PROJECT"
"""The environment variable that has the project, if no option has."""

_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
_GENERAL = "general/"  # models that are the same in all projects
_QUOTA_A_MINUTE = "rate limit exceeded"  # said with status 403, which is a refusal otherwise


class _Straight(HTTPRedirectHandler):
    """Goes nowhere else than where it was sent: the key is in the request."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        """Return no request, so that the answer is an error."""


def _cause(error: HTTPError) -> str:
    """Return the message of an error in Google's form, or its text; what does not come whole is left out."""
    try:
        with error:
            text = error.read().decode("utf-8", "replace")
    except (OSError, HTTPException):
        return str(error.reason)
    try:
        return str(json.loads(text)["error"]["message"])
    except _UNREADABLE:
        return text


class GoogleBasic(Service[GoogleBasicOptions]):
    """Google Cloud Translation (Basic, v2): JSON over HTTP, with a key.

    The service has no parameter for context. ``markers``: the context goes in one text with the current segment, which
    is cut again; all of it is billed, and an answer with the wrong number of segments is asked again without context.
    ``none``: the context is left out. Previous translations have no way in.
    """

    name = "Google Cloud Translation"
    package = ""

    def __init__(self, known: Known, options: GoogleBasicOptions, key: Key, languages: tuple[str, str]) -> None:
        super().__init__(known, options, key)
        source, target = languages
        self._parameters |= {
            "source_language_code": known.sources.get(source, source),
            "target_language_code": options.target or known.targets.get(target, target),
        }
        self.place = "google-basic" if options.address is None else f"google-basic@{options.address}"
        self._opener = build_opener(_Straight)

    def _settings(self) -> Iterable[tuple[str, object]]:
        return ((name.removesuffix("_language_code"), value) for name, value in self._parameters.items())

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        context = filled(item.source_context)
        alone = self._question(item.source, "without context", "text/plain")
        if not context or self._options.context == "none":
            return (alone,)
        joined = join_segments([*context, item.source], self._known.markers)
        return self._question(joined.text, "context with markers", "text/html", joined, len(context)), alone

    def chunk_question(self, chunk: Chunk) -> Question:
        """Return what to ask for several segments in one request; there is no way in for context."""
        if not chunk.marked:
            return self._question("\n".join(chunk.sources), "chunk", "text/plain")
        joined = join_segments(chunk.sources, self._known.markers)
        return self._question(joined.text, "chunk", "text/html", joined)

    def _question(self, text: str, way: str, form: str, joined: Joined | None = None, context: int = 0) -> Question:
        usage = Usage(len(text), int(len(text) * self._known.growth))
        return Question(self._shared({"mime_type": form}), text, way, usage, joined, context)

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        given: dict[str, str] = json.loads(questions[0].shared)
        body = {
            "q": [question.text for question in questions],
            "source": given["source_language_code"],
            "target": given["target_language_code"],
            "format": "html" if given["mime_type"] == "text/html" else "text",
        }
        request = Request(  # noqa: S310 - the address is checked to be one of HTTP
            f"{self._options.address or self._known.address}/language/translate/v2",
            json.dumps(body).encode(),
            # As Google's page on keys has it; in the address, logs of servers on the way would keep it.
            {"Content-Type": "application/json; charset=utf-8", "X-goog-api-key": self._key.reveal()},
        )
        with self._opener.open(request, timeout=self._options.timeout) as response:
            found = json.loads(response.read())["data"]["translations"]
        texts = [self._redact(str(one["translatedText"])) for one in found]
        return [
            Answer(text, Usage(len(question.text), len(text))) for question, text in zip(questions, texts, strict=False)
        ]

    def _failure(self, error: Any) -> RequestError | None:
        if isinstance(error, HTTPError):
            cause = self._redact(_cause(error))
            full = _QUOTA_A_MINUTE in cause.lower() and "daily" not in cause.lower()
            return status_error(429 if full else error.code, " ".join(cause.split()), error.headers.get("Retry-After"))
        if failure := super()._failure(ValueError(str(error)) if isinstance(error, IncompleteRead) else error):
            return failure
        unconnected = isinstance(error, OSError | HTTPException)
        return RequestError(Kind.BUSY, self._redact(f"no connection ({error})")) if unconnected else None


class Google(GoogleBasic):
    """Google Cloud Translation (Advanced, v3), over REST (E241); context goes along as in the Basic edition."""

    package = "google-cloud-translate"

    def __init__(self, known: Known, options: GoogleOptions, key: Key, languages: tuple[str, str]) -> None:
        super().__init__(known, options, key, languages)
        project = options.project or os.environ.get(PROJECT, "")
        if not project:
            advice = f"set {PROJECT}, or write google:project=NAME"
            raise InputError(Fault("E241", "Google Cloud Translation bills a project, and none is given", advice))
        self._parent = f"projects/{project}/locations/{options.location}"
        self._parameters["model"] = options.model
        # The project is no part of the place for Google's models: it is who pays, and the answer is the same for all.
        own = "" if options.model.startswith(_GENERAL) else f"/{self._parent}"
        self.place = ("google" if options.address is None else f"google@{options.address}") + own
        self._credentials()

    def _request(self, questions: Sequence[Question]) -> list[Answer]:
        request = json.loads(questions[0].shared)
        request |= {"parent": self._parent, "contents": [question.text for question in questions]}
        request["model"] = f"{self._parent}/models/{request['model']}"
        response = self._of_thread(self._connect).translate_text(
            request=request, retry=None, timeout=self._options.timeout
        )
        texts = [self._redact(str(one.translated_text)) for one in response.translations]
        return [
            Answer(html.unescape(text) if question.joined is None else text, Usage(len(question.text), len(text)))
            for question, text in zip(questions, texts, strict=False)
        ]

    def _failure(self, error: Any) -> RequestError | None:
        transport: Any = import_module("google.auth.exceptions")
        if isinstance(error, import_module("google.api_core.exceptions").GoogleAPICallError):
            return self._refusal(error)
        if isinstance(error, transport.GoogleAuthError):
            kind = Kind.BUSY if isinstance(error, transport.TransportError) else Kind.REFUSED
            return RequestError(kind, self._redact(str(error)))
        # The library `requests` reports an invalid address by errors that are ValueErrors as well.
        unreadable = isinstance(error, import_module("google.protobuf.json_format").ParseError)
        return super()._failure(ValueError(str(error)) if unreadable else error)

    def _refusal(self, error: Any) -> RequestError:
        cause, response = self._redact(str(error.message)), error.response
        full = _QUOTA_A_MINUTE in cause.lower() and "daily" not in cause.lower()
        retry_after = None if response is None else response.headers.get("Retry-After")
        return status_error(429 if full else int(error.code or 500), cause, retry_after)

    def _connect(self) -> Any:
        rest: Any = import_module(f"{self._known.library}.services.translation_service.transports.rest")
        self._threads.credentials = self._credentials()
        host = self._options.address or self._known.address
        transport = rest.TranslationServiceRestTransport(host=host, credentials=self._threads.credentials)
        return self._library.TranslationServiceClient(transport=transport)

    def _credentials(self) -> Any:
        """Return credentials of this thread, from the file that the environment names."""
        if not self._key.variable:
            return import_module("google.auth.credentials").AnonymousCredentials()
        auth: Any = import_module("google.auth")
        try:
            # With the variable set, this looks nowhere else.
            return auth.default(scopes=_SCOPES)[0]
        except auth.exceptions.GoogleAuthError as error:
            fault = Fault("E241", f"the credentials cannot be read ({error})", "check the file", self._key.variable)
        raise InputError(fault)

    def _redact(self, text: str) -> str:
        """Return a text without the token that was sent, should a service repeat it."""
        token = getattr(getattr(self._threads, "credentials", None), "token", None)
        return hide(text, str(token or ""))
