"""Student's paired t over documents: how well a metric tells two systems apart (BlonDe, §5.2 and Table 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.units import FloatArray, IntArray

FLAT = 1e-13
"""A standard deviation below this share of the scores is rounding: all differences are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedT:
    """The test of two systems; arrays have the leading axes of the scores, such as metrics.

    Attributes:
        statistics: t, positive where the second system is the better; infinite if it is better by the same in every
            document, NaN where undefined: fewer than two documents, or no difference in any.
        differences: mean over documents of second less first, in the metric's own scale and sign.
        counts: documents that both systems have a score of; degrees of freedom are one less.
    """

    statistics: FloatArray
    p_values: FloatArray
    differences: FloatArray
    low: FloatArray
    high: FloatArray
    counts: IntArray
    confidence: float


def paired_t(
    first: FloatArray, second: FloatArray, *, higher_is_better: bool = True, confidence: float = 0.95
) -> PairedT:
    """Compare two systems by their scores of the same documents.

    Args:
        first: (…, documents), as :func:`~endophora.statistics.units.unit_scores` gives them; NaN where a document
            has no score.
        higher_is_better: which way the metric goes; for an error rate t is turned round.

    Raises: InputError: the systems' scores have different shapes (E110).
    """
    from scipy import special  # loaded where it is needed: processes that only annotate do without

    if first.shape != second.shape or not first.ndim:
        cause = f"scores of shapes {first.shape} and {second.shape} are not of the same documents"
        raise InputError(Fault("E110", cause, "give (…, documents) for both systems"))
    change = second - first
    there = ~np.isnan(change)
    count = there.sum(axis=-1)
    size = np.maximum(count, 1)
    mean = np.where(there, change, 0.0).sum(axis=-1) / size
    around = np.where(there, change - mean[..., None], 0.0)
    deviation = np.sqrt((around**2).sum(axis=-1) / np.maximum(count - 1, 1))
    scale = np.where(there, np.maximum(np.abs(first), np.abs(second)), 0.0).max(axis=-1, initial=0.0)
    deviation = np.where(deviation <= FLAT * scale, 0.0, deviation)
    error = deviation / np.sqrt(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(count > 1, mean / error, np.nan)
    freedom = np.maximum(count - 1, 1)
    p_values: FloatArray = 2 * special.stdtr(freedom, -np.abs(statistics))
    reach = np.where(count > 1, special.stdtrit(freedom, (1 + confidence) / 2) * error, np.nan)
    mean = np.where(count > 0, mean, np.nan)
    return PairedT(
        statistics=statistics if higher_is_better else -statistics,
        p_values=p_values,
        differences=mean,
        low=mean - reach,
        high=mean + reach,
        counts=count,
        confidence=confidence,
    )
