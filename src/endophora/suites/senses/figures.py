"""Figures of counts, with intervals and paired significance, for all systems and groups at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.record import Interval, interval_of
from endophora.signature import keyed
from endophora.statistics import Units, bootstrap, each_row, holm, is_significant, randomise
from endophora.statistics.options import resampling_faults
from endophora.statistics.units import FloatArray
from endophora.suites.records import Item
from endophora.suites.senses.items import domain_of, origin_of
from endophora.suites.senses.matching import MISSING, RIGHT, WRONG
from endophora.suites.senses.result import Figure, GroupKind, SenseComparison, SenseCounts, SenseScore

BEST = "best"
RECALLS = ("A", "B")
TIES = ("wrong", "correct")
UNITS = ("words", "segments")


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class SenseOptions:
    """The options of a scoring.

    Attributes:
        recall: ``A``: right ÷ (right + not found), as in the published tables; ``B``: right ÷ all, as the paper's §5
            defines it. Both are in the result; this one is shown, and F1 is of it.
        ties: what a tie of scores counts as, ``wrong`` or ``correct``.
        higher_is_better: of scores; false for losses.
        baseline: the system to compare with; ``best`` is the one with the best F1 or accuracy.
        units: what is resampled: ``words`` (all sentences of an ambiguous word together) or ``segments``.
        resamples: of the bootstrap; none gives neither intervals nor p-values.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and swapping.
        examples: how many are kept of each word, right sense and sense taken for it; 0 for none at all.

    Raises:
        InputError: a value is none of those known, or out of range (E220; of statistics E075).
    """

    recall: str = "A"
    ties: str = "wrong"
    higher_is_better: bool = True
    baseline: str = BEST
    units: str = "words"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1
    examples: int = 2

    def __post_init__(self) -> None:
        faults = resampling_faults(self, units=UNITS, fewest=0)
        faults += [
            Fault("E220", f"“{value}” is none of them", f"choose {' or '.join(known)}", option)
            for option, value, known in (
                ("--recall", self.recall, RECALLS),
                ("--ties", self.ties, TIES),
            )
            if value not in known
        ]
        if self.examples < 0:
            faults.append(Fault("E220", f"{self.examples} examples", "give 2, or 0 for none"))
        if faults:
            raise InputError(faults)


TRANSLATION: tuple[Figure, ...] = (
    "precision",
    "recall_a",
    "recall_b",
    "f1_a",
    "f1_b",
    "coverage",
    "coverage_forms",
)
WEIGHTED: tuple[Figure, ...] = (*TRANSLATION, "precision_weighted", "f1_weighted_a", "f1_weighted_b")
"""Where a suite knows how far its senses are from one another."""
SCORING: tuple[Figure, ...] = ("accuracy",)
COLUMNS = 5
"""Right, wrong, missing, found among the forms, credit."""

Group = tuple[GroupKind, str, npt.NDArray[np.intp]]
"""Kind, name, and the places of its items."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the items came out, each array (systems, items).

    Attributes:
        outcomes: right, wrong or missing.
        in_forms: whether a word was found before the lemmas were looked at.
        credits: 1 where it is right, 0 where nothing was found; a wrong sense has what it is short of the greatest
            distance from the right one, 1 (Raganato et al., 2020).
    """

    outcomes: npt.NDArray[np.intp]
    in_forms: npt.NDArray[np.bool_]
    credits: FloatArray

    def columns(self, places: npt.NDArray[np.intp] | slice = slice(None)) -> FloatArray:
        """Return what figures are made of, (systems, items, 5)."""
        outcomes = self.outcomes[:, places]
        kinds = (outcomes == RIGHT, outcomes == WRONG, outcomes == MISSING)
        rows = (*kinds, self.in_forms[:, places], self.credits[:, places])
        return np.stack([row.astype(np.float64) for row in rows], axis=-1)


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
    """Return the figures of :data:`TRANSLATION` in per cent, (…, 5) → (…, 7); NaN where nothing is counted.

    Precision, recall and F1 are 0 where something was found but nothing right.
    """
    right, wrong, missing, forms = np.moveaxis(sums[..., :4], -1, 0)
    total = right + wrong + missing
    precision = _share(right, right + wrong, total)
    recalls = [_share(right, base, total) for base in (right + missing, total)]
    scores = [_share(2 * precision * recall, precision + recall, total) / 100 for recall in recalls]
    rows = (precision, *recalls, *scores, _share(right + wrong, total, total), _share(forms, total, total))
    return np.stack(rows, axis=-1)


def weighted_figures(sums: FloatArray) -> FloatArray:
    """Return the figures of :data:`WEIGHTED` in per cent, (…, 5) → (…, 10); NaN where nothing is counted.

    In the weighted precision a wrong sense counts for what it is like the right one (Raganato et al., 2020, §3); the F1
    of it is with the usual recall.
    """
    plain = translation_figures(sums)
    total = sums[..., :3].sum(axis=-1)
    precision = _share(sums[..., 4], sums[..., 0] + sums[..., 1], total)
    recalls = [plain[..., TRANSLATION.index(name)] for name in ("recall_a", "recall_b")]
    scores = [_share(2 * precision * recall, precision + recall, total) / 100 for recall in recalls]
    return np.concatenate([plain, np.stack([precision, *scores], axis=-1)], axis=-1)


def scoring_figures(sums: FloatArray) -> FloatArray:
    """Return accuracy in per cent, (…, 5) → (…, 1)."""
    total = sums[..., 0] + sums[..., 1]
    return _share(sums[..., 0], total, total)[..., None]


_SCORES: dict[tuple[Figure, ...], Callable[[FloatArray], FloatArray]] = {
    TRANSLATION: translation_figures,
    WEIGHTED: weighted_figures,
    SCORING: scoring_figures,
}


def _share(part: FloatArray, whole: FloatArray, total: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole > 0, 100 * part / whole, 0.0)
    return np.where(total > 0, found, np.nan)


def counts_of(found: Outcomes, groups: Sequence[Group], systems: Sequence[str]) -> list[SenseCounts]:
    """Return the counts of all groups."""
    return [
        SenseCounts(
            kind=kind,
            group=name,
            system=system,
            right=int((found.outcomes[row, places] == RIGHT).sum()),
            wrong=int((found.outcomes[row, places] == WRONG).sum()),
            missing=int((found.outcomes[row, places] == MISSING).sum()),
            in_forms=int(found.in_forms[row, places].sum()),
        )
        for kind, name, places in groups
        for row, system in enumerate(systems)
    ]


def scores_of(
    items: Outcomes,
    groups: Sequence[Group],
    systems: Sequence[str],
    units: Units,
    baseline: int,
    options: SenseOptions,
    figures: tuple[Figure, ...],
) -> list[SenseScore]:
    """Return all figures of all groups; those of single senses without intervals, since a sense is of one word only.

    Args:
        items: how they came out.
        groups: of the items.
        systems: names along the first axis.
        units: which items are drawn together.
        baseline: index of the system to compare with.
        options: how many resamples and trials, levels, seed.
        figures: :data:`TRANSLATION`, :data:`WEIGHTED` or :data:`SCORING`.
    """
    score = _SCORES[figures]
    large = [group for group in groups if group[0] != "sense"]
    found = _tested(_sums(items, large, units), large, systems, units, baseline, options, figures)
    for kind, name, places in groups:
        if kind == "sense":
            values = score(items.columns(places).sum(axis=1))
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
    score = _SCORES[figures]
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
                interval=interval_of(drawn.difference_low[place], drawn.difference_high[place]),
                p_value=float(tests[0][place]),
                p_adjusted=float(tests[1][place]),
                significant=is_significant(float(tests[1][place]), options.alpha),
            )
        interval = interval_of(drawn.low[place], drawn.high[place])
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
    score = _SCORES[figures]
    trials = options.resamples * options.trials_per_resample
    p_values = randomise(sums, score, rows, baseline=baseline, trials=trials, seed=options.seed).p_values
    families = [(kind, figure) for kind, _, _ in groups for figure in figures]
    return p_values, holm(p_values.reshape(len(p_values), -1), families).reshape(p_values.shape)


def _sums(items: Outcomes, groups: Sequence[Group], units: Units) -> FloatArray:
    """Return the columns of each unit and group: (systems, units, groups, 5)."""
    columns = items.columns()
    sums = np.zeros((len(columns), units.count, len(groups), COLUMNS))
    for at, (_, _, places) in enumerate(groups):
        for system in range(len(columns)):
            np.add.at(sums[system, :, at], units.index[places], columns[system, places])
    return sums


def _score(
    kind: GroupKind,
    group: str,
    system: str,
    figure: Figure,
    value: float,
    interval: Interval | None = None,
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
