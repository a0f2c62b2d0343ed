"""Which segments of a document are parsed: those that a look at the surface cannot rule out, and their windows."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.corpus.records import Document
from endophora.extraction.setup import ExtractionTools

_SOURCE_RESOLVED = frozenset({"gender", "pronouns"})
_TARGET_RESOLVED = frozenset({"animacy"})


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be done of a document.

    Attributes:
        parsed: indices of the segments to parse, in order.
        resolve_source, resolve_target: whether pronouns of that side are to be resolved.
    """

    parsed: tuple[int, ...]
    resolve_source: bool
    resolve_target: bool


class Selector:
    """Chooses what to parse.

    Args:
        tools: the tools of the extraction.
    """

    def __init__(self, tools: ExtractionTools) -> None:
        phenomena = frozenset(tools.extraction.phenomena)
        self._source = bool(phenomena & _SOURCE_RESOLVED)
        self._target = bool(phenomena & _TARGET_RESOLVED)

    def select(self, document: Document) -> Selection:
        """Return what is to be done of a document."""
        return Selection(tuple(range(len(document.segments))), self._source, self._target)
