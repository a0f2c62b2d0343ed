"""The result as CSV: one row a system and column; without systems, one row a count.

Correlations, human scores and agreement with them are rows of the same table, told apart by ``kind``.
"""

from __future__ import annotations

from collections.abc import Iterable

from endophora.evaluation.result import Comparison, Result, Score
from endophora.report import relations
from endophora.report.plain import bounds, csv_text

_SCORE = ("system", "column", "kind", "scale", "value", "low", "high", "precision", "recall")
_COMPARISON = (
    "baseline", "difference", "difference_low", "difference_high", "p_value", "p_adjusted", "significant",
)  # fmt: skip
_RELATION = ("against", "level", "coefficient", "pairs")
_COUNT = ("phenomenon", "what", "name", "count")


def render(result: Result) -> str:
    """Return the scores in the metrics' own scale, with intervals, counts and comparisons; empty cells are nulls.

    A row's ``kind`` is its column's (``phenomenon``, ``text``, ``category``), ``correlation`` of ``column`` with the
    column ``against``, ``human`` for what people gave a system, or ``agreement`` of ``column`` with the human scores
    that ``against`` names. The columns that only such rows fill are there only if there are such rows.

    A text that a spreadsheet would take for a formula gets an apostrophe in front of it.
    """
    return csv_text(_table(result))


def _table(result: Result) -> Iterable[Iterable[object]]:
    if not result.scores:
        return _counts(result)
    header, rows = _scores(result)
    related = list(_relations(result))
    if not related:
        return [header, *rows]
    header = (*header, *_RELATION)
    return [
        header,
        *((*row, *(None for _ in _RELATION)) for row in rows),
        *([row.get(name) for name in header] for row in related),
    ]


def _relations(result: Result) -> Iterable[dict[str, object]]:
    for one in result.correlations:
        yield {
            "kind": "correlation", "column": one.first, "against": one.second,
            "coefficient": "pearson", "value": one.pearson, "pairs": one.pairs,
        }  # fmt: skip
    if result.human is None:
        return
    for score in result.human.scores:
        yield {"kind": "human", "system": score.system, "column": result.human.name, "value": score.value}
    for one in result.human.agreements:
        low, high = bounds(one.interval)
        yield {
            "kind": "agreement", "column": one.column, "against": result.human.name, "level": one.level,
            "coefficient": one.coefficient, "value": one.value, "low": low, "high": high, "pairs": one.pairs,
        }  # fmt: skip


def _scores(result: Result) -> tuple[tuple[str, ...], Iterable[tuple[object, ...]]]:
    """Return the names of the columns, and the rows."""
    counted = list(dict.fromkeys(name for score in result.scores for name in score.counts))
    return (*_SCORE, *counted, *_COMPARISON), _score_rows(result, counted)


def _score_rows(result: Result, counted: list[str]) -> Iterable[tuple[object, ...]]:
    compared = {(comparison.column, comparison.system): comparison for comparison in result.comparisons}
    found = {(score.system, score.column): score for score in result.scores}
    for system in result.corpus.systems:
        for column in relations.ordered(result):
            score = found.get((system, column.name))
            if score is None:
                continue
            yield (
                *(system, column.name, column.kind, column.scale),
                *_figures(score),
                *(score.counts.get(name) for name in counted),
                *_compared(compared.get((column.name, system))),
            )


def _figures(score: Score) -> tuple[object, ...]:
    return (score.value, *bounds(score.interval), score.precision, score.recall)


def _compared(comparison: Comparison | None) -> tuple[object, ...]:
    if comparison is None:
        return (None,) * len(_COMPARISON)
    return (
        *(comparison.baseline, comparison.difference, *bounds(comparison.interval)),
        *(comparison.p_value, comparison.p_adjusted, comparison.significant),
    )


def _counts(result: Result) -> Iterable[Iterable[object]]:
    yield _COUNT
    for phenomenon in result.phenomena:
        yield phenomenon.name, "reference", "occurrences", phenomenon.occurrences
        yield phenomenon.name, "reference", "words", phenomenon.words
        yield from ((phenomenon.name, "rule", *item) for item in phenomenon.rules.items())
        yield from ((phenomenon.name, "distance", *item) for item in sorted(phenomenon.distances.items()))
