"""Contrastive accuracy shown, in the shape of Table 4 of the paper on concatenation; in per cent with one decimal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from endophora.context.results import ContrastComparison, ContrastResult, ItemGroupKind
from endophora.report.conclusion import conclude_contrast
from endophora.report.context_read import NOTE, read_table, states
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Column,
    Section,
    Table,
    csv_records,
    figure,
    figures,
    many,
    names,
    number,
    p_number,
    record_cells,
    tested_note,
)

_HEADS: dict[ItemGroupKind, str] = {
    "all": "all items",
    "phenomenon": "by phenomenon",
    "rule": "by rule",
    "form": "by form",
    "distance": "by distance of the antecedent, in segments",
}
_CSV = (
    *("kind", "model", "size", "by", "group"),
    *("value", "low", "high", "correct", "counted"),
    *("kept_value", "kept_least", "kept_correct", "kept_counted", "kept_low", "kept_high"),
    *("other_model", "other_size", "gained", "lost", "p_value", "p_adjusted", "significant"),
)


def sections(result: ContrastResult) -> Iterator[Section]:
    """Yield accuracy by model and size of context, what was read, groups of items, and comparisons."""
    suite = result.suite
    pair = f"{suite.source_language} → {suite.target_language}, " if suite.target_language else ""
    yield [f"{suite.name}: {pair}{suite.items:,} items in {suite.documents:,} documents", *conclude_contrast(result)]
    yield [overall(result), _legend(result)]
    if (read := _read(result)).rows:
        yield [read, NOTE]
    for model in models(result):
        for heading, table in _by_group(result, model):
            yield [f"{model}, {heading}", table]
    if (compared := _compared(result)).rows:
        yield [compared, _tested(result)]
    yield [f"signature: {result.signature}"]


def papers(result: ContrastResult) -> Iterator[Table]:
    """Yield models × context sizes, as the paper's Table 4."""
    yield overall(result, "context size")


def rows(result: ContrastResult) -> list[Sequence[object]]:
    """Return one row for each score and each comparison; ``kind`` says which.

    Rows of the kind ``context-read`` have the items whose context was ``given``, and those of which it was read
    ``whole``, ``cut`` or ``lost``.
    """
    records = [{**record_cells(score), "kind": "score", "by": score.kind} for score in result.scores]
    for run in result.runs:
        counts = states(run.context) if run.context else {}
        records.extend(
            {"kind": "context-read", "model": run.model, "size": run.size, "by": state, "counted": count}
            for state, count in counts.items()
        )
    for one in result.comparisons:
        records.append({**record_cells(one), "kind": one.of, "by": one.kind, "value": one.difference})
    return csv_records(_CSV, records)


def page(result: ContrastResult) -> str:
    """Return a page of the tables, differences drawn."""
    suite = result.suite
    read, compared = _read(result), _compared(result)
    groups = [
        (
            model,
            [replace(table, columns=[*names(head), *table.columns[1:]]) for head, table in _by_group(result, model)],
        )
        for model in models(result)
    ]
    return static_page(
        result,
        title=suite.title,
        subtitle="is the right translation more probable than the wrong one?",
        conclusion=conclude_contrast(result),
        facts=[
            ("suite", suite.name),
            ("items", f"{suite.items:,}"),
            ("documents", f"{suite.documents:,}"),
            ("translations", f"{suite.translations:,}"),
        ],
        sections=[
            PageSection("Accuracy by segments of context", [_legend(result), overall(result)]),
            *([PageSection("Context that was read", [NOTE, read])] if read.rows else []),
            *([PageSection("Differences", [_tested(result), compared])] if compared.rows else []),
            *(PageSection(f"{model}, by segments of context", tables) for model, tables in groups if tables),
        ],
        settings=[
            *{run.model: (run.model, run.signature) for run in result.runs if run.signature}.values(),
            ("ties", result.settings.ties),
        ],
    )


