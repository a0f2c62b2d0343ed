"""From a spec to a model: a folder, ``hf:``, ``lm:``, ``ct2:``, a service, or the model that is shipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.options import ModelOptions, read_spec
from endophora.models.records import Scorer, Translator
from endophora.models.services.options import known_services, open_service
from endophora.registry import Registry

Model: TypeAlias = "Translator | Scorer"
"""What is opened: it translates, scores, or does both."""

Opener = Callable[[str, ModelOptions], Any]
"""Opens a model from what follows the kind in a spec."""

KINDS: Registry[Opener] = Registry(
    "model",
    {
        "own": "endophora.models.loading:open_own",
        "hf": "endophora.models.hub:open_hub",
        "lm": "endophora.models.language_model:open_language_model",
        "ct2": "endophora.models.ctranslate:open_ctranslate",
        "vllm": "endophora.models.engines:open_vllm",
    },
)
"""Kinds of models by the word before the colon; a package adds to them by the entry-point group ``endophora.model``."""


COMPLETIONS = "completions"
"""The kind of a server that scores: like services it has options of its own behind the comma."""


def open_model(spec: str, options: ModelOptions | None = None) -> Model:
    """Open a model (E271, E090, E272, E275, E273, E274)."""
    given = options or ModelOptions()
    kind, colon, argument = spec.partition(":")
    if colon and kind in known_services():
        # Services have options of their own behind the comma.
        return open_service(spec, given.languages, limit=given.limit)
    if colon and kind == COMPLETIONS:
        from endophora.models.engines import open_completions

        return open_completions(argument, given)
    name, given = read_spec(spec, given)
    if name in NAMES:
        return KINDS.get("own")(str(shipped_model(given.languages).path), given)
    kind, colon, argument = name.partition(":")
    if not colon or Path(name).is_dir():
        kind, argument = "own", name
        if not Path(name).is_dir():
            advice = (
                f"name a folder, {' or '.join(NAMES)}, or KIND:NAME with one of the kinds {', '.join(known_kinds())}"
            )
            raise InputError(Fault("E271", f"there is no model “{name}”", advice, "--model"))
    return KINDS.get(kind)(argument, given)


def known_kinds() -> tuple[str, ...]:
    """Return the kinds of models that a spec may name before its colon."""
    return (*KINDS, COMPLETIONS, *known_services())


def open_scorer(spec: str, options: ModelOptions | None = None) -> Scorer:
    """Open a model that scores.

    Raises: InputError (E277 where it does not, or as :func:`open_model`), MissingModelError.
    """
    model = open_model(spec, options)
    if not isinstance(model, Scorer):
        cause = "the model gives no probabilities"
        raise InputError(Fault("E277", cause, "name a model that runs here", spec))
    return model


def open_translator(spec: str, options: ModelOptions | None = None) -> Translator:
    """Open a model that translates.

    Raises: InputError (E277 where it does not, or as :func:`open_model`), MissingModelError.
    """
    model = open_model(spec, options)
    if not isinstance(model, Translator):
        raise InputError(Fault("E277", "the model does not translate", "name another one", spec))
    return model


GROUP = "endophora.translation_models"
"""Entry points of installed distributions: language pair = the package in whose directory the model is."""

NAMES = ("default", "small")
"""What stands for the shipped model in a spec."""

DISTRIBUTION, DISTRIBUTED = "endophora-model-en-de", "en-de"
"""The distribution that brings ours, and its language pair."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A model that a distribution brings."""

    languages: str
    path: Path
    distribution: str


def shipped_models() -> list[Shipped]:
    """Return the models that installed distributions bring, by language pair; nothing is imported."""
    found: list[Shipped] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        top, *rest = point.module.split(".")
        spec = find_spec(top)
        for place in [] if spec is None else spec.submodule_search_locations or ():
            folder = Path(place, *rest)
            if (folder / "config.json").is_file():
                dist = point.dist
                found.append(Shipped(point.name, folder, "" if dist is None else f"{dist.name} {dist.version}"))
                break
    return found


def shipped_model(languages: tuple[str, str] | None = None) -> Shipped:
    """Return the shipped model of a language pair, or the first one (E278)."""
    wanted = None if languages is None else "-".join(languages)
    models = shipped_models()
    for model in models:
        if wanted in (None, model.languages):
            return model
    cause = "the shipped translation model is not installed"
    if models:
        cause = f"no shipped translation model is of {wanted} (there is {', '.join(one.languages for one in models)})"
    if wanted in (None, DISTRIBUTED):
        advice = f"install it with: pip install {DISTRIBUTION} (in a clone: pip install ./model-en-de); or name another"
    else:
        advice = f"name a model with --model hf:NAME, or train one: endophora train model --languages {wanted}"
    raise MissingModelError(Fault("E278", cause, advice, "--model"))
