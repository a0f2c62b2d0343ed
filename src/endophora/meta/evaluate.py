"""Metrics against people: from scores of both to one result (BlonDe, §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import get_args

import numpy as np

from endophora.errors import Fault, InputError, refuse
from endophora.evaluation.figures import paired_tests
from endophora.evaluation.levels import Documents, ScoreSet
from endophora.evaluation.result import Paired
from endophora.meta import compare
from endophora.meta.compare import LevelScores
from endophora.meta.options import MetaLevel, MetaOptions
from endophora.meta.result import LevelInfo, MetaResult, MetaSettings, MetricInfo, Points, RaterPair
from endophora.record import number_of
from endophora.signature import result_signature
from endophora.statistics.agreement import Kappa
from endophora.statistics.significance import is_significant
from endophora.statistics.units import FloatArray, Units, choose_units, each_row
from endophora.version import __version__

FEW = 20
"""With fewer documents a percentile interval is rough."""


def meta_evaluate(
    metrics: Sequence[ScoreSet],
    human: ScoreSet,
    documents: Documents | None = None,
    options: MetaOptions | None = None,
    raters: Mapping[tuple[str, str], Kappa] | None = None,
    origin: str = "",
) -> MetaResult:
    """Compare metrics with human scores, and with one another; of all, higher scores are better.

    A level is compared if people and a metric have scores of it; systems are those that all have. Without ``documents``
    segments are resampled as if independent. ``origin`` is how the human scores came about, as ``weights:google``.

    Raises: InputError: two metrics have one name, a threshold is for none of them, no system has scores of all, or no
    level (E123), scores of one level are of different numbers of items (E113), segments cannot be drawn at system level
    (E124), or the order has unknown systems (E129).
    """
    chosen = options or MetaOptions()
    _check_names(metrics, chosen)
    systems, warnings = _shared_systems(metrics, human, chosen.exclude)
    _check_order(systems, chosen.order)
    study = _Study(metrics, human, systems, documents, chosen, warnings)
    levels = [made for level in chosen.levels if (made := study.level(level)) is not None]
    if not levels:
        advice = "give scores of people and of a metric at one level"
        raise InputError(Fault("E123", f"there is no level to compare at, of {', '.join(chosen.levels)}", advice))
    found = [compare.correlations(scores, chosen) for scores in levels]
    accurate = [compare.accuracies(scores, chosen) for scores in levels]
    known: tuple[MetaLevel, ...] = get_args(MetaLevel)
    per_level = list(zip(levels, found, accurate, strict=True))
    warnings += _doubt_trials(levels, chosen)
    return MetaResult(
        version=__version__,
        signature=result_signature(
            chosen,
            human=f"{human.name}|{origin}" if origin else human.name,
            average=chosen.average,
            units=f"{chosen.units}+{chosen.system_units}",
            bs=chosen.resamples,
            perm=chosen.trials,
            sides=2 if chosen.two_sided else 1,
            seed=chosen.seed,
            exclude=",".join(chosen.exclude) or "no",
        ),
        human=human.name,
        settings=MetaSettings.of(chosen),
        levels=[study.info(scores) for scores in levels],
        metrics=[
            MetricInfo(
                name=metric.name,
                levels=[level for level in known if level in metric.levels],
                means=[level for level in known if level in metric.means],
                signature=metric.signature,
            )
            for metric in metrics
        ],
        correlations=list(chain.from_iterable(map(compare.correlated, levels, found))),
        accuracies=list(chain.from_iterable(accurate)),
        comparisons=[record for each in per_level for record in compare.comparisons(*each, chosen)],
        between=list(chain.from_iterable(map(compare.between, levels))),
        paired=[one for scores in levels if scores.level == "doc" for one in study.paired(scores)],
        raters=[
            RaterPair(
                first=first,
                second=second,
                kappa=number_of(kappa.value),
                observed=kappa.observed,
                expected=kappa.expected,
                items=kappa.count,
            )
            for (first, second), kappa in (raters or {}).items()
        ],
        points=[points for scores in levels for points in study.points(scores)],
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
    faults = [f"there is no system “{name}” to compare" for name in order if name not in systems]
    if len(set(order)) < len(order):
        faults.append("a system is there twice")
    if len(order) == 1:
        faults.append("one system has no neighbour")
    if faults:
        advice = f"name two or more of {', '.join(systems)}"
        raise InputError([Fault("E129", cause, advice, "--order") for cause in faults])


def _doubt_trials(levels: Sequence[LevelScores], options: MetaOptions) -> list[str]:
    """Return a warning if even the least p of the permutation test is too large after correction."""
    most = max(len(scores.names) for scores in levels)
    pairs = most * (most - 1) // 2
    if not options.trials or is_significant(pairs / (options.trials + 1), options.alpha):
        return []
    return [
        f"With {options.trials:,} trials and {pairs:,} pairs of metrics no difference can be significant by "
        f"permutation: take {round(pairs / options.alpha):,} trials or more, or fewer metrics."
    ]


def _shared_systems(
    metrics: Sequence[ScoreSet], human: ScoreSet, exclude: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the systems that all scored, in the people's order, and warnings about the others."""
    of_people, *of_metrics = (
        dict.fromkeys(name for scores in scored.levels.values() for name in scores.systems)
        for scored in (human, *metrics)
    )
    known = {*of_people, *chain.from_iterable(of_metrics)}
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
    refuse(faults)
    warnings: list[str] = []
    if lost := [name for name in of_people if name not in shared and name not in exclude]:
        warnings.append(f"Left out, since not all metrics scored them: {', '.join(lost)}.")
    extra = dict.fromkeys(name for name in chain.from_iterable(of_metrics) if name not in of_people)
    if lost := [name for name in extra if name not in exclude]:
        warnings.append(f"Left out, since people did not score them: {', '.join(lost)}.")
    return shared, warnings


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """All scores of the systems that are compared; ``warnings`` grow with each level."""

    metrics: Sequence[ScoreSet]
    human: ScoreSet
    systems: Sequence[str]
    documents: Documents | None
    options: MetaOptions
    warnings: list[str] = field(default_factory=list[str])

    def level(self, level: MetaLevel) -> LevelScores | None:
        """Return the scores of a level, nothing if people or all metrics have none."""
        there = [metric for metric in self.metrics if level in metric.levels]
        if level not in self.human.levels or not there:
            self.warnings.append(f"There are no scores at level {level}.")
            return None
        if lost := [metric.name for metric in self.metrics if level not in metric.levels]:
            self.warnings.append(f"Without scores at level {level}: {', '.join(lost)}.")
        of_people = self.human.levels[level].of(self.systems)
        stacked = [metric.levels[level].of(self.systems) for metric in there]
        items = of_people.shape[1]
        refuse(
            Fault("E113", f"“{metric.name}” scores {own.shape[1]} items at level {level}, people {items}", "")
            for metric, own in zip(there, stacked, strict=True)
            if own.shape[1] != items
        )
        units, below = self._units(level, there, items)
        return LevelScores(level, tuple(metric.name for metric in there), np.stack(stacked), of_people, units, below)

    def _units(
        self, level: MetaLevel, metrics: Sequence[ScoreSet], items: int
    ) -> tuple[Units | None, FloatArray | None]:
        """Return what is drawn together, and at system level the segments' scores if it is these that are drawn."""
        if level == "doc":
            return each_row(items, "documents"), None
        if level == "sys" and self.options.system_units == "systems":
            return None, None
        kind = self.options.units if level == "seg" else self.options.system_units
        below: FloatArray | None = None
        if level == "sys":
            scored = (self.human, *metrics)
            own = [one.name or "people" for one in scored if "sys" not in one.means or "seg" not in one.levels]
            if own:
                cause = f"system scores that are no means of segments' cannot be drawn by {kind}: {', '.join(own)}"
                raise InputError(Fault("E124", cause, "choose systems, or give segment scores only", "--system-units"))
            below = np.stack([one.levels["seg"].of(self.systems) for one in scored])
            items = below.shape[2]
        if kind == "segments" or self.documents is None:
            if kind == "documents":
                self.warnings.append("No documents were given, so intervals are over segments, as if independent.")
            return each_row(items, "segments"), below
        units = choose_units(self.documents.ids)
        if units.kind == "segments":
            self.warnings.extend(units.warnings)
        elif units.count < FEW:
            self.warnings.append(f"Intervals rest on {units.count} documents only: read them as rough.")
        return units, below

    def info(self, scores: LevelScores) -> LevelInfo:
        """Return what was compared at a level."""
        units = scores.units
        return LevelInfo(
            level=scores.level,
            systems=list(self.systems),
            items=scores.human.shape[1],
            scores=int(np.count_nonzero(~np.isnan(scores.human))),
            human_mean=scores.level in self.human.means,
            resampled="systems" if units is None else units.kind,
            units=len(self.systems) if units is None else units.count,
        )

    def paired(self, scores: LevelScores) -> list[Paired]:
        """Return the paired t of neighbouring systems over documents, of people and of all metrics."""
        order = self.options.order
        if not order:
            own = self.human.levels.get("sys")
            whole = np.nanmean(scores.human, axis=1) if own is None else own.of(self.systems)[:, 0]
            ranked: list[int] = np.argsort(whole, kind="stable").tolist()
            order = tuple(self.systems[index] for index in ranked if not np.isnan(whole[index]))
        by_system = {name: dict(zip(self.systems, values, strict=True)) for name, values in _named(scores)}
        return paired_tests(by_system, order, (), self.options.confidence)

    def points(self, scores: LevelScores) -> list[Points]:
        """Return the scores that were compared, but those of segments."""
        if scores.level == "seg":
            return []
        return [
            Points(
                level=scores.level,
                name=name,
                scores={
                    system: [number_of(value) for value in row]
                    for system, row in zip(self.systems, values.tolist(), strict=True)
                },
            )
            for name, values in _named(scores)
        ]


def _named(scores: LevelScores) -> list[tuple[str, FloatArray]]:
    """Return the scores of people, who have no name here, and of each metric."""
    return [("", scores.human), *zip(scores.names, scores.metrics, strict=True)]
