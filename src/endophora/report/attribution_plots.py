"""Drawings of an attribution, inline SVG without style or script of its own: accuracy against share, and one flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from endophora.context.attribution.result import AttributedExample, ParetoPoint
from endophora.report.table import visible

_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 310.0, 14.0, 196.0
_LONGEST = 24
_ROW, _WORDS, _WIDEST = 15.0, 16, 26.0
"""Of a flow: height of a line, most words that have one, and the width of a stroke that has everything."""


def pareto_plot(points: Sequence[ParetoPoint]) -> Markup:
    """Return models as points, accuracy to the right and the share of supporting words up (Figure 3 of the paper).

    Models that no other one dominates are joined by a line; the others are drawn as rings.

    Args:
        points: models with both figures; nothing is drawn for fewer than two.
    """
    if len(points) < 2:
        return Markup("")
    across = _axis([point.accuracy for point in points])
    up = _axis([0.0, *(point.support for point in points)])
    places = [
        (_LEFT + across(point.accuracy) * (_RIGHT - _LEFT), _BOTTOM - up(point.support) * (_BOTTOM - _TOP))
        for point in points
    ]
    front = sorted(place for place, point in zip(places, points, strict=True) if not point.dominated)
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in front)
    marks = Markup("").join(_point(point, place) for point, place in zip(points, places, strict=True))
    return Markup(
        '<svg class="scatter" viewBox="0 0 340 230" role="img" aria-label="{label}">'
        '<path class="axis" d="M{left} {top}V{bottom}H{right}"></path>'
        '<path class="whisker" stroke-dasharray="4 3" d="{line}"></path>{marks}'
        '<text x="{left}" y="{below}">{low:.1f}</text>'
        '<text x="{right}" y="{below}" text-anchor="end">accuracy {high:.1f}</text>'
        '<text x="{left}" y="{above}">share of supporting words, up to {most:.2f} %</text></svg>'
    ).format(
        label=f"{len(points)} models by accuracy and share of supporting words",
        left=_LEFT,
        right=_RIGHT,
        top=_TOP,
        bottom=_BOTTOM,
        below=_BOTTOM + 16,
        above=_TOP - 4,
        line=line,
        marks=marks,
        low=min(point.accuracy for point in points),
        high=max(point.accuracy for point in points),
        most=max(point.support for point in points),
    )


def flow_plot(example: AttributedExample) -> Markup:
    """Return the words that contributed most as strokes that run into the word, as wide as their shares.

    Words stand in the order in which they were read, those of one part together; supporting words are bold.

    Args:
        example: one word of one model.
    """
    read = [(sentence.part, word) for sentence in example.sentences for word in sentence.words]
    strongest = sorted(range(len(read)), key=lambda number: -read[number][1].share)[:_WORDS]
    lines, y, before = list[Markup](), _ROW, ""
    end = _ROW * (len(strongest) + len({read[number][0] for number in strongest}) + 1) / 2
    for number in sorted(strongest):
        part, word = read[number]
        if part != before:
            lines.append(Markup('<text x="0" y="{y:.1f}">{part}</text>').format(y=y, part=part))
            y, before = y + _ROW, part
        lines.append(
            Markup(
                '<g class="{kind}"><title>{text}: {share:.2f} %</title>'
                '<text x="196" y="{y:.1f}" text-anchor="end">{short}</text>'
                '<text x="204" y="{y:.1f}">{share:.1f}</text>'
                '<path class="whisker" stroke-opacity=".55" stroke-width="{width:.2f}" '
                'd="M236 {at:.1f}C300 {at:.1f} 300 {end:.1f} 364 {end:.1f}"></path></g>'
            ).format(
                kind="mark-baseline" if word.support else "mark-word",
                text=visible(word.text) or "end or separator",
                short=_cut(visible(word.text) or "·"),
                share=word.share,
                y=y,
                at=y - 4,
                end=end,
                width=max(0.4, word.share / 100 * _WIDEST),
            )
        )
        y += _ROW
    said = Markup('<g class="mark-baseline"><text x="370" y="{y:.1f}">{word}</text></g>').format(
        y=end + 4, word=_cut(visible(example.word))
    )
    return Markup(
        '<svg class="scatter" viewBox="0 0 520 {height:.0f}" role="img" aria-label="{label}">{lines}{said}</svg>'
    ).format(
        height=max(y, end + _ROW),
        label=f"the {len(strongest)} tokens that contributed most to “{visible(example.word)}”",
        lines=Markup("").join(lines),
        said=said,
    )


def _axis(values: Sequence[float]) -> Callable[[float], float]:
    """Return where values lie between the ends of an axis, from 0 to 1; a single value lies in its middle."""
    low, high = min(values), max(values)

    def place(value: float) -> float:
        """Return where a value lies."""
        return 0.5 if high == low else 0.05 + 0.9 * (value - low) / (high - low)

    return place


def _point(point: ParetoPoint, place: tuple[float, float]) -> Markup:
    x, y = place
    right = x > (_LEFT + _RIGHT) / 2
    return Markup(
        '<g class="{kind}"><title>{caption}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="3.6"></circle>'
        '<text x="{at:.1f}" y="{up:.1f}" text-anchor="{anchor}">{name}</text></g>'
    ).format(
        kind="mark-baseline" if point.dominated else "mark-point",
        caption=f"{visible(point.model)}: accuracy {point.accuracy:.1f}, share {point.support:.2f} %",
        x=x,
        y=y,
        at=x - 7 if right else x + 7,
        up=y + 4,
        anchor="end" if right else "start",
        name=_cut(visible(point.model)),
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
