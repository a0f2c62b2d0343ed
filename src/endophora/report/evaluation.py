"""An evaluation shown: scores with marks, categories, correlations, agreement with people, counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from rich.cells import cell_len
from rich.text import Text

from endophora.evaluation.result import Comparison, Result
from endophora.report import matrix, model_judge, order, outputs
from endophora.report.matrix import Agreeing, MatrixCell, MatrixRow, Related
from endophora.report.table import (
    BEST,
    Cell,
    Column,
    Fitted,
    Section,
    Table,
    counted,
    csv_records,
    ends,
    escape,
    escape_legend,
    figures,
    fits,
    line,
    names,
    visible,
)

_BESIDE = 3
"""Up to so many systems stand side by side, with their intervals, where the width allows."""

_NAME = 16
"""In a table that has a row for each system, no name is cut to less than this."""

_GAP = 3
_COEFFICIENT, _RANGE = 5, " {range:>14}"
_WITH_RANGE = _COEFFICIENT + 15
_LONGEST = 16
"""Names of rows of the correlation matrix are cut to so many characters."""

_NARROWEST = 11
"""Names next to coefficients of agreement have at least so many characters a line."""

_RULES = 6
"""Rules of a phenomenon that text shows."""

_LABEL = "tab:endophora"
_SCORE = ("system", "column", "kind", "scale", "value", "low", "high", "precision", "recall")
_COMPARISON = (
    "baseline", "difference", "difference_low", "difference_high", "p_value", "p_adjusted", "significant",
)  # fmt: skip
_RELATION = ("against", "level", "coefficient", "pairs")


def sections(result: Result) -> Iterator[Section]:
    """Yield the matrix, categories, correlations, agreement with people, and counts."""
    yield [_head(result), *map(line, result.conclusion)]
    if result.corpus.systems and result.columns:
        told = matrix.told_text(result) if result.comparisons else []
        below = [line(each, "dim") for each in (*matrix.judged_text(result), *told)]
        yield [_main(result), *_meaning(result), *below]
        for group in matrix.categories(result):
            yield [line(f"{group.metric.replace('_', ' ')} by category", "bold"), Fitted(partial(_scores, group.rows))]
        yield [Fitted(partial(_correlations, result))]
        yield [Fitted(partial(_agreements, result))]
        yield [line(few, "dim")] if (few := matrix.unshown_text(result)) else []
    if result.phenomena:
        yield [line(_tagged_in(result), "bold"), _counts(result)]
    if result.realigned:
        yield [line("Outputs cut into the segments of the source", "bold"), outputs.realigned(result)]
    if result.placeholders:
        yield _placeholders(result)
    if result.model_judge:
        shown = model_judge.agreement(result.model_judge), line(model_judge.legend(result.model_judge), "dim")
        yield [line(model_judge.HEADING, "bold"), *shown]
    warnings = (line(f"warning: {warning}", "yellow") for warning in result.warnings)
    yield [*warnings, line(f"signature: {result.signature}", "dim")]


def brief(result: Result) -> Iterator[Section]:
    """Yield the conclusion and the main table, or the counts where there are no systems; lost placeholders."""
    yield [_head(result), *map(line, result.conclusion)]
    if result.corpus.systems and result.columns:
        yield [_main(result), *_meaning(result)]
    elif result.phenomena:
        yield [_counts(result)]
    if any(one.missing or one.extra for one in result.placeholders):
        yield _placeholders(result)


def _placeholders(result: Result) -> Section:
    return [line("Placeholders and markup of the source", "bold"), outputs.placeholders(result)]


def papers(result: Result) -> Iterator[Table]:
    """Yield tables of systems × columns, then of what is related; of counts where there are no systems."""
    if not (result.corpus.systems and result.columns):
        counts = _counts(result)
        yield Table(counts.columns[:3], [row[:3] for row in counts.rows], caption=_caption(result), label=_LABEL)
        return
    yield _systems(matrix.rows(result), caption=_caption(result), label=_LABEL)
    for place, group in enumerate(matrix.categories(result), 1):
        marks = escape_legend(matrix.verdicts(result))
        caption = (
            f"{escape(group.metric.replace('_', ' '))} by category, in points of 100; best in bold. {marks}".rstrip()
        )
        yield _systems(group.rows, caption=caption, label=f"{_LABEL}-categories-{place}")
    related = matrix.correlated(result, categories=False)
    if related:
        caption = f"Pearson's $r$ over the systems' documents, {escape(matrix.pairs_text(result))} pairs."
        down = matrix.downward([cells[0].first for cells in related])
        caption += f" Lower is better: {escape(', '.join(map(matrix.title, down)))}." if down else ""
        caption += f" {escape(few)}" if (few := matrix.unshown_text(result)) else ""
        yield _half(related, 0, len(related) - 1, caption=caption, label=f"{_LABEL}-correlations")
    agreeing, coefficients = matrix.agreeing(result), matrix.coefficients(result)
    if result.human is None or not agreeing:
        return
    human = f"{escape(result.human.name)} ({matrix.direction(result.human)})"
    level = rf"{100 * result.settings.confidence:g}\,\%"
    heads = [column for name in coefficients for column in (Column(name.capitalize()), Column("interval", right=False))]
    for at in matrix.levels(result):
        rows = [_agreement(row, at, coefficients) for row in agreeing]
        caption = f"Agreement of metrics with {human}: {at}s, {level} intervals."
        yield Table([*names(""), *heads, Column("pairs")], rows, caption=caption, label=f"{_LABEL}-agreement-{at}")


def rows(result: Result) -> list[Sequence[object]]:
    """Return rows of CSV: one a system and column, in the metrics' own scale; without systems, one a count.

    Correlations, human scores and agreement with them are rows of the same table; ``kind`` says which; the columns
    that only such rows fill are there only if there are such rows.
    """
    if not result.scores:
        return [("phenomenon", "what", "name", "count"), *_count_rows(result)]
    counted = dict.fromkeys(name for score in result.scores for name in (*score.counts, *score.unjudged))
    related = list(_related_rows(result))
    header = (*_SCORE, *counted, *_COMPARISON, *(_RELATION if related else ()))
    return csv_records(header, [*_score_rows(result), *related])


def _head(result: Result) -> Text:
    corpus = result.corpus
    head = line(f"{corpus.source_language} → {corpus.target_language}", "bold")
    shown = [f"{count} {label}" for label, count in matrix.facts(result)[:3]]
    if corpus.systems:
        shown.append(" ".join(counted(len(corpus.systems), "system")[::-1]))
    reference = f"reference {corpus.references[0]}" if corpus.references else "no reference"
    return head.append(visible(f"  {', '.join(shown)}, {reference}"), style="not bold")


def _meaning(result: Result) -> list[Text]:
    """Return the two lines that say what the figures, signs and marks of the main table are."""
    shown = matrix.columns(result)
    parts = [f"Points of 100: {matrix.what(result)}"]
    if any(result.words(column) is not None for column in shown):
        few = ", in brackets too few to rank" if not all(column.enough for column in shown) else ""
        parts.append(f"n: their words{few}")
    if any(matrix.ranks(column, result) for column in shown) and len(result.corpus.systems) > 1:
        parts += [f"{BEST} best", *filter(None, [order.ranking(result)])]
    down = matrix.downward(shown)
    parts += [f"lower is better: {', '.join(down)}"] if down else []
    return [line(each, "dim") for each in (f"{'; '.join(parts)}.", matrix.verdicts(result)) if each]


def _main(result: Result) -> Fitted:
    """Return the matrix by rank, with the number of words that each column rests on."""
    return Fitted(lambda width: _scores(order.ranked(result), width, _sizes(result)))


def _sizes(result: Result) -> dict[str, str]:
    """Return column → its number of words as it is shown, in brackets where these are too few."""
    sized = ((column, matrix.words_text(result, column)) for column in matrix.columns(result))
    return {column.name: size if column.enough or not size else f"({size})" for column, size in sized}


def _scores(rows: Sequence[MatrixRow], width: int, sizes: Mapping[str, str] | None = None) -> Iterator[Table | str]:
    """Yield the figures of all systems: side by side, or in as many tables of their rows as the width asks for.

    ``sizes``: column → its number of words; none where they are not shown.
    """
    sizes = sizes if any((sizes or {}).values()) else None
    if len(rows) <= _BESIDE and fits(beside := _beside(rows, sizes), width):
        yield beside
        return
    needed = [
        max(
            *(_longest_word(matrix.heading(cell.column)), len((sizes or {}).get(cell.column.name, "")) + 1),
            *(len(row.cells[at].value) + 1 + row.cells[at].best for row in rows),
        )
        for at, cell in enumerate(rows[0].cells)
    ]
    kinds = [cell.column.kind for cell in rows[0].cells]
    first = [need + _GAP for need, kind in zip(needed, kinds, strict=True) if kind == kinds[0]]
    longest = min(max(cell_len(visible(row.system)) for row in rows), max(_NAME, width - sum(first)))
    for start, stop in _blocks(needed, kinds, longest, width):
        if start:
            yield ""
        yield _systems(rows, slice(start, stop), needed, longest, sizes)


def _blocks(needed: list[int], kinds: Sequence[str], longest: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the columns of each table: all in one where they fit, else no table of two kinds, and none too wide."""
    room = width - longest
    if sum(needed) + _GAP * len(needed) <= room:
        yield 0, len(needed)
        return
    start = 0
    while start < len(needed):
        stop, used = start + 1, needed[start] + _GAP
        while stop < len(needed) and kinds[stop] == kinds[start] and used + needed[stop] + _GAP <= room:
            used += needed[stop] + _GAP
            stop += 1
        yield start, stop
        start = stop


