"""Contrastive accuracy shown: terminal text in the shape of the paper's Table 4, JSON, CSV, LaTeX, HTML.

Nothing is computed here. Accuracy is in per cent, with one decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.context.context_read import ContextCounts
from endophora.context.contrast_result import (
    ContrastComparison,
    ContrastResult,
    ContrastScore,
    GroupKind,
)
from endophora.registry import Registry
from endophora.report.context_read import NOTE, ReadTable
from endophora.report.figures import p_number, signed
from endophora.report.latex import escape, marked
from endophora.report.plain import booktabs, bounds, csv_text, plain_console, plain_table, plain_text
from endophora.report.sheet import Cell, axis_bounds, render_sheet
from endophora.report.visible import visible

_HEADS: dict[GroupKind, str] = {
    "all": "all items",
    "phenomenon": "by phenomenon",
    "rule": "by rule",
    "form": "by form",
    "distance": "by distance of the antecedent, in segments",
}
_CSV = (
    *("kind", "model", "size", "by", "group"),
    *("value", "low", "high", "correct", "counted"),
    *("kept_value", "kept_least", "kept_correct", "kept_counted"),
    *("other_model", "other_size", "gained", "lost", "p_value", "p_adjusted", "significant"),
)


Line = tuple[str, str, list[Cell]]
"""Name of a row, number of its items, its cells."""


def text(result: ContrastResult) -> str:
    """Return the result as tables in plain text, in the width of the terminal."""
    return plain_text(plain_console(), _parts(result))


def _parts(result: ContrastResult) -> Iterator[RenderableType]:
    suite = result.suite
    pair = f"{suite.source_language} → {suite.target_language}, " if suite.target_language else ""
    yield Text(visible(f"{suite.name}: {pair}{suite.items:,} items in {suite.documents:,} documents"))
    yield Text()
    yield _table("segments of context", sizes(result), overall(result))
    yield Text(visible(legend(result)))
    if (read := read_table(result)).rows:
        yield from (Text(), read.plain(), Text(NOTE))
    for model in models(result):
        for heading, heads, lines in by_group(result, model):
            yield from (Text(), Text(visible(f"{model}, {heading}")), _table("", heads, lines))
    if shown := _comparisons(result):
        yield from (Text(), _compared(shown), Text(visible(tested(result))))
    yield from (Text(), Text("signature: " + visible(result.signature)))


def tidy(result: ContrastResult) -> str:
    """Return one row for each score and each comparison as CSV, told apart by ``kind``."""
    rows: list[Sequence[object]] = [_CSV]
    for one in result.scores:
        names = ("score", one.model, one.size, one.kind, one.group)
        rows.append((*names, one.value, *bounds(one.interval), one.correct, one.counted, *_kept(one), *[None] * 7))
    for one in result.comparisons:
        names = (one.of, one.model, one.size, one.kind, one.group)
        other = (one.other_model, one.other_size, one.gained, one.lost)
        tests = (one.p_value, one.p_adjusted, one.significant)
        rows.append((*names, one.difference, *bounds(one.interval), *[None] * 6, *other, *tests))
    return csv_text(rows)


def _kept(one: ContrastScore) -> tuple[object, ...]:
    return one.kept_value, one.kept_least, one.kept_correct, one.kept_counted


def latex(result: ContrastResult) -> str:
    r"""Return a ``tabular`` of models × context sizes, as the paper's Table 4; needs ``booktabs``."""
    heads = sizes(result)
    rows = [" & ".join((escape(name), *map(marked, cells))) + r" \\" for name, _, cells in overall(result)]
    return booktabs(result.signature, "l" + "r" * len(heads), [rf"context size & {' & '.join(heads)} \\"], rows)


def html(result: ContrastResult) -> str:
    """Return a page that loads nothing; the same result gives the same bytes."""
    suite, shown = result.suite, _comparisons(result)
    pair = f"{suite.source_language} → {suite.target_language}" if suite.target_language else suite.name
    ends = [end for one in shown for end in (one.difference, *bounds(one.interval))]
    return render_sheet(
        "contrast.html.jinja",
        result=result,
        title=pair,
        subtitle="is the right translation found likelier than the wrong one?",
        facts=[
            ("suite", suite.name),
            ("items", f"{suite.items:,}"),
            ("documents", f"{suite.documents:,}"),
            ("translations", f"{suite.translations:,}"),
        ],
        sizes=sizes(result),
        overall=overall(result),
        legend=legend(result),
        read=read_table(result),
        read_note=NOTE,
        comparisons=[_line(one) for one in shown],
        bounds=axis_bounds(ends),
        tested=tested(result),
        groups=[(model, found) for model in models(result) if (found := by_group(result, model))],
        settings=[
            *{run.model: (run.model, run.signature) for run in result.runs if run.signature}.values(),
            ("ties", result.settings.ties),
        ],
    )


CONTRAST_REPORTS: Registry[Callable[[ContrastResult], str]] = Registry(
    "contrast_report", {"text": text, "json": "endophora.report.json:render", "csv": tidy, "latex": latex, "html": html}
)
"""Format name → function from a result to the whole text."""


