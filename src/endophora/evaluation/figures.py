"""From sufficient statistics to the result's figures: scores, comparisons, correlations, paired tests of systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from endophora.evaluation.result import Column, Comparison, Correlation, Paired, Score
from endophora.evaluation.setup import EvaluationOptions
from endophora.judgments.records import REASONS
from endophora.record import Interval, number_of
from endophora.statistics.coefficients import pearson
from endophora.statistics.comparison import Compared, Table, compare, find_baseline
from endophora.statistics.significance import paired_t
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


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of an evaluation, and what the statistics want the user to know."""

    scores: list[Score]
    comparisons: list[Comparison]
    warnings: list[str]


def compute_figures(tables: Sequence[MetricTable], systems: Sequence[str], options: EvaluationOptions) -> Figures:
    """Return scores and comparisons of all systems in all columns.

    Every system is compared with the baseline: the one that the options name, or each column's best. p-values are
    corrected by Holm's method over all systems and all columns of the same kind.
    """
    find_baseline(options.baseline, systems, values=np.full(len(systems), np.nan))
    chosen = [_with_baselines(table, systems, options.baseline) for table in tables]
    scores: list[Score] = []
    comparisons: list[Comparison] = []
    warnings: dict[str, None] = {}
    for table, compared in zip(chosen, compare(chosen, options), strict=True):
        warnings |= dict.fromkeys(each for each in (table.warning, *table.units.warnings) if each)
        scores.extend(_scores(table, compared, systems))
        comparisons.extend(
            Comparison(column=column.name, system=system, baseline=systems[compared.baseline(place)], **found)
            for place, column in enumerate(table.columns)
            for index, system in enumerate(systems)
            if (found := compared.difference(index, place)) is not None
        )
    return Figures(scores, comparisons, list(warnings))


def _with_baselines(table: MetricTable, systems: Sequence[str], wanted: str) -> MetricTable:
    values = table.values().T
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


FEWEST = 3
"""Two pairs of values always correlate by 1 or −1."""


def correlate_columns(names: Sequence[str], scores: Sequence[Score]) -> list[Correlation]:
    """Return Pearson's r of every two columns over all systems' documents (Jiang et al. 2022, Figure 5).

    Each pair of columns once; no value where a column is constant or fewer than three documents have both.
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
