"""A perturbation shown, in the shape of the paper's Table 2: metrics in points of 100, CXMI in nats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from endophora.context.context_read import ContextCounts
from endophora.context.results import PerturbationColumn, PerturbationDifference, PerturbationResult, PerturbationScore
from endophora.record import Interval
from endophora.report.conclusion import conclude_perturbation
from endophora.report.context_read import read_table, sides_text, states
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Column,
    Fitted,
    Section,
    Table,
    Verdict,
    counted,
    csv_records,
    figure,
    figures,
    fits,
    many,
    names,
    p_number,
    record_cells,
    tested_note,
)

_CORRECT, _NONE, _GOLD = "correct", "none", "gold"
AGAINST_NONE = "No context, context and gold context: † significantly worse than without context, * better."
READ_NOTE = (
    "Segments by what happened to their context: what a model has no room for is cut off, the oldest first. The scores "
    "are those of segments of whose correct context the model read anything."
)
_CSV = (
    *("kind", "model", "column", "condition", "against", "value", "low", "high"),
    *("p_value", "p_adjusted", "significant", "kept", "kept_value", "kept_low", "kept_high", "state", "count"),
)


def sections(result: PerturbationResult) -> Iterator[Section]:
    """Yield scores, what was read, differences by model, and verdicts."""
    corpus, settings = result.corpus, result.settings
    size = f"{many(corpus.segments, 'segment')} in {many(corpus.documents, 'document')}"
    head = f"{corpus.source_language} → {corpus.target_language}: {size}"
    yield [
        f"{head}; up to {many(settings.size, 'segment')} of context, {sides_text(settings.sides)}",
        *conclude_perturbation(result),
    ]
    yield [Fitted(lambda width: _fitting(result, width)), legend(result)]
    if table := _against_none(result):
        yield [table, AGAINST_NONE]
    reads = list(_read_tables(result))
    for place, read in enumerate(reads, 1):
        yield [read, *([READ_NOTE] if place == len(reads) else [])]
    yield [*_differences(result), _tested(result)]
    yield [f"signature: {result.signature}"]


def papers(result: PerturbationResult) -> Iterator[Table]:
    """Yield models × (column × condition), as the paper's Table 2, and MuDA's Table 5 where it was measured."""
    yield _scores(result, result.columns)
    if table := _against_none(result):
        yield table


def rows(result: PerturbationResult) -> list[Sequence[object]]:
    """Return one row for each score and each difference (``kind`` says which), in the metrics' own scale.

    Rows of the kinds ``context-read`` (translations) and ``context-scored`` (references) have the segments whose
    context was ``given``, and those of which it was read ``whole``, ``cut`` or ``lost``. Of a score
    ``count`` is that of all segments.
    """
    segments = result.corpus.segments
    records = [{"kind": "score", **record_cells(one), "count": segments} for one in result.scores]
    for output in result.outputs:
        for kind, counts in (("context-read", output.context), ("context-scored", output.scored)):
            row: dict[str, object] = {"kind": kind, "model": output.model, "condition": output.condition}
            records.extend(
                {**row, "state": state, "count": count} for state, count in (states(counts) if counts else {}).items()
            )
    for one in result.differences:
        pair = {"condition": one.first, "against": one.second, "value": one.difference}
        records.append({"kind": "difference", **record_cells(one), **pair})
    return csv_records(_CSV, records)


def page(result: PerturbationResult) -> str:
    """Return a page of the tables, differences drawn, with the verdicts first."""
    corpus, settings = result.corpus, result.settings
    points = f"{settings.margin:g} points of 100 in {result.columns[0].name}, or {settings.cxmi_margin:g} nats in CXMI"
    margins = f"{points}; a collapse is the loss of {100 * settings.collapse:g} % of the score without context"
    counts = f"Of a verdict, a difference counts if it is significant and at least {margins}."
    reads = list(_read_tables(result))
    return static_page(
        result,
        title=f"{corpus.source_language} → {corpus.target_language}",
        subtitle="is the context used? Right and wrong context",
        conclusion=conclude_perturbation(result),
        facts=[
            counted(corpus.documents, "document"),
            counted(corpus.segments, "segment"),
            counted(len(result.models), "model"),
            ("context", f"up to {many(settings.size, 'segment')}, {sides_text(settings.sides)}"),
        ],
        sections=[
            PageSection("Scores under each condition", [legend(result), counts, _scores(result, result.columns)]),
            *([PageSection("Against no context", [AGAINST_NONE, table])] if (table := _against_none(result)) else []),
            *([PageSection("Context that was read", [READ_NOTE, *reads])] if reads else []),
            PageSection("Differences", [_tested(result), *_differences(result)]),
            PageSection("Conditions", _conditions(result)),
        ],
        settings=[
            *((model.name, model.signature) for model in result.models),
            *((column.name, column.signature) for column in result.columns),
        ],
    )


def conditions(result: PerturbationResult, column: PerturbationColumn) -> list[str]:
    """Return the conditions of a column as Table 2 has them: perturbed ones first, then correct, then none."""
    there = dict.fromkeys(one.condition for one in result.scores if one.column == column.name)
    between = [name for name in there if name not in (_CORRECT, _NONE)]
    return [*between, *(name for name in (_CORRECT, _NONE) if name in there)]


def legend(result: PerturbationResult) -> str:
    """Return what the figures and marks of the table are."""
    shown = "Metrics in points of 100."
    if any(column.kind == "cxmi" for column in result.columns):
        unit = "a sentence" if result.settings.cxmi == "total" else "a sub-word"
        shown += f" CXMI in nats {unit}, against no context; its marks: † significantly below zero, * above."
    shown += " Metrics: † significantly worse than with the correct context, * better."
    if judged := [column for column in result.columns if column.kind == "phenomenon"]:
        choice = result.settings.judge == "choice"
        what = "judged right, in %" if choice else "word F-measure in points of 100"
        of = "judged, the most under any condition" if choice else "words of the reference"
        counts = ", ".join(f"{column.name} {column.occurrences or 0:,}" for column in judged)
        shown += f" Phenomena: {what}, marked alike; {of}: {counts}."
    down = [column.name for column in result.columns if not column.higher_is_better]
    return shown + (f" Lower is better: {', '.join(down)}." if down else "")


def _tested(result: PerturbationResult) -> str:
    test = result.settings.test.replace("-", " ").capitalize()
    return tested_note(result.settings, test, "all models and conditions")


def _scores(result: PerturbationResult, columns: Sequence[PerturbationColumn]) -> Table:
    """Return models × (column × condition)."""
    chosen = [(column, name) for column in columns for name in conditions(result, column)]
    heads = [Column(name, group=column.name, marked=True) for column, name in chosen]
    lines = [
        [model.name, *(_cell(result, model.name, name, column) for column, name in chosen)] for model in result.models
    ]
    return Table([*names("model"), *heads], lines)


def _against_none(result: PerturbationResult) -> Table | None:
    """Return columns × (none, correct, gold) with a column a model, as MuDA's Table 5; ``None`` for less than that."""
    tried = [name for name in (_NONE, _CORRECT, _GOLD) if any(one.name == name for one in result.conditions)]
    if _NONE not in tried or not (_GOLD in tried or any(one.kind == "phenomenon" for one in result.columns)):
        return None
    models = [model.name for model in result.models]
    lines = [
        [
            column.name if name == _NONE else "",
            name,
            *(_cell(result, one, name, column, against=_NONE) for one in models),
        ]
        for column in result.columns
        if column.kind != "cxmi"
        for name in tried
    ]
    return Table([*names("column", "context"), *figures(*models, marked=True)], lines)


