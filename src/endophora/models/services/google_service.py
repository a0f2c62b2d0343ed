"""Google Cloud Translation (Advanced, v3), through its own library over REST."""

from __future__ import annotations

import html
import json
import os
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from endophora.errors import Fault, InputError
from endophora.models.records import ModelInput
from endophora.models.services.options import GoogleOptions, Known
from endophora.models.services.records import Answer, Joined, Kind, Question, RequestError, Usage, join_segments
from endophora.models.services.requests import status_error
from endophora.models.services.specs import Key, hide
from endophora.signature import digest_of, format_signature

PROJECT = "GOOGLE_CLOUD_PROJECT"
"""The environment variable that has the project, if no option has."""

_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
_GENERAL = "general/"  # models that are the same in all projects
_QUOTA_A_MINUTE = "rate limit exceeded"  # said with status 403, which is a refusal otherwise


class Google:
    """Google Cloud Translation.

    The service has no parameter for context. ``markers``: the context goes in one text with the current segment, which
    is cut again; all of it is billed, and an answer with the wrong number of segments is asked again without context.
    ``none``: the context is left out. Previous translations have no way in.

    Raises: InputError: the project is not given, or the credentials cannot be read (E241).
    """

    name = "Google Cloud Translation"
    unit = "characters"
    uses_target_context = False

    def __init__(self, known: Known, options: GoogleOptions, key: Key, languages: tuple[str, str]) -> None:
        self._library: Any = import_module(known.library)
        self._known, self._options, self._key = known, options, key
        project = options.project or os.environ.get(PROJECT, "")
        if not project:
            advice = f"set {PROJECT}, or write google:project=NAME"
            raise InputError(Fault("E241", "Google Cloud Translation bills a project, and none is given", advice))
        self._parent = f"projects/{project}/locations/{options.location}"
        source, target = languages
        self._parameters = {
            "source_language_code": known.sources.get(source, source),
            "target_language_code": options.target or known.targets.get(target, target),
            "model": options.model,
        }
        self._threads = threading.local()
        self._credentials()

    @property
    def batch(self) -> tuple[int, int]:
        """Most questions, and most bytes of their texts, of one request."""
        return self._known.batch.texts, self._known.batch.bytes

    @property
    def place(self) -> str:
        """Service and address, and for a model of the user's own its project.

        The project is left out for Google's models: it is who pays, and the answer is the same for all.
        """
        own = "" if self._options.model.startswith(_GENERAL) else f"/{self._parent}"
        return ("google" if self._options.address is None else f"google@{self._options.address}") + own

    @property
    def signature(self) -> str:
        """Settings that translations depend on."""
        version = str(getattr(self._library, "__version__", "unknown"))
        items = [("service", "s", self.place), ("context", "c", self._options.context)]
        items += [(name.removesuffix("_language_code"), name[:1], value) for name, value in self._parameters.items()]
        told = ("options", "o", digest_of(self._options)[:8])
        return format_signature([*items, told, ("library", "l", f"google-cloud-translate-{version}")])

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        context = [str(sentence) for sentence in item.source_context if str(sentence).strip()]
        alone = self._question(item.source, "without context", "text/plain")
        if not context or self._options.context == "none":
            return (alone,)
        joined = join_segments([*context, item.source], self._known.markers)
        return self._question(joined.text, "context with markers", "text/html", joined, len(context)), alone

    def _question(self, text: str, way: str, form: str, joined: Joined | None = None, context: int = 0) -> Question:
        shared = json.dumps(self._parameters | {"mime_type": form}, sort_keys=True, ensure_ascii=False)
        growth = int(len(text) * self._known.growth)
        return Question(shared, text, way, Usage(len(text), growth), joined, context)

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Make one request, once.

        Raises: RequestError: there is no answer.
        """
        exceptions: Any = import_module("google.api_core.exceptions")
        requests: Any = import_module("requests")
        transport: Any = import_module("google.auth.exceptions")
        request = json.loads(questions[0].shared)
        request |= {"parent": self._parent, "contents": [question.text for question in questions]}
        request["model"] = f"{self._parent}/models/{request['model']}"
        try:
            response = self._client().translate_text(request=request, retry=None, timeout=self._options.timeout)
            texts = [self._redact(str(one.translated_text)) for one in response.translations]
        except exceptions.GoogleAPICallError as error:
            failure = self._failure(error)
        except transport.TransportError as error:
            failure = RequestError(Kind.BUSY, self._redact(str(error)))
        except transport.GoogleAuthError as error:
            failure = RequestError(Kind.REFUSED, self._redact(str(error)))
        except (ValueError, TypeError, AttributeError, LookupError, _parse_error()) as error:
            # requests tells of an address that is none by errors that are ValueErrors as well.
            failure = RequestError(Kind.UNREADABLE, self._redact(f"the answer is not in its form ({error})"))
        except requests.exceptions.RequestException as error:
            failure = RequestError(Kind.BUSY, self._redact(f"no connection ({error})"))
        else:
            return [
                Answer(html.unescape(text) if question.joined is None else text, Usage(len(question.text), len(text)))
                for question, text in zip(questions, texts, strict=False)
            ]
        raise failure

    def _failure(self, error: Any) -> RequestError:
        cause = self._redact(str(error.message))
        status = int(error.code or 500)
        response = error.response
        retry_after = None if response is None else response.headers.get("Retry-After")
        if _QUOTA_A_MINUTE in cause.lower() and "daily" not in cause.lower():
            status = 429
        return status_error(status, cause, retry_after)

    def _client(self) -> Any:
        """Return the client of this thread: its session is not to be shared."""
        if not hasattr(self._threads, "client"):
            rest: Any = import_module(f"{self._known.library}.services.translation_service.transports.rest")
            self._threads.credentials = self._credentials()
            transport = rest.TranslationServiceRestTransport(
                host=self._options.address or self._known.address, credentials=self._threads.credentials
            )
            self._threads.client = self._library.TranslationServiceClient(transport=transport)
        return self._threads.client

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


def _parse_error() -> type[Exception]:
    module: Any = import_module("google.protobuf.json_format")
    return module.ParseError
