"""Results in notebooks and data frames: a table with the page in a frame, and rows for pandas, Polars and Arrow."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import compress, islice
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel
from rich.text import Text

from endophora.errors import Fault, MissingModelError
from endophora.report.formats import html, view_of
from endophora.report.plot import plot as plot
from endophora.report.static_page import html_of
from endophora.report.table import Table, fitted

MOST_BYTES = 8_000_000
"""A page that is larger is not put into a notebook, which would carry it along."""

_SECTIONS = 2
"""Sections of a report that stand above the page: the head, and the main table."""

_RELATIONS = ("correlation", "human", "agreement")
_RELATION = ("against", "level", "coefficient", "pairs")
"""Kinds of rows of an evaluation that are no scores, and the columns that they alone fill."""

_STYLE = Markup(
    "<style>.endophora th{{text-align:left}}.endophora small{{margin-left:.6em;opacity:.75}}"
    ".endophora p{{margin:.3em 0}}</style><div class='endophora'>{}</div>"
)
_FRAME = Markup(
    '<iframe title="report" sandbox="allow-scripts allow-downloads" srcdoc="{}" '
    'style="width:100%;height:40rem;border:1px solid #8884"></iframe>'
)
_LARGE = Markup("<p>The page has {:.0f} MB: endophora.write_report(result, folder) writes it into a file.</p>")


def html_text(result: BaseModel, *, page: bool = True) -> str:
    """Return what a notebook shows of a result: the first tables of its report and, in a sandboxed frame, its page."""
    sections = islice(view_of(result).sections(result), _SECTIONS)
    parts = _STYLE.format(Markup("\n").join(_html(part) for section in sections for part in fitted(section)))
    if not page:
        return str(parts)
    whole = html(result)
    size = len(whole.encode("utf-8", "replace"))
    return str(parts + (_FRAME.format(whole) if size <= MOST_BYTES else _LARGE.format(size / 1e6)))


def _html(part: str | Text | Table) -> Markup:
    if isinstance(part, Text) and part.style == "bold":
        return Markup("<p><strong>{}</strong></p>").format(part.plain)
    if isinstance(part, Table):
        # A page shows intervals below their figures.
        columns = [replace(each, on="text") if each.name == "interval" else each for each in part.columns]
        part = replace(part, columns=columns)
    return html_of(part)


def records(result: BaseModel) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the values of the columns of a result's CSV, without correlations and people's scores.

    A column of several types is one of text.
    """
    header, *rows = ([*row] for row in view_of(result).rows(result))
    if "coefficient" in header and "kind" in header:
        kind, kept = header.index("kind"), [name not in _RELATION for name in header]
        rows = [list(compress(row, kept)) for row in rows if row[kind] not in _RELATIONS]
        header = list(compress(header, kept))
    columns: list[list[Any]] = [[row[at] for row in rows] for at in range(len(header))]
    for column in columns:
        if len({isinstance(value, str) for value in column if value is not None}) > 1:
            column[:] = [None if value is None else str(value) for value in column]
    return list(map(str, header)), columns


def to_pandas(result: BaseModel) -> Any:
    """Return the rows of a result's CSV as a data frame of pandas (E150: it is not installed)."""
    names, columns = records(result)
    return _library("pandas").DataFrame(dict(zip(names, columns, strict=True)), columns=names)


def to_polars(result: BaseModel) -> Any:
    """Return the rows of a result's CSV as a data frame of Polars (E150: it is not installed)."""
    names, columns = records(result)
    return _library("polars").DataFrame(dict(zip(names, columns, strict=True)), strict=False)


def to_arrow(result: BaseModel) -> Any:
    """Return the rows of a result's CSV as a table of Arrow (E150: pyarrow is not installed)."""
    names, columns = records(result)
    return _library("pyarrow").table(dict(zip(names, columns, strict=True)))


def _library(name: str) -> Any:
    if find_spec(name) is None:
        cause = f"a table of {name} needs {name}, which is not installed"
        raise MissingModelError(Fault("E150", cause, f"install it with: pip install {name}"))
    return import_module(name)
