r"""The scores as a LaTeX table; needs ``\usepackage{booktabs}``, and LuaLaTeX or XeLaTeX for names that are not Latin.

A bracket or star at the start of a row would be an argument of the ``\\`` before it, so these are escaped as well.
"""

from __future__ import annotations

import re

from endophora.evaluation.result import Result
from endophora.report import figures
from endophora.report.figures import Cell
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
    """Return a ``table`` environment: systems × columns, or counts where there are no systems."""
    head, body, align = _scores(result) if result.corpus.systems and result.columns else _counts(result)
    lines = [
        r"% needs \usepackage{booktabs}",
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
        rf"\caption{{{_caption(result)}}}",
        r"\label{tab:endophora}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return a text in which no character means anything to LaTeX."""
    escaped = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], visible(text))
    return re.sub(r"([-'?!])(?=[-'`\\])", r"\1{}", escaped)


def _scores(result: Result) -> tuple[list[str], list[str], str]:
    columns = figures.columns(result)
    arrows = [r"$\downarrow$" if not column.higher_is_better else "" for column in columns]
    names = [_stacked(figures.title(column.name)) + arrow for column, arrow in zip(columns, arrows, strict=True)]
    head = [_row(["System", *names])]
    body = [_row([escape(row.system), *(_figure(cell) for cell in row.cells)]) for row in figures.rows(result)]
    return head, body, "l" + "r" * len(columns)


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
        parts.append("Word F-measure of each phenomenon and text metrics, in points of 100; best in bold.")
    if result.comparisons:
        marks = escape(figures.verdicts(result)).replace("†", _MARK["worse"], 1).replace("{*}", _MARK["better"], 1)
        parts.append(marks)
    signature = escape(result.signature).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
    parts.append(rf"Signature: {{\ttfamily\footnotesize {signature}}}.")
    return " ".join(parts)
