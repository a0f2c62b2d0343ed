"""What every study does with its statistics: figures with intervals, and systems compared with a baseline.

A study makes :class:`Table` objects, hands all of them to :func:`compare`, and turns the :class:`Compared` ones into
its records. p-values are corrected over all tables of one call.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import ratio
from endophora.record import Interval, interval_of, number_of
from endophora.statistics.resampling import BEST, Bootstrapping, Resampling
from endophora.statistics.significance import Bootstrap, bootstrap, holm, is_significant, randomise
from endophora.statistics.units import FEWEST_DOCUMENTS, Baseline, BoolArray, FloatArray, Score, Units

Column = TypeVar("Column")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table(Generic[Column]):
    """Sufficient statistics of systems (or runs, models, conditions, groups), and the columns scored from them.

    Studies that need more of a table, such as precision and recall, inherit from it.
    """

    columns: Sequence[Column]
    statistics: FloatArray  # (systems, rows, …, statistics)
    score: Score  # (…, statistics) → (…, columns), NaN where undefined; see :func:`in_a_column`
    units: Units
    families: Sequence[Hashable] = ()  # of each column, for Holm's correction; by default all of all tables are one
    baseline: Baseline | None = None  # index of the system, or one for each column; ``None`` for no comparison
    enough: BoolArray | None = None  # (systems, columns): which have intervals, and tests if the baseline has; or all
    alone: Callable[[Sequence[int]], Score] | None = (
        None  # some columns → what scores these alone, if that is less work
    )

    def values(self, kept: BoolArray | None = None) -> FloatArray:
        """Return the scores of the whole, (systems, columns); ``kept``, ([systems,] rows), says which rows count."""
        if kept is None:
            return self.score(self.statistics.sum(axis=1))
        mask = kept.reshape(kept.shape + (1,) * (self.statistics.ndim - 2))
        return self.score(np.where(mask, self.statistics, 0.0).sum(axis=1))


class FigureFields(TypedDict):
    """The fields of :class:`~endophora.record.Figure`."""

    value: float | None
    interval: Interval | None


class DifferenceFields(TypedDict):
    """The fields of :class:`~endophora.record.Difference`."""

    difference: float
    interval: Interval | None
    p_value: float
    p_adjusted: float
    significant: bool


@dataclass(frozen=True, slots=True, eq=False)
class Compared(Generic[Column]):
    """A table with intervals and tests; arrays are (systems, columns), NaN where there is nothing."""

    table: Table[Column]
    values: FloatArray
    drawn: Bootstrap | None
    p_values: FloatArray
    p_adjusted: FloatArray
    alpha: float

    def baseline(self, column: int) -> int:
        """Return the index of the system that the others are compared with in a column."""
        chosen = self.table.baseline
        return (chosen or 0) if chosen is None or isinstance(chosen, int) else chosen[column]

    def figure(self, system: int, column: int) -> FigureFields:
        """Return a value and its interval."""
        at = system, column
        interval = None
        if self.drawn is not None and _is_enough(self.table, self.values.shape)[at]:
            interval = interval_of(self.drawn.low[at], self.drawn.high[at])
        return {"value": number_of(self.values[at]), "interval": interval}

    def difference(self, system: int, column: int, *, turned: bool = False) -> DifferenceFields | None:
        """Return how a system differs from the baseline; ``None`` where that was not tested or is undefined."""
        at = system, column
        if self.drawn is None or np.isnan(self.p_values[at]):
            return None
        sign = -1 if turned else 1
        low, high = sorted((sign * self.drawn.difference_low[at], sign * self.drawn.difference_high[at]))
        return {
            "difference": float(sign * self.drawn.differences[at]) + 0.0,
            "interval": interval_of(low, high),
            "p_value": float(self.p_values[at]),
            "p_adjusted": float(self.p_adjusted[at]),
            "significant": is_significant(float(self.p_adjusted[at]), self.alpha),
        }


def compare(
    tables: Sequence[Table[Column]], resampling: Bootstrapping, *, two_sided: bool = False
) -> list[Compared[Column]]:
    """Return all figures of tables, and the tests of systems against baselines (E074, E076).

    All tables have the same draws. p-values are of the test that ``resampling`` names, by default of the bootstrap
    (of fewer than six units no smaller than randomisation could find), and corrected by Holm's method over all systems,
    columns and tables of one family.
    """
    measured = [_measure(table, resampling, two_sided) for table in tables]
    families = [
        family
        for table, (values, *_) in zip(tables, measured, strict=True)
        for _ in range(len(values))
        for family in table.families or [None] * values.shape[1]
    ]
    adjusted = holm(np.concatenate([np.zeros(0), *(p_values.ravel() for *_, p_values in measured)]), families)
    parts = np.split(adjusted, np.cumsum([values.size for values, *_ in measured])[:-1]) if tables else []
    return [
        Compared(table, values, drawn, p_values, part.reshape(p_values.shape), resampling.alpha)
        for table, (values, drawn, p_values), part in zip(tables, measured, parts, strict=True)
    ]


def _measure(
    table: Table[Column], options: Bootstrapping, two_sided: bool
) -> tuple[FloatArray, Bootstrap | None, FloatArray]:
    """Return the scores of a table, its bootstrap if there are resamples, and p-values, NaN where nothing is tested."""
    if not options.resamples:
        values = table.values()
        return values, None, np.full(values.shape, np.nan)
    drawn = bootstrap(
        table.statistics,
        table.score,
        table.units,
        baseline=0 if table.baseline is None else table.baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        two_sided=two_sided,
        seed=options.seed,
    )
    shape = drawn.scores.shape
    if table.baseline is None or shape[0] < 2:
        return drawn.scores, drawn, np.full(shape, np.nan)
    found = drawn.p_values
    if table.units.count < FEWEST_DOCUMENTS:  # a bootstrap of a few documents looks surer than any exact test could be
        found = np.maximum(found, 2.0 ** (1 - table.units.count))
    if isinstance(options, Resampling) and options.test != "bootstrap":
        found = randomise(
            table.statistics,
            table.score,
            table.units,
            baseline=table.baseline,
            trials=options.trials,
            seed=options.seed,
            alone=table.alone,
        ).p_values
    if table.units.single:  # a document is exchanged or not: both are as likely
        found = np.maximum(found, 1.0)
    enough = _is_enough(table, shape)
    whole = enough & enough[table.baseline, np.arange(shape[1])]
    return drawn.scores, drawn, np.where(whole, found, np.nan)


def _is_enough(table: Table[Column], shape: tuple[int, ...]) -> BoolArray:
    return np.broadcast_to(np.True_ if table.enough is None else table.enough, shape)


def find_baseline(
    wanted: str, systems: Sequence[str], values: FloatArray | None = None, *, higher_is_better: bool = True
) -> int:
    """Return the index of the system that others are compared with; of equally good ones the first (E105: none).

    ``values``: (systems,), by which the best is found, NaN where there is none; without them ``best`` is no baseline.
    """
    if wanted in systems:
        return systems.index(wanted)
    if wanted != BEST or values is None:
        known = ", ".join(systems) + (f" or {BEST}" if values is not None else "")
        raise InputError(Fault("E105", f"the baseline “{wanted}” is no system", f"systems: {known}", "--baseline"))
    if np.isnan(values).all():
        return 0
    return int(np.nanargmax(values) if higher_is_better else np.nanargmin(values))


def quotient(sums: FloatArray) -> FloatArray:
    """Return sum ÷ count, (…, 2) → (…); NaN where nothing is counted."""
    return ratio(sums[..., 0], sums[..., 1])


def percentage(sums: FloatArray) -> FloatArray:
    """Return right items in per cent of counted ones, (…, 2) → (…); NaN where nothing is counted."""
    return ratio(100 * sums[..., 0], sums[..., 1])


def in_a_column(score: Score) -> Score:
    """Return a score of one figure, (…, statistics) → (…), as one of a column: (…, statistics) → (…, 1)."""
    return lambda sums: score(sums)[..., np.newaxis]
