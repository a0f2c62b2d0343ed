"""A metric's scores against people's, as inline SVG without its own style or script.

The better is to the right and up, whichever way the scores run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from endophora.evaluation.result import Column, Human, HumanScore, Result, Score
from endophora.record import Interval
from endophora.report.matrix import human_text, points, title
from endophora.report.table import cut, figure, visible

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 320.0, 230.0, 6.0, 312.0, 20.0, 204.0
_INSET, _DOT, _LETTER, _LINE = 12.0, 3.6, 5.9, 11.0
_LONGEST = 18
"""Names on the drawing are cut to so many characters; its titles and the table have them whole."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Scatter:
    """A drawing, and what its caption says of it."""

    drawing: Markup
    pairs: int
    unlabelled: int = 0


@dataclass(frozen=True, slots=True)
class _Axis:
    """From values to places: ``low`` and ``high`` are values, ``start`` and ``end`` the places of worst and best."""

    low: float
    high: float
    start: float
    end: float
    rising: bool

    def at(self, value: float) -> float:
        """Return the place of a value; what lies outside is drawn at the edge."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.start + (share if self.rising else 1 - share) * (self.end - self.start)

    @property
    def ends(self) -> tuple[float, float]:
        """The values of the worst and the best end."""
        return (self.low, self.high) if self.rising else (self.high, self.low)


@dataclass(frozen=True, slots=True)
class _Point:
    system: str
    human: float
    value: float
    interval: Interval | None


def system_scatter(column: Column, result: Result) -> Scatter:
    """Return one point a system, with its name and with the interval of its metric score."""
    pairs = [
        _Point(said.system, said.value, points(score.value, column), score.interval)
        for said, score in _both(column, result)
        if said.value is not None and score.value is not None
    ]
    if not pairs or result.human is None:
        return Scatter(Markup(""), 0)
    baseline = result.settings.baseline
    pairs.sort(key=lambda one: one.system != baseline)  # its name is placed first, its point is drawn last
    reach = [points(end, column) for one in pairs if one.interval for end in (one.interval.low, one.interval.high)]
    across, up = _axes([one.human for one in pairs], [*(one.value for one in pairs), *reach], column, result.human)
    places = [(across.at(one.human), up.at(one.value)) for one in pairs]
    labels = _labels([cut(visible(one.system), _LONGEST) for one in pairs], places, first=pairs[0].system == baseline)
    marks = Markup("").join(
        _system(one, place, label, column, up, one.system == baseline)
        for one, place, label in reversed(list(zip(pairs, places, labels, strict=True)))
    )
    what = f"{visible(title(column.name))} and {visible(result.human.name)} scores of {len(pairs)} systems"
    return Scatter(_frame(what, marks, across, up, column, result.human), len(pairs), labels.count(None))


def document_scatter(column: Column, result: Result) -> Scatter:
    """Return one point a system's document; points of a system are one path, so that the page stays small."""
    found: list[tuple[str, list[tuple[float, float]]]] = []
    for said, score in _both(column, result):
        both = [
            (human, points(value, column))
            for human, value in zip(said.documents, score.documents, strict=False)
            if human is not None and value is not None
        ]
        if both:
            found.append((said.system, both))
    pairs = [pair for _, both in found for pair in both]
    if not pairs or result.human is None:
        return Scatter(Markup(""), 0)
    across, up = _axes([human for human, _ in pairs], [value for _, value in pairs], column, result.human)
    marks = Markup("").join(
        Markup('<path class="cloud" d="{path}"><title>{system}</title></path>').format(
            system=visible(system),
            path="".join(f"M{across.at(human):.1f} {up.at(value):.1f}h0" for human, value in both),
        )
        for system, both in found
    )
    what = f"{visible(title(column.name))} and {visible(result.human.name)} scores of {len(pairs)} documents"
    return Scatter(_frame(what, marks, across, up, column, result.human), len(pairs))


def _both(column: Column, result: Result) -> Iterable[tuple[HumanScore, Score]]:
    scores = {score.system: score for score in result.scores if score.column == column.name}
    said = result.human.scores if result.human else ()
    return ((human, scores[human.system]) for human in said if human.system in scores)


