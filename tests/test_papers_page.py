"""docs/papers.md is what its script writes of its rows and of the figures of the runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("papers", ROOT / "benchmarks" / "papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(papers: ModuleType) -> None:
    assert papers.page() == papers.PAGE.read_text("utf-8"), "run python benchmarks/papers.py"


def test_every_row_with_a_run_has_its_figure(papers: ModuleType) -> None:
    given, kept = papers.rows(), papers.figures()["figures"]
    wanted = {(row["run"], row["pick"]) for paper in given["papers"] for row in paper["rows"] if "run" in row}
    assert wanted == {(name, place) for name, found in kept.items() for place in found}
    assert set(given["commands"]) == {name for name, _ in wanted}


def test_a_figure_that_differs_needs_a_reason(papers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"of": "Table 1", "published": "2.0", "ours": "3.0"}
    monkeypatch.setattr(
        papers, "rows", lambda: {"intro": "x", "commands": {}, "papers": [{"title": "t", "rows": [row]}]}
    )
    with pytest.raises(SystemExit, match=r"3\.0 for 2\.0, and no word why"):
        papers.page()


def test_places_in_results_are_figures_or_shares(papers: ModuleType) -> None:
    result = {"scores": [{"system": "a", "value": 3.5}, {"system": "b", "value": 1, "of": 4}]}
    assert papers.pick(result, "scores[system=a].value") == 3.5
    assert papers.pick(result, "scores[system=b].value/of") == 25.0
    with pytest.raises(SystemExit, match="2 entries"):
        papers.pick(result, "scores[].value")
