"""The one place that reads sacreBLEU's statistics; what the metrics made of them share.

sacreBLEU (Post, 2018) has no public call that returns the statistics of a segment, so its private one is called here,
and only here. Scores are computed from their sums in numpy, for thousands of resamples at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from operator import methodcaller
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import FloatArray, Level


class Scorer(Protocol):
    """That part of a sacreBLEU metric's public interface that is used here."""

    def get_signature(self) -> Any:
        """Return its signature."""
        ...


class SacreMetric(ABC):
    """A metric whose statistics sacreBLEU computes; a subclass builds the scorer and has the formula of the score.

    The scorer holds what it made of the references, so that it is made once for all systems.
    """

    name: ClassVar[str]
    columns: tuple[str, ...]
    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 100.0
    level: ClassVar[Level] = "segment"

    def __init__(self) -> None:
        self._references: list[list[str]] = []
        self._scorer: Scorer | None = None

    @abstractmethod
    def build(self, references: list[list[str]]) -> Scorer:
        """Return sacreBLEU's metric with these references cached in it."""

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        documents: Sequence[int] | None = None,
    ) -> FloatArray:
        """Return the statistics of one system's outputs.

        Args:
            hypotheses: one text a segment.
            references: for each reference its texts, one a segment.
            documents: for each segment the index of its document; needed where the level is the document.

        Returns:
            (segments, columns), or (documents, columns) where the level is the document.

        Raises:
            InputError: numbers of segments differ (E070), or there is no reference (E072).
        """
        _check(hypotheses, references, documents)
        texts = self.rows(hypotheses, documents)
        wanted = [self.rows(reference, documents) for reference in references]
        if self._scorer is None or wanted != self._references:
            self._scorer, self._references = self.build(wanted), wanted
        if not texts:
            return np.zeros((0, len(self.columns)))
        extract = methodcaller("_extract_corpus_statistics", texts, None)
        return np.asarray(cast("list[list[float]]", extract(self._scorer)), dtype=np.float64)

    def rows(self, texts: Sequence[str], documents: Sequence[int] | None) -> list[str]:
        """Return the texts that get a row of statistics each: the segments, or the documents as one text each.

        Raises:
            InputError: the level is the document and ``documents`` is missing (E074).
        """
        if self.level == "segment":
            return list(texts)
        if documents is None:
            raise InputError(Fault("E074", f"{self.name} is of documents, and none are given", "give document ids"))
        return join_documents(texts, documents)

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return sacreBLEU's own signature, version last."""
        scorer = self.build([["x"]] * references)
        return cast("str", scorer.get_signature().format(short=short))


def join_documents(texts: Sequence[str], documents: Sequence[int]) -> list[str]:
    """Return each document as one text: its segments in order, joined by spaces.

    Args:
        texts: one text a segment.
        documents: for each segment the index of its document, from 0.
    """
    parts: list[list[str]] = [[] for _ in range(max(documents, default=-1) + 1)]
    for text, document in zip(texts, documents, strict=True):
        parts[document].append(text)
    return [" ".join(part) for part in parts]


def _check(hypotheses: Sequence[str], references: Sequence[Sequence[str]], documents: Sequence[int] | None) -> None:
    faults: list[Fault] = []
    if not references:
        faults.append(Fault("E072", "there is no reference to score against", "give at least one reference"))
    advice = "give as many lines for each"
    for number, reference in enumerate(references, start=1):
        if len(reference) != len(hypotheses):
            cause = f"{len(hypotheses)} segments of output against {len(reference)} of reference {number}"
            faults.append(Fault("E070", cause, advice))
    if documents is not None and len(documents) != len(hypotheses):
        cause = f"{len(hypotheses)} segments of output, and document ids for {len(documents)}"
        faults.append(Fault("E070", cause, advice))
    if faults:
        raise InputError(faults)
