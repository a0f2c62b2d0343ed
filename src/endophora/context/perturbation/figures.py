"""From translations and likelihoods to figures: scores, intervals, differences with significance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from endophora.context.perturbation.conditions import CORRECT, NONE, Kind, PerturbationOptions, Tried
from endophora.context.results import PerturbationColumn, PerturbationDifference, PerturbationScore
from endophora.corpus.records import Corpus
from endophora.metrics import load_metric, reads_annotations
from endophora.statistics.comparison import Compared, Table, compare, in_a_column, quotient
from endophora.statistics.units import FEWEST_DOCUMENTS, BoolArray, FloatArray, Units, choose_units, each_row

CXMI = "CXMI"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ColumnTable(Table[PerturbationColumn]):
    """One column of one model: its systems are conditions, compared with the correct context."""

    conditions: tuple[str, ...]
    kept: BoolArray | None = None
    """Whether the model read any of the correct context, (rows,); ``None`` where rows are documents."""
    judged: tuple[int, ...] | None = None
    """How many occurrences, or words of the reference, each condition's figure is of; ``None`` except for phenomena."""

    @property
    def column(self) -> PerturbationColumn:
        """What is measured."""
        return self.columns[0]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The differences to be made, of two conditions each: to none also of gold; in CXMI, of each condition."""
        others = [name for name in self.conditions if name != CORRECT.name]
        if self.column.kind != "cxmi":
            gold = [(Kind.GOLD.value, NONE.name)] * self.has_gold
            return [*((CORRECT.name, other) for other in others), *gold]
        with_context = [name for name in self.conditions if name != NONE.name]
        against_none = [(name, NONE.name) for name in with_context]
        return against_none + [(CORRECT.name, other) for other in others if other != NONE.name]

    @property
    def has_gold(self) -> bool:
        """Whether gold context can be compared with none, as MuDA's Table 5 does."""
        return {Kind.GOLD.value, NONE.name} <= set(self.conditions)

    def against_none(self) -> ColumnTable:
        """Return the same compared with no context; that of the correct one is in the other table."""
        cxmi = self.column.kind == "cxmi"
        # Where the baseline has not enough, nothing is compared with it: it stands among these too.
        own = (Kind.GOLD.value, NONE.name)
        tested = np.array([name != CORRECT.name if cxmi else name in own for name in self.conditions])
        enough = tested[:, None] if self.enough is None else tested[:, None] & self.enough
        return replace(self, baseline=self.conditions.index(NONE.name), enough=enough)

    def over(self, kept: BoolArray) -> ColumnTable:
        """Return the same over some rows, with intervals where these are in enough units."""
        enough = (self.units.sums(kept[None, :, None].astype(np.float64)) > 0).sum() >= FEWEST_DOCUMENTS
        statistics = np.where(kept.reshape(-1, *(1,) * (self.statistics.ndim - 2)), self.statistics, 0.0)
        asked = np.array([enough]) if self.enough is None else self.enough & enough
        return replace(self, statistics=statistics, baseline=None, enough=asked)


def measure(tried: Mapping[str, Tried], corpus: Corpus, options: PerturbationOptions) -> list[ColumnTable]:
    """Return the columns of one model: its metrics, then CXMI where likelihoods are there."""
    translated = {name: one for name, one in tried.items() if one.translations}
    plain = [name for name in options.metrics if not reads_annotations(name)]
    found = [_metric(name, translated, corpus, options) for name in plain]
    if all(one.likelihoods for one in tried.values()):
        found.append(_cxmi(tried, _documents(corpus), options))
    return found


def _documents(corpus: Corpus) -> list[int]:
    """Return the number of each segment's document."""
    return [number for number, document in enumerate(corpus.documents) for _ in document.segments]


