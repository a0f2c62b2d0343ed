"""Records kept as the columns of a table, and made when one is asked for.

A frozen dataclass sets each field of each record through ``object.__setattr__``, which for the tens of fields of an
item costs more than reading the file it came from; and what scores a suite looks at a few columns only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from itertools import repeat
from typing import Any, TypeVar, cast, overload

_Record = TypeVar("_Record")


class Table(Sequence[_Record]):
    """Records of one kind, as if made one by one; it is equal to any sequence of equal records.

    Args:
        kind: a dataclass with slots whose ``__init__`` sets its fields and no more.
        count: how many.
        columns: field → its value in each record; a field that is not here has its default. They are kept as they are.

    Raises:
        ValueError: a column is not as long as the records are many, or a field without default has none.
        TypeError: a column is no field of theirs, or the class has no slots or does more when it is made.
    """

    def __init__(self, kind: type[_Record], count: int, columns: Mapping[str, Sequence[object]]) -> None:
        own: tuple[Field[Any], ...] = fields(cast("Any", kind))
        if unknown := columns.keys() - {field.name for field in own}:
            raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
        if "__slots__" not in vars(kind) or hasattr(kind, "__post_init__"):
            raise TypeError(f"{kind.__name__} cannot be made from columns")
        for field in own:
            if field.name in columns and len(columns[field.name]) != count:
                raise ValueError(f"{len(columns[field.name])} values of {field.name} for {count} records")
            if field.name not in columns and field.default is MISSING and field.default_factory is MISSING:
                raise ValueError(f"{field.name} has neither values nor a default")
        self._kind, self._count, self._columns, self._fields = kind, count, columns, own
        self._made: tuple[_Record, ...] | None = None

    def column(self, name: str) -> Sequence[Any]:
        """Return the value of a field in each record."""
        if name in self._columns:
            return self._columns[name]
        (field,) = (field for field in self._fields if field.name == name)
        if field.default is not MISSING:
            return [field.default] * self._count
        return [getattr(record, name) for record in self]

    def __len__(self) -> int:
        """Return the number of records."""
        return self._count

    @overload
    def __getitem__(self, place: int) -> _Record: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Record, ...]: ...

    def __getitem__(self, place: int | slice) -> _Record | tuple[_Record, ...]:
        """Return a record, or a tuple of some."""
        return self._records()[place]

    def __iter__(self) -> Iterator[_Record]:
        """Yield the records."""
        return iter(self._records())

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is a sequence of equal records."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return self._records() == tuple(cast("Sequence[object]", other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the records as a tuple shows them."""
        return repr(self._records())

    def _records(self) -> tuple[_Record, ...]:
        if self._made is None:
            new = cast("Callable[[type[_Record]], _Record]", object.__new__)
            made = tuple(map(new, repeat(self._kind, self._count)))
            for field in self._fields:
                # One slot of all records, then the next: the slot's own descriptor, which what makes the class frozen
                # does not stand before.
                fill = cast("Callable[[_Record, object], None]", getattr(self._kind, field.name).__set__)
                deque(map(fill, made, self._values(field)), maxlen=0)
            self._made = made
        return self._made

    def _values(self, field: Field[Any]) -> Sequence[object] | repeat[object]:
        if field.name in self._columns:
            return self._columns[field.name]
        if field.default is not MISSING:
            return repeat(field.default, self._count)
        factory = cast("Callable[[], object]", field.default_factory)
        return [factory() for _ in range(self._count)]


def column(records: Sequence[_Record], name: str) -> Sequence[Any]:
    """Return the value of a field in each record, without making the records of a table."""
    if isinstance(records, Table):
        return records.column(name)
    return [getattr(record, name) for record in records]