def _fitting(result: PerturbationResult, width: int) -> list[Table]:
    """Return the scores as one table, as one a column, or as one a column with the conditions below one another."""
    whole, each = [_scores(result, result.columns)], [_scores(result, [column]) for column in result.columns]
    for tables in (whole, each):
        if all(fits(table, width) for table in tables):
            return tables
    models = [model.name for model in result.models]
    return [
        Table(
            [Column(column.name, right=False, wrap=False), *figures(*models, marked=True)],
            [[name, *(_cell(result, model, name, column) for model in models)] for name in conditions(result, column)],
        )
        for column in result.columns
    ]


def _read_tables(result: PerturbationResult) -> Iterator[Table]:
    """Yield how much context each model read, and its scores over what it read any correct context of."""
    kinds: tuple[tuple[Literal["metric", "cxmi"], str], ...] = (("metric", "translations"), ("cxmi", "references"))
    for kind, what in kinds:
        columns = [column for column in result.columns if column.kind == kind]
        lines: list[tuple[str, ContextCounts, list[Cell]]] = []
        for one in result.outputs:
            counts = one.context if kind == "metric" else one.scored
            if columns and counts is not None and one.condition != _NONE:
                scores = [(result.score(one.model, one.condition, column.name), column) for column in columns]
                cells = [
                    _figure(score and score.kept_value, column, score and score.kept_interval, n=score and score.kept)
                    for score, column in scores
                ]
                lines.append((f"{one.model}, {one.condition}", counts, cells))
        if lines:
            yield read_table(f"context read, {what}", [column.name for column in columns], lines)


