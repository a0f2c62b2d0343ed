"""The matrix of an evaluation: the cell of each system in each column, legends, correlations of the columns.

Figures are shown in points of 100, with one decimal: an F-measure of .642 is ``64.2``, a BLEU of 31.44 ``31.4``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from endophora.evaluation.figures import FEWEST
from endophora.evaluation.result import (
    Agreement,
    Column,
    Comparison,
    Correlation,
    Human,
    Paired,
    Phenomenon,
    Result,
    Score,
    points,
    title,
)
from endophora.evaluation.terms import TERMS
from endophora.record import Interval
from endophora.report.table import Cell, Verdict, best_of, bounds, counted, figure, many, number, p_text
from endophora.statistics.units import FEWEST_DOCUMENTS, UNDECIDABLE

SHADES = 7
"""Steps of shading, from 0 (the weakest of the column) to 6 (the best); 3 is the middle."""

_NARROW = 4.0
"""Columns whose systems lie within this many points are shaded as if they spread so far, and so stay pale.

So do those whose systems lie within the smallest difference that the test set can tell.
"""


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
    """The categories of a metric, which are in a separate table."""

    metric: str
    columns: tuple[Column, ...]
    rows: tuple[MatrixRow, ...]


def columns(result: Result) -> list[Column]:
    """Return the columns of the matrix in the order shown: phenomena first, then text metrics, no categories."""
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
    there = {score.column for score in result.scores if score.value is not None}
    shown = {metric: [column for column in group if column.name in there] for metric, group in found.items()}
    return [Categories(metric, tuple(group), tuple(_rows(result, group))) for metric, group in shown.items() if group]


def heading(column: Column) -> str:
    """Return a column's name as a table of its kind heads it: a category's without its metric's, *tense*."""
    name = column.name.removeprefix(f"{column.metric} ") if column.kind == "category" else column.name
    return title(name or column.name)


def _rows(result: Result, chosen: Sequence[Column]) -> list[MatrixRow]:
    by_column = [_cells(column, result) for column in chosen]
    return [
        MatrixRow(system, tuple(cells[index] for cells in by_column))
        for index, system in enumerate(result.corpus.systems)
    ]


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
    """Return what the marks mean, for a legend; empty if nothing is compared, or too little for any mark."""
    if not any(ranks(column, result) for column in columns(result) if result.comparisons):
        return ""
    better = "" if result.settings.baseline == "best" else ", * significantly better"
    return f"† significantly worse than {baseline_text(result)}{better} ({legend(result)})."


def measure_of(result: Result) -> str:
    """Return what a phenomenon's figure is."""
    return "right choices" if result.settings.judge == "choice" else "word F-measure"


def judged_text(result: Result) -> list[str]:
    """Return lines that say what the figures of phenomena rest on; none for word F, which counts words."""
    judged = [column for column in columns(result) if column.occurrences is not None]
    if not judged:
        return []
    settings = result.settings
    lines = ["Right ÷ (right + wrong), with what is missing beyond a tenth."]
    lines += [
        _judged_line(column, [score for score in result.scores if score.column == column.name]) for column in judged
    ]
    if not all(column.enough for column in judged):
        least = f"{settings.minimum} occurrences in {FEWEST_DOCUMENTS} documents"
        more = [f"{title(column.name)} {column.needed:,}" for column in judged if column.needed]
        lacking = "documents" if len(result.corpus.documents) < FEWEST_DOCUMENTS else "text"
        takes = f"Segments like these that would be enough: {', '.join(more)}." if more else f"Give more {lacking}."
        lines.append(f"Too few: under {least}; no rank, interval or test. {takes}")
    if result.glossary is not None:
        missing, terms = result.glossary.unfound, many(result.glossary.terms, "term")
        names = f"{', '.join(missing[:_UNFOUND])}{', …' if missing[_UNFOUND:] else ''}"
        absent = f"{len(missing):,} of them nowhere in the source: {names}" if missing else "all of them in the source"
        lines.append(f"Glossary: {terms}, {absent}.")
    for whose, of_terms in (("The other references, people's own translations, have", False), (_FIRST, True)):
        people = ", ".join(
            f"{title(column.name)} {points(column.human, column):.1f} ({column.human_judged or 0:,} judged)"
            for column in judged
            if column.human is not None and (column.name == TERMS) == of_terms
        )
        if people:
            lines.append(f"{whose}: {people}.")
    return lines


