"""Scores of systems on a suite: accuracy by group, ties, intervals, significance, faults."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from scipy import stats
from suite_items import make_item, make_suite

from endophora.errors import InputError
from endophora.report import REPORTS
from endophora.report.suites import papers
from endophora.report.table import Cell
from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.outputs import parts, read_outputs, read_scores
from endophora.suites.result import SuiteResult
from endophora.suites.scoring import ScoringOptions, SuiteOptions, score_contrastive, score_outputs
from endophora.suites.senses import SenseOptions

QUICK = SuiteOptions(resamples=100)


def gender_suite(count: int = 40) -> Suite:
    """Items of two rules, two distances, and one document each two items."""
    rules = ("NOM.FEM.SING", "ACC.FEM.SING")
    return make_suite(
        *(make_item(n, rule=rules[n % 2], distance=n % 2 or None, document=f"d{n // 2}") for n in range(count))
    )


def test_accuracy_by_group_is_what_counting_gives() -> None:
    suite = gender_suite(8)
    outputs = {"a": ["Sie ist da."] * 3 + ["Er ist da."] * 5, "b": ["Sie ist da."] * 8}
    result = score_outputs(suite, outputs, QUICK)
    assert result.score("a").value == pytest.approx(37.5)
    assert (result.score("a").correct, result.score("a").counted) == (3, 8)
    assert result.score("a", "rule", "NOM.FEM.SING").value == pytest.approx(50)
    assert result.score("a", "rule", "ACC.FEM.SING").value == pytest.approx(25)
    assert result.score("a", "distance", "1").value == pytest.approx(25)
    assert result.score("a", "distance", "unknown").value == pytest.approx(50)
    assert result.score("a", "phenomenon", "gender").value == pytest.approx(37.5)
    assert result.settings.baseline == "b"
    comparison = result.comparison("a")
    assert comparison is not None
    assert comparison.difference == pytest.approx(-62.5)


def test_a_clear_difference_is_significant_and_none_is_not() -> None:
    suite = gender_suite()
    good, bad = ["Sie ist da."] * 40, ["Sie ist da."] * 20 + ["Er ist da."] * 20
    result = score_outputs(suite, {"good": good, "same": good, "bad": bad}, QUICK)
    bad_one, same = result.comparison("bad"), result.comparison("same")
    assert bad_one is not None
    assert same is not None
    assert bad_one.significant
    assert bad_one.p_adjusted >= bad_one.p_value
    assert (same.p_value, same.significant, same.difference) == (1.0, False, 0.0)
    interval = result.score("bad").interval
    assert interval is not None
    assert interval.low < 50 < interval.high


def test_the_test_of_single_items_is_the_exact_sign_test() -> None:
    """With items as units and few of them all ways of swapping are tried: McNemar's exact test, by scipy."""
    suite = gender_suite(10)
    first = ["Sie ist da."] * 8 + ["Er ist da."] * 2
    second = ["Er ist da."] * 6 + ["Sie ist da."] * 4
    result = score_outputs(suite, {"a": first, "b": second}, SuiteOptions(units="segments", resamples=200))
    comparison = result.comparison("b")
    assert comparison is not None
    assert comparison.p_value == pytest.approx(stats.binomtest(2, 8).pvalue)


def test_the_interval_is_near_that_of_the_binomial() -> None:
    suite = gender_suite(400)
    outputs = ["Sie ist da." if n % 10 < 3 else "Er." for n in range(400)]
    result = score_outputs(suite, {"a": outputs}, SuiteOptions(units="segments", resamples=2000))
    interval, exact = result.score("a").interval, stats.binomtest(120, 400).proportion_ci(method="wilson")
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((100 * exact.low, 100 * exact.high), abs=0.6)


def test_without_resamples_there_are_neither_intervals_nor_tests() -> None:
    result = score_outputs(gender_suite(4), {"a": ["Sie."] * 4, "b": ["Er."] * 4}, SuiteOptions(resamples=0))
    assert result.score("a").interval is None
    assert result.comparisons == []


@pytest.mark.parametrize(("ties", "right"), [("wrong", [True, False, False]), ("correct", [True, True, False])])
def test_a_tie_of_scores_is_wrong_unless_said_otherwise(ties: str, right: list[bool]) -> None:
    suite = make_suite(make_item(0), make_item(1), make_item(2))
    scores = [-1.0, -2.0, -3.0, -1.0, -1.0, -3.0, -2.0, -1.0, -3.0]
    result = score_contrastive(suite, {"a": scores}, SuiteOptions(ties=ties, resamples=0))
    assert result.score("a").correct == sum(right)
    losses = [-score for score in scores]
    lower = SuiteOptions(ties=ties, higher_is_better=False, resamples=0)
    assert score_contrastive(suite, {"a": losses}, lower).score("a").correct == sum(right)


