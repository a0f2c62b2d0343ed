"""CXMI in every format: the figures are there, and no text from data breaks out."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "context"))
from cxmi_example import measurement

from endophora.context.results import CxmiResult
from endophora.record import find
from endophora.report import REPORTS, render
from endophora.report.cxmi import pairs_of_sentences
from endophora.report.schema import schema_text
from endophora.report.table import number, p_number
from endophora.report.themes import shade

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def result() -> CxmiResult:
    return measurement(documents=8).result


@pytest.fixture(scope="module")
def hostile() -> CxmiResult:
    return measurement(documents=8, hostile=True).result


def test_drawn_figures_have_their_n(result: CxmiResult):
    shown = re.findall(r">([^<:]*\d \([^<]*\)[^<]*)</text>", result.plot().svg)
    assert shown
    assert [text for text in shown if not re.search(r"\), n = [\d,]+$", text)] == []


def test_text_has_the_tables_within_the_width(result: CxmiResult):
    text = render(result, width=80)
    assert max(map(len, text.splitlines())) <= 80
    # wir 0; sie kommen 2.5 + .125; geht .25; Sie -.5 + .25: over four sentences.
    row, read = [line.split() for line in text.splitlines() if line.startswith("both-2 ")]
    assert row[1] == number((2.625 + 0.25 - 0.25) / 4, 3)
    # All but the first of each document's four segments are given context, and read all of it.
    assert read[1:6] == ["24", "24", "0", "0", number((2.625 + 0.25 - 0.25) / 3, 3)]
    for shown in ("PRON.3", "pronouns", "no tag", "kommen", "sie [kommen]", "model:fake|context:both"):
        assert shown in text


def test_csv_is_one_row_a_figure(result: CxmiResult):
    rows = list(csv.DictReader(io.StringIO(REPORTS.get("csv")(result))))
    assert {row["kind"] for row in rows} == {"context", "cxmi", "cxmi-kept", "all", "tag", "label", "item", "token"}
    (found,) = [row for row in rows if (row["kind"], row["condition"], row["group"]) == ("label", "both-2", "PRON.3")]
    assert (found["count"], float(found["value"])) == ("8", 1.0)
    tagged = [row for row in rows if row["group"] == "with tag" and row["condition"] == "both-2"]
    assert float(tagged[0]["difference"]) == pytest.approx(tagged_difference(result))


def tagged_difference(result: CxmiResult) -> float:
    return (
        find(result.groups, condition="both-2", group="with tag").mean
        - find(result.groups, condition="both-2", group="no tag").mean
    )


def test_latex_has_a_row_a_group_and_a_column_a_context(result: CxmiResult):
    latex = REPORTS.get("latex")(result)
    assert r" & both-1 & both-2 \\" in latex
    assert r"PRON.3 & \textbf{1.000} & \textbf{1.000} \\" in latex
    assert latex.count(r"\begin{tabular}") == 1


def test_the_published_schema_is_that_of_the_result(result: CxmiResult, hostile: CxmiResult):
    assert (DOCS / "cxmi.schema.json").read_text("utf-8") == schema_text("cxmi")
    for each in (result, hostile):
        jsonschema.validate(json.loads(REPORTS.get("json")(each)), json.loads(schema_text("cxmi")))


@pytest.mark.parametrize("name", ["text", "markdown", "csv", "latex", "html"])
def test_no_control_character_of_the_data_comes_through(hostile: CxmiResult, name: str):
    shown = REPORTS.get(name)(hostile)
    if name == "csv":
        assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(shown)) for cell in row)
    else:
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_the_page_has_no_script_and_no_element_of_the_data(hostile: CxmiResult):
    tags: list[str] = []

    class Elements(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    page = REPORTS.get("html")(hostile)
    Elements().feed(page)
    assert not {"script", "img", "link"} & set(tags)


def test_figures_are_written_alike_everywhere():
    assert [number(value, 3) for value in (0.0404, -0.5, -0.0001)] == ["0.040", "−0.500", "0.000"]
    assert [p_number(value) for value in (0.0004, 0.04, 1.0)] == ["< 0.001", "0.040", "1.000"]
    assert pairs_of_sentences(["a", "b"], ["c"]) == [("a", ""), ("b", "c")]
    assert [shade(value) for value in (0.05, 0.1, 3.5, -0.4)] == ["", "p1", "p4", "n2"]
