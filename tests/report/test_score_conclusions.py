"""What suites, senses, people's judgments and meta-evaluations conclude, and that their pages open with it."""

from __future__ import annotations

from html import unescape

import pytest

from endophora.meta.ranking import RankDifference, Ranked, RankingResult
from endophora.meta.result import Correlated, LevelInfo, MetaResult, MetricComparison, MetricInfo, Test
from endophora.record import Interval
from endophora.report import render
from endophora.report.conclusion import conclude_meta, conclude_ranking, conclude_suite, listed
from endophora.statistics.units import UNDECIDABLE

from .test_every_result import scored

FIRST = "right has the highest accuracy: 100.0 % [100.0, 100.0], n = 12 items."


def test_a_suite_names_the_best_system_and_who_differs_from_it():
    result = scored()
    assert conclude_suite(result) == [FIRST, "Significantly worse than right: always it (−50.0 points)."]
    page, first = unescape(render(result, "html")), FIRST.replace(" %", "\u00a0%")
    assert f'<div class="conclusion"><p dir="auto">{first}</p>' in page
    assert f'<meta name="description" content="{FIRST} Significantly' in page
    assert page.index(first) < page.index("<table")


def test_equal_systems_share_the_first_place_and_few_documents_decide_nothing():
    result = scored()
    tied = [one.model_copy(update={"value": 50.02 if one.system == "right" else 50.0}) for one in result.scores]
    warned = {"scores": tied, "warnings": [f"with 3 documents {UNDECIDABLE} at .05"]}
    open_ = [one.model_copy(update={"significant": False}) for one in result.comparisons]
    few = result.model_copy(update=warned | {"comparisons": open_})
    assert conclude_suite(few) == [
        "right and always it have the highest accuracy: 50.0 %, n = 12 items.",
        "Too few documents for a significant difference.",
    ]
    higher = result.model_copy(update=warned)  # significant at a level above .05
    assert conclude_suite(higher)[1:] == ["Significantly worse than right: always it (−50.0 points)."]
    alone = result.model_copy(update={"scores": [result.score("right")], "comparisons": []})
    assert conclude_suite(alone) == ["right: accuracy 100.0 % [100.0, 100.0], n = 12 items."]


def ranked(system: str, value: float, criterion: str = "adequacy") -> Ranked:
    counts = {"wins": 3, "ties": 0, "losses": 1, "items": 40}
    return Ranked(criterion=criterion, level="seg", system=system, value=value, interval=None, **counts)


def test_people_prefer_one_system_a_criterion():
    against = {"interval": None, "p_value": 0.01, "p_adjusted": 0.02, "criterion": "adequacy", "level": "seg"}
    result = RankingResult.model_construct(
        raters=[],
        warnings=[],
        scores=[
            ranked("a", 75),
            ranked("b", 25),
            ranked("c", 50),
            ranked("a", 40, "fluency"),
            ranked("b", 60, "fluency"),
        ],
        comparisons=[
            RankDifference(system="b", baseline="a", difference=-50, significant=True, **against),
            RankDifference(system="c", baseline="a", difference=-25, significant=False, **against),
            RankDifference(system="c", baseline="a", difference=-30, significant=True, **against),
        ],
    )
    assert conclude_ranking(result) == [
        "a has the highest share of comparisons won in adequacy of segments (75.0 %, n = 40).",
        "b has the highest share of comparisons won in fluency of segments (60.0 %, n = 40).",
        "Significantly worse than a: b.",
        "Significantly worse than a in some of these: c.",
    ]


def test_equal_systems_share_the_first_place_and_both_verdicts_of_a_system_are_said():
    against = {"interval": None, "p_value": 0.01, "p_adjusted": 0.02, "significant": True, "level": "seg"}
    both = {"system": "b", "baseline": "a", **against}
    result = RankingResult.model_construct(
        warnings=[f"adequacy of documents: with 3 documents {UNDECIDABLE} at .05"],
        scores=[ranked("a", 34), ranked("b", 33), ranked("a", 50.01, "fluency"), ranked("b", 50, "fluency")],
        comparisons=[
            RankDifference(criterion="adequacy", difference=-20, **both),
            RankDifference(criterion="fluency", difference=40, **both),
        ],
    )
    lines = [
        "a has the highest share of comparisons won in adequacy of segments (34.0 %, n = 40).",
        "a and b have the highest share of comparisons won in fluency of segments (50.0 %, n = 40).",
        "Significantly better than a in some of these: b.",
        "Significantly worse than a in some of these: b.",
    ]
    assert conclude_ranking(result) == lines
    few = f"fluency of segments: with 3 documents {UNDECIDABLE} at .05"
    first, second = result.comparisons
    open_ = [first, second.model_copy(update={"significant": False})]
    assert conclude_ranking(result.model_copy(update={"warnings": [few], "comparisons": open_})) == [
        *lines[:2],
        "Significantly worse than a: b.",
        "Too few documents for a significant difference in fluency of segments.",
    ]


