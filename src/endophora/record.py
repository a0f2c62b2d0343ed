"""What every result is made of: records that cannot be changed and take no other field, figures, and their files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from endophora.files import write_whole


class Fixed(BaseModel):
    """Data that cannot be changed, and that take no other field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Record(Fixed):
    """A part of a result."""


Part = TypeVar("Part", bound=Record)


class Interval(Record):
    """A confidence interval, at the level that the settings name, in the unit of the figure next to it."""

    low: float
    high: float


class Figure(Record):
    """A value with its interval; a study says in separate fields what it is of."""

    value: float | None = Field(description="null where there is nothing to count")
    interval: Interval | None


class Difference(Record):
    """A tested difference; a study says in separate fields between what."""

    difference: float
    interval: Interval | None
    p_value: float
    p_adjusted: float = Field(description="Holm, over the family of tests that the study names")
    significant: bool


class SystemDifference(Difference):
    """A system compared with the baseline."""

    system: str
    baseline: str
    difference: float = Field(description="system minus baseline")


class ResamplingSettings(Record):
    """How intervals and tests were computed, in the settings of a result."""

    units: Literal["documents", "segments", "words"] = Field(description="what was drawn and swapped as a whole")
    resamples: int
    confidence: float = Field(description="level of the intervals, 0.95 for 95 %")
    alpha: float = Field(description="level of significance, after correction")
    seed: int

    @classmethod
    def of(cls, options: object, **fields: object) -> Self:
        """Return the settings that options name, with some fields as given."""
        known = {name: getattr(options, name) for name in cls.model_fields if hasattr(options, name)}
        return cls.model_validate({**known, **fields})


def _shown_by() -> Any:
    """Return the module that shows results: this one is below it, and only a result that is looked at needs it."""
    return import_module("endophora.report.notebook")


class WrittenRecord(Record):
    """A whole result, which is written as JSON and read again; notebooks and libraries of tables can show it."""

    def __repr__(self) -> str:
        """Return its kind, and how much is in it: the whole would fill the screen many times."""
        fields = ((name, getattr(self, name)) for name in type(self).model_fields)
        sizes = [f"{name} {len(cast('list[object]', value))}" for name, value in fields if isinstance(value, list)]
        return f"<{type(self).__name__}: {', '.join(sizes)}>"

    __str__ = __repr__

    def to_html(self) -> str:
        """Return what a notebook shows: the main table, and the page in a frame."""
        return _shown_by().html_text(self)

    def _repr_html_(self) -> str:
        """Return it to a notebook that asks for it."""
        return self.to_html()

    def plot(self, kind: str = "") -> Any:
        """Return a drawing for a notebook or a file: ``matrix`` (of evaluations), or ``intervals`` (E090: neither)."""
        return _shown_by().plot(self, kind)

    def to_pandas(self) -> Any:
        """Return the rows of the CSV report as a data frame of pandas (E150: it is not installed)."""
        return _shown_by().to_pandas(self)

    def to_polars(self) -> Any:
        """Return the rows of the CSV report as a data frame of Polars (E150: it is not installed)."""
        return _shown_by().to_polars(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the rows of the CSV report to any library of tables by Arrow's interface (E150: no pyarrow)."""
        return _shown_by().to_arrow(self).__arrow_c_stream__(requested_schema)

    def write(self, path: Path) -> None:
        """Write the result as JSON, whole or not at all (E154, E155); NaN never occurs in it."""
        # As bytes: text takes four times the memory where one character of it, as an emoji, is beyond 16 bits.
        write_whole(path, TypeAdapter(type(self)).dump_json(self, indent=1) + b"\n")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a result that :meth:`write` wrote."""
        return cls.model_validate_json(path.read_bytes())


class StudyResult(WrittenRecord):
    """A whole result of one study."""

    schema_version: int = 2
    version: str = Field(description="of the package")
    signature: str


def first_of(records: Iterable[Part], **fields: object) -> Part | None:
    """Return the first of a result's records whose fields have these values, ``None`` if there is none."""
    wanted = fields.items()
    return next((each for each in records if all(getattr(each, name) == value for name, value in wanted)), None)


def find(records: Iterable[Part], **fields: object) -> Part:
    """Return the first of a result's records whose fields have these values; KeyError, with the nearest, for none."""
    records = list(records)
    found = first_of(records, **fields)
    if found is None:
        raise KeyError(_missing(records, fields))
    return found


def _missing(records: Iterable[Record], fields: dict[str, object]) -> str:
    """Return which values no record has, and which come nearest."""
    wanted = ", ".join(f"{name} {value!r}" for name, value in fields.items())
    hints: list[str] = []
    for name, value in fields.items():
        known = list(dict.fromkeys(str(getattr(each, name)) for each in records))
        if str(value) not in known:
            near = get_close_matches(str(value), known, 1, 0.5)
            hints.append(f"did you mean {name} {near[0]!r}?" if near else f"{name} is one of {', '.join(known)}")
    return f"there is none of {wanted}; {' '.join(hints)}" if hints else f"there is none of {wanted} together"


def number_of(value: float) -> float | None:
    """Return a number, ``None`` for NaN."""
    return None if math.isnan(value) else float(value)


def interval_of(low: float, high: float) -> Interval | None:
    """Return the interval between two bounds, ``None`` where one is NaN; minus zero becomes zero."""
    return None if math.isnan(low) or math.isnan(high) else Interval(low=float(low) + 0.0, high=float(high) + 0.0)


def number(value: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """Return a figure with a proper minus, and a plus where it is a difference; a dash where there is none."""
    if value is None:
        return "–"
    # Adding zero takes the sign off a negative zero.
    text = f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}"
    return text.replace("-", "−")


def p_number(p_value: float) -> str:
    """Return a p-value where a head says that it is one: ``0.042``, or ``< 0.001``."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def p_text(p_value: float) -> str:
    """Return a p-value as it is shown: ``p = 0.042``, or ``p < 0.001``."""
    return f"p {p_number(p_value)}" if p_value < 0.001 else f"p = {p_number(p_value)}"