def models(result: ContrastResult) -> list[str]:
    """Return the models in their order."""
    return list(dict.fromkeys(run.model for run in result.runs))


def sizes(result: ContrastResult, model: str | None = None) -> list[int]:
    """Return the context sizes, of all models or of one, from the smallest."""
    return sorted({run.size for run in result.runs if model in (None, run.model)})


def overall(result: ContrastResult, first: str = "segments of context") -> Table:
    """Return models × context sizes: accuracy on all items."""
    heads = sizes(result)
    lines = [[model, *(_cell(result, model, size, "all", "") for size in heads)] for model in models(result)]
    return Table([*names(first), *figures(*map(str, heads), marked=True)], lines)


def _read(result: ContrastResult) -> Table:
    """Return how much context each run read, and its accuracy on the items of whose context it read anything."""
    lines = [
        (
            f"{run.model}, {many(run.size, 'segment')}",
            run.context,
            [figure(score.kept_value, score.kept_interval, n=score.kept_counted), number(score.kept_least)],
        )
        for run in result.runs
        if run.size and run.context is not None and (score := result.score(run.model, run.size)) is not None
    ]
    return read_table("context read", ("accuracy", "with least context"), lines)


def _by_group(result: ContrastResult, model: str) -> Iterator[tuple[str, Table]]:
    """Yield for each kind of group its heading, and a model's groups × context sizes."""
    heads = sizes(result, model)
    counted: dict[tuple[ItemGroupKind, str], int] = {(one.kind, one.group): one.counted for one in result.scores}
    kinds: list[ItemGroupKind] = list(dict.fromkeys(kind for kind, _ in counted))
    for kind in kinds[1:]:
        lines = [
            [group or "–", f"{count:,}", *(_cell(result, model, size, kind, group) for size in heads)]
            for (other, group), count in counted.items()
            if other == kind
        ]
        columns = [*names(""), *figures("items"), *figures(*map(str, heads), marked=True)]
        yield _HEADS[kind], Table(columns, lines)


def _legend(result: ContrastResult) -> str:
    settings = result.settings
    score = "log-probability a token" if settings.normalised else "log-probability"
    shown = f"Per cent of items whose right translation has the highest {score}; a tie is {settings.ties}."
    if any(one.of == "context" for one in result.comparisons):
        shown += " * significantly better than the model with the least context, † worse."
    return shown


def _tested(result: ContrastResult) -> str:
    return tested_note(result.settings, "Approximate randomisation", "all comparisons of a sort")


def _compared(result: ContrastResult) -> Table:
    """Return the comparisons on all items."""
    lines: list[list[Cell | str]] = []
    for one in result.comparisons:
        if one.kind == "all":
            verdict = "differs" if one.significant else ""
            score = result.score(one.model, one.size)
            cell = figure(one.difference, one.interval, sign=True, verdict=verdict, n=score and score.counted)
            counts = f"{one.gained:,}, {one.lost:,}"
            lines.append([_what(one), cell, cell.interval, counts, p_number(one.p_value), p_number(one.p_adjusted)])
    columns = [
        *names("difference"),
        Column("points", marked=True, wrap=False, drawn=True),
        Column("interval", wrap=False, on="text"),
        Column("items gained, lost", wrap=False),
        Column("p, single", wrap=False, on="page"),
        Column("p", wrap=False),
    ]
    return Table(columns, lines)


def _what(one: ContrastComparison) -> str:
    if one.of == "model":
        return f"{one.model} − {one.other_model}, {many(one.size, 'segment')}"
    return f"{one.model}: {one.size} − {one.other_size} segments"


def _cell(result: ContrastResult, model: str, size: int, kind: ItemGroupKind, group: str) -> Cell:
    score = result.score(model, size, kind, group)
    if score is None:
        return Cell(number=None)
    found = result.comparison("context", model, size, kind, group)
    verdict = "" if found is None or not found.significant else "better" if found.difference > 0 else "worse"
    return figure(score.value, score.interval, verdict=verdict, n=score.counted)
