"""Human scores in an evaluation, and how its columns agree with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from endophora.evaluation.figures import MetricTable
from endophora.evaluation.levels import Documents, Level, ScoreSet, column_scores
from endophora.evaluation.result import Agreement, Column, Human, HumanScore
from endophora.record import interval_of, number_of
from endophora.statistics.correlation import correlate
from endophora.statistics.resampling import Bootstrapping
from endophora.statistics.units import Units, choose_units, each_row

LEVELS: Mapping[Level, Literal["segment", "document", "system"]] = {
    "seg": "segment",
    "doc": "document",
    "sys": "system",
}
COEFFICIENTS: tuple[Literal["pearson", "spearman", "kendall"], ...] = ("pearson", "spearman", "kendall")

FEWEST = 3
"""Two pairs of scores always correlate by 1 or −1."""
RANKED = 1 << 14
"""With more scores Kendall's τ has no interval: a resample looks at all pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class HumanScores:
    """Human scores of a corpus; higher is better.

    Attributes:
        scores: of the corpus's systems and segments, in its order; NaN where people judged nothing.
        origin: how the scores came about, for the signature.
    """

    scores: ScoreSet
    documents: Documents
    origin: str
    warnings: tuple[str, ...]

    @property
    def signature(self) -> str:
        """Their name and how they came about."""
        return f"{self.scores.name}|{self.origin}" if self.origin else self.scores.name


def agree(human: HumanScores, tables: Sequence[MetricTable], systems: Sequence[str], options: Bootstrapping) -> Human:
    """Return human scores as a record of the result, and how every column agrees with them.

    Columns are taken in their own direction: an error rate that agrees has negative coefficients. Intervals are as
    those of :func:`~endophora.meta.evaluate.meta_evaluate`: below system level documents are drawn (or segments, as the
    options say), at system level systems.
    """
    scored = [pair for table in tables for pair in column_scores(table, systems, human.documents)]
    agreements = [
        agreement
        for level in LEVELS
        if level in human.scores.levels
        for agreement in _at_level(level, [pair for pair in scored if level in pair[1].levels], systems, human, options)
    ]
    return Human(
        name=human.scores.name, higher_is_better=True, scores=_human_scores(human, systems), agreements=agreements
    )


def ranking(human: Human) -> list[str]:
    """Return the systems that people scored, from the worst to the best."""
    valued = [(one.value, one.system) for one in human.scores if one.value is not None]
    return [system for _, system in sorted(valued, key=lambda pair: pair[0])]


def _human_scores(human: HumanScores, systems: Sequence[str]) -> list[HumanScore]:
    levels = human.scores.levels
    whole = levels["sys"].of(systems)[:, 0] if "sys" in levels else np.full(len(systems), np.nan)
    blank = np.full((len(systems), len(human.documents.names)), np.nan)
    documents = levels["doc"].of(systems) if "doc" in levels else blank
    return [
        HumanScore(system=system, value=number_of(value), documents=[number_of(one) for one in row])
        for system, value, row in zip(systems, whole, documents, strict=True)
    ]


def _at_level(
    level: Level,
    scored: Sequence[tuple[Column, ScoreSet]],
    systems: Sequence[str],
    human: HumanScores,
    options: Bootstrapping,
) -> list[Agreement]:
    if not scored:
        return []
    people = human.scores.levels[level].of(systems)
    metrics = np.stack([one.levels[level].of(systems) for _, one in scored])
    made: list[Agreement] = []
    for coefficient in COEFFICIENTS:
        slow = coefficient == "kendall" and people.size > RANKED
        found = correlate(
            metrics,
            people,
            coefficient=coefficient,
            units=_units(level, human.documents, options),
            drawn="systems" if level == "sys" else "items",
            resamples=0 if slow else options.resamples,
            confidence=options.confidence,
            seed=options.seed,
        )
        for index, (column, _) in enumerate(scored):
            enough = found.counts[index] >= FEWEST
            made.append(
                Agreement(
                    column=column.name,
                    level=LEVELS[level],
                    coefficient=coefficient,
                    value=number_of(found.values[index]) if enough else None,
                    interval=interval_of(found.low[index], found.high[index]) if enough else None,
                    pairs=int(found.counts[index]),
                )
            )
    return made


def _units(level: Level, documents: Documents, options: Bootstrapping) -> Units | None:
    if level == "sys":
        return None
    if level == "doc":
        return each_row(len(documents.names), "documents")
    return choose_units(documents.ids, options.units)
