"""CXMI as one HTML file without script: contexts, phenomena, parts of speech, vocabulary and single words."""

from __future__ import annotations

from endophora.context.cxmi_result import CxmiResult, GroupFigure
from endophora.record import Interval
from endophora.report import cxmi_figures as written
from endophora.report.context_read import NOTE
from endophora.report.figures import title
from endophora.report.sheet import axis_bounds, render_sheet

_ITEMS = 100
_TOKENS = 60


def render(result: CxmiResult) -> str:
    """Return the page; the same result gives the same bytes."""
    main, settings = result.settings.main, result.settings
    tags = written.groups(result, main, "tag")
    labels = [*written.groups(result, main, "all"), *written.groups(result, main, "label")]
    counts = [fact.partition(" ")[::2] for fact in written.facts(result)]
    contrasts = [one for one in result.contrasts if one.condition == main]
    return render_sheet(
        "cxmi.html.jinja",
        result=result,
        title=written.heading(result),
        subtitle="does the model use its context?",
        facts=[(name, count) for count, name in counts],
        totals=[result.figure(one.name) for one in result.conditions],
        normalised=[result.figure(one.name, "normalised") for one in result.conditions],
        read=written.read_table(result),
        read_note=NOTE,
        tags=tags,
        labels=labels,
        beside=_beside(result),
        contrasts={one.tag: one for one in contrasts},
        items=result.items[:_ITEMS],
        tokens=result.tokens[:_TOKENS],
        bounds={
            "cxmi": _bounds([(one.value, one.interval) for one in result.cxmi if one.definition == "total"]),
            "contrasts": _bounds([(one.difference, one.interval) for one in contrasts]),
            "groups": _group_bounds([*tags, *labels]),
        },
        legend=written.legend(result),
        written=written,
        name=title,
        settings=[
            ("items", written.shrinkage(result)),
            ("statistics", f"bootstrap over {settings.units}, {settings.resamples:,} resamples, seed {settings.seed}"),
        ],
    )


def _beside(result: CxmiResult) -> list[tuple[str, list[GroupFigure | None]]]:
    """Return each group with its figure under each context; ``None`` where there is none."""
    found = {(one.condition, one.group): one for one in result.groups}
    names = [one.name for one in result.conditions]
    return [(group, [found.get((name, group)) for name in names]) for group in dict.fromkeys(g for _, g in found)]


def _bounds(figures: list[tuple[float, Interval | None]]) -> tuple[float, float]:
    ends = [end for _, interval in figures if interval for end in (interval.low, interval.high)]
    return axis_bounds([*(value for value, _ in figures), *ends])


def _group_bounds(groups: list[GroupFigure]) -> tuple[float, float]:
    """Return an axis for the groups that have an interval: the means of rare ones lie far out."""
    return _bounds([(one.mean, one.interval) for one in groups if one.interval])
