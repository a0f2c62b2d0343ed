"""From outcomes of items to figures: accuracy of groups, intervals, comparisons of context sizes and of models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from endophora.context.context_read import CONTEXTS, read_sides
from endophora.context.results import ContrastComparison, ContrastScore, ItemGroupKind
from endophora.errors import Fault
from endophora.models.records import Sides
from endophora.options import option
from endophora.record import number_of
from endophora.signature import keyed
from endophora.statistics.comparison import Compared, Table, compare, percentage
from endophora.statistics.resampling import Resampling, TestName
from endophora.statistics.units import FEWEST_DOCUMENTS, FloatArray, Units, choose_units, each_row
from endophora.suites.records import Item
from endophora.suites.scoring import Groups, group_items

TIES = ("wrong", "correct")
SIZES = (0, 1, 2, 3, 4, 5)


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastOptions(Resampling):
    """Context sizes, scores and statistics.

    Attributes:
        sizes: how many segments of context models are given; the least is the one that others are compared with.
        sides: on which sides context is given.
        normalised: divide log-probabilities by the translation's tokens, its end included; ContraPro takes them whole.
        ties: what a tie counts as, ``wrong`` or ``correct``.
        baseline: name of the model that others are compared with; the first by default.

    Raises:
        InputError: a value is none of those known, or out of range (E326; of statistics E075); all at once.
    """

    sizes: tuple[int, ...] = SIZES
    sides: Sides = option(
        Sides.BOTH, metavar="NAME", help="Where context is given: source, target or both.", read=read_sides
    )
    normalised: bool = option(False, help="Divide log-probabilities by the translation's tokens.")
    ties: str = option("wrong", metavar="NAME", help="What a tie is: wrong or correct.")
    baseline: str = option("", metavar="NAME", help="Model to compare with. [default: the first]")

    known_tests: ClassVar[tuple[TestName, ...]] = ("approximate-randomisation",)

    def faults(self) -> list[Fault]:
        """Return what is wrong with context sizes, sides and ties (E326)."""
        faults = [*self.unknown("ties", TIES, "E326"), *self.unknown("sides", CONTEXTS, "E326")]
        if not self.sizes or min(self.sizes) < 0 or len(set(self.sizes)) < len(self.sizes):
            advice = "give numbers from 0, each once: --size 0 --size 5"
            faults.append(Fault("E326", f"{list(self.sizes)} are no sizes of context", advice, "--size"))
        return faults


Outcomes = npt.NDArray[np.bool_]
_Pair = tuple[Literal["context", "model"], int, int]
"""What two runs differ in, and their indices: the run, and the one it is compared with."""


@dataclass(frozen=True, slots=True)
class Run:
    """A model with so much context."""

    model: str
    size: int


def contrast_groups(items: Sequence[Item]) -> Groups[ItemGroupKind]:
    """Return the groups of items: all, phenomenon, rule, form, distance of the antecedent.

    A form is the expected one in lower case. Where rules separate items just as forms do, rules are left out.
    """
    found = group_items(items)
    kinds: tuple[ItemGroupKind, ...] = ("all", "phenomenon", "rule", "form", "distance")
    columns = {kind: dict[str, Outcomes]() for kind in kinds}
    for (kind, name), column in zip(found.names, found.members.T, strict=True):
        if kind != "metric":
            columns[kind][name] = column
    forms = [item.expected[0].lower() if item.expected else "" for item in items]
    if len(set(forms)) > 1:
        columns["form"] = {form: np.array([other == form for other in forms]) for form in sorted(set(forms))}
    if len(columns["phenomenon"]) < 2:
        columns["phenomenon"] = {}
    rules, of_forms = ({one.tobytes() for one in columns[kind].values()} for kind in ("rule", "form"))
    if rules == of_forms:
        columns["rule"] = {}
    names: list[tuple[ItemGroupKind, str]] = [(kind, name) for kind in kinds for name in columns[kind]]
    return Groups(tuple(names), np.stack([columns[kind][name] for kind, name in names], axis=1))


def compute_contrast(
    items: Sequence[Item], runs: Sequence[Run], outcomes: Outcomes, options: ContrastOptions, kept: Outcomes
) -> tuple[list[ContrastScore], list[ContrastComparison], tuple[str, ...]]:
    """Return accuracies and comparisons of runs, and what the statistics want the user to know.

    Each model's runs are compared with its run of the least size, and at each size every model with the baseline, by
    paired approximate randomisation over the documents. p-values are corrected by Holm's method over all comparisons of
    the same sort in groups of the same kind. ``outcomes`` and ``kept``, (runs, items), are true where the right
    translation is scored best, and where the model read any context.
    """
    groups = contrast_groups(items)
    units = choose_units([item.document for item in items], options.units)
    everything = np.ones_like(kept)
    least = [_least(runs, run.model) for run in runs]
    sums, kept_sums, least_sums = (
        _sums(right, counted, groups, units)
        for right, counted in ((outcomes, everything), (outcomes, kept), (outcomes[least], kept))
    )
    rows, pairs = each_row(units.count, units.kind), list(_pairs(runs, options))
    # An accuracy on items of few documents has an interval that looks like certainty.
    enough = (kept_sums[..., 1] > 0).sum(axis=1) >= FEWEST_DOCUMENTS

    def table(statistics: FloatArray, **more: Any) -> Table[tuple[ItemGroupKind, str]]:
        return Table(columns=groups.names, statistics=statistics, score=percentage, units=rows, **more)

    paired = [
        table(sums[[other, run]], baseline=0, families=[(of, kind) for kind, _ in groups.names])
        for of, run, other in pairs
    ]
    whole, of_kept, *compared = compare([table(sums), table(kept_sums, enough=enough), *paired], options)
    totals, kept_totals = sums.sum(axis=1), kept_sums.sum(axis=1)
    least_values = percentage(least_sums.sum(axis=1))
    scores = [
        ContrastScore(
            model=run.model,
            size=run.size,
            kind=kind,
            group=group,
            **whole.figure(index, column),
            correct=int(totals[index, column, 0]),
            counted=int(totals[index, column, 1]),
            kept_value=of_kept.figure(index, column)["value"],
            kept_interval=of_kept.figure(index, column)["interval"],
            kept_least=number_of(least_values[index, column]),
            kept_correct=int(kept_totals[index, column, 0]),
            kept_counted=int(kept_totals[index, column, 1]),
        )
        for column, (kind, group) in enumerate(groups.names)
        for index, run in enumerate(runs)
    ]
    comparisons = [
        found
        for pair, one in zip(pairs, compared, strict=True)
        for found in _compared(pair, one, runs, outcomes, groups)
    ]
    return scores, comparisons, units.warnings


def _least(runs: Sequence[Run], model: str) -> int:
    """Return the index of a model's run that its others are compared with: that with the least context."""
    return min((index for index, run in enumerate(runs) if run.model == model), key=lambda index: runs[index].size)


