"""Precision, recall and F1 of a decision by sentence, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

Interval = tuple[float, float]
"""Lower and upper end, both between 0 and 1."""


OUTCOMES = ((True, True), (False, True), (True, False), (False, False))
"""Whether a sentence is elliptical and whether it was taken for it: found, wrong, missed, passed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a detector of ellipsis said of labelled sentences: the confusion counts.

    Attributes:
        wrong: sentences without ellipsis that were taken for elliptical.
        missed: elliptical sentences that were not found.
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
