"""An attribution shown, in the shape of the papers' Tables 1 and 3: shares in per cent, with two decimals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.context.attribution.result import AttributedExample, AttributionResult, GroupKind, Measure
from endophora.report.attribution_plots import flow_plot, pareto_plot
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Section,
    Table,
    bounds,
    figure,
    figures,
    intervals_note,
    names,
    p_text,
)

_COLUMNS: tuple[tuple[Measure, str], ...] = (
    ("support", "supporting words"),
    ("context", "context"),
    ("current", "current"),
)
_HEADS: dict[GroupKind, str] = {
    "all": "all words",
    "phenomenon": "by phenomenon",
    "distance": "by distance of the nearest support, in segments",
}
_SHADES = ((0.25, ""), (0.5, "r1"), (1.0, "r2"), (2.0, "r3"), (4.0, "r4"), (8.0, "r6"), (16.0, "r8"), (101.0, "r10"))
"""Classes of a word's background, by the share below which it has it, in per cent."""

_NOTE = (
    "In generating a word, how much came from the words that support it, from all of the context, and from the current "
    "sentence with the words said before it, in per cent. Context and current sentence are together 100."
)
_PARETO = "Neither follows from the other. A ring is a model that another one equals in both and beats in one."


def sections(result: AttributionResult) -> Iterator[Section]:
    """Yield a table of models × shares for all words and for each kind of group."""
    settings = result.settings
    method = f"{settings.method}, rows: {settings.rows}, up to {settings.context_size} segments of context"
    yield [f"{result.data}: {result.words:,} words, {method}"]
    for table in _tables(result):
        yield [table]
    yield _notes(result)
    yield [f"signature: {result.signature}"]


def papers(result: AttributionResult) -> Iterator[Table]:
    """Yield models × (supporting words, context, current), as Table 1."""
    lines = [
        [model.name, *(figure(result.share(model.name, name).value, digits=2) for name, _ in _COLUMNS)]
        for model in result.models
    ]
    yield Table([*names("model"), *figures(*(title for _, title in _COLUMNS))], lines)


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
    """Return a page of the tables, of accuracy beside shares, and of examples with their words shaded."""
    settings = result.settings
    examples: dict[str, list[AttributedExample]] = {}
    for one in result.examples:  # models stand side by side
        examples.setdefault(one.id, []).append(one)
    sections = [PageSection("Shares", [_NOTE, *_tables(result), *_notes(result)])]
    if drawing := pareto_plot(result.pareto):
        sections.append(PageSection("Accuracy and use of the supporting words", [_PARETO, drawing]))
    return static_page(
        "attribution.html.jinja",
        result=result,
        title=result.data,
        subtitle="where did the words come from?",
        facts=[
            ("words", f"{result.words:,}"),
            ("models", f"{len(result.models):,}"),
            ("context", f"up to {settings.context_size} segments, {settings.sides}"),
            ("rows", settings.rows),
        ],
        sections=sections,
        flow=flow_plot,
        shade=_shade,
        examples=list(examples.items()),
        settings=[("method", settings.method), *((model.name, model.signature) for model in result.models)],
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
    heads = figures("words", *(title for _, title in _COLUMNS), interval="\n{low}–{high}")
    for kind, title in _HEADS.items():
        lines: list[list[Cell | str]] = []
        for group in dict.fromkeys(one.group for one in result.shares if one.kind == kind):
            for model in result.models:
                shares = [result.share(model.name, name, kind, group) for name, _ in _COLUMNS]
                cells = [figure(one.value, one.interval, 2) for one in shares]
                lines.append([model.name, *([] if kind == "all" else [group]), f"{shares[0].words:,}", *cells])
        if lines:
            yield Table([*names("model", *([] if kind == "all" else ["group"])), *heads], lines, title=title)
