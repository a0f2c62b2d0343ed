"""BlonDe's formulas: ratios of n-grams, means over categories, the F-measure."""

from __future__ import annotations

import numpy as np

from endophora.metrics.blonde_options import ORDERS, BlondeOptions
from endophora.metrics.records import FloatArray, ratio


def ngram_ratios(matched: FloatArray, total: FloatArray, options: BlondeOptions) -> FloatArray:
    """Return the smoothed ratios of the n-gram orders (Chen and Cherry, 2014, methods 1 to 3).

    From the first order on that no text is long enough for, the ratio is 0; NaN if orders are effective.

    Args:
        matched: (…, 4), weighted.
    """
    if options.smoothing == "add-k":
        added = options.constant * np.array([0.0] + [1.0] * (ORDERS - 1))
        matched, total = matched + added, total + added
    reached = np.cumsum(total <= 0, axis=-1) == 0
    ratios = ratio(matched, total, otherwise=0.0)
    unmatched = (matched == 0) & reached
    if options.smoothing == "exp":
        smoothed = ratio(np.exp2(-np.cumsum(unmatched, axis=-1, dtype=np.float64)), total, otherwise=0.0)
        ratios = np.where(unmatched, smoothed, ratios)
    elif options.smoothing == "floor":
        ratios = np.where(unmatched, ratio(np.full(total.shape, options.constant), total, otherwise=0.0), ratios)
    nothing = np.nan if options.effective_order else 0.0
    ratios = np.where(reached, ratios, nothing)
    # A corpus without any word has no n-gram to find.
    return np.where(total[..., :1] > 0, ratios, np.nan)


def average(ratios: FloatArray, weights: FloatArray, options: BlondeOptions) -> FloatArray:
    """Return the weighted mean over categories, those with nothing to count left out.

    Args:
        ratios: (…, categories), NaN where there is nothing to count.
        weights: (categories,).

    Returns:
        (…); NaN where no category has anything.
    """
    defined = ~np.isnan(ratios)
    values = np.where(defined, ratios, 0.0)
    if options.mean == "geometric":
        values = np.log(np.maximum(values, options.floor))
    share = np.where(defined, weights, 0.0)
    mean = ratio((values * share).sum(axis=-1), share.sum(axis=-1))
    return np.exp(mean) if options.mean == "geometric" else mean


def f_measure(recall: FloatArray, precision: FloatArray, floor: float | FloatArray = 0.0) -> FloatArray:
    """Return 2RP / (R + P), elementwise.

    Where only one is defined (one side has nothing of the category), the other counts as ``floor``; where both are 0,
    so is the result; NaN where neither is defined.
    """
    r = np.where(np.isnan(recall) & ~np.isnan(precision), floor, recall)
    p = np.where(np.isnan(precision) & ~np.isnan(recall), floor, precision)
    return np.where(np.isnan(r), np.nan, ratio(2 * r * p, r + p, otherwise=0.0))
