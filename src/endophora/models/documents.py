"""Documents as inputs of a model: each segment with the segments before it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from endophora.models.records import ModelInput


class Sides(StrEnum):
    """Which context a segment is given."""

    NONE = "none"
    SOURCE = "source"
    TARGET = "target"
    BOTH = "both"

    @property
    def source(self) -> bool:
        """Whether source context is given."""
        return self in (Sides.SOURCE, Sides.BOTH)

    @property
    def target(self) -> bool:
        """Whether target context is given."""
        return self in (Sides.TARGET, Sides.BOTH)


def contextual_inputs(
    sources: Sequence[str], targets: Sequence[str] | None, size: int, sides: Sides = Sides.BOTH
) -> list[ModelInput]:
    """Return one input for each segment of a document, with up to ``size`` segments before it as context.

    Args:
        sources: the document's source segments, in order.
        targets: their translations, parallel; ``None`` where there are none, and none is given as context.
        size: most segments of context.
        sides: which context is given.
    """
    made: list[ModelInput] = []
    for number, source in enumerate(sources):
        first = max(0, number - size)
        before = tuple(sources[first:number]) if sides.source else ()
        preceding = tuple(targets[first:number]) if targets is not None and sides.target else ()
        made.append(ModelInput(source, before, preceding))
    return made
