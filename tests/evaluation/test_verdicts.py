"""From a corpus to the marks of the reports: which system is worse, and whether that is significant."""

from __future__ import annotations

from typing import Any

import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.result import Result
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions
from endophora.report import render
from endophora.report.matrix import rows, verdicts

REFERENCE = "The old bridge carries them home every single night"
NEAR = "The old bridge carries them home every single day"
FAR = "The new bridge takes them home each single day"
SYSTEMS = {"near": NEAR, "far": FAR, "same": REFERENCE}


def result(**options: Any) -> Result:
    """Six documents of one segment: with each of them better, p is 2/64 and the least there is."""
    segment = Segment("…", {"ref": REFERENCE}, SYSTEMS, Location("memory", 1))
    corpus = Corpus("sw", "en", tuple(Document(f"d{at}", (segment,)) for at in range(6)), ("ref",), tuple(SYSTEMS))
    setup = Setup("sw", "en", taggers=TaggerOptions(phenomena=()))
    return evaluate(corpus, setup, EvaluationOptions(metrics=("chrf", "ter"), **options)).result


def marks(found: Result) -> dict[tuple[str, str], str]:
    return {(row.system, cell.column.name): cell.verdict for row in rows(found) for cell in row.cells}


@pytest.mark.parametrize(("baseline", "near", "far", "same"), [
    ("best", "worse", "worse", ""),
    ("same", "worse", "worse", ""),
    ("near", "", "worse", "better"),
    ("far", "better", "", "better"),
])  # fmt: skip
def test_a_system_is_better_or_worse_than_the_baseline_whichever_way_the_metric_goes(
    baseline: str, near: str, far: str, same: str
):
    # Four hypotheses of text metrics, two systems in two columns: 2/64 × 4 = .125.
    found = marks(result(baseline=baseline, alpha=0.125))
    for system, verdict in (("near", near), ("far", far), ("same", same)):
        assert [mark for (name, _), mark in found.items() if name == system] == [verdict] * 2, system


def test_nothing_is_marked_above_the_level():
    assert set(marks(result(alpha=0.1249)).values()) == {""}


def test_legends_say_that_the_level_itself_is_significant():
    found = result(alpha=0.125)
    assert "p ≤ 0.125" in verdicts(found)
    assert "p ≤ 0.125" in render(found)
    assert r"p $\leq$ 0.125" in render(found, "latex")
