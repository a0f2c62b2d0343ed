"""Groups of words whose P-CXMI is averaged: parts of speech with features, and vocabulary items with few occurrences.

The groups are those of the MuDA paper (Appendix B, Table 9): ``PRON``, ``PRON.3``, ``PRON.3.Plur``, ``VERB.Past``, …
Which features belong to which part of speech stands in ``labels.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from ruamel.yaml import YAML

from endophora.annotate.records import Token

FloatArray: TypeAlias = npt.NDArray[np.float64]


@cache
def label_features() -> Mapping[str, tuple[str, ...]]:
    """Return part of speech → the features that are named behind it."""
    text = files("endophora.context").joinpath("labels.yaml").read_text(encoding="utf-8")
    read = cast("dict[str, list[str]]", cast("Any", YAML(typ="safe", pure=True)).load(text))
    return {upos: tuple(features) for upos, features in read.items()}


def labels_of(token: Token) -> tuple[str, ...]:
    """Return a token's part of speech, alone and with each further feature: ``PRON``, ``PRON.3``, ``PRON.3.Plur``."""
    if not token.upos:
        return ()
    named = (token.features.get(name, "") for name in label_features().get(token.upos, ()))
    return tuple(accumulate((token.upos, *filter(None, named)), lambda label, value: f"{label}.{value}"))


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """How far the means of rare items are drawn to the mean of all.

    Attributes:
        mean: the mean that they are drawn to.
        pseudo_count: as many occurrences of that mean are added to each item; infinite where the items do not differ
            by more than chance, and every item then has the mean of all.
        estimated: whether the data told the pseudo-count (empirical Bayes) or the user.
    """

    mean: float
    pseudo_count: float
    estimated: bool

    def shrink(self, mean: FloatArray, count: FloatArray) -> FloatArray:
        """Return the shrunk means of items, (V,), from their means and counts."""
        if np.isinf(self.pseudo_count):
            return np.full_like(mean, self.mean)
        return (count * mean + self.pseudo_count * self.mean) / (count + self.pseudo_count)


def estimate_shrinkage(values: FloatArray, items: npt.NDArray[np.intp], pseudo_count: float | None = None) -> Shrinkage:
    """Return how far items' means are to be drawn to the mean of all words.

    A word's value is the mean of its item plus noise, and items' means lie around the mean of all. With σ² the variance
    within items and τ² that between items' true means, the best linear guess of an item's mean has σ² / τ² occurrences
    of the mean of all added. Both are estimated by the method of moments: analysis of variance, one way, unbalanced
    (Searle, Casella & McCulloch, 1992, “Variance Components”, §3.6).

    Args:
        values: (N,) the words' values.
        items: (N,) the item of each word, numbered from 0 without gaps.
        pseudo_count: takes the place of the estimate.
    """
    overall = float(values.mean()) if len(values) else 0.0
    if pseudo_count is not None:
        return Shrinkage(overall, pseudo_count, estimated=False)
    counts = np.bincount(items).astype(np.float64)
    kinds, total = len(counts), float(len(values))
    if kinds < 2 or total <= kinds:
        return Shrinkage(overall, np.inf, estimated=True)
    means = np.bincount(items, weights=values) / counts
    within = float(((values - means[items]) ** 2).sum()) / (total - kinds)
    between = float((counts * (means - overall) ** 2).sum()) / (kinds - 1)
    size = (total - float((counts**2).sum()) / total) / (kinds - 1)
    spread = (between - within) / size
    if spread <= 0:
        return Shrinkage(overall, np.inf, estimated=True)
    return Shrinkage(overall, within / spread, estimated=True)


def number_items(names: Sequence[str]) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the distinct names in order of first appearance, and for each name given the number of its own."""
    numbers: dict[str, int] = {}
    index = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return list(numbers), index
