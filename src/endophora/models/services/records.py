"""What a service is asked, what it answers, what that costs, and how far a run has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from endophora.models.records import ModelInput
from endophora.models.services.segments import Joined
from endophora.signature import keyed


@dataclass(frozen=True, slots=True)
class Usage:
    """What is billed, in the unit of the service's price: characters or tokens."""

    input: int = 0
    output: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum."""
        return Usage(self.input + other.input, self.output + other.output)


@keyed(
    irrelevant={
        "way": "what is sent says how the context is given",
        "usage": "a price, not an answer",
        "joined": "how an answer is cut, not what it is",
        "context": "a count: the text has the context itself",
        "target_context": "a count: the text has the translations themselves",
    },
    code=False,
)
@dataclass(frozen=True, slots=True)
class Question:
    """One text that a service is sent; with ``place`` and ``shared`` it determines the answer.

    Attributes:
        shared: all parameters of the request beside the text, as JSON with sorted keys; questions that have it in
            common may go into one request. No key is in it.
        usage: what is expected to be billed, on the high side.
        joined: how the answer is cut; ``None`` if it is the translation as it stands.
    """

    shared: str
    text: str
    way: str
    usage: Usage
    joined: Joined | None = field(default=None, compare=False)
    context: int = 0
    target_context: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answers to a question.

    Attributes:
        note: what the service says is wrong with it (cut off, refused); empty if nothing.
    """

    text: str
    usage: Usage
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run costs, before it.

    Attributes:
        usage: characters or tokens that will be billed, on the high side.
        worst: the price if every answer has the wrong number of segments and all is asked again in other ways; ``None``
            if the price is not known.
    """

    requests: int
    cached: int
    usage: Usage
    unit: str
    amount: float | None
    worst: float | None
    currency: str
    basis: str

    def __str__(self) -> str:
        """Return the estimate as one line."""
        counts = f"{self.requests} requests ({self.cached} translations are in the cache), about {self.usage.input:,}"
        if self.unit == "tokens":
            counts += f" and {self.usage.output:,}"
        if self.amount is None:
            return f"{counts} {self.unit}; {self.basis}"
        money = f"about {self.amount:.4f} {self.currency}, at worst {self.worst:.4f}"
        return f"{counts} {self.unit}: {money} ({self.basis})"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call of ``translate`` has come.

    Attributes:
        total: questions so far; answers of the wrong number of segments make more.
        requests: requests that were made; a request may have several questions, and be made several times.
        retries: requests that had to be made again.
        spent: what all calls of this translator have cost; ``None`` if the price is not known.
    """

    done: int
    total: int
    cached: int
    requests: int
    retries: int
    spent: float | None
    currency: str


class Kind(Enum):
    """Why a request failed."""

    REFUSED = "refused"
    """The service does not accept it, and will not if it is made again."""
    BUSY = "busy"
    """There was no answer, or one that says that there may be one later."""
    UNREADABLE = "unreadable"
    """The answer is not in its form."""
    STOPPED = "stopped"
    """The run was ended meanwhile."""


class RequestError(Exception):
    """A request failed; caught in this package and told as a coded fault."""

    def __init__(self, kind: Kind, cause: str, wait: float | None = None) -> None:
        self.kind, self.cause, self.wait = kind, cause, wait
        super().__init__(cause)


class Service(Protocol):
    """A translation service; one file each."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    @property
    def place(self) -> str:
        """Service and address: the part of a cache key that does not change between questions."""
        ...

    @property
    def signature(self) -> str:
        """Settings that translations depend on; no keys."""
        ...

    @property
    def unit(self) -> str:
        """What usage is counted in: ``"characters"`` or ``"tokens"``."""
        ...

    @property
    def batch(self) -> tuple[int, int]:
        """Most questions, and most bytes of their texts, of one request."""
        ...

    @property
    def uses_target_context(self) -> bool:
        """Whether previous translations change the answer."""
        ...

    def questions(self, item: ModelInput) -> tuple[Question, ...]:
        """Return what to ask for an input: first the way that was chosen, then what to fall back to.

        A question that follows one of the same ``way`` asks it once more. The context is text here, and the source is
        not blank.
        """
        ...

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Make one request, once; one answer for each question. Called from several threads.

        Raises: RequestError: there is none.
        """
        ...
