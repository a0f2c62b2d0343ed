"""CSV: every figure once, read back as it was, and nothing a spreadsheet would run."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.report import render

from .factory import HOSTILE, make


def _rows(result):
    return list(csv.DictReader(io.StringIO(render(result, "csv"))))


def test_one_row_a_system_and_column_with_the_figures_of_the_result():
    result = make(3)
    rows = _rows(result)
    assert len(rows) == 3 * 9 == len({(row["system"], row["column"]) for row in rows})
    compared = {(one.system, one.column): one for one in result.comparisons}
    for row in rows:
        score = result.score(row["column"], row["system"])
        assert float(row["value"]) == score.value
        assert (float(row["low"]), float(row["high"])) == (score.interval.low, score.interval.high)
        assert {name: int(row[name]) for name in score.counts} == score.counts
        comparison = compared.get((row["system"], row["column"]))
        if comparison is None:
            assert row["baseline"] == row["p_value"] == row["significant"] == ""
        else:
            assert float(row["p_adjusted"]) == comparison.p_adjusted
            assert row["significant"] == str(comparison.significant).lower()


def test_null_is_an_empty_cell():
    assert {row["value"] for row in _rows(make(2, nulls=True)) if row["column"] == "ellipsis"} == {""}


def test_no_cell_starts_a_formula_and_names_can_be_told_apart():
    result = make(len(HOSTILE), documents=12, hostile=True)
    names = list(dict.fromkeys(row["system"] for row in _rows(result)))
    assert len(names) == len(HOSTILE)
    assert not any(name.startswith(("=", "+", "-", "@", "\t", "\r")) for name in names)
    assert '\'=HYPERLINK("http://x","y")' in names


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x00"), min_size=1))
def test_any_system_name_comes_back_or_gets_an_apostrophe(name):
    result = make(1, comparisons=False, examples=0)
    scores = [score.model_copy(update={"system": name}) for score in result.scores]
    corpus = result.corpus.model_copy(update={"systems": [name]})
    rows = _rows(result.model_copy(update={"scores": scores, "corpus": corpus}))
    assert {row["system"].removeprefix("'") for row in rows} == {name.removeprefix("'")}


@pytest.mark.parametrize("what", ["occurrences", "words"])
def test_tagging_without_systems_gives_counts(what):
    result = make(0)
    rows = [row for row in _rows(result) if row["name"] == what]
    assert {row["phenomenon"]: int(row["count"]) for row in rows} == {
        phenomenon.name: getattr(phenomenon, what) for phenomenon in result.phenomena
    }


def test_rules_and_distances_of_a_tagging_add_up():
    result = make(0)
    for phenomenon in result.phenomena:
        rows = [row for row in _rows(result) if row["phenomenon"] == phenomenon.name]
        assert sum(int(row["count"]) for row in rows if row["what"] == "rule") == phenomenon.occurrences
        distances = {int(row["name"]): int(row["count"]) for row in rows if row["what"] == "distance"}
        assert distances == phenomenon.distances
