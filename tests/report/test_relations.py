"""Metrics beside each other and beside people: every coefficient where it belongs, in all formats."""

import csv
import io
import re

import pytest

from endophora.evaluation.figures import paired_columns
from endophora.evaluation.result import Correlation
from endophora.report import formats, matrix, render

from .factory import CATEGORIES, EXTRAS, HOSTILE, METRICS, PHENOMENA, make
from .test_page import Page


def _section(shown, name):
    return re.search(rf'<section id="{name}".*?</section>', shown, re.S)[0]


def _spelled(value):
    return f"{value:.2f}".replace("-", "−")


def test_matrix_is_symmetric_and_empty_on_its_diagonal():
    found = matrix.correlated(make(3, extras=EXTRAS))
    for place, line in enumerate(found):
        assert line[place].value == ""
        assert [cell.value for cell in line] == [other[place].value for other in found]


def test_matrix_holds_the_coefficients_of_the_result():
    result = make(3, extras=EXTRAS)
    found = {(cell.first.name, cell.second.name): cell for line in matrix.correlated(result) for cell in line}
    assert len(found) == len(result.columns) ** 2
    for one in result.correlations:
        for pair in ((one.first, one.second), (one.second, one.first)):
            assert found[pair].correlation == one


def test_matrix_without_categories_has_phenomena_and_whole_metrics():
    found = matrix.correlated(make(3, extras=EXTRAS), categories=False)
    assert len(found) == len(found[0]) == 5 + len(METRICS) + 1
    assert not any(cell.first.kind == "category" for line in found for cell in line)


def test_a_column_without_any_coefficient_has_no_row():
    result = make(3, extras=EXTRAS)
    few = [
        one.model_copy(update={"pearson": None, "pairs": 7}) if "ellipsis" in (one.first, one.second) else one
        for one in result.correlations
    ]
    found = matrix.correlated(result.model_copy(update={"correlations": few}))
    names = {cell.first.name for line in found for cell in line}
    assert names == {column.name for column in result.columns} - {"ellipsis"}


@pytest.mark.parametrize(
    ("value", "shown", "strength"),
    [(0.874, "0.87", 9), (-0.31, "−0.31", -3), (-0.001, "0.00", 0), (1.0, "1.00", 10), (None, "–", None)],
)
def test_coefficient_is_shown_with_two_decimals_and_a_true_minus(value, shown, strength):
    first, second = make(1).columns[:2]
    one = Correlation(first=first.name, second=second.name, pearson=value, pairs=9)
    cell = matrix.Related(first, second, one)
    assert (cell.value, cell.strength) == (shown, strength)


def test_heat_map_shows_each_value_and_colours_it_by_size_and_sign():
    result = make(4, extras=EXTRAS)
    section = _section(render(result, "html"), "correlations")
    cells = re.findall(r'<td class="r(\d+)( negative)?" title="([^"]*)">([^<]*)<', section)
    assert len(cells) == 2 * sum(one.pearson is not None for one in result.correlations)
    for strength, negative, _, value in cells:
        number = float(value.replace("−", "-"))
        assert abs(abs(number) - int(strength) / 10) <= 0.0551
        assert bool(negative) == (number < 0), value
    assert section.count(">–<") == 2
    assert re.search(r'title="BLEU and TER, \d+ pairs"', section)


def test_heat_map_says_which_columns_are_better_when_lower():
    assert re.search(r"agreement is negative: <bdi>TER</bdi>", render(make(3, extras=EXTRAS), "html"))


def test_result_without_correlations_or_people_has_no_such_sections():
    shown = render(make(3), "html")
    assert 'id="correlations"' not in shown
    assert 'id="people"' not in shown
    assert "Pearson" not in formats.text(make(3), 100) + render(make(3), "latex") + render(make(3), "csv")


def test_table_of_agreement_has_every_coefficient_with_its_interval():
    result = make(5, extras=EXTRAS)
    section = _section(render(result, "html"), "people")
    table = section[section.index("<table") : section.index("</table>")]
    for one in result.human.agreements:
        interval = f"{_spelled(one.interval.low)} to {_spelled(one.interval.high)}".replace("−0.00", "0.00")
        assert f">{_spelled(one.value)}<small>{interval}</small>".replace("−0.00", "0.00") in table
    assert table.count("<tr>") == 1 + len(result.columns)
    assert "lower is better" in section


def test_few_systems_have_dashes_for_coefficients_that_do_not_exist():
    assert "–" in _section(render(make(2, extras=EXTRAS), "html"), "people")


def test_captions_of_a_scatter_name_its_coefficients():
    result = make(5, extras=EXTRAS)
    card = _section(render(result, "html"), "people").split('<article class="card">')[1]
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", card, re.S)
    assert len(captions) == 2
    for level, caption in zip(("system", "document"), captions, strict=True):
        assert f"<b>{level}s</b>" in caption
        for one in result.human.agreements:
            if (one.column, one.level) == ("lexical_cohesion", level):
                assert f"{one.coefficient.capitalize()} {_spelled(one.value)} (" in caption