def _beside(rows: Sequence[MatrixRow], sizes: Mapping[str, str] | None) -> Table:
    """Return a row for each column of the result, the systems side by side."""
    columns = [Column("" if sizes is None else "measured, n", right=False)]
    for row in rows:
        columns.append(Column(row.system, marked=True, best=True, wrap=False))
        columns.append(Column("interval", right=False, dim=True, wrap=False))
    cells = [row.cells for row in rows]
    lines = [
        [
            ", ".join(filter(None, (matrix.heading(one[0].column), *_size_of(one[0], sizes)))).replace(", (", " ("),
            *(shown for cell in one for shown in (cell, cell.interval)),
        ]
        for one in zip(*cells, strict=True)
    ]
    kinds = [cell.column.kind for cell in cells[0]]
    return Table(columns, lines, rules=frozenset(at for at in range(len(kinds) - 1) if kinds[at] != kinds[at + 1]))


def _size_of(cell: MatrixCell, sizes: Mapping[str, str] | None) -> list[str]:
    return [] if sizes is None else [sizes.get(cell.column.name, "")]


def _systems(
    rows: Sequence[MatrixRow],
    chosen: slice = slice(None),
    needed: list[int] | None = None,
    longest: int = 0,
    sizes: Mapping[str, str] | None = None,
    caption: str = "",
    label: str = "",
) -> Table:
    """Return a row for each system and some of the columns, so wide as they need; the first has their words."""
    widths = needed or [None] * len(rows[0].cells)
    heads = [
        Column(matrix.heading(cell.column), marked=True, best=True, width=width, lower=not cell.column.higher_is_better)
        for cell, width in zip(rows[0].cells, widths, strict=True)
    ]
    first = Column("system", right=False, cut=True, width=max(longest, len("system")))
    lines: list[list[Cell | str]] = [[row.system, *row.cells[chosen]] for row in rows]
    counted = [size and f"{size} " for cell in rows[0].cells[chosen] for size in _size_of(cell, sizes)]
    if any(counted):
        lines.insert(0, ["n", *counted])
    return Table([first, *heads[chosen]], lines, bottom=True, caption=caption, label=label)


