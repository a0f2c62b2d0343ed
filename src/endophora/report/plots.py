"""Small drawings of the HTML page, as inline SVG without style or script of its own."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from endophora.report.matrix import MatrixCell
from endophora.report.table import visible

_WIDTH, _EDGE, _STEP, _DOT = 240.0, 6.0, 9.0, 3.6
_DOT_SHAPE = Markup('<circle cx="{x}" cy="{y}" r="3.6"></circle>')
_DOWN_SHAPE = Markup('<path d="M{left} {top}H{right}L{x} {bottom}Z"></path>')
_UP_SHAPE = Markup('<path d="M{left} {bottom}H{right}L{x} {top}Z"></path>')
_SHAPES = {"": _DOT_SHAPE, "worse": _DOWN_SHAPE, "better": _UP_SHAPE}


def strip(cells: Sequence[MatrixCell], baseline: str) -> Markup:
    """Return all systems of a column on one axis, the better to the right; marks that would overlap are stacked.

    Args:
        cells: cells that have a value.
        baseline: the system drawn as a ring.
    """
    if not cells:
        return Markup("")
    shown = sorted(((cell.number or 0.0, cell) for cell in cells), key=lambda pair: pair[0])
    if not cells[0].column.higher_is_better:
        shown.reverse()
    low, high = shown[0][0], shown[-1][0]
    scale = (_WIDTH - 2 * _EDGE) / (high - low) if high != low else 0.0
    placed = _stacked([_EDGE + (value - low) * scale if scale else _WIDTH / 2 for value, _ in shown])
    height = _STEP * (max(level for _, level in placed) + 1) + 4
    marks = Markup("").join(
        _mark(cell, x, height - 6 - level * _STEP, baseline)
        for (_, cell), (x, level) in zip(shown, placed, strict=True)
    )
    label = f"{len(cells)} systems from {low:.1f} to {high:.1f}"
    return Markup(
        '<svg class="strip" viewBox="0 0 240 {box:.0f}" role="img" aria-label="{label}">{marks}'
        '<path class="axis" d="M0 {axis}H240"></path>'
        '<text x="0" y="{below}">{low:.1f}</text>'
        '<text x="240" y="{below}" text-anchor="end">{high:.1f}</text></svg>'
    ).format(
        box=height + 18, label=label, marks=marks, axis=f"{height:.1f}", below=f"{height + 14:.1f}", low=low, high=high
    )


def bars(count: int, largest: int) -> Markup:
    """Return a bar as long as a count is beside the largest."""
    share = 100 * count / largest if largest else 0.0
    return Markup(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{share}" height="8"></rect></svg>'
    ).format(share=f"{share:.1f}")


def gauge(cell: MatrixCell, top: float) -> Markup:
    """Return a cell's figure as a bar from zero, with its interval as a whisker.

    Args:
        cell: a cell that has a value.
        top: the figure, in points of 100, at the right edge.
    """
    scale = 100 / top if top else 0.0
    length = scale * max(cell.number or 0.0, 0.0)
    whisker = Markup("")
    if cell.low is not None and cell.high is not None:
        low, high = (scale * max(end, 0.0) for end in (cell.low, cell.high))
        whisker = Markup('<path d="{path}"></path>').format(
            path=f"M{low:.1f} 6H{high:.1f}M{low:.1f} 3V9M{high:.1f} 3V9"
        )
    caption = " ".join(filter(None, (visible(cell.system), cell.value, cell.interval and f"({cell.interval})")))
    return Markup(
        '<svg class="gauge" viewBox="0 0 100 12" preserveAspectRatio="none" role="presentation">'
        '<title>{caption}</title><rect y="2" width="{length}" height="8"></rect>{whisker}</svg>'
    ).format(caption=caption, length=f"{length:.1f}", whisker=whisker)


def _stacked(places: Sequence[float]) -> list[tuple[float, int]]:
    """Return each place with the lowest level on which it touches no earlier one."""
    ends: list[float] = []
    stacked: list[tuple[float, int]] = []
    for place in places:
        level = next((level for level, end in enumerate(ends) if place >= end), len(ends))
        ends[level : level + 1] = [place + 2 * _DOT + 1]
        stacked.append((place, level))
    return stacked


def _mark(cell: MatrixCell, x: float, y: float, baseline: str) -> Markup:
    sides = {"left": x - _DOT, "right": x + _DOT, "top": y - _DOT, "bottom": y + _DOT, "x": x, "y": y}
    shape = _SHAPES[cell.verdict].format(**{name: f"{value:.1f}" for name, value in sides.items()})
    kind = "baseline" if cell.system == baseline else cell.verdict or "same"
    caption = " ".join(filter(None, (visible(cell.system), cell.value, cell.interval and f"({cell.interval})")))
    return Markup('<g class="mark-{kind}"><title>{caption}</title>{shape}</g>').format(
        kind=kind, caption=caption, shape=shape
    )
