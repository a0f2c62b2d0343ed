"""Figures of counts, with intervals and paired significance, for all systems and groups at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault
from endophora.record import number_of
from endophora.signature import keyed
from endophora.statistics.comparison import Table, compare
from endophora.statistics.resampling import BEST, Resampling, TestName
from endophora.statistics.units import FloatArray, Kind, Units
from endophora.suites.records import Item
from endophora.suites.senses.items import domain_of, origin_of
from endophora.suites.senses.matching import MISSING, RIGHT, WRONG
from endophora.suites.senses.result import FigureName, GroupKind, SenseComparison, SenseCounts, SenseScore

RECALLS = ("A", "B")
TIES = ("wrong", "correct")


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True, kw_only=True)
class SenseOptions(Resampling):
    """What can be chosen when a word-sense suite is scored.

    Attributes:
        recall: ``A``: right ÷ (right + not found), as in the published tables; ``B``: right ÷ all, as the paper's §5
            defines it. Both are in the result; this one is shown, and F1 is of it.
        units: what is resampled: ``words`` (all sentences of an ambiguous word together) or ``segments``.
        examples: how many are kept of each word, right sense and sense taken for it; 0 for none at all.

    Raises: InputError: a value is none of those known, or out of range (E220; of statistics E075).
    """

    recall: str = "A"
    ties: str = "wrong"
    higher_is_better: bool = True
    baseline: str = BEST
    units: Kind = "words"
    examples: int = 2

    known_units: ClassVar[tuple[Kind, ...]] = ("words", "segments")
    known_tests: ClassVar[tuple[TestName, ...]] = ("approximate-randomisation",)
    least_resamples: ClassVar[int] = 0

    def faults(self) -> list[Fault]:
        """Return what is wrong with the options besides those of statistics."""
        faults = [
            Fault("E220", f"“{value}” is none of them", f"choose {' or '.join(known)}", option)
            for option, value, known in (("--recall", self.recall, RECALLS), ("--ties", self.ties, TIES))
            if value not in known
        ]
        if self.examples < 0:
            faults.append(Fault("E220", f"{self.examples} examples", "give 2, or 0 for none"))
        return faults


TRANSLATION: tuple[FigureName, ...] = (
    "precision",
    "recall_a",
    "recall_b",
    "f1_a",
    "f1_b",
    "coverage",
    "coverage_forms",
)
WEIGHTED: tuple[FigureName, ...] = (*TRANSLATION, "precision_weighted", "f1_weighted_a", "f1_weighted_b")
"""Where a suite knows how far its senses are from one another."""
SCORING: tuple[FigureName, ...] = ("accuracy",)

Group = tuple[GroupKind, str, npt.NDArray[np.intp]]
"""Kind, name, and the places of its items."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the items came out, each array (systems, items).

    Attributes:
        in_forms: whether a word was found before the lemmas were looked at.
        credits: 1 where it is right, 0 where nothing was found; a wrong sense has what it is short of the greatest
            distance from the right one, 1 (Raganato et al., 2020).
    """

    outcomes: npt.NDArray[np.intp]
    in_forms: npt.NDArray[np.bool_]
    credits: FloatArray

    def statistics(self, places: npt.NDArray[np.intp] | slice = slice(None)) -> FloatArray:
        """Return right, wrong, missing, found among the forms and credit, (systems, items, 5)."""
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


SCORES: dict[tuple[FigureName, ...], Callable[[FloatArray], FloatArray]] = {
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
    figures: tuple[FigureName, ...],
) -> list[SenseScore]:
    """Return all figures of all groups; those of single senses without intervals, since a sense is of one word only.

    Args:
        figures: :data:`TRANSLATION`, :data:`WEIGHTED` or :data:`SCORING`.
    """
    score = SCORES[figures]
    large = [group for group in groups if group[0] != "sense"]
    members = np.zeros((items.outcomes.shape[1], len(large)), dtype=np.bool_)
    for number, (_, _, places) in enumerate(large):
        members[places, number] = True
    table: Table[tuple[GroupKind, str, FigureName]] = Table(
        columns=[(kind, name, figure) for kind, name, _ in large for figure in figures],
        statistics=units.group_sums(items.statistics(), members),
        score=lambda sums: score(sums).reshape(*sums.shape[:-2], -1),
        units=units.apart(),
        families=[(kind, figure) for kind, _, _ in large for figure in figures],
        baseline=baseline,
    )
    (compared,) = compare([table], options)
    found = list[SenseScore]()
    for first in range(0, len(table.columns), len(figures)):
        for row, system in enumerate(systems):
            for place in range(first, first + len(figures)):
                kind, name, figure = table.columns[place]
                difference = compared.difference(row, place)
                comparison = None if difference is None else SenseComparison(**difference)
                found.append(
                    SenseScore(
                        kind=kind,
                        group=name,
                        system=system,
                        figure=figure,
                        comparison=comparison,
                        **compared.figure(row, place),
                    )
                )
    return found + [
        SenseScore(
            kind=kind,
            group=name,
            system=system,
            figure=figure,
            value=number_of(value),
            interval=None,
            comparison=None,
        )
        for kind, name, places in groups
        if kind == "sense"
        for system, values in zip(systems, score(items.statistics(places).sum(axis=1)), strict=True)
        for figure, value in zip(figures, values, strict=True)
    ]
