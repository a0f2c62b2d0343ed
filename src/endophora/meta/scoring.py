"""Scores of one metric, or of people, at all levels: from files, from statistics, from segments upward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import measure
from endophora.evaluation.result import Column
from endophora.evaluation.setup import Setup
from endophora.evaluation.tables import MetricTable
from endophora.meta.extraction import documents_of
from endophora.meta.layout import Documents
from endophora.meta.scores import Level, Scores, read_scores
from endophora.statistics.units import FloatArray, Score, choose_units, each_row, unit_scores

UPWARD: tuple[Level, ...] = ("seg", "doc", "sys")


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of one metric, or of people.

    Attributes:
        levels: level → scores; what a file does not give is the mean over segments.
    """

    name: str
    levels: Mapping[Level, Scores]
    means: frozenset[Level] = frozenset()
    signature: str = ""

    def negated(self) -> Scored:
        """Return the scores with their sign turned, for an error rate."""
        turned: dict[Level, Scores] = {
            level: Scores(level, scores.systems, -scores.values, scores.domains)
            for level, scores in self.levels.items()
        }
        return replace(self, levels=turned)


def read_scored(name: str, files: Mapping[Level, Path], documents: Documents | None) -> Scored:
    """Read a metric's files, and fill the levels above those that there are.

    Args:
        files: level → file; the domain level is left aside.
        documents: of the segments; without them there is no document level but from a file.

    Raises: InputError: a file is faulty, or does not fit the documents (E113).
    """
    levels: dict[Level, Scores] = {level: read_scores(files[level], level) for level in UPWARD if level in files}
    _check_sizes(levels, {level: str(file) for level, file in files.items()}, documents)
    return complete(Scored(name, levels), documents)


def complete(scored: Scored, documents: Documents | None) -> Scored:
    """Fill missing levels: a document's or system's score is the mean of its segments' scores, NaN left out.

    Without segment scores, a system's score is the mean over its documents.
    """
    levels, means = dict(scored.levels), set(scored.means)
    segments = levels.get("seg")
    if "doc" not in levels and segments is not None and documents is not None:
        levels["doc"] = Scores("doc", segments.systems, _grouped_means(segments.values, documents))
        means.add("doc")
    below = segments or levels.get("doc")
    if "sys" not in levels and below is not None:
        one = Documents(("",) * below.values.shape[1])
        levels["sys"] = Scores("sys", below.systems, _grouped_means(below.values, one))
        means.add("sys")
    return replace(scored, levels=levels, means=frozenset(means))


def scores_of_statistics(
    name: str, statistics: FloatArray, score: Score, systems: Sequence[str], documents: Documents, *, by_document: bool
) -> Scored:
    """Return a metric's own scores at all levels, from its sufficient statistics: no means, but its formula.

    Args:
        statistics: (systems, rows, columns).
        score: (…, columns) → (…).
        by_document: whether a row is a document's; then there are no segment scores.
    """
    levels: dict[Level, Scores] = {}
    names = tuple(systems)
    count = len(documents.names)
    if not by_document:
        levels["seg"] = Scores("seg", names, unit_scores(statistics, score, each_row(len(documents.ids), "segments")))
    units = each_row(count, "documents") if by_document or count < 2 else choose_units(documents.ids)
    per_document = (
        statistics if by_document else units.sums(statistics) if count > 1 else statistics.sum(1, keepdims=True)
    )
    levels["doc"] = Scores("doc", names, score(per_document))
    levels["sys"] = Scores("sys", names, score(statistics.sum(axis=1))[:, None])
    return Scored(name, levels)


def score_corpus(
    metrics: Sequence[str],
    corpus: Corpus,
    references: Sequence[str] | None = None,
    setup: Setup | None = None,
    *,
    halves: bool = False,
) -> list[Scored]:
    """Score all systems of a corpus with some metrics; a metric's categories are scores of their own.

    Where one metric is asked for with different arguments, its names have them behind: ``BlonDe (effective-order)``.

    Args:
        references: names of those to score against; all by default.
        setup: the tools, if not the default ones; of an annotating metric the annotator and the store.
        halves: whether recall and precision of a metric that is an F-measure are scores too, not those of categories.

    Raises:
        InputError: a metric is unknown (E090), or there is no reference (E107).
        MissingModelError: a tool is not installed.
    """
    chosen = corpus if references is None else replace(corpus, references=tuple(references))
    documents = documents_of(corpus)
    found = list(zip(metrics, measure(chosen, metrics, setup), strict=True))
    if halves:
        found = [(asked, part) for asked, measured in found for part in (measured, *_halves(measured))]
    names = [column.name for _, measured in found for column in measured.columns]
    scores: list[Scored] = []
    for asked, measured in found:
        for column, scored in scored_columns(measured, corpus.systems, documents):
            argument = asked.partition(":")[2]
            named = f"{column.name} ({argument})" if argument and names.count(column.name) > 1 else column.name
            scores.append(replace(scored if column.higher_is_better else scored.negated(), name=named))
    return scores


def scored_columns(measured: MetricTable, systems: Sequence[str], documents: Documents) -> list[tuple[Column, Scored]]:
    """Return each column with its scores at all levels, in the column's own direction."""
    found: list[tuple[Column, Scored]] = []
    for place, column in enumerate(measured.columns):
        scored = scores_of_statistics(
            column.name,
            measured.statistics,
            partial(_one, measured.score, place),
            systems,
            documents,
            by_document=measured.by_document,
        )
        found.append((column, replace(scored, signature=column.signature)))
    return found


def _halves(measured: MetricTable) -> list[MetricTable]:
    """Return recall and precision of the first column, nothing of what is no F-measure."""
    if measured.halves(measured.statistics.sum(axis=1)) is None:
        return []
    column = measured.columns[0]
    return [
        replace(
            measured,
            columns=(column.model_copy(update={"name": f"{column.name} {name}"}),),
            score=partial(_half, measured.halves, place),
        )
        for name, place in (("recall", 1), ("precision", 0))
    ]


def _half(
    halves: Callable[[FloatArray], tuple[FloatArray, FloatArray] | None], place: int, sums: FloatArray
) -> FloatArray:
    """Return precision (0) or recall (1) of the first column, (…, statistics) → (…, 1)."""
    both = halves(sums)
    return np.full((*sums.shape[:-1], 1), np.nan) if both is None else both[place][..., :1]


def _one(score: Score, place: int, sums: FloatArray) -> FloatArray:
    """Return one of the figures that a score yields, (…, statistics) → (…)."""
    return score(sums)[..., place]


def _grouped_means(values: FloatArray, documents: Documents) -> FloatArray:
    index = np.array(documents.index, dtype=np.intp)
    member = (index[:, None] == np.arange(len(documents.names))).astype(np.float64)
    there = (~np.isnan(values)).astype(np.float64)
    count: FloatArray = there @ member
    total: FloatArray = np.where(there > 0, values, 0.0) @ member
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


def _check_sizes(levels: Mapping[Level, Scores], files: Mapping[Level, str], documents: Documents | None) -> None:
    if documents is None:
        return
    wanted: dict[Level, int] = {"seg": len(documents.ids), "doc": len(documents.names)}
    faults = [
        Fault(
            "E113", f"{scores.values.shape[1]} scores a system, but {wanted[level]} in the documents", "", files[level]
        )
        for level, scores in levels.items()
        if level in wanted and scores.values.shape[1] != wanted[level]
    ]
    if faults:
        raise InputError(faults)
