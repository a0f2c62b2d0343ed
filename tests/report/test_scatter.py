"""Scatters of metric against human scores: where points, whiskers and names stand."""

import re

import pytest

from endophora.evaluation.result import Human, HumanScore
from endophora.record import Interval
from endophora.report.scatter import document_scatter, system_scatter

from .factory import EXTRAS, make


def _result(points, *, higher=True, lower_human=False, names=None):
    """Return a result of one column with (human, metric, interval) for each system."""
    result = make(len(points), documents=2, examples=0, extras=EXTRAS)
    names = names or result.corpus.systems
    column = result.columns[0].model_copy(update={"scale": 100, "higher_is_better": higher})
    scores = [
        result.scores[0].model_copy(
            update={
                "column": column.name,
                "system": name,
                "value": value,
                "interval": interval,
                "documents": [value, None],
            }
        )
        for name, (_, value, interval) in zip(names, points, strict=True)
    ]
    said = [
        HumanScore(system=name, value=human, documents=[human, 1.0])
        for name, (human, _, _) in zip(names, points, strict=True)
    ]
    human = Human(name="mqm", higher_is_better=not lower_human, scores=said, agreements=[])
    corpus = result.corpus.model_copy(update={"systems": names})
    update = {"corpus": corpus, "columns": [column], "scores": scores, "human": human}
    return column, result.model_copy(update=update)


def _places(drawing):
    """Return the places of the points in the order of the systems' names."""
    found = re.findall(
        r'<title>([^:]*):[^<]*</title>(?:<path[^>]*></path>)?<circle cx="([\d.]+)" cy="([\d.]+)"', drawing
    )
    return [(float(x), float(y)) for _, x, y in sorted(found)]


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("lower_human", [True, False])
def test_better_stands_to_the_right_and_up(higher, lower_human):
    column, result = _result([(1.0, 20.0, None), (3.0, 40.0, None)], higher=higher, lower_human=lower_human)
    (x1, y1), (x2, y2) = _places(system_scatter(column, result).drawing)
    assert (x2 > x1) == (not lower_human)
    assert (y2 < y1) == higher


def test_places_are_in_proportion():
    column, result = _result([(0.0, 0.0, None), (1.0, 10.0, None), (4.0, 40.0, None)])
    (x1, y1), (x2, y2), (x3, y3) = _places(system_scatter(column, result).drawing)
    assert x2 - x1 == pytest.approx((x3 - x1) / 4, abs=0.1)
    assert y2 - y1 == pytest.approx((y3 - y1) / 4, abs=0.1)


def test_whisker_is_the_interval_on_the_same_axis():
    column, result = _result([(0.0, 10.0, Interval(low=10, high=20)), (1.0, 20.0, None)])
    drawing = system_scatter(column, result).drawing
    (_, y1), (_, y2) = _places(drawing)
    low, high = map(float, re.search(r'class="whisker" d="M[\d.]+ ([\d.]+)V([\d.]+)"', drawing).groups())
    assert (low, high) == (y1, y2)


def test_each_point_says_its_system_and_both_scores():
    column, result = _result([(-2.5, 31.44, Interval(low=30, high=33)), (1.0, 20.0, None)])
    assert "<title>system-01: 31.4 (30.0–33.0), people −2.5</title>" in system_scatter(column, result).drawing


def test_systems_without_one_of_the_scores_are_left_out():
    column, result = _result([(1.0, 20.0, None), (None, 30.0, None), (2.0, None, None)])
    assert system_scatter(column, result).pairs == 1
    assert document_scatter(column, result).pairs == 1, "one of one document"


def test_no_pair_gives_no_drawing():
    column, result = _result([(None, 30.0, None)])
    assert system_scatter(column, result).drawing == ""
    assert document_scatter(column, result).drawing == ""


def test_equal_scores_stand_in_the_middle():
    column, result = _result([(1.0, 20.0, None), (1.0, 20.0, None)])
    places = _places(system_scatter(column, result).drawing)
    assert len(set(places)) == 1
    assert 150 < places[0][0] < 170


@pytest.mark.parametrize("systems", [5, 26])
def test_names_cover_neither_each_other_nor_points(systems):
    result = make(systems, extras=EXTRAS)
    for column in result.columns:
        made = system_scatter(column, result)
        labels = re.findall(r'</circle><text x="(-?[\d.]+)" y="([\d.]+)">([^<]*)<', made.drawing)
        assert len(labels) == systems - made.unlabelled
        assert len(labels) >= systems / 2
        boxes = [(float(x), float(y) - 8.5, float(x) + 5.9 * len(name), float(y) + 2.5) for x, y, name in labels]
        names = [name for _, _, name in labels]
        for index, one in enumerate(boxes):
            assert all(
                one[2] <= other[0] + 0.2
                or other[2] <= one[0] + 0.2
                or one[3] <= other[1] + 0.2
                or other[3] <= one[1] + 0.2
                for other in boxes[index + 1 :]
            )
            if names[index] == result.settings.baseline:
                continue
            assert not any(one[0] < x < one[2] and one[1] < y < one[3] for x, y in _places(made.drawing))


def test_baseline_always_has_its_name():
    result = make(26, extras=EXTRAS)
    for column in result.columns:
        assert f">{result.settings.baseline}</text>" in system_scatter(column, result).drawing


def test_long_name_is_cut_on_the_drawing_and_whole_in_its_title():
    name = "a-system-with-a-very-long-name-indeed"
    column, result = _result([(1.0, 20.0, None), (2.0, 30.0, None)], names=[name, "b"])
    drawing = system_scatter(column, result).drawing
    assert f"<title>{name}: " in drawing
    assert f">{name[:17]}…<" in drawing


def test_documents_of_a_system_are_one_path_with_a_point_each():
    result = make(4, documents=30, extras=EXTRAS)
    column = next(column for column in result.columns if column.name == "BLEU")
    made = document_scatter(column, result)
    expected = 0
    for human in result.human.scores:
        scores = result.score("BLEU", human.system).documents
        expected += sum(a is not None and b is not None for a, b in zip(scores, human.documents, strict=True))
    assert made.pairs == expected == made.drawing.count("h0")
    assert made.drawing.count('<path class="cloud"') == 4
    assert made.drawing.count("<title>") == 4
