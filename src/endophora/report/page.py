"""The result as one HTML file: no network, no script from data, and readable without script."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath, PureWindowsPath
from typing import Any

from markupsafe import Markup

from endophora.evaluation.result import Example, Highlight, Passage, Phenomenon, Result, SystemOutput
from endophora.report import matrix, model_judge, order, outputs
from endophora.report.matrix import Categories, MatrixCell, points
from endophora.report.scatter import document_scatter, system_scatter
from endophora.report.static_page import place_of, script_page, units
from endophora.report.table import figure, number, p_text, visible

_FAR = 5
"""Distances beyond so many segments are counted together."""


def render(result: Result) -> str:
    """Return the page; the same result gives the same bytes."""
    folders = sorted({str(PurePath(one.file).parent) for one in result.examples}, key=len, reverse=True)
    return script_page(
        "report.html.jinja",
        page_data(result),
        style=["report.css"],
        script="explorer.js",
        filters={"title": matrix.title, "heading": matrix.heading},
        result=result,
        columns=matrix.columns(result),
        rows=matrix.rows(result),
        ranked=order.ranked(result),
        ranking=order.ranking(result),
        measured=[column for column in matrix.columns(result) if column.kind == "phenomenon"],
        tagged=bool(result.phenomena),
        facts=matrix.facts(result),
        warnings=[_bare(warning, folders) for warning in result.warnings],
        conclusion=[visible(sentence) for sentence in result.conclusion],
        baseline=matrix.baseline_text(result),
        legend=matrix.legend(result),
        overview=_overview(result),
        categories=_by_rank(result),
        correlated=matrix.correlated(result),
        agreeing=matrix.agreeing(result),
        realigned=outputs.realigned(result) if result.realigned else None,
        placeholders=outputs.placeholders(result) if result.placeholders else None,
        agreement=model_judge.agreement(result.model_judge) if result.model_judge else None,
        judging=model_judge,
        matrix=matrix,
        number=number,
        strip=strip,
        bars=bars,
        gauge=gauge,
        top=_top,
        system_scatter=system_scatter,
        document_scatter=document_scatter,
        named_rules=matrix.ranked_rules,
        distances=_distances,
    )


def _is_absolute(name: str) -> bool:
    """Return whether a path would name a user or a project on a page that others get."""
    return PurePath(name).is_absolute() or PureWindowsPath(name).is_absolute()


def _bare(warning: str, folders: Sequence[str]) -> str:
    """Return a warning without the folders of absolute paths."""
    for folder in folders:
        if _is_absolute(folder):
            warning = warning.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return _FOLDERS.sub("", warning)


_FOLDERS = re.compile(r"(?<![\w:/.])/(?:[^\s/:]+/)+")


def _distances(phenomenon: Phenomenon) -> list[tuple[str, int]]:
    """Return distances up to :data:`_FAR` one by one, and all farther ones together."""
    near = [(str(distance), count) for distance, count in sorted(phenomenon.distances.items()) if distance <= _FAR]
    far = sum(count for distance, count in phenomenon.distances.items() if distance > _FAR)
    return [*near, (f"> {_FAR}", far)] if far else near


def _by_rank(result: Result) -> list[Categories]:
    """Return the categories of each metric, the systems in the order of the matrix."""
    place = {row.system: at for at, row in enumerate(order.ranked(result))}
    return [
        replace(group, rows=tuple(sorted(group.rows, key=lambda row: place[row.system])))
        for group in matrix.categories(result)
    ]


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


_ROLES = ("occurrence", "written", "support", "source")


def page_data(result: Result) -> dict[str, Any]:
    """Return what the page's script reads, for :func:`endophora.report.static_page.data_block`."""
    texts: dict[str, int] = {}
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
                "words": column.by_document,
            }
            for column in matrix.columns(result)
        ],
        "cells": [[_cell(cell) for cell in row.cells] for row in matrix.rows(result)],
        "roles": _ROLES,
        "examples": examples,
        "texts": list(texts),
    }


