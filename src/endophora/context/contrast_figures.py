"""From outcomes of items to figures: accuracy of groups, intervals, comparisons of context sizes and of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from endophora.context.contrast_result import ContrastComparison, ContrastScore, GroupKind
from endophora.errors import Fault, InputError
from endophora.metrics.records import FloatArray, ratio
from endophora.models.documents import Sides
from endophora.record import interval_of
from endophora.signature import keyed
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
from endophora.statistics.options import resampling_faults
from endophora.suites.records import Item
from endophora.suites.scoring import group_items

TIES = ("wrong", "correct")


@keyed()
@dataclass(frozen=True, slots=True)
class ContrastOptions:
    """Context sizes, scores and statistics.

    Attributes:
        sizes: how many segments of context models are given; the first is the one that others are compared with.
        sides: on which sides context is given.
        normalised: divide log-probabilities by the translation's tokens, its end included; ContraPro takes them whole.
        ties: what a tie counts as, ``wrong`` or ``correct``.
        baseline: name of the model that others are compared with; the first by default.
        units: what is resampled, ``documents`` or ``segments``.
        resamples: of the bootstrap.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and swapping.

    Raises:
        InputError: a value is none of those known, or out of range (E326; of statistics E075); all at once.
    """

    sizes: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    sides: Sides = Sides.BOTH
    normalised: bool = False
    ties: str = "wrong"
    baseline: str = ""
    units: str = "documents"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        named = (
            ("--ties", self.ties, TIES),
            ("--sides", self.sides.value, ("source", "target", "both")),
        )
        faults = resampling_faults(self)
        faults += [
            Fault("E326", f"“{value}” is none of them", f"choose {', '.join(known)}", option)
            for option, value, known in named
            if value not in known
        ]
        if not self.sizes or min(self.sizes) < 0 or len(set(self.sizes)) < len(self.sizes):
            advice = "give numbers from 0, each once: --size 0 --size 5"
            faults.append(Fault("E326", f"{list(self.sizes)} are no sizes of context", advice, "--size"))
        if faults:
            raise InputError(faults)


Outcomes = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Run:
    """A model with so much context."""

    model: str
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class ItemGroups:
    """What items are counted by.

    Attributes:
        members: (items, groups), true where an item is in a group.
    """

    names: tuple[tuple[GroupKind, str], ...]
    members: Outcomes


@dataclass(frozen=True, slots=True)
class ContrastFigures:
    """All figures, and what the statistics want the user to know."""

    scores: list[ContrastScore]
    comparisons: list[ContrastComparison]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs to be compared, as places in the list of runs."""

    of: Literal["context", "model"]
    run: int
    other: int


def contrast_groups(items: Sequence[Item]) -> ItemGroups:
    """Return the groups of items: all, phenomenon, rule, form, distance of the antecedent.

    A form is the expected one in lower case. Where rules are told apart just as forms are, rules are left out.
    """
    found = group_items(items)
    names: list[tuple[GroupKind, str]] = [(kind, name) for kind, name in found.names if kind != "metric"]
    columns = [found.members[:, index] for index in range(len(names))]
    if len([kind for kind, _ in names if kind == "phenomenon"]) < 2:
        names, columns = _without("phenomenon", names, columns)
    forms = [item.expected[0].lower() if item.expected else "" for item in items]
    if len(set(forms)) > 1:
        made = {form: np.array([other == form for other in forms]) for form in sorted(set(forms))}
        rules = {column.tobytes() for (kind, _), column in zip(names, columns, strict=True) if kind == "rule"}
        if rules == {column.tobytes() for column in made.values()}:
            names, columns = _without("rule", names, columns)
        place = next((index for index, (kind, _) in enumerate(names) if kind == "distance"), len(names))
        names[place:place] = [("form", form) for form in made]
        columns[place:place] = list(made.values())
    return ItemGroups(tuple(names), np.stack(columns, axis=1))


