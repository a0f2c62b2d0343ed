"""CXMI shown: contexts, phenomena, parts of speech, vocabulary items and single words; in nats, with three decimals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from endophora.context.context_read import ContextCounts
from endophora.context.results import CxmiFigure, CxmiResult, GroupFigure, TokenExample, WordGroupKind
from endophora.report.conclusion import conclude_cxmi
from endophora.report.context_read import NOTE, read_table, sides_text
from endophora.report.matrix import title
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    Cell,
    Column,
    Section,
    Table,
    csv_records,
    ends,
    figure,
    figures,
    many,
    names,
    number,
    p_number,
    record_cells,
)

_ITEMS, _TOKENS = 15, 15
_PAGE_ITEMS, _PAGE_TOKENS = 100, 60
_AROUND = 30
"""Characters of the sentence on either side of a word."""

_CSV = (
    *("kind", "condition", "group", "count", "value", "low", "high", "shrunk"),
    *("difference", "difference_low", "difference_high", "p_value", "p_adjusted"),
    *("document", "segment", "start", "end"),
)


def sections(result: CxmiResult) -> Iterator[Section]:
    """Yield the contexts, then phenomena, parts of speech, items and words under the main one."""
    yield [f"{heading(result)}  {', '.join(facts(result))}", *conclude_cxmi(result)]
    yield [_contexts(result)]
    yield [_read(result)]
    if tags := groups(result, result.settings.main, "tag"):
        yield [_phenomena(result, tags)]
    yield [_labels(result)]
    if result.items:
        yield [_items(result, _ITEMS)]
    if result.tokens:
        yield [_tokens(result.tokens[:_TOKENS])]
    warnings = (f"warning: {warning}" for warning in result.warnings)
    yield [legend(result), *warnings, f"signature: {result.signature}"]


def papers(result: CxmiResult) -> Iterator[Table]:
    """Yield groups × contexts, as the MuDA paper's Table 9, the highest mean of each context and kind in bold.

    Bold are only means of words that are in enough documents to have an interval.
    """
    conditions = [one.name for one in result.conditions]
    total, normalised = ([result.figure(one, name) for one in conditions] for name in ("total", "normalised"))
    lines: list[list[Cell | str]] = [
        ["CXMI", *(figure(one.value, digits=3) for one in total)],
        ["CXMI ÷ sub-words", *(figure(one.value, digits=3) for one in normalised)],
    ]
    rules: set[int] = set()
    kinds: tuple[WordGroupKind, ...] = ("all", "label", "tag")
    for kind in kinds:
        tables = [groups(result, name, kind) for name in conditions]
        best = [
            max((round(one.mean, 3) for one in table if one.interval and kind != "all"), default=None)
            for table in tables
        ]
        before = len(lines)
        for group in dict.fromkeys(one.group for table in tables for one in table):
            found = [next((one for one in table if one.group == group), None) for table in tables]
            cells = [
                "" if one is None else figure(one.mean, digits=3, best=round(one.mean, 3) == top)
                for one, top in zip(found, best, strict=True)
            ]
            lines.append([title(group), *cells])
        if len(lines) > before:
            rules.add(before - 1)
    yield Table([*names(""), *figures(*conditions)], lines, rules=frozenset(rules))


def rows(result: CxmiResult) -> list[Sequence[object]]:
    """Return all figures; ``kind`` says which.

    ``kind`` is ``context`` (``count`` samples whose context was ``given``, and read ``whole``, ``cut`` or ``lost``),
    ``cxmi`` (``group`` is the definition, ``count`` the samples), ``cxmi-kept`` (over samples whose context was read),
    ``all``, ``tag``, ``label``, ``item`` or ``token``.
    """
    return csv_records(_CSV, _records(result))


def page(result: CxmiResult) -> str:
    """Return a page of the tables, and of single words with their contexts."""
    main, settings = result.settings.main, result.settings
    tags = groups(result, main, "tag")
    sections = [
        PageSection("Contexts", [legend(result), _contexts(result)]),
        PageSection("Context that was read", [NOTE, _read(result)]),
    ]
    if tags:
        note = "Mean P-CXMI of words that carry a tag, and how far it lies above that of words that carry none."
        sections.append(PageSection(f"Phenomena, {main}", [note, _phenomena(result, tags)]))
    sections.append(PageSection(f"Parts of speech, {main}", [_labels(result)]))
    if len(result.conditions) > 1:
        folded = "Mean P-CXMI of every group under every context"
        sections.append(PageSection("All contexts side by side", [_beside(result)], folded))
    if result.items:
        shown = min(len(result.items), _PAGE_ITEMS)
        folded = f"The {shown} items with the highest shrunk mean, of {result.items_found:,}"
        sections.append(PageSection(f"Vocabulary, {main}", [_items(result, shown)], folded))
    counts = [fact.partition(" ")[::2] for fact in facts(result)]
    return static_page(
        result,
        template="cxmi.html.jinja",
        title=heading(result),
        subtitle="does the model use its context?",
        conclusion=conclude_cxmi(result),
        facts=[(name, count) for count, name in counts],
        sections=sections,
        tokens=result.tokens[:_PAGE_TOKENS],
        number=number,
        pairs=pairs_of_sentences,
        name=title,
        settings=[
            ("items", shrinkage(result)),
            ("statistics", f"bootstrap over {settings.units}, {settings.resamples:,} resamples, seed {settings.seed}"),
        ],
    )


def heading(result: CxmiResult) -> str:
    """Return what was measured in a few words: the language pair, or that it is a task."""
    corpus = result.corpus
    if corpus.kind == "documents":
        return f"CXMI {corpus.source_language} → {corpus.target_language}"
    return f"CXMI of a task{f' in {corpus.target_language}' if corpus.target_language else ''}"


def facts(result: CxmiResult) -> list[str]:
    """Return how much was measured, in counts."""
    corpus = result.corpus
    one = "segment" if corpus.kind == "documents" else "line"
    counted = (
        (corpus.documents, "document"),
        (corpus.samples, one),
        (corpus.words, "word"),
        (corpus.pieces, "sub-word"),
    )
    return [f"{count:,} {name}{'s' * (count != 1)}" for count, name in counted]


def groups(result: CxmiResult, condition: str, kind: WordGroupKind) -> list[GroupFigure]:
    """Return the groups of a kind under a condition, in the order of the result."""
    return [one for one in result.groups if one.condition == condition and one.kind == kind]


def legend(result: CxmiResult) -> str:
    """Return what the figures are, in a few sentences."""
    settings = result.settings
    main = next(one for one in result.conditions if one.name == settings.main)
    each = "segment" if result.corpus.kind == "documents" else "line"
    words = [
        f"Nats, with context less without; {100 * settings.confidence:g} % intervals over {settings.units}. "
        f"Helped, harmed: {each}s that the context makes more, and less, probable.",
        f"{settings.main}: up to {many(main.size, each)} before, {sides_text(main.sides)}.",
        f"Of {result.corpus.samples:,} {each}s {main.samples:,} have such context, and the model read it, or a part of "
        f"it, for {main.context.kept:,}.",
    ]
    if result.contrasts:
        words.append(f"* differs from words without a tag: bootstrap, Holm, p ≤ {settings.alpha:g}.")
    if result.items:
        least = f" of {settings.minimum} or more occurrences" if settings.minimum > 1 else ""
        words.append(f"Items{least} ({result.items_found:,}); {shrinkage(result)}.")
    return " ".join(words)


def shrinkage(result: CxmiResult) -> str:
    """Return how far the means of rare items are drawn to the mean of all."""
    drawn = result.shrinkage
    if drawn.pseudo_count is None:
        return "items do not differ by more than chance: all are shrunk to the mean of all"
    how = "empirical Bayes" if drawn.estimated else "as set"
    mean = number(drawn.mean, 3)
    return f"shrunk to the mean of all, {mean}, as if by {drawn.pseudo_count:.1f} more occurrences ({how})"


def pairs_of_sentences(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Return the sentences of two contexts in pairs, their last ones together; the shorter one begins with nothing."""
    return list(zip_longest(reversed(first), reversed(second), fillvalue=""))[::-1]


