"""DeepL, through its own library."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from endophora.models.records import ModelInput
from endophora.models.services.options import DeepLOptions, Known
from endophora.models.services.records import Answer, Joined, Kind, Question, RequestError, Usage, join_segments
from endophora.models.services.requests import status_error
from endophora.models.services.specs import Key
from endophora.signature import digest_of, format_signature

_MARKUP = {"tag_handling": "xml"}


class DeepL:
    """DeepL.

    The source context goes along in one of two ways. ``parameter``: as DeepL's own parameter ``context``, which is not
    translated and not billed. ``markers``: in one text with the current segment, which is cut again; all of it is
    billed, and an answer with the wrong number of segments is asked again with the parameter. Previous translations
    have no way in.
    """

    name = "DeepL"
    unit = "characters"
    uses_target_context = False

    def __init__(self, known: Known, options: DeepLOptions, key: Key, languages: tuple[str, str]) -> None:
        self._library: Any = import_module(known.library)
        self._known, self._options, self._key = known, options, key
        key.guard(known.library)
        source, target = languages
        self._parameters: dict[str, str] = {
            "source_lang": known.sources.get(source, source).upper(),
            "target_lang": options.target or known.targets.get(target, target.upper()),
        }
        for name in ("formality", "model_type", "glossary"):
            value = getattr(options, name)
            if value is not None:
                self._parameters[name] = value
        self._threads = threading.local()

    @property
    def batch(self) -> tuple[int, int]:
        """Most questions, and most bytes of their texts, of one request."""
        return self._known.batch.texts, self._known.batch.bytes

    @property
    def place(self) -> str:
        """Service and address."""
        return "deepl" if self._options.address is None else f"deepl@{self._options.address}"

    @property
    def signature(self) -> str:
        """Settings that translations depend on."""
        version = str(getattr(self._library, "__version__", "unknown"))
        items = [("service", "s", self.place), ("context", "c", self._options.context)]
        items += [(name, name[:1], value) for name, value in self._parameters.items()]
        told = ("options", "o", digest_of(self._options)[:8])
        return format_signature([*items, told, ("library", "l", f"deepl-{version}")])

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to."""
        context = [str(sentence) for sentence in item.source_context if str(sentence).strip()]
        if not context:
            return (self._question(item.source, "alone", {}, 0),)
        given = len(context)
        parameter = self._question(item.source, "context as a parameter", {"context": "\n".join(context)}, given)
        if self._options.context == "parameter":
            return (parameter,)
        joined = join_segments([*context, item.source], self._known.markers)
        billed = sum(map(len, (*context, item.source))) + 2 * len(context) + 1
        return self._question(joined.text, "context with markers", _MARKUP, given, joined, billed), parameter

    def _question(
        self,
        text: str,
        way: str,
        more: dict[str, str],
        context: int,
        joined: Joined | None = None,
        billed: int | None = None,
    ) -> Question:
        shared = json.dumps(self._parameters | more, sort_keys=True, ensure_ascii=False)
        return Question(shared, text, way, Usage(len(text) if billed is None else billed), joined, context)

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Make one request, once.

        Raises: RequestError: there is no answer.
        """
        client, attempt = self._client()
        attempt.retry_after = None
        try:
            found: list[Any] = client.translate_text(
                [question.text for question in questions], **json.loads(questions[0].shared)
            )
            answers = [Answer(self._key.redact(str(one.text)), Usage(int(one.billed_characters))) for one in found]
        except self._library.exceptions.ConnectionException as error:
            failure = RequestError(Kind.BUSY, self._key.redact(str(error)))
        except self._library.DeepLException as error:
            failure = self._failure(error, attempt.retry_after)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            failure = RequestError(Kind.UNREADABLE, self._key.redact(f"the answer is not in its form ({error})"))
        else:
            return answers
        raise failure

    def _failure(self, error: Any, retry_after: str | None) -> RequestError:
        cause = self._key.redact(str(error))
        if error.http_status_code is None:
            return RequestError(Kind.REFUSED, cause)
        return status_error(int(error.http_status_code), cause, retry_after)

    def _client(self) -> tuple[Any, _OneAttempt]:
        """Return the client of this thread: its session is not to be shared."""
        if not hasattr(self._threads, "client"):
            client: Any = self._library.DeepLClient(
                self._key.reveal(), server_url=self._options.address, send_platform_info=False
            )
            self._threads.attempt = _OneAttempt(client._client, self._options.timeout)
            client._client = self._threads.attempt
            self._threads.client = client
        return self._threads.client, self._threads.attempt


class _OneAttempt:
    """The library's HTTP client without its own repetitions, which do not look at ``Retry-After``."""

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
