"""The order of the systems in a matrix: by the mean of their ranks."""

from __future__ import annotations

import math

from endophora.evaluation.result import Column, Result
from endophora.report.matrix import MatrixRow, columns, ranks, rows


def ranked(result: Result) -> list[MatrixRow]:
    """Return the rows of the matrix from the best to the weakest: by the mean of their ranks in :func:`ranking`."""
    found, used = rows(result), {column.name for column in _ranking(result)}
    places: dict[str, list[float]] = {row.system: [] for row in found}
    for cells in zip(*(row.cells for row in found), strict=True):
        if cells[0].column.name not in used:
            continue
        sign = -1 if cells[0].column.higher_is_better else 1
        values = [round(sign * cell.number, 1) if cell.number is not None else math.inf for cell in cells]
        for cell, value in zip(cells, values, strict=True):
            better, level = sum(one < value for one in values), values.count(value)
            places[cell.system].append(better + (level + 1) / 2)
    return sorted(found, key=lambda row: sum(places[row.system]))


def ranking(result: Result) -> str:
    """Return by what the rows are ordered, for a legend; empty where there is nothing to order."""
    used = _ranking(result)
    if not used or len(result.corpus.systems) < 2:
        return ""
    kind = "phenomena" if used[0].kind == "phenomenon" else "metrics"
    few = " with enough words" if any(not ranks(column, result) for column in columns(result)) else ""
    return f"order: mean rank over the {kind}{few}"


def _ranking(result: Result) -> list[Column]:
    """Return the columns by which systems are ranked: phenomena with enough words, or metrics where there are none."""
    enough = [column for column in columns(result) if ranks(column, result)]
    return [column for column in enough if column.kind == "phenomenon"] or enough
