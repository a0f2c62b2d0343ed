"""Pages without any script: their frame, their cells, and drawings of figures with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from endophora.report.markup import asset, source_hash, templates

_WIDTH, _HEIGHT, _EDGE = 240.0, 16.0, 6.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as it is shown.

    Attributes:
        value: the figure; a dash where there is none.
        interval: its interval; empty for none.
        mark: * where it is significantly better than what it is compared with, † where worse; the legend names that.
    """

    value: str
    interval: str
    mark: Literal["", "*", "†"]


def render_sheet(template: str, **values: object) -> str:
    """Return a page that loads nothing and runs nothing; every text from data is escaped.

    Args:
        template: name of a template in ``report/html`` that extends ``sheet.html.jinja``.
        values: what it shows.
    """
    style = asset("report.css", "sheet.css")
    page = templates().get_template(template)
    return page.render(style=style, style_hash=source_hash(style), forest=forest, **values)


def forest(value: float | None, low: float | None, high: float | None, bounds: tuple[float, float]) -> Markup:
    """Return a figure as a dot on an axis, with its interval as a whisker and a line where zero is.

    Args:
        value: the figure; nothing is drawn without one.
        low: where its interval begins; ``None`` for none.
        high: where it ends.
        bounds: what the axis reaches from and to, the same for all figures that are to be compared.
    """
    if value is None:
        return Markup("")
    start, end = bounds
    scale = (_WIDTH - 2 * _EDGE) / (end - start) if end > start else 0.0

    def place(figure: float) -> str:
        """Return where a figure lies on the axis."""
        return f"{_EDGE + (min(max(figure, start), end) - start) * scale:.1f}"

    whisker = Markup("")
    if low is not None and high is not None:
        whisker = Markup('<path class="whisker" d="M{low} 8H{high}"></path>').format(low=place(low), high=place(high))
    return Markup(
        '<svg class="forest" viewBox="0 0 240 16" role="img" aria-label="{value:+.3g}">'
        '<path class="axis" d="M{zero} 0V16"></path>{whisker}<circle cx="{x}" cy="8" r="3.4"></circle></svg>'
    ).format(value=value, zero=place(0.0), whisker=whisker, x=place(value))


def axis_bounds(values: Sequence[float | None]) -> tuple[float, float]:
    """Return what an axis of some figures reaches from and to; zero is on it."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    return (low, high) if high > low else (-1.0, 1.0)