def compute_figures(
    measured: Mapping[str, Sequence[ColumnTable]], options: PerturbationOptions
) -> tuple[list[PerturbationScore], list[PerturbationDifference], list[str]]:
    """Return scores and differences of all models, and what the statistics want the user to know.

    p-values are corrected by Holm's method over all models, columns and pairs of conditions: those of metrics together,
    those of phenomena, and those of CXMI.
    """
    tables = {(model, one.column.name): one for model, columns in measured.items() for one in columns}
    without = {key: one.against_none() for key, one in tables.items() if one.column.kind == "cxmi" or one.has_gold}
    kept = {key: one.over(one.kept) for key, one in tables.items() if one.kept is not None and one.kept.any()}
    found = iter(compare([*tables.values(), *without.values(), *kept.values()], options))
    main, against_none, of_kept = (dict(zip(keys, found, strict=False)) for keys in (tables, without, kept))
    return (
        [score for key, one in tables.items() for score in _scores(key[0], one, main[key], of_kept.get(key))],
        [
            difference
            for key, one in tables.items()
            for difference in _differences(key[0], one, main[key], against_none.get(key))
        ],
        list(dict.fromkeys(line for one in tables.values() for line in one.units.warnings)),
    )


def _metric(name: str, tried: Mapping[str, Tried], corpus: Corpus, options: PerturbationOptions) -> ColumnTable:
    metric = load_metric(name, corpus.target_language)
    segments = [segment for document in corpus.documents for segment in document.segments]
    sources, documents = [segment.source for segment in segments], _documents(corpus)
    references = [[segment.references[name] for segment in segments] for name in corpus.references]
    statistics = [
        metric.statistics([one.text for one in each.translations], references, documents, sources)
        for each in tried.values()
    ]
    column = PerturbationColumn(
        name=metric.name,
        kind="metric",
        scale=metric.maximum,
        higher_is_better=metric.higher_is_better,
        signature=metric.signature(references=len(references)),
    )
    if metric.level == "document":
        units, kept = each_row(len(corpus.documents), "documents"), None
    else:
        units = choose_units(documents, options.units)
        kept = np.array([one.kept > 0 for one in tried[CORRECT.name].contexts], dtype=np.bool_)
    return _table(column, tried, np.stack(statistics), units, score=in_a_column(metric.score), kept=kept)


def _cxmi(tried: Mapping[str, Tried], documents: Sequence[int], options: PerturbationOptions) -> ColumnTable:
    totals = np.array([[one.total for one in each.likelihoods] for each in tried.values()])
    gained = totals - totals[list(tried).index(NONE.name)]
    if options.cxmi == "normalised":
        gained /= np.array([one.tokens for one in tried[NONE.name].likelihoods])
    column = PerturbationColumn(
        name=CXMI,
        kind="cxmi",
        scale=1.0,
        higher_is_better=True,
        signature=f"cxmi:{options.cxmi}|log:natural|mean:sentences",
    )
    kept = np.array([one.kept > 0 for one in tried[CORRECT.name].scored_contexts], dtype=np.bool_)
    statistics = np.stack((gained, np.ones_like(gained)), axis=-1)
    units = choose_units(documents, options.units)
    return _table(column, tried, statistics, units, score=in_a_column(quotient), kept=kept)


def _table(
    column: PerturbationColumn, tried: Mapping[str, Tried], statistics: FloatArray, units: Units, **more: Any
) -> ColumnTable:
    return ColumnTable(
        columns=[column],
        statistics=statistics,
        units=units,
        families=[column.kind],
        baseline=list(tried).index(CORRECT.name),
        conditions=tuple(tried),
        **more,
    )


def _scores(
    model: str, one: ColumnTable, found: Compared[PerturbationColumn], of_kept: Compared[PerturbationColumn] | None
) -> Iterator[PerturbationScore]:
    for index, name in enumerate(one.conditions):
        # Without context CXMI is nothing by definition.
        if one.column.kind != "cxmi" or name != NONE.name:
            kept = of_kept.figure(index, 0) if of_kept else {"value": None, "interval": None}
            yield PerturbationScore(
                model=model,
                condition=name,
                column=one.column.name,
                **found.figure(index, 0),
                judged=None if one.judged is None else one.judged[index],
                kept=0 if one.kept is None else int(one.kept.sum()),
                kept_value=kept["value"],
                kept_interval=kept["interval"],
            )


def _differences(
    model: str, one: ColumnTable, found: Compared[PerturbationColumn], against_none: Compared[PerturbationColumn] | None
) -> Iterator[PerturbationDifference]:
    for first, second in one.pairs:
        if first != CORRECT.name and against_none:
            difference = against_none.difference(one.conditions.index(first), 0)
        else:
            difference = found.difference(one.conditions.index(second), 0, turned=True)
        if difference:
            yield PerturbationDifference(model=model, column=one.column.name, first=first, second=second, **difference)
