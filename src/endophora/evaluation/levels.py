"""Scores of a metric, or of people, at the levels segment, document and system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from endophora.corpus.records import Corpus
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Column
from endophora.statistics.units import FloatArray, Score, choose_units, each_row, unit_scores

Level: TypeAlias = Literal["seg", "doc", "domain", "sys"]


@dataclass(frozen=True, slots=True)
class Documents:
    """Which document, and which domain, each segment of a test set is of.

    Attributes:
        ids: for each segment its document's id; a document is a run of equal ids.
        domains: for each segment its domain; empty if nobody says.
    """

    ids: tuple[str, ...]
    domains: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The documents' ids, in order."""
        return tuple(dict.fromkeys(self.ids))

    @property
    def index(self) -> list[int]:
        """For each segment the index of its document."""
        number = {name: index for index, name in enumerate(self.names)}
        return [number[name] for name in self.ids]

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
    """Scores of one metric, or of people, at all levels that there are.

    Attributes:
        means: the levels whose scores are means of those below.
    """

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
            levels["doc"] = Scores("doc", segments.systems, _means(segments.values, documents))
            means.add("doc")
        below = segments or levels.get("doc")
        if "sys" not in levels and below is not None:
            one = Documents(("",) * below.values.shape[1])
            levels["sys"] = Scores("sys", below.systems, _means(below.values, one))
            means.add("sys")
        return replace(self, levels=levels, means=frozenset(means))


def _means(values: FloatArray, documents: Documents) -> FloatArray:
    member = (np.array(documents.index)[:, None] == np.arange(len(documents.names))).astype(np.float64)
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
    count = len(documents.names)
    values: dict[Level, FloatArray] = {}
    if not by_document:
        values["seg"] = unit_scores(statistics, score, each_row(len(documents.ids), "segments"))
    if by_document:
        values["doc"] = score(statistics)
    elif count > 1:
        values["doc"] = score(choose_units(documents.ids).sums(statistics))
    else:
        values["doc"] = score(statistics.sum(axis=1, keepdims=True))
    values["sys"] = score(statistics.sum(axis=1))[:, None]
    return [
        ScoreSet(name, {level: Scores(level, tuple(systems), each[..., place]) for level, each in values.items()})
        for place, name in enumerate(names)
    ]


def column_scores(table: MetricTable, systems: Sequence[str], documents: Documents) -> list[tuple[Column, ScoreSet]]:
    """Return each column with its scores at all levels, in the column's own direction."""
    found = scores_of_statistics(
        [column.name for column in table.columns],
        table.statistics,
        table.score,
        systems,
        documents,
        by_document=table.by_document,
    )
    return [
        (column, replace(each, signature=column.signature)) for column, each in zip(table.columns, found, strict=True)
    ]
