"""From a spec to a translation service: ``deepl:``, ``google:``, ``google-basic:``, ``openai:MODEL``.

``deepl:context=markers,formality=more``: after it options of the run, and those that answers depend on.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from endophora.corpus.codes import check_languages, parse_languages
from endophora.corpus.faults import FaultLog
from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.services.asking import default_cache_path
from endophora.models.services.records import Markers, Price, find_price
from endophora.models.services.translator import ServiceTranslator
from endophora.record import Fixed
from endophora.signature import keyed

if TYPE_CHECKING:
    from endophora.models.services.providers import Service


class Known(Fixed):
    """What is known of a service; ``services.yaml`` says what the entries are.

    Attributes:
        batch: most texts of a request, and most bytes of UTF-8 of them all; a longer text goes alone.
        longest: most bytes of a text that is sent for several segments; ``None`` for no limit.
        sources: its code of a source language, where that is not ISO 639-1's.
        growth: bytes of a translation ÷ bytes of its source at most, for estimates.
    """

    name: str
    library: str
    keys: tuple[str, ...]
    address: str
    batch: tuple[int, int]
    longest: int | None = None
    markers: Markers
    sources: dict[str, str] = {}
    targets: dict[str, str] = {}
    bytes_a_token: float = 3.0
    growth: float = 1.5


_PACE = (
    *("requests_a_minute", "characters_a_minute", "parallel"),
    *("attempts", "timeout", "first_wait", "longest_wait"),
)


@keyed(
    irrelevant={
        **dict.fromkeys(_PACE, "how fast a service is asked, not what it answers"),
        **dict.fromkeys(("limit", "prices"), "what answers cost, not what they are"),
        "languages": "the pair that is asked for counts, wherever it is given",
    }
)
class RunOptions(Fixed):
    """How a run goes, and what all services have in common.

    Attributes:
        characters_a_minute: most characters sent in any 60 seconds, in code points.
        longest_wait: most seconds between attempts; a service that asks for longer is not asked again.
        limit: most that the run may cost, in the currency of the price.
        languages: the pair, as ``en-de``, if it is not given otherwise.
    """

    requests_a_minute: int | None = Field(default=None, gt=0)
    characters_a_minute: int | None = Field(default=None, gt=0)
    parallel: int = Field(default=4, ge=1, le=64)
    attempts: int = Field(default=6, ge=1, le=20)
    timeout: float = Field(default=60.0, gt=0, le=3600)
    first_wait: float = Field(default=1.0, ge=0, le=600)
    longest_wait: float = Field(default=120.0, ge=0, le=86400)
    limit: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    prices: Path | None = None
    address: str | None = None
    languages: str | None = None


class DeepLOptions(RunOptions):
    """Options of :class:`~endophora.models.services.providers.DeepL`; ``target`` is its code of the language."""

    context: Literal["parameter", "markers"] = "parameter"
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] | None = None
    model_type: Literal["quality_optimized", "prefer_quality_optimized", "latency_optimized"] | None = None
    glossary: str | None = None
    target: str | None = None


class GoogleBasicOptions(RunOptions):
    """Options of :class:`~endophora.models.services.providers.GoogleBasic`; ``target`` is its code of the language."""

    context: Literal["markers", "none"] = "markers"
    target: str | None = None


class GoogleOptions(GoogleBasicOptions):
    """Options of :class:`~endophora.models.services.providers.Google`."""

    project: str | None = None
    location: str = "global"
    model: str = "general/nmt"


class ChatOptions(RunOptions):
    """Options of a chat; the temperature ``default`` leaves it out of the request, as some models want."""

    temperature: float | Literal["default"] = Field(default=0.0, union_mode="left_to_right")
    seed: int | None = None
    longest: int | None = Field(default=None, gt=0)
    reasoning: str | None = None


class OpenAIOptions(ChatOptions):
    """Options of :class:`~endophora.models.services.openai_service.OpenAIChat`."""

    context: Literal["prompt", "markers"] = "prompt"
    prompt: Path | None = None


Options = TypeVar("Options", bound=RunOptions)


@cache
def known_services() -> dict[str, Known]:
    """Return what is known of each service, by the name that is in a specification."""
    text = (files("endophora.models.services") / "services.yaml").read_text("utf-8")
    return {name: Known.model_validate(entry) for name, entry in cast("dict[str, Any]", load_yaml(text)).items()}


def read_options(kind: type[Options], pairs: str, spec: str, **given: object) -> Options:
    """Read ``key=value`` pairs separated by commas (E240)."""
    found: dict[str, object] = {}
    faults: list[Fault] = []
    for number, part in enumerate(filter(None, (part.strip() for part in pairs.split(","))), 1):
        name, _, value = (side.strip() for side in part.partition("="))
        if not value:
            # What stands there is not repeated: it may be a key that somebody tried to give here.
            faults.append(
                Fault("E240", f"option {number} has no value", "write OPTION=VALUE, separated by commas", spec)
            )
        elif name in found:
            faults.append(Fault("E240", f"“{name}” is there twice", "give it once", spec))
        else:
            found[name] = value
    merged = {name: value for name, value in given.items() if value is not None} | found
    try:
        options = kind.model_validate(merged)
    except ValidationError as error:
        known = f"known: {', '.join(sorted(kind.model_fields))}"
        wrong: dict[str, Fault] = {}
        for one in error.errors(include_input=False, include_url=False):
            name = str(one["loc"][0]) if one["loc"] else ""
            unknown = one["type"] == "extra_forbidden"
            cause = f"there is no option “{name}”" if unknown else f"{name}: {one['msg']}"
            wrong.setdefault(name, Fault("E240", cause, known if unknown else "see docs/services.md", spec))
        raise InputError([*faults, *wrong.values()]) from None
    if faults:
        raise InputError(faults)
    return options


NO_KEY = "none"
"""What is sent in place of a key, to a server that wants none."""

_HIDDEN = "•••"
_SHORTEST = 8  # shorter ones are placeholders of local servers, and would blot out innocent text


class Key:
    """A key that does not show itself, and cannot be pickled."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str, value: str) -> None:
        self.variable, self._value = variable, value

    def reveal(self) -> str:
        """Return the key itself, to be handed to the service's library and to nothing else."""
        return self._value

    def redact(self, text: str) -> str:
        """Return a text in which the key, should it be there, is hidden."""
        return hide(text, self._value)

    def guard(self, logger: str) -> None:
        """Hide the key in what a library logs: services may repeat it in their answers."""
        found = logging.getLogger(logger)
        if not any(isinstance(one, _Redaction) and one.key.reveal() == self._value for one in found.filters):
            found.addFilter(_Redaction(self))

    def __repr__(self) -> str:
        """Return the variable's name."""
        return f"Key({self.variable})"

    def __reduce__(self) -> NoReturn:
        """Refuse to be written."""
        raise TypeError("a key is not pickled")


