"""What a service is asked, what it answers and what that costs; several segments in one text, and the answer cut again.

A service that takes no context, or is to see it as text, is sent the context and the current segment together. Each
segment stands behind a numbered marker, so that an answer in which segments were joined, split, dropped or moved is
told from a right one by the numbers, and never shifts a line in silence.
"""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError
from endophora.models.records import ModelInput
from endophora.signature import keyed

_SALT = "x"


class Markers(BaseModel):
    """How markers are written for a service and found in its answers.

    Attributes:
        read: regular expression that finds one whatever the service has made of it, with ``{salt}`` and one group, the
            number.
        markup: whether the text is sent as markup, with markers as elements; all else in it is then escaped.
        thought: regular expression of what a model writes before its answer and is no part of it; empty for none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    write: str
    read: str
    markup: bool = False
    thought: str = ""

    def marker(self, number: int, salt: str = "") -> str:
        """Return the marker of a segment, counted from 1."""
        return self.write.replace("{salt}", salt).replace("{number}", str(number))

    def pattern(self, salt: str = "") -> re.Pattern[str]:
        """Return what finds the markers of a text."""
        return re.compile(self.read.replace("{salt}", re.escape(salt)), re.IGNORECASE)

    def answer(self, text: str, sent: str) -> str:
        """Return a text without what its model thought before; as it is where what was sent looks like a thought."""
        if not self.thought or re.search(self.thought, sent, re.DOTALL | re.IGNORECASE):
            return text
        return re.sub(self.thought, "", text, flags=re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Resegmented:
    """An answer cut into segments.

    Attributes:
        segments: as many as were asked for if ``fault`` is empty; else what there is.
        fault: why they are not the segments that were asked for; empty if they are.
        remark: what came besides them and was left out; empty if nothing.
    """

    segments: tuple[str, ...]
    fault: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Segments in one text.

    Attributes:
        salt: letters in each marker that keep it apart from what stands in the segments.
    """

    text: str
    filled: tuple[bool, ...]
    markers: Markers
    salt: str = ""

    def split(self, answer: str) -> Resegmented:
        """Cut an answer into segments; blanks around them are dropped.

        An answer is right if its markers are numbered as those that were sent, in that order, and no segment is blank
        that was not; what stands before the first marker is left out. Where a single segment was sent, an answer
        without markers is right.
        """
        parts = self.markers.pattern(self.salt).split(self.markers.answer(answer, self.text))
        segments = tuple(self._plain(part) for part in (parts[2::2] if len(parts) > 1 else parts))
        numbers = [int(number) for number in parts[1::2]]
        expected = len(self.filled)
        if not numbers and expected == 1:
            return Resegmented(segments, "" if segments[0] or not self.filled[0] else "the answer is blank")
        if numbers != list(range(1, expected + 1)):
            cause = (
                "in another order" if sorted(numbers) == list(range(1, expected + 1)) else f"{len(numbers)} came back"
            )
            return Resegmented(segments, f"of {_segments(expected)} {cause}")
        blank = [number for number, (is_filled, text) in enumerate(zip(self.filled, segments, strict=True), 1)
                 if is_filled and not text]  # fmt: skip
        if blank:
            return Resegmented(segments, f"of {_segments(expected)} number {blank[0]} came back blank")
        return Resegmented(segments, remark="text before the first segment was left out" if parts[0].strip() else "")

    def _plain(self, part: str) -> str:
        return (html.unescape(part) if self.markers.markup else part).strip()


def join_segments(segments: Sequence[str], markers: Markers) -> Joined:
    """Put segments into one text, each behind its marker.

    If something in a segment would be taken for a marker, letters are added to all markers until nothing is.
    """
    texts = [html.escape(segment, quote=False) if markers.markup else segment for segment in segments]
    salt = ""
    while any(markers.pattern(salt).search(text) for text in texts):
        salt += _SALT
    lines = [f"{markers.marker(number, salt)} {text}" for number, text in enumerate(texts, 1)]
    return Joined("\n".join(lines), tuple(bool(segment.strip()) for segment in segments), markers, salt)


def _segments(count: int) -> str:
    return "1 segment" if count == 1 else f"{count} segments"


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


_MILLION = 1_000_000


class Price(BaseModel):
    """What a service asks.

    Attributes:
        input: price of a million units that are sent.
        output: price of a million units that come back.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: Literal["characters", "tokens"]
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    currency: str = Field(pattern="^[A-Z]{3}$")
    looked_up: datetime.date
    source: str = ""

    def amount(self, usage: Usage) -> float:
        """Return the price of a usage, in the currency."""
        return (usage.input * self.input + usage.output * self.output) / _MILLION

    def __str__(self) -> str:
        """Return the price with its day and its source."""
        figures = f"{self.input:g}" + (f" and {self.output:g}" if self.output else "")
        source = f", {self.source}" if self.source else ""
        return f"{figures} {self.currency} a million {self.unit}, looked up on {self.looked_up}{source}"


def find_price(names: tuple[str, ...], own: Path | None, *, elsewhere: bool = False) -> Price | None:
    """Return the price of a service.

    Raises: InputError: the user's file cannot be read or is not in its form (E247).
    """
    tables = [] if own is None else [_read(own.name, _text(own))]
    if not elsewhere:
        tables.append(_read("prices.yaml", (files("endophora.models.services") / "prices.yaml").read_text("utf-8")))
    return next((table[name] for table in tables for name in names if name in table), None)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Fault("E247", f"cannot be read ({error})", "check the path", str(path))) from error


def _read(file: str, text: str) -> dict[str, Price]:
    try:
        data = load_yaml(text)
    except TreeError as error:
        cause = f"no YAML ({error})"
        raise InputError(Fault("E247", cause, "see docs/services.md for its form", file, error.line)) from error
    if not isinstance(data, dict):
        raise InputError(Fault("E247", "no table of prices", "see docs/services.md for its form", file))
    prices: dict[str, Price] = {}
    faults: list[Fault] = []
    for name, entry in cast("dict[object, object]", data).items():
        try:
            prices[str(name)] = Price.model_validate(entry)
        except ValidationError as error:
            causes = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
            faults.append(Fault("E247", f"“{name}”: {'; '.join(causes)}", "see docs/services.md for its form", file))
    if faults:
        raise InputError(faults)
    return prices
