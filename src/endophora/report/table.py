"""Tables of figures: cells, how numbers are written, and their rendering as text, Markdown, LaTeX and CSV.

A report is a list of sections; the parts of a section are lines of text and tables. Each result has a module here that
makes its sections, its tables for papers, and its rows of CSV; what they look like in a format is decided in this one.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import compress, groupby
from typing import Literal, TypeAlias

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from endophora.record import Interval, Record, ResamplingSettings, number
from endophora.record import p_number as p_number
from endophora.record import p_text as p_text

Verdict = Literal["", "better", "worse", "differs"]
"""What a test said of a figure; empty where it is not significant or nothing was tested."""

BEST = "°"
"""Stands before the best figure in text, where a terminal or a pipe may have no bold."""

MARKS: dict[Verdict, str] = {"": "", "better": "*", "worse": "†", "differs": "*"}
BRACKETS, BELOW = " [{low}, {high}]", "\n[{low}, {high}]"
"""How :attr:`Column.interval` shows an interval: behind its figure or below it."""

ANY_WIDTH = 10_000
"""Tables are measured on so wide a terminal: a narrow one would answer that its own width is enough."""

_STYLES: dict[Verdict, str] = {"": "", "better": "green", "worse": "red", "differs": ""}
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
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
_LATEX_MARKS: dict[Verdict, str] = {
    "": "", "better": r"$^{\ast}$", "worse": r"$^{\dagger}$", "differs": r"$^{\ast}$"
}  # fmt: skip
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure with its interval, in the unit in which it is shown."""

    number: float | None
    low: float | None = None
    high: float | None = None
    digits: int = 1
    sign: bool = False  # it is a difference, of which a plus is shown as well
    verdict: Verdict = ""
    best: bool = False  # no other one of its column (or row) is better, as far as is shown
    few: bool = False  # too few units have it for an interval; pages do not draw it
    n: int | None = None  # of how many it is, which a drawing says where no column of its row does

    @property
    def value(self) -> str:
        """The figure as it is shown; a dash where there is none."""
        return number(self.number, self.digits, sign=self.sign)

    @property
    def interval(self) -> str:
        """The interval as it is shown, ``61.9–66.4`` or ``−1.2 to 3.0``; empty where there is none."""
        return interval_text(self.low, self.high, self.digits, sign=self.sign)

    @property
    def brackets(self) -> str:
        """The interval as ``[61.9, 66.4]``, which can be broken; empty where there is none."""
        return with_interval(self, BRACKETS[1:])

    @property
    def mark(self) -> str:
        """``*`` or ``†``, which the legend explains; empty where nothing is significant."""
        return MARKS[self.verdict]


def figure(
    value: float | None,
    interval: Interval | None = None,
    digits: int = 1,
    *,
    factor: float = 1.0,
    sign: bool = False,
    verdict: Verdict = "",
    best: bool = False,
    few: bool = False,
    n: int | None = None,
) -> Cell:
    """Return the cell of a figure of a result; ``factor`` brings it into the unit in which it is shown."""
    if value is None:
        return Cell(number=None)
    low, high = (None, None) if interval is None else (factor * interval.low, factor * interval.high)
    return Cell(
        number=factor * value, low=low, high=high, digits=digits, sign=sign, verdict=verdict, best=best, few=few, n=n
    )


def best_of(cells: Sequence[float | None], digits: int = 1) -> list[bool]:
    """Tell which figures are the highest as far as is shown, so that ties share it; none of a single figure."""
    shown = [None if value is None else round(value, digits) for value in cells]
    top = max((value for value in shown if value is not None), default=None)
    return [len(shown) > 1 and value is not None and value == top for value in shown]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    _: KW_ONLY
    right: bool = True  # it holds figures, which stand to the right; names stand to the left
    group: str = ""  # what stands over this column and its neighbours of the same group
    marked: bool = False  # there is room for a mark behind each figure
    interval: str = ""  # how intervals are shown with their figures, as BRACKETS; empty where they are not
    dim: bool = False  # a terminal shows it paler
    wrap: bool = True  # a terminal breaks it where the table is too wide
    cut: bool = False  # a terminal cuts it where the table is too wide
    width: int | None = None  # of a terminal's column, in characters
    most: int | None = None  # its largest width
    lower: bool = False  # lower is better
    best: bool = False  # text marks its best figure by a sign too, which is seen without colours
    drawn: bool = False  # a page draws its figures and their intervals on an axis
    on: Literal["all", "text", "page"] = "all"  # text has columns of intervals, which a page shows with their figures