def _drawn(name: str) -> list[Column]:
    """Return a column of figures that a page draws, and that of their intervals in text, which may be broken."""
    return [Column(name, wrap=False, drawn=True), Column("interval", on="text")]


def _both(cell: Cell) -> list[Cell | str]:
    return [cell, cell.brackets]


def _contexts(result: CxmiResult) -> Table:
    shares = figures("helped", "harmed", wrap=False)
    columns = [Column("context", right=False, wrap=False), *_drawn("CXMI"), *_drawn("÷ sub-words"), *shares]
    lines: list[list[Cell | str]] = []
    for condition in result.conditions:
        total, normalised = (result.figure(condition.name, name) for name in ("total", "normalised"))
        shown = (figure(one.value, one.interval, 3, n=one.samples) for one in (total, normalised))
        cells = [part for cell in shown for part in _both(cell)]
        lines.append([condition.name, *cells, *_shares(total, result.corpus.samples)])
    return Table(columns, lines)


def _read(result: CxmiResult) -> Table:
    """Return how much context the model read, and CXMI over the segments of whose context it read anything."""
    lines: list[tuple[str, ContextCounts, list[str]]] = []
    for condition in result.conditions:
        kept = result.kept_figure(condition.name)
        shown = ["", "", "", ""]
        if kept is not None:
            cell = figure(kept.value, kept.interval, 3)
            shown = [cell.value, cell.brackets, *_shares(kept, kept.samples)]
        lines.append((condition.name, condition.context, shown))
    return read_table("context read", ("CXMI", "interval", "helped", "harmed"), lines)


