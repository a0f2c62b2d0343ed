"""CXMI in a terminal: the contexts, phenomena, parts of speech, vocabulary items and single words."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from endophora.context.cxmi_result import CxmiResult, GroupFigure, TokenExample
from endophora.report import cxmi_figures as shown
from endophora.report.figures import title
from endophora.report.plain import plain_console, plain_table, plain_text
from endophora.report.visible import visible

_ITEMS = 15
_TOKENS = 15
_AROUND = 30
"""Characters of the sentence on either side of a word."""


def render(result: CxmiResult, width: int | None = None) -> str:
    """Return the report as plain text without colours, for pipes and files.

    Args:
        result: what is shown.
        width: characters a line; by default what ``COLUMNS`` or the terminal says.
    """
    return plain_text(plain_console(width), _parts(result))


def _parts(result: CxmiResult) -> Iterator[RenderableType]:
    yield Text(visible(shown.heading(result) + "  " + ", ".join(shown.facts(result))))
    yield Text()
    yield _contexts(result)
    yield from (Text(), shown.read_table(result).plain())
    main = result.settings.main
    tags, labels = shown.groups(result, main, "tag"), shown.groups(result, main, "label")
    labels = [*shown.groups(result, main, "all"), *labels]
    if tags:
        yield from (Text(), _phenomena(result, tags))
    yield from (Text(), _labels(labels))
    if result.items:
        yield from (Text(), _items(result))
    if result.tokens:
        yield from (Text(), _tokens(result.tokens[:_TOKENS]))
    yield Text()
    yield Text(visible(shown.legend(result)))
    for warning in result.warnings:
        yield Text("warning: " + visible(warning))
    yield Text("signature: " + visible(result.signature))


def _contexts(result: CxmiResult) -> Table:
    table = _table("context", "CXMI", "interval", "÷ sub-words", "interval", "helped", "harmed")
    for condition in result.conditions:
        total, normalised = (result.figure(condition.name, name) for name in ("total", "normalised"))
        table.add_row(
            *(condition.name, shown.nats(total.value), shown.interval(total.interval)),
            *(shown.nats(normalised.value), shown.interval(normalised.interval)),
            *(shown.share(total.helped, result.corpus.samples), shown.share(total.harmed, result.corpus.samples)),
        )
    return table


def _phenomena(result: CxmiResult, figures: list[GroupFigure]) -> Table:
    table = _table("phenomenon", "words", "P-CXMI", "interval", "less no tag", "interval", "p")
    for figure in figures:
        against = result.contrast(figure.condition, figure.group)
        compared = ("", "", "")
        if against is not None:
            p_value = f"{shown.p_text(against.p_adjusted)}{'*' if against.significant else ' '}"
            compared = (shown.nats(against.difference), shown.interval(against.interval), p_value)
        table.add_row(Text(visible(title(figure.group))), *_mean(figure), *compared)
    return table


def _labels(figures: list[GroupFigure]) -> Table:
    table = _table("part of speech", "words", "P-CXMI", "interval")
    for figure in figures:
        table.add_row(Text(visible(figure.group)), *_mean(figure))
    return table


def _items(result: CxmiResult) -> Table:
    table = _table(result.settings.item, "words", "P-CXMI", "interval", "shrunk")
    for item in result.items[:_ITEMS]:
        figures = (f"{item.count:,}", shown.nats(item.mean), shown.interval(item.interval), shown.nats(item.shrunk))
        table.add_row(Text(visible(item.item)), *figures)
    return table


def _tokens(tokens: list[TokenExample]) -> Table:
    table = plain_table()
    table.add_column("P-CXMI", justify="right", no_wrap=True)
    table.add_column("single word", overflow="fold")
    table.add_column("", max_width=20, overflow="fold")
    for token in tokens:
        labels = ", ".join((*token.labels[-1:], *map(title, token.tags)))
        table.add_row(shown.nats(token.value), Text(visible(_around(token))), Text(visible(labels)))
    return table


def _around(token: TokenExample) -> str:
    """Return a word in brackets between what stands before and after it."""
    first, last = max(0, token.start - _AROUND), min(len(token.target), token.end + _AROUND)
    before, after = token.target[first : token.start], token.target[token.end : last]
    return f"{'…' * (first > 0)}{before}[{token.form}]{after}{'…' * (last < len(token.target))}"


def _mean(figure: GroupFigure) -> tuple[str, str, str]:
    return f"{figure.count:,}", shown.nats(figure.mean), shown.interval(figure.interval)


def _table(first: str, *others: str) -> Table:
    """Return an empty table: where it is too wide, intervals are broken, names and figures are not."""
    table = plain_table()
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=name != "interval", overflow="fold")
    return table
