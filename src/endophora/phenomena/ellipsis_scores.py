"""How well a classifier of ellipsis finds it, and the card that says so."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endophora.errors import Fault, InputError

Interval = tuple[float, float]
"""Lower and upper end, both between 0 and 1."""


OUTCOMES = ((True, True), (False, True), (True, False), (False, False))
"""Whether a sentence is elliptical and whether it was taken for it: found, wrong, missed, passed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a detector of ellipsis said of labelled sentences: the confusion counts.

    Attributes:
        wrong: sentences without ellipsis that were taken for elliptical.
        passed: sentences without ellipsis that were not taken for elliptical.
    """

    found: int
    wrong: int
    missed: int
    passed: int

    @property
    def precision(self) -> float:
        """Share of the sentences found that are elliptical; 0 if none was found."""
        return _share(self.found, self.found + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the elliptical sentences that are found; 0 if there is none."""
        return _share(self.found, self.found + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.found, 2 * self.found + self.wrong + self.missed)

    def precision_interval(self, confidence: float = 0.95) -> Interval:
        """Return Wilson's interval of the precision."""
        return wilson(self.found, self.found + self.wrong, confidence)

    def recall_interval(self, confidence: float = 0.95) -> Interval:
        """Return Wilson's interval of the recall."""
        return wilson(self.found, self.found + self.missed, confidence)

    def f1_interval(self, confidence: float = 0.95) -> Interval:
        """Return the interval of F1.

        F1 = 2J / (1 + J), with J the share of the sentences found among all that are elliptical or were taken for it; J
        is a share, and the ends of Wilson's interval for it are carried over. No resampling is needed, which would
        fail where only a handful of sentences is elliptical.
        """
        low, high = wilson(self.found, self.found + self.wrong + self.missed, confidence)
        return 2 * low / (1 + low), 2 * high / (1 + high)

    def __str__(self) -> str:
        """Return figures, intervals and counts on one line."""
        rows = {
            "precision": (self.precision, self.precision_interval()),
            "recall": (self.recall, self.recall_interval()),
            "F1": (self.f1, self.f1_interval()),
        }
        figures = ", ".join(
            f"{name} {value:.3f} [{low:.3f}, {high:.3f}]" for name, (value, (low, high)) in rows.items()
        )
        return f"{figures} ({self.found} found, {self.missed} missed, {self.wrong} wrong, {self.passed} passed)"


def count(elliptical: list[bool], found: list[bool]) -> Counts:
    """Return the confusion counts of two lists of the same length.

    Raises:
        ValueError: the two have not the same length.
    """
    pairs = list(zip(elliptical, found, strict=True))
    return Counts(*map(pairs.count, OUTCOMES))


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share: it stays between 0 and 1 and holds where there are few trials.

    Args:
        trials: of how many; of none nothing is known, and the interval is all.
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


CARD = "ellipsis.json"
"""Name of the file in the classifier's folder."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(_Part):
    """One part of the data."""

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
        data_hash: of the sentences, their labels and their parts.
        leaked: training sentences that were left out, since they stand in another part too.
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
