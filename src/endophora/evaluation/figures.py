"""From sufficient statistics to the result's figures: scores, comparisons, correlations, paired tests of systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from endophora.evaluation.result import Column, Comparison, Correlation, Detectable, Paired, Score
from endophora.evaluation.setup import EvaluationOptions
from endophora.judgments.records import REASONS
from endophora.process import part
from endophora.record import Interval, number_of
from endophora.statistics.comparison import Compared, Table, compare, find_baseline
from endophora.statistics.correlation import pearson
from endophora.statistics.power import DRAWS, POWER, Power, pulls, unit_sizes
from endophora.statistics.significance import is_significant, paired_t
from endophora.statistics.units import FloatArray, Units, unit_scores


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricTable(Table[Column]):
    """Columns of the result that are scored from the same statistics of all systems.

    Attributes:
        halves: where the scores are F-measures, precision and recall from the same statistics, both like ``score``.
        warning: what a reader of the scores must know; empty for nothing.
    """

    documents: Units
    halves: Callable[[FloatArray], tuple[FloatArray, FloatArray] | None] = lambda _: None
    counts: tuple[str, ...] = ()
    left: FloatArray | None = None  # (systems, columns, REASONS): how many tagged words are not judged, and why
    by_document: bool = False
    warning: str = ""
    scored: str = ""  # what scores the sums again: choice, wording:VARIANT, or the name of a metric


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of an evaluation, and what the statistics want the user to know."""

    columns: list[Column]
    scores: list[Score]
    comparisons: list[Comparison]
    warnings: list[str]


@part("comparison")
def compute_figures(tables: Sequence[MetricTable], systems: Sequence[str], options: EvaluationOptions) -> Figures:
    """Return scores and comparisons of all systems in all columns.

    Every system is compared with the baseline: the one that the options name, or each column's best. p-values are
    corrected by Holm's method over all systems and all columns of the same kind.
    """
    find_baseline(options.baseline, systems, values=np.full(len(systems), np.nan))
    chosen = [_with_baselines(table, systems, options.baseline) for table in tables]
    columns: list[Column] = []
    scores: list[Score] = []
    comparisons: list[Comparison] = []
    warnings: dict[str, None] = {}
    results = compare(chosen, options)
    left = _left_levels(chosen, results, options.alpha)
    for table, compared in zip(chosen, results, strict=True):
        columns.extend(_detectable(table, compared, systems, left, options))
        warnings |= dict.fromkeys(each for each in (table.warning, *table.units.warnings) if each)
        scores.extend(_scores(table, compared, systems))
        comparisons.extend(
            Comparison(column=column.name, system=system, baseline=systems[compared.baseline(place)], **found)
            for place, column in enumerate(table.columns)
            for index, system in enumerate(systems)
            if (found := compared.difference(index, place)) is not None
        )
    return Figures(columns, scores, comparisons, list(warnings))


def _left_levels(
    tables: Sequence[MetricTable], results: Sequence[Compared[Column]], alpha: float
) -> dict[Hashable, float]:
    """Return the level that Holm's correction leaves in each family for one more difference."""
    open_: Counter[Hashable] = Counter()
    for table, compared in zip(tables, results, strict=True):
        for place, family in enumerate(table.families):
            adjusted = compared.p_adjusted[:, place]
            open_[family] += int(np.sum(~np.isnan(adjusted)) - sum(is_significant(p, alpha) for p in adjusted))
    return {family: alpha / max(count, 1) for family, count in open_.items()}


