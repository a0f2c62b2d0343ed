"""From translations and likelihoods to figures: scores, intervals, differences with significance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from endophora.context.perturbation.conditions import CORRECT, NONE, PerturbationOptions, Tried
from endophora.context.perturbation.result import PerturbationColumn, PerturbationDifference, PerturbationScore
from endophora.metrics import FloatArray, load_metric
from endophora.metrics.records import ratio
from endophora.record import interval_of
from endophora.statistics import (
    Bootstrap,
    Kind,
    Units,
    bootstrap,
    choose_units,
    each_row,
    holm,
    is_significant,
    randomise,
)
from endophora.statistics.units import Score

CXMI = "CXMI"
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The text that translations are judged on.

    Attributes:
        sources: (N,) source segments, document after document.
        documents: (N,) index of each segment's document.
    """

    language: str
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    documents: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One column of one model.

    Attributes:
        statistics: (conditions, rows, statistics).
        score: (…, statistics) → (…).
        kept: (rows,) whether the model read any of the correct context; ``None`` where rows are documents.
    """

    column: PerturbationColumn
    conditions: tuple[str, ...]
    statistics: FloatArray
    score: Score
    units: Units
    pairs: tuple[tuple[str, str], ...]
    kept: BoolArray | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures, and what the statistics want the user to know."""

    scores: list[PerturbationScore]
    differences: list[PerturbationDifference]
    warnings: list[str]


def measure(tried: Mapping[str, Tried], judged: Judged, options: PerturbationOptions) -> list[Measured]:
    """Return the columns of one model: its metrics, then CXMI where likelihoods are there.

    Args:
        tried: condition → what the model did under it.
    """
    translated = {name: one for name, one in tried.items() if one.translations}
    found = [_metric(name, translated, judged, options) for name in options.metrics]
    if all(one.likelihoods for one in tried.values()):
        found.append(_cxmi(tried, judged, options))
    return found


def compute_figures(measured: Mapping[str, Sequence[Measured]], options: PerturbationOptions) -> Figures:
    """Return scores and differences of all models.

    p-values are corrected by Holm's method over all models, columns and pairs of conditions: those of metrics together,
    and those of CXMI.

    Args:
        measured: model → its columns.
    """
    scores: list[PerturbationScore] = []
    differences: list[PerturbationDifference] = []
    warnings: dict[str, None] = {}
    for model, columns in measured.items():
        for one in columns:
            warnings |= dict.fromkeys(one.units.warnings)
            scores += _scores(model, one, options)
            differences += _differences(model, one, options)
    kinds = {one.column.name: one.column.kind for columns in measured.values() for one in columns}
    families = [kinds[one.column] for one in differences]
    adjusted: list[float] = holm(np.array([one.p_value for one in differences]), families).tolist()
    corrected = [
        one.model_copy(update={"p_adjusted": value, "significant": is_significant(value, options.alpha)})
        for one, value in zip(differences, adjusted, strict=True)
    ]
    return Figures(scores, corrected, list(warnings))


def _metric(name: str, tried: Mapping[str, Tried], judged: Judged, options: PerturbationOptions) -> Measured:
    metric = load_metric(name, judged.language)
    references = [list(reference) for reference in judged.references]
    statistics = [
        metric.statistics([one.text for one in each.translations], references, judged.documents, judged.sources)
        for each in tried.values()
    ]
    column = PerturbationColumn(
        name=metric.name,
        kind="metric",
        scale=metric.maximum,
        higher_is_better=metric.higher_is_better,
        signature=metric.signature(references=len(references)),
    )
    kept = np.array([one.kept > 0 for one in tried[CORRECT.name].contexts], dtype=np.bool_)
    by_document = metric.level == "document"
    units = each_row(len(set(judged.documents)), "documents") if by_document else _units(judged, options)
    pairs = tuple((CORRECT.name, other) for other in tried if other != CORRECT.name)
    known = None if by_document else kept
    return Measured(column, tuple(tried), np.stack(statistics), metric.score, units, pairs, known)


