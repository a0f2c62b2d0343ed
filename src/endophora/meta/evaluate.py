"""Metrics against people: from scores of both to one result (BlonDe, §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from endophora.errors import Fault, InputError
from endophora.evaluation.figures import paired_tests
from endophora.evaluation.levels import Documents, ScoreSet
from endophora.evaluation.result import Paired
from endophora.meta import compare
from endophora.meta.compare import LevelScores, MetaOptions
from endophora.meta.result import LevelInfo, MetaLevel, MetaResult, MetaSettings, MetricInfo, Points, RaterPair
from endophora.record import number_of
from endophora.signature import digest_of, write_signature
from endophora.statistics.agreement import Kappa
from endophora.statistics.significance import is_significant
from endophora.statistics.units import FloatArray, Units, choose_units, each_row
from endophora.version import __version__


def meta_evaluate(
    metrics: Sequence[ScoreSet],
    human: ScoreSet,
    documents: Documents | None = None,
    options: MetaOptions | None = None,
    raters: Mapping[tuple[str, str], Kappa] | None = None,
    origin: str = "",
) -> MetaResult:
    """Compare metrics with human scores, and with one another.

    A level is compared if people and a metric have scores of it; systems are those that all have.

    Args:
        metrics: their scores; higher is better.
        human: the people's; higher is better.
        documents: of the segments; without them segments are resampled as if independent.
        options: what to compute.
        raters: the raters' agreement, to be shown beside.
        origin: how the human scores came about, as ``weights:google``; it stands in the signature.

    Raises:
        InputError: with all faults: two metrics have one name, a threshold is for none of them, no system has scores of
            all, or no level (E123), scores of one level are of different numbers of items (E113), segments cannot be
            drawn at system level (E124), or the order has unknown systems (E129).
    """
    chosen = options or MetaOptions()
    _check_names(metrics, chosen)
    systems, warnings = _shared_systems(metrics, human, chosen.exclude)
    _check_order(systems, chosen.order)
    levels = [
        made for level in chosen.levels if (made := _level(level, metrics, human, systems, documents, chosen, warnings))
    ]
    if not levels:
        advice = "give scores of people and of a metric at one level"
        raise InputError(Fault("E123", f"there is no level to compare at, of {', '.join(chosen.levels)}", advice))
    found = [compare.correlations(scores, chosen) for scores in levels]
    accurate = [compare.accuracies(scores, chosen) for scores in levels]
    pairs = list(zip(levels, found, strict=True))
    warnings += _trials(levels, chosen)
    return MetaResult(
        version=__version__,
        signature=_signature(human, origin, chosen),
        human=human.name,
        settings=_settings(chosen),
        levels=[_info(scores, systems, human) for scores in levels],
        metrics=[_metric_info(metric) for metric in metrics],
        correlations=[record for scores, one in pairs for record in compare.correlated(scores, one)],
        accuracies=[record for one in accurate for record in one],
        comparisons=[
            record
            for (scores, one), right in zip(pairs, accurate, strict=True)
            for record in compare.comparisons(scores, one, right, chosen)
        ],
        between=[record for scores in levels for record in compare.between(scores)],
        paired=[one for scores in levels if scores.level == "doc" for one in _paired(scores, systems, human, chosen)],
        raters=[_rater_pair(*names, kappa) for names, kappa in (raters or {}).items()],
        points=[points for scores in levels for points in _points(scores, systems)],
        warnings=warnings,
    )


def _check_names(metrics: Sequence[ScoreSet], options: MetaOptions) -> None:
    names = [metric.name for metric in metrics]
    if unknown := [name for name in options.epsilons if name not in names]:
        cause = f"a threshold is given for {', '.join(unknown)}, which is no metric here"
        raise InputError(Fault("E123", cause, f"there are: {', '.join(names)}", "--epsilon"))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(Fault("E123", f"metrics called {', '.join(twice)} are there twice", "name them apart"))
    if not names:
        raise InputError(Fault("E123", "there is no metric", "give the scores of one at least"))


def _check_order(systems: Sequence[str], order: Sequence[str]) -> None:
    unknown = [name for name in order if name not in systems]
    faults = [f"there is no system “{name}” to compare" for name in unknown]
    if len(set(order)) < len(order):
        faults.append("a system is there twice")
    if len(order) == 1:
        faults.append("one system has no neighbour")
    if faults:
        advice = f"name two or more of {', '.join(systems)}"
        raise InputError([Fault("E129", cause, advice, "--order") for cause in faults])


def _trials(levels: Sequence[LevelScores], options: MetaOptions) -> list[str]:
    """Return a warning if even the least p of the permutation test is too large after correction."""
    most = max(len(scores.names) for scores in levels)
    pairs = most * (most - 1) // 2
    if not options.trials or is_significant(pairs / (options.trials + 1), options.alpha):
        return []
    return [
        f"With {options.trials:,} trials and {pairs:,} pairs of metrics no difference can be significant by "
        f"permutation: take {round(pairs / options.alpha):,} trials or more, or fewer metrics."
    ]


def _paired(scores: LevelScores, systems: Sequence[str], human: ScoreSet, options: MetaOptions) -> list[Paired]:
    """Return the paired t of neighbouring systems over documents, of people and of all metrics."""
    order = options.order
    if not order:
        whole = human.levels["sys"].of(systems)[:, 0] if "sys" in human.levels else np.nanmean(scores.human, axis=1)
        ranked: list[int] = np.argsort(whole, kind="stable").tolist()
        order = tuple(systems[index] for index in ranked if not np.isnan(whole[index]))
    named = [("", scores.human), *zip(scores.names, scores.metrics, strict=True)]
    by_system = {name: dict(zip(systems, values, strict=True)) for name, values in named}
    return paired_tests(by_system, order, (), options.confidence)


def _shared_systems(
    metrics: Sequence[ScoreSet], human: ScoreSet, exclude: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the systems that all scored, in the people's order, and warnings about the others."""
    of_people = _systems(human)
    of_metrics = [_systems(metric) for metric in metrics]
    known = {*of_people, *(name for names in of_metrics for name in names)}
    faults = [
        Fault(
            "E123", f"there is no system “{name}” to leave out", f"there are: {', '.join(sorted(known))}", "--exclude"
        )
        for name in exclude
        if name not in known
    ]
    shared = [name for name in of_people if name not in exclude and all(name in names for names in of_metrics)]
    if len(shared) < 2:
        cause = f"{len(shared)} systems have scores of people and of all metrics"
        advice = f"people scored {', '.join(of_people)}; names must be the same in all files"
        faults.append(Fault("E123", cause, advice))
    if faults:
        raise InputError(faults)
    warnings: list[str] = []
    if lost := [name for name in of_people if name not in shared and name not in exclude]:
        warnings.append(f"Left out, since not all metrics scored them: {', '.join(lost)}.")
    extra = dict.fromkeys(name for names in of_metrics for name in names if name not in of_people)
    if lost := [name for name in extra if name not in exclude]:
        warnings.append(f"Left out, since people did not score them: {', '.join(lost)}.")
    return shared, warnings