def test_the_right_translation_may_stand_anywhere_among_the_scores() -> None:
    suite = make_suite(make_item(0, correct=2))
    assert score_contrastive(suite, {"a": [-2.0, -3.0, -1.0]}, SuiteOptions(resamples=0)).score("a").correct == 1


def test_undecided_items_are_not_counted_and_told() -> None:
    item = make_item(criterion="matched", expected=("Sie",), forbidden=("du",))
    outputs = ["Wissen Sie es", "Weißt du es", "Weiß man es"]
    result = score_outputs(make_suite(item, item, item), {"a": outputs}, SuiteOptions(resamples=0))
    assert (result.score("a").correct, result.score("a").counted) == (1, 2)
    assert any("1 outcomes are neither" in warning for warning in result.warnings)


def test_items_of_several_criteria_are_each_judged_by_theirs() -> None:
    present = make_item(0)
    absent = make_item(1, criterion="absent", forbidden=("er",))
    result = score_outputs(make_suite(present, absent), {"a": ["Ja. Sie.", "Sie. Er."]}, SuiteOptions(resamples=0))
    assert result.score("a").correct == 1
    assert result.settings.matching == {"present": "unicode", "absent": "spaced"}


def test_text_metrics_are_those_of_sacrebleu() -> None:
    import sacrebleu

    suite = gender_suite(4)
    outputs = ["Sie ist hier.", "Sie war hier.", "Er ist dort.", "Nein."]
    result = score_outputs(suite, {"a": outputs}, SuiteOptions(metrics=("bleu", "chrf"), resamples=0))
    references = [[item.reference for item in suite.items]]
    assert result.score("a", "metric", "BLEU").value == pytest.approx(sacrebleu.corpus_bleu(outputs, references).score)
    assert result.score("a", "metric", "chrF2").value == pytest.approx(sacrebleu.corpus_chrf(outputs, references).score)
    assert "tok:13a" in result.metrics["BLEU"]


def test_text_metrics_compare_the_sentence_that_is_judged_and_not_the_context_before_it() -> None:
    suite = gender_suite(4)
    right = [item.reference for item in suite.items]
    outputs = {"alone": right, "with context": [f"Da ist ein Haus. Es ist alt! {text}" for text in right]}
    result = score_outputs(suite, outputs, SuiteOptions(metrics=("bleu",), resamples=0))
    assert [result.score(system, "metric", "BLEU").value for system in outputs] == pytest.approx([100, 100])
    whole = score_outputs(suite, outputs, SuiteOptions(metrics=("bleu",), part="line", resamples=0))
    assert whole.score("with context", "metric", "BLEU").value < 50


def test_the_result_says_which_way_a_metric_runs_and_tables_follow_it() -> None:
    suite = gender_suite(4)
    outputs = {"good": [item.reference for item in suite.items], "bad": ["Er war dort und da."] * 4}
    result = score_outputs(suite, outputs, SuiteOptions(metrics=("ter", "chrf"), resamples=0))
    assert result.lower_is_better == ["TER"]
    assert result.score("good", "metric", "TER").value == 0
    (table,) = papers(result)
    best = {row[0]: [cell.best for cell in row[2:] if isinstance(cell, Cell)] for row in table.rows}
    assert best["TER"] == best["chrF2"] == best["all"] == [True, False]


def test_metrics_in_latex_have_the_best_system_in_bold_whichever_way_they_run() -> None:
    suite = gender_suite(4)
    outputs = {"a": ["Sie war dort."] * 4, "b": [item.reference for item in suite.items]}
    result = score_outputs(suite, outputs, SuiteOptions(metrics=("ter", "bleu"), resamples=0))
    lines = REPORTS.get("latex")(result).splitlines()
    for name, best in (("TER", "0.0"), ("BLEU", "100.0")):
        (line,) = (line for line in lines if line.startswith(name))
        assert line.endswith(rf"\textbf{{{best}}} \\")
        assert line.count("textbf") == 1


def test_systems_that_are_equally_good_share_the_mark_in_metrics_that_run_down() -> None:
    suite = gender_suite(4)
    outputs = {name: [item.reference for item in suite.items] for name in "ab"}
    (table,) = papers(score_outputs(suite, outputs, SuiteOptions(metrics=("ter",), resamples=0)))
    (row,) = (row for row in table.rows if row[0] == "TER")
    assert [cell.best for cell in row[2:] if isinstance(cell, Cell)] == [True, True]


