"""From sufficient statistics to the result's figures: scores, intervals, per-document scores, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from endophora.evaluation.options import EvaluationOptions
from endophora.evaluation.result import Column, Comparison, Score
from endophora.record import number_of
from endophora.statistics import Units, unit_scores
from endophora.statistics.comparison import Compared, Table, compare, find_baseline
from endophora.statistics.units import FloatArray


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

    Raises: InputError: the baseline is no system (E105).
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
            documents=[number_of(value) for value in documents[index, ..., place]],
            **compared.figure(index, place),
        )
        for place, column in enumerate(table.columns)
        for index, system in enumerate(systems)
    ]
