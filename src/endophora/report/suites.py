"""The scores of a suite shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.judgments.records import VERDICTS
from endophora.report.conclusion import conclude_suite
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import (
    BRACKETS,
    Cell,
    Section,
    Table,
    baseline_note,
    best_of,
    bounds,
    counted,
    figure,
    figures,
    names,
)
from endophora.suites.result import Kind, SuiteResult, WrittenForm

_HEADS: dict[Kind, str] = {
    "all": "accuracy",
    "phenomenon": "by phenomenon",
    "rule": "by rule",
    "distance": "by distance of the antecedent, in segments",
    "metric": "metrics",
}


def sections(result: SuiteResult) -> Iterator[Section]:
    """Yield a table for each kind of group."""
    suite, settings = result.suite, result.settings
    pair = f"{suite.source_language}-{suite.target_language}, " if suite.target_language else ""
    yield [f"{suite.name}: {pair}{suite.items:,} items in {suite.documents:,} documents, {settings.kind}"]
    for table in _tables(result):
        yield [table]
    if result.settings.judge == "choice":
        yield [_shares(result)]
    for table in _written(result):
        yield [table]
    yield [*_note(result), f"signature: {result.signature}"]


def papers(result: SuiteResult) -> Iterator[Table]:
    """Yield groups × systems, the best of each row in bold."""
    tables = _tables(result)
    rows = [row for table in tables for row in table.rows]
    ends = [sum(len(table.rows) for table in tables[: place + 1]) - 1 for place in range(len(tables) - 1)]
    yield Table([*names("group"), *figures("n", *result.systems)], rows, rules=frozenset(ends))


def rows(result: SuiteResult) -> Iterator[Sequence[object]]:
    """Yield one row for each system and group."""
    yield (
        *("kind", "group", "system", "value", "low", "high", "correct", "counted"),
        *("difference", "p_value", "p_adjusted", *VERDICTS),
    )
    for one in result.scores:
        against = result.comparison(one.system, one.kind, one.group)
        tested = (against.difference, against.p_value, against.p_adjusted) if against else (None, None, None)
        figures = (one.value, *bounds(one.interval), one.correct, one.counted)
        yield one.kind, one.group, one.system, *figures, *tested, *(one.verdicts.get(each) for each in VERDICTS)


def page(result: SuiteResult) -> str:
    """Return a page of the tables."""
    suite, shares = result.suite, [_shares(result)] if result.settings.judge == "choice" else []
    return static_page(
        result,
        title=suite.title,
        subtitle="is the form that needs context there?",
        conclusion=conclude_suite(result),
        facts=[("suite", suite.name), counted(suite.items, "item"), counted(suite.documents, "document")],
        sections=[PageSection("Accuracy", [*_note(result), *_tables(result), *shares, *_written(result)])],
        settings=[*result.metrics.items()],
    )


def _note(result: SuiteResult) -> list[str]:
    settings = result.settings
    return [baseline_note(settings, settings.baseline, directed=False)] if result.comparisons else []


def _shares(result: SuiteResult) -> Table:
    """Return what is neither right nor wrong, in per cent of the items of each phenomenon and rule."""
    shown: dict[tuple[Kind, str], None] = {(one.kind, one.group): None for one in result.scores if one.verdicts}
    lines: list[list[Cell | str]] = []
    for kind, group in shown:
        counts = [result.score(system, kind, group).verdicts for system in result.systems]
        parts = (
            [f"{100 * one[name] / max(1, sum(one.values())):.1f}" for name in ("other", "missing")] for one in counts
        )
        lines.append([_label(kind, group), f"{max(sum(one.values()) for one in counts):,}", *map(" / ".join, parts)])
    return Table([*names("other / missing, per cent"), *figures("items", *result.systems)], lines)


def _written(result: SuiteResult) -> list[Table]:
    """Return for each phenomenon what systems wrote, in per cent of its items, beside what the references have."""
    found = dict[tuple[str, bool], list[WrittenForm]]()
    for one in result.written:
        found.setdefault((one.phenomenon, one.kind == "lemma"), []).append(one)
    tables = list[Table]()
    for (phenomenon, lemmas), counts in found.items():
        rows = dict[str, list[WrittenForm]]()
        for one in counts:
            rows.setdefault(one.what, []).append(one)
        lines = [
            [
                what,
                f"{some[0].items:,}",
                _share(some[0].asked, some[0].items),
                *(_share(one.outputs, one.items) for one in some),
            ]
            for what, some in rows.items()
            if some[0].asked or any(one.outputs for one in some)
        ]
        head = f"{phenomenon}: {'lemmas that should not be' if lemmas else 'what was written'}, per cent"
        tables.append(Table([*names(head), *figures("items", "reference", *result.systems)], lines))
    return tables


def _share(count: int | None, items: int) -> str:
    return "–" if count is None else f"{100 * count / max(1, items):.1f}"


def _label(kind: Kind, group: str) -> str:
    return "all" if kind == "all" else group or "–"


def _tables(result: SuiteResult) -> list[Table]:
    """Return groups × systems of each kind of groups that says more than those before it."""
    groups: dict[Kind, dict[str, None]] = {}
    for one in result.scores:
        groups.setdefault(one.kind, {})[one.group] = None
    heads = figures(*result.systems, marked=True, interval=BRACKETS)
    return [
        Table([*names(_HEADS[kind]), *figures("items"), *heads], [_row(kind, group, result) for group in found])
        for kind, found in groups.items()
        if kind != "phenomenon" or len(found) > 1
    ]


def _row(kind: Kind, group: str, result: SuiteResult) -> list[Cell | str]:
    scores = [result.score(system, kind, group) for system in result.systems]
    sign = -1 if kind == "metric" and group in result.lower_is_better else 1
    ranked = best_of([None if one.value is None else sign * one.value for one in scores])
    against = (result.comparison(one.system, kind, group) for one in scores)
    cells = [
        figure(one.value, one.interval, verdict="differs" if other and other.significant else "", best=best)
        for one, other, best in zip(scores, against, ranked, strict=True)
    ]
    return [_label(kind, group), f"{max(one.counted for one in scores):,}", *cells]