def test_options_of_all_suites_have_the_same_defaults_and_faults_of_their_own_codes() -> None:
    names = {field.name for field in fields(ScoringOptions)} - {"units"}
    suites, senses = SuiteOptions(), SenseOptions()
    assert {name: getattr(suites, name) for name in names} == {name: getattr(senses, name) for name in names}
    for options, code in ((SuiteOptions, "E181"), (SenseOptions, "E220")):
        with pytest.raises(InputError) as refused:
            options(ties="maybe")
        assert [(fault.code, fault.file) for fault in refused.value.faults] == [(code, "--ties")]


@pytest.mark.parametrize(
    ("separator", "part", "found"),
    [
        ("", "auto", "Sie ging."),
        ("", "line", "Eins. <eos> Zwei. Sie ging."),
        ("<eos>", "auto", " Zwei. Sie ging."),
        ("<eos>", "segment", " Zwei. Sie ging."),
        ("<eos>", "sentence", "Sie ging."),
    ],
)
def test_the_part_of_an_output_that_is_looked_at(separator: str, part: str, found: str) -> None:
    suite = make_suite(make_item())
    assert parts(suite, ["Eins. <eos> Zwei. Sie ging."], separator, part) == [found]


def test_an_item_with_segments_after_it_is_looked_for_in_its_own_place() -> None:
    suite = make_suite(make_item(after=(Pair("Yes.", "Ja."),)))
    assert parts(suite, ["a<eos>b<eos>c"], "<eos>") == ["b"]
    assert parts(suite, ["c"], "<eos>") == [""]


def test_a_result_reads_back(tmp_path: Path) -> None:
    result = score_outputs(gender_suite(8), {"a": ["Sie."] * 8, "b": ["Er."] * 8}, QUICK)
    result.write(tmp_path / "result.json")
    assert SuiteResult.read(tmp_path / "result.json") == result


def test_the_signature_changes_with_what_is_expected_and_how() -> None:
    def signature(item: Item, options: SuiteOptions = QUICK) -> str:
        return score_outputs(make_suite(item), {"a": ["Sie."]}, options).signature

    plain = signature(make_item())
    assert plain == signature(make_item())
    assert plain != signature(make_item(expected=("er",)))
    assert plain != signature(make_item(variants=(Variant("Er."),)))
    assert plain != signature(make_item(), SuiteOptions(matching="ascii", resamples=100))


def same(first: SuiteResult, second: SuiteResult) -> bool:
    return first.model_dump_json() == second.model_dump_json()


def test_the_same_seed_gives_the_same_result() -> None:
    suite, outputs = gender_suite(), {"a": ["Sie."] * 40, "b": ["Sie.", "Er."] * 20}
    assert same(score_outputs(suite, outputs, QUICK), score_outputs(suite, outputs, QUICK))


def test_files_of_another_length_are_refused_all_at_once(tmp_path: Path) -> None:
    suite = gender_suite(3)
    for name, lines in (("a", 2), ("b", 3), ("c", 4)):
        (tmp_path / name).write_text("1.5\n" * lines, encoding="utf-8")
    files = {name: tmp_path / name for name in "abc"}
    with pytest.raises(InputError) as refused:
        read_outputs(suite, files)
    assert [(fault.code, fault.cause) for fault in refused.value.faults] == [
        ("E173", "2 lines for 3 items"),
        ("E173", "4 lines for 3 items"),
    ]
    with pytest.raises(InputError, match="2 lines for 9 translations of 3 items"):
        read_scores(suite, {"a": tmp_path / "a"})
    with pytest.raises(InputError, match="E173"):
        score_outputs(suite, {"a": ["x"]}, QUICK)
    with pytest.raises(InputError, match="E174"):
        score_contrastive(suite, {"a": [1.0]}, QUICK)


def test_scores_that_are_no_numbers_are_told_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("-1.5\nx\nnan\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_scores(make_suite(make_item()), {"a": tmp_path / "a"})
    assert [(fault.code, fault.line) for fault in refused.value.faults] == [("E174", 2), ("E174", 3)]


def test_a_suite_without_wrong_translations_cannot_be_scored_by_scores(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E175"):
        read_scores(make_suite(make_item(variants=())), {"a": tmp_path / "a"})


def test_ties_that_count_as_something_else_are_refused() -> None:
    with pytest.raises(InputError, match="E181"):
        SuiteOptions(ties="maybe")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (SuiteOptions(matching="x"), "E181"),
        (SuiteOptions(part="x"), "E181"),
        (SuiteOptions(part="segment"), "E181"),
        (SuiteOptions(baseline="x"), "E105"),
        (SuiteOptions(metrics=("d-bleu",)), "E181"),
        (SuiteOptions(metrics=("x",)), "E090"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_code(options: SuiteOptions, code: str) -> None:
    with pytest.raises(InputError, match=code):
        score_outputs(make_suite(make_item()), {"a": ["Sie."]}, options)