_FIRST = "The first reference, people's own translation, has"


def per_thousand(result: Result, phenomenon: Phenomenon) -> float | None:
    """Return how many of 1,000 words of its side a phenomenon's words are; ``None`` where these are not counted."""
    corpus = result.corpus
    size = corpus.source_words if phenomenon.side == "source" else corpus.reference_words
    return 1000 * phenomenon.words / size if size else None


def ranked_rules(phenomenon: Phenomenon) -> list[tuple[str, int]]:
    """Return the rules of a phenomenon with their counts, the most frequent first."""
    ranked = sorted(phenomenon.rules.items(), key=lambda item: -item[1])
    return [(title(name), count) for name, count in ranked]


_UNFOUND = 8
"""Terms that are nowhere in the source of which the line names so many."""


def told_text(result: Result) -> list[str]:
    """Return the line that names the smallest difference that the test set tells in each column; none without tests."""
    found = [(column, column.detectable) for column in columns(result) if column.detectable is not None]
    if all(one.difference is None for _, one in found):
        return []
    told = [
        f"{title(column.name)} {'none' if one.difference is None else f'{points(one.difference, column):.1f}'}"
        for column, one in found
    ]
    first = found[0][1]
    sizes = {one.units for _, one in found}  # of metrics of documents there are fewer than segments
    drawn = f"{first.draws:,} draws of {span_text([*sizes])} " + (
        result.settings.units if len(sizes) == 1 else "documents or segments"
    )
    how = f"with power {first.power:g} at the p above, by {drawn}"
    return [f"Smallest difference that this test set tells, {how}: {', '.join(told)}."]


def _judged_line(column: Column, scores: Sequence[Score]) -> str:
    """Return how many words of a column were judged and tagged, and why the others were not judged.

    Numbers that differ between systems are the least and the greatest.
    """
    size = [sum(score.counts.values()) for score in scores]
    tagged = [count + sum(score.unjudged.values()) for count, score in zip(size, scores, strict=True)]
    reasons = dict.fromkeys(reason for score in scores for reason in score.unjudged)
    left = {reason: span_text([score.unjudged.get(reason, 0) for score in scores]) for reason in reasons}
    why = ", ".join(f"{count} {reason}" for reason, count in left.items())
    few = "" if column.enough else " (too few)"
    where = many(column.documents or 0, "document")
    judged = f"{span_text(size)} judged{few} in {where}, of {span_text(tagged)} tagged"
    return f"{title(column.name).capitalize()}: {judged}{': ' if why else ''}{why}."


def what(result: Result) -> str:
    """Return what the columns of the matrix are, for a legend."""
    kinds = {column.kind for column in columns(result)}
    names = (f"{measure_of(result)} of each phenomenon", "phenomenon"), ("text metrics", "text")
    return ", then ".join(name for name, kind in names if kind in kinds)


def facts(result: Result) -> list[tuple[str, str]]:
    """Return what was evaluated: label and figure, in the order in which a header shows them."""
    corpus = result.corpus
    shown = [
        counted(len(corpus.documents), "document"),
        counted(corpus.segments, "segment"),
        # Where only text metrics are asked for, nobody has counted words.
        *([counted(corpus.source_words, "source word")] if corpus.source_words else []),
        *([counted(corpus.reference_words, "reference word")] if corpus.references and corpus.reference_words else []),
        *([counted(len(corpus.systems), "system")] if corpus.systems else []),
        ("reference" if len(corpus.references) == 1 else "references", ", ".join(corpus.references) or "none"),
    ]
    if result.comparisons:
        shown.append(("compared with", baseline_text(result)))
    return shown


def _cells(column: Column, result: Result) -> list[MatrixCell]:
    """Return the cells of all systems in a column."""
    scores = {score.system: score for score in result.scores if score.column == column.name}
    compared = {one.system: one for one in result.comparisons if one.column == column.name}
    systems = result.corpus.systems
    found = [scores.get(system) for system in systems]
    values = [None if score is None or score.value is None else points(score.value, column) for score in found]
    sign = 1 if column.higher_is_better else -1
    goodness = [None if value is None else sign * value for value in values]
    cells: list[MatrixCell] = []
    for index, (best, shade) in enumerate(zip(best_of(goodness), _shades(goodness, _told(column)), strict=True)):
        score, comparison = found[index], compared.get(systems[index])
        low, high = bounds(score and score.interval)
        if not ranks(column, result):
            best, shade = False, None
        cells.append(
            MatrixCell(
                number=values[index],
                low=None if low is None else points(low, column),
                high=None if high is None else points(high, column),
                verdict=_verdict(comparison, column),
                best=best,
                system=systems[index],
                column=column,
                score=score,
                comparison=comparison,
                shade=shade,
            )
        )
    return cells