def compute_contrast(
    items: Sequence[Item], runs: Sequence[Run], outcomes: Outcomes, options: ContrastOptions, kept: Outcomes
) -> ContrastFigures:
    """Return accuracies and comparisons of runs.

    Each model's runs are compared with its run of the first size, and at each size every model with the baseline, by
    paired approximate randomisation over the documents. p-values are corrected by Holm's method over all comparisons of
    the same sort in groups of the same kind.

    Args:
        outcomes: (runs, items), true where the right translation is scored best.
        kept: (runs, items), true where the model read any context.
    """
    groups = contrast_groups(items)
    units = choose_units([item.document for item in items], cast("Kind", options.units))
    sums = np.stack([_sums(row, groups, units) for row in outcomes])
    rows = each_row(units.count, units.kind)
    drawn = _bootstrap(sums, rows, 0, options)
    totals = sums.sum(axis=1)
    least = [_first(runs, run.model, options) for run in runs]
    kept_counts = kept.astype(np.float64) @ groups.members
    kept_right = (outcomes & kept).astype(np.float64) @ groups.members
    least_right = (outcomes[least] & kept).astype(np.float64) @ groups.members
    kept_values, least_values = ratio(100 * kept_right, kept_counts), ratio(100 * least_right, kept_counts)
    scores = [
        ContrastScore(
            model=run.model,
            size=run.size,
            kind=kind,
            group=group,
            value=_known(drawn.scores[place, column]),
            interval=interval_of(drawn.low[place, column], drawn.high[place, column]),
            correct=int(totals[place, column, 0]),
            counted=int(totals[place, column, 1]),
            kept_value=_known(kept_values[place, column]),
            kept_least=_known(least_values[place, column]),
            kept_correct=int(kept_right[place, column]),
            kept_counted=int(kept_counts[place, column]),
        )
        for column, (kind, group) in enumerate(groups.names)
        for place, run in enumerate(runs)
    ]
    comparisons = [
        one for pair in _pairs(runs, options) for one in _compare(pair, runs, outcomes, sums, groups, rows, options)
    ]
    return ContrastFigures(scores, _corrected(comparisons, options.alpha), list(units.warnings))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _first(runs: Sequence[Run], model: str, options: ContrastOptions) -> int:
    """Return the place of a model's run that its others are compared with: the first size, or its smallest."""
    places = [place for place, run in enumerate(runs) if run.model == model]
    return min(places, key=lambda place: (runs[place].size != options.sizes[0], runs[place].size))


def _without(
    kind: str, names: list[tuple[GroupKind, str]], columns: list[Outcomes]
) -> tuple[list[tuple[GroupKind, str]], list[Outcomes]]:
    kept = [index for index, (found, _) in enumerate(names) if found != kind]
    return [names[index] for index in kept], [columns[index] for index in kept]


def _sums(outcomes: Outcomes, groups: ItemGroups, units: Units) -> FloatArray:
    """Return right and counted items of each unit and group, (units, groups, 2)."""
    sums = np.zeros((units.count, len(groups.names), 2))
    members = groups.members.astype(np.float64)
    np.add.at(sums[..., 0], units.index, members * outcomes[:, None])
    np.add.at(sums[..., 1], units.index, members)
    return sums


def _pairs(runs: Sequence[Run], options: ContrastOptions) -> list[_Pair]:
    """Return what is compared: sizes of each model, then models at each size."""
    places = {run: place for place, run in enumerate(runs)}
    models = list(dict.fromkeys(run.model for run in runs))
    first = {model: _first(runs, model, options) for model in models}
    baseline = options.baseline or models[0]
    context = [_Pair("context", places[run], first[run.model]) for run in runs if places[run] != first[run.model]]
    against = [
        _Pair("model", place, places[Run(baseline, run.size)])
        for run, place in places.items()
        if run.model != baseline and Run(baseline, run.size) in places
    ]
    return [*context, *against]


def _compare(
    pair: _Pair,
    runs: Sequence[Run],
    outcomes: Outcomes,
    sums: FloatArray,
    groups: ItemGroups,
    rows: Units,
    options: ContrastOptions,
) -> list[ContrastComparison]:
    """Return the comparison of two runs in all groups, not corrected yet."""
    both = sums[[pair.other, pair.run]]
    drawn = _bootstrap(both, rows, 0, options)
    trials = options.resamples * options.trials_per_resample
    test = randomise(both, _accuracy, rows, baseline=0, trials=trials, seed=options.seed)
    this, other = outcomes[pair.run], outcomes[pair.other]
    return [
        ContrastComparison(
            of=pair.of,
            kind=kind,
            group=group,
            model=runs[pair.run].model,
            size=runs[pair.run].size,
            other_model=runs[pair.other].model,
            other_size=runs[pair.other].size,
            difference=float(drawn.differences[1, column]),
            interval=interval_of(drawn.difference_low[1, column], drawn.difference_high[1, column]),
            gained=int((this & ~other & groups.members[:, column]).sum()),
            lost=int((other & ~this & groups.members[:, column]).sum()),
            p_value=float(test.p_values[1, column]),
            p_adjusted=float(test.p_values[1, column]),
            significant=False,
        )
        for column, (kind, group) in enumerate(groups.names)
        if not math.isnan(test.p_values[1, column])
    ]


def _corrected(comparisons: Sequence[ContrastComparison], alpha: float) -> list[ContrastComparison]:
    families = [(one.of, one.kind) for one in comparisons]
    adjusted: list[float] = holm(np.array([one.p_value for one in comparisons]), families).tolist()
    return [
        one.model_copy(update={"p_adjusted": value, "significant": is_significant(value, alpha)})
        for one, value in zip(comparisons, adjusted, strict=True)
    ]


def _bootstrap(sums: FloatArray, rows: Units, baseline: int, options: ContrastOptions) -> Bootstrap:
    return bootstrap(
        sums,
        _accuracy,
        rows,
        baseline=baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )


def _accuracy(sums: FloatArray) -> FloatArray:
    """Return accuracy in per cent, (…, 2) → (…); NaN where nothing is counted."""
    return ratio(100 * sums[..., 0], sums[..., 1])