def test_scores_of_the_scatters_are_also_in_a_table():
    result = make(5, extras=EXTRAS)
    table = _section(render(result, "html"), "people").split("Human scores of the systems")[1]
    for score in result.human.scores:
        row = re.search(rf"<bdi>{score.system}</bdi></th>(.*?)</tr>", table, re.S)[1]
        assert f"<td>{score.value:.3g}</td>" in row
        assert f"<td>{result.score('BLEU', score.system).value:.1f}</td>" in row


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("systems", [1, 2, 5, 26])
def test_terminal_tables_fit_and_cut_nothing(systems, width):
    shown = formats.text(make(systems, extras=EXTRAS), width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown[shown.index("Pearson’s r") : shown.index("per 1,000")].rsplit("\n\n", 1)[0]


def test_terminal_shows_half_of_the_matrix_once():
    result = make(3, extras=EXTRAS)
    shown = formats.text(result, 200)
    table = shown[shown.index("Pearson’s r") : shown.index("Agreement with")]
    whole = [one for one in result.correlations if not {one.first, one.second} & set(CATEGORIES)]
    values = re.findall(r"−?\d\.\d\d", table)
    assert sorted(values) == sorted(_spelled(one.pearson) for one in whole if one.pearson is not None)


def test_terminal_shows_intervals_of_agreement_from_80_columns():
    result = make(5, extras=EXTRAS)
    one = next(one for one in result.human.agreements if (one.column, one.level) == ("BLEU", "system"))
    row = rf"BLEU +{_spelled(one.value)} +{_spelled(one.interval.low)} to {_spelled(one.interval.high)}"
    assert re.search(row, formats.text(result, 80))
    assert re.search(rf"BLEU +{_spelled(one.value)} ", formats.text(result, 60))
    assert re.search(r"^  tense ", formats.text(result, 80), re.M), "categories stand under their metric"


def test_latex_tables_of_relations_have_the_figures_and_stay_in_shape():
    result = make(len(HOSTILE), documents=12, hostile=True, extras=EXTRAS)
    shown = render(result, "latex")
    assert r"\input" not in shown
    assert shown.count("{") == shown.count("}")
    assert "<script" not in shown
    assert "−" not in shown
    for level in ("system", "document", "segment"):
        table = shown.split(rf"\label{{tab:endophora-agreement-{level}}}")[0].split(r"\begin{table}")[-1]
        body = table.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        assert len(body) == len(result.columns)
        assert {line.count(" & ") for line in body} == {7}
    assert r"\label{tab:endophora-correlations}" in shown


def test_csv_has_rows_for_categories_correlations_human_scores_and_agreement():
    result = make(4, extras=EXTRAS)
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in {row["kind"] for row in rows}}
    assert len(by_kind["category"]) == 4 * len(CATEGORIES)
    pairs = {(row["column"], row["against"]): row for row in by_kind["correlation"]}
    assert len(pairs) == len(result.correlations)
    for one in result.correlations:
        row = pairs[one.first, one.second]
        assert row["value"] == ("" if one.pearson is None else str(one.pearson))
        assert (row["coefficient"], row["pairs"], row["system"]) == ("pearson", str(one.pairs), "")
    assert {row["system"]: float(row["value"]) for row in by_kind["human"]} == {
        one.system: one.value for one in result.human.scores
    }
    agreed = {(row["column"], row["level"], row["coefficient"]): row for row in by_kind["agreement"]}
    for one in result.human.agreements:
        row = agreed[one.column, one.level, one.coefficient]
        assert (float(row["value"]), float(row["low"])) == (one.value, one.interval.low)
        assert row["against"] == "mqm"


def test_csv_without_relations_has_no_columns_for_them():
    assert "coefficient" not in render(make(3), "csv").splitlines()[0]


def test_hostile_names_are_text_in_all_sections():
    result = make(len(HOSTILE) + 1, documents=12, hostile=True, extras=EXTRAS)
    shown = render(result, "html")
    page, harmless = Page(shown), Page(render(make(len(HOSTILE) + 1, documents=12, extras=EXTRAS), "html"))
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in harmless.elements}
    assert not any(name.startswith("on") or name == "style" for _, attributes in page.elements for name in attributes)
    assert not set("\x1b\x07\u202e\u2066") & set("".join(page.texts))
    assert page.open == []
    assert HOSTILE[1] in "".join(page.texts)


def test_every_drawing_is_named_and_every_table_has_a_caption():
    page = Page(render(make(5, extras=EXTRAS), "html"))
    for drawing in page.all("svg"):
        assert drawing.get("aria-label") or drawing.get("role") == "presentation" or drawing.get("aria-hidden")
    assert len(page.all("table")) == len(page.all("caption"))
    scrolled = [attributes for _, attributes in page.elements if "scroll" in attributes.get("class", "").split()]
    assert all(one["tabindex"] == "0" and one["aria-label"] for one in scrolled), "scrolled with the keyboard"


def test_page_of_26_systems_and_100_documents_stays_small():
    full = render(make(26, documents=100, examples=0, extras=EXTRAS), "html")
    bare = render(make(26, documents=100, examples=0, extras=("categories",)), "html")
    assert len(full.encode()) - len(bare.encode()) < 1_500_000, "correlations and people"
    assert len(bare.encode()) < 1_000_000


def test_page_shows_the_paired_t_of_neighbours_by_human_scores():
    result = make(3, extras=EXTRAS)
    order = [result.corpus.systems[place] for place in (2, 0, 1)]
    tests = paired_columns(result.columns, result.scores, order, 0.95)
    shown = _section(render(result.model_copy(update={"paired": tests}), "html"), "people")
    rows = matrix.paired(result.model_copy(update={"paired": tests}))
    assert [row[:2] for row in rows] == [(order[0], order[1]), (order[1], order[2])]
    assert [one.column for one in rows[0][2]] == [*PHENOMENA, *METRICS, "BlonDe"]
    assert f"<td>{_spelled(rows[1][2][0].statistic)}<small>{matrix.t_and_p(rows[1][2][0])[1]}</small></td>" in shown
    assert matrix.paired(result.model_copy(update={"paired": tests, "human": None})) == []
