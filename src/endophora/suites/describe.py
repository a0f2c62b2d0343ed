"""What a suite is made of: how its items are spread over rules, forms and distances, and some of them."""

from __future__ import annotations

import random
from collections import Counter

from pydantic import Field

from endophora.record import Record
from endophora.suites.records import Item, Suite
from endophora.suites.scoring import UNKNOWN


class RuleCount(Record):
    """A rule and its items."""

    phenomenon: str
    rule: str
    items: int
    forms: dict[str, int] = Field(description="expected form, lower case → items, most frequent first")
    between: int = Field(description="items whose antecedent is in another segment")


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
    warnings: list[str]


def describe_suite(suite: Suite, examples: int = 3, seed: int = 1) -> Description:
    """Count what a suite is made of.

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
            )
            for (phenomenon, rule), items in by_rule.items()
        ],
        distances={UNKNOWN if value is None else str(value): distances[value] for value in ordered},
        commonest_form=100 * commonest / (sum(count.total() for count in forms.values()) or 1),
        examples=[
            _example(item) for items in by_rule.values() for item in draw.sample(items, min(examples, len(items)))
        ],
        warnings=list(suite.warnings),
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
