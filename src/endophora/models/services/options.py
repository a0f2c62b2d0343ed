"""Options of services: ``deepl:context=markers,formality=more``; those of the run, and those that answers depend on."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML

from endophora.errors import Fault, InputError
from endophora.models.services.records import Markers
from endophora.signature import keyed


class Known(BaseModel):
    """What is known of a service; ``services.yaml`` says what the entries are.

    Attributes:
        batch: most texts of a request, and most bytes of UTF-8 of them all; a longer text goes alone.
        sources: its code of a source language, where that is not ISO 639-1's.
        growth: bytes of a translation ÷ bytes of its source at most, for estimates.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    library: str
    keys: tuple[str, ...]
    address: str
    batch: tuple[int, int]
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
class RunOptions(BaseModel):
    """How a run goes, and what all services have in common.

    Attributes:
        characters_a_minute: most characters sent in any 60 seconds, in code points.
        longest_wait: most seconds between attempts; a service that asks for longer is given up.
        limit: most that the run may cost, in the currency of the price.
        languages: the pair, as ``en-de``, if it is not given otherwise.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

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


class GoogleOptions(RunOptions):
    """Options of :class:`~endophora.models.services.providers.Google`; ``target`` is its code of the language."""

    context: Literal["markers", "none"] = "markers"
    project: str | None = None
    location: str = "global"
    model: str = "general/nmt"
    target: str | None = None


class OpenAIOptions(RunOptions):
    """Options of :class:`~endophora.models.services.providers.OpenAIChat`.

    The temperature ``default`` leaves it out of the request, as some models want.
    """

    context: Literal["prompt", "markers"] = "prompt"
    prompt: Path | None = None
    temperature: float | Literal["default"] = Field(default=0.0, union_mode="left_to_right")
    seed: int | None = None
    longest: int | None = Field(default=None, gt=0)
    reasoning: str | None = None


Options = TypeVar("Options", bound=RunOptions)


@cache
def known_services() -> dict[str, Known]:
    """Return what is known of each service, by the name that stands in a specification."""
    text = (files("endophora.models.services") / "services.yaml").read_text("utf-8")
    data = cast("dict[str, Any]", cast("Any", YAML(typ="safe", pure=True)).load(text))
    return {name: Known.model_validate(entry) for name, entry in data.items()}


def read_options(kind: type[Options], pairs: str, spec: str, **given: object) -> Options:
    """Read ``key=value`` pairs separated by commas.

    Raises: InputError: an option is unknown, there twice, without a value, or out of range (E240); all at once.
    """
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