def _cxmi(tried: Mapping[str, Tried], judged: Judged, options: PerturbationOptions) -> Measured:
    totals = np.array([[one.total for one in each.likelihoods] for each in tried.values()])
    names = tuple(tried)
    gained = totals - totals[names.index(NONE.name)]
    if options.cxmi == "normalised":
        gained /= np.array([one.tokens for one in tried[NONE.name].likelihoods])
    statistics = np.stack((gained, np.ones_like(gained)), axis=-1)
    others = [name for name in names if name not in (CORRECT.name, NONE.name)]
    pairs = [(name, NONE.name) for name in names if name != NONE.name] + [(CORRECT.name, other) for other in others]
    column = PerturbationColumn(
        name=CXMI,
        kind="cxmi",
        scale=1.0,
        higher_is_better=True,
        signature=f"cxmi:{options.cxmi}|log:natural|mean:sentences",
    )
    kept = np.array([one.kept > 0 for one in tried[CORRECT.name].scored_contexts], dtype=np.bool_)
    return Measured(column, names, statistics, _mean, _units(judged, options), tuple(pairs), kept)


def _mean(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., 0], sums[..., 1])


def _units(judged: Judged, options: PerturbationOptions) -> Units:
    return choose_units(judged.documents, cast("Kind", options.units))


def _scores(model: str, one: Measured, options: PerturbationOptions) -> list[PerturbationScore]:
    drawn = _bootstrap(one, 0, options)
    return [
        PerturbationScore(
            model=model,
            condition=name,
            column=one.column.name,
            value=_number(drawn.scores[index]),
            interval=interval_of(drawn.low[index], drawn.high[index]),
            kept=0 if one.kept is None else int(one.kept.sum()),
            kept_value=_over_kept(one, index),
        )
        for index, name in enumerate(one.conditions)
        # Without context CXMI is nothing by definition.
        if one.column.kind == "metric" or name != NONE.name
    ]


def _over_kept(one: Measured, index: int) -> float | None:
    """Return a condition's score over the segments of whose correct context the model read anything."""
    if one.kept is None or not one.kept.any():
        return None
    return _number(float(one.score(one.statistics[index, one.kept].sum(axis=0))))


def _differences(model: str, one: Measured, options: PerturbationOptions) -> list[PerturbationDifference]:
    """Return the differences of a column, not corrected yet; one resampling for each condition compared with."""
    found: dict[tuple[str, str], PerturbationDifference] = {}
    for baseline in dict.fromkeys(_baseline(pair) for pair in one.pairs):
        place = one.conditions.index(baseline)
        drawn = _bootstrap(one, place, options)
        p_values = drawn.p_values
        if options.test != "bootstrap":
            trials = options.resamples * options.trials_per_resample
            test = randomise(one.statistics, one.score, one.units, baseline=place, trials=trials, seed=options.seed)
            p_values = test.p_values
        for first, second in (pair for pair in one.pairs if _baseline(pair) == baseline):
            sign = 1 if second == baseline else -1
            index = one.conditions.index(first if sign > 0 else second)
            if math.isnan(p_values[index]):
                continue
            bounds = sorted((sign * drawn.difference_low[index], sign * drawn.difference_high[index]))
            found[first, second] = PerturbationDifference(
                model=model,
                column=one.column.name,
                first=first,
                second=second,
                difference=float(sign * drawn.differences[index]) + 0.0,
                interval=interval_of(*bounds),
                p_value=float(p_values[index]),
                p_adjusted=float(p_values[index]),
                significant=False,
            )
    return [found[pair] for pair in one.pairs if pair in found]


def _baseline(pair: tuple[str, str]) -> str:
    """Return the condition that a pair shares with others: the one that the rest is compared with."""
    return NONE.name if pair[1] == NONE.name and pair[0] != CORRECT.name else CORRECT.name


def _bootstrap(one: Measured, baseline: int, options: PerturbationOptions) -> Bootstrap:
    return bootstrap(
        one.statistics,
        one.score,
        one.units,
        baseline=baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
