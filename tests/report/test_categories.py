"""Categories of a metric: out of the matrix, in a section and tables of their own, with what other figures have."""

import re

import pytest

from endophora.report import formats, matrix, order, render
from endophora.report.page import gauge

from .factory import CATEGORIES, HOSTILE, METRICS, PHENOMENA, make
from .test_page import Page

EXTRAS = ("categories",)


def _section(shown, name):
    return re.search(rf'<section id="{name}".*?</section>', shown, re.S)[0]


def test_categories_stand_beside_the_matrix_and_not_in_it():
    result = make(3, extras=EXTRAS)
    assert [column.name for column in matrix.columns(result)] == [*PHENOMENA, *METRICS, "BlonDe"]
    (group,) = matrix.categories(result)
    assert group.metric == "BlonDe"
    assert [column.name for column in group.columns] == list(CATEGORIES)
    assert [row.system for row in group.rows] == result.corpus.systems
    assert all(
        cell.column is column for row in group.rows for cell, column in zip(row.cells, group.columns, strict=True)
    )
    shown = render(result, "html")
    assert "tense" not in _section(shown, "matrix")
    assert "tense" in _section(shown, "categories")


def test_heading_of_a_category_leaves_its_metric_out():
    (group,) = matrix.categories(make(1, extras=EXTRAS))
    assert [matrix.heading(column) for column in group.columns] == [
        "BlonD-d", "tense", "pronoun", "entity", "dm", "1-grams", "2-grams",
    ]  # fmt: skip


def test_without_categories_there_is_no_section():
    assert 'id="categories"' not in render(make(3), "html")
    assert 'href="#categories"' not in render(make(3), "html")


@pytest.mark.parametrize("systems", [2, 5, 26])
def test_each_category_has_a_bar_and_a_mark_for_each_system(systems):
    result = make(systems, extras=EXTRAS)
    section = _section(render(result, "html"), "categories")
    assert section.count('<svg class="gauge"') == systems * len(CATEGORIES)
    compared = [one for one in result.comparisons if one.column in CATEGORIES and one.significant]
    worse = sum(one.difference < 0 for one in compared)
    assert section.count('aria-label="significantly worse"') == 2 * worse, "with the bar, and in the one table"
    for name in CATEGORIES:
        for system in result.corpus.systems:
            score = result.score(name, system)
            assert f"<title>{system} {score.value:.1f} ({score.interval.low:.1f}–{score.interval.high:.1f})" in section


def test_one_system_has_one_table_with_a_row_a_category():
    section = _section(render(make(1, extras=EXTRAS), "html"), "categories")
    assert section.count('<table class="gauges">') == 1
    assert re.findall(r'<th scope="row"[^>]*><bdi>([^<]*)<', section)[:2] == ["BlonD-d", "tense"]
    assert section.count("<details") == 1, "the section is folded; nothing in it is"


def test_bars_begin_at_zero_and_are_as_long_as_the_figure_on_one_scale():
    result = make(3, extras=EXTRAS)
    section = _section(render(result, "html"), "categories")
    edge = float(re.search(r"bars end at (\d+)", section)[1])
    ranked = [row.system for row in order.ranked(result)]
    assert ranked != result.corpus.systems
    scores = [result.score(name, system) for name in CATEGORIES for system in ranked]
    assert edge - 10 < max(score.interval.high for score in scores) <= edge
    lengths = [float(length) for length in re.findall(r'<rect y="2" width="([\d.]+)"', section)]
    assert lengths == [pytest.approx(100 * score.value / edge, abs=0.06) for score in scores]


def test_whisker_runs_from_the_low_to_the_high_end_of_the_interval():
    cell = matrix.categories(make(2, extras=EXTRAS))[0].rows[0].cells[0]
    low, high = cell.score.interval.low, cell.score.interval.high
    assert f"M{low:.1f} 6H{high:.1f}" in gauge(cell, 100)


def test_null_has_a_dash_and_no_bar():
    result = make(3, extras=EXTRAS)
    scores = [
        one.model_copy(update={"value": None, "interval": None})
        if one.column == "BlonDe dm" and one.system != "system-03"
        else one
        for one in result.scores
    ]
    result = result.model_copy(update={"scores": scores, "comparisons": []})
    section = _section(render(result, "html"), "categories")
    assert section.count('<svg class="gauge"') == 3 * len(CATEGORIES) - 2
    assert section.count('<td class="num">–') == 2
    assert re.search(r"^dm +– +–", formats.text(result, 120), re.M)


def test_a_category_without_any_figure_is_left_out():
    result = make(3, extras=EXTRAS)
    scores = [
        one.model_copy(update={"value": None, "interval": None}) if one.column == "BlonDe dm" else one
        for one in result.scores
    ]
    result = result.model_copy(update={"scores": scores, "comparisons": []})
    section = _section(render(result, "html"), "categories")
    assert section.count('<svg class="gauge"') == 3 * (len(CATEGORIES) - 1)
    assert not re.search(r"^dm", formats.text(result, 120), re.M)


@pytest.mark.parametrize("systems", [1, 3])
def test_a_category_of_judged_words_has_their_number(systems):
    result = make(systems, extras=EXTRAS)
    columns = [
        one.model_copy(update={"occurrences": 45, "enough": False}) if one.name == "BlonDe dm" else one
        for one in result.columns
    ]
    section = _section(render(result.model_copy(update={"columns": columns}), "html"), "categories")
    assert "n = 45, too few" in section


def test_hostile_names_are_text_in_bars_and_titles():
    result = make(len(HOSTILE), documents=12, hostile=True, extras=EXTRAS)
    page = Page(_section(render(result, "html"), "categories"))
    assert not {"script", "img"} & {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") or name == "style" for _, attributes in page.elements for name in attributes)
    assert not set("\x1b\x07\u202e\u2066") & set("".join(page.texts))
    assert HOSTILE[0] in "".join(page.texts)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("systems", [1, 3, 26])
def test_terminal_has_a_table_of_categories_that_fits(systems, width):
    shown = formats.text(make(systems, extras=EXTRAS), width)
    assert max(map(len, shown.splitlines())) <= width
    table = shown[shown.index("BlonDe by category") : shown.index("phenomenon  ")]
    assert all(name in table for name in ("BlonD-d", "tense", "pronoun", "1-grams"))
    assert "…" not in table


def test_three_systems_keep_their_names_on_a_narrow_terminal():
    shown = formats.text(make(3), 60)
    assert all(f"system-0{number}" in shown for number in (1, 2, 3))


def test_latex_has_a_table_of_its_own_for_the_categories():
    result = make(4, extras=EXTRAS)
    main, categories = render(result, "latex").split(r"\end{table}")[:2]
    assert "tense" not in main
    assert r"\caption{BlonDe by category" in categories
    assert r"\label{tab:endophora-categories-1}" in categories
    body = categories.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    for line, system in zip(body, result.corpus.systems, strict=True):
        cells = line.removesuffix(r" \\").split(" & ")
        assert len(cells) == 1 + len(CATEGORIES)
        assert f"{result.score('BlonDe tense', system).value:.1f}" in cells[2]
