"""The result as one HTML file: no network, no script from data, and readable without script."""

from __future__ import annotations

import math
from typing import Any

from endophora.evaluation.result import Phenomenon, Result
from endophora.report import correlations, matrix
from endophora.report.matrix import Categories
from endophora.report.page_data import page_data
from endophora.report.plots import bars, gauge, strip
from endophora.report.scatter import document_scatter, system_scatter
from endophora.report.static_page import asset, data_block, source_hash, templates
from endophora.report.table import number

_FAR = 5
"""Distances beyond so many segments are counted together."""


def render(result: Result) -> str:
    """Return the page; the same result gives the same bytes."""
    style, script = asset("report.css"), asset("explorer.js")
    filters = {"title": matrix.title, "heading": matrix.heading}
    template = templates(filters).get_template("report.html.jinja")
    return template.render(
        result=result,
        columns=matrix.columns(result),
        rows=matrix.rows(result),
        measured=[column for column in matrix.columns(result) if column.kind == "phenomenon"],
        tagged=bool(result.phenomena),
        facts=matrix.facts(result),
        baseline=matrix.baseline_text(result),
        legend=matrix.legend(result),
        overview=_overview(result),
        categories=matrix.categories(result),
        correlated=correlations.correlated(result),
        agreeing=correlations.agreeing(result),
        correlations=correlations,
        number=number,
        strip=strip,
        bars=bars,
        gauge=gauge,
        top=_top,
        system_scatter=system_scatter,
        document_scatter=document_scatter,
        named_rules=_named_rules,
        distances=_distances,
        style=style,
        script=script,
        style_hash=source_hash(style),
        script_hash=source_hash(script),
        island=data_block(page_data(result)),
    )


def _named_rules(phenomenon: Phenomenon) -> list[tuple[str, int]]:
    ranked = sorted(phenomenon.rules.items(), key=lambda item: -item[1])
    return [(matrix.title(name), count) for name, count in ranked]


def _distances(phenomenon: Phenomenon) -> list[tuple[str, int]]:
    """Return distances up to :data:`_FAR` one by one, and all farther ones together."""
    near = [(str(distance), count) for distance, count in sorted(phenomenon.distances.items()) if distance <= _FAR]
    far = sum(count for distance, count in phenomenon.distances.items() if distance > _FAR)
    return [*near, (f"> {_FAR}", far)] if far else near


def _top(group: Categories) -> float:
    """Return the right edge of a metric's bars, in points of 100: the next ten above its highest figure or interval."""
    ends = [
        matrix.points(end, cell.column)
        for cell in (cell for row in group.rows for cell in row.cells)
        if cell.score is not None
        for end in (cell.score.value, cell.score.interval and cell.score.interval.high)
        if end is not None
    ]
    return 10.0 * math.ceil(max(ends, default=100.0) / 10) or 10.0


def _overview(result: Result) -> list[dict[str, Any]]:
    """Return, for each column, its cells from best to weakest, and how many are significantly worse or better."""
    rows, overview = matrix.rows(result), list[dict[str, Any]]()
    counted = {phenomenon.name: phenomenon for phenomenon in result.phenomena}
    for index, column in enumerate(matrix.columns(result)):
        cells = [row.cells[index] for row in rows if row.cells[index].number is not None]
        cells.sort(key=lambda cell: (cell.number or 0.0) * (-1 if cell.column.higher_is_better else 1))
        overview.append(
            {
                "column": column,
                "cells": cells,
                "baseline": next((cell.comparison.baseline for cell in cells if cell.comparison), ""),
                "worse": sum(cell.verdict == "worse" for cell in cells),
                "better": sum(cell.verdict == "better" for cell in cells),
                "compared": sum(cell.comparison is not None for cell in cells),
                "counts": counted.get(column.name) if column.kind == "phenomenon" else None,
            }
        )
    return overview
