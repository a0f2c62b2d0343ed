"""Averages of P-CXMI over a text and over groups of its words, with intervals over its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.context.cxmi_options import CxmiOptions
from endophora.context.pointwise import Pointwise
from endophora.context.words import FloatArray
from endophora.statistics.bootstrap import Bootstrap, bootstrap
from endophora.statistics.units import FEWEST_DOCUMENTS, Units


@dataclass(frozen=True, slots=True)
class Groups:
    """Sums and counts of words' P-CXMI by group; C conditions, S samples, G groups.

    Attributes:
        names: (G,) the groups.
        sums: (C, S, G).
        counts: (S, G); a word may count in several groups.
    """

    names: tuple[str, ...]
    sums: FloatArray
    counts: FloatArray

    @property
    def statistics(self) -> FloatArray:
        """Sums beside counts, as resampling takes them: (C, S, G, 2)."""
        return np.stack([self.sums, np.broadcast_to(self.counts, self.sums.shape)], axis=-1)

    def spread(self, units: Units) -> npt.NDArray[np.bool_]:
        """Return which groups have words in enough units for intervals and tests, (G,).

        A group that stands in two documents has the same mean in nearly every resample, which looks like certainty.
        """
        return (units.sums(self.counts[None])[0] > 0).sum(axis=0) >= FEWEST_DOCUMENTS


def ratio(statistics: FloatArray) -> FloatArray:
    """Return sum ÷ count, (…, 2) → (…); NaN where nothing is counted."""
    counts = statistics[..., 1]
    return np.divide(statistics[..., 0], counts, out=np.full(counts.shape, np.nan), where=counts > 0)


def group_words(
    measured: Sequence[Pointwise], names: Sequence[str], members: Sequence[Sequence[Sequence[str]]]
) -> Groups:
    """Return the sums and counts of groups of words.

    Args:
        measured: S samples.
        names: the groups that are wanted, in order.
        members: for each sample, for each of its words the groups that it is in; others than ``names`` are left out.
    """
    place = {name: number for number, name in enumerate(names)}
    conditions = len(measured[0].words) if measured else 0
    sums = np.zeros((conditions, len(measured), len(names)))
    counts = np.zeros((len(measured), len(names)))
    for row, (one, groups) in enumerate(zip(measured, members, strict=True)):
        for word, found in enumerate(groups):
            for column in (place[name] for name in found if name in place):
                sums[:, row, column] += one.words[:, word]
                counts[row, column] += 1
    return Groups(tuple(names), sums, counts)


def resample(statistics: FloatArray, units: Units, options: CxmiOptions) -> Bootstrap:
    """Return the ratios of (C, S, G, 2) sums and counts, with their intervals over resampled units."""
    chosen = {"resamples": options.resamples, "seed": options.seed}
    return bootstrap(statistics, ratio, units, confidence=options.confidence, two_sided=True, **chosen)


def contrast(groups: Groups, rest: int, units: Units, options: CxmiOptions, condition: int) -> Bootstrap:
    """Return each group of words against those of one group, under one condition.

    Every resample draws documents, and takes the words of both from the documents drawn; so what a document's words
    have in common does not pass for a difference.

    Args:
        groups: the words.
        rest: number of the group that the others are compared with.
        units: what is drawn.
        options: statistics.
        condition: number of the condition.

    Returns:
        scores (2, G): the group compared with, repeated, and each group.
    """
    pairs = groups.statistics[condition]
    return resample(np.stack([np.broadcast_to(pairs[:, rest : rest + 1], pairs.shape), pairs]), units, options)
