"""What studies of context use conclude: sentences that follow from the figures, and that pages and texts open with."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "context"))
from cxmi_example import measurement

from endophora.context.attribution.results import AttributionDifference, AttributionResult, AttributionShare
from endophora.context.results import ContrastComparison, ContrastResult, ContrastScore, CxmiResult
from endophora.context.themes import make_themes
from endophora.record import Interval
from endophora.report import render
from endophora.report.conclusion import conclude_attribution, conclude_contrast, conclude_cxmi
from endophora.report.themes import render as render_themes


def cxmi(low: float, high: float) -> CxmiResult:
    result = measurement(documents=8).result
    changed = [each.model_copy(update={"interval": Interval(low=low, high=high)}) for each in result.cxmi]
    return result.model_copy(update={"cxmi": changed})


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (
            0.1,
            0.9,
            "Context (both-2) makes the reference more probable: +0.656 nats a segment [+0.100, +0.900], n = 32.",
        ),
        (
            -0.1,
            0.9,
            "This text does not show whether context (both-2) changes the probability of the reference: +0.656",
        ),
    ],
)
def test_cxmi_is_told_from_zero_by_its_interval_alone(low: float, high: float, said: str):
    sentences = conclude_cxmi(cxmi(low, high))
    assert sentences[0].startswith(said)
    assert sentences[1] == "Significantly more than other words gain, in nats a word: pronouns (+0.500, 8 words)."


def test_cxmi_without_an_interval_says_that_nothing_is_known():
    result = cxmi(0, 1)
    bare = result.model_copy(update={"cxmi": [each.model_copy(update={"interval": None}) for each in result.cxmi]})
    assert "is not known: too few documents: +0.656" in conclude_cxmi(bare)[0]


def test_no_phenomenon_is_named_that_is_not_significant():
    result = cxmi(0.1, 0.9)
    none = [each.model_copy(update={"significant": False}) for each in result.contrasts]
    assert conclude_cxmi(result.model_copy(update={"contrasts": none}))[1] == (
        "No phenomenon gains significantly more than other words, of 2 that were tested."
    )


def test_the_page_the_text_and_the_themes_open_with_it_before_any_table():
    made = measurement(documents=8)
    (first, second) = conclude_cxmi(made.result)
    page, text = render(made.result, "html"), " ".join(render(made.result, width=80).split())
    themes = render_themes(make_themes(made.result, made.pointwise))
    for shown in (page, themes):
        assert f'<div class="conclusion"><p dir="auto">{first}</p><p dir="auto">{second}</p></div>' in shown
        assert shown.index(first) < shown.index("<table")
    assert text.index(first) < text.index(second) < text.index("÷ sub-words")


def test_themes_leave_out_groups_of_few_words_and_say_so():
    made = measurement(documents=8)
    counts = [
        one.count for one in made.result.groups if one.condition == made.result.settings.main and one.kind != "all"
    ]
    least = sorted(set(counts))[1]
    strict = made.result.model_copy(update={"settings": made.result.settings.model_copy(update={"minimum": least})})
    themes = make_themes(strict, made.pointwise)
    few = sum(count < least for count in counts)
    assert few > 0
    assert (themes.few, len(themes.groups)) == (few, len(counts) - few)
    page = render_themes(themes)
    assert f"Groups and items of fewer than {least} words are left out: {few} group" in page
    assert "are left out." in render_themes(replace(themes, few=0))


def contrast(**models: tuple[float, bool]) -> ContrastResult:
    common: dict[str, Any] = {"of": "context", "kind": "all", "group": "", "interval": None, "gained": 0, "lost": 0}
    common |= {"p_value": 0.01, "p_adjusted": 0.01, "other_size": 0}
    compared = [
        ContrastComparison(
            **common, model=name, other_model=name, size=size, difference=points * size / 5, significant=clear
        )
        for name, (points, clear) in models.items()
        for size in (1, 5)
    ]
    suite: Any = type("Suite", (), {"items": 1200})
    return ContrastResult.model_construct(suite=suite, comparisons=compared, runs=[], scores=[], warnings=[])


def test_contrast_goes_by_the_largest_context_and_sorts_models_by_verdict():
    found = contrast(a=(3.0, True), b=(20.0, True), c=(-4.0, True), d=(0.5, False))
    assert conclude_contrast(found) == [
        "Significantly right more often with context: b (+20.0 points with 5 segments against 0) and "
        "a (+3.0 points with 5 segments against 0), n = 1,200.",
        "Significantly right less often with context: c (−4.0 points with 5 segments against 0), n = 1,200.",
        "No significant difference with context: d (+0.5 points with 5 segments against 0), n = 1,200.",
    ]


def test_contrast_of_one_size_says_how_many_are_right():
    run: Any = type("Run", (), {"model": "a", "size": 0})
    score = ContrastScore(
        model="a", size=0, kind="all", group="", value=61.25, interval=Interval(low=58, high=64), correct=1, counted=2
    )
    one = contrast().model_copy(update={"runs": [run], "scores": [score]})
    assert conclude_contrast(one) == ["Right in a 61.2 % [58.0, 64.0] of the items, n = 1,200."]


def test_a_model_without_a_comparison_is_named_beside_those_that_have_one():
    run: Any = type("Run", (), {"model": "x", "size": 5})
    score = ContrastScore(model="x", size=5, kind="all", group="", value=95.0, interval=None, correct=1, counted=2)
    found = contrast(a=(3.0, True)).model_copy(update={"runs": [run], "scores": [score]})
    assert conclude_contrast(found)[-1] == "Right in x 95.0 % of the items, n = 1,200."


FEW = "with 3 documents no difference can be significant at .05"


def test_of_too_few_documents_nothing_is_concluded():
    few = cxmi(0.1, 0.9).model_copy(update={"warnings": [FEW]})
    assert conclude_cxmi(few) == [
        "Whether context (both-2) changes the probability of the reference is not known: too few documents: "
        "+0.656 nats a segment [+0.100, +0.900], n = 32."
    ]
    found = contrast(a=(43.0, False)).model_copy(update={"warnings": [FEW]})
    assert conclude_contrast(found) == [
        "Too few documents for a significant difference with context: a (+43.0 points with 5 segments against 0), "
        "n = 1,200."
    ]


def test_a_share_that_two_models_have_is_not_called_the_most():
    shares = [
        AttributionShare(model=name, measure="support", kind="all", group="", value=value, interval=None, words=1)
        for name, value in (("a", 0.001), ("b", 0.0))
    ]
    found = AttributionResult.model_construct(shares=shares, differences=[], warnings=[])
    assert conclude_attribution(found) == ["a makes 0.00 % of a word from the words that support it; n = 1."]


def test_attribution_names_the_model_with_the_largest_share_and_what_is_significant():
    shares = [
        AttributionShare(model=name, measure="support", kind="all", group="", value=value, interval=None, words=450)
        for name, value in (("base", 4.0), ("a", 9.5), ("b", 3.5))
    ]
    differences = [
        AttributionDifference(
            model=name,
            baseline="base",
            measure="support",
            difference=points,
            interval=None,
            p_value=0.01,
            p_adjusted=0.01,
            significant=clear,
        )
        for name, points, clear in (("a", 5.5, True), ("b", -0.5, False))
    ]
    found = AttributionResult.model_construct(shares=shares, differences=differences, warnings=[])
    assert conclude_attribution(found) == [
        "a makes 9.50 % of a word from the words that support it, the most of 3 models; n = 450.",
        "Significantly more than base: a (+5.50 points).",
        "No significant difference from base: b (−0.50 points).",
    ]