def _differences(result: PerturbationResult) -> Iterator[Table]:
    """Yield the differences of all models in a column, since each has its unit."""
    heads = [
        *names("model", "difference"),
        Column("value", marked=True, wrap=False, drawn=True),
        Column("interval", wrap=False, on="text"),
        Column("p, single", wrap=False, on="page"),
        Column("p", wrap=False),
    ]
    for column in result.columns:
        found = [one for one in result.differences if one.column == column.name]
        rules = {place for place, (one, other) in enumerate(pairwise(found)) if one.model != other.model}
        if lines := [_difference(result, one, column) for one in found]:
            yield Table(heads, lines, title=f"difference in {column.name}", rules=frozenset(rules))


def _conditions(result: PerturbationResult) -> list[Table]:
    given = [[one.name, one.description] for one in result.conditions]
    outputs = [[one.model, one.condition, f"{one.changed:,}", f"{one.warned:,}", one.file] for one in result.outputs]
    counts = figures("inputs other than correct", "translations with a warning")
    tables = [
        Table(names("condition", "what is given as context"), given),
        Table([*names("model", "condition"), *counts, *names("file")], outputs),
    ]
    return [table for table in tables if table.rows]


def _difference(
    result: PerturbationResult, one: PerturbationDifference, column: PerturbationColumn
) -> list[Cell | str]:
    """Return model, what is compared, the difference, its interval, p, and p corrected."""
    verdict: Verdict = "differs" if one.significant else ""
    pair = [result.score(one.model, name, column.name) for name in (one.first, one.second)]
    cell = _figure(one.difference, column, one.interval, n=_count(result, column, *pair), sign=True, verdict=verdict)
    return [
        one.model,
        f"{one.first} − {one.second}",
        cell,
        cell.interval,
        p_number(one.p_value),
        p_number(one.p_adjusted),
    ]


def _count(result: PerturbationResult, column: PerturbationColumn, *scores: PerturbationScore | None) -> int | None:
    """Return of how many segments, or judged occurrences, a figure of some scores is: of two, the fewer."""
    if column.kind != "phenomenon":
        return result.corpus.segments
    return min((one.judged for one in scores if one and one.judged is not None), default=None)


def _cell(
    result: PerturbationResult, model: str, condition: str, column: PerturbationColumn, against: str = _CORRECT
) -> Cell:
    score = result.score(model, condition, column.name)
    less_none = column.kind == "cxmi" or against == _NONE
    first, second = (condition, _NONE) if less_none else (_CORRECT, condition)
    found = result.difference(model, column.name, first, second)
    verdict: Verdict = ""
    if found is not None and found.significant and found.difference:
        # Against the correct context, it is that less the condition: above zero the condition is the worse.
        verdict = "worse" if (found.difference < 0) == (less_none == column.higher_is_better) else "better"
    count = _count(result, column, score)
    return _figure(score and score.value, column, score and score.interval, n=count, verdict=verdict)


def _figure(
    value: float | None,
    column: PerturbationColumn,
    interval: Interval | None = None,
    *,
    n: int | None,
    sign: bool = False,
    verdict: Verdict = "",
) -> Cell:
    """Return a figure of a column in the unit in which it is shown; a CXMI has its sign."""
    cxmi = column.kind == "cxmi"
    return figure(
        value,
        interval,
        3 if cxmi else 1,
        factor=1.0 if cxmi else 100 / column.scale,
        sign=sign or cxmi,
        verdict=verdict,
        n=n,
    )