def _cell(cell: MatrixCell) -> dict[str, Any]:
    score, comparison, column = cell.score, cell.comparison, cell.column

    def in_points(value: float | None) -> float | None:
        return _rounded(None if value is None else points(value, column))

    data: dict[str, Any] = {"value": cell.value, "interval": cell.interval, "verdict": cell.verdict}
    if score is not None:
        data |= {
            "points": _rounded(cell.number),
            "precision": in_points(score.precision),
            "recall": in_points(score.recall),
            "counts": score.counts,
            "documents": [in_points(value) for value in score.documents],
        }
    if comparison is not None:
        data["compared"] = {
            "baseline": comparison.baseline,
            "difference": number(points(comparison.difference, column), sign=True),
            "interval": figure(comparison.difference, comparison.interval, factor=100 / column.scale).interval,
            "p": p_text(comparison.p_value),
            "adjusted": p_text(comparison.p_adjusted),
        }
    return data


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _example(example: Example, result: Result, texts: dict[str, int]) -> dict[str, Any]:
    systems = {system: index for index, system in enumerate(result.corpus.systems)}
    return {
        "document": place_of(example.document, texts),
        "segment": example.segment + 1,
        "file": place_of(PurePath(example.file).name if _is_absolute(example.file) else example.file, texts),
        "line": example.line,
        "phenomenon": place_of(example.phenomenon, texts),
        "rule": place_of(example.rule, texts),
        "expected": place_of(_in_words(example.expected, example.phenomenon), texts),
        "antecedent": place_of(example.antecedent, texts),
        "distance": example.distance,
        "probability": _rounded(example.probability),
        "context": [
            [context.segment + 1, _passage(context.source, texts), _passage(context.reference, texts)]
            for context in example.context
        ],
        "source": _passage(example.source, texts),
        "reference": _passage(example.reference, texts),
        "outputs": [
            [
                systems[output.system],
                _KINDS.index(output.verdict or ("unjudged" if output.why else "right" if output.correct else "wrong")),
                place_of(output.written, texts),
                place_of(_reason(output, example.phenomenon), texts),
                *_passage(output.passage, texts),
            ]
            for output in example.outputs
            if output.system in systems
        ],
    }


_KINDS = ("wrong", "right", "other", "missing", "unjudged")
"""As in the script of the page; the first two are the truth values of ``correct``."""


_FEATURES = {
    **{"Masc": "masculine", "Fem": "feminine", "Neut": "neuter", "Com": "common gender"},
    **{"Past": "past", "Pres": "present", "Fut": "future", "Pqp": "pluperfect"},
    **{"Ind": "indicative", "Sub": "subjunctive", "Cnd": "conditional"},
}
"""Values of features of Universal Dependencies, as a reader knows them."""


def _in_words(value: str, phenomenon: str) -> str:
    """Return a gender or a form of verbs as it is read, *masculine, neuter*; what others ask for is words already."""
    if phenomenon not in ("pronouns", "verb_form"):
        return value
    separator = ", " if "," in value else " "
    return separator.join(_FEATURES.get(each, each) for each in re.split(r"[,.]", value))


def _reason(output: SystemOutput, phenomenon: str) -> str:
    """Return what was asked, what is shown, and why that is the verdict; empty where only words were matched."""
    if not output.verdict:
        return output.why and f"not judged: {output.why}"
    shown = f"; shown: {_in_words(output.shown, phenomenon)}" if output.shown else ""
    asked = f"asked: {_in_words(output.asked, phenomenon)}{shown}; " if output.asked else ""
    return asked + output.why


def _passage(passage: Passage, texts: dict[str, int]) -> list[int]:
    """Return the place of the text, then start, end and role of each stretch."""
    flat, text = [place_of(passage.text, texts)], passage.text
    for start, end, role in _stretches(passage.highlights, text):
        flat += [units(text, start), units(text, end), role]
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


_WIDTH, _EDGE, _STEP, _DOT = 240.0, 6.0, 9.0, 3.6
_DOT_SHAPE = Markup('<circle cx="{x}" cy="{y}" r="3.6"></circle>')
_DOWN_SHAPE = Markup('<path d="M{left} {top}H{right}L{x} {bottom}Z"></path>')
_UP_SHAPE = Markup('<path d="M{left} {bottom}H{right}L{x} {top}Z"></path>')
_SHAPES = {"": _DOT_SHAPE, "worse": _DOWN_SHAPE, "better": _UP_SHAPE}