def _systems(scored: ScoreSet) -> list[str]:
    return list(dict.fromkeys(name for scores in scored.levels.values() for name in scores.systems))


def _level(
    level: MetaLevel,
    metrics: Sequence[ScoreSet],
    human: ScoreSet,
    systems: Sequence[str],
    documents: Documents | None,
    options: MetaOptions,
    warnings: list[str],
) -> LevelScores | None:
    """Return the scores of a level, nothing if people or all metrics have none."""
    there = [metric for metric in metrics if level in metric.levels]
    if level not in human.levels or not there:
        warnings.append(f"There are no scores at level {level}.")
        return None
    if lost := [metric.name for metric in metrics if level not in metric.levels]:
        warnings.append(f"Without scores at level {level}: {', '.join(lost)}.")
    of_people = human.levels[level].of(systems)
    stacked = [metric.levels[level].of(systems) for metric in there]
    faults = [
        Fault("E113", f"“{metric.name}” scores {own.shape[1]} items at level {level}, people {of_people.shape[1]}", "")
        for metric, own in zip(there, stacked, strict=True)
        if own.shape[1] != of_people.shape[1]
    ]
    if faults:
        raise InputError(faults)
    units, below = _units(level, there, human, systems, documents, options, of_people.shape[1], warnings)
    names = tuple(metric.name for metric in there)
    return LevelScores(level, names, np.stack(stacked), of_people, units, below)