def hide(text: str, secret: str) -> str:
    """Return a text in which a secret, should it be there, is hidden."""
    return text.replace(secret, _HIDDEN) if len(secret) >= _SHORTEST else text


class _Redaction(logging.Filter):
    """Hides a key in log records."""

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record, which always goes on."""
        record.msg, record.args = self.key.redact(record.getMessage()), ()
        return True


_FILE = "GOOGLE_APPLICATION_CREDENTIALS"


def key_of(service: str, variables: Sequence[str], default: str | None = None) -> Key:
    """Return the key of a service, by default one that is no key (E241).

    What headers cannot carry is refused: their errors would show the key in a form that is not hidden.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            # A path of credentials is no header.
            if variable != _FILE and not (value.isascii() and value.isprintable()):
                cause = f"the key of {service} has a line break or another character that no key has"
                raise InputError(Fault("E241", cause, "copy the key again, in one line", variable))
            return Key(variable, value)
    if default is not None:
        return Key("", default)
    raise InputError(Fault("E241", f"{service} needs a key", f"set {' or '.join(variables)} in the environment"))


def check_address(address: str, option: str) -> str:
    """Return the address of a service, without a slash at its end (E240, E241)."""
    parts = urlsplit(address)
    if parts.username or parts.password or parts.query or parts.fragment:
        cause = "the address has a user, a password or a query"
        advice = "an address is written into signatures: name the host and path alone, keys go into the environment"
        raise InputError(Fault("E241", cause, advice, option))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(Fault("E240", "the address is none of HTTP", "write https://HOST/PATH", option))
    return address.rstrip("/")


BASE_URL = "OPENAI_BASE_URL"
"""The environment variable that has the address of an OpenAI-compatible service, if no option has."""

_OPTIONS: dict[str, type[RunOptions]] = {
    "deepl": DeepLOptions,
    "google": GoogleOptions,
    "google-basic": GoogleBasicOptions,
    "openai": OpenAIOptions,
}


@dataclass(frozen=True, slots=True)
class Server(Generic[Options]):
    """A server with OpenAI's interface, before it is asked anything; ``cache`` is the file of its answers."""

    known: Known
    model: str
    options: Options
    key: Key
    price: Price | None
    cache: Path | None


