"""One level of a meta-evaluation: coefficients, accuracies and tests of metrics against people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from endophora.meta.options import MetaLevel, MetaOptions
from endophora.meta.result import Accuracy, Between, Correlated, Measure, MetricComparison, Test
from endophora.record import Interval, interval_of, number_of
from endophora.statistics.accuracy import system_accuracy, tie_accuracy
from endophora.statistics.correlation import Correlation, correlate, correlate_means
from endophora.statistics.metric_tests import Permutation, permute_accuracies, permute_correlations, williams
from endophora.statistics.resampling import Average, Coefficient
from endophora.statistics.significance import holm, is_significant, percentile_interval
from endophora.statistics.units import FloatArray, Units

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class LevelScores:
    """The scores of one level, of the same systems and items."""

    level: MetaLevel
    names: tuple[str, ...]
    metrics: FloatArray  # (metrics, systems, items), NaN where missing
    human: FloatArray  # (systems, items), NaN where missing
    units: Units | None  # of the items, for resampling; ``None`` where systems are drawn
    # At system level, if segments are drawn, their scores, (1 + metrics, systems, segments) with people first.
    below: FloatArray | None = None


def correlations(scores: LevelScores, options: MetaOptions) -> list[Correlation]:
    """Return each coefficient that the options ask for."""
    drawing: dict[str, Any] = _drawing(options)
    if scores.below is not None and scores.units is not None:
        people, metrics = scores.below[0], scores.below[1:]
        return [
            correlate_means(metrics, people, scores.units, coefficient=one, **drawing) for one in options.coefficients
        ]
    drawing |= {"units": scores.units, "drawn": "systems" if scores.units is None else "items"}
    return [
        correlate(scores.metrics, scores.human, coefficient=one, average=_average(scores, one, options), **drawing)
        for one in options.coefficients
    ]


def _drawing(options: MetaOptions) -> dict[str, Any]:
    return {"resamples": options.resamples, "confidence": options.confidence, "seed": options.seed}


def correlated(scores: LevelScores, found: Sequence[Correlation]) -> list[Correlated]:
    """Return coefficients as records of the result."""
    return [
        Correlated(
            metric=name,
            level=scores.level,
            coefficient=one.coefficient,
            average=one.average,
            value=number_of(one.values[index]),
            interval=interval_of(one.low[index], one.high[index]),
            scores=int(one.counts[index]),
            groups=int(one.groups[index]),
        )
        for one in found
        for index, name in enumerate(scores.names)
    ]


def accuracies(scores: LevelScores, options: MetaOptions) -> list[Accuracy]:
    """Return accuracy over pairs of systems, or below over pairs of the outputs of an item with ties."""
    made: list[Accuracy] = []
    for index, name in enumerate(scores.names):
        own = scores.metrics[index : index + 1]
        epsilon, calibrated = None, False
        if scores.level == "sys":
            one = system_accuracy(own[..., 0], scores.human[:, 0], **_drawing(options))
        else:
            given = options.epsilons.get(name)
            epsilons = None if given is None else np.array([given])
            one = tie_accuracy(own, scores.human, epsilons=epsilons, units=scores.units, **_drawing(options))
            epsilon, calibrated = number_of(one.epsilons[0]), one.calibrated
        made.append(
            Accuracy(
                metric=name,
                level=scores.level,
                value=number_of(one.values[0]),
                interval=interval_of(one.low[0], one.high[0]),
                pairs=int(one.pairs[0]),
                epsilon=epsilon,
                calibrated=calibrated,
            )
        )
    return made


def comparisons(
    scores: LevelScores, found: Sequence[Correlation], accurate: Sequence[Accuracy], options: MetaOptions
) -> list[MetricComparison]:
    """Return the tests of every two metrics: for each coefficient, and below system level for accuracy."""
    made: list[MetricComparison] = []
    swapping: dict[str, Any] = {"trials": options.trials, "two_sided": options.two_sided, "seed": options.seed}
    for one in found:
        pairs = _ordered(one.values.tolist())
        wanted = pairs if options.trials and one.coefficient in options.tested else []
        how: dict[str, Any] = {
            "coefficient": one.coefficient,
            "average": _average(scores, one.coefficient, options),
            **swapping,
        }
        permuted = {
            (i, j): permute_correlations(scores.metrics[i], scores.metrics[j], scores.human, **how) for i, j in wanted
        }
        by_williams: dict[Pair, Test] = {}
        if one.coefficient == "pearson" and one.average == "none":
            tested = williams(scores.metrics, scores.human, two_sided=options.two_sided)
            by_williams = _tests({pair: tested.p_values[pair] for pair in pairs}, options.alpha, tested.statistics)
        bounds: dict[Pair, Interval | None] = {}
        for i, j in pairs:
            low, high = percentile_interval(one.samples[:, i] - one.samples[:, j], options.confidence)
            bounds[i, j] = interval_of(float(low), float(high))
        made += _records(scores, one.coefficient, one.values.tolist(), bounds, by_williams, permuted, options.alpha)
    if scores.level != "sys" and options.trials:
        values = [np.nan if one.value is None else one.value for one in accurate]
        epsilons = [one.epsilon or 0.0 for one in accurate]
        permuted = {
            (i, j): permute_accuracies(
                scores.metrics[i], scores.metrics[j], scores.human, (epsilons[i], epsilons[j]), **swapping
            )
            for i, j in _ordered(values)
        }
        made += _records(scores, "accuracy", values, {}, {}, permuted, options.alpha)
    return made


def between(scores: LevelScores) -> list[Between]:
    """Return the correlation of every two metrics with one another."""
    return [
        Between(
            level=scores.level,
            first=scores.names[i],
            second=scores.names[j],
            value=number_of(correlate(scores.metrics[i : i + 1], scores.metrics[j], resamples=0).values[0]),
        )
        for i, j in combinations(range(len(scores.names)), 2)
    ]


def _average(scores: LevelScores, coefficient: Coefficient, options: MetaOptions) -> Average:
    if scores.level == "sys":
        return "none"
    return "item" if coefficient == "kendall-wmt" else options.average


def _ordered(values: Sequence[float]) -> list[Pair]:
    """Return every two metrics with a value, the better first."""
    ranked = sorted((i for i, value in enumerate(values) if not np.isnan(value)), key=lambda i: (-values[i], i))
    return list(combinations(ranked, 2))


def _records(
    scores: LevelScores,
    measure: Measure,
    values: Sequence[float],
    bounds: Mapping[Pair, Interval | None],
    by_williams: Mapping[Pair, Test],
    permuted: Mapping[Pair, Permutation],
    alpha: float,
) -> list[MetricComparison]:
    by_swaps = _tests({pair: found.p_value for pair, found in permuted.items()}, alpha)
    differences = {(i, j): values[i] - values[j] for i, j in _ordered(values)}
    differences |= {pair: found.difference for pair, found in permuted.items()}
    return [
        MetricComparison(
            level=scores.level,
            measure=measure,
            first=scores.names[i],
            second=scores.names[j],
            difference=differences[i, j],
            interval=bounds.get((i, j)),
            williams=by_williams.get((i, j)),
            permutation=by_swaps.get((i, j)),
        )
        for i, j in _ordered(values)
        if not np.isnan(differences[i, j])  # where both have scores, one of them has no correlation
    ]


def _tests(p_values: Mapping[Pair, float], alpha: float, statistics: FloatArray | None = None) -> dict[Pair, Test]:
    """Return tests corrected for one another; a pair without a p-value has none."""
    adjusted = holm(np.array(list(p_values.values()), dtype=np.float64)).tolist()
    return {
        pair: Test(
            statistic=None if statistics is None else float(statistics[pair]),
            p_value=float(p_value),
            p_adjusted=corrected,
            significant=is_significant(corrected, alpha),
        )
        for (pair, p_value), corrected in zip(p_values.items(), adjusted, strict=True)
        if not np.isnan(p_value)
    }
