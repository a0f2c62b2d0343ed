"""Two results compared, shown: what got worse and better, what happened to the occurrences, and which changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from endophora.evaluation.comparing import Change, ChangedOccurrence, ComparisonResult
from endophora.evaluation.result import Passage
from endophora.report.matrix import title
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Column,
    Section,
    Table,
    bounds,
    counted,
    figure,
    figures,
    intervals_note,
    line,
    many,
    names,
    number,
    p_text,
    visible,
)

SHOWN = 5
"""Changed occurrences of a system and phenomenon that text and Markdown show, of each kind; JSON and CSV have all."""
_OPEN = 10
"""Changed occurrences of each kind that the page shows unfolded."""

_LONGEST = 24
_TYPES = {"broken": "were right and are not now", "repaired": "are right now", "other": "are judged otherwise"}
_STATES = {"right": "right", "wrong": "wrong", "other": "said in another way", "missing": "missing"}


def conclusion(result: ComparisonResult) -> list[str]:
    """Return a line for every column that changed by more than chance, or one that says that none did."""
    lines: list[str] = []
    for one in sorted(_whole(result), key=lambda one: one.verdict != "worse"):
        if one.verdict:
            old, new, change = _points(one, one.old), _points(one, one.new), _points(one, one.difference, sign=True)
            whose = title(one.column) + (f" of {one.system}" if len(result.systems) > 1 else "")
            tested = "" if one.p_adjusted is None else p_text(one.p_adjusted)
            size = f", {_judged(one)} judged" if one.judged else ""
            lines.append(f"Significantly {one.verdict}: {whose}, {old} before, {new} now ({change}, {tested}{size}).")
    few = [f"{title(one.column)} ({_judged(one) or 0})" for one in _whole(result) if not one.enough]
    tested = sum(one.p_value is not None for one in _whole(result))
    said = lines or [f"No column is significantly better or worse, of {tested} that were tested."]
    left = [f"Too few occurrences are judged for a test: {', '.join(dict.fromkeys(few))}."] if few else []
    return [*said, *left]


def sections(result: ComparisonResult) -> Iterator[Section]:
    """Yield the conclusion, the figures, the occurrences by phenomenon, and the first of those that changed."""
    corpus = result.corpus
    yield [
        line(f"{corpus.source_language} → {corpus.target_language}: old and new result compared", "bold"),
        *conclusion(result),
    ]
    for table in _figures(result, ("phenomenon", "text")):
        yield [table]
    if any(one.verdict for one in result.changes if one.kind == "category"):
        yield [*_figures(result, ("category",), changed=True)]
    yield [line(_legend(result), "dim")]
    if any(one.broken or one.repaired or one.other for one in result.turnover):
        yield [_turnover(result)]
    for kind, text in _TYPES.items():
        if found := [one for one in result.occurrences if one.change == kind]:
            yield [_occurrences(_first(found), f"Occurrences that {text} ({len(found):,})")]
    rest = [f"not compared: {each}" for each in result.left_out]
    yield [*(line(f"warning: {each}", "yellow") for each in result.warnings), *(line(each, "dim") for each in rest)]


def papers(result: ComparisonResult) -> Iterator[Table]:
    """Yield the tables of figures."""
    yield from _figures(result, ("phenomenon", "text"))


def rows(result: ComparisonResult) -> Iterator[Sequence[object]]:
    """Yield one row a system and column, in the columns' own scale."""
    yield (
        *("system", "column", "kind", "scale", "old", "new", "judged_old", "judged_new", "difference"),
        *("low", "high", "p_value", "p_adjusted", "verdict"),
    )
    for one in result.changes:
        judged = one.judged or (None, None)
        tested = (*bounds(one.interval), one.p_value, one.p_adjusted, one.verdict)
        yield one.system, one.column, one.kind, one.scale, one.old, one.new, *judged, one.difference, *tested


def page(result: ComparisonResult) -> str:
    """Return a page of the tables, and of all occurrences that changed."""
    corpus = result.corpus
    tables = [*_figures(result, ("phenomenon", "text")), _legend(result), _turnover(result)]
    changed = [
        PageSection(
            f"Occurrences that {text}", _folded(found), "" if kind == "broken" else many(len(found), "occurrence")
        )
        for kind, text in _TYPES.items()
        if (found := [one for one in result.occurrences if one.change == kind])
    ]
    categories = _figures(result, ("category",))
    more = [PageSection("Categories", categories, folded=many(len(categories), "table"))] if categories else []
    return static_page(
        result,
        title=f"{corpus.source_language} → {corpus.target_language}: old and new",
        subtitle="the same texts, translated twice",
        conclusion=conclusion(result),
        facts=[
            counted(len(corpus.documents), "document"),
            counted(corpus.segments, "segment"),
            (
                counted(len(result.systems), "system")[0],
                ", ".join(_pair(one.system, one.old) for one in result.systems),
            ),
        ],
        sections=[PageSection("Figures", tables), *changed, *more],
        settings=[("not compared", each) for each in result.left_out],
    )


def changed_text(one: ChangedOccurrence) -> tuple[str, str]:
    """Return what the old and the new output have at an occurrence, each with its verdict."""
    before, after = (
        f"{output.written or '–'} ({_STATES.get(output.verdict, 'right' if output.correct else output.why or 'wrong')})"
        for output in (one.old, one.new)
    )
    return before, after