def _correlations(result: Result, width: int) -> Iterator[str | Text | Table]:
    """Yield the lower half of the correlation matrix without categories, in as many tables as the width asks for."""
    related = matrix.correlated(result, categories=False)
    if not related:
        return
    yield line(f"Pearson’s r over the systems’ documents, {matrix.pairs_text(result)} pairs", "bold")
    longest = min(max(cell_len(visible(matrix.title(cells[0].first.name))) for cells in related[1:]), _LONGEST)
    needed = [_needed(cell) for cell in related[0][:-1]]
    for start, stop in _blocks(needed, [""] * len(needed), longest, width):
        if start:
            yield ""
        yield _half(related, start, stop, longest)


def _half(
    related: list[list[Related]], start: int, stop: int, longest: int = 0, caption: str = "", label: str = ""
) -> Table:
    """Return some columns of the lower half of the matrix, with the rows that have anything in them."""
    heads = [Column(matrix.title(cell.second.name), width=_needed(cell)) for cell in related[0][start:stop]]
    lines = [
        [
            matrix.title(cells[0].first.name),
            *(cell.value if at < place else "" for at, cell in enumerate(cells[start:stop], start)),
        ]
        for place, cells in enumerate(related[start + 1 :], start + 1)
    ]
    first = Column("", right=False, cut=True, width=longest)
    return Table([first, *heads], lines, bottom=True, caption=caption, label=label)


