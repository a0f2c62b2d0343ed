"""What a service is asked, what it answers and what that costs; several segments in one text, and the answer cut again.

A service that takes no context, or is to see it as text, is sent the context and the current segment together. Each
segment follows a numbered marker, so that an answer in which segments were joined, split, dropped or moved is
recognised by the numbers, and never shifts a line in silence.
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
from typing import Literal, cast

from pydantic import Field, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError
from endophora.record import Fixed
from endophora.signature import keyed

_SALT = "x"


class Markers(Fixed):
    """How markers are written for a service and found in its answers.

    Attributes:
        read: regular expression that finds one in any form that the service returns, with ``{salt}`` and one group, the
            number.
        markup: whether the text is sent as markup, with markers as elements; all else in it is then escaped.
        thought: regular expression of what a model writes before its answer and is no part of it; empty for none.
    """

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
        """Return a text without what its model thought before; unchanged where what was sent looks like a thought."""
        if not self.thought or re.search(self.thought, sent, re.DOTALL | re.IGNORECASE):
            return text
        return re.sub(self.thought, "", text, flags=re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Resegmented:
    """An answer cut into segments: as many as were asked for unless there is a fault.

    Attributes:
        fault: why they are not the segments that were asked for; empty if they are.
        remark: what came besides them and was left out; empty if nothing.
        usable: the last one is the translation of the current segment in spite of the fault.
    """

    segments: tuple[str, ...]
    fault: str = ""
    remark: str = ""
    usable: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """Segments in one text; ``salt`` is letters in each marker that keep it apart from what is in the segments."""

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
        before, parts = self.parts(answer)
        segments = tuple(part for _, part in parts) if parts else (before,)
        numbers, expected = [number for number, _ in parts], len(self.filled)
        if not numbers and expected == 1:
            return Resegmented(segments, "" if segments[0] or not self.filled[0] else "the answer is blank")
        asked = f"of {expected} segment{'s' if expected != 1 else ''}"
        if numbers != list(range(1, expected + 1)):
            moved = sorted(numbers) == list(range(1, expected + 1))
            return Resegmented(segments, f"{asked} {'in another order' if moved else f'{len(numbers)} came back'}")
        for number, (is_filled, text) in enumerate(zip(self.filled, segments, strict=True), 1):
            if is_filled and not text:
                return Resegmented(segments, f"{asked} number {number} came back blank")
        return Resegmented(segments, remark="text before the first segment was left out" if before else "")

    @property
    def variables(self) -> dict[str, object]:
        """What prompts say of it."""
        first, last = (self.markers.marker(number, self.salt) for number in (1, len(self.filled)))
        return {"text": self.text, "count": len(self.filled), "first": first, "last": last}

    def parts(self, answer: str) -> tuple[str, list[tuple[int, str]]]:
        """Return what stands before the first marker, and the number of each marker with the text behind it."""
        split = self.markers.pattern(self.salt).split(self.markers.answer(answer, self.text))
        before, *texts = ((html.unescape(part) if self.markers.markup else part).strip() for part in split[::2])
        return before, list(zip(map(int, split[1::2]), texts, strict=True))


def join_segments(segments: Sequence[str], markers: Markers) -> Joined:
    """Put segments into one text, each behind its marker.

    If something in a segment would be read as a marker, letters are added to all markers until nothing is.
    """
    texts = [html.escape(segment, quote=False) if markers.markup else segment for segment in segments]
    salt = ""
    while any(markers.pattern(salt).search(text) for text in texts):
        salt += _SALT
    lines = [f"{markers.marker(number, salt)} {text}" for number, text in enumerate(texts, 1)]
    return Joined("\n".join(lines), tuple(bool(segment.strip()) for segment in segments), markers, salt)


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
        shared: all parameters of the request except the text, as JSON with sorted keys; questions that have it in
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
    """What a service answers; ``note`` is what it says is wrong with it (cut off, refused), empty if nothing."""

    text: str
    usage: Usage
    note: str = ""


CUT_OFF = "the service cut the translation off"
"""The note of an answer that came to its greatest length."""


def total_usage(billed: Sequence[Question | Answer]) -> Usage:
    """Return the sum of what is billed, or expected to be."""
    return sum((one.usage for one in billed), Usage())


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


@dataclass(slots=True)
class ServiceProgress:
    """How far a call of ``translate`` has come.

    Attributes:
        total: questions so far; answers of the wrong number of segments make more.
        requests: requests that were made; a request may have several questions, and be made several times.
        retries: requests that had to be made again.
        spent: what all calls of this translator have cost; ``None`` if the price is not known.
    """

    done: int = 0
    total: int = 0
    cached: int = 0
    requests: int = 0
    retries: int = 0
    spent: float | None = None
    currency: str = ""


class Kind(Enum):
    """Why a request failed."""

    REFUSED = "refused"
    """The service does not accept it, and will not if it is made again."""
    BUSY = "busy"
    """There was no answer, or one that says that there may be one later."""
    UNREADABLE = "unreadable"
    """The answer is not in its form."""
    UNSCORED = "unscored"
    """The answer has no log-probabilities."""
    OTHER_TOKENS = "other tokens"
    """The answer is about other tokens than were sent."""
    STOPPED = "stopped"
    """The run was ended meanwhile."""


class RequestError(Exception):
    """A request failed; caught in this package and reported as a coded fault."""

    def __init__(self, kind: Kind, cause: str, wait: float | None = None) -> None:
        self.kind, self.cause, self.wait = kind, cause, wait
        super().__init__(cause)


_MILLION = 1_000_000


class Price(Fixed):
    """What a service asks for a million units that are sent, and for a million that come back."""

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


_FORM = "see docs/services.md for its form"


def find_price(names: tuple[str, ...], own: Path | None, *, elsewhere: bool = False) -> Price | None:
    """Return the price of a service: the user's (E247), or, unless the service is elsewhere, the package's."""
    tables: list[dict[str, Price]] = []
    if own is not None:
        try:
            text = own.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(Fault("E247", f"cannot be read ({error})", "check the path", str(own))) from error
        tables.append(_read_prices(own.name, text))
    if not elsewhere:
        text = (files("endophora.models.services") / "prices.yaml").read_text("utf-8")
        tables.append(_read_prices("prices.yaml", text))
    return next((table[name] for table in tables for name in names if name in table), None)


def _read_prices(file: str, text: str) -> dict[str, Price]:
    try:
        data = load_yaml(text)
    except TreeError as error:
        raise InputError(Fault("E247", f"no YAML ({error})", _FORM, file, error.line)) from error
    if not isinstance(data, dict):
        raise InputError(Fault("E247", "no table of prices", _FORM, file))
    prices: dict[str, Price] = {}
    faults: list[Fault] = []
    for name, entry in cast("dict[object, object]", data).items():
        try:
            prices[str(name)] = Price.model_validate(entry)
        except ValidationError as error:
            causes = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False))
            faults.append(Fault("E247", f"“{name}”: {'; '.join(causes)}", _FORM, file))
    if faults:
        raise InputError(faults)
    return prices
