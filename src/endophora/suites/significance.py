"""Intervals and paired tests of all groups of a table at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from endophora.metrics import FloatArray
from endophora.record import interval_of
from endophora.statistics import Bootstrap, Units, bootstrap, holm, is_significant, randomise
from endophora.statistics.units import Score
from endophora.suites.result import Kind, SuiteComparison, SuiteScore


class Statistics(Protocol):
    """The options of a scoring that are of statistics."""

    @property
    def resamples(self) -> int:
        """Of the bootstrap; 0 for none."""
        ...

    @property
    def trials_per_resample(self) -> int:
        """How many trials of the test there are for each resample."""
        ...

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        ...

    @property
    def alpha(self) -> float:
        """Level of significance."""
        ...

    @property
    def seed(self) -> int:
        """Of the draws."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Statistics of groups that are scored in one way.

    Attributes:
        names: (kind, group) along the last axis but one.
        sums: (systems, rows, groups, columns); for accuracy the last axis is right and counted items.
        score: (…, columns) → (…).
        units: the rows that are drawn together.
        signature: of a metric.
    """

    names: tuple[tuple[Kind, str], ...]
    sums: FloatArray
    score: Score
    units: Units
    signature: str = ""

    def by_units(self, units: Units) -> Table:
        """Return this table of segments with other units to draw."""
        return replace(self, units=units)


def compare(
    table: Table, systems: Sequence[str], baseline: int, options: Statistics
) -> tuple[list[SuiteScore], list[SuiteComparison]]:
    """Return the scores of a table, and the comparisons of each system with the baseline.

    Significance is that of paired approximate randomisation over the units, corrected by Holm over all systems and all
    groups of one kind.

    Args:
        table: the statistics.
        systems: names along the first axis.
        baseline: index of the system to compare with.
        options: how many resamples and trials, seed, levels.
    """
    totals = table.sums.sum(axis=1)
    values = table.score(totals)
    drawn = _bootstrap(table, baseline, options)
    scores = [
        SuiteScore(
            kind=kind,
            group=group,
            system=system,
            value=_number(values[row, column]),
            interval=None if drawn is None else interval_of(drawn.low[row, column], drawn.high[row, column]),
            correct=None if kind == "metric" else int(totals[row, column, 0]),
            counted=table.sums.shape[1] if kind == "metric" else int(totals[row, column, 1]),
        )
        for column, (kind, group) in enumerate(table.names)
        for row, system in enumerate(systems)
    ]
    if drawn is None or len(systems) < 2:
        return scores, []
    return scores, _comparisons(table, systems, baseline, drawn, options)


def _bootstrap(table: Table, baseline: int, options: Statistics) -> Bootstrap | None:
    if not options.resamples:
        return None
    return bootstrap(
        table.sums,
        table.score,
        table.units,
        baseline=baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _comparisons(
    table: Table, systems: Sequence[str], baseline: int, drawn: Bootstrap, options: Statistics
) -> list[SuiteComparison]:
    trials = options.resamples * options.trials_per_resample
    test = randomise(table.sums, table.score, table.units, baseline=baseline, trials=trials, seed=options.seed)
    adjusted = holm(test.p_values, [kind for kind, _ in table.names])
    return [
        SuiteComparison(
            kind=kind,
            group=group,
            system=system,
            baseline=systems[baseline],
            difference=float(drawn.differences[row, column]),
            interval=interval_of(drawn.difference_low[row, column], drawn.difference_high[row, column]),
            p_value=float(test.p_values[row, column]),
            p_adjusted=float(adjusted[row, column]),
            significant=is_significant(float(adjusted[row, column]), options.alpha),
        )
        for column, (kind, group) in enumerate(table.names)
        for row, system in enumerate(systems)
        if not math.isnan(test.p_values[row, column])
    ]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
