"""From a spec to a model: a folder, ``hf:``, ``lm:``, ``ct2:``, a service, or a name such as ``default``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from endophora.errors import Fault, InputError
from endophora.models.embedded import NAMES, shipped_model
from endophora.models.options import ModelOptions, read_spec
from endophora.models.records import Scorer, Translator
from endophora.models.services.opening import open_service
from endophora.models.services.options import known_services
from endophora.registry import Registry

Model: TypeAlias = "Translator | Scorer"
"""What is opened: it translates, scores, or does both."""

Opener = Callable[[str, ModelOptions], Any]
"""Opens a model from what follows the kind in a spec."""

KINDS: Registry[Opener] = Registry(
    "model",
    {
        "own": "endophora.models.own:open_own",
        "hf": "endophora.models.hub:open_hub",
        "lm": "endophora.models.language_model:open_language_model",
        "ct2": "endophora.models.ctranslate:open_ctranslate",
    },
)
"""Kinds of models by the word before the colon; a package adds to them by the entry-point group ``endophora.model``."""


def open_model(spec: str, options: ModelOptions | None = None) -> Model:
    """Open a model.

    Raises: InputError (E271, E090, E272, E275), MissingModelError (E273, E274).
    """
    given = options or ModelOptions()
    kind, colon, argument = spec.partition(":")
    if colon and kind in known_services():
        # Services have options of their own behind the comma.
        return open_service(spec, given.languages, limit=given.limit)
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
    return (*KINDS, *known_services())


def open_scorer(spec: str, options: ModelOptions | None = None) -> Scorer:
    """Open a model that scores.

    Raises:
        InputError: it does not (E277), or as :func:`open_model`.
        MissingModelError: as :func:`open_model`.
    """
    model = open_model(spec, options)
    if not isinstance(model, Scorer):
        cause = "the model tells no probabilities"
        raise InputError(Fault("E277", cause, "name a model that runs here", spec))
    return model


def open_translator(spec: str, options: ModelOptions | None = None) -> Translator:
    """Open a model that translates.

    Raises:
        InputError: it does not (E277), or as :func:`open_model`.
        MissingModelError: as :func:`open_model`.
    """
    model = open_model(spec, options)
    if not isinstance(model, Translator):
        raise InputError(Fault("E277", "the model does not translate", "name another one", spec))
    return model
