"""Cells of the matrix: what is shown, what is best, what is significant, how it is shaded."""

import pytest

from endophora.evaluation.result import Column, Comparison, Detectable, Result, Score
from endophora.record import Interval
from endophora.report import matrix, order, render
from endophora.report.table import figure, interval_text, p_text

from .factory import make


def _result(
    values: dict[str, float | None], *, higher: bool = True, differences: dict[str, float] | None = None
) -> Result:
    column = Column(name="x", kind="phenomenon", scale=1, higher_is_better=higher, signature="")
    empty = make(len(values), examples=0)
    return empty.model_copy(
        update={
            "corpus": empty.corpus.model_copy(update={"systems": list(values)}),
            "columns": [column],
            "scores": [
                Score(column="x", system=name, value=value, interval=None, documents=[])
                for name, value in values.items()
            ],
            "comparisons": [
                Comparison(
                    column="x", system=name, baseline="a", difference=difference, interval=None,
                    p_value=0.001, p_adjusted=0.01, significant=True,
                )
                for name, difference in (differences or {}).items()
            ],
        }
    )  # fmt: skip


def _cells(result: Result) -> list[matrix.MatrixCell]:
    return [row.cells[0] for row in matrix.rows(result)]


def test_values_are_points_of_hundred_with_one_decimal_and_a_dash_for_null():
    assert [cell.value for cell in _cells(_result({"a": 0.6423, "b": None, "c": 1.0}))] == ["64.2", "–", "100.0"]


def test_best_is_what_is_shown_as_best_so_that_ties_share_it():
    cells = _cells(_result({"a": 0.6423, "b": 0.6418, "c": 0.63, "d": None}))
    assert [cell.best for cell in cells] == [True, True, False, False]


def test_lowest_is_best_where_lower_is_better():
    cells = _cells(_result({"a": 0.64, "b": 0.31}, higher=False))
    assert [cell.best for cell in cells] == [False, True]


def test_verdict_follows_the_direction_of_the_column():
    for higher, expected in ((True, ["", "worse", "better"]), (False, ["", "better", "worse"])):
        result = _result({"a": 0.5, "b": 0.4, "c": 0.6}, higher=higher, differences={"b": -0.1, "c": 0.1})
        assert [cell.verdict for cell in _cells(result)] == expected


def test_where_no_difference_can_be_significant_nothing_is_told_apart():
    result = _result({"b": 0.4, "a": 0.9})
    few = result.model_copy(update={"warnings": ["with 5 documents no difference can be significant at .05"]})
    assert [(cell.best, cell.shade) for cell in _cells(few)] == [(False, None)] * 2
    assert ([row.system for row in order.ranked(few)], order.ranking(few)) == (["b", "a"], "")
    assert [row.system for row in order.ranked(result)] == ["a", "b"]
    page = render(few, "html")
    assert "<b>bold</b> best" not in page
    assert "<b>bold</b> best" in render(result, "html")


def test_words_are_a_range_where_fewer_are_judged_of_some_systems():
    result = _result({"a": 0.9, "b": 0.5})
    column = result.columns[0].model_copy(update={"occurrences": 31})
    scores = [
        score.model_copy(update={"counts": {"right": right, "wrong": wrong}})
        for score, right, wrong in zip(result.scores, (30, 3), (1, 11), strict=True)
    ]
    result = result.model_copy(update={"columns": [column], "scores": scores})
    assert matrix.words_text(result, column) == "14–31"
    assert "n = 14–31" in render(result, "html")
    assert matrix.words_text(result, column.model_copy(update={"occurrences": None, "kind": "text"})) == ""


def test_few_words_rank_no_system_on_the_card_of_a_phenomenon_and_their_share_is_said():
    result = _result({"a": 0.9, "b": 0.5})
    scores = [
        score.model_copy(update={"counts": {"right": 3, "wrong": 1}, "unjudged": {"no choice": left}})
        for score, left in zip(result.scores, (5, 7), strict=True)
    ]

    def card(enough: bool) -> str:
        column = result.columns[0].model_copy(update={"kind": "phenomenon", "occurrences": 4, "enough": enough})
        shown = render(result.model_copy(update={"columns": [column], "scores": scores}), "html")
        return shown[shown.index('id="overview"') : shown.index('id="documents"')]

    assert "4 judged of 9–11 tagged: too few" in card(enough=False)
    assert ">weakest<" not in card(enough=False)
    assert "4 judged of 9–11 tagged<" in card(enough=True)
    assert ">weakest<" in card(enough=True)


