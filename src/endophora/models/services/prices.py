"""What services ask: a table with the day on which each price was looked up, and the user's own before it."""

from __future__ import annotations

import datetime
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError
from endophora.models.services.records import Usage

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