def _agreements(result: Result, width: int) -> Iterator[str | Text | Table]:
    """Yield a table for each level; categories are indented under their metrics."""
    agreeing = matrix.agreeing(result)
    if result.human is None or not agreeing:
        return
    coefficients = matrix.coefficients(result)
    intervals = _NARROWEST + len(coefficients) * (_WITH_RANGE + _GAP) <= width
    used = len(coefficients) * ((_WITH_RANGE if intervals else len("spearman")) + _GAP)
    heads = figures(*map(str.capitalize, coefficients), interval=_RANGE if intervals else "", wrap=False)
    yield line(f"Agreement with {result.human.name} ({matrix.direction(result.human)})", "bold")
    for place, level in enumerate(matrix.levels(result)):
        if place:
            yield ""
        counts = [pairs for row in agreeing if (pairs := matrix.pairs_of(row, level)) is not None]
        first = f"{level}s, {matrix.span_text(counts)} pairs"
        lines = [[_indented(row), *(matrix.coefficient(row, level, name) for name in coefficients)] for row in agreeing]
        column = Column(first, right=False, most=max(width - used, _NARROWEST))
        yield Table([column, *heads], lines, bottom=True)


def _agreement(row: Agreeing, level: str, coefficients: list[str]) -> list[Cell | str]:
    cells: list[Cell | str] = [_indented(row)]
    for name in coefficients:
        one = row.found.get((level, name))
        cells += [matrix.coefficient(row, level, name), matrix.range_text(one and one.interval)]
    pairs = matrix.pairs_of(row, level)
    return [*cells, "" if pairs is None else str(pairs)]


def _indented(row: Agreeing) -> str:
    return ("  " if row.column.kind == "category" else "") + matrix.heading(row.column)


def _tagged_in(result: Result) -> str:
    """Say of which text the counts are: without a reference not of all that is judged."""
    names = result.corpus.references or result.corpus.systems
    return f"Words tagged in {names[0]}" if names else "Words tagged"


