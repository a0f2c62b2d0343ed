"""What can be chosen of a measurement of CXMI besides model, text and annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from endophora.context.pointwise import Condition
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.signature import keyed
from endophora.statistics.options import resampling_faults
from endophora.statistics.units import Kind


@keyed(irrelevant={"items": "how many are shown, not what is found", "tokens": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class CxmiOptions:
    """Contexts, groups and statistics.

    Attributes:
        sides: which contexts are given, each compared with none; items and tokens are listed of the first.
        size: the largest number of segments of context; every size from 1 on is measured.
        item: what a vocabulary item is, ``form`` or ``lemma``.
        minimum: occurrences from which an item is listed.
        pseudo_count: occurrences of the overall mean added to each item; ``None`` lets the data tell.
        items: most items listed.
        tokens: most single words listed.
        units: what is resampled.
        resamples: of the bootstrap.
        confidence: level of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling.

    Raises:
        InputError: a value is out of range (E311, of statistics E075; all at once).
    """

    sides: tuple[Sides, ...] = (Sides.BOTH,)
    size: int = 3
    item: Literal["form", "lemma"] = "form"
    minimum: int = 5
    pseudo_count: float | None = None
    items: int = 200
    tokens: int = 200
    units: Kind = "documents"
    resamples: int = 1000
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        wrong = (
            (self.size < 1, "--context", f"{self.size} segments of context", "give 1 or more: none is always measured"),
            (not self.sides, "--sides", "no side is named", "name source, target or both"),
            (Sides.NONE in self.sides, "--sides", "“none” is what contexts are compared with", "name another"),
            (len(set(self.sides)) < len(self.sides), "--sides", "a side is named twice", "name each once"),
            (self.minimum < 1, "--minimum", f"items of {self.minimum} occurrences", "give 1 or more"),
            ((self.pseudo_count or 0) < 0, "--pseudo-count", f"{self.pseudo_count} occurrences", "give 0 or more"),
        )
        faults = resampling_faults(self)
        faults += [Fault("E311", cause, advice, option) for found, option, cause, advice in wrong if found]
        if faults:
            raise InputError(faults)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The contexts that are compared with none: of each side, each size."""
        return tuple(Condition(sides, size) for sides in self.sides for size in range(1, self.size + 1))

    @property
    def main(self) -> Condition:
        """The condition whose items and tokens are listed: the first side at the largest size."""
        return Condition(self.sides[0], self.size)