def _whole(result: ComparisonResult) -> list[Change]:
    return [one for one in result.changes if one.kind != "category"]


def _figures(result: ComparisonResult, kinds: Sequence[str], *, changed: bool = False) -> list[Table]:
    """Return a table for each system."""
    tables: list[Table] = []
    for pair in result.systems:
        chosen = [one for one in result.changes if one.system == pair.system and one.kind in kinds]
        lines: list[list[Cell | str]] = [_line(one) for one in chosen if one.verdict or not changed]
        heads = [
            *names(_pair(pair.system, pair.old)),
            *figures("old", "new"),
            Column("difference", marked=True, wrap=False),
            Column("interval", right=False, dim=True, wrap=False, on="text"),
            *figures("p", "judged", wrap=False),
        ]
        if lines:
            tables.append(Table(heads, lines))
    return tables


def _line(one: Change) -> list[Cell | str]:
    factor = 100 / one.scale
    shown = figure(one.difference, one.interval, factor=factor, sign=True, verdict=one.verdict)
    p = "" if one.p_adjusted is None else p_text(one.p_adjusted).removeprefix("p ").removeprefix("= ")
    old, new = (figure(each, factor=factor) for each in (one.old, one.new))
    return [title(one.column), old, new, shown, shown.interval, p if one.enough else "too few", _judged(one)]


def _judged(one: Change) -> str:
    if one.judged is None:
        return ""
    old, new = one.judged
    return f"{new:,}" if old == new else f"{old:,} → {new:,}"


def _turnover(result: ComparisonResult) -> Table:
    several = len(result.systems) > 1
    lines = [
        [
            *([one.system] if several else []),
            title(one.phenomenon),
            *(f"{count:,}" for count in (one.judged, one.broken, one.repaired, one.other)),
        ]
        for one in result.turnover
    ]
    first = names(*(["system"] if several else []), "occurrences")
    return Table([*first, *figures("judged", "broken", "repaired", "otherwise changed")], lines)


def _first(found: Sequence[ChangedOccurrence]) -> list[ChangedOccurrence]:
    """Return the first ones of each system and phenomenon."""
    counts: dict[tuple[str, str], int] = {}
    kept: list[ChangedOccurrence] = []
    for one in found:
        key = one.system, one.phenomenon
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= SHOWN:
            kept.append(one)
    return kept


def _occurrences(found: Sequence[ChangedOccurrence], head: str) -> Table:
    several = len({one.system for one in found}) > 1
    lines = [
        [
            f"{one.document}:{one.segment + 1}" + (f" {one.system}" if several else ""),
            title(one.phenomenon),
            one.source.text,
            *changed_text(one),
        ]
        for one in found
    ]
    # Names of documents break only where they would leave no room for the texts.
    place = Column("segment", right=False, wrap=max(len(line[0]) for line in lines) > _LONGEST)
    return Table([place, *names("phenomenon", "source", "old", "new")], lines, title=head)


def _folded(found: Sequence[ChangedOccurrence]) -> list[Markup]:
    """Return the first ones open, and those after them folded."""
    several = len({one.system for one in found}) > 1
    shown = [_html(one, several) for one in found]
    first, rest = (Markup().join(part) for part in (shown[:_OPEN], shown[_OPEN:]))
    fold = Markup('<details class="whole"><summary>… {} more</summary>{}</details>')
    return [first, *([fold.format(f"{len(found) - _OPEN:,}", rest)] if rest else [])]


def _html(one: ChangedOccurrence, several: bool) -> Markup:
    before, after = changed_text(one)
    return Markup(
        '<p class="note"><strong>{}:{} {}</strong>{}<br>{}<br>reference: {}<br>old: {} <em>{}</em><br>'
        "new: {} <em>{}</em></p>"
    ).format(
        one.document, one.segment + 1, title(one.phenomenon), f" ({one.system})" if several else "",
        _marked(one.source, "source"), _marked(one.reference, "occurrence") or "–",
        _marked(one.old.passage, "written"), before, _marked(one.new.passage, "written"), after,
    )  # fmt: skip


def _marked(passage: Passage, role: str) -> Markup:
    """Return a text with the words that it is about marked."""
    parts, at = list[Markup](), 0
    for one in sorted(passage.highlights, key=lambda one: one.start):
        if one.role == role and one.start >= at:
            before, word = visible(passage.text[at : one.start]), visible(passage.text[one.start : one.end])
            parts.append(Markup('{}<mark class="source">{}</mark>').format(before, word))
            at = one.end
    return Markup().join([*parts, Markup.escape(visible(passage.text[at:]))])


def _legend(result: ComparisonResult) -> str:
    settings = result.settings
    test = settings.test.replace("-", " ")
    return (
        f"Points of 100, new minus old. * significantly better, † worse: paired {test} over {settings.units}, "
        f"Holm over all columns of a kind, p ≤ {settings.alpha:g}. {intervals_note(settings)}."
    )


def _pair(system: str, old: str) -> str:
    return system if system == old else f"{system} (was {old})"


def _points(one: Change, value: float | None, *, sign: bool = False) -> str:
    return number(None if value is None else 100 * value / one.scale, sign=sign)
