"""An attribution shown, in the shape of the papers' Tables 1 and 3: shares in per cent, with two decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from endophora.context.attribution.results import (
    AttributedExample,
    AttributionResult,
    CaseGroupKind,
    Measure,
    ParetoPoint,
)
from endophora.report.conclusion import conclude_attribution
from endophora.report.context_read import sides_text
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Section,
    Table,
    bounds,
    cut,
    figure,
    figures,
    intervals_note,
    many,
    names,
    p_text,
    visible,
)

_COLUMNS: tuple[tuple[Measure, str], ...] = (
    ("support", "supporting words"),
    ("context", "context"),
    ("current", "current"),
)
_HEADS: dict[CaseGroupKind, str] = {
    "all": "all words",
    "phenomenon": "by phenomenon",
    "distance": "by distance of the nearest support, in segments",
}
_SHADES = ((0.25, ""), (0.5, "r1"), (1.0, "r2"), (2.0, "r3"), (4.0, "r4"), (8.0, "r6"), (16.0, "r8"), (101.0, "r10"))
"""Classes of a word's background, by the share below which it has it, in per cent."""

_NOTE = (
    "In generating a word, how much came from the words that support it, from all of the context, and from the current "
    "sentence with the words said before it, in per cent. Context and current sentence are together 100; of a language "
    "model, these and the words of its prompt."
)
_PARETO = "Neither follows from the other. A ring is a model that another one equals in both and beats in one."


def sections(result: AttributionResult) -> Iterator[Section]:
    """Yield a table of models × shares for all words and for each kind of group."""
    settings = result.settings
    method = f"{settings.method}, rows: {settings.rows}, up to {many(settings.context_size, 'segment')} of context"
    yield [f"{result.data}: {result.words:,} words, {method}", *conclude_attribution(result)]
    for table in _tables(result):
        yield [table]
    yield _notes(result)
    yield [f"signature: {result.signature}"]


def _columns(result: AttributionResult) -> Sequence[tuple[Measure, str]]:
    """Return the shares that tables have: that of the prompt's words where a language model reads any."""
    prompted = any(one.measure == "prompt" and one.value for one in result.shares)
    return (*_COLUMNS, ("prompt", "prompt")) if prompted else _COLUMNS


def papers(result: AttributionResult) -> Iterator[Table]:
    """Yield models × (supporting words, context, current), as Table 1."""
    columns = _columns(result)
    lines = [
        [model.name, *(figure(result.share(model.name, name).value, digits=2) for name, _ in columns)]
        for model in result.models
    ]
    yield Table([*names("model"), *figures(*(title for _, title in columns))], lines)


def rows(result: AttributionResult) -> Iterator[Sequence[object]]:
    """Yield one row for each share, all measures and groups; a difference is from the baseline."""
    yield (
        *("model", "measure", "kind", "group", "value", "low", "high", "words"),
        *("difference", "p_value", "p_adjusted"),
    )
    against = {(one.model, one.measure): one for one in result.differences}
    for one in result.shares:
        found = against.get((one.model, one.measure)) if one.kind == "all" else None
        tested = (found.difference, found.p_value, found.p_adjusted) if found else (None, None, None)
        yield one.model, one.measure, one.kind, one.group, one.value, *bounds(one.interval), one.words, *tested


def page(result: AttributionResult) -> str:
    """Return a page of the tables, of accuracy next to shares, and of examples with their words shaded."""
    settings = result.settings
    examples: dict[str, list[AttributedExample]] = {}
    for one in result.examples:  # models stand side by side
        examples.setdefault(one.id, []).append(one)
    sections = [PageSection("Shares", [_NOTE, *_tables(result), *_notes(result)])]
    if drawing := pareto_plot(result.pareto):
        sections.append(PageSection("Accuracy and use of the supporting words", [_PARETO, drawing]))
    return static_page(
        result,
        template="attribution.html.jinja",
        title=f"Attribution: {result.data}",
        subtitle="where did the words come from?",
        conclusion=conclude_attribution(result),
        facts=[
            ("words", f"{result.words:,}"),
            ("models", f"{len(result.models):,}"),
            ("context", f"up to {many(settings.context_size, 'segment')}, {sides_text(settings.sides)}"),
        ],
        sections=sections,
        flow=flow_plot,
        shade=_shade,
        examples=list(examples.items()),
        settings=[
            ("method", settings.method),
            ("rows", settings.rows),
            *((model.name, model.signature) for model in result.models),
        ],
    )


def _shade(share: float) -> str:
    return next(name for limit, name in _SHADES if share < limit)


def _notes(result: AttributionResult) -> list[str]:
    """Return how many words were left out, the differences in shares of supporting words, and what intervals are."""
    lines = [f"left out: {count:,}, since {reason}" for reason, count in result.left_out.items()]
    tested: list[str] = []
    for one in result.differences:
        if one.measure == "support":
            cell = figure(one.difference, one.interval, 2, sign=True)
            interval = f" ({cell.interval})" if cell.interval else ""
            pair = f"{one.model} − {one.baseline}, supporting words"
            tested.append(f"{pair}: {cell.value}{interval}, {p_text(one.p_adjusted)}")
    if result.settings.resamples:
        how = "; paired randomisation, p corrected by Holm's method" if tested else ""
        tested.append(intervals_note(result.settings) + how)
    return [*lines, *tested]


def _tables(result: AttributionResult) -> Iterator[Table]:
    """Yield models × shares for all words and for each kind of group."""
    columns = _columns(result)
    heads = figures("words", *(title for _, title in columns), interval="\n{low}–{high}")
    for kind, title in _HEADS.items():
        lines: list[list[Cell | str]] = []
        for group in dict.fromkeys(one.group for one in result.shares if one.kind == kind):
            for model in result.models:
                shares = [result.share(model.name, name, kind, group) for name, _ in columns]
                cells = [figure(one.value, one.interval, 2) for one in shares]
                lines.append([model.name, *([] if kind == "all" else [group]), f"{shares[0].words:,}", *cells])
        if lines:
            yield Table([*names("model", *([] if kind == "all" else ["group"])), *heads], lines, title=title)


_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 310.0, 14.0, 196.0
_LONGEST = 24
_ROW, _WORDS, _WIDEST = 15.0, 16, 26.0
"""Of a flow: height of a line, most words that have one, and the width of a stroke that has everything."""


def pareto_plot(points: Sequence[ParetoPoint]) -> Markup:
    """Return models as points, accuracy to the right and the share of supporting words up (Figure 3 of the paper)."""
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
    """Return the words that contributed most as strokes that run into the word, as wide as their shares."""
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
                short=cut(visible(word.text) or "·", _LONGEST),
                share=word.share,
                y=y,
                at=y - 4,
                end=end,
                width=max(0.4, word.share / 100 * _WIDEST),
            )
        )
        y += _ROW
    said = Markup('<g class="mark-baseline"><text x="370" y="{y:.1f}">{word}</text></g>').format(
        y=end + 4, word=cut(visible(example.word), _LONGEST)
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
    """Return where values lie between the ends of an axis, from 0 to 1; a single value is in its middle."""
    low, high = min(values), max(values)

    def place(value: float) -> float:
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
        name=cut(visible(point.model), _LONGEST),
    )
