"""Rows to Parquet: the bytes of a shard, in a worker."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from endophora.engine.records import Row
from endophora.errors import Fault, MissingModelError

PARQUET: dict[str, Any] = {"compression": "zstd", "compression_level": 3, "version": "2.6"}
"""How every Parquet file is written: nothing in it depends on time or place."""


def require(library: str, extra: str) -> None:
    """Check that an optional library is installed.

    Args:
        library: the name to import.
        extra: the extra of this package that brings it.

    Raises:
        MissingModelError: it is not (E150).
    """
    if find_spec(library) is None:
        advice = f"install it with: pip install 'endophora[{extra}]'"
        raise MissingModelError(Fault("E150", f"the engine needs {library}, which is not installed", advice))


def arrow() -> Any:
    """Return the module ``pyarrow``.

    Raises:
        MissingModelError: it is not installed (E150).
    """
    require("pyarrow", "extract")
    return import_module("pyarrow")


def parquet() -> Any:
    """Return the module ``pyarrow.parquet``.

    Raises:
        MissingModelError: it is not installed (E150).
    """
    require("pyarrow", "extract")
    return import_module("pyarrow.parquet")


def rows_to_parquet(rows: Iterable[Row], schema: Any) -> tuple[bytes, int]:
    """Return a Parquet file of rows, and the number of rows.

    Args:
        rows: each with all columns of the schema and no others.
        schema: a ``pyarrow.Schema``.

    Raises:
        ValueError: a row has other columns than the schema, or a value does not fit its column's type.
        TypeError: a value does not fit its column's type.
    """
    held = list(rows)
    names: set[str] = set(schema.names)
    for row in held:
        if set(row) != names:
            # pyarrow would fill what is missing with nulls and leave out what it does not know.
            raise ValueError(f"a row has the columns {sorted(row)}; the schema has {sorted(names)}")
    table = arrow().Table.from_pylist(held, schema=schema)
    stream = BytesIO()
    parquet().write_table(table, stream, **PARQUET)
    return stream.getvalue(), len(held)
