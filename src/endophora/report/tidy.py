"""The result as CSV: one row a system and column; without systems, one row a count."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from endophora.evaluation.result import Comparison, Interval, Result, Score
from endophora.report import figures

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_SCORE = ("system", "column", "kind", "scale", "value", "low", "high", "precision", "recall")
_COMPARISON = (
    "baseline", "difference", "difference_low", "difference_high", "p_value", "p_adjusted", "significant",
)  # fmt: skip
_COUNT = ("phenomenon", "what", "name", "count")


def render(result: Result) -> str:
    """Return the scores in the metrics' own scale, with intervals, counts and comparisons; empty cells are nulls.

    A text that a spreadsheet would take for a formula gets an apostrophe in front of it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in _table(result))
    return out.getvalue()


def _table(result: Result) -> Iterable[Iterable[object]]:
    return _scores(result) if result.scores else _counts(result)


def _scores(result: Result) -> Iterable[Iterable[object]]:
    counted = list(dict.fromkeys(name for score in result.scores for name in score.counts))
    compared = {(comparison.column, comparison.system): comparison for comparison in result.comparisons}
    found = {(score.system, score.column): score for score in result.scores}
    shown = [*figures.columns(result), *(column for column in result.columns if column.kind == "category")]
    yield (*_SCORE, *counted, *_COMPARISON)
    for system in result.corpus.systems:
        for column in shown:
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
    return (score.value, *_bounds(score.interval), score.precision, score.recall)


def _compared(comparison: Comparison | None) -> tuple[object, ...]:
    if comparison is None:
        return (None,) * len(_COMPARISON)
    return (
        *(comparison.baseline, comparison.difference, *_bounds(comparison.interval)),
        *(comparison.p_value, comparison.p_adjusted, comparison.significant),
    )


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _counts(result: Result) -> Iterable[Iterable[object]]:
    yield _COUNT
    for phenomenon in result.phenomena:
        yield phenomenon.name, "reference", "occurrences", phenomenon.occurrences
        yield phenomenon.name, "reference", "words", phenomenon.words
        yield from ((phenomenon.name, "rule", *item) for item in phenomenon.rules.items())
        yield from ((phenomenon.name, "distance", *item) for item in sorted(phenomenon.distances.items()))


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