def strip(cells: Sequence[MatrixCell], baseline: str) -> Markup:
    """Return all systems of a column on one axis, the better to the right; marks that would overlap are stacked."""
    if not cells:
        return Markup("")
    shown = sorted(((cell.number or 0.0, cell) for cell in cells), key=lambda pair: pair[0])
    if not cells[0].column.higher_is_better:
        shown.reverse()
    low, high = shown[0][0], shown[-1][0]
    scale = (_WIDTH - 2 * _EDGE) / (high - low) if high != low else 0.0
    placed = _stacked([_EDGE + (value - low) * scale if scale else _WIDTH / 2 for value, _ in shown])
    height = _STEP * (max(level for _, level in placed) + 1) + 4
    marks = Markup("").join(
        _mark(cell, x, height - 6 - level * _STEP, baseline)
        for (_, cell), (x, level) in zip(shown, placed, strict=True)
    )
    label = f"{len(cells)} systems from {low:.1f} to {high:.1f}"
    return Markup(
        '<svg class="strip" viewBox="0 0 240 {box:.0f}" role="img" aria-label="{label}">{marks}'
        '<path class="axis" d="M0 {axis}H240"></path>'
        '<text x="0" y="{below}">{low:.1f}</text>'
        '<text x="240" y="{below}" text-anchor="end">{high:.1f}</text></svg>'
    ).format(
        box=height + 18, label=label, marks=marks, axis=f"{height:.1f}", below=f"{height + 14:.1f}", low=low, high=high
    )


def bars(count: int, largest: int) -> Markup:
    """Return a bar as long as a count is relative to the largest."""
    share = 100 * count / largest if largest else 0.0
    return Markup(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{share}" height="8"></rect></svg>'
    ).format(share=f"{share:.1f}")


def gauge(cell: MatrixCell, top: float) -> Markup:
    """Return a cell's figure as a bar from zero, with its interval as a whisker."""
    scale = 100 / top if top else 0.0
    length = scale * max(cell.number or 0.0, 0.0)
    whisker = Markup("")
    if cell.low is not None and cell.high is not None:
        low, high = (scale * max(end, 0.0) for end in (cell.low, cell.high))
        whisker = Markup('<path d="{path}"></path>').format(
            path=f"M{low:.1f} 6H{high:.1f}M{low:.1f} 3V9M{high:.1f} 3V9"
        )
    return Markup(
        '<svg class="gauge" viewBox="0 0 100 12" preserveAspectRatio="none" role="presentation">'
        '<title>{caption}</title><rect y="2" width="{length}" height="8"></rect>{whisker}</svg>'
    ).format(caption=_caption(cell), length=f"{length:.1f}", whisker=whisker)


def _caption(cell: MatrixCell) -> str:
    return " ".join(filter(None, (visible(cell.system), cell.value, cell.interval and f"({cell.interval})")))


def _stacked(places: Sequence[float]) -> list[tuple[float, int]]:
    """Return each place with the lowest level on which it touches no earlier one."""
    ends: list[float] = []
    stacked: list[tuple[float, int]] = []
    for place in places:
        level = next((level for level, end in enumerate(ends) if place >= end), len(ends))
        ends[level : level + 1] = [place + 2 * _DOT + 1]
        stacked.append((place, level))
    return stacked


def _mark(cell: MatrixCell, x: float, y: float, baseline: str) -> Markup:
    sides = {"left": x - _DOT, "right": x + _DOT, "top": y - _DOT, "bottom": y + _DOT, "x": x, "y": y}
    shape = _SHAPES[cell.verdict].format(**{name: f"{value:.1f}" for name, value in sides.items()})
    kind = "baseline" if cell.system == baseline else cell.verdict or "same"
    return Markup('<g class="mark-{kind}"><title>{caption}</title>{shape}</g>').format(
        kind=kind, caption=_caption(cell), shape=shape
    )
