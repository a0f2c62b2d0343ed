"""CXMI as CSV: one row a figure, told apart by ``kind``."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.context.cxmi_result import CxmiResult
from endophora.record import Interval
from endophora.report.plain import csv_text

_HEADER = (
    *("kind", "condition", "group", "count", "value", "low", "high", "shrunk"),
    *("difference", "difference_low", "difference_high", "p_value", "p_adjusted"),
    *("document", "segment", "start", "end"),
)


def render(result: CxmiResult) -> str:
    """Return all figures; empty cells are nulls.

    ``kind`` is ``context`` (``count`` samples whose context was ``given``, and read ``whole``, ``cut`` or ``lost``),
    ``cxmi`` (``group`` is the definition, ``count`` the samples), ``cxmi-kept`` (over samples whose context was read),
    ``all``, ``tag``, ``label``, ``item`` or ``token``. A text that a spreadsheet would take for a formula gets an
    apostrophe in front of it.
    """
    return csv_text([_HEADER, *([row.get(name) for name in _HEADER] for row in _rows(result))])


def _rows(result: CxmiResult) -> Iterator[dict[str, object]]:
    for condition in result.conditions:
        for state in ("given", "whole", "cut", "lost"):
            count = getattr(condition.context, state)
            yield {"kind": "context", "condition": condition.name, "group": state, "count": count}
    for one in result.cxmi:
        kind = "cxmi" if one.over == "all" else "cxmi-kept"
        row = {"kind": kind, "condition": one.condition, "group": one.definition, "count": one.samples}
        yield {**row, "value": one.value, **_bounds(one.interval)}
    for group in result.groups:
        row = {"kind": group.kind, "condition": group.condition, "group": group.group, "count": group.count}
        against = result.contrast(group.condition, group.group) if group.kind == "tag" else None
        compared: dict[str, object] = {}
        if against is not None:
            compared = {name: getattr(against, name) for name in ("difference", "p_value", "p_adjusted")}
            compared |= _bounds(against.interval, "difference_")
        yield {**row, "value": group.mean, **_bounds(group.interval), **compared}
    main = result.settings.main
    for item in result.items:
        row = {"kind": "item", "condition": main, "group": item.item, "count": item.count, "shrunk": item.shrunk}
        yield {**row, "value": item.mean, **_bounds(item.interval)}
    for token in result.tokens:
        place = {name: getattr(token, name) for name in ("document", "segment", "start", "end", "value")}
        yield {"kind": "token", "condition": main, "group": token.form, "count": 1, **place}


def _bounds(interval: Interval | None, prefix: str = "") -> dict[str, object]:
    return {} if interval is None else {f"{prefix}low": interval.low, f"{prefix}high": interval.high}
