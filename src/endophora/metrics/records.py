"""What every metric is: sufficient statistics per segment or document, and a score of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from endophora.metrics.readings import Reading

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Level: TypeAlias = Literal["segment", "document"]


@dataclass(frozen=True, slots=True)
class TaggedTokens:
    """The tokens of one segment, each with its tags.

    Attributes:
        tags: for each token the names of its tags; empty for a token without any.
    """

    forms: tuple[str, ...]
    tags: tuple[frozenset[str], ...]


class Metric(Protocol):
    """What all metrics share: summed statistics become a score, so any resample of segments can be scored."""

    @property
    def name(self) -> str:
        """Short name, as in tables."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """False for error rates."""
        ...

    @property
    def maximum(self) -> float:
        """The scale: 1, or 100 for per cent. An error rate may exceed it."""
        ...

    @property
    def level(self) -> Level:
        """Whether one row of statistics is a segment's or a document's."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the statistics, in the order of the last axis."""
        ...

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return what makes two scores comparable, as ``key:value|key:value`` in a fixed order."""
        ...

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the scores of summed statistics.

        Args:
            sums: (..., columns).

        Returns:
            (...); NaN where there is nothing to count.
        """
        ...


@runtime_checkable
class TextMetric(Metric, Protocol):
    """A metric that reads plain texts."""

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        documents: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,
    ) -> FloatArray:
        """Return the statistics of one system's outputs.

        Args:
            documents: for each segment the index of its document; a metric of documents needs it.
            sources: one source text a segment; a metric that looks at the source needs it.

        Returns:
            (segments, columns), or (documents, columns) where the level is the document.
        """
        ...


@runtime_checkable
class DocumentMetric(Metric, Protocol):
    """A metric that reads annotated texts; it may yield several figures from the same statistics."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the figures, as in tables; the first is the metric itself, the others are its categories."""
        ...

    def figures(self, sums: FloatArray) -> FloatArray:
        """Return all figures of summed statistics, (…, columns) → (…, parts); NaN where there is nothing to count."""
        ...

    def precision_and_recall(self, sums: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return what the figures are the F-measures of, both like :meth:`figures`; ``None`` if they are none."""
        ...

    def statistics(
        self,
        hypotheses: Sequence[Reading],
        references: Sequence[Sequence[Reading]],
        documents: Sequence[int] | None = None,
    ) -> FloatArray:
        """Return the statistics of one system's outputs.

        Returns:
            (segments, columns), or (documents, columns) where the level is the document.
        """
        ...


@runtime_checkable
class TagMetric(Metric, Protocol):
    """A metric that reads tagged tokens and yields one score a tag."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Names along the last axis but one."""
        ...

    def statistics(self, hypotheses: Sequence[TaggedTokens], references: Sequence[TaggedTokens]) -> FloatArray:
        """Return the statistics of one system's outputs, (segments, tags, columns)."""
        ...


def ratio(above: FloatArray, below: FloatArray, otherwise: float = np.nan) -> FloatArray:
    """Return above / below, elementwise; ``otherwise`` where ``below`` is not positive."""
    return np.divide(above, below, out=np.full(np.shape(above), otherwise), where=below > 0)