@dataclass(frozen=True, slots=True)
class Table:
    """Cells under heads."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell | str]]
    title: str = ""
    rules: frozenset[int] = frozenset()  # rows, counted from 0, after which there is a rule
    bottom: bool = False  # a terminal lets cells stand at the bottom of higher rows
    caption: str = ""  # in LaTeX's own markup; a table with one is a ``table`` that floats, others are bare
    label: str = ""  # what LaTeX refers to it by

    def seen(self, on: Literal["text", "page"]) -> Table:
        """Return the table without the columns that are elsewhere only."""
        kept = [column.on in ("all", on) for column in self.columns]
        rows = [list(compress(row, kept)) for row in self.rows]
        return replace(self, columns=list(compress(self.columns, kept)), rows=rows)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is in a section depends on the width of the terminal, in characters."""

    parts: Callable[[int], Iterable[str | Text | Table]]


Part: TypeAlias = "str | Text | Table | Fitted"
Section: TypeAlias = Sequence[Part]


def names(*heads: str) -> list[Column]:
    """Return columns of names, which a terminal breaks where it must."""
    return [Column(head, right=False) for head in heads]


def figures(*heads: str, marked: bool = False, interval: str = "", wrap: bool = True) -> list[Column]:
    """Return columns of figures."""
    return [Column(head, marked=marked, interval=interval, wrap=wrap) for head in heads]


# Numbers.


def interval_text(low: float | None, high: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """Return an interval, ``61.9–66.4`` or, where an end has a sign, ``−1.2 to 3.0``; empty where there is none."""
    if low is None or high is None:
        return ""
    ends = number(low, digits, sign=sign), number(high, digits, sign=sign)
    between = " to " if sign or "−" in "".join(ends) else "–"  # −0.0001 is shown as 0.000
    return between.join(ends)


def counted(count: int, what: str) -> tuple[str, str]:
    """Return label and figure of a count, with the label in the plural except for one: ``documents`` and ``1,200``."""
    return f"{what}{'s' * (count != 1)}", f"{count:,}"


def many(count: int, what: str) -> str:
    """Return a count in words: ``1 segment``, ``1,200 segments``."""
    return " ".join(reversed(counted(count, what)))


def bounds(interval: Interval | None) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of an interval; ``None`` twice where there is none."""
    return (None, None) if interval is None else (interval.low, interval.high)


# Legends.


def baseline_note(settings: ResamplingSettings, baseline: str, *, directed: bool = True) -> str:
    """Return what the marks say of a system; ``directed`` where better and worse have marks of their own."""
    said = f"* significantly better than {baseline}, † worse" if directed else f"* differs from {baseline}"
    return f"{said}: paired randomisation over {settings.units}, Holm, p ≤ {settings.alpha:g}"


def intervals_note(settings: ResamplingSettings) -> str:
    """Return what the intervals are."""
    return f"{100 * settings.confidence:g} % intervals from {settings.resamples:,} resamples of {settings.units}"


def tested_note(settings: ResamplingSettings, test: str, family: str) -> str:
    """Return how significance was found; ``family`` names the tests over which p is corrected."""
    return (
        f"{test} over {settings.units}, paired; p corrected by Holm's method over {family}; significant (*) where "
        f"p ≤ {settings.alpha:g}. {intervals_note(settings)}."
    )


# Text.


def visible(text: str) -> str:
    r"""Return a text from data with what would steer a terminal or reorder a line written out, ``\x1b`` for an escape.

    These are the C0 and C1 controls, line and paragraph separators, bidirectional embeddings, overrides and isolates,
    and lone surrogates, which no file could hold. Marks that right-to-left text needs (U+200E, U+200F, joiners) stay.
    """

    def written_out(found: re.Match[str]) -> str:
        code = ord(found[0])
        return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"

    return _STEERING.sub(written_out, text)


def cut(text: str, longest: int) -> str:
    """Return a text of so many characters at most."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def line(text: str, style: str = "") -> Text:
    """Return a line of a report in a style of the terminal."""
    return Text(visible(text), style)


def plain_console(width: int | None = None) -> Console:
    """Return a console that writes plain text without colours into memory, as wide as the terminal by default."""
    return Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        highlight=False,
        markup=False,
        emoji=False,
    )


