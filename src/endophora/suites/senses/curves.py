"""The paper's Figures 1 and 2 as one drawing: precision and recall, F1 and F0.5, by threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from endophora.suites.senses.thresholds import ClusterScore

_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW = 320.0, 200.0, 44.0, 28.0, 44.0
_PANEL = _WIDTH + 72.0
_ROOM = 5
"""Characters that the marks of the axis have room for, if each is written."""
_Line = tuple[str, str, Callable[[ClusterScore], float]]
_PANELS: tuple[tuple[_Line, _Line], ...] = (
    (("precision", "5 3", lambda one: one.precision), ("recall", "none", lambda one: one.recall)),
    (("F1", "5 3", lambda one: one.f(1)), ("F0.5", "none", lambda one: one.f(0.5))),
)
_FRAME = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    'font-size="11" fill="currentColor" role="img" aria-label="{label}">\n{body}\n</svg>'
)
_CURVE = Markup(
    '<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="{dash}"/>'
)
_TEXT = Markup('<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
_BEST = Markup('<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="currentColor"/>')
_RULE = Markup('<path d="M{x:.1f} {y:.1f}h{width:.1f}" stroke="currentColor" stroke-opacity="0.2"/>')


def draw_curves(curve: Sequence[ClusterScore]) -> str:
    """Return the curves as SVG, the two panels side by side; dashed and solid lines as in the paper, a dot at the best.

    Args:
        curve: scores by rising threshold, at least one.
    """
    body = list[Markup]()
    marks = [f"{one.threshold:g}" for one in curve]
    step = 1 if max(map(len, marks)) <= _ROOM else 2
    best = max(curve, key=lambda one: (one.f(0.5), -one.threshold))
    for number, lines in enumerate(_PANELS):
        left = _LEFT + number * _PANEL
        for percent in range(0, 101, 20):
            y = _y(percent / 100)
            body += [_RULE.format(x=left, y=y, width=_WIDTH), _text(left - 6, y + 4, f"{percent} %", "end")]
        for one, mark in list(zip(curve, marks, strict=True))[::step]:
            body.append(_text(left + _x(one, curve), _TOP + _HEIGHT + 16, mark, "middle"))
        body.append(_text(left + _WIDTH / 2, _TOP + _HEIGHT + 34, "threshold γ", "middle"))
        for place, (name, dash, value) in enumerate(lines):
            points = " ".join(f"{left + _x(one, curve):.1f},{_y(value(one)):.1f}" for one in curve)
            body.append(_CURVE.format(points=points, dash=dash))
            x = left + 110 * place
            body.append(_CURVE.format(points=f"{x},{_TOP - 16} {x + 24},{_TOP - 16}", dash=dash))
            body.append(_text(x + 30, _TOP - 12, name, "start"))
    body.append(_BEST.format(x=_LEFT + _PANEL + _x(best, curve), y=_y(best.f(0.5))))
    label = f"F0.5 is highest, {100 * best.f(0.5):.0f} %, at the threshold {best.threshold:g}"
    drawn = _FRAME.format(width=2 * _PANEL, height=_HEIGHT + _TOP + _BELOW, label=label, body=Markup("\n").join(body))
    return str(drawn)


def _x(one: ClusterScore, curve: Sequence[ClusterScore]) -> float:
    low, high = curve[0].threshold, curve[-1].threshold
    return (one.threshold - low) / (high - low) * _WIDTH if high > low else _WIDTH / 2


def _y(value: float) -> float:
    return _TOP + (1 - value) * _HEIGHT


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return _TEXT.format(x=x, y=y, text=text, anchor=anchor)
