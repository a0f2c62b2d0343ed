"""What a suite is made of: how its items are spread over rules, forms and distances, and some of them."""

from __future__ import annotations

import random
from collections import Counter

from pydantic import Field

from endophora.record import Record
from endophora.suites.outputs import text_key
from endophora.suites.records import Item, Suite
from endophora.suites.scoring import UNKNOWN


class RuleCount(Record):
    """A rule and its items."""

    phenomenon: str
    rule: str
    items: int
    forms: dict[str, int] = Field(description="expected form, lower case → items, most frequent first")
    between: int = Field(description="items whose antecedent is in another segment")
    shared: int | None = Field(description="items that the other suite has too; null without one")


class SuiteExample(Record):
    """An item for the reader."""

    id: str
    rule: str
    context: list[str] = Field(description="source segments before it; empty where the suite has none")
    source: str
    reference: str
    expected: str
    antecedent: str
    distance: int | None


class Overlap(Record):
    """What two suites share: items with the same source and reference, except for case, spaces and quotes."""

    name: str = Field(description="of the other suite")
    items: int = Field(description="of the other suite")
    shared: int = Field(description="items of this suite that the other has")
    shared_there: int = Field(description="items of the other suite that this one has")


class Description(Record):
    """What a suite is made of."""

    name: str
    source_language: str
    target_language: str
    items: int
    documents: int
    with_context: int = Field(description="items whose context is in the suite")
    with_variants: int = Field(description="items that have wrong translations")
    rules: list[RuleCount]
    distances: dict[str, int] = Field(description="segments to the antecedent → items")
    commonest_form: float = Field(description="share of items whose form is their source word's commonest, in per cent")
    examples: list[SuiteExample]
    overlap: Overlap | None
    warnings: list[str]


def describe_suite(suite: Suite, examples: int = 3, seed: int = 1, other: Suite | None = None) -> Description:
    """Count what a suite is made of, and how much of it another suite has too.

    ``commonest_form`` is what a system would score that looks at the source word alone and always writes its
    commonest form: the accuracy that needs no context.
    """
    by_rule: dict[tuple[str, str], list[Item]] = {}
    for item in sorted(suite.items, key=lambda item: (item.phenomenon, item.rule)):
        by_rule.setdefault((item.phenomenon, item.rule), []).append(item)
    forms: dict[str, Counter[str]] = {}
    for item in suite.items:
        if item.expected:
            forms.setdefault(item.source_form.lower(), Counter())[item.expected[0].lower()] += 1
    commonest = sum(max(count.values()) for count in forms.values())
    theirs = {text_key(item) for item in other.items} if other else set[str]()
    draw = random.Random(seed)  # noqa: S311
    distances = Counter(item.distance for item in suite.items)
    ordered = sorted(distances, key=lambda value: (value is None, value or 0))
    return Description(
        name=suite.name,
        source_language=suite.source_language,
        target_language=suite.target_language,
        items=len(suite),
        documents=len({item.document for item in suite.items}),
        with_context=sum(item.before is not None for item in suite.items),
        with_variants=sum(bool(item.variants) for item in suite.items),
        rules=[
            RuleCount(
                phenomenon=phenomenon,
                rule=rule,
                items=len(items),
                forms=dict(Counter(item.expected[0].lower() for item in items if item.expected).most_common()),
                between=sum((item.distance or 0) > 0 for item in items),
                shared=sum(text_key(item) in theirs for item in items) if other else None,
            )
            for (phenomenon, rule), items in by_rule.items()
        ],
        distances={UNKNOWN if value is None else str(value): distances[value] for value in ordered},
        commonest_form=100 * commonest / (sum(count.total() for count in forms.values()) or 1),
        examples=[
            _example(item) for items in by_rule.values() for item in draw.sample(items, min(examples, len(items)))
        ],
        overlap=_overlap(suite, other) if other else None,
        warnings=[*suite.warnings, *(other.warnings if other else ())],
    )


def _overlap(suite: Suite, other: Suite) -> Overlap:
    ours, theirs = ([text_key(item) for item in one.items] for one in (suite, other))
    shared = set(ours) & set(theirs)
    return Overlap(
        name=other.name,
        items=len(other),
        shared=sum(key in shared for key in ours),
        shared_there=sum(key in shared for key in theirs),
    )


def _example(item: Item) -> SuiteExample:
    antecedent = item.source_antecedent
    return SuiteExample(
        id=item.id,
        rule=item.rule,
        context=[pair.source for pair in item.before or ()],
        source=item.source,
        reference=item.reference,
        expected=item.expected[0] if item.expected else "",
        antecedent="" if antecedent is None else antecedent.phrase or antecedent.head or antecedent.segment,
        distance=item.distance,
    )
