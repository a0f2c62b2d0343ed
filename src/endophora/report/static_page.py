"""One-file HTML pages: templates that escape every text, style, script and data within, and pages of tables."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel

from endophora.report.table import Cell, Fitted, Part, Table, fitted, visible

_MARKUP = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_WIDTH, _EDGE = 240.0, 6.0
FOREST = _WIDTH
"""Width of a drawn figure, where no page says another."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of a page under a heading; ``folded`` is what is shown in its place until it is opened."""

    title: str
    parts: Sequence[Part | Markup]
    folded: str = ""


def static_page(
    result: BaseModel,
    *,
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    conclusion: Sequence[str] = (),
    sections: Sequence[PageSection] = (),
    settings: Sequence[tuple[str, str]] = (),
    template: str = "static_page.html.jinja",
    style: Sequence[str] = (),
    **values: object,
) -> str:
    """Return a page that loads nothing and runs nothing; facts and settings are label and text.

    It opens with the ``conclusion``, a paragraph a sentence.

    ``values`` are what a template of ``report/html`` other than the usual one asks for, ``style`` its files of style.
    """
    sheet = asset("report.css", "static_page.css", *style)
    values |= {"result": result, "title": title, "subtitle": subtitle, "facts": facts, "conclusion": conclusion}
    values |= {"sections": sections, "settings": settings, "style": sheet, "style_hash": source_hash(sheet)}
    return templates().get_template(template).render(**values, html=html_of, forest=forest)


def script_page(
    template: str,
    data: object,
    *,
    style: Sequence[str],
    script: str,
    filters: Mapping[str, Callable[..., object]] | None = None,
    **values: object,
) -> str:
    """Return a page that loads nothing, whose own script reads its data; ``values`` are what the template asks for."""
    sheet, code = asset(*style), asset(script)
    values |= {"style": sheet, "style_hash": source_hash(sheet), "script": code, "script_hash": source_hash(code)}
    return templates(filters).get_template(template).render(**values, island=data_block(data))


def html_of(part: Part | Markup) -> Markup:
    """Return a part of a section: a table with its title, a paragraph of text, markup of ours as it is."""
    if isinstance(part, Table):
        return _html_table(part)
    if isinstance(part, Markup):
        return part
    if isinstance(part, Fitted):
        return Markup().join(map(html_of, fitted([part])))
    text = part if isinstance(part, str) else part.plain
    return Markup('<p class="note">{}</p>').format(unbroken(visible(text)))


def _html_table(table: Table) -> Markup:
    seen = table.seen("page")
    axes: dict[int, tuple[float, float]] = {}
    for place in (place for place, column in enumerate(seen.columns) if column.drawn):
        drawn = [cell for row in seen.rows if isinstance(cell := row[place], Cell) and not cell.few]
        axes[place] = axis_bounds([end for cell in drawn for end in (cell.number, cell.low, cell.high)])
    spans: list[tuple[str, int]] = []
    for column in seen.columns:
        wide = 2 if column.drawn else 1
        if spans and spans[-1][0] == column.group:
            spans[-1] = (column.group, spans[-1][1] + wide)
        else:
            spans.append((column.group, wide))
    macro = _module("table.html.jinja", "table")
    return Markup(macro(table=seen, axes=axes, spans=spans if any(group for group, _ in spans) else ()))  # noqa: S704


@cache
def _module(template: str, macro: str) -> Callable[..., str]:
    return getattr(templates().get_template(template).make_module({"forest": forest}), macro)


def templates(filters: Mapping[str, Callable[..., object]] | None = None) -> Environment:
    """Return the templates of ``report/html``: every text is escaped, and what would steer a line is made visible."""
    environment = Environment(
        loader=PackageLoader("endophora.report", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({"unbroken": unbroken, **(filters or {})})
    return environment


def asset(*names: str) -> Markup:
    """Return files of ``report/html``, style or script, as one text that is not escaped."""
    read = (files("endophora.report").joinpath("html", name).read_text(encoding="utf-8") for name in names)
    return Markup("\n".join(read))  # noqa: S704 – ours


def unbroken(text: str) -> str:
    """Return a sentence of ours whose signs of per cent stay with their figures at the end of a line."""
    return text.replace(" %", "\u00a0%")


def source_hash(text: str) -> str:
    """Return the hash by which a page's content security policy allows a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def data_block(data: object) -> Markup:
    """Return data for a ``<script type="application/json">``: ``<``, ``>`` and ``&`` are escaped in it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, escaped in _MARKUP.items():
        text = text.replace(sign, escaped)
    return Markup(text)  # noqa: S704 – JSON without <, > or &


def forest(cell: Cell, bounds: tuple[float, float]) -> Markup:
    """Return a figure as a dot on an axis, with its interval as a whisker and a line where zero is."""
    if cell.number is None or cell.few:
        return Markup("")
    start, end = bounds
    scale = (_WIDTH - 2 * _EDGE) / (end - start) if end > start else 0.0

    def place(figure: float) -> str:
        return f"{_EDGE + (min(max(figure, start), end) - start) * scale:.1f}"

    whisker = Markup("")
    if cell.low is not None and cell.high is not None:
        ends = {"low": place(cell.low), "high": place(cell.high)}
        whisker = Markup('<path class="whisker" d="M{low} 8H{high}"></path>').format(**ends)
    return Markup(
        '<svg class="forest" width="240" height="16" viewBox="0 0 240 16" role="img" aria-label="{value:+.3g}">'
        '<path class="axis" d="M{zero} 0V16"></path>{whisker}<circle cx="{x}" cy="8" r="3.4"></circle></svg>'
    ).format(value=cell.number, zero=place(0.0), whisker=whisker, x=place(cell.number))


def axis_bounds(values: Sequence[float | None]) -> tuple[float, float]:
    """Return what an axis of some figures reaches from and to; zero is on it."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    return (low, high) if high > low else (-1.0, 1.0)


def place_of(text: str, texts: dict[str, int]) -> int:
    """Return the number of a text among those of a page's data, where each stands once."""
    return texts.setdefault(text.encode("utf-8", "replace").decode("utf-8"), len(texts))


def units(text: str, at: int) -> int:
    """Return a place in a text as browsers count: in UTF-16 units."""
    return at if text.isascii() else len(text[:at].encode("utf-16-le", "replace")) // 2


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
