"""What a suite is made of, shown: its rules with their forms, its distances, and examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.report.static_page import PageSection, static_page
from endophora.report.table import Section, Table, counted, figures, names
from endophora.suites.describe import Description

_FORMS = 4
"""Forms of a rule that text shows; all are in JSON and CSV."""


def sections(found: Description) -> Iterator[Section]:
    """Yield what text shows."""
    pair = f"{found.source_language}-{found.target_language}, " if found.target_language else ""
    yield [f"{found.name}: {pair}{found.items:,} items in {found.documents:,} documents", *_facts(found)]
    yield [_rules(found)]
    yield [_distances(found)]
    for one in found.examples:
        where = "" if one.distance is None else f", {one.distance} back"
        head = f"{one.rule}, item {one.id}: {one.expected} ({one.antecedent}{where})"
        yield [head, *(f"  … {text}" for text in one.context), f"  {one.source}", f"  {one.reference}"]


def papers(found: Description) -> list[Table]:
    """Return the rules."""
    return [_rules(found)]


def rows(found: Description) -> list[Sequence[object]]:
    """Return one row for each rule and form."""
    counts = [(one.phenomenon, one.rule, form, count) for one in found.rules for form, count in one.forms.items()]
    return [("phenomenon", "rule", "form", "items"), *counts]


def page(found: Description) -> str:
    """Return a page of the rules and examples."""
    examples = [part for section in list(sections(found))[3:] for part in section]
    parts = [PageSection("Rules", [*_facts(found), _rules(found), _distances(found)])]
    return static_page(
        found,
        title=f"{found.source_language} → {found.target_language}" if found.target_language else found.name,
        subtitle="what a suite is made of",
        facts=[("suite", found.name), counted(found.items, "item"), counted(found.documents, "document")],
        sections=[*parts, *([PageSection("Examples", examples)] if examples else [])],
    )


def _facts(found: Description) -> list[str]:
    return [
        f"with context: {found.with_context:,}; with wrong translations: {found.with_variants:,}",
        f"always the commonest form of the source word: {found.commonest_form:.1f} %",
        *_overlap(found),
    ]


def _overlap(found: Description) -> list[str]:
    other = found.overlap
    if other is None:
        return []
    share, there = 100 * other.shared / max(1, found.items), 100 * other.shared_there / max(1, other.items)
    return [
        f"also in {other.name}: {other.shared:,} of {found.items:,} items, {share:.1f} %; "
        f"of its own {other.items:,} items {other.shared_there:,} are here, {there:.1f} %"
    ]


def _rules(found: Description) -> Table:
    lines: list[list[str]] = []
    for one in found.rules:
        forms = ", ".join(f"{form} {count}" for form, count in list(one.forms.items())[:_FORMS])
        more = f", … ({len(one.forms)} forms)" if len(one.forms) > _FORMS else ""
        counts = (f"{one.items:,}", f"{100 * one.items / found.items:.1f}", f"{one.between:,}")
        shared = [] if one.shared is None else [f"{one.shared:,}", f"{100 * one.shared / one.items:.1f}"]
        lines.append([one.phenomenon, one.rule, *counts, *shared, forms + more])
    beside = figures("in the other", "%") if found.overlap else []
    return Table(
        [*names("phenomenon", "rule"), *figures("items", "%", "other segment"), *beside, *names("forms")], lines
    )


def _distances(found: Description) -> str:
    distances = ", ".join(f"{distance}: {count:,}" for distance, count in found.distances.items())
    return f"distance of the antecedent, in segments – {distances}"
