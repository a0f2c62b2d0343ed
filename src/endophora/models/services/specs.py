"""From a spec to a translation service: ``deepl:``, ``google:``, ``openai:MODEL``, with options after it; keys."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from endophora.corpus.codes import check_languages, parse_languages
from endophora.corpus.faults import FaultLog
from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.services.options import (
    DeepLOptions,
    GoogleOptions,
    Known,
    OpenAIOptions,
    RunOptions,
    known_services,
    read_options,
)
from endophora.models.services.records import find_price
from endophora.models.services.translator import ServiceTranslator, default_cache_path

if TYPE_CHECKING:
    from endophora.models.services.providers import Service


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


def key_of(service: str, variables: Sequence[str], default: str | None = None) -> Key:
    """Return the key of a service, by default one that is no key (E241)."""
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
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

_OPTIONS: dict[str, type[RunOptions]] = {"deepl": DeepLOptions, "google": GoogleOptions, "openai": OpenAIOptions}


def open_service(
    spec: str,
    languages: tuple[str, str] | None = None,
    *,
    cache: Path | str | None = "default",
    limit: float | None = None,
    prices: Path | None = None,
) -> ServiceTranslator:
    """Open a translation service; no request is made.

    Args:
        spec: ``deepl:``, ``google:`` or ``openai:MODEL``, and options: ``deepl:context=markers,formality=more``,
            ``openai:gpt-4.1,address=http://localhost:8000/v1,parallel=8``; docs/services.md lists them.
        cache: file of answers; ``"default"`` is :func:`default_cache_path`, ``None`` keeps them in memory.

    Raises: InputError (E240, E241, E247, E248, E014, E092, E093, E094), MissingModelError (E242).
    """
    name, colon, pairs = spec.partition(":")
    if not colon or name not in _OPTIONS:
        advice = f"known: {', '.join(f'{service}:' for service in _OPTIONS)}"
        raise InputError(Fault("E240", f"“{name}” is no translation service", advice, "--model"))
    known, model = known_services()[name], ""
    if name == "openai":
        model, pairs = (part.strip() for part in pairs.partition(",")[::2])
        if not model or "=" in model:
            raise InputError(Fault("E240", "openai: names no model", "write openai:MODEL", "--model"))
    options = read_options(_OPTIONS[name], pairs, f"{name}:{model}", limit=limit, prices=prices)
    pair = languages if options.languages is None else parse_languages(options.languages)
    if pair is None:
        raise InputError(Fault("E240", "the languages are not given", "write languages=en-de", f"{name}:"))
    log = FaultLog()
    check_languages(pair, log)
    log.check()
    if options.address is None and name == "openai" and os.environ.get(BASE_URL):
        options = options.model_copy(update={"address": os.environ[BASE_URL]})
    if options.address is not None:
        options = options.model_copy(update={"address": check_address(options.address, "address")})
    elsewhere = options.address not in (None, known.address)
    _check_library(name, known)
    service = _service(name, known, options, model, pair, elsewhere)
    names = (f"{name}:{options.model}" if isinstance(options, GoogleOptions) else f"{name}:{model}".rstrip(":"), name)
    price = find_price(names, options.prices, elsewhere=elsewhere)
    place = default_cache_path() if cache == "default" else None if cache is None else Path(cache)
    return ServiceTranslator(service, options, price, place)


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
    from endophora.models.services import providers

    # A server of the user's own may want no key; DeepL's library cannot do without.
    key = key_of(known.name, known.keys, NO_KEY if elsewhere and name != "deepl" else None)
    if isinstance(options, OpenAIOptions):
        return providers.OpenAIChat(known, options, key, languages, model)
    if isinstance(options, DeepLOptions):
        return providers.DeepL(known, options, key, languages)
    assert isinstance(options, GoogleOptions), name  # noqa: S101
    return providers.Google(known, options, key, languages)
