"""How much context models have room for, and how much they read, counted over segments."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from pydantic import Field

from endophora.corpus.records import Location
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.models.layout import TOO_LONG
from endophora.models.records import (
    ContextRead,
    Decoding,
    Fit,
    Fitter,
    ModelInput,
    ScoredTarget,
    SideRead,
    Translation,
    Translator,
    read_whole,
)
from endophora.record import Record


def read_sides(name: str) -> Sides:
    """Return on which sides context is given; of another name E326."""
    if name not in ("source", "target", "both"):
        raise InputError(Fault("E326", f"“{name}” is none of them", "choose source, target or both", "--sides"))
    return Sides(name)


def read_each_side(names: Iterable[str]) -> tuple[Sides, ...]:
    """Return each of several sides; of another name E326."""
    return tuple(map(read_sides, names))


def choice_faults(code: str, *choices: tuple[str, str, Sequence[str]]) -> list[Fault]:
    """Return a fault for each option whose value is none of those known: option, value, known ones."""
    return [
        Fault(code, f"“{value}” is none of them", f"choose {', '.join(known)}", option)
        for option, value, known in choices
        if value not in known
    ]


SKIP = "--skip-faults"
"""The option that leaves out what is too long."""


def fitted(
    model: object, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> list[Fit]:
    """Return what a model would make of each input; of a model that does not report it, nothing is known beforehand."""
    return model.fit(inputs, targets, decoding) if isinstance(model, Fitter) else [Fit()] * len(inputs)


def trimmed(given: ModelInput, context: ContextRead | None) -> ModelInput:
    """Return an input with no more context than is read of it: the last sentences of each side."""
    return given if context is None else given.filled(context.source.kept, context.target.kept)


def too_long(
    model: object, sources: Sequence[str], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> dict[int, str]:
    """Return the places of segments that a model cannot take even without context, and why."""
    found = fitted(model, [ModelInput(source) for source in sources], targets, decoding)
    return {place: one.excess for place, one in enumerate(found) if one.excess}


class Leaving:
    """A translator that leaves some sources blank."""

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
    """Return a warning for each segment that is too long and left out; E281 if it may not be, or nothing is left."""
    places = [(locations[place], cause) for place, cause in sorted(found.items())]
    if found and (not skip or len(found) == len(locations)):
        advice = TOO_LONG if skip else f"{TOO_LONG}, or leave it out with {SKIP}"
        raise InputError(Fault("E281", cause, advice, at.file, at.line or None) for at, cause in places)
    return [f"{at.file}{f':{at.line}' if at.line else ''} is left out: {cause}" for at, cause in places]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable a model finds a target: the log-probability of the whole, its end included, and its tokens."""

    total: float
    tokens: int
    context: ContextRead | None = None


class ContextCounts(Record):
    """Segments by what happened to their context, and sentences and tokens of it on each side."""

    segments: int = Field(description="all of them")
    given: int = Field(description="segments that were given any context")
    whole: int = Field(description="of these: all of it was read")
    cut: int = Field(description="of these: a part of it was read, the rest was cut off or left out")
    lost: int = Field(description="of these: nothing of it was read")
    assumed: int = Field(description="of these: the model does not tell, and all counts as read")
    source_given: int = Field(description="sentences of source context")
    source_kept: int
    target_given: int = Field(description="sentences of target context")
    target_kept: int
    source_tokens_given: int | None = Field(description="of these sentences; null where a model does not tell")
    source_tokens_kept: int | None
    target_tokens_given: int | None
    target_tokens_kept: int | None

    @property
    def kept(self) -> int:
        """Segments that were read with any context."""
        return self.whole + self.cut


def count_context(reads: Iterable[ContextRead]) -> ContextCounts:
    """Count what happened to the context of some segments."""
    found = list(reads)
    states = [one.state for one in found]
    counts: dict[str, int | None] = {state: states.count(state) for state in ("whole", "cut", "lost")}
    for side, sides in (("source", [one.source for one in found]), ("target", [one.target for one in found])):
        counts[f"{side}_given"] = sum(one.given for one in sides)
        counts[f"{side}_kept"] = sum(one.kept for one in sides)
        counts[f"{side}_tokens_given"] = _sum(one.given_tokens for one in sides)
        counts[f"{side}_tokens_kept"] = _sum(one.kept_tokens for one in sides)
    given = len(found) - states.count("none")
    return ContextCounts.model_validate(
        {"segments": len(found), "given": given, "assumed": sum(one.assumed for one in found), **counts}
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = list(numbers)
    return None if None in known else sum(one or 0 for one in known)


def cut_warnings(name: str, counts: ContextCounts) -> list[str]:
    """Return a warning if context was cut off or left out; nothing if all was read."""
    if counts.whole == counts.given:
        return []
    return [
        f"{name}: of {counts.given:,} segments that were given context, {counts.cut:,} were read with a part of it and "
        f"{counts.lost:,} with none"
    ]


def untold_warnings(name: str, counts: Iterable[ContextCounts]) -> list[str]:
    """Return a warning if a model does not report how much of its context it reads."""
    if not any(one.assumed for one in counts):
        return []
    return [f"{name} does not tell how much of its context it reads: all of it counts as read"]


def context_of(answer: Translation | ScoredTarget | Likelihood, given: ModelInput) -> ContextRead:
    """Return how much context an answer had; of a model that does not report it, all that it was given."""
    return read_whole(given) if answer.context is None else answer.context


def pack_context(context: ContextRead | None) -> object:
    """Return how much context an answer had as JSON can hold it."""
    return None if context is None or context.assumed else [astuple(context.source), astuple(context.target)]


def unpack_context(packed: Sequence[Sequence[Any]] | None) -> ContextRead | None:
    """Return what :func:`pack_context` was given, from JSON."""
    return None if packed is None else ContextRead(SideRead(*packed[0]), SideRead(*packed[1]))
