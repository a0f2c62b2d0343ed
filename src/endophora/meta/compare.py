"""One level of a meta-evaluation: coefficients, accuracies and tests of metrics against people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

import numpy as np

from endophora.errors import Fault
from endophora.meta.result import Accuracy, Between, Correlated, Measure, MetaLevel, MetricComparison, Test
from endophora.record import Interval, interval_of, number_of
from endophora.signature import keyed
from endophora.statistics.accuracy import TieAccuracy, system_accuracy, tie_accuracy
from endophora.statistics.coefficients import COEFFICIENTS, Coefficient
from endophora.statistics.correlation import AVERAGES, Average, Correlation, correlate, correlate_means
from endophora.statistics.metric_tests import permute_accuracies, permute_correlations, williams, williams_p
from endophora.statistics.resampling import Bootstrapping
from endophora.statistics.significance import holm, is_significant, percentile_interval
from endophora.statistics.units import FloatArray, Units

Pair: TypeAlias = tuple[int, int]
Found: TypeAlias = tuple[float, float]


META_LEVELS: tuple[MetaLevel, ...] = ("seg", "doc", "sys")
SYSTEM_UNITS = ("systems", "documents", "segments")


@keyed()
@dataclass(frozen=True, slots=True)
class MetaOptions(Bootstrapping):
    """Levels, coefficients, resampling and tests.

    ``units`` is what is resampled below system level; ``resamples`` may be 0 for no intervals.

    Attributes:
        levels: ``seg``, ``doc``, ``sys``.
        coefficients: of correlation.
        tested: those of the coefficients whose differences the permutation test is for. Ranks take seconds for each
            two metrics; Williams' test is for Pearson's r alone.
        average: what is one list below system level: all scores (``none``), the systems' scores of an item or the
            items' scores of a system. ``kendall-wmt`` always takes items.
        system_units: what is resampled at system level: ``systems``, or ``documents`` or ``segments`` if all
            system scores are means of those.
        trials: of the permutation test; 0 for none.
        two_sided: of all tests; otherwise for the metric that agrees better being better.
        exclude: systems to leave out, such as human translations.
        order: systems, each compared with the next by paired t over documents; by default all, as people rank them
            from the worst.
        epsilons: metric → threshold of ties found on other data.

    Raises:
        InputError: a value is none of those known, or out of range (E106; of statistics E075).
    """

    levels: tuple[MetaLevel, ...] = META_LEVELS
    coefficients: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
    tested: tuple[Coefficient, ...] = ("pearson",)
    average: Average = "none"
    system_units: str = "systems"
    trials: int = 1000
    two_sided: bool = True
    exclude: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    epsilons: Mapping[str, float] = field(default_factory=dict[str, float])

    least_resamples = 0

    def faults(self) -> list[Fault]:
        """Return what is unknown (E106), or too few trials (E075)."""
        chosen = [
            *(("--level", level, META_LEVELS) for level in self.levels),
            *(("--coefficient", name, COEFFICIENTS) for name in self.coefficients),
            *(("--test", name, COEFFICIENTS) for name in self.tested),
            ("--average", self.average, AVERAGES),
            ("--system-units", self.system_units, SYSTEM_UNITS),
        ]
        unknown = [
            Fault("E106", f"“{value}” is none of them", f"choose {' or '.join(known)}", option)
            for option, value, known in chosen
            if value not in known
        ]
        return [*self.too_few("trials", 0), *unknown]


@dataclass(frozen=True, slots=True, eq=False)
class LevelScores:
    """The scores of one level, of the same systems and items.

    Attributes:
        metrics: (metrics, systems, items), NaN where missing.
        human: (systems, items), NaN where missing.
        units: of the items, for resampling; ``None`` where systems are drawn.
        below: at system level the segments' scores, (1 + metrics, systems, segments) with people first, if
            it is these that are drawn.
    """

    level: MetaLevel
    names: tuple[str, ...]
    metrics: FloatArray
    human: FloatArray
    units: Units | None
    below: FloatArray | None = None


def correlations(scores: LevelScores, options: MetaOptions) -> list[Correlation]:
    """Return each coefficient that the options ask for."""
    return [_correlate(scores, coefficient, options) for coefficient in options.coefficients]


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
    epsilons: list[float | None] = [None] * len(scores.names)
    calibrated = [False] * len(scores.names)
    if scores.level == "sys":
        people = scores.human[:, 0]
        one = system_accuracy(
            scores.metrics[..., 0],
            people,
            resamples=options.resamples,
            confidence=options.confidence,
            seed=options.seed,
        )
        values, low, high, pairs = one.values, one.low, one.high, one.pairs
    else:
        parts = [_tie_accuracy(scores, index, options) for index in range(len(scores.names))]
        values, low, high = (
            np.concatenate(rows) for rows in zip(*((p.values, p.low, p.high) for p in parts), strict=True)
        )
        pairs = np.concatenate([part.pairs for part in parts])
        epsilons = [number_of(part.epsilons[0]) for part in parts]
        calibrated = [part.calibrated for part in parts]
    return [
        Accuracy(
            metric=name,
            level=scores.level,
            value=number_of(values[index]),
            interval=interval_of(low[index], high[index]),
            pairs=int(pairs[index]),
            epsilon=epsilons[index],
            calibrated=calibrated[index],
        )
        for index, name in enumerate(scores.names)
    ]


def comparisons(
    scores: LevelScores, found: Sequence[Correlation], accurate: Sequence[Accuracy], options: MetaOptions
) -> list[MetricComparison]:
    """Return the tests of every two metrics: for each coefficient, and below system level for accuracy."""
    made: list[MetricComparison] = []
    for one in found:
        ordered = _ordered(one.values.tolist())
        wanted = ordered if options.trials and one.coefficient in options.tested else []
        permuted = {pair: _permute(scores, pair, one.coefficient, options) for pair in wanted}
        tested = _williams(scores, ordered, options) if one.coefficient == "pearson" and one.average == "none" else {}
        bounds = {(i, j): _bounds(one.samples[:, i] - one.samples[:, j], options.confidence) for i, j in ordered}
        made += _records(scores, one.coefficient, one.values.tolist(), bounds, tested, permuted, options)
    if scores.level != "sys" and options.trials:
        values = [np.nan if one.value is None else one.value for one in accurate]
        permuted = {pair: _permute_accuracy(scores, pair, accurate, options) for pair in _ordered(values)}
        made += _records(scores, "accuracy", values, {}, {}, permuted, options)
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


def _correlate(scores: LevelScores, coefficient: Coefficient, options: MetaOptions) -> Correlation:
    if scores.below is not None and scores.units is not None:
        return correlate_means(
            scores.below[1:],
            scores.below[0],
            scores.units,
            coefficient=coefficient,
            resamples=options.resamples,
            confidence=options.confidence,
            seed=options.seed,
        )
    return correlate(
        scores.metrics,
        scores.human,
        coefficient=coefficient,
        average=_average(scores, coefficient, options),
        units=scores.units,
        drawn="systems" if scores.units is None else "items",
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _tie_accuracy(scores: LevelScores, index: int, options: MetaOptions) -> TieAccuracy:
    given = options.epsilons.get(scores.names[index])
    return tie_accuracy(
        scores.metrics[index : index + 1],
        scores.human,
        epsilons=None if given is None else np.array([given]),
        units=scores.units,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _ordered(values: Sequence[float]) -> list[Pair]:
    """Return every two metrics with a value, the better first."""
    ranked = sorted((i for i, value in enumerate(values) if not np.isnan(value)), key=lambda i: (-values[i], i))
    return list(combinations(ranked, 2))


def _williams(scores: LevelScores, pairs: Sequence[Pair], options: MetaOptions) -> dict[Pair, Found]:
    found = williams(scores.metrics, scores.human)
    p_values = williams_p(found.statistics, found.counts, two_sided=options.two_sided)
    return {pair: (float(found.statistics[pair]), float(p_values[pair])) for pair in pairs}


def _permute(scores: LevelScores, pair: Pair, coefficient: Coefficient, options: MetaOptions) -> Found:
    first, second = scores.metrics[pair[0]], scores.metrics[pair[1]]
    found = permute_correlations(
        first,
        second,
        scores.human,
        coefficient=coefficient,
        average=_average(scores, coefficient, options),
        trials=options.trials,
        two_sided=options.two_sided,
        seed=options.seed,
    )
    return found.difference, found.p_value


def _permute_accuracy(scores: LevelScores, pair: Pair, accurate: Sequence[Accuracy], options: MetaOptions) -> Found:
    found = permute_accuracies(
        scores.metrics[pair[0]],
        scores.metrics[pair[1]],
        scores.human,
        (accurate[pair[0]].epsilon or 0.0, accurate[pair[1]].epsilon or 0.0),
        trials=options.trials,
        two_sided=options.two_sided,
        seed=options.seed,
    )
    return found.difference, found.p_value


def _records(
    scores: LevelScores,
    measure: Measure,
    values: Sequence[float],
    bounds: dict[Pair, Interval | None],
    tested: dict[Pair, Found],
    permuted: dict[Pair, Found],
    options: MetaOptions,
) -> list[MetricComparison]:
    pairs = _ordered(values)
    by_williams = _tests({pair: found[1] for pair, found in tested.items()}, options.alpha)
    by_swaps = _tests({pair: found[1] for pair, found in permuted.items()}, options.alpha)
    return [
        MetricComparison(
            level=scores.level,
            measure=measure,
            first=scores.names[i],
            second=scores.names[j],
            difference=permuted[i, j][0] if (i, j) in permuted else values[i] - values[j],
            interval=bounds.get((i, j)),
            williams=_with(by_williams.get((i, j)), tested.get((i, j))),
            permutation=by_swaps.get((i, j)),
        )
        for i, j in pairs
    ]


def _tests(p_values: dict[Pair, float], alpha: float) -> dict[Pair, Test]:
    """Return tests corrected for one another; a pair without a p-value has none."""
    adjusted = holm(np.array(list(p_values.values()), dtype=np.float64)).tolist()
    return {
        pair: Test(statistic=None, p_value=p_value, p_adjusted=corrected, significant=is_significant(corrected, alpha))
        for (pair, p_value), corrected in zip(p_values.items(), adjusted, strict=True)
        if not np.isnan(p_value)
    }


def _with(test: Test | None, found: Found | None) -> Test | None:
    return None if test is None or found is None else test.model_copy(update={"statistic": found[0]})


def _bounds(samples: FloatArray, confidence: float) -> Interval | None:
    if not len(samples) or np.isnan(samples).all():
        return None
    low, high = percentile_interval(samples[:, None], confidence)
    return interval_of(float(low[0]), float(high[0]))
