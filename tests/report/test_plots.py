"""Drawings of results: well-formed whatever the texts are, with the figures, order and colours of the page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from endophora.errors import InputError
from endophora.evaluation.comparing import compare_results
from endophora.evaluation.setup import EvaluationOptions
from endophora.record import number
from endophora.report import matrix, render
from endophora.report.notebook import _panels
from endophora.report.order import ranked
from endophora.report.table import Cell, Table, figures, names, visible
from endophora.suites.scoring import SuiteOptions, score_outputs

from .factory import EXTRAS, HOSTILE, make
from .test_compared_results import NEW, OLD, kept
from .test_every_result import scored, suite

SVG = "{http://www.w3.org/2000/svg}"


def texts(drawing: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def test_the_matrix_has_systems_by_rank_and_the_figures_of_the_page():
    result = make(5, extras=EXTRAS)
    shown = texts(result.plot().svg)
    rows = ranked(result)
    assert [text for text in shown if text in result.corpus.systems] == [row.system for row in rows]
    assert [text for text in shown if text in {matrix.heading(one) for one in matrix.columns(result)}] == [
        matrix.heading(one) for one in matrix.columns(result)
    ]
    figures = [re.sub(r" [▼▲]$", "", text) for text in shown if re.match(r"^[\d.]+( [▼▲])?$", text)]
    assert figures == [cell.value for row in rows for cell in row.cells if cell.number is not None]
    marks = sum(text.endswith(("▼", "▲")) for text in shown)
    assert marks == sum(cell.verdict in ("worse", "better") for row in rows for cell in row.cells)


def test_shades_have_the_colours_of_the_page():
    result = make(5)
    fills = re.findall(r'<rect x=[^>]* fill="([^"]+)"', result.plot().svg)
    colours = dict(re.findall(r"--(h\d): (#\w+)", render(result, "html").partition("prefers-color-scheme")[0]))
    cells = [cell for row in ranked(result) for cell in row.cells if cell.shade is not None]
    assert fills == [colours.get(f"h{cell.shade}", "none") for cell in cells]
    assert len(set(fills)) > 3


def test_a_dot_stands_where_its_figure_lies_between_zero_and_the_highest_end():
    result = make(3)
    root = ElementTree.fromstring(result.plot("intervals").svg)
    rows = ranked(result)
    first = next(at for at, column in enumerate(matrix.columns(result)) if column.enough)
    cells = [row.cells[first] for row in rows]
    most = max(cell.high or cell.number for cell in cells)
    dots = [float(circle.get("cx")) for circle in root.iter(f"{SVG}circle")][: len(cells)]
    assert dots == pytest.approx([6 + 228 * cell.number / most for cell in cells], abs=0.06)


@pytest.mark.parametrize("kind", ["matrix", "intervals"])
def test_texts_of_data_break_nothing(kind: str):
    result = make(len(HOSTILE) + 1, hostile=True)
    drawing = result.plot(kind).svg
    shown = texts(drawing)
    assert "<script" not in drawing
    assert {visible(name)[:30] for name in result.corpus.systems} <= {text[:30] for text in shown}


def test_a_table_of_another_study_is_drawn_with_its_rows_and_intervals():
    root = ElementTree.fromstring(scored().plot().svg)
    shown = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert {"accuracy: right", "accuracy: always it"} <= set(shown)
    assert "all" in shown
    assert "100.0 (100.0–100.0), n = 12" in shown
    assert len(list(root.iter(f"{SVG}circle"))) == sum("(" in text and "–" in text for text in shown)


def test_rows_of_a_comparison_have_one_interval_and_their_n():
    options = EvaluationOptions(resamples=500)
    result = compare_results(kept(OLD), kept(NEW), options=options)
    (change,) = result.changes
    shown = texts(result.plot().svg)
    assert "pronouns" in shown
    (figure,) = (text for text in shown if "(" in text and "n = " in text)
    assert figure.startswith(number(100 * change.difference, sign=True))
    assert figure.endswith(", n = 64")


def test_each_figure_has_the_n_nearest_to_it():
    heads = [*names("system"), *figures("one", "n", "other", "n")]
    cells = [Cell(number=value, low=0, high=9) for value in (1, 2)]
    panels = _panels(Table(heads, [["a", cells[0], "5", cells[1], "6"]]), "")
    assert [panel.rows[0][2] for panel in panels] == ["n = 5", "n = 6"]


def test_a_result_without_intervals_is_no_empty_drawing():
    outputs = {"a": ["It came."] * 12}
    bare = score_outputs(suite(), outputs, SuiteOptions(resamples=0))
    with pytest.raises(InputError, match="E090"):
        bare.plot()


def test_a_notebook_shows_it_and_a_file_holds_it(tmp_path: Path):
    drawing = make(2).plot()
    drawing.write(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text("utf-8") == f"{drawing._repr_svg_()}\n"


def test_a_kind_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="E090"):
        make(2).plot("matrx")
    with pytest.raises(TypeError, match="intervals"):
        scored().plot("matrix")
