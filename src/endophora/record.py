"""What every result is made of: records that cannot be changed and take no other field, intervals, and their files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Interval(Record):
    """A confidence interval, at the level that the settings name, in the unit of the figure beside it."""

    low: float
    high: float


class WrittenRecord(Record):
    """A whole result, which is written as JSON and read again."""

    def write(self, path: Path) -> None:
        """Write the result as JSON; NaN never occurs in it."""
        path.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a result that :meth:`write` wrote.

        Raises:
            pydantic.ValidationError: the file holds no such result.
        """
        return cls.model_validate_json(path.read_bytes())


def interval_of(low: float, high: float) -> Interval | None:
    """Return the interval between two bounds, ``None`` where they are not known (NaN); minus nought is nought."""
    return None if math.isnan(low) or math.isnan(high) else Interval(low=float(low) + 0.0, high=float(high) + 0.0)
