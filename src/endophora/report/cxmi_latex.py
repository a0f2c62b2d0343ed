r"""CXMI as LaTeX in the shape of the MuDA paper's Table 9: groups × contexts. It needs ``\usepackage{booktabs}``."""

from __future__ import annotations

from endophora.context.cxmi_result import CxmiResult, GroupKind
from endophora.report import cxmi_figures as written
from endophora.report.figures import title
from endophora.report.latex import escape
from endophora.report.plain import booktabs

_RULE = r"\midrule"


def render(result: CxmiResult) -> str:
    """Return a ``tabular``, the highest means of each context in bold.

    Bold are only means of words that stand in enough documents to have an interval.
    """
    names = [one.name for one in result.conditions]
    lines = [
        _row("CXMI", [_number(result.figure(name).value) for name in names]),
        _row("CXMI ÷ sub-words", [_number(result.figure(name, "normalised").value) for name in names]),
    ]
    kinds: tuple[GroupKind, ...] = ("all", "label", "tag")
    for kind in kinds:
        lines.append(_RULE)
        tables = [written.groups(result, name, kind) for name in names]
        best = [max((one.mean for one in table if one.interval), default=None) for table in tables]
        for group in dict.fromkeys(one.group for table in tables for one in table):
            means = [next((one.mean for one in table if one.group == group), None) for table in tables]
            cells = [
                "" if mean is None else _number(mean, bold=kind != "all" and mean == top)
                for mean, top in zip(means, best, strict=True)
            ]
            lines.append(_row(title(group), cells))
    # A kind without groups leaves a rule behind that nothing stands under.
    body = [line for line, after in zip(lines, [*lines[1:], _RULE], strict=True) if (line, after) != (_RULE, _RULE)]
    return booktabs(result.signature, "l" + "r" * len(names), [_row("", [escape(name) for name in names])], body)


def _row(first: str, cells: list[str]) -> str:
    return rf"{escape(first)} & {' & '.join(cells)} \\"


def _number(value: float, *, bold: bool = False) -> str:
    text = f"${value:.3f}$"
    return rf"\textbf{{{text}}}" if bold else text
