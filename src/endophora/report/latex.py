r"""The result as LaTeX tables: scores, then categories, correlations and agreement with people where there are any.

The tables need ``\usepackage{booktabs}``, and LuaLaTeX or XeLaTeX for names that are not Latin.
A bracket or star at the start of a row would be an argument of the ``\\`` before it, so these are escaped as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from endophora.evaluation.result import Column, Result
from endophora.report import figures, relations
from endophora.report.figures import Cell, Row
from endophora.report.relations import Agreeing
from endophora.report.sheet import Cell as Marked
from endophora.report.visible import visible

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≤": r"$\leq$",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "→": r"$\rightarrow$",
    "’": "'",
}
_SPECIAL = re.compile("|".join(re.escape(character) for character in _ESCAPES))
_BREAK = r"\\"
_MARK = {"": "", "better": r"$^{\ast}$", "worse": r"$^{\dagger}$"}


def render(result: Result) -> str:
    """Return ``table`` environments: systems × columns first, or counts where there are no systems."""
    scored = result.corpus.systems and result.columns
    tables = [_tabular(*(_scores(result) if scored else _counts(result)), _caption(result), "tab:endophora")]
    if scored:
        tables += [*_categories(result), *_correlations(result), *_agreements(result)]
    return "\n".join([r"% needs \usepackage{booktabs}", *tables]) + "\n"


def escape(text: str) -> str:
    """Return a text in which no character means anything to LaTeX."""
    escaped = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], visible(text))
    return re.sub(r"([-'?!])(?=[-'`\\])", r"\1{}", escaped)


def marked(cell: Marked) -> str:
    """Return a figure with its mark as a cell of a table."""
    mark = {"": "", "*": _MARK["better"], "†": _MARK["worse"]}[cell.mark]
    return f"${cell.value.replace('−', '-')}${mark}" if cell.value != "–" else "--"


def _tabular(head: list[str], body: list[str], align: str, caption: str, label: str) -> str:
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            r"\small",
            rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}",
            r"\toprule",
            *head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            r"\end{table}",
        ]
    )


def _scores(result: Result) -> tuple[list[str], list[str], str]:
    return _systems(figures.columns(result), figures.rows(result))


def _systems(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[list[str], list[str], str]:
    arrows = [r"$\downarrow$" if not column.higher_is_better else "" for column in columns]
    names = [_stacked(figures.heading(column)) + arrow for column, arrow in zip(columns, arrows, strict=True)]
    head = [_row(["System", *names])]
    body = [_row([escape(row.system), *(_figure(cell) for cell in row.cells)]) for row in rows]
    return head, body, "l" + "r" * len(columns)


def _categories(result: Result) -> Iterator[str]:
    for number, group in enumerate(figures.categories(result), 1):
        caption = f"{escape(group.metric)} by category, in points of 100; best in bold. {_marks(result)}".rstrip()
        yield _tabular(*_systems(group.columns, group.rows), caption, f"tab:endophora-categories-{number}")


def _correlations(result: Result) -> Iterator[str]:
    """Return the lower half of the correlation matrix, without categories."""
    matrix = relations.correlated(result, categories=False)
    if not matrix:
        return
    head = [_row(["", *(_stacked(figures.title(cell.second.name)) for cell in matrix[0][:-1])])]
    body = [
        _row([escape(figures.title(line[0].first.name)), *(_number(cell.value) for cell in line[:place])])
        for place, line in enumerate(matrix[1:], 1)
    ]
    caption = f"Pearson's $r$ over the systems' documents, {escape(relations.pairs_text(result))} pairs."
    down = relations.downward([line[0].first for line in matrix])
    caption += f" Lower is better: {escape(', '.join(map(figures.title, down)))}." if down else ""
    yield _tabular(head, body, "l" + "r" * (len(matrix) - 1), caption, "tab:endophora-correlations")


def _agreements(result: Result) -> Iterator[str]:
    rows, names = relations.agreeing(result), relations.coefficients(result)
    if result.human is None or not rows:
        return
    human = f"{escape(result.human.name)} ({relations.direction(result.human)})"
    for level in relations.levels(result):
        head = [_row(["", *(f"{name.capitalize()} & interval" for name in names), "pairs"])]
        body = [_row(_agreement(row, level, names)) for row in rows]
        caption = f"Agreement of metrics with {human}: {level}s, {_level(result)} intervals."
        yield _tabular(head, body, "l" + "rl" * len(names) + "r", caption, f"tab:endophora-agreement-{level}")


def _agreement(row: Agreeing, level: str, names: list[str]) -> list[str]:
    indent = r"\quad " if row.column.kind == "category" else ""
    cells = [indent + escape(figures.heading(row.column))]
    for name in names:
        one = row.found.get((level, name))
        cells.append(_number(relations.coefficient_text(one and one.value)))
        cells.append(_number(relations.range_text(one and one.interval)))
    pairs = relations.pairs_of(row, level)
    return [*cells, "" if pairs is None else str(pairs)]


def _level(result: Result) -> str:
    return rf"{100 * result.settings.confidence:g}\,\%"


def _number(text: str) -> str:
    return text.replace("−", "$-$")


def _counts(result: Result) -> tuple[list[str], list[str], str]:
    head = [_row(["Phenomenon", "Occurrences", "Words"])]
    body = [
        _row([escape(figures.title(phenomenon.name)), str(phenomenon.occurrences), str(phenomenon.words)])
        for phenomenon in result.phenomena
    ]
    return head, body, "lrr"


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _stacked(name: str) -> str:
    return rf"\shortstack[r]{{{escape(name).replace(' ', _BREAK)}}}"


def _figure(cell: Cell) -> str:
    value = cell.value if cell.points is None else cell.value.replace("-", "$-$")
    return (rf"\textbf{{{value}}}" if cell.best else value) + _MARK[cell.verdict]


def _caption(result: Result) -> str:
    corpus = result.corpus
    parts = [
        f"{escape(corpus.source_language)}$\\rightarrow${escape(corpus.target_language)}, "
        f"{len(corpus.documents)} documents, {corpus.segments} segments."
    ]
    if result.corpus.systems and result.columns:
        what = figures.what(result)
        parts.append(f"{what[:1].upper()}{what[1:]}, in points of 100; best in bold.")
    if result.comparisons:
        parts.append(_marks(result))
    signature = escape(result.signature).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
    parts.append(rf"Signature: {{\ttfamily\footnotesize {signature}}}.")
    return " ".join(parts)


def _marks(result: Result) -> str:
    return escape(figures.verdicts(result)).replace("†", _MARK["worse"], 1).replace("{*}", _MARK["better"], 1)
