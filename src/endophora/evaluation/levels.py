"""Scores of a metric, or of people, at the levels segment, document and system, and how the two agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from endophora.corpus.records import Corpus
from endophora.evaluation.figures import FEWEST, MetricTable
from endophora.evaluation.result import Agreement, Column, Human, HumanScore
from endophora.record import interval_of, number_of
from endophora.statistics.correlation import correlate
from endophora.statistics.resampling import Bootstrapping
from endophora.statistics.units import FloatArray, Score, choose_units, each_row, unit_scores

Level: TypeAlias = Literal["seg", "doc", "domain", "sys"]

LEVELS: Mapping[Level, Literal["segment", "document", "system"]] = {
    "seg": "segment",
    "doc": "document",
    "sys": "system",
}
COEFFICIENTS: tuple[Literal["pearson", "spearman", "kendall"], ...] = ("pearson", "spearman", "kendall")

RANKED = 1 << 14
"""With more scores Kendall's τ has no interval: a resample looks at all pairs."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Which document each segment of a test set is of, and which domain, if anybody says; a document's ids follow."""

    ids: tuple[str, ...]
    domains: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The documents' ids, in order."""
        return tuple(dict.fromkeys(self.ids))

    def blocks(self, size: int) -> Documents:
        """Return documents cut into blocks of ``size`` segments; the last of each may be shorter.

        People judge long documents block by block, five sentences at a time in BlonDe's study (Appendix D).
        """
        seen: dict[str, int] = {}
        ids: list[str] = []
        for name in self.ids:
            seen[name] = seen.get(name, -1) + 1
            ids.append(f"{name}#{seen[name] // size + 1}")
        return Documents(tuple(ids), self.domains)


def documents_of(corpus: Corpus) -> Documents:
    """Return which document each segment of a corpus is of."""
    return Documents(tuple(document.id for document in corpus.documents for _ in document.segments))


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of one level.

    Attributes:
        values: (systems, items), NaN where missing; one item at system level.
        domains: at domain level the name of each item, else empty.
    """

    level: Level
    systems: tuple[str, ...]
    values: FloatArray
    domains: tuple[str, ...] = ()

    def of(self, systems: Sequence[str]) -> FloatArray:
        """Return the scores of these systems, in this order, NaN for one that is not there."""
        rows = dict(zip(self.systems, self.values, strict=True))
        missing = np.full(self.values.shape[1], np.nan)
        return np.array([rows.get(name, missing) for name in systems]).reshape(len(systems), self.values.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSet:
    """Scores of one metric, or of people, at all levels that there are; ``means`` are those of means of lower ones."""

    name: str
    levels: Mapping[Level, Scores]
    means: frozenset[Level] = frozenset()
    signature: str = ""

    def negated(self) -> ScoreSet:
        """Return the scores with their sign turned, for an error rate."""
        levels = {level: replace(scores, values=-scores.values) for level, scores in self.levels.items()}
        return replace(self, levels=levels)

    def complete(self, documents: Documents | None) -> ScoreSet:
        """Return these scores with the levels above filled: means over segments, NaN left out.

        Without segment scores, a system's score is the mean over its documents.
        """
        levels, means = dict(self.levels), set(self.means)
        segments = levels.get("seg")
        if "doc" not in levels and segments is not None and documents is not None:
            levels["doc"] = Scores("doc", segments.systems, _means(segments.values, documents.ids))
            means.add("doc")
        below = segments or levels.get("doc")
        if "sys" not in levels and below is not None:
            levels["sys"] = Scores("sys", below.systems, _means(below.values, ("",) * below.values.shape[1]))
            means.add("sys")
        return replace(self, levels=levels, means=frozenset(means))


def _means(values: FloatArray, ids: Sequence[str]) -> FloatArray:
    number = {name: index for index, name in enumerate(dict.fromkeys(ids))}
    member = (np.array([number[name] for name in ids])[:, None] == np.arange(len(number))).astype(np.float64)
    there = (~np.isnan(values)).astype(np.float64)
    count: FloatArray = there @ member
    total: FloatArray = np.where(there > 0, values, 0.0) @ member
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


def scores_of_statistics(
    names: Sequence[str],
    statistics: FloatArray,
    score: Score,
    systems: Sequence[str],
    documents: Documents,
    *,
    by_document: bool = False,
) -> list[ScoreSet]:
    """Return each column's scores at all levels, from sufficient statistics: no means, but the metric's formula.

    Args:
        statistics: (systems, rows, …, statistics).
        score: (…, statistics) → (…, columns).
        by_document: whether a row is a document's; then there are no segment scores.
    """
    values: dict[Level, FloatArray] = {}
    if by_document:
        values["doc"] = score(statistics)
    else:
        values["seg"] = unit_scores(statistics, score, each_row(len(documents.ids), "segments"))
        many = len(documents.names) > 1
        whole = choose_units(documents.ids).sums(statistics) if many else statistics.sum(axis=1, keepdims=True)
        values["doc"] = score(whole)
    values["sys"] = score(statistics.sum(axis=1))[:, None]
    return [
        ScoreSet(name, {level: Scores(level, tuple(systems), each[..., place]) for level, each in values.items()})
        for place, name in enumerate(names)
    ]


def column_scores(table: MetricTable, systems: Sequence[str], documents: Documents) -> list[tuple[Column, ScoreSet]]:
    """Return each column with its scores at all levels, in the column's own direction."""
    names = [column.name for column in table.columns]
    found = scores_of_statistics(
        names, table.statistics, table.score, systems, documents, by_document=table.by_document
    )
    return [
        (column, replace(each, signature=column.signature)) for column, each in zip(table.columns, found, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class HumanScores:
    """Human scores of a corpus, in its order of systems and segments; higher is better, NaN is not judged."""

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
    levels = human.scores.levels
    whole = levels["sys"].of(systems)[:, 0] if "sys" in levels else np.full(len(systems), np.nan)
    blank = np.full((len(systems), len(human.documents.names)), np.nan)
    documents = levels["doc"].of(systems) if "doc" in levels else blank
    return Human(
        name=human.scores.name,
        higher_is_better=True,
        scores=[
            HumanScore(system=system, value=number_of(value), documents=[number_of(one) for one in row])
            for system, value, row in zip(systems, whole, documents, strict=True)
        ],
        agreements=[
            agreement
            for level in LEVELS
            if level in levels and (there := [pair for pair in scored if level in pair[1].levels])
            for agreement in _at_level(level, there, systems, human, options)
        ],
    )


def ranking(human: Human) -> list[str]:
    """Return the systems that people scored, from the worst to the best."""
    valued = [(one.value, one.system) for one in human.scores if one.value is not None]
    return [system for _, system in sorted(valued, key=lambda pair: pair[0])]


def _at_level(
    level: Level,
    scored: Sequence[tuple[Column, ScoreSet]],
    systems: Sequence[str],
    human: HumanScores,
    options: Bootstrapping,
) -> list[Agreement]:
    people = human.scores.levels[level].of(systems)
    metrics = np.stack([one.levels[level].of(systems) for _, one in scored])
    units = None
    if level == "doc":
        units = each_row(len(human.documents.names), "documents")
    elif level == "seg":
        units = choose_units(human.documents.ids, options.units)
    made: list[Agreement] = []
    for coefficient in COEFFICIENTS:
        slow = coefficient == "kendall" and people.size > RANKED
        found = correlate(
            metrics,
            people,
            coefficient=coefficient,
            units=units,
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
