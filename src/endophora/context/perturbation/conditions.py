"""The conditions under which a model is tried: what stands in the place of the context, and on which side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.signature import keyed


class Kind(StrEnum):
    """What is given as context."""

    CORRECT = "correct"
    """The segments before, and the model's own translations of them: the paper's correct context."""
    RANDOM = "random"
    """Tokens drawn uniformly from the model's vocabulary, as many as the real context has, sentence by sentence."""
    SENTENCES = "sentences"
    """As many segments from other documents, with the model's own translations of them."""
    SHUFFLED = "shuffled"
    """The real context's sentences in another order, the same on both sides."""
    SHUFFLED_WORDS = "shuffled-words"
    """The real context's sentences in their order, the words within each in another."""
    GOLD = "gold"
    """The segments before, and their references in the place of the model's own translations."""
    NONE = "none"
    """Nothing."""


DESCRIPTIONS: dict[Kind, str] = {
    Kind.CORRECT: "the segments before, with the model's own translations of them",
    Kind.RANDOM: "random tokens of the model's vocabulary, as many as the correct context has",
    Kind.SENTENCES: "as many segments of other documents, with the model's own translations of them",
    Kind.SHUFFLED: "the sentences of the correct context in another order",
    Kind.SHUFFLED_WORDS: "the words of each sentence of the correct context in another order",
    Kind.GOLD: "the segments before, with their references",
    Kind.NONE: "no context",
}
"""What is given as context, as reports say it."""


@keyed()
@dataclass(frozen=True, slots=True)
class Condition:
    """What stands in the place of the context.

    Attributes:
        kind: what it is.
        perturbed: the side on which it stands; the other side has the correct context.
    """

    kind: Kind
    perturbed: Sides = Sides.BOTH

    @property
    def name(self) -> str:
        """``random``, or with a side ``random:source``."""
        return self.kind.value if self.perturbed is Sides.BOTH else f"{self.kind.value}:{self.perturbed.value}"

    @property
    def description(self) -> str:
        """What it is, for reports."""
        if self.perturbed is Sides.BOTH:
            return DESCRIPTIONS[self.kind]
        other = Sides.TARGET if self.perturbed is Sides.SOURCE else Sides.SOURCE
        return f"{DESCRIPTIONS[self.kind]}, on the {self.perturbed.value} side; the {other.value} side is correct"


CORRECT = Condition(Kind.CORRECT)
NONE = Condition(Kind.NONE)
DEFAULT = (CORRECT, Condition(Kind.RANDOM), NONE)
"""The columns of the paper's Table 2."""


def read_conditions(names: Sequence[str], given: Sides = Sides.BOTH) -> tuple[Condition, ...]:
    """Return the conditions of some names, the correct context first, whether or not it is named.

    Args:
        names: such as ``random``, or ``random:source`` to perturb one side only; those of :data:`DEFAULT` if there are
            none.
        given: the sides on which the models are given context at all.

    Raises:
        InputError: a name or a side is unknown, a condition is there twice, or it perturbs a side on which no context
            is given (E325); all at once.
    """
    found: dict[Condition, None] = {CORRECT: None}
    faults: list[Fault] = []
    seen: set[str] = set()
    for name in names or [condition.name for condition in DEFAULT]:
        kind, _, side = name.partition(":")
        if kind not in set(Kind) or side not in ("", "source", "target"):
            known = ", ".join(Kind)
            faults.append(_fault(name, "is no condition", f"{known}; one side only: random:source, random:target"))
            continue
        if name in seen:
            faults.append(_fault(name, "is given twice", "give it once"))
            continue
        seen.add(name)
        condition = Condition(Kind(kind), Sides(side) if side else Sides.BOTH)
        if reason := _reason(condition, given):
            faults.append(_fault(name, *reason))
        found[condition] = None
    if faults:
        raise InputError(faults)
    return tuple(found)


def _reason(condition: Condition, given: Sides) -> tuple[str, str] | None:
    """Say why a condition makes no sense, and what to do; ``None`` if it does."""
    if condition.kind in (Kind.CORRECT, Kind.GOLD) and condition.perturbed is not Sides.BOTH:
        return "has no side", f"write {condition.kind.value}"
    if given is not Sides.BOTH and condition.perturbed not in (Sides.BOTH, given):
        return f"perturbs a side on which no context is given ({given.value} only)", "--sides both"
    if condition.kind is Kind.GOLD and not given.target:
        return "is of target context, and none is given", "--sides both"
    return None


def _fault(name: str, cause: str, advice: str) -> Fault:
    return Fault("E325", f"“{name}” {cause}", advice, "--condition")
