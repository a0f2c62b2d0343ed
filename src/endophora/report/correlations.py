"""Correlations of metrics with each other and with people: the same views for all formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endophora.evaluation.result import Agreement, Column, Correlation, Human, Paired, Result
from endophora.record import Interval
from endophora.report import matrix
from endophora.report.table import Cell, figure, number, p_text

STRENGTHS = 10
"""Steps of shading of a coefficient's size, besides 0."""

LEVELS = ("system", "document", "segment")
COEFFICIENTS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class Related:
    """Two columns of the result, and how they correlate.

    Attributes:
        first, second: the columns of the row and of the column of the matrix.
        correlation: ``None`` on the diagonal and where the result has none.
    """

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
    """How one column agrees with people.

    Attributes:
        column: the column.
        found: (level, coefficient) → what the result says of it.
    """

    column: Column
    found: dict[tuple[str, str], Agreement]


def ordered(result: Result) -> list[Column]:
    """Return all columns as they are shown: those of the matrix, then the categories."""
    return [*matrix.columns(result), *(column for group in matrix.categories(result) for column in group.columns)]


def correlated(result: Result, *, categories: bool = True) -> list[list[Related]]:
    """Return the rows of the correlation matrix, which is symmetric; empty where the result has no correlation.

    Args:
        result: what is shown.
        categories: whether categories of metrics have rows as well.
    """
    pairs = {(one.first, one.second): one for one in result.correlations}
    named = {name for pair in pairs for name in pair}
    chosen = [column for column in (ordered(result) if categories else matrix.columns(result)) if column.name in named]
    if len(chosen) < 2:
        return []
    return [[Related(first, second, _either(pairs, first.name, second.name)) for second in chosen] for first in chosen]


def pairs_text(result: Result) -> str:
    """Return over how many pairs the correlations are, ``1,290`` or ``1,100–1,290``."""
    return span_text([one.pairs for one in result.correlations if one.pairs])


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
    columns = matrix.columns(result)
    return [
        (first, second, [found.get((first, second, column.name)) for column in columns])
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


def _either(pairs: dict[tuple[str, str], Correlation], first: str, second: str) -> Correlation | None:
    return pairs.get((first, second)) or pairs.get((second, first))
