"""How much context models were given and how much they read, counted over segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Protocol

from pydantic import Field

from endophora.models.records import ContextRead, ModelInput, SideRead, read_whole
from endophora.record import Record


class Answer(Protocol):
    """What a model has said of an input: a score, or a translation."""

    @property
    def context(self) -> ContextRead | None:
        """How much context it had; ``None`` where the model does not tell."""
        ...


class ContextCounts(Record):
    """Segments by what became of their context, and sentences and tokens of it on each side."""

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

    def __str__(self) -> str:
        """Return the segments in a few words, ``186 of 200 segments with context: 54 whole, 73 cut, 59 lost all``."""
        states = f"{self.whole:,} whole, {self.cut:,} cut, {self.lost:,} lost all"
        return f"{self.given:,} of {self.segments:,} segments with context: {states}"


def count_context(reads: Iterable[ContextRead]) -> ContextCounts:
    """Count what became of the context of some segments."""
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
    """Return a warning if context was cut off or left out; nothing if all was read.

    Args:
        name: of the model and, where there are several, of what it was given.
        counts: what became of the context.
    """
    if counts.whole == counts.given:
        return []
    return [
        f"{name}: of {counts.given:,} segments that were given context, {counts.cut:,} were read with a part of it and "
        f"{counts.lost:,} with none"
    ]


def untold_warnings(name: str, counts: Iterable[ContextCounts]) -> list[str]:
    """Return a warning if a model does not tell how much of its context it reads.

    Args:
        name: of the model.
        counts: what became of the context, in each condition.
    """
    if not any(one.assumed for one in counts):
        return []
    return [f"{name} does not tell how much of its context it reads: all of it counts as read"]


def context_of(answer: Answer, given: ModelInput) -> ContextRead:
    """Return how much context an answer had; of a model that does not tell, all that it was given."""
    return read_whole(given) if answer.context is None else answer.context


def pack_context(context: ContextRead | None) -> object:
    """Return how much context an answer had as JSON can hold it."""
    return None if context is None or context.assumed else [astuple(context.source), astuple(context.target)]


def unpack_context(packed: Sequence[Sequence[int | None]] | None) -> ContextRead | None:
    """Return what :func:`pack_context` was given, from JSON."""
    return None if packed is None else ContextRead(_side(*packed[0]), _side(*packed[1]))


def _side(given: int | None, kept: int | None, given_tokens: int | None, kept_tokens: int | None) -> SideRead:
    return SideRead(given or 0, kept or 0, given_tokens, kept_tokens)
