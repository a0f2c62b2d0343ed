"""Means of shares with their intervals, by groups of words, and differences of models with their significance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from endophora.context.attribution.cases import Case
from endophora.context.attribution.flows import Shares
from endophora.context.attribution.pieces import Part
from endophora.context.attribution.result import AttributionDifference, AttributionShare, GroupKind, Measure
from endophora.record import interval_of
from endophora.statistics import Bootstrap, Units, bootstrap, holm, randomise

MEASURES: tuple[Measure, ...] = get_args(Measure)
Floats = NDArray[np.float64]
Groups = Mapping[tuple[GroupKind, str], NDArray[np.bool_]]


class Statistics(Protocol):
    """The options that are of statistics."""

    @property
    def resamples(self) -> int:
        """Of the bootstrap; 0 for none."""
        ...

    @property
    def trials(self) -> int:
        """Of the randomisation test; 0 for none."""
        ...

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        ...

    @property
    def seed(self) -> int:
        """Of the draws."""
        ...


def row_of(shares: Shares) -> list[float]:
    """Return shares in per cent, in the order of :data:`MEASURES`."""
    first = [shares.support, shares.context, shares.current, shares.current_support]
    return [100 * value for value in (*first, *(shares.parts[part] for part in Part))]


def groups_of(cases: Sequence[Case]) -> Groups:
    """Return which words belong to each group; a kind with one group only is that of all words."""
    found: dict[tuple[GroupKind, str], NDArray[np.bool_]] = {("all", ""): np.ones(len(cases), dtype=bool)}
    named: dict[GroupKind, list[str]] = {
        "phenomenon": [case.group for case in cases],
        "distance": ["" if case.distance is None else str(case.distance) for case in cases],
    }
    for kind, names in named.items():
        counts = Counter(filter(None, names))
        if len(counts) > 1:
            for name in sorted(counts, key=lambda one: (len(one), one)):
                found[kind, name] = np.array([one == name for one in names])
    return found


def mean_shares(
    table: Floats, names: Sequence[str], groups: Groups, units: Units, options: Statistics
) -> list[AttributionShare]:
    """Return the mean shares of each group with their intervals.

    Args:
        table: (models, words, measures) in per cent.
        names: of the models.
        groups: which words belong to each.
        units: which words are drawn together.
        options: resamples, confidence and seed.
    """
    found: list[AttributionShare] = []
    for (kind, group), members in groups.items():
        drawn = _bootstrap(table, members, units, options)
        for row, name in enumerate(names):
            for column, measured in enumerate(MEASURES):
                found.append(
                    AttributionShare(
                        model=name,
                        measure=measured,
                        kind=kind,
                        group=group,
                        value=float(table[row, members, column].mean()),
                        interval=None
                        if drawn is None
                        else interval_of(drawn.low[row, column], drawn.high[row, column]),
                        words=int(members.sum()),
                    )
                )
    return found


def _bootstrap(
    table: Floats, members: NDArray[np.bool_], units: Units, options: Statistics, baseline: int = 0
) -> Bootstrap | None:
    if not options.resamples:
        return None
    return bootstrap(
        _sums(table, members),
        _mean,
        units,
        baseline=baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def mean_differences(
    table: Floats, names: Sequence[str], baseline: int, units: Units, options: Statistics
) -> list[AttributionDifference]:
    """Return the differences of mean shares between each model and the baseline, over all words.

    Args:
        table: (models, words, measures) in per cent.
        names: of the models.
        baseline: index of the model that the others are compared with.
        units: which words are drawn and swapped together.
        options: resamples, trials, confidence and seed.
    """
    if len(names) < 2 or not options.trials:
        return []
    everything = np.ones(table.shape[1], dtype=bool)
    drawn = _bootstrap(table, everything, units, options, baseline)
    sums = _sums(table, everything)
    test = randomise(sums, _mean, units, baseline=baseline, trials=options.trials, seed=options.seed)
    adjusted = np.stack([holm(test.p_values[:, column]) for column in range(len(MEASURES))], 1)
    return [
        AttributionDifference(
            model=name,
            baseline=names[baseline],
            measure=measured,
            difference=float(test.differences[row, column]),
            interval=None
            if drawn is None
            else interval_of(drawn.difference_low[row, column], drawn.difference_high[row, column]),
            p_value=float(test.p_values[row, column]),
            p_adjusted=float(adjusted[row, column]),
        )
        for row, name in enumerate(names)
        for column, measured in enumerate(MEASURES)
        if row != baseline and not math.isnan(test.p_values[row, column])
    ]


def _sums(table: Floats, members: NDArray[np.bool_]) -> Floats:
    """Return statistics (models, words, measures, 2): each share, and 1, where the word is of the group."""
    counted = np.broadcast_to(members[None, :, None], table.shape)
    return np.stack([table * counted, counted.astype(np.float64)], -1)


def _mean(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)
