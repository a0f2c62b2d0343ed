"""Which annotator a language has when none is named, and what its card says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from endophora.errors import Fault, MissingModelError

GROUP = "endophora.pipelines"
"""Entry points by which installed distributions bring pipelines: language code = package, the pipeline's directory."""

PIPELINES = Path(__file__).parent / "pipelines"
"""Where the embedded pipelines lie, one directory a language."""

_FILE = Path(__file__).with_suffix(".yaml")


class Preferred(BaseModel):
    """An annotator that is the default of a language where its libraries (those of ``extra``) are installed.

    ``scores`` are figure (``UPOS``, ``LEMMA``, ``LAS``) → per cent, given the tokens of the test set in ``source``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    annotator: str
    needs: tuple[str, ...]
    extra: str
    licence: str = "not stated"
    source: str = ""
    scores: dict[str, float] = {}

    @property
    def installed(self) -> bool:
        """Whether all modules are there; none is imported."""
        return all(find_spec(module) is not None for module in self.needs)


@dataclass(frozen=True, slots=True)
class Outside:
    """A pipeline that another installed distribution brings."""

    path: Path
    name: str
    version: str


@lru_cache(maxsize=1)
def preferences() -> Mapping[str, Preferred]:
    """Return the annotators of extras that are preferred to the embedded pipeline, by language."""
    data = cast("dict[str, Any] | None", cast("Any", YAML(typ="safe")).load(_FILE.read_text("utf-8")))
    return {language: Preferred.model_validate(entry) for language, entry in (data or {}).items()}


def embedded_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have an embedded pipeline."""
    return tuple(sorted(path.parent.name for path in PIPELINES.glob("*/meta.json")))


def outside_pipelines() -> Mapping[str, Outside]:
    """Return the pipelines of other installed distributions, by language; of two, that of the first distribution."""
    found: dict[str, Outside] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, _distribution(point))):
        path = _directory(point.module)
        if point.name not in found and path is not None:
            found[point.name] = Outside(path, *_distribution(point))
    return found


def default_name(language: str) -> str:
    """Return the name of the annotator that a language has by default.

    It is ``"research"`` where another distribution brings a pipeline; else an extra's annotator whose libraries are
    installed; else ``"embedded"``, even if none is.
    """
    if language in outside_pipelines():
        return "research"
    preferred = preferences().get(language)
    return preferred.annotator if preferred is not None and preferred.installed else "embedded"


def languages_with_annotator() -> tuple[str, ...]:
    """Return the codes of the languages that have an annotator by default, as things are installed."""
    preferred = {language for language, entry in preferences().items() if entry.installed}
    return tuple(sorted({*embedded_languages(), *outside_pipelines(), *preferred}))


def _distribution(point: EntryPoint) -> tuple[str, str]:
    return ("", "") if point.dist is None else (point.dist.name, point.dist.version)


def _directory(package: str) -> Path | None:
    """Return the directory of a package that holds a pipeline; nothing is imported."""
    top, *rest = package.split(".")
    spec = find_spec(top)
    places = [] if spec is None else [Path(place, *rest) for place in spec.submodule_search_locations or ()]
    return next((place for place in places if (place / "meta.json").is_file()), None)


FILE = "card.json"
"""Name of the file beside the weights."""


class CardFile(BaseModel):
    """What ``card.json`` holds: test set → figure → per cent, by the treebank's tokens, and by our own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    licence: str
    trained_on: str
    tests: dict[str, dict[str, float]]
    raw_tests: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Card:
    """A pipeline in short: figure → per cent on the first test set, and on all of them by name; tokens are given."""

    language: str
    licence: str
    trained_on: str
    size: int
    scores: Mapping[str, float]
    tests: Mapping[str, Mapping[str, float]]


def embedded_card(language: str) -> Card:
    """Return the card of the embedded pipeline of a language (E040)."""
    path = PIPELINES / language
    if not (path / FILE).is_file():
        raise MissingModelError(Fault("E040", f"no annotator is embedded for “{language}”", "name a spaCy model"))
    return read_card(language, path)


def default_card(language: str) -> Card | None:
    """Return the card of the annotator that a language has by default, or nothing if it has none.

    An annotator of an extra has the figures of ``defaults.yaml``, and no size.
    """
    name = default_name(language)
    if name == "research":
        path = outside_pipelines()[language].path
        return read_card(language, path) if (path / FILE).is_file() else None
    if name == "embedded":
        return read_card(language, PIPELINES / language) if (PIPELINES / language / FILE).is_file() else None
    entry = preferences()[language]
    return Card(language, entry.licence, entry.source, 0, entry.scores, {})


def read_card(language: str, path: Path) -> Card:
    """Return the card in a pipeline's directory."""
    file = CardFile.model_validate_json((path / FILE).read_text("utf-8"))
    scores = next(iter(file.tests.values()), dict[str, float]())
    return Card(language, file.licence, file.trained_on, directory_size(path), scores, file.tests)


def directory_size(path: Path) -> int:
    """Return the bytes of all files under a directory."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
