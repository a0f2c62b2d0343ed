"""From sufficient statistics to the result's figures: scores, intervals, per-document scores, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.evaluation.options import EvaluationOptions
from endophora.evaluation.result import Column, Comparison, Interval, Score
from endophora.statistics import Bootstrap, Units, bootstrap, holm, randomise, unit_scores

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One column of the result with the statistics of all systems.

    Attributes:
        column: what is measured.
        statistics: (systems, rows, columns of statistics).
        score: (…, columns of statistics) → (…), NaN where undefined.
        units: what is resampled.
        documents: which rows are a document's.
        parts: for a word F-measure, precision and recall from the same statistics.
    """

    column: Column
    statistics: FloatArray
    score: Callable[[FloatArray], FloatArray]
    units: Units
    documents: Units
    parts: tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]] | None = None


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
        measured: one entry a column.
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
    for kind in ("phenomenon", "text"):
        columns = [entry for entry in measured if entry.column.kind == kind]
        resampled = [_resample(entry, systems, options) for entry in columns]
        p_values = [_p_values(entry, drawn, options) for entry, drawn in zip(columns, resampled, strict=True)]
        adjusted = holm(np.stack(p_values)) if p_values else np.zeros((0, len(systems)))
        for entry, drawn, raw, corrected in zip(columns, resampled, p_values, adjusted, strict=True):
            warnings |= dict.fromkeys(drawn.warnings)
            scores.extend(_scores(entry, drawn, systems))
            comparisons.extend(_comparisons(entry, drawn, raw, corrected, systems, options.alpha))
    return Figures(scores, comparisons, list(warnings))


def _resample(entry: Measured, systems: Sequence[str], options: EvaluationOptions) -> Bootstrap:
    return bootstrap(
        entry.statistics,
        entry.score,
        entry.units,
        baseline=_baseline(entry, systems, options),
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _baseline(entry: Measured, systems: Sequence[str], options: EvaluationOptions) -> int:
    if options.baseline != "best":
        return systems.index(options.baseline)
    observed = entry.score(entry.statistics.sum(axis=1))
    if np.isnan(observed).all():
        return 0
    return int(np.nanargmax(observed) if entry.column.higher_is_better else np.nanargmin(observed))


def _p_values(entry: Measured, drawn: Bootstrap, options: EvaluationOptions) -> FloatArray:
    if options.test == "bootstrap":
        return drawn.p_values
    trials = options.resamples * options.trials_per_resample
    test = randomise(
        entry.statistics, entry.score, entry.units, baseline=drawn.baseline, trials=trials, seed=options.seed
    )
    return test.p_values


def _scores(entry: Measured, drawn: Bootstrap, systems: Sequence[str]) -> list[Score]:
    sums = entry.statistics.sum(axis=1)
    documents = unit_scores(entry.statistics, entry.score, entry.documents)
    parts = [part(sums) for part in entry.parts] if entry.parts else None
    return [
        Score(
            column=entry.column.name,
            system=system,
            value=_number(drawn.scores[index]),
            interval=_interval(drawn.low[index], drawn.high[index]),
            precision=_number(parts[0][index]) if parts else None,
            recall=_number(parts[1][index]) if parts else None,
            counts=dict(zip(("matched", "reference", "hypothesis"), map(int, sums[index]), strict=True))
            if parts
            else {},
            documents=[_number(value) for value in documents[index]],
        )
        for index, system in enumerate(systems)
    ]


def _comparisons(
    entry: Measured, drawn: Bootstrap, raw: FloatArray, corrected: FloatArray, systems: Sequence[str], alpha: float
) -> list[Comparison]:
    return [
        Comparison(
            column=entry.column.name,
            system=system,
            baseline=systems[drawn.baseline],
            difference=float(drawn.differences[index]),
            interval=_interval(drawn.difference_low[index], drawn.difference_high[index]),
            p_value=float(raw[index]),
            p_adjusted=float(corrected[index]),
            significant=bool(corrected[index] <= alpha),
        )
        for index, system in enumerate(systems)
        if not np.isnan(raw[index])
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _interval(low: float, high: float) -> Interval | None:
    return None if np.isnan(low) or np.isnan(high) else Interval(low=float(low), high=float(high))
