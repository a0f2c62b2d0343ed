"""What models have room for: asked before anything is scored, so that alternatives get the same context."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from endophora.corpus.records import Location
from endophora.errors import Fault, InputError
from endophora.models.layout import TOO_LONG
from endophora.models.records import ContextRead, Decoding, Fit, Fitter, ModelInput, Translation, Translator

SKIP = "--skip-faults"
"""The option that leaves out what is too long."""


def fitted(
    model: object, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> list[Fit]:
    """Return what a model would make of each input; of a model that does not tell, nothing is known beforehand.

    Args:
        model: any.
        inputs: sources with their contexts.
        targets: for each the target to be scored; ``None`` where it is to be found.
        decoding: how it would be searched for.
    """
    return model.fit(inputs, targets, decoding) if isinstance(model, Fitter) else [Fit()] * len(inputs)


def trimmed(given: ModelInput, context: ContextRead | None) -> ModelInput:
    """Return an input with no more context than is read of it: the last sentences of each side."""
    if context is None:
        return given
    source, target = given.source_context, given.target_context
    return ModelInput(
        given.source,
        source[max(0, len(source) - context.source.kept) :],
        target[max(0, len(target) - context.target.kept) :],
    )


def too_long(
    model: object, sources: Sequence[str], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> dict[int, str]:
    """Return the places of segments that a model cannot take even without context, and why."""
    found = fitted(model, [ModelInput(source) for source in sources], targets, decoding)
    return {place: one.excess for place, one in enumerate(found) if one.excess}


class Leaving:
    """A translator that leaves some sources blank.

    Args:
        translator: the model.
        sources: what it is not asked for.
    """

    def __init__(self, translator: Translator, sources: Container[str]) -> None:
        self._translator, self._sources = translator, sources

    @property
    def signature(self) -> str:
        """That of the model."""
        return self._translator.signature

    @property
    def uses_target_context(self) -> bool:
        """Whether previous translations change what it says."""
        return bool(getattr(self._translator, "uses_target_context", True))

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input; one that is left out has a blank translation."""
        asked = [one for one in inputs if one.source not in self._sources]
        made = iter(self._translator.translate(asked, decoding or Decoding()))
        blank = Translation("", context=ContextRead())
        return [blank if one.source in self._sources else next(made) for one in inputs]


def skip_long(found: Mapping[int, str], locations: Sequence[Location], skip: bool) -> list[str]:
    """Return a warning for each segment that is too long and left out.

    Args:
        found: places and reasons, of :func:`too_long`.
        locations: where each segment stands.
        skip: whether it is left out.

    Raises:
        InputError: some are too long and are not to be left out, or nothing is left (E281); all are named.
    """
    places = [(locations[place], cause) for place, cause in sorted(found.items())]
    if found and (not skip or len(found) == len(locations)):
        advice = TOO_LONG if skip else f"{TOO_LONG}, or leave it out with {SKIP}"
        raise InputError(Fault("E281", cause, advice, at.file, at.line or None) for at, cause in places)
    return [f"{at.file}{f':{at.line}' if at.line else ''} is left out: {cause}" for at, cause in places]
