"""The columns of ``evaluate`` for what a model wrote under each condition: its conditions are the systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from endophora.context.perturbation.conditions import CORRECT, Tried
from endophora.context.perturbation.figures import ColumnTable
from endophora.context.results import PerturbationColumn
from endophora.corpus.records import Corpus
from endophora.evaluation.columns import measure_columns
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Column
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.metrics.records import FloatArray
from endophora.signature import keyed
from endophora.statistics.units import BoolArray


@keyed(irrelevant={"workers": "how fast it goes, not what is found"})
@dataclass(frozen=True, slots=True)
class Judging:
    """With what translations are judged on the words that need context: tools, and how figures are made of them."""

    setup: Setup
    options: EvaluationOptions
    workers: int = 1


def judged_columns(
    tried: Mapping[str, Tried], corpus: Corpus, judging: Judging, metrics: tuple[str, ...]
) -> list[ColumnTable]:
    """Return a column for each metric of annotated text and each phenomenon, over a model's conditions."""
    translated = {name: one for name, one in tried.items() if one.translations}
    texts = zip(*([made.text for made in one.translations] for one in translated.values()), strict=True)
    documents = tuple(
        replace(
            document,
            segments=tuple(
                replace(one, outputs=dict(zip(translated, next(texts), strict=True))) for one in document.segments
            ),
        )
        for document in corpus.documents
    )
    outputs = replace(corpus, documents=documents, systems=tuple(translated))
    options = replace(judging.options, metrics=metrics)
    tables = measure_columns(outputs, judging.setup, options, judging.workers)
    kept = np.array([one.kept > 0 for one in tried[CORRECT.name].contexts], dtype=np.bool_)
    return [
        _column(table, place, column, tuple(translated), None if table.by_document else kept)
        for table in tables
        for place, column in enumerate(table.columns)
        if column.kind != "category"
    ]


def _column(
    table: MetricTable, place: int, column: Column, conditions: tuple[str, ...], kept: BoolArray | None
) -> ColumnTable:
    """Return one column of a table of ``evaluate`` as a table by itself."""
    phenomenon = column.kind == "phenomenon"
    # The statistics of phenomena are those of each column; those of a metric and its parts are the same.
    statistics = table.statistics[:, :, place : place + 1] if phenomenon else table.statistics
    judged = None
    if phenomenon:
        # Of word F the second count is of words of the reference; of judgments all four are of judged occurrences.
        counted = statistics[:, :, 0, 1:2] if column.occurrences is None else statistics[:, :, 0]
        judged = tuple(int(one) for one in counted.sum(axis=(1, 2)))
    made = PerturbationColumn(
        name=column.name,
        kind="phenomenon" if phenomenon else "metric",
        scale=column.scale,
        higher_is_better=column.higher_is_better,
        signature=column.signature,
        occurrences=None if judged is None else max(judged),
    )
    return ColumnTable(
        columns=[made],
        statistics=statistics,
        score=table.score if phenomenon else partial(_one_of, table, place),
        units=table.units,
        families=[made.kind],
        baseline=conditions.index(CORRECT.name),
        enough=None if table.enough is None else table.enough[:, place : place + 1],
        conditions=conditions,
        kept=kept,
        judged=judged,
    )


def _one_of(table: MetricTable, place: int, sums: FloatArray) -> FloatArray:
    """Return the scores of one column, (…, statistics) → (…, 1)."""
    return table.score(sums)[..., place : place + 1]