def _units(
    level: MetaLevel,
    metrics: Sequence[ScoreSet],
    human: ScoreSet,
    systems: Sequence[str],
    documents: Documents | None,
    options: MetaOptions,
    items: int,
    warnings: list[str],
) -> tuple[Units | None, FloatArray | None]:
    """Return what is drawn together, and at system level the segments' scores if it is these that are drawn."""
    if level == "doc":
        return each_row(items, "documents"), None
    if level == "sys" and options.system_units == "systems":
        return None, None
    kind = options.units if level == "seg" else options.system_units
    below: FloatArray | None = None
    if level == "sys":
        own = [one.name or "people" for one in (human, *metrics) if "sys" not in one.means or "seg" not in one.levels]
        if own:
            cause = f"system scores that are no means of segments' cannot be drawn by {kind}: {', '.join(own)}"
            raise InputError(Fault("E124", cause, "choose systems, or give segment scores only", "--system-units"))
        below = np.stack([one.levels["seg"].of(systems) for one in (human, *metrics)])
        items = below.shape[2]
    if kind == "segments" or documents is None:
        if kind == "documents":
            warnings.append("No documents were given, so intervals are over segments, as if independent.")
        return each_row(items, "segments"), below
    units = choose_units(documents.ids)
    if units.kind == "segments":
        warnings += units.warnings
    elif units.count < FEW:
        warnings.append(f"Intervals rest on {units.count} documents only: read them as rough.")
    return units, below


FEW = 20
"""With fewer documents a percentile interval is rough."""


def _info(scores: LevelScores, systems: Sequence[str], human: ScoreSet) -> LevelInfo:
    units = scores.units
    return LevelInfo(
        level=scores.level,
        systems=list(systems),
        items=scores.human.shape[1],
        scores=int(np.count_nonzero(~np.isnan(scores.human))),
        human_mean=scores.level in human.means,
        resampled="systems" if units is None else units.kind,
        units=len(systems) if units is None else units.count,
    )


def _metric_info(metric: ScoreSet) -> MetricInfo:
    levels: tuple[MetaLevel, ...] = ("seg", "doc", "sys")
    return MetricInfo(
        name=metric.name,
        levels=[level for level in levels if level in metric.levels],
        means=[level for level in levels if level in metric.means],
        signature=metric.signature,
    )


def _points(scores: LevelScores, systems: Sequence[str]) -> list[Points]:
    if scores.level == "seg":
        return []
    named = [("", scores.human), *zip(scores.names, scores.metrics, strict=True)]
    return [
        Points(
            level=scores.level,
            name=name,
            scores={
                system: [number_of(value) for value in row]
                for system, row in zip(systems, values.tolist(), strict=True)
            },
        )
        for name, values in named
    ]


def _rater_pair(first: str, second: str, kappa: Kappa) -> RaterPair:
    return RaterPair(
        first=first,
        second=second,
        kappa=number_of(kappa.value),
        observed=kappa.observed,
        expected=kappa.expected,
        items=kappa.count,
    )


def _settings(options: MetaOptions) -> MetaSettings:
    names = ("average", "units", "system_units", "resamples", "trials", "confidence", "alpha", "two_sided", "seed")
    return MetaSettings.model_validate({name: getattr(options, name) for name in names})


def _signature(human: ScoreSet, origin: str, options: MetaOptions) -> str:
    parts = {
        "human": f"{human.name}|{origin}" if origin else human.name,
        "average": options.average,
        "units": f"{options.units}+{options.system_units}",
        "bs": options.resamples,
        "perm": options.trials,
        "sides": 2 if options.two_sided else 1,
        "seed": options.seed,
        "exclude": ",".join(options.exclude) or "no",
        "version": __version__,
    }
    return write_signature([*parts.items(), ("options", digest_of(options)[:8])])