def _axes(human: Sequence[float], values: Sequence[float], column: Column, people: Human) -> tuple[_Axis, _Axis]:
    return (
        _Axis(min(human), max(human), _LEFT + _INSET, _RIGHT - _INSET, people.higher_is_better),
        _Axis(min(values), max(values), _BOTTOM - _INSET, _TOP + _INSET, column.higher_is_better),
    )


def _system(
    one: _Point, place: tuple[float, float], label: Box | None, column: Column, up: _Axis, baseline: bool
) -> Markup:
    x, y = place
    interval, whisker = figure(0.0, one.interval, factor=100 / column.scale).interval, Markup("")
    if one.interval is not None:
        low, high = (up.at(points(end, column)) for end in (one.interval.low, one.interval.high))
        whisker = Markup('<path class="whisker" d="{path}"></path>').format(path=f"M{x:.1f} {low:.1f}V{high:.1f}")
    caption = (
        f"{visible(one.system)}: {one.value:.1f}{f' ({interval})' if interval else ''}, people {human_text(one.human)}"
    )
    name = Markup("")
    if label is not None:
        name = Markup('<text x="{x}" y="{y}">{name}</text>').format(
            x=f"{label[0]:.1f}", y=f"{label[3] - 2.5:.1f}", name=cut(visible(one.system), _LONGEST)
        )
    return Markup(
        '<g class="mark-{kind}"><title>{caption}</title>{whisker}<circle cx="{x}" cy="{y}" r="3.6"></circle>{name}</g>'
    ).format(
        kind="baseline" if baseline else "point",
        caption=caption, whisker=whisker, x=f"{x:.1f}", y=f"{y:.1f}", name=name,
    )  # fmt: skip


def _frame(what: str, marks: Markup, across: _Axis, up: _Axis, column: Column, people: Human) -> Markup:
    (left, right), (bottom, top) = across.ends, up.ends
    return Markup(
        '<svg class="scatter" viewBox="0 0 320 230" role="img" aria-label="{what}">'
        '<path class="axis" d="M6 20V204H312"></path>'
        '<text x="6" y="12">{top} {column}</text><text x="10" y="200">{bottom}</text>'
        '<text x="6" y="218">{left}</text><text x="159" y="218" text-anchor="middle">{people}</text>'
        '<text x="312" y="218" text-anchor="end">{right}</text>{marks}</svg>'
    ).format(
        what=what, marks=marks, left=human_text(left), right=human_text(right),
        top=f"{top:.1f}", bottom=f"{bottom:.1f}",
        column=cut(visible(title(column.name)), _LONGEST), people=f"people: {cut(visible(people.name), _LONGEST)} →",
    )  # fmt: skip


def _labels(names: Sequence[str], places: Sequence[tuple[float, float]], *, first: bool) -> list[Box | None]:
    """Return where each name is, next to, above or below its point and on no other; ``None`` without room.

    With ``first`` the first name has its place even where it covers a point.
    """
    taken: list[Box] = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in places]
    taken.append((_LEFT, _BOTTOM - _LINE - 2, _LEFT + 8 * _LETTER, _BOTTOM))
    labels: list[Box | None] = []
    for name, (x, y) in zip(names, places, strict=True):
        width, gap = _LETTER * len(name), _DOT + 1.5
        tried = (
            (x + gap, y - _LINE / 2), (x - gap - width, y - _LINE / 2),
            (x - width / 2, y - gap - _LINE), (x - width / 2, y + gap),
            (x + gap, y - _LINE - 1), (x + gap, y + 1),
            (x - gap - width, y - _LINE - 1), (x - gap - width, y + 1),
        )  # fmt: skip
        boxes = [box for left, top in tried if _inside(box := (left, top, left + width, top + _LINE))]
        free = next((box for box in boxes if not any(_meet(box, other) for other in taken)), None)
        if free is None and first and not labels:
            free = next(iter(boxes), None)
        labels.append(free)
        if free is not None:
            taken.append(free)
    return labels


def _inside(box: Box) -> bool:
    return box[0] >= _LEFT and box[2] <= _RIGHT + 6 and box[1] >= _TOP - 6 and box[3] <= _BOTTOM


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
