"""How well each column tells two systems apart: Student's paired t over the documents (BlonDe, §5.2 and Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from endophora.evaluation.result import Column, Paired, Score
from endophora.record import Interval
from endophora.statistics.paired import paired_t
from endophora.statistics.units import FloatArray


def paired_tests(
    scores: Mapping[str, Mapping[str, FloatArray]], order: Sequence[str], lower: Sequence[str], confidence: float
) -> list[Paired]:
    """Test each two neighbouring systems in each column; nothing where there are fewer than two documents.

    Args:
        scores: column → system → (documents,), NaN where there is none.
    """
    return [
        _record(column, first, second, of[first], of[second], column not in lower, confidence)
        for column, of in scores.items()
        for first, second in pairwise(order)
        if len(of[first]) > 1
    ]


def paired_of_result(
    columns: Sequence[Column], scores: Sequence[Score], order: Sequence[str], confidence: float
) -> list[Paired]:
    """Do the same with the scores of a result."""
    of: dict[str, dict[str, FloatArray]] = {}
    for score in scores:
        values = [np.nan if value is None else value for value in score.documents]
        of.setdefault(score.column, {})[score.system] = np.array(values, dtype=np.float64)
    lower = [column.name for column in columns if not column.higher_is_better]
    return paired_tests(of, order, lower, confidence)


def _record(
    column: str, first: str, second: str, one: FloatArray, other: FloatArray, higher: bool, confidence: float
) -> Paired:
    found = paired_t(one, other, higher_is_better=higher, confidence=confidence)
    low, high = float(found.low), float(found.high)
    return Paired(
        column=column,
        first=first,
        second=second,
        statistic=_number(float(found.statistics)),
        p_value=_number(float(found.p_values)),
        difference=_number(float(found.differences)),
        interval=Interval(low=low, high=high) if np.isfinite(low + high) else None,
        documents=int(found.counts),
    )


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
