"""What is drawn as a whole when a corpus is resampled: documents, segments, or all sentences of a source word.

Sentences of one document are not independent, least of all in their discourse; so the unit is the document unless the
user asks for segments.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError, refuse
from endophora.statistics.resampling import Kind

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.intp]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Score: TypeAlias = Callable[[FloatArray], FloatArray]
Baseline: TypeAlias = int | Sequence[int]
"""Index of the system that all are compared with, or one for each column of what the score yields."""

BLOCK = 1 << 17
"""Numbers in the largest array of resampled sums: a processor's cache holds them, and what is made of them."""

FEWEST_DOCUMENTS = 6
"""With n documents the smallest two-sided p of a randomisation test is 2 / 2ⁿ: five cannot reach .05."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The units of resampling; ``index`` has for each row of statistics the number of its unit, from 0 without gaps.

    ``single``: they are those of the only document, which show how sure a figure of it is, and nothing of other ones.
    """

    kind: Kind
    index: IntArray
    count: int
    warnings: tuple[str, ...] = ()
    single: bool = False

    def sums(self, statistics: FloatArray) -> FloatArray:
        """Return statistics summed within each unit: (systems, rows, …) → (systems, units, …) (E074: other rows)."""
        if statistics.ndim < 3 or statistics.shape[1] != len(self.index):
            cause = f"statistics of shape {statistics.shape} do not fit {len(self.index)} rows"
            raise InputError(Fault("E074", cause, "give them as (systems, rows, …, columns)"))
        if not self.count:
            return np.zeros_like(statistics)
        order = np.argsort(self.index, kind="stable")
        starts = np.searchsorted(self.index[order], np.arange(self.count))
        return np.add.reduceat(statistics[:, order], starts, axis=1)

    def group_sums(self, statistics: FloatArray, members: BoolArray) -> FloatArray:
        """Return statistics summed: (systems, rows, columns), (rows, groups) → (systems, units, groups, columns)."""
        systems, _, columns = statistics.shape
        sums = np.zeros((systems, self.count, members.shape[1], columns))
        for group in range(members.shape[1]):
            rows = np.flatnonzero(members[:, group])
            places = self.index[rows]
            for system in range(systems):
                for column in range(columns):
                    weights = statistics[system, rows, column]
                    sums[system, :, group, column] = np.bincount(places, weights, minlength=self.count)
        return sums

    def apart(self) -> Units:
        """Return these units as rows of their own, for statistics that are summed within each."""
        return Units(self.kind, np.arange(self.count), self.count, self.warnings, self.single)


UNDECIDABLE = "no difference can be significant"
"""What the warning of too few documents says."""


def each_row(count: int, kind: Kind) -> Units:
    """Return units of one row each; for segments, or for a metric whose rows are documents."""
    return Units(kind, np.arange(count), count)


def choose_units(documents: Sequence[Hashable], kind: Kind = "documents") -> Units:
    """Return the units of a corpus.

    A single document cannot be resampled by documents: then the units are its segments, a warning says so, and no
    difference is significant, as with two to five documents. Who takes segments as independent asks for them.
    """
    if kind == "segments":
        return each_row(len(documents), "segments")
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(document, len(numbers)) for document in documents], dtype=np.intp)
    count = len(numbers)
    if count < 2:
        warning = f"there is only one document, so {UNDECIDABLE}; intervals are over its segments, as if independent"
        return Units("segments", np.arange(len(documents)), len(documents), (warning,), single=True)
    few = (f"with {count} documents {UNDECIDABLE} at .05",)
    return Units("documents", index, count, few if count < FEWEST_DOCUMENTS else ())


def unit_scores(statistics: FloatArray, score: Score, units: Units) -> FloatArray:
    """Return the score of every unit by itself: (systems, rows, …, columns) → (systems, units, …)."""
    return score(units.sums(statistics))


def baseline_index(statistics: FloatArray, baseline: Baseline) -> tuple[int] | tuple[IntArray, IntArray]:
    """Return the index of the baseline's scores in an array (systems, …), or (systems, columns) (E076: no system)."""
    refuse(
        Fault("E076", f"the baseline is system {each}, and there are {len(statistics)}", "name one of the systems")
        for each in ((baseline,) if isinstance(baseline, int) else sorted(set(baseline)))
        if not 0 <= each < len(statistics)
    )
    if isinstance(baseline, int):
        return (baseline,)
    return np.array(baseline, dtype=np.intp), np.arange(len(baseline))


def at_least(values: FloatArray, threshold: FloatArray, scale: FloatArray) -> BoolArray:
    """Return where values reach a threshold; a rounding error of 10⁻¹⁰ of the scale does not break a tie."""
    return values >= threshold - 1e-10 * scale
