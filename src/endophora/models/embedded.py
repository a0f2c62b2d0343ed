"""The model that is shipped: a distribution of data, found by an entry point; nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from endophora.errors import Fault, MissingModelError

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
    """Return the shipped model of a language pair, or the first one.

    Raises: MissingModelError: none is installed, or none of the pair (E278).
    """
    wanted = None if languages is None else "-".join(languages)
    models = shipped_models()
    for model in models:
        if wanted in (None, model.languages):
            return model
    cause = "the shipped translation model is not installed"
    if models:
        cause = f"no shipped translation model is of {wanted} (there is {', '.join(one.languages for one in models)})"
    if wanted in (None, DISTRIBUTED):
        advice = f"install it with: pip install {DISTRIBUTION}; or name another model with --model"
    else:
        advice = f"name a model with --model hf:NAME, or train one: endophora train model --languages {wanted}"
    raise MissingModelError(Fault("E278", cause, advice, "--model"))
