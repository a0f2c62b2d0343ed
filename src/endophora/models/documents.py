"""Documents as inputs of a model: each segment with the segments before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import groupby
from operator import itemgetter

from endophora.models.records import Decoding, ModelInput, Translation, Translator


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
    """Return one input for each segment of a document, with up to ``size`` segments and translations before it."""
    return [document_input(sources, targets, number, size, sides) for number in range(len(sources))]


def document_input(
    sources: Sequence[str], targets: Sequence[str] | None, number: int, size: int, sides: Sides = Sides.BOTH
) -> ModelInput:
    """Return one segment of a document as input, with up to ``size`` segments and translations before it."""
    first = max(0, number - size)
    before = tuple(sources[first:number]) if sides.source else ()
    preceding = tuple(targets[first:number]) if targets is not None and sides.target else ()
    return ModelInput(sources[number], before, preceding)


def translate_documents(
    translator: Translator,
    documents: Sequence[Sequence[str]],
    size: int,
    sides: Sides = Sides.BOTH,
    decoding: Decoding | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[list[Translation]]:
    """Translate documents; where target context is given, it is the model's own translations of the segments before.

    The first segments of all documents are translated together, then the second ones, and so on. Where no translation
    depends on another one, all segments are translated together.
    """
    decoding = decoding or Decoding()
    made: list[list[Translation]] = [[] for _ in documents]
    in_order = size > 0 and sides.target and bool(getattr(translator, "uses_target_context", True))
    segments = [(number, place) for number, document in enumerate(documents) for place in range(len(document))]
    steps = [segments]
    if in_order:
        ordered = sorted(segments, key=itemgetter(1))
        steps = [list(step) for _, step in groupby(ordered, key=itemgetter(1))]
    for step in steps:
        inputs: list[ModelInput] = []
        for number, place in step:
            before = [one.text for one in made[number]] if in_order else None
            inputs.append(document_input(documents[number], before, place, size, sides))
        for (number, _), translation in zip(step, translator.translate(inputs, decoding), strict=True):
            made[number].append(translation)
        if progress is not None:
            progress(len(step))
    return made
