"""Results in notebooks, data frames, slides and papers: tables with the page in a frame, rows, and drawings.

Drawings are SVG in one piece, of the figures and colours of the page: ``matrix`` is its table of all systems with its
shades, ``intervals`` a dot and a whisker a figure. A drawing loads nothing, has a light ground of its own, and can be
written into a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import compress, islice
from pathlib import Path
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel
from rich.text import Text

from endophora.errors import Fault, InputError, MissingModelError
from endophora.evaluation.result import Result
from endophora.files import write_whole
from endophora.registry import Registry
from endophora.report import matrix
from endophora.report.formats import html, view_of
from endophora.report.order import ranked
from endophora.report.static_page import FOREST, asset, axis_bounds, forest, html_of
from endophora.report.table import Cell, Table, cut, fitted, visible

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


_EDGE, _LETTER, _ROW, _LINE, _GAP = 14.0, 7.2, 42.0, 24.0, 18.0
_LONGEST = 40
"""Names are cut to so many characters."""
_COUNTS = ("n", "items", "words", "judged")
"""Heads of columns with the n of the figures beside them."""

_BOX = Markup('<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}"></rect>')
_BEHIND = {"worse": " ▼", "better": " ▲", "differs": "", "": ""}


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A drawing. A notebook shows it; ``svg`` is its text, :meth:`write` makes a file of it."""

    svg: str

    def __repr__(self) -> str:
        """Return how long it is: the whole would fill the screen."""
        return f"<Plot: {len(self.svg):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

    def write(self, path: str | Path) -> None:
        """Write it as SVG, whole or not at all (E154, E155)."""
        write_whole(Path(path), f"{self.svg}\n".encode())


@dataclass(frozen=True, slots=True)
class _Panel:
    """Figures under a title, each with the name of its row and its n where the title has none."""

    title: str
    rows: Sequence[tuple[str, Cell, str]]


def plot(result: BaseModel, kind: str = "") -> Plot:
    """Draw a result (E090: there is no such kind, or no interval; TypeError: the result has no such drawing).

    Args:
        result: of any study.
        kind: ``matrix`` or ``intervals``; by default the matrix of an evaluation, and the intervals of other results.
    """
    return PLOTS.get(kind or ("matrix" if isinstance(result, Result) else "intervals"))(result)


def heat_map(result: BaseModel) -> Plot:
    """Draw the systems of an evaluation by rank, in the columns of its page, shaded as there."""
    if not isinstance(result, Result):
        raise TypeError(f"{type(result).__name__} has no matrix; its figures are drawn by plot('intervals')")
    rows = ranked(result)
    left = _EDGE + _LETTER * max((len(cut(row.system, _LONGEST)) for row in rows), default=0) + 16
    heads = [
        (matrix.heading(column), _size(matrix.words_text(result, column), column.enough))
        for column in matrix.columns(result)
    ]
    wide = max((len(text) for head in heads for text in head), default=0)
    step = max(92.0, wide * _LETTER + 14)
    top = _EDGE + 3 * _LINE
    drawn = [_text(_EDGE, _EDGE + 12, _head(result), "b")]
    for place, (name, size) in enumerate(heads):
        middle = left + step * (place + 0.5)
        drawn += [_text(middle, top - 22, name, "b", "middle"), _text(middle, top - 7, size, "s", "middle")]
    for number, row in enumerate(rows):
        y = top + number * _ROW
        drawn.append(_text(_EDGE, y + 25, cut(row.system, _LONGEST), "b"))
        for place, cell in enumerate(row.cells):
            x = left + step * place
            if cell.shade is not None:
                fill = _colours().get(f"h{cell.shade}", "none").replace("transparent", "none")
                drawn.append(_BOX.format(x=x + 1, y=y + 1, w=step - 2, h=_ROW - 2, fill=fill))
            middle, shown = x + step / 2, cell.value + _BEHIND[cell.verdict]
            drawn.append(_text(middle, y + 19, shown, "b" if cell.best else "t", "middle"))
            drawn.append(_text(middle, y + 34, cell.interval, "s", "middle"))
    below = top + len(rows) * _ROW + 20
    told = _told(result)
    drawn += [_text(_EDGE, below + 16 * place, text, "s") for place, text in enumerate(told)]
    width = max(left + step * len(heads), *(_EDGE + 6.2 * len(text) for text in told))
    return _drawing(width + _EDGE, below + 16 * len(told), _head(result), drawn)


def intervals(result: BaseModel) -> Plot:
    """Draw figures as dots with their intervals as whiskers, a panel a column, all rows of a panel on one axis."""
    panels = list(_columns(result) if isinstance(result, Result) else _tables(result))
    if not panels:
        cause, advice = "no figure has an interval or enough words: nothing is drawn", "ask for resamples, or more text"
        raise InputError(Fault("E090", cause, advice, type(result).__name__))
    longest = max(len(cut(name, _LONGEST)) for panel in panels for name, _, _ in panel.rows)
    left, beside, y, drawn = _EDGE + _LETTER * longest + 16, 0, _EDGE, list[Markup]()
    for panel in panels:
        drawn.append(_text(_EDGE, y + 12, panel.title, "b"))
        y += _LINE
        ends = axis_bounds([end for _, cell, _ in panel.rows for end in (cell.number, cell.low, cell.high)])
        for name, cell, size in panel.rows:
            mark = Markup('<g transform="translate({x:.1f} {y:.1f})">{forest}</g>')
            drawn += [
                _text(_EDGE, y + 12, cut(name, _LONGEST), "t"),
                mark.format(x=left, y=y, forest=forest(cell, ends)),
            ]
            brackets = f" ({cell.interval})" if cell.interval else ""
            shown = f"{cell.value}{_BEHIND[cell.verdict]}{brackets}{size and f', {size}'}"
            drawn.append(_text(left + FOREST + 12, y + 12, shown, "t"))
            beside = max(beside, len(shown))
            y += _LINE
        y += _GAP
    told = _told(result)[1:] if isinstance(result, Result) else []
    drawn += [_text(_EDGE, y + 4, text, "s") for text in told]
    y += _LINE * len(told)
    longest = max(len(text) for text in (*told, *(panel.title for panel in panels)))
    width = max(left + FOREST + max(180, 12 + _EDGE + _LETTER * beside), 2 * _EDGE + _LETTER * longest)
    return _drawing(width, max(y, _LINE), f"{type(result).__name__}: {len(panels)} columns with intervals", drawn)


