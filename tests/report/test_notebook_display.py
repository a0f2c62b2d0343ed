"""What a notebook and libraries of tables are given of a result, and what names that do not exist are answered with."""

from __future__ import annotations

import csv
import html
import io
import re
from importlib.util import find_spec

import pyarrow as pa
import pytest

from endophora.errors import MissingModelError
from endophora.report import notebook, render

from .factory import EXTRAS, make


def test_the_page_is_whole_in_a_frame_that_reaches_nothing():
    result = make(3, hostile=True)
    shown = result._repr_html_()
    [frame] = re.findall(r"<iframe ([^>]*)>", shown)
    sandbox, page = (re.findall(rf'{name}="(.*?)"', frame, re.S)[0] for name in ("sandbox", "srcdoc"))
    assert "allow-scripts" in sandbox.split()
    assert "allow-same-origin" not in sandbox
    assert html.unescape(page) == render(result, "html")
    outside = shown.replace(frame, "")
    assert "<script" not in outside
    assert "<img" not in outside
    assert "<table" in outside


def test_a_page_that_is_too_large_is_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "MOST_BYTES", 10)
    shown = make(2)._repr_html_()
    assert "<iframe" not in shown
    assert "endophora.write_report" in shown


def test_a_result_in_a_line_says_how_much_is_in_it():
    result = make(2)
    assert repr(result).startswith(f"<Result: columns {len(result.columns)}, phenomena {len(result.phenomena)}, ")
    assert len(repr(result)) < 300
    assert str(result) == repr(result)


@pytest.mark.parametrize("result", [make(3, extras=EXTRAS), make(0)], ids=["systems", "tagging"])
def test_frames_have_the_rows_of_csv_without_correlations(result):
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    scores = [row for row in rows if row.get("kind") not in ("correlation", "human", "agreement")]
    frame, table = result.to_pandas(), pa.table(result)
    assert len(frame) == table.num_rows == len(scores)
    assert list(frame.columns) == table.column_names
    name = "value" if "value" in frame else "count"
    assert table.column(name).to_pylist() == [float(row[name]) if row[name] else None for row in scores]


def test_a_library_that_is_missing_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "find_spec", lambda _: None)
    for make_table, name in ((make(1).to_pandas, "pandas"), (make(1).to_polars, "polars")):
        with pytest.raises(MissingModelError, match=rf"E150.*pip install {name}"):
            make_table()


@pytest.mark.skipif(find_spec("polars") is None, reason="polars is not installed")
def test_polars_has_the_same_rows_by_its_own_way_and_by_arrow():
    import polars as pl  # pyright: ignore[reportMissingImports]

    result = make(2)
    assert result.to_polars().shape == pl.DataFrame(result).shape == result.to_pandas().shape


def test_a_name_that_is_none_is_answered_with_the_nearest():
    result = make(2)
    column, system = result.columns[0].name, result.corpus.systems[0]
    with pytest.raises(KeyError, match=f"did you mean column '{column}'"):
        result.score(column[:-1] + "x", system)
    with pytest.raises(KeyError, match="system is one of system-01, system-02"):
        result.score(column, "nobody")