def _sums(outcomes: Outcomes, counted: Outcomes, groups: Groups[ItemGroupKind], units: Units) -> FloatArray:
    """Return right and counted items of each run, unit and group, (runs, units, groups, 2)."""
    statistics = np.stack([outcomes & counted, counted], axis=-1).astype(np.float64)
    return units.group_sums(statistics, groups.members)


def _pairs(runs: Sequence[Run], options: ContrastOptions) -> Iterator[_Pair]:
    """Yield what is compared: sizes of each model, then models at each size."""
    index = {run: number for number, run in enumerate(runs)}
    first = {run.model: _least(runs, run.model) for run in runs}
    baseline = options.baseline or runs[0].model
    for number, run in enumerate(runs):
        if number != first[run.model]:
            yield "context", number, first[run.model]
    for number, run in enumerate(runs):
        if run.model != baseline and Run(baseline, run.size) in index:
            yield "model", number, index[Run(baseline, run.size)]


def _compared(
    pair: _Pair,
    found: Compared[tuple[ItemGroupKind, str]],
    runs: Sequence[Run],
    outcomes: Outcomes,
    groups: Groups[ItemGroupKind],
) -> Iterator[ContrastComparison]:
    """Yield the comparison of two runs in each group."""
    of, this, other = pair
    gained, lost = outcomes[this] & ~outcomes[other], outcomes[other] & ~outcomes[this]
    for column, (kind, group) in enumerate(groups.names):
        if difference := found.difference(1, column):
            yield ContrastComparison(
                of=of,
                kind=kind,
                group=group,
                model=runs[this].model,
                size=runs[this].size,
                other_model=runs[other].model,
                other_size=runs[other].size,
                gained=int(gained[groups.members[:, column]].sum()),
                lost=int(lost[groups.members[:, column]].sum()),
                **difference,
            )