def words_text(result: Result, column: Column) -> str:
    """Return on how many words a column's figures rest, ``65`` or ``14–31`` where fewer were judged of some systems."""
    size = result.words(column)
    if size is None:
        return ""
    judged = [sum(one.counts.values()) for one in result.scores if one.column == column.name and one.counts]
    return span_text([*judged, size] if column.occurrences is not None else [size])


def tagged_text(result: Result, column: Column) -> str:
    """Return how many words of a column are judged, of how many that are tagged; empty for word F."""
    scores = [one for one in result.scores if one.column == column.name]
    if column.occurrences is None or not scores:
        return ""
    tagged = span_text([sum(score.counts.values()) + sum(score.unjudged.values()) for score in scores])
    return f"{words_text(result, column)} judged of {tagged} tagged{'' if column.enough else ': too few'}"


def ranks(column: Column, result: Result) -> bool:
    """Return whether a column tells systems apart: figures are shaded, the best in bold, systems in their order.

    Not where too few words stand behind them, nor where too few documents are drawn for an interval or a significant
    difference.
    """
    drawn = {score.column for score in result.scores if score.interval}
    few = any(UNDECIDABLE in warning for warning in result.warnings)
    decided = not few or any(one.significant for one in result.comparisons)  # at a level above .05
    return column.enough and decided and (column.name in drawn or not drawn)


def _verdict(comparison: Comparison | None, column: Column) -> Verdict:
    if comparison is None or not comparison.significant or comparison.difference == 0:
        return ""
    return "better" if (comparison.difference > 0) == column.higher_is_better else "worse"


def _told(column: Column) -> float:
    """Return the smallest difference of a column that means something, in points."""
    found = column.detectable
    if found is None:
        return _NARROW
    return max(_NARROW, points(column.scale if found.difference is None else found.difference, column))


def _shades(figures: Sequence[float | None], narrow: float = _NARROW) -> list[int | None]:
    """Return each figure's step between the tenth and the ninetieth percentile, so that an outlier pales no others."""
    goodness = np.array(figures, dtype=float)
    finite = goodness[np.isfinite(goodness)]
    if finite.size == 0:
        return [None] * len(goodness)
    low, high = np.quantile(finite, (0.1, 0.9)) if finite.size > 9 else (finite.min(), finite.max())
    reach = max(float(high - low), narrow)
    relative = np.clip((goodness - (high + low) / 2) / reach + 0.5, 0, 1)
    return [round(float(step) * (SHADES - 1)) if np.isfinite(step) else None for step in relative]


STRENGTHS = 10
"""Steps of shading of a coefficient's size, besides 0."""

LEVELS = ("system", "document", "segment")
COEFFICIENTS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class Related:
    """Two columns of the result, and how they correlate."""

    first: Column
    second: Column
    correlation: Correlation | None

    @property
    def itself(self) -> bool:
        """Whether the cell stands on the diagonal."""
        return self.first.name == self.second.name

    @property
    def value(self) -> str:
        """The coefficient as it is shown; empty on the diagonal."""
        return "" if self.itself else number(self.correlation and self.correlation.pearson, 2)

    @property
    def strength(self) -> int | None:
        """The step of shading, of :data:`STRENGTHS`, below zero for a negative one; ``None`` without a value."""
        if self.correlation is None or self.correlation.pearson is None:
            return None
        return round(STRENGTHS * self.correlation.pearson)


@dataclass(frozen=True, slots=True)
class Agreeing:
    """How one column agrees with people."""

    column: Column
    found: dict[tuple[str, str], Agreement]


def ordered(result: Result) -> list[Column]:
    """Return all columns in the order shown: those of the matrix, then the categories."""
    return [*columns(result), *(column for group in categories(result) for column in group.columns)]


def correlated(result: Result, *, categories: bool = True) -> list[list[Related]]:
    """Return the rows of the correlation matrix, which is symmetric; empty where the result has no correlation."""
    pairs = {frozenset((one.first, one.second)): one for one in result.correlations}
    if all(one.pairs < FEWEST for one in result.correlations):
        return []
    named = frozenset[str]().union(*(pair for pair, one in pairs.items() if one.pearson is not None))
    chosen = [column for column in (ordered(result) if categories else columns(result)) if column.name in named]
    if len(chosen) < 2:
        return []
    return [
        [Related(first, second, pairs.get(frozenset((first.name, second.name)))) for second in chosen]
        for first in chosen
    ]


