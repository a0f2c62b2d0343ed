"""From a specification to a translation service: ``deepl:``, ``google:``, ``openai:MODEL``, with options after it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.corpus.codes import check_languages, language_names, parse_languages
from endophora.corpus.faults import FaultLog
from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.services.cache import default_cache_path
from endophora.models.services.keys import NO_KEY, check_address, key_of
from endophora.models.services.options import (
    DeepLOptions,
    GoogleOptions,
    Known,
    OpenAIOptions,
    RunOptions,
    known_services,
    read_options,
)
from endophora.models.services.prices import find_price
from endophora.models.services.translator import ServiceTranslator

if TYPE_CHECKING:
    from endophora.models.services.records import Service

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
        cache: file of answers; ``"default"`` is :func:`~endophora.models.services.cache.default_cache_path`, ``None``
            keeps them in memory.

    Raises: InputError (E240, E241, E247, E248, E014, E092, E093, E094), MissingModelError (E242).
    """
    name, colon, rest = spec.partition(":")
    services = known_services()
    if not colon or name not in _OPTIONS:
        advice = f"known: {', '.join(f'{service}:' for service in _OPTIONS)}"
        raise InputError(Fault("E240", f"“{name}” is no translation service", advice, "--model"))
    known = services[name]
    model, pairs = _model(name, rest)
    options = read_options(_OPTIONS[name], pairs, f"{name}:{model}", limit=limit, prices=prices)
    pair = _languages(options, languages, spec)
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


def _languages(options: RunOptions, given: tuple[str, str] | None, spec: str) -> tuple[str, str]:
    pair = given if options.languages is None else parse_languages(options.languages)
    if pair is None:
        name = spec.partition(":")[0]
        raise InputError(Fault("E240", "the languages are not given", "write languages=en-de", f"{name}:"))
    log = FaultLog()
    check_languages(pair, log)
    log.check()
    return pair


def _model(name: str, rest: str) -> tuple[str, str]:
    """Return the model and the options of what follows a service's name."""
    if name != "openai":
        return "", rest
    model, _, pairs = rest.partition(",")
    if not model.strip() or "=" in model:
        raise InputError(Fault("E240", "openai: names no model", "write openai:MODEL", "--model"))
    return model.strip(), pairs


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
) -> Service:
    # A server of the user's own may want no key; DeepL's library cannot do without.
    key = key_of(known.name, known.keys, NO_KEY if elsewhere and name != "deepl" else None)
    if isinstance(options, OpenAIOptions):
        from endophora.models.services.openai_service import OpenAIChat

        names = language_names()
        return OpenAIChat(known, options, key, model, languages, (names[languages[0]], names[languages[1]]))
    if isinstance(options, DeepLOptions):
        from endophora.models.services.deepl_service import DeepL

        return DeepL(known, options, key, languages)
    assert isinstance(options, GoogleOptions), name  # noqa: S101
    from endophora.models.services.google_service import Google

    return Google(known, options, key, languages)