def _shares(one: CxmiFigure, whole: int) -> list[str]:
    return [f"{100 * part / whole:.0f} %" if whole else "–" for part in (one.helped, one.harmed)]


def _phenomena(result: CxmiResult, tags: Sequence[GroupFigure]) -> Table:
    lines: list[list[Cell | str]] = []
    for one in tags:
        against = result.contrast(one.condition, one.group)
        compared: list[Cell | str] = ["", "", ""]
        if against is not None:
            p_value = f"{p_number(against.p_adjusted)}{'*' if against.significant else ' '}"
            compared = [*_both(figure(against.difference, against.interval, 3)), p_value]
        lines.append([title(one.group), *_mean(one), *compared])
    columns = [*figures("words", wrap=False), *_drawn("P-CXMI"), *_drawn("less no tag"), *figures("p", wrap=False)]
    return Table([Column("phenomenon", right=False, wrap=False), *columns], lines)


def _labels(result: CxmiResult) -> Table:
    main = result.settings.main
    lines = [[one.group, *_mean(one)] for kind in ("all", "label") for one in groups(result, main, kind)]
    columns = [*figures("words", wrap=False), *_drawn("P-CXMI")]
    return Table([Column("part of speech", right=False, wrap=False), *columns], lines)


def _items(result: CxmiResult, most: int) -> Table:
    lines = [
        [one.item, f"{one.count:,}", *_both(figure(one.mean, one.interval, 3)), figure(one.shrunk, digits=3)]
        for one in result.items[:most]
    ]
    mean = [*figures("words", "P-CXMI", wrap=False), Column("interval", on="text"), *figures("shrunk", wrap=False)]
    return Table([Column(result.settings.item, right=False, wrap=False), *mean], lines)


def _tokens(tokens: Sequence[TokenExample]) -> Table:
    lines: list[list[Cell | str]] = []
    for token in tokens:
        labels = ", ".join((*token.labels[-1:], *map(title, token.tags)))
        lines.append([number(token.value, 3), _in_sentence(token), labels])
    return Table([Column("P-CXMI", wrap=False), *names("single word"), Column("", right=False, most=20)], lines)


def _beside(result: CxmiResult) -> Table:
    found = {(one.condition, one.group): one for one in result.groups}
    conditions = [one.name for one in result.conditions]
    lines: list[list[Cell | str]] = []
    for group in dict.fromkeys(group for _, group in found):
        means = [found.get((name, group)) for name in conditions]
        lines.append([title(group), *("" if one is None else figure(one.mean, one.interval, 3) for one in means)])
    return Table([*names("words"), *figures(*conditions)], lines)


def _in_sentence(token: TokenExample) -> str:
    """Return a word in brackets between what stands before and after it."""
    first, last = max(0, token.start - _AROUND), min(len(token.target), token.end + _AROUND)
    before, after = token.target[first : token.start], token.target[token.end : last]
    return f"{'…' * (first > 0)}{before}[{token.form}]{after}{'…' * (last < len(token.target))}"


def _mean(one: GroupFigure) -> list[Cell | str]:
    return [f"{one.count:,}", *_both(figure(one.mean, one.interval, 3, few=one.interval is None))]


def _records(result: CxmiResult) -> Iterator[dict[str, object]]:
    for condition in result.conditions:
        for state in ("given", "whole", "cut", "lost"):
            count = getattr(condition.context, state)
            yield {"kind": "context", "condition": condition.name, "group": state, "count": count}
    for one in result.cxmi:
        kind = "cxmi" if one.over == "all" else "cxmi-kept"
        yield {**record_cells(one), "kind": kind, "group": one.definition, "count": one.samples}
    for group in result.groups:
        against = result.contrast(group.condition, group.group) if group.kind == "tag" else None
        tested: dict[str, object] = {}
        if against is not None:
            tested = {**record_cells(against), **ends(against.interval, "difference_")}
        yield {**tested, **record_cells(group), "value": group.mean}
    main = result.settings.main
    for item in result.items:
        yield {**record_cells(item), "kind": "item", "condition": main, "group": item.item, "value": item.mean}
    for token in result.tokens:
        yield {**record_cells(token), "kind": "token", "condition": main, "group": token.form, "count": 1}