PLOTS: Registry[Callable[[BaseModel], Plot]] = Registry("plot", {"matrix": heat_map, "intervals": intervals})
"""Drawings by name."""


def _columns(result: Result) -> Iterator[_Panel]:
    """Yield the columns of an evaluation with its systems by rank; those that hold too few words are left out."""
    rows = ranked(result)
    for place, column in enumerate(matrix.columns(result)):
        cells = [(row.system, row.cells[place], "") for row in rows]
        if column.enough and any(cell.number is not None for _, cell, _ in cells):
            size = _size(matrix.words_text(result, column), enough=True)
            yield _Panel(" ".join(filter(None, (matrix.heading(column), size and f"({size})"))), cells)


def _tables(result: BaseModel) -> Iterator[_Panel]:
    """Yield the columns with intervals of a result's tables; a row is named by the texts before its first figure."""
    for section in view_of(result).sections(result):
        above = ""
        for part in fitted(section):
            if isinstance(part, Table):
                yield from _panels(part.seen("page"), above)
            else:
                above = part if isinstance(part, str) else part.plain


def _panels(table: Table, above: str) -> Iterator[_Panel]:
    """Yield the columns of a table with intervals; ``above`` is the line over it."""
    first = next((place for place, column in enumerate(table.columns) if place and column.right), 1)
    counts = [place for place, column in enumerate(table.columns) if column.right and column.name in _COUNTS]
    for place, column in enumerate(table.columns):
        # A figure's n is its own, or stands nearest to it; behind it where there is one on both sides.
        near = min(counts, key=lambda at, place=place: (abs(at - place), -at), default=None)
        rows: list[tuple[str, Cell, str]] = []
        for row in table.rows:
            if isinstance(cell := row[place], Cell) and cell.number is not None and not cell.few:
                name = ", ".join(str(name) for name in row[:first] if name)
                size = f"{cell.n:,}" if cell.n is not None else row[near] if near is not None else ""
                rows.append((name, replace(cell, verdict=""), size and f"n = {size}"))
        if any(cell.low is not None for _, cell, _ in rows):
            heads = dict.fromkeys((table.title or cut(above, 80) or table.columns[0].name, column.group, column.name))
            yield _Panel(": ".join(filter(None, heads)), rows)


def _size(words: str, enough: bool) -> str:
    return words and f"n = {words}{'' if enough else ', too few'}"


def _head(result: Result) -> str:
    corpus = result.corpus
    what = f", {matrix.measure_of(result)}" if any(one.kind == "phenomenon" for one in result.columns) else ""
    return f"{corpus.source_language} → {corpus.target_language}{what}, {len(corpus.documents):,} documents"


def _told(result: Result) -> list[str]:
    """Return what the marks and the intervals are."""
    signs = f"▼ significantly worse, ▲ better than {matrix.baseline_text(result)}; {matrix.legend(result)}"
    confidence = f"with {100 * result.settings.confidence:g} % intervals"
    best = "bold: best; " if any(matrix.ranks(column, result) for column in matrix.columns(result)) else ""
    return [f"{best}{confidence}", *([signs] if result.comparisons else [])]


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> Markup:
    if not text:
        return Markup("")
    made = Markup('<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
    return made.format(kind=kind, x=x, y=y, anchor=anchor, text=visible(text))


@cache
def _colours() -> dict[str, str]:
    """Return the colours of the page on a light ground, by name."""
    light = asset("report.css").partition("}")[0]
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", light))


def _drawing(width: float, height: float, label: str, drawn: Sequence[Markup]) -> Plot:
    colours = _colours()
    style = (
        ".endophora-plot text{{font:13px system-ui,'Noto Sans',sans-serif;fill:{ink}}}"
        ".endophora-plot .b{{font-weight:600}}.endophora-plot .s{{font-size:11px;fill:{soft}}}"
        ".endophora-plot .axis{{stroke:{line}}}.endophora-plot .whisker{{stroke:{soft};stroke-width:2;fill:none}}"
        ".endophora-plot circle{{fill:{bar}}}"
    ).format(**{name: colours[name] for name in ("ink", "soft", "line", "bar")})
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="endophora-plot" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}" '
        'height="{h:.0f}" role="img" aria-label="{label}"><style>{style}</style>'
        '<rect width="100%" height="100%" fill="{card}"></rect>'
    ).format(w=width, h=height, label=visible(label), style=Markup(style), card=colours["card"])  # noqa: S704 – ours
    return Plot(f"{head}{Markup().join(drawn)}</svg>")
