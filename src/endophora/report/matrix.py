"""The matrix of an evaluation: the cell of each system in each column, and the legends that explain them.

Figures are shown in points of 100, with one decimal: an F-measure of .642 is ``64.2``, a BLEU of 31.44 ``31.4``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endophora.evaluation.result import Column, Comparison, Result, Score
from endophora.report.table import Cell, Verdict, bounds

SHADES = 7
"""Steps of shading, from 0 (the weakest of the column) to 6 (the best); 3 is the middle."""

_NARROW = 4.0
"""Columns whose systems lie within this many points are shaded as if they spread so far, and so stay pale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell(Cell):
    """A system's figure in a column, in points of 100.

    Attributes:
        score: ``None`` where the result has none.
        comparison: the system against the baseline; ``None`` for the baseline itself.
        shade: step of shading; ``None`` without a value.
    """

    system: str
    column: Column
    score: Score | None
    comparison: Comparison | None
    shade: int | None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """All cells of a system, in the order of the columns."""

    system: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories of a metric, which stand in a table of their own.

    Attributes:
        metric: the metric's name.
        columns: its categories, in the order of the result.
        rows: the figures of all systems in them.
    """

    metric: str
    columns: tuple[Column, ...]
    rows: tuple[MatrixRow, ...]


def columns(result: Result) -> list[Column]:
    """Return the columns of the matrix as they are shown: phenomena first, then text metrics, no categories."""
    whole = [column for column in result.columns if column.kind != "category"]
    return sorted(whole, key=lambda column: column.kind != "phenomenon")


def rows(result: Result) -> list[MatrixRow]:
    """Return the rows of the matrix, in the order in which the systems were given."""
    return _rows(result, columns(result))


def categories(result: Result) -> list[Categories]:
    """Return the categories of each metric that has any, in the order of the result."""
    found: dict[str, list[Column]] = {}
    for column in result.columns:
        if column.kind == "category":
            found.setdefault(column.metric, []).append(column)
    return [Categories(metric, tuple(group), tuple(_rows(result, group))) for metric, group in found.items()]


def heading(column: Column) -> str:
    """Return a column's name as a table of its kind heads it: a category's without its metric's, *tense*."""
    name = column.name.removeprefix(f"{column.metric} ") if column.kind == "category" else column.name
    return title(name or column.name)


def _rows(result: Result, chosen: Sequence[Column]) -> list[MatrixRow]:
    scores = {(score.column, score.system): score for score in result.scores}
    compared = {(comparison.column, comparison.system): comparison for comparison in result.comparisons}
    by_column = [_cells(column, result.corpus.systems, scores, compared) for column in chosen]
    return [
        MatrixRow(system, tuple(cells[index] for cells in by_column))
        for index, system in enumerate(result.corpus.systems)
    ]


def points(value: float, column: Column) -> float:
    """Return a value or difference of a column in points of 100."""
    return 100 * value / column.scale


def title(name: str) -> str:
    """Return a name of ours as it is read: ``lexical_cohesion`` is *lexical cohesion*."""
    return name.replace("_", " ")


def baseline_text(result: Result) -> str:
    """Return what systems are compared with, for a legend; empty if nothing is compared."""
    if not result.comparisons:
        return ""
    return "each column’s best system" if result.settings.baseline == "best" else result.settings.baseline


def legend(result: Result) -> str:
    """Return how significance was found, for a legend; empty if nothing is compared."""
    if not result.comparisons:
        return ""
    settings = result.settings
    return (
        f"{settings.test.replace('-', ' ')} over {settings.units}, {settings.resamples:,} resamples, "
        f"Holm-corrected, p ≤ {settings.alpha:g}"
    )


def verdicts(result: Result) -> str:
    """Return what the marks mean, for a legend; empty if nothing is compared."""
    if not result.comparisons:
        return ""
    better = "" if result.settings.baseline == "best" else ", * significantly better"
    return f"† significantly worse than {baseline_text(result)}{better} ({legend(result)})."


def what(result: Result) -> str:
    """Return what the columns of the matrix are, for a legend."""
    kinds = {column.kind for column in columns(result)}
    names = ("word F-measure of each phenomenon", "phenomenon"), ("text metrics", "text")
    return ", then ".join(name for name, kind in names if kind in kinds)


def facts(result: Result) -> list[tuple[str, str]]:
    """Return what was evaluated: label and figure, in the order in which a header shows them."""
    corpus = result.corpus
    shown = [
        ("documents", f"{len(corpus.documents):,}"),
        ("segments", f"{corpus.segments:,}"),
        # Where only text metrics are asked for, nobody has counted words.
        *([("source words", f"{corpus.source_words:,}")] if corpus.source_words else []),
        *([("reference words", f"{corpus.reference_words:,}")] if corpus.reference_words else []),
        *([("systems", f"{len(corpus.systems):,}")] if corpus.systems else []),
        ("reference" if len(corpus.references) == 1 else "references", ", ".join(corpus.references)),
    ]
    if result.comparisons:
        shown.append(("compared with", baseline_text(result)))
    return shown


def _cells(
    column: Column,
    systems: list[str],
    scores: dict[tuple[str, str], Score],
    compared: dict[tuple[str, str], Comparison],
) -> list[MatrixCell]:
    found = [scores.get((column.name, system)) for system in systems]
    values = [np.nan if score is None or score.value is None else points(score.value, column) for score in found]
    goodness = np.asarray(values, dtype=float) * (1 if column.higher_is_better else -1)
    shades = _shades(goodness)
    shown = np.round(goodness, 1)
    top = np.nanmax(shown) if np.isfinite(shown).any() else np.nan
    cells: list[MatrixCell] = []
    for index, (system, score) in enumerate(zip(systems, found, strict=True)):
        comparison = compared.get((column.name, system))
        low, high = bounds(score and score.interval)
        cells.append(
            MatrixCell(
                number=None if score is None or score.value is None else points(score.value, column),
                low=None if low is None else points(low, column),
                high=None if high is None else points(high, column),
                verdict=_verdict(comparison, column),
                best=len(systems) > 1 and bool(shown[index] == top),
                system=system,
                column=column,
                score=score,
                comparison=comparison,
                shade=shades[index],
            )
        )
    return cells


def _verdict(comparison: Comparison | None, column: Column) -> Verdict:
    if comparison is None or not comparison.significant or comparison.difference == 0:
        return ""
    return "better" if (comparison.difference > 0) == column.higher_is_better else "worse"


def _shades(goodness: np.ndarray) -> list[int | None]:
    """Return each figure's step between the tenth and the ninetieth percentile, so that an outlier pales no others."""
    finite = goodness[np.isfinite(goodness)]
    if finite.size == 0:
        return [None] * len(goodness)
    low, high = np.quantile(finite, (0.1, 0.9)) if finite.size > 9 else (finite.min(), finite.max())
    reach = max(float(high - low), _NARROW)
    relative = np.clip((goodness - (high + low) / 2) / reach + 0.5, 0, 1)
    return [round(float(step) * (SHADES - 1)) if np.isfinite(step) else None for step in relative]