def open_server(
    name: str, argument: str, kind: type[Options], cache: Path | str | None = "default", **given: object
) -> Server[Options]:
    """Read what asks a server with OpenAI's interface: ``MODEL,OPTION=VALUE,…`` (E240, E241, E247, E242).

    Args:
        name: what stands before the colon of the specification; messages and prices have it.
        given: options that are given otherwise.
    """
    known = known_services()["openai"]
    model, pairs = _model_of(name, argument)
    options = read_options(kind, pairs, f"{name}:{model}", **given)
    options, elsewhere = _addressed(options, known, os.environ.get(BASE_URL))
    _check_library("openai", known)
    price = find_price((f"{name}:{model}", f"openai:{model}", name), options.prices, elsewhere=elsewhere)
    key = key_of(known.name, known.keys, NO_KEY if elsewhere else None)
    return Server(known, model, options, key, price, _cache_path(cache))


def _model_of(name: str, argument: str) -> tuple[str, str]:
    """Return the model that a specification names, and its options (E240)."""
    model, pairs = (part.strip() for part in argument.partition(",")[::2])
    if not model or "=" in model:
        raise InputError(Fault("E240", f"{name}: names no model", f"write {name}:MODEL", "--model"))
    return model, pairs


def _addressed(options: Options, known: Known, named: str | None) -> tuple[Options, bool]:
    """Return options with the address that is asked, if one is named, and whether it is another than the service's."""
    if address := options.address or named:
        options = options.model_copy(update={"address": check_address(address, "address")})
    return options, options.address not in (None, known.address)


def _cache_path(cache: Path | str | None) -> Path | None:
    return default_cache_path() if cache == "default" else None if cache is None else Path(cache)


def open_service(
    spec: str,
    languages: tuple[str, str] | None = None,
    *,
    cache: Path | str | None = "default",
    limit: float | None = None,
    prices: Path | None = None,
) -> ServiceTranslator:
    """Open a translation service; no request is made (E240, E241, E247, E248, E014, E092, E093, E094, E242).

    Args:
        spec: ``deepl:``, ``google:``, ``google-basic:`` or ``openai:MODEL``, and options: ``deepl:context=markers``,
            ``openai:gpt-4.1,address=http://localhost:8000/v1,parallel=8``; docs/services.md lists them.
        cache: file of answers; ``"default"`` is :func:`default_cache_path`, ``None`` keeps them in memory.
    """
    name, colon, pairs = spec.partition(":")
    if not colon or name not in _OPTIONS:
        advice = f"known: {', '.join(f'{service}:' for service in _OPTIONS)}"
        raise InputError(Fault("E240", f"“{name}” is no translation service", advice, "--model"))
    known, model = known_services()[name], ""
    if name == "openai":
        model, pairs = _model_of(name, pairs)
    options = read_options(_OPTIONS[name], pairs, f"{name}:{model}", limit=limit, prices=prices)
    pair = languages if options.languages is None else parse_languages(options.languages)
    if pair is None:
        raise InputError(Fault("E240", "the languages are not given", "write languages=en-de", f"{name}:"))
    log = FaultLog()
    check_languages(pair, log)
    log.check()
    options, elsewhere = _addressed(options, known, os.environ.get(BASE_URL) if name == "openai" else None)
    _check_library(name, known)
    service = _service(name, known, options, model, pair, elsewhere)
    names = (f"{name}:{options.model}" if isinstance(options, GoogleOptions) else f"{name}:{model}".rstrip(":"), name)
    price = find_price(names, options.prices, elsewhere=elsewhere)
    return ServiceTranslator(service, options, price, _cache_path(cache))


def _check_library(name: str, known: Known) -> None:
    try:
        there = find_spec(known.library) is not None
    except ModuleNotFoundError:
        there = False
    if not there:
        cause = f"{known.name} needs its library, which is not installed"
        raise MissingModelError(Fault("E242", cause, f"install it with: pip install 'endophora[{name}]'"))


def _service(
    name: str, known: Known, options: RunOptions, model: str, languages: tuple[str, str], elsewhere: bool
) -> Service[Any]:
    from endophora.models.services import openai_service, providers

    # A server of the user's own may want no key; DeepL's library cannot do without.
    key = key_of(known.name, known.keys, NO_KEY if elsewhere and name != "deepl" else None)
    if isinstance(options, OpenAIOptions):
        return openai_service.OpenAIChat(known, options, key, languages, model)
    if isinstance(options, DeepLOptions):
        return providers.DeepL(known, options, key, languages)
    if isinstance(options, GoogleOptions):
        return providers.Google(known, options, key, languages)
    assert isinstance(options, GoogleBasicOptions), name  # noqa: S101
    return providers.GoogleBasic(known, options, key, languages)
