"""From sufficient statistics to the result's figures: scores, intervals, per-document scores, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.evaluation.options import EvaluationOptions
from endophora.evaluation.result import Column, Comparison, Score
from endophora.record import interval_of
from endophora.statistics import Bootstrap, Units, bootstrap, holm, is_significant, randomise, unit_scores

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Columns of the result that are scored from the same statistics of all systems.

    Attributes:
        columns: what is measured.
        statistics: (systems, rows, statistics).
        score: (…, statistics) → (…, columns), NaN where undefined.
        units: what is resampled.
        documents: which rows are a document's.
        halves: where the scores are F-measures, precision and recall from the same statistics, both like ``score``.
        counts: names of the statistics where they are counts to be shown.
        by_document: whether a row is a document's.
        alone: some of the columns → what scores these alone, where that is less work than to score them all.
        warning: what a reader of the scores must know; empty for nothing.
    """

    columns: tuple[Column, ...]
    statistics: FloatArray
    score: Callable[[FloatArray], FloatArray]
    units: Units
    documents: Units
    halves: Callable[[FloatArray], tuple[FloatArray, FloatArray] | None] = lambda _: None
    counts: tuple[str, ...] = ()
    by_document: bool = False
    alone: Callable[[Sequence[int]], Callable[[FloatArray], FloatArray]] | None = None
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of an evaluation, and what the statistics want the user to know."""

    scores: list[Score]
    comparisons: list[Comparison]
    warnings: list[str]


def compute_figures(measured: Sequence[Measured], systems: Sequence[str], options: EvaluationOptions) -> Figures:
    """Return scores and comparisons of all systems in all columns.

    Every system is compared with the baseline: the one that the options name, or each column's best. p-values are
    corrected by Holm's method over all systems and all columns of the same kind.

    Args:
        measured: the columns.
        systems: names, in the order of the statistics.
        options: test, level and seed.

    Raises:
        InputError: the baseline is no system (E105).
    """
    if options.baseline != "best" and options.baseline not in systems:
        known = ", ".join(systems)
        raise InputError(
            Fault("E105", f"the baseline “{options.baseline}” is no system", f"systems: {known}", "--baseline")
        )
    scores: list[Score] = []
    comparisons: list[Comparison] = []
    warnings: dict[str, None] = {}
    compared = [_compare(entry, systems, options) for entry in measured]
    kinds = [column.kind for entry in measured for column in entry.columns]
    p_values = np.concatenate([each.p_values for each in compared], axis=1) if compared else np.zeros((0, 0))
    adjusted = holm(p_values, kinds)
    place = 0
    for each in compared:
        size = len(each.measured.columns)
        warnings |= dict.fromkeys([each.measured.warning] if each.measured.warning else [])
        warnings |= dict.fromkeys(each.drawn.warnings)
        scores.extend(_scores(each, systems))
        comparisons.extend(_comparisons(each, adjusted[:, place : place + size], systems, options.alpha))
        place += size
    return Figures(scores, comparisons, list(warnings))


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """Columns with their resamples; all share the draws, and each has a baseline of its own.

    Attributes:
        measured: the columns.
        baselines: for each column the index of its baseline.
        drawn: the resamples, each column compared with its baseline.
        p_values: (systems, columns).
    """

    measured: Measured
    baselines: Sequence[int]
    drawn: Bootstrap
    p_values: FloatArray


def _compare(entry: Measured, systems: Sequence[str], options: EvaluationOptions) -> _Compared:
    """Resample the columns together, and test each against its baseline."""
    baselines = [_baseline(entry, place, systems, options) for place in range(len(entry.columns))]
    drawn = bootstrap(
        entry.statistics,
        entry.score,
        entry.units,
        baseline=baselines,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )
    if options.test == "bootstrap":
        return _Compared(entry, baselines, drawn, drawn.p_values)
    test = randomise(
        entry.statistics,
        entry.score,
        entry.units,
        baseline=baselines,
        trials=options.resamples * options.trials_per_resample,
        seed=options.seed,
        alone=entry.alone,
    )
    return _Compared(entry, baselines, drawn, test.p_values)


def _baseline(entry: Measured, place: int, systems: Sequence[str], options: EvaluationOptions) -> int:
    if options.baseline != "best":
        return systems.index(options.baseline)
    observed = entry.score(entry.statistics.sum(axis=1))[:, place]
    if np.isnan(observed).all():
        return 0
    return int(np.nanargmax(observed) if entry.columns[place].higher_is_better else np.nanargmin(observed))


def _scores(compared: _Compared, systems: Sequence[str]) -> list[Score]:
    entry = compared.measured
    sums = entry.statistics.sum(axis=1)
    documents = unit_scores(entry.statistics, entry.score, entry.documents)
    halves = entry.halves(sums)
    drawn = compared.drawn
    return [
        Score(
            column=column.name,
            system=system,
            value=_number(drawn.scores[index, place]),
            interval=interval_of(drawn.low[index, place], drawn.high[index, place]),
            precision=_number(halves[0][index, place]) if halves else None,
            recall=_number(halves[1][index, place]) if halves else None,
            counts=dict(zip(entry.counts, map(int, sums[index, place]), strict=True)) if entry.counts else {},
            documents=[_number(value) for value in documents[index, ..., place]],
        )
        for place, column in enumerate(entry.columns)
        for index, system in enumerate(systems)
    ]


def _comparisons(compared: _Compared, corrected: FloatArray, systems: Sequence[str], alpha: float) -> list[Comparison]:
    drawn = compared.drawn
    return [
        Comparison(
            column=column.name,
            system=system,
            baseline=systems[baseline],
            difference=float(drawn.differences[index, place]),
            interval=interval_of(drawn.difference_low[index, place], drawn.difference_high[index, place]),
            p_value=float(compared.p_values[index, place]),
            p_adjusted=float(corrected[index, place]),
            significant=is_significant(float(corrected[index, place]), alpha),
        )
        for place, (column, baseline) in enumerate(zip(compared.measured.columns, compared.baselines, strict=True))
        for index, system in enumerate(systems)
        if not np.isnan(compared.p_values[index, place])
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
