"""Every result renders in every format, found by its type; figures of suites are in all of them."""

from __future__ import annotations

import csv
import io
import json
import re
from importlib import import_module

import pytest
from pydantic import BaseModel

from endophora.report import REPORTS, formats, render
from endophora.report.static_page import html_of
from endophora.report.table import Table, names
from endophora.suites import Item, Suite
from endophora.suites.describe import describe_suite
from endophora.suites.scoring import SuiteOptions, score_outputs

from .factory import HOSTILE, make


def suite() -> Suite:
    """Twelve documents of one item; *she* and *it* in turn are what needs context."""
    items = [
        Item(str(at), str(at), 0, "Sie kam.", f"{form.capitalize()} came.", "pronouns", form, expected=(form,))
        for at, form in enumerate(["she", "it"] * 6)
    ]
    return Suite("toy", "de", "en", tuple(items))


def scored(names: tuple[str, str] = ("right", "always it")) -> BaseModel:
    outputs = {names[0]: [item.reference for item in suite().items], names[1]: ["It came."] * 12}
    return score_outputs(suite(), outputs, SuiteOptions(resamples=200))


@pytest.mark.parametrize("format", ["text", "markdown", "json", "csv", "latex", "html"])
@pytest.mark.parametrize("result", [make(2), scored(), describe_suite(suite())], ids=lambda one: type(one).__name__)
def test_every_format_shows_the_result(result: BaseModel, format: str):
    shown = render(result, format)
    assert shown == REPORTS.get(format)(result)
    assert shown.endswith(("\n", ">"))
    assert ("pronouns" if type(result).__name__ == "Result" else "it") in shown


def test_all_classes_of_results_have_a_module_that_shows_them():
    for module in formats.VIEWS.values():
        for name in ("sections", "papers", "rows", "page"):
            assert callable(getattr(import_module(f"endophora.report.{module}"), name))


def test_a_row_that_names_nothing_has_no_empty_head():
    page = html_of(Table(names("column", "context"), [["BLEU", "none"], ["", "correct"]]))
    assert re.findall(r'<tr><(th|td) (?:scope="row"|class="blank")', page) == ["th", "td"]
    assert not re.search(r"<th[^>]*>(?:<bdi>)?(?:</bdi>)?</th>", page)


def test_what_is_no_result_is_refused():
    class Result(BaseModel):
        """Of another package, with a name of ours."""

    with pytest.raises(TypeError, match="Result is no result"):
        render(Result())


def test_a_suite_has_its_figures_in_text_latex_and_page():
    result = scored()
    text = render(result, width=100)
    assert "100.0 [100.0, 100.0]" in text
    assert "50.0" in text
    assert "* differs from right: paired randomisation over documents, Holm, p ≤ 0.05" in text
    assert r"all & 12 & \textbf{100.0} & 50.0$^{\ast}$ \\" in render(result, "latex")
    assert "<small>100.0–100.0</small>" in render(result, "html")
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    assert [(row["system"], row["value"]) for row in rows if row["kind"] == "all"] == [
        ("right", "100.0"),
        ("always it", "50.0"),
    ]
    assert json.loads(render(result, "json"))["suite"]["name"] == "toy"


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_systems_are_no_markup_on_a_page_of_tables(name: str):
    page = render(scored((name, "other")), "html")
    assert "<script" not in page
    assert "<img" not in page
    assert not set("\x1b\x07\u202e\u2066") & set(page)