def _counts(result: Result) -> Table:
    lines: list[list[str]] = []
    for phenomenon in result.phenomena:
        rate = matrix.per_thousand(result, phenomenon) or 0.0
        ranked = matrix.ranked_rules(phenomenon)
        rules = ", ".join(f"{name} {count:,}" for name, count in ranked[:_RULES])
        counts = (f"{phenomenon.occurrences:,}", f"{phenomenon.words:,}", f"{rate:.1f}")
        lines.append([matrix.title(phenomenon.name), *counts, rules + (", …" if len(ranked) > _RULES else "")])
    columns = [*names("phenomenon"), *figures("occurrences", "words", wrap=False), *figures("per 1,000 words")]
    return Table([*columns, Column("rules", right=False, dim=True)], lines)


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in visible(text).split()), default=0)


def _needed(cell: Related) -> int:
    return max(_COEFFICIENT, _longest_word(matrix.title(cell.second.name)))


def _caption(result: Result) -> str:
    corpus = result.corpus
    languages = f"{escape(corpus.source_language)}$\\rightarrow${escape(corpus.target_language)}"
    sizes = counted(len(corpus.documents), "document"), counted(corpus.segments, "segment")
    parts = [f"{languages}, {', '.join(f'{count} {what}' for what, count in sizes)}."]
    if corpus.systems and result.columns:
        what = matrix.what(result)
        best = "; best in bold" if any(matrix.ranks(column, result) for column in matrix.columns(result)) else ""
        parts.append(f"{what[:1].upper()}{what[1:]}, in points of 100{best}.")
    if result.comparisons:
        parts.append(escape_legend(matrix.verdicts(result)))
    signature = escape(result.signature).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
    return " ".join([*parts, rf"Signature: {{\ttfamily\footnotesize {signature}}}."])


def _score_rows(result: Result) -> Iterator[dict[str, object]]:
    compared = {(comparison.column, comparison.system): comparison for comparison in result.comparisons}
    found = {(score.system, score.column): score for score in result.scores}
    for system in result.corpus.systems:
        for column in matrix.ordered(result):
            score = found.get((system, column.name))
            if score is None:
                continue
            yield {
                **{"system": system, "column": column.name, "kind": column.kind, "scale": column.scale},
                **{"value": score.value, **ends(score.interval), "precision": score.precision},
                **{"recall": score.recall, **score.counts, **score.unjudged},
                **_compared(compared.get((column.name, system))),
            }


def _compared(comparison: Comparison | None) -> dict[str, object]:
    if comparison is None:
        return {}
    found = {name: getattr(comparison, name) for name in _COMPARISON if not name.startswith("difference_")}
    return {**found, **ends(comparison.interval, "difference_")}


def _related_rows(result: Result) -> Iterator[dict[str, object]]:
    for one in result.correlations:
        pair: dict[str, object] = {"kind": "correlation", "column": one.first, "against": one.second}
        yield {**pair, "coefficient": "pearson", "value": one.pearson, "pairs": one.pairs}
    if result.human is None:
        return
    for score in result.human.scores:
        yield {"kind": "human", "system": score.system, "column": result.human.name, "value": score.value}
    for one in result.human.agreements:
        row: dict[str, object] = {"kind": "agreement", "column": one.column, "against": result.human.name}
        row |= {"level": one.level, "coefficient": one.coefficient, "pairs": one.pairs}
        yield {**row, "value": one.value, **ends(one.interval)}


def _count_rows(result: Result) -> Iterator[tuple[object, ...]]:
    for phenomenon in result.phenomena:
        yield phenomenon.name, phenomenon.side, "occurrences", phenomenon.occurrences
        yield phenomenon.name, phenomenon.side, "words", phenomenon.words
        yield from ((phenomenon.name, "rule", *item) for item in phenomenon.rules.items())
        yield from ((phenomenon.name, "distance", *item) for item in sorted(phenomenon.distances.items()))


def page(result: Result) -> str:
    """Return the page with all figures and occurrences."""
    from endophora.report.page import render  # drawings and templates are loaded where they are needed

    return render(result)
