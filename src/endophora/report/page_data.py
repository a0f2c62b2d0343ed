"""The data of the HTML page, which stands in it as JSON.

Texts repeat (a segment has many occurrences, a context is another's source), so each stands once in ``texts`` and is
referred to by its index. Highlights are flattened to stretches that do not overlap and counted in UTF-16 units, as
browsers count.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from endophora.evaluation.result import Comparison, Example, Highlight, Passage, Result, Score
from endophora.report import matrix
from endophora.report.matrix import MatrixCell, points
from endophora.report.table import figure, number, p_text

_ROLES = ("occurrence", "written", "support", "source")


def page_data(result: Result) -> dict[str, Any]:
    """Return what the page's script reads, for :func:`endophora.report.static_page.data_block`."""
    texts = _Texts()
    examples = [_example(example, result, texts) for example in result.examples]
    return {
        "systems": result.corpus.systems,
        "languages": [result.corpus.source_language, result.corpus.target_language],
        "baseline": result.settings.baseline,
        "documents": [[document.id, document.segments] for document in result.corpus.documents],
        "columns": [
            {
                "name": column.name,
                "title": matrix.title(column.name),
                "phenomenon": column.kind == "phenomenon",
                "higher": column.higher_is_better,
            }
            for column in matrix.columns(result)
        ],
        "cells": [[_cell(cell) for cell in row.cells] for row in matrix.rows(result)],
        "roles": _ROLES,
        "examples": examples,
        "texts": list(texts.index),
    }


class _Texts:
    """Texts, each once; ``index`` maps a text to its place."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Return the number of a text; equal texts have one."""
        return self.index.setdefault(text.encode("utf-8", "replace").decode("utf-8"), len(self.index))


def _cell(cell: MatrixCell) -> dict[str, Any]:
    score, comparison = cell.score, cell.comparison
    data: dict[str, Any] = {"value": cell.value, "interval": cell.interval, "verdict": cell.verdict}
    if score is not None:
        data |= _score(score, cell)
    if comparison is not None:
        data["compared"] = _compared(comparison, cell)
    return data


def _score(score: Score, cell: MatrixCell) -> dict[str, Any]:
    return {
        "points": _rounded(cell.number),
        "precision": _rounded(None if score.precision is None else points(score.precision, cell.column)),
        "recall": _rounded(None if score.recall is None else points(score.recall, cell.column)),
        "counts": score.counts,
        "documents": [_rounded(None if value is None else points(value, cell.column)) for value in score.documents],
    }


def _compared(comparison: Comparison, cell: MatrixCell) -> dict[str, Any]:
    return {
        "baseline": comparison.baseline,
        "difference": number(points(comparison.difference, cell.column), sign=True),
        "interval": figure(comparison.difference, comparison.interval, factor=100 / cell.column.scale).interval,
        "p": p_text(comparison.p_value),
        "adjusted": p_text(comparison.p_adjusted),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _example(example: Example, result: Result, texts: _Texts) -> dict[str, Any]:
    place = {system: index for index, system in enumerate(result.corpus.systems)}
    return {
        "document": texts.place(example.document),
        "segment": example.segment + 1,
        "file": texts.place(example.file),
        "line": example.line,
        "phenomenon": texts.place(example.phenomenon),
        "rule": texts.place(example.rule),
        "expected": texts.place(example.expected),
        "antecedent": texts.place(example.antecedent),
        "distance": example.distance,
        "probability": _rounded(example.probability),
        "context": [
            [context.segment + 1, _passage(context.source, texts), _passage(context.reference, texts)]
            for context in example.context
        ],
        "source": _passage(example.source, texts),
        "reference": _passage(example.reference, texts),
        "outputs": [
            [place[output.system], int(output.correct), texts.place(output.written), *_passage(output.passage, texts)]
            for output in example.outputs
            if output.system in place
        ],
    }


def _passage(passage: Passage, texts: _Texts) -> list[int]:
    """Return the place of the text, then start, end and role of each stretch."""
    flat = [texts.place(passage.text)]
    for start, end, role in _stretches(passage.highlights, passage.text):
        flat += [_units(passage.text[:start]), _units(passage.text[:end]), role]
    return flat


def _stretches(highlights: list[Highlight], text: str) -> list[tuple[int, int, int]]:
    """Return stretches that do not overlap, in order.

    Where roles meet, the one named first in ``_ROLES`` wins; stretches of a role with only spaces between them are one.
    """
    ends = (at for highlight in highlights for at in (highlight.start, highlight.end))
    cuts = sorted({min(max(at, 0), len(text)) for at in ends})
    stretches: list[tuple[int, int, int]] = []
    for start, end in pairwise(cuts):
        roles = [_ROLES.index(one.role) for one in highlights if one.start <= start and end <= one.end]
        if not roles:
            continue
        before = stretches[-1] if stretches else (0, 0, -1)
        if before[2] == min(roles) and not text[before[1] : start].strip():
            stretches[-1] = (before[0], end, before[2])
        else:
            stretches.append((start, end, min(roles)))
    return stretches


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2