def test_insignificant_difference_has_no_verdict():
    result = _result({"a": 0.5, "b": 0.4}, differences={"b": -0.1})
    comparison = result.comparisons[0].model_copy(update={"significant": False})
    assert _cells(result.model_copy(update={"comparisons": [comparison]}))[1].verdict == ""


def test_shades_run_from_weakest_to_best_and_null_has_none():
    cells = _cells(_result({"a": 0.3, "b": 0.5, "c": 0.7, "d": None}))
    assert [cell.shade for cell in cells] == [0, 3, 6, None]
    assert [cell.shade for cell in _cells(_result({"a": 0.3, "b": 0.7}, higher=False))] == [6, 0]


def test_systems_that_hardly_differ_are_shaded_pale():
    shades = [cell.shade for cell in _cells(_result({"a": 0.500, "b": 0.501}))]
    assert all(shade is not None and abs(shade - 3) <= 1 for shade in shades)


def test_one_outlier_leaves_the_others_their_shades():
    values = {f"s{index}": 0.6 + index / 100 for index in range(20)}
    shades = {cell.system: cell.shade for cell in _cells(_result({**values, "broken": 0.01}))}
    assert shades["broken"] == 0
    assert shades["s2"] is not None
    assert shades["s2"] <= 1
    assert shades["s19"] == 6


def test_phenomena_come_before_text_metrics():
    kinds = [column.kind for column in matrix.columns(make())]
    assert kinds == sorted(kinds)
    assert kinds[0] == "phenomenon"
    assert kinds[-1] == "text"


def test_interval_with_a_negative_end_is_spelled_with_to():
    assert figure(0.02, Interval(low=-0.0123, high=0.04), factor=100).interval == "−1.2 to 4.0"
    assert figure(2.0, Interval(low=1.23, high=4)).interval == "1.2–4.0"
    assert figure(2.0, None).interval == ""


def test_p_value_is_never_shown_as_zero():
    assert p_text(0.0004) == "p < 0.001"
    assert p_text(0.0421) == "p = 0.042"


def test_systems_are_ordered_by_their_mean_rank_over_phenomena_with_enough_words():
    one = _result({"a": 0.5, "b": 0.9, "c": 0.7})
    first = one.columns[0]
    columns = [first, first.model_copy(update={"name": "y"}), first.model_copy(update={"name": "few", "enough": False})]
    values = {"x": (0.5, 0.9, 0.7), "y": (0.6, 0.5, 0.8), "few": (1.0, 0.0, 0.0)}
    scores = [
        Score(column=name, system=system, value=value, interval=None, documents=[])
        for name, of in values.items()
        for system, value in zip("abc", of, strict=True)
    ]
    result = one.model_copy(update={"columns": columns, "scores": scores})
    # Ranks by x: b 1, c 2, a 3; by y: c 1, a 2, b 3: means a 2.5, b 2, c 1.5.
    assert [row.system for row in order.ranked(result)] == ["c", "b", "a"]
    assert order.ranking(result) == "order: mean rank over the phenomena with enough words"


def test_lower_is_ranked_first_where_lower_is_better_and_no_figure_last():
    assert [row.system for row in order.ranked(_result({"a": None, "b": 0.9, "c": 0.7}, higher=False))] == [
        "c",
        "b",
        "a",
    ]


def test_differences_that_the_test_set_cannot_tell_stay_pale():
    result = _result({"a": 0.91, "b": 0.94})
    told = Detectable(difference=0.409, power=0.8, level=0.05, draws=1000, units=10, systems=["a", "b"])
    pale = result.model_copy(update={"columns": [result.columns[0].model_copy(update={"detectable": told})]})
    assert [cell.shade for cell in _cells(pale)] == [3, 3]
    assert [cell.shade for cell in _cells(result)] != [3, 3]


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.61, 0.664, "0.61–0.66"), (-0.012, 0.03, "−0.01 to 0.03"), (-0.0001, 0.0001, "0.00–0.00")],
)
def test_an_interval_has_a_dash_unless_a_minus_is_shown(low: float, high: float, shown: str):
    assert interval_text(low, high, 2) == shown
