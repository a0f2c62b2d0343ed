"""What is known of the annotators that need no name: licence, training data, size and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from endophora.annotate.defaults import PIPELINES, default_name, outside_pipelines, preferences
from endophora.errors import Fault, MissingModelError

FILE = "card.json"
"""Name of the file beside the weights."""


class CardFile(BaseModel):
    """What ``card.json`` holds.

    Attributes:
        tests: test set → figure → per cent, given the treebank's tokens.
        raw_tests: the same from raw text, by the annotator's own tokens.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    licence: str
    trained_on: str
    tests: dict[str, dict[str, float]]
    raw_tests: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Card:
    """A pipeline in short.

    Attributes:
        scores: figure → per cent on the first test set, given its tokens (``UPOS``, ``LEMMA``, ``LAS``, …).
        tests: the same for every test set, by its name.
    """

    language: str
    licence: str
    trained_on: str
    size: int
    scores: Mapping[str, float]
    tests: Mapping[str, Mapping[str, float]]


def embedded_card(language: str) -> Card:
    """Return the card of the embedded pipeline of a language.

    Raises:
        MissingModelError: there is none (E040).
    """
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
