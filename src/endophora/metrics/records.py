"""What every metric is: sufficient statistics per segment or document, and a score of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, refuse

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Level: TypeAlias = Literal["segment", "document"]
Label: TypeAlias = tuple[str, str]


class Reading(NamedTuple):
    """What document-level metrics know of one text; a tuple, since corpora have many."""

    text: str
    tokens: tuple[str, ...]
    classes: tuple[Label, ...] = ()  # (category, class) of verb forms, pronouns, discourse markers: ("tense", "VBD")
    names: tuple[Label, ...] = ()  # (kind, name) of every named entity
    lemmas: tuple[Label, ...] = ()  # lemmas of the content words, lower case, each with its universal part of speech


@dataclass(frozen=True, slots=True)
class TaggedTokens:
    """The tokens of one segment, each with its tags."""

    forms: tuple[str, ...]
    tags: tuple[frozenset[str], ...]  # for each token the names of its tags; empty for a token without any


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
        """Return the scores of summed statistics, (…, columns) → (…); NaN where there is nothing to count."""
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
        """Return the statistics of one system's outputs: a row a segment, or a document where that is the level."""
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
        """Return the statistics of one system's outputs: a row a segment, or a document where that is the level."""
        ...


def ratio(above: FloatArray, below: FloatArray, otherwise: float = np.nan) -> FloatArray:
    """Return above / below, elementwise; ``otherwise`` where ``below`` is not positive."""
    return np.divide(above, below, out=np.full(np.shape(above), otherwise), where=below > 0)


def check_sizes(
    hypotheses: Sequence[object],
    references: Sequence[Sequence[object]],
    documents: Sequence[int] | None = None,
    sources: Sequence[str] | None = None,
    *,
    needed: bool = True,
) -> None:
    """Refuse input of unequal sizes (E070), and that there is no reference where one is needed (E072); all at once."""
    faults: list[Fault] = []
    if needed and not references:
        faults.append(Fault("E072", "there is no reference to score against", "give at least one reference"))
    sides = [(f"reference {number}", each) for number, each in enumerate(references, start=1)]
    sides += [(name, each) for name, each in (("the source", sources), ("document ids", documents)) if each is not None]
    for name, each in sides:
        if len(each) != len(hypotheses):
            cause = f"{len(hypotheses)} segments of output against {len(each)} of {name}"
            faults.append(Fault("E070", cause, "give as many lines for each"))
    refuse(faults)