def _detectable(
    table: MetricTable,
    compared: Compared[Column],
    systems: Sequence[str],
    levels: Mapping[Hashable, float],
    options: EvaluationOptions,
) -> Iterator[Column]:
    """Yield the columns of a table, each with the smallest difference that the test set can tell, if any is tested."""
    tested = ~np.isnan(compared.p_values)
    if not tested.any():
        yield from table.columns
        return
    added = pulls(table.statistics, table.score, table.units)
    sizes = unit_sizes(table.statistics, len(table.columns), table.units)
    trials = options.resamples if options.test == "bootstrap" else options.trials
    for place, column in enumerate(table.columns):
        found = None
        baseline = compared.baseline(place)
        changes = added[:, :, place] - added[baseline, :, place]
        # Outputs with the same scores everywhere do not say how much scores vary.
        others = np.flatnonzero(tested[:, place] & changes.any(axis=1))
        if len(others) and column.kind != "category":
            changes = changes[others]
            middle = np.argsort(changes.std(axis=1), kind="stable")[(len(others) - 1) // 2]
            power = Power(levels[table.families[place]], trials, options.test, options.seed)
            pair = [int(others[middle]), baseline]
            smallest = power.smallest_difference(changes[middle], sizes[pair, :, place].mean(axis=0))
            found = Detectable(
                difference=None
                if table.units.single or not np.isfinite(smallest) or _beyond(smallest, column)
                else smallest,
                power=POWER,
                level=power.level,
                draws=DRAWS,
                units=table.units.count,
                systems=[systems[each] for each in pair],
            )
        yield column.model_copy(update={"detectable": found})


def _beyond(difference: float, column: Column) -> bool:
    """Return whether no two scores of a column differ by so much; an error rate has no greatest score."""
    return column.higher_is_better and difference > column.scale


def _with_baselines(table: MetricTable, systems: Sequence[str], wanted: str) -> MetricTable:
    """Return a table with the baseline of each column; the best is one of those with enough words, if any has."""
    values = table.values().T
    if table.enough is not None:
        enough = np.broadcast_to(table.enough, values.T.shape).T
        values = np.where(enough | ~(enough & ~np.isnan(values)).any(axis=1, keepdims=True), values, np.nan)
    baselines = [
        find_baseline(wanted, systems, of_column, higher_is_better=column.higher_is_better)
        for column, of_column in zip(table.columns, values, strict=True)
    ]
    return replace(table, baseline=baselines, families=[column.kind for column in table.columns])


def _scores(table: MetricTable, compared: Compared[Column], systems: Sequence[str]) -> list[Score]:
    sums = table.statistics.sum(axis=1)
    documents = unit_scores(table.statistics, table.score, table.documents)
    halves = table.halves(sums)
    return [
        Score(
            column=column.name,
            system=system,
            precision=number_of(halves[0][index, place]) if halves else None,
            recall=number_of(halves[1][index, place]) if halves else None,
            counts=dict(zip(table.counts, map(int, sums[index, place]), strict=True)) if table.counts else {},
            unjudged=_reasons(table.left[index, place]) if table.left is not None else {},
            documents=[number_of(value) for value in documents[index, ..., place]],
            **compared.figure(index, place),
        )
        for place, column in enumerate(table.columns)
        for index, system in enumerate(systems)
    ]


def _reasons(left: FloatArray) -> dict[str, int]:
    return {reason: int(count) for reason, count in zip(REASONS, left, strict=True) if count}


FEWEST = 20
"""Pairs of values below which a correlation is as good as chance: of 19, r = .45 is not yet significant at .05."""


def correlate_columns(names: Sequence[str], scores: Sequence[Score]) -> list[Correlation]:
    """Return Pearson's r of every two columns over all systems' documents (Jiang et al. 2022, Figure 5).

    Each pair of columns once; no value where a column is constant or fewer than :data:`FEWEST` documents have both.
    """
    if len(names) < 2:
        return []
    rows = {name: [value for score in scores if score.column == name for value in score.documents] for name in names}
    values = np.array([rows[name] for name in names], dtype=np.float64)
    pairs = list(combinations(range(len(names)), 2))
    first, second = (values[[pair[side] for pair in pairs]] for side in (0, 1))
    there = (~(np.isnan(first) | np.isnan(second))).sum(axis=1)
    coefficients = pearson(first, second, np.ones((1, values.shape[1])))[0]
    return [
        Correlation(
            first=names[one],
            second=names[other],
            pearson=None if count < FEWEST else number_of(value),
            pairs=int(count),
        )
        for (one, other), count, value in zip(pairs, there, coefficients, strict=True)
    ]


def paired_columns(
    columns: Sequence[Column], scores: Sequence[Score], order: Sequence[str], confidence: float
) -> list[Paired]:
    """Return the paired t of each two neighbouring systems in each column of a result."""
    found: dict[str, dict[str, FloatArray]] = {}
    for score in scores:
        found.setdefault(score.column, {})[score.system] = np.array(score.documents, dtype=np.float64)
    lower = {column.name for column in columns if not column.higher_is_better}
    return paired_tests(found, order, lower, confidence)


def paired_tests(
    scores: Mapping[str, Mapping[str, FloatArray]], order: Sequence[str], lower: Collection[str], confidence: float
) -> list[Paired]:
    """Test each two neighbouring systems in each column; nothing where there are fewer than two documents.

    How well a metric distinguishes systems: Student's paired t over the documents (BlonDe, §5.2 and Table 4).

    Args:
        scores: column → system → (documents,), NaN where there is none.
        order: systems, the worst first if anybody knows.
    """
    made: list[Paired] = []
    for column, of in scores.items():
        for first, second in pairwise(order):
            if len(of[first]) < 2:
                continue
            found = paired_t(of[first], of[second], higher_is_better=column not in lower, confidence=confidence)
            numbers = [float(each) for each in (found.statistics, found.p_values, found.differences)]
            statistic, p_value, difference = (each if np.isfinite(each) else None for each in numbers)
            low, high = float(found.low), float(found.high)
            made.append(
                Paired(
                    column=column,
                    first=first,
                    second=second,
                    statistic=statistic,
                    p_value=p_value,
                    difference=difference,
                    interval=Interval(low=low, high=high) if np.isfinite(low + high) else None,
                    documents=int(found.counts),
                )
            )
    return made