@pytest.mark.parametrize(
    ("significant", "said"), [(True, "Significantly more than bleu."), (False, "No other differs significantly.")]
)
def test_a_meta_evaluation_names_the_metric_that_agrees_best(significant: bool, said: str):
    interval = Interval(low=0.3, high=0.5)
    found = [
        Correlated(metric=name, level="seg", coefficient=kind, average="item", value=value, interval=interval, **counts)
        for counts in [{"scores": 80, "groups": 8}]
        for name, kind, value in [("bleu", "pearson", 0.31), ("chrf", "pearson", 0.42), ("bleu", "kendall", 0.9)]
    ]
    tested = Test(statistic=None, p_value=0.01, p_adjusted=0.02, significant=significant)
    about = {"level": "seg", "measure": "pearson", "difference": 0.11, "interval": None, "williams": None}
    result = MetaResult.model_construct(
        levels=[LevelInfo.model_construct(level="seg", scores=80)],
        metrics=[MetricInfo(name=name, levels=["seg"], means=[], signature="") for name in ("bleu", "chrf")],
        correlations=found,
        comparisons=[MetricComparison(first="chrf", second="bleu", permutation=tested, **about)],
    )
    first = (
        "chrf has the highest correlation with people (segments, Pearson): 0.420 [0.300, 0.500], n = 80 human scores."
    )
    assert conclude_meta(result) == [f"{first} {said}"]


def _meta(values: dict[str, tuple[float, int]], sure: dict[tuple[str, str], bool], kind: str = "pearson") -> list[str]:
    of = {"level": "seg", "measure": kind, "difference": 0.1, "interval": None, "williams": None}
    counts = {"level": "seg", "coefficient": kind, "average": "item", "interval": None, "groups": 8}
    tests = {
        pair: Test(statistic=None, p_value=0.01, p_adjusted=0.02, significant=significant)
        for pair, significant in sure.items()
    }
    result = MetaResult.model_construct(
        levels=[LevelInfo.model_construct(level="seg", scores=80)],
        correlations=[Correlated(metric=name, value=value, scores=n, **counts) for name, (value, n) in values.items()],
        comparisons=[MetricComparison(first=one, second=two, permutation=tests[one, two], **of) for one, two in tests],
    )
    return conclude_meta(result)


def test_of_metrics_that_share_the_first_place_each_is_said_to_beat_what_it_beats():
    values = {"bleu": (0.42, 80), "chrf": (0.4203, 80), "ter": (0.1, 80)}
    sure = {("chrf", "bleu"): False, ("chrf", "ter"): True, ("bleu", "ter"): False}
    first = "bleu and chrf have the highest correlation with people (segments, Pearson): 0.420, n = 80 human scores."
    assert _meta(values, sure) == [f"{first} chrf: significantly more than ter."]
    assert _meta(values, {**sure, ("bleu", "ter"): True}) == [f"{first} Significantly more than ter."]


def test_a_metric_of_a_few_scores_is_not_named_beside_those_of_all():
    values = {"pronouns": (0.6, 6), "bleu": (0.3, 80), "chrf": (0.2, 80)}
    assert _meta(values, {("pronouns", "bleu"): True, ("bleu", "chrf"): True}) == [
        "bleu has the highest correlation with people (segments, Pearson): 0.300, n = 80 human scores. "
        "Significantly more than chrf.",
    ]


def test_no_correlation_is_above_a_negative_one_and_n_is_that_of_the_first():
    values = {"ter": (-0.2, 80), "bleu": (0.0, 20)}
    assert _meta(values, {("bleu", "ter"): True}, "kendall-wmt") == [
        "No metric has a positive correlation with people (segments, Kendall (WMT)); the highest: bleu 0.000, "
        "n = 20 human scores. Significantly more than ter.",
    ]


@pytest.mark.parametrize(
    ("count", "said"), [(3, "m1, m2 and m3"), (4, "m1, m2, m3 and m4"), (5, "m1, m2, m3 and 2 more")]
)
def test_a_single_name_is_said_and_not_counted(count: int, said: str):
    assert listed([f"m{number + 1}" for number in range(count)]) == said
