"""What alignment yields: links between the tokens of a segment's source and of its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from endophora.annotate.records import AnnotatedText


@dataclass(frozen=True, slots=True)
class Link:
    """A link between a source token and a target token of one segment."""

    source: int
    target: int
    confidence: float


class Aligner(Protocol):
    """Links the words of one document's segments."""

    @property
    def signature(self) -> str:
        """Name, version, priors hash and symmetrisation: what makes two alignments the same."""
        ...

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target."""
        ...

    def align_many(
        self, documents: Sequence[tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]]]
    ) -> list[list[tuple[Link, ...]]]:
        """Link several documents, each (source, target), with the same links as one by one, and faster."""
        ...
