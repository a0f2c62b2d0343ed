"""Figures of counts, with intervals and paired significance, for all systems and groups at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from endophora.statistics import Units, bootstrap, each_row, holm, randomise
from endophora.statistics.units import FloatArray
from endophora.suites.records import Item
from endophora.suites.senses.matching import MISSING, RIGHT, WRONG
from endophora.suites.senses.options import SenseOptions
from endophora.suites.senses.result import Figure, GroupKind, SenseComparison, SenseCounts, SenseInterval, SenseScore
from endophora.suites.senses.words import domain_of, origin_of

TRANSLATION: tuple[Figure, ...] = (
    "precision",
    "recall_a",
    "recall_b",
    "f1_a",
    "f1_b",
    "coverage",
    "coverage_forms",
)
SCORING: tuple[Figure, ...] = ("accuracy",)
COLUMNS = 4
"""Right, wrong, missing, found among the forms."""

Group = tuple[GroupKind, str, npt.NDArray[np.intp]]
"""Kind, name, and the places of its items."""


def groups_of(items: Sequence[Item]) -> list[Group]:
    """Return the groups of items: all, by domain, by origin, by sense; a kind that does not divide them is left out."""
    found: list[Group] = [("all", "", np.arange(len(items)))]
    for kind, names in (
        ("domain", [domain_of(item) for item in items]),
        ("origin", [origin_of(item) for item in items]),
        ("sense", [item.rule for item in items]),
    ):
        there = sorted(set(names))
        if len(there) > 1:
            values = np.array(names)
            found.extend((cast("GroupKind", kind), name, np.flatnonzero(values == name)) for name in there)
    return found


def translation_figures(sums: FloatArray) -> FloatArray:
    """Return the figures of :data:`TRANSLATION` in per cent, (…, 4) → (…, 7); NaN where nothing is counted.

    Precision, recall and F1 are 0 where something was found but nothing right.
    """
    right, wrong, missing, forms = np.moveaxis(sums, -1, 0)
    total = right + wrong + missing
    precision = _share(right, right + wrong, total)
    recalls = [_share(right, base, total) for base in (right + missing, total)]
    scores = [_share(2 * precision * recall, precision + recall, total) / 100 for recall in recalls]
    rows = (precision, *recalls, *scores, _share(right + wrong, total, total), _share(forms, total, total))
    return np.stack(rows, axis=-1)


def scoring_figures(sums: FloatArray) -> FloatArray:
    """Return accuracy in per cent, (…, 4) → (…, 1)."""
    total = sums[..., 0] + sums[..., 1]
    return _share(sums[..., 0], total, total)[..., None]


def _share(part: FloatArray, whole: FloatArray, total: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole > 0, 100 * part / whole, 0.0)
    return np.where(total > 0, found, np.nan)


def counts_of(
    outcomes: npt.NDArray[np.intp], in_forms: npt.NDArray[np.bool_], groups: Sequence[Group], systems: Sequence[str]
) -> list[SenseCounts]:
    """Return the counts of all groups; ``outcomes`` and ``in_forms`` are (systems, items)."""
    return [
        SenseCounts(
            kind=kind,
            group=name,
            system=system,
            right=int((outcomes[row, places] == RIGHT).sum()),
            wrong=int((outcomes[row, places] == WRONG).sum()),
            missing=int((outcomes[row, places] == MISSING).sum()),
            in_forms=int(in_forms[row, places].sum()),
        )
        for kind, name, places in groups
        for row, system in enumerate(systems)
    ]


def scores_of(
    outcomes: npt.NDArray[np.intp],
    in_forms: npt.NDArray[np.bool_],
    groups: Sequence[Group],
    systems: Sequence[str],
    units: Units,
    baseline: int,
    options: SenseOptions,
    figures: tuple[Figure, ...],
) -> list[SenseScore]:
    """Return all figures of all groups; those of single senses without intervals, since a sense is of one word only.

    Args:
        outcomes: of each item, (systems, items).
        in_forms: whether a word was found before the lemmas were looked at, (systems, items).
        groups: of the items.
        systems: names along the first axis.
        units: which items are drawn together.
        baseline: index of the system to compare with.
        options: how many resamples and trials, levels, seed.
        figures: :data:`TRANSLATION` or :data:`SCORING`.
    """
    score = translation_figures if figures == TRANSLATION else scoring_figures
    large = [group for group in groups if group[0] != "sense"]
    found = _tested(_sums(outcomes, in_forms, large, units), large, systems, units, baseline, options, figures)
    for kind, name, places in groups:
        if kind == "sense":
            values = score(_columns(outcomes[:, places], in_forms[:, places]).sum(axis=1))
            found += [
                _score(kind, name, system, figure, values[row, column])
                for row, system in enumerate(systems)
                for column, figure in enumerate(figures)
            ]
    return found


def _tested(
    sums: FloatArray,
    groups: Sequence[Group],
    systems: Sequence[str],
    units: Units,
    baseline: int,
    options: SenseOptions,
    figures: tuple[Figure, ...],
) -> list[SenseScore]:
    score = translation_figures if figures == TRANSLATION else scoring_figures
    values = score(sums.sum(axis=1))
    places = [
        (row, at, column) for at in range(len(groups)) for row in range(len(systems)) for column in range(len(figures))
    ]
    if not options.resamples:
        return [
            _score(*groups[at][:2], systems[row], figures[column], values[row, at, column])
            for row, at, column in places
        ]
    rows = each_row(units.count, units.kind)
    drawn = bootstrap(
        sums,
        score,
        rows,
        baseline=baseline,
        resamples=options.resamples,
        confidence=options.confidence,
        seed=options.seed,
    )
    tests = _tests(sums, groups, rows, baseline, options, figures) if len(systems) > 1 else None
    found = list[SenseScore]()
    for place in places:
        row, at, column = place
        comparison = None
        if tests is not None and not math.isnan(tests[0][place]):
            comparison = SenseComparison(
                difference=float(drawn.differences[place]),
                interval=_interval(drawn.difference_low[place], drawn.difference_high[place]),
                p_value=float(tests[0][place]),
                p_adjusted=float(tests[1][place]),
                significant=bool(tests[1][place] < options.alpha),
            )
        interval = _interval(drawn.low[place], drawn.high[place])
        found.append(_score(*groups[at][:2], systems[row], figures[column], values[place], interval, comparison))
    return found


def _tests(
    sums: FloatArray,
    groups: Sequence[Group],
    rows: Units,
    baseline: int,
    options: SenseOptions,
    figures: tuple[Figure, ...],
) -> tuple[FloatArray, FloatArray]:
    """Return p-values as they are and corrected, (systems, groups, figures) each."""
    score = translation_figures if figures == TRANSLATION else scoring_figures
    trials = options.resamples * options.trials_per_resample
    p_values = randomise(sums, score, rows, baseline=baseline, trials=trials, seed=options.seed).p_values
    adjusted = np.full(p_values.shape, np.nan)
    for kind in dict.fromkeys(kind for kind, _, _ in groups):
        family = [at for at, (found, _, _) in enumerate(groups) if found == kind]
        for column in range(len(figures)):
            adjusted[:, family, column] = holm(p_values[:, family, column])
    return p_values, adjusted


def _columns(outcomes: npt.NDArray[np.intp], in_forms: npt.NDArray[np.bool_]) -> FloatArray:
    kinds = (outcomes == RIGHT, outcomes == WRONG, outcomes == MISSING, in_forms)
    return np.stack(kinds, axis=-1).astype(np.float64)


def _sums(
    outcomes: npt.NDArray[np.intp], in_forms: npt.NDArray[np.bool_], groups: Sequence[Group], units: Units
) -> FloatArray:
    """Return the columns of each unit and group: (systems, units, groups, 4)."""
    columns = _columns(outcomes, in_forms)
    sums = np.zeros((len(outcomes), units.count, len(groups), COLUMNS))
    for at, (_, _, places) in enumerate(groups):
        for system in range(len(outcomes)):
            np.add.at(sums[system, :, at], units.index[places], columns[system, places])
    return sums


def _score(
    kind: GroupKind,
    group: str,
    system: str,
    figure: Figure,
    value: float,
    interval: SenseInterval | None = None,
    comparison: SenseComparison | None = None,
) -> SenseScore:
    return SenseScore(
        kind=kind,
        group=group,
        system=system,
        figure=figure,
        value=None if math.isnan(value) else float(value),
        interval=interval,
        comparison=comparison,
    )


def _interval(low: float, high: float) -> SenseInterval | None:
    return None if math.isnan(low) or math.isnan(high) else SenseInterval(low=float(low), high=float(high))