def pairs_text(result: Result) -> str:
    """Return over how many pairs the correlations are, ``1,290`` or ``1,100–1,290``."""
    return span_text([one.pairs for one in result.correlations if one.pairs >= FEWEST])


def unshown_text(result: Result) -> str:
    """Return what says that correlations over few pairs are not shown, and how many pairs they have; or nothing."""
    human = [one for one in result.human.agreements if one.level == "system"] if result.human else []
    few = [one.pairs for one in result.correlations if one.pairs < FEWEST]
    parts = [f"{many(len(few), 'correlation')} of columns ({span_text(few)} pairs)"] if few else []
    if any(one.pairs < FEWEST for one in human):
        parts.append(f"those with people at system level ({span_text([one.pairs for one in human])} systems)")
    return f"Not shown, since they are over fewer than {FEWEST} pairs: {' and '.join(parts)}." if parts else ""


def span_text(counts: Sequence[int]) -> str:
    """Return counts as one text: the only one, or the least and the greatest, ``1,100–1,290``."""
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def agreeing(result: Result) -> list[Agreeing]:
    """Return how each column agrees with people, in the order of the columns; only those that the result says of."""
    found: dict[str, dict[tuple[str, str], Agreement]] = {}
    for one in result.human.agreements if result.human else ():
        found.setdefault(one.column, {})[one.level, one.coefficient] = one
    return [Agreeing(column, found[column.name]) for column in ordered(result) if column.name in found]


def levels(result: Result) -> list[str]:
    """Return the levels at which the result says how metrics agree with people."""
    there = {one.level for one in result.human.agreements} if result.human else set[str]()
    return [level for level in LEVELS if level in there]


def coefficients(result: Result) -> list[str]:
    """Return the coefficients by which the result says how metrics agree with people."""
    there = {one.coefficient for one in result.human.agreements} if result.human else set[str]()
    return [name for name in COEFFICIENTS if name in there]


def coefficient(row: Agreeing, level: str, name: str) -> Cell:
    """Return a column's coefficient at a level; empty where the result has none."""
    one = row.found.get((level, name))
    return Cell(number=None) if one is None else figure(one.value, one.interval, 2)


def range_text(interval: Interval | None) -> str:
    """Return a coefficient's interval as it is shown, ``0.61 to 0.92``; empty if there is none."""
    return "" if interval is None else f"{number(interval.low, 2)} to {number(interval.high, 2)}"


def paired(result: Result) -> list[tuple[str, str, list[Paired | None]]]:
    """Return each two neighbours by human scores with their paired t in every column of the matrix."""
    found = {(one.first, one.second, one.column): one for one in result.paired} if result.human else {}
    shown = columns(result)
    return [
        (first, second, [found.get((first, second, column.name)) for column in shown])
        for first, second in dict.fromkeys((first, second) for first, second, _ in found)
    ]


def t_and_p(one: Paired | None) -> tuple[str, str]:
    """Return a t statistic, ``2.31`` or ``−0.42``, and its p-value; a dash and nothing where there are none."""
    if one is None:
        return "–", ""
    return number(one.statistic, 2), "" if one.p_value is None else p_text(one.p_value)


def human_score(result: Result, system: str) -> float | None:
    """Return what people gave a system; ``None`` where they gave nothing."""
    scores = result.human.scores if result.human else ()
    return next((score.value for score in scores if score.system == system), None)


def human_text(value: float | None) -> str:
    """Return a human score as it is shown, in its own scale with three digits; a dash where there is none."""
    return "–" if value is None else f"{value:.3g}".replace("-", "−")


def direction(human: Human) -> str:
    """Return which human score is better, for a legend."""
    return "higher is better" if human.higher_is_better else "lower is better"


def pairs_of(row: Agreeing, level: str) -> int | None:
    """Return over how many pairs a column's coefficients of a level are; ``None`` where there are none."""
    return next((one.pairs for (at, _), one in row.found.items() if at == level), None)


def downward(columns: Sequence[Column]) -> list[str]:
    """Return the names of the columns whose lower values are better."""
    return [column.name for column in columns if not column.higher_is_better]