def text_of(sections: Iterable[Section], width: int | None = None) -> str:
    """Return sections as plain text without colours, for pipes and files."""
    console = plain_console(width)
    with console.capture() as captured:
        console.print(layout(sections, console.width))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def layout(sections: Iterable[Section], width: int) -> RenderableType:
    """Return sections as something that rich prints, with an empty line between them."""
    parts: list[RenderableType] = []
    for section in sections:
        if found := list(fitted(section, width)):
            shown = (_rich(part) if isinstance(part, Table) else part for part in found)
            parts += [*([Text()] if parts else []), *(line(part) if isinstance(part, str) else part for part in shown)]
    return Group(*parts)


def fitted(section: Section, width: int = ANY_WIDTH) -> Iterator[str | Text | Table]:
    """Yield the parts of a section at a width."""
    for part in section:
        yield from part.parts(width) if isinstance(part, Fitted) else [part]


def fits(table: Table, width: int) -> bool:
    """Return whether a terminal of a width shows a table without breaking anything."""
    return plain_console(ANY_WIDTH).measure(_rich(table)).maximum <= width


def _rich(table: Table) -> RichTable:
    table = table.seen("text")
    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    made.title, made.title_justify = table.title or None, "left"
    grouped = any(column.group for column in table.columns)
    for column in table.columns:
        head = visible(f"{column.name}")
        made.add_column(
            Text(f"{visible(column.group)}\n{head}" if grouped else head, style="dim" if column.dim else ""),
            justify="right" if column.right else "left",
            vertical="bottom" if table.bottom and column.right else "top",
            overflow="ellipsis" if column.cut else "fold",
            no_wrap=column.cut or not column.wrap,
            width=column.width,
            max_width=column.most,
        )
    for place, row in enumerate(table.rows):
        shown = (_shown(cell, column) for cell, column in zip(row, table.columns, strict=True))
        made.add_row(*shown, end_section=place in table.rules)
    return made


def _shown(cell: Cell | str, column: Column) -> Text:
    if isinstance(cell, str):
        return Text(visible(cell), style="dim" if column.dim else "")
    sign = BEST if cell.best and column.best else ""
    text = Text(sign + cell.value, style="bold" if cell.best else "")
    text.append(with_interval(cell, column.interval), style="dim" if "{range" in column.interval else "")
    return text.append(cell.mark or " ", style=_STYLES[cell.verdict]) if column.marked else text


def with_interval(cell: Cell, form: str) -> str:
    """Return the interval of a figure in a form; empty where there is none."""
    if not cell.interval:
        return ""
    low, high = (number(end, cell.digits, sign=cell.sign) for end in (cell.low, cell.high))
    return form.format(low=low, high=high, range=f"{low} to {high}")


# Markdown.


def markdown_of(sections: Iterable[Section]) -> str:
    """Return sections as Markdown with tables of pipes; no text from data is markup in it."""
    parts = ("\n".join(_markdown(part)) for section in sections for part in fitted(section))
    return "\n\n".join(filter(None, parts)) + "\n"


def _markdown(part: str | Text | Table) -> list[str]:
    if isinstance(part, Text):
        text = _md(part.plain)
        return [f"**{text}**" if part.style == "bold" and text else text]
    if isinstance(part, str):
        return [_md(part)]
    part = part.seen("text")
    heads = [" ".join(filter(None, (column.group, column.name))) for column in part.columns]
    rows = ([_md_cell(*pair) for pair in zip(row, part.columns, strict=True)] for row in part.rows)
    lines = [_md(part.title), ""] if part.title else []
    rule = ["---:" if column.right else "---" for column in part.columns]
    return [*lines, *(f"| {' | '.join(row)} |" for row in (map(_md, heads), rule, *rows))]