def models(result: ContrastResult) -> list[str]:
    """Return the models in their order."""
    return list(dict.fromkeys(run.model for run in result.runs))


def sizes(result: ContrastResult, model: str | None = None) -> list[str]:
    """Return the context sizes, of all models or of one, from the smallest."""
    return [str(size) for size in sorted({run.size for run in result.runs if model in (None, run.model)})]


def overall(result: ContrastResult) -> list[Line]:
    """Return a row a model: its accuracy on all items, by context size."""
    return [
        (model, "", [_cell(result, model, int(size), "all", "") for size in sizes(result)]) for model in models(result)
    ]


def read_table(result: ContrastResult) -> ReadTable:
    """Return how much context each run read, and its accuracy on the items of whose context it read anything."""
    rows: list[tuple[str, ContextCounts, list[str]]] = []
    for run in result.runs:
        score = result.score(run.model, run.size)
        if run.size and run.context is not None and score is not None:
            values = ("–" if one is None else f"{one:.1f}" for one in (score.kept_value, score.kept_least))
            rows.append((f"{run.model}, {run.size} segments", run.context, list(values)))
    return ReadTable("context read", ("accuracy", "with least context"), rows)


def by_group(result: ContrastResult, model: str) -> list[tuple[str, list[str], list[Line]]]:
    """Return for each kind of group its heading, a model's context sizes, and a row a group."""
    heads = sizes(result, model)
    counted: dict[tuple[GroupKind, str], int] = {(one.kind, one.group): one.counted for one in result.scores}
    found: list[tuple[str, list[str], list[Line]]] = []
    kinds: list[GroupKind] = list(dict.fromkeys(kind for kind, _ in counted))
    for kind in kinds[1:]:
        lines: list[Line] = [
            (group or "–", f"{count:,}", [_cell(result, model, int(size), kind, group) for size in heads])
            for (other, group), count in counted.items()
            if other == kind
        ]
        found.append((_HEADS[kind], heads, lines))
    return found


def legend(result: ContrastResult) -> str:
    """Return what the figures and marks are."""
    settings = result.settings
    score = "log-probability a token" if settings.normalised else "log-probability"
    shown = f"Per cent of items whose right translation has the highest {score}; a tie is {settings.ties}."
    if any(one.of == "context" for one in result.comparisons):
        shown += " * significantly better than the model with the least context, † worse."
    return shown


def tested(result: ContrastResult) -> str:
    """Return how significance was found."""
    settings = result.settings
    return (
        f"Paired approximate randomisation over {settings.units}; p corrected by Holm's method over all comparisons of "
        f"a sort; significant (*) where p ≤ {settings.alpha:g}. {100 * settings.confidence:g} % intervals from "
        f"{settings.resamples:,} resamples."
    )


def _table(first: str, heads: Sequence[str], lines: Sequence[Line]) -> Table:
    made = plain_table()
    made.add_column(first, overflow="fold")
    counted = any(count for _, count, _ in lines)
    if counted:
        made.add_column("items", justify="right")
    for head in heads:
        made.add_column(head, justify="right")
    for name, count, cells in lines:
        shown = [Text(f"{cell.value}{cell.mark or ' '}") for cell in cells]
        made.add_row(Text(visible(name)), *([count] if counted else []), *shown)
    return made


def _comparisons(result: ContrastResult) -> list[ContrastComparison]:
    return [one for one in result.comparisons if one.kind == "all"]


def _compared(shown: Sequence[ContrastComparison]) -> Table:
    made = plain_table()
    made.add_column("difference", overflow="fold")
    for head in ("", "interval", "items gained, lost", "p"):
        made.add_column(head, justify="right", no_wrap=True)
    for one in shown:
        line = _line(one)
        counts = f"{line['gained']}, {line['lost']}"
        cells = (str(line["value"]), str(line["interval"]), counts, str(line["adjusted"]))
        made.add_row(Text(visible(str(line["what"]))), *map(Text, cells))
    return made


def _line(one: ContrastComparison) -> dict[str, object]:
    low, high = bounds(one.interval)
    what = f"{one.model}: {one.size} − {one.other_size} segments"
    if one.of == "model":
        what = f"{one.model} − {one.other_model}, {one.size} segments"
    return {
        "what": what,
        "value": signed(one.difference, 1) + ("*" if one.significant else " "),
        "interval": "" if low is None or high is None else f"{signed(low, 1)} to {signed(high, 1)}",
        "gained": f"{one.gained:,}",
        "lost": f"{one.lost:,}",
        "p": p_number(one.p_value),
        "adjusted": p_number(one.p_adjusted),
        "number": one.difference,
        "low": low,
        "high": high,
    }


def _cell(result: ContrastResult, model: str, size: int, kind: GroupKind, group: str) -> Cell:
    score = result.score(model, size, kind, group)
    if score is None or score.value is None:
        return Cell("–", "", "")
    low, high = bounds(score.interval)
    found = result.comparison("context", model, size, kind, group)
    mark: Literal["", "*", "†"] = ""
    if found is not None and found.significant:
        mark = "*" if found.difference > 0 else "†"
    return Cell(f"{score.value:.1f}", "" if low is None else f"{low:.1f}–{high:.1f}", mark)
