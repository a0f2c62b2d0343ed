"""Worked examples of rule files: when they pass, and what is said of those that do not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from worked import Words

from endophora.evaluation import rule_examples as module
from endophora.evaluation.rule_examples import ExampleOutcome, run_examples
from endophora.languages.schema import Expected, WorkedExample
from endophora.phenomena.records import Occurrence

ONE = Expected(segment=2, words="sie sah", rule="they")
OTHER = Expected(segment=1, words="wir", rule="")


def example(*occurrences: Expected) -> WorkedExample:
    return WorkedExample(
        shows="a pronoun", text=(("we met", "wir trafen"), ("she saw", "sie sah")), occurrences=occurrences
    )


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        ((ONE,), True),
        ((), False),
        ((ONE, ONE), False),
        ((Expected(segment=1, words="sie sah", rule="they"),), False),
        ((Expected(segment=2, words="sie", rule="they"),), False),
        ((Expected(segment=2, words="sie sah", rule="it"),), False),
    ],
)
def test_rule_examples_pass_with_the_same_words_and_rule(found: tuple[Expected, ...], passed: bool):
    assert ExampleOutcome("pronouns", example(ONE), found).passed == passed


def test_rule_examples_that_name_no_rule_take_any():
    assert ExampleOutcome("pronouns", example(OTHER), (Expected(segment=1, words="wir", rule="it"),)).passed


def test_rule_examples_are_reported_with_texts_numbered_from_one():
    assert ExampleOutcome("pronouns", example(ONE, OTHER), ()).report().splitlines() == [
        "pronouns: a pronoun",
        "  1  we met",
        "     wir trafen",
        "  2  she saw",
        "     sie sah",
        "  expected: 2 “sie sah” (they), 1 “wir”",
        "  found:    nothing",
    ]


@pytest.mark.parametrize("reversed_", [False, True])
def test_rule_examples_run_through_all_tools_on_the_side_of_the_phenomenon(
    monkeypatch: pytest.MonkeyPatch, reversed_: bool
):
    seen: list[Any] = []

    def tag(document: Any) -> list[Occurrence]:
        seen.append(document)
        return [Occurrence(document.id, 1, "pronouns", "they", (0,), (0, 1), "", None)]

    tagger = SimpleNamespace(tag=tag)
    monkeypatch.setattr(module, "is_into_english", lambda phenomenon, rules: reversed_)
    pairs: list[Any] = []

    def make(setup: Any) -> Any:
        pairs.append((setup.source, setup.target))
        return tagger

    monkeypatch.setattr(module, "TAGGERS", SimpleNamespace(get=lambda name: make))
    tools = SimpleNamespace(
        rules=lambda code: f"rules of {code}",
        source_annotator=Words(),
        target_annotator=Words(),
        aligner=SimpleNamespace(align=lambda source, target: [(), ()]),
        resolver=SimpleNamespace(resolve=lambda source, target, links: []),
    )
    setup: Any = SimpleNamespace(load=lambda: tools, source_language="en", taggers=None)
    rules: Any = SimpleNamespace(examples={"pronouns": [example(ONE)], "formality": [example()]})
    [outcome] = run_examples(rules, setup, ["pronouns"])
    assert (outcome.phenomenon, outcome.passed) == ("pronouns", True)
    assert pairs == [(rules, "rules of en") if reversed_ else ("rules of en", rules)]
    # An example is written in the direction of its phenomenon: the tagger sees its second text as the target.
    assert [text.text for text in seen[0].target] == ["wir trafen", "sie sah"]
    assert [text.text for text in seen[0].source] == ["we met", "she saw"]
    assert [one.phenomenon for one in run_examples(rules, setup)] == ["pronouns", "formality"]
