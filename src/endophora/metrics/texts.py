"""What the metrics of plain texts share: checked input, rows of segments or documents, references read once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from endophora.errors import Fault, InputError
from endophora.metrics.records import FloatArray, Level

Count: TypeAlias = Callable[[list[str]], FloatArray]


class Texts(ABC):
    """A metric of plain texts; a subclass has the counting, the formula and the signature.

    What is made of the references is kept, so that it is made once for all systems.

    Args:
        language: ISO 639-1 code of the target language.
    """

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 100.0
    level: ClassVar[Level] = "segment"
    parallel: ClassVar[bool] = True

    def __init__(self, language: str = "") -> None:
        self.language = language
        self._references: list[list[str]] = []
        self._count: Count | None = None

    @abstractmethod
    def prepare(self, references: list[list[str]]) -> Count:
        """Return what turns the texts of a system into statistics, (texts, columns), against these references."""

    def warn(self, sums: Mapping[str, FloatArray]) -> str:  # noqa: ARG002
        """Return what a reader of the systems' scores must know; empty for nothing, as with most metrics.

        Args:
            sums: system → its summed statistics, (columns,).
        """
        return ""

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        documents: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,  # noqa: ARG002
    ) -> FloatArray:
        """Return the statistics of one system's outputs.

        Args:
            documents: for each segment the index of its document, from 0; needed where the level is the document.

        Returns:
            (segments, columns), or (documents, columns) where the level is the document.

        Raises:
            InputError: numbers of segments differ (E070), there is no reference (E072), or no documents are given to
                a metric of documents (E074).
        """
        _check(hypotheses, references, documents)
        wanted = [self._rows(reference, documents) for reference in references]
        if self._count is None or wanted != self._references:
            self._count, self._references = self.prepare(wanted), wanted
        return self._count(self._rows(hypotheses, documents))

    def _rows(self, texts: Sequence[str], documents: Sequence[int] | None) -> list[str]:
        """Return the texts that get a row of statistics each: the segments, or the documents as one text each."""
        if self.level == "segment":
            return list(texts)
        if documents is None:
            raise InputError(Fault("E074", f"{self.name} is of documents, and none are given", "give document ids"))
        return join_documents(texts, documents)


def join_documents(texts: Sequence[str], documents: Sequence[int]) -> list[str]:
    """Return each document as one text: its segments in order, joined by spaces.

    Args:
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
