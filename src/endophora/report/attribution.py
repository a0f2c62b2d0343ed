"""An attribution shown: terminal text in the shape of the papers' Tables 1 and 3, JSON, CSV, LaTeX, HTML.

Nothing is computed here. Shares are in per cent, with two decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.context.attribution.result import (
    AttributedExample,
    AttributionResult,
    AttributionShare,
    GroupKind,
    Measure,
)
from endophora.record import Interval
from endophora.registry import Registry
from endophora.report.attribution_plots import flow_plot, pareto_plot
from endophora.report.figures import p_text, signed
from endophora.report.latex import escape
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.sheet import render_sheet
from endophora.report.visible import visible

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


def text(result: AttributionResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    return plain_text(plain_console(), _parts(result))


def _parts(result: AttributionResult) -> Iterator[RenderableType]:
    yield Text(visible(f"{result.data}: {result.words:,} words, {_method(result)}"))
    for kind in _kinds(result):
        yield from (Text(), _table(result, kind))
    lines = [*_left_out(result), *tested(result)]
    if lines:
        yield Text()
    for line in (*lines, f"signature: {result.signature}"):
        yield Text(visible(line))


def tidy(result: AttributionResult) -> str:
    """Return one row for each share as CSV, all measures and groups; a difference is from the baseline."""
    names = ("model", "measure", "kind", "group", "value", "low", "high", "words")
    rows: list[Sequence[object]] = [(*names, "difference", "p_value", "p_adjusted")]
    against = {(one.model, one.measure): one for one in result.differences}
    for one in result.shares:
        found = against.get((one.model, one.measure)) if one.kind == "all" else None
        test = (found.difference, found.p_value, found.p_adjusted) if found else (None, None, None)
        rows.append((one.model, one.measure, one.kind, one.group, one.value, *bounds(one.interval), one.words, *test))
    return csv_text(rows)


def latex(result: AttributionResult) -> str:
    r"""Return a ``tabular`` of models × (supporting words, context, current), as Table 1; needs ``booktabs``."""
    rows: list[str] = []
    for model in result.models:
        shares = (f"{result.share(model.name, name).value:.2f}" for name, _ in _COLUMNS)
        rows.append(" & ".join((escape(model.name), *shares)) + r" \\")
    return booktabs(result.signature, "lrrr", [" & ".join(("model", *(title for _, title in _COLUMNS))) + r" \\"], rows)


def html(result: AttributionResult) -> str:
    """Return a page that loads nothing; the same result gives the same bytes."""
    settings = result.settings
    return render_sheet(
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
        columns=_COLUMNS,
        tables=[(_HEADS[kind], _rows(result, kind)) for kind in _kinds(result)],
        tested=tested(result),
        left_out=_left_out(result),
        pareto=pareto_plot(result.pareto),
        flow=flow_plot,
        shade=_shade,
        examples=_examples(result),
        settings=[("method", settings.method), *((model.name, model.signature) for model in result.models)],
    )


ATTRIBUTION_REPORTS: Registry[Callable[[AttributionResult], str]] = Registry(
    "attribution_report",
    {"text": text, "json": "endophora.report.json:render", "csv": tidy, "latex": latex, "html": html},
)
"""Format name → function from a result to the whole text."""


def tested(result: AttributionResult) -> list[str]:
    """Return one sentence for each difference of a share of supporting words, and what the intervals are."""
    settings = result.settings
    lines = [
        f"{one.model} − {one.baseline}, supporting words: {signed(one.difference, 2)}{_signed_bounds(one.interval)}, "
        f"{p_text(one.p_adjusted)}"
        for one in result.differences
        if one.measure == "support"
    ]
    if settings.resamples:
        lines.append(
            f"{100 * settings.confidence:g} % intervals from {settings.resamples:,} resamples of {settings.units}"
            + ("; paired randomisation, p corrected by Holm's method" if lines else "")
        )
    return lines


def _left_out(result: AttributionResult) -> list[str]:
    return [f"left out: {count:,}, since {reason}" for reason, count in result.left_out.items()]


def _method(result: AttributionResult) -> str:
    settings = result.settings
    return f"{settings.method}, rows: {settings.rows}, up to {settings.context_size} segments of context"


def _kinds(result: AttributionResult) -> list[GroupKind]:
    return [kind for kind in _HEADS if any(one.kind == kind for one in result.shares)]


def _rows(result: AttributionResult, kind: GroupKind) -> list[tuple[str, str, int, list[AttributionShare]]]:
    """Return model, group, number of words and shares of each row of a table."""
    groups = list(dict.fromkeys(one.group for one in result.shares if one.kind == kind))
    return [
        (model.name, group, shares[0].words, shares)
        for group in groups
        for model in result.models
        for shares in [[result.share(model.name, name, kind, group) for name, _ in _COLUMNS]]
    ]


def _table(result: AttributionResult, kind: GroupKind) -> Table:
    made = plain_table(_HEADS[kind])
    for head in ("model", *([] if kind == "all" else ["group"])):
        made.add_column(head, overflow="fold")
    for head in ("words", *(title for _, title in _COLUMNS)):
        made.add_column(head, justify="right")
    for model, group, words, shares in _rows(result, kind):
        names = [model, *([] if kind == "all" else [group])]
        cells = [f"{one.value:.2f}\n{_bounds(one.interval)}".rstrip() for one in shares]
        made.add_row(*(Text(visible(name)) for name in names), f"{words:,}", *cells)
    return made


def _examples(result: AttributionResult) -> list[tuple[str, list[AttributedExample]]]:
    """Return the examples of each word together, so that models stand side by side."""
    found: dict[str, list[AttributedExample]] = {}
    for example in result.examples:
        found.setdefault(example.id, []).append(example)
    return list(found.items())


def _shade(share: float) -> str:
    return next(name for limit, name in _SHADES if share < limit)


def _bounds(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.2f}–{interval.high:.2f}"


def _signed_bounds(interval: Interval | None) -> str:
    return "" if interval is None else f" ({signed(interval.low, 2)} to {signed(interval.high, 2)})"
