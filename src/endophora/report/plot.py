"""Results as drawings for notebooks, slides and papers: SVG in one piece, of the figures and colours of the page.

``matrix`` is the page's table of all systems with its shades, ``intervals`` a dot and a whisker a figure. A drawing
loads nothing, has a light ground of its own, and can be written into a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from markupsafe import Markup
from pydantic import BaseModel

from endophora.errors import Fault, InputError
from endophora.evaluation.result import Result
from endophora.files import write_whole
from endophora.registry import Registry
from endophora.report import matrix
from endophora.report.formats import view_of
from endophora.report.order import ranked
from endophora.report.static_page import FOREST, asset, axis_bounds, forest
from endophora.report.table import Cell, Table, fitted, visible

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
    left = _EDGE + _LETTER * max((len(_cut(row.system)) for row in rows), default=0) + 16
    heads = [(matrix.heading(column), _size(result.words(column), column.enough)) for column in matrix.columns(result)]
    wide = max((len(text) for head in heads for text in head), default=0)
    step = max(92.0, wide * _LETTER + 14)
    top = _EDGE + 3 * _LINE
    drawn = [_text(_EDGE, _EDGE + 12, _head(result), "b")]
    for place, (name, size) in enumerate(heads):
        middle = left + step * (place + 0.5)
        drawn += [_text(middle, top - 22, name, "b", "middle"), _text(middle, top - 7, size, "s", "middle")]
    for number, row in enumerate(rows):
        y = top + number * _ROW
        drawn.append(_text(_EDGE, y + 25, _cut(row.system), "b"))
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
    longest = max(len(_cut(name)) for panel in panels for name, _, _ in panel.rows)
    left, beside, y, drawn = _EDGE + _LETTER * longest + 16, 0, _EDGE, list[Markup]()
    for panel in panels:
        drawn.append(_text(_EDGE, y + 12, panel.title, "b"))
        y += _LINE
        ends = axis_bounds([end for _, cell, _ in panel.rows for end in (cell.number, cell.low, cell.high)])
        for name, cell, size in panel.rows:
            mark = Markup('<g transform="translate({x:.1f} {y:.1f})">{forest}</g>')
            drawn += [_text(_EDGE, y + 12, _cut(name), "t"), mark.format(x=left, y=y, forest=forest(cell, ends))]
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
            size = _size(result.words(column), enough=True)
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
        # A figure's n stands nearest to it; behind it where there is one on both sides.
        near = min(counts, key=lambda at, place=place: (abs(at - place), -at), default=None)
        rows = [
            (
                ", ".join(str(name) for name in row[:first] if name),
                replace(cell, verdict=""),
                _near(row, cell, near),
            )
            for row in table.rows
            if isinstance(cell := row[place], Cell) and cell.number is not None and not cell.few
        ]
        if any(cell.low is not None for _, cell, _ in rows):
            heads = dict.fromkeys((table.title or _cut(above, 80) or table.columns[0].name, column.group, column.name))
            yield _Panel(": ".join(filter(None, heads)), rows)


def _near(row: Sequence[Cell | str], cell: Cell, near: int | None) -> str:
    """Return a figure's n: its own, or that of the column nearest to it."""
    size = f"{cell.n:,}" if cell.n is not None else row[near] if near is not None else ""
    return size and f"n = {size}"


def _size(words: int | None, enough: bool) -> str:
    return "" if words is None else f"n = {words:,}{'' if enough else ', too few'}"


def _head(result: Result) -> str:
    corpus = result.corpus
    what = f", {matrix.measure_of(result)}" if any(one.kind == "phenomenon" for one in result.columns) else ""
    return f"{corpus.source_language} → {corpus.target_language}{what}, {len(corpus.documents):,} documents"


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _told(result: Result) -> list[str]:
    """Return what the marks and the intervals are."""
    signs = f"▼ significantly worse, ▲ better than {matrix.baseline_text(result)}; {matrix.legend(result)}"
    confidence = f"with {100 * result.settings.confidence:g} % intervals"
    return [f"bold: best; {confidence}", *([signs] if result.comparisons else [])]


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