def _md_cell(cell: Cell | str, column: Column) -> str:
    if isinstance(cell, str):
        return _md(cell.strip())
    value = f"**{cell.value}**" if cell.best else cell.value
    return f"{value}{_md(with_interval(cell, column.interval).replace(chr(10), ' '))}{_md(cell.mark)}"


def _md(text: str) -> str:
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text)).replace("&", "&amp;")


# LaTeX.


def latex_of(tables: Iterable[Table], signature: str) -> str:
    r"""Return tables that need ``booktabs``, and LuaLaTeX or XeLaTeX for names that are not Latin."""
    parts = [r"% needs \usepackage{booktabs}", f"% {visible(signature)}"]
    return "\n".join([*parts, *("\n".join(_latex(table)) for table in tables)]) + "\n"


def escape(text: str) -> str:
    r"""Return a text in which no character means anything to LaTeX.

    A bracket or star at the start of a row would be an argument of the ``\\`` before it, so these are escaped as well.
    """
    escaped = _SPECIAL.sub(lambda found: _ESCAPES[found[0]], visible(text))
    return re.sub(r"([-'?!])(?=[-'`\\])", r"\1{}", escaped)


def escape_legend(text: str) -> str:
    """Return a legend for LaTeX: as :func:`escape`, with the marks that it explains as written in the table."""
    return escape(text).replace("†", _LATEX_MARKS["worse"], 1).replace("{*}", _LATEX_MARKS["better"], 1)


def _latex(table: Table) -> list[str]:
    table = table.seen("text")
    heads = [r" & ".join(_latex_head(column, stacked=bool(table.caption)) for column in table.columns) + r" \\"]
    if any(column.group for column in table.columns):
        spans = [(group, len(list(found))) for group, found in groupby(table.columns, key=lambda one: one.group)]
        over = (rf"\multicolumn{{{count}}}{{c}}{{{escape(group)}}}" if group else "" for group, count in spans)
        heads.insert(0, " & ".join(over) + r" \\")
    lines = [rf"\begin{{tabular}}{{@{{}}{''.join('r' if one.right else 'l' for one in table.columns)}@{{}}}}"]
    lines += [r"\toprule", *heads, r"\midrule"]
    for place, row in enumerate(table.rows):
        lines.append(" & ".join(map(_latex_cell, row)) + r" \\")
        if place in table.rules:
            lines.append(r"\midrule")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if not table.caption:
        return lines
    frame = [r"\begin{table}", r"\centering", r"\small"]
    return [*frame, *lines, rf"\caption{{{table.caption}}}", rf"\label{{{table.label}}}", r"\end{table}"]


def _latex_head(column: Column, *, stacked: bool) -> str:
    name = escape(column.name)
    if stacked and column.right and name:
        broken = name.replace(" ", r"\\")
        name = rf"\shortstack[r]{{{broken}}}"
    return name + (r"$\downarrow$" if column.lower else "")


def _latex_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        indent = r"\quad " if cell.startswith("  ") else ""
        return indent + escape(cell.strip()).replace("−", "$-$")
    value = cell.value.replace("−", "$-$").replace("–", "--")
    return (rf"\textbf{{{value}}}" if cell.best else value) + _LATEX_MARKS[cell.verdict]


# CSV.


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV: ``None`` is an empty cell, and a text that a spreadsheet would run gets an apostrophe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_csv_cell(value) for value in row] for row in rows)
    return out.getvalue()


def csv_records(header: Sequence[str], records: Iterable[dict[str, object]]) -> list[Sequence[object]]:
    """Return a header, and records by its names as rows; what a record lacks is ``None``."""
    return [header, *([record.get(name) for name in header] for record in records)]


def record_cells(record: Record) -> dict[str, object]:
    """Return the fields of a record as cells, of an interval its two ends."""
    cells: dict[str, object] = {}
    for name in type(record).model_fields:
        value = getattr(record, name)
        cells |= ends(value, name.removesuffix("interval")) if name.endswith("interval") else {name: value}
    return cells


def ends(interval: Interval | None, before: str = "") -> dict[str, object]:
    """Return the ends of an interval as cells of a record: ``low`` and ``high``, with what stands before these."""
    low, high = bounds(interval)
    return {f"{before}low": low, f"{before}high": high}


def _csv_cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
