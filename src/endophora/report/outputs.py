"""What was done to outputs before they were scored, and what they lost: tables of a report."""

from __future__ import annotations

from endophora.evaluation.result import Result
from endophora.report.table import Column as Head
from endophora.report.table import Table


def realigned(result: Result) -> Table:
    """Return what was cut of outputs in lines of their own, and the shares that answer to nothing."""
    rows = [
        [
            one.system,
            f"{one.lines:,}",
            f"{one.segments:,}",
            f"{one.omitted:,} ({one.omitted / max(1, one.segments):.1%})",
            f"{one.added:,} of {one.characters:,} ({one.added / max(1, one.characters):.1%})",
            ("by document" if one.by_document else "as one text") + (f", by {one.reference}" if one.reference else ""),
        ]
        for one in result.realigned
    ]
    heads = ("lines", "segments", "segments without translation", "characters without source")
    return Table([Head("system", right=False), *map(Head, heads), Head("cut", right=False)], rows)


def placeholders(result: Result) -> Table:
    """Return how many placeholders of the source each system lost, and added."""
    rows = [
        [
            one.system,
            f"{one.expected:,}",
            f"{one.missing:,} ({one.missing / one.expected:.1%})",
            f"{one.extra:,}",
            f"{one.wrong:,} of {one.segments:,}",
        ]
        for one in result.placeholders
    ]
    heads = ("in the source", "missing", "extra", "segments with a fault")
    return Table([Head("system", right=False), *map(Head, heads)], rows)
