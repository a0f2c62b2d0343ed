"""What a trained classifier of ellipsis says of itself, for people and for programs: ``ellipsis.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endophora.errors import Fault, InputError

CARD = "ellipsis.json"
"""Name of the file in the classifier's folder."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(_Part):
    """One part of the data.

    Attributes:
        elliptical: how many of them are elliptical.
    """

    documents: tuple[str, ...]
    sentences: int
    elliptical: int


class PartScores(_Part):
    """What the classifier said of a part: the confusion counts, and the figures with their 95 % intervals.

    Attributes:
        average_precision: mean of the precisions at each elliptical sentence, by descending probability; it asks no
            threshold. ``None`` where no sentence is elliptical.
    """

    found: int
    wrong: int
    missed: int
    passed: int
    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    f1: tuple[float, float, float]
    average_precision: float | None


class ClassifierCard(_Part):
    """The card of a classifier.

    Attributes:
        finished: whether training came to its end; else these are the best weights until it was broken off.
        encoder: name or folder of the encoder that was fine-tuned; ``scratch`` for none.
        threshold: the probability from which a sentence is taken for elliptical.
        longest: tokens after which a sentence is cut.
        language: ISO 639-1 code of the sentences.
        data_hash: of the sentences, their labels and their parts.
        leaked: training sentences that were left out, since they stand in another part too.
        best_epoch: the one whose weights these are.
        scores: part → figures, of ``validation`` and ``test``.
        versions: of this package and of the libraries, and the device.
    """

    format: Literal["endophora ellipsis classifier 1"] = "endophora ellipsis classifier 1"
    finished: bool
    encoder: str
    threshold: float = Field(ge=0, le=1)
    longest: int = Field(ge=1)
    language: str
    data: tuple[str, ...]
    data_hash: str
    settings: dict[str, str | int | float]
    parts: dict[str, Part]
    leaked: int
    epochs: int
    best_epoch: int
    scores: dict[str, PartScores]
    versions: dict[str, str]


def read_card(folder: Path) -> ClassifierCard | None:
    """Return the card in a classifier's folder, or ``None`` if it has none.

    Raises:
        InputError: the card is not in its form (E253).
    """
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        return ClassifierCard.model_validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        cause = f"no card of an ellipsis classifier ({str(error).splitlines()[0]})"
        raise InputError(Fault("E253", cause, "train it anew: endophora train ellipsis", str(path))) from error
