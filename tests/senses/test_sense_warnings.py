"""What users read of a build's clusters, and the coverage of several systems."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sense_suites import suite_of_bank

from endophora.report import REPORTS
from endophora.suites.senses import SenseOptions, score_sense_outputs
from endophora.suites.senses.build import _precision, doubt_precision
from endophora.suites.senses.clusters import ClusterScore

DOCS = Path(__file__).parents[2] / "docs" / "senses.md"


def test_the_precision_that_users_are_told_is_that_of_the_documentation() -> None:
    head, row = re.search(r"^(\| \| en–de .*)\n.*\n(\| precision .*)$", DOCS.read_text("utf-8"), re.MULTILINE).groups()
    cells = [[cell.strip() for cell in line.split("|")[2:8]] for line in (head, row)]
    found = {pair.replace("–", "-"): int(figure.split()[0]) for pair, figure in zip(*cells, strict=True)}
    assert len(found) == 6
    for name, precision in found.items():
        said = doubt_precision(name)
        assert len(said) == (precision < 67)
        assert not said or said[0].startswith(f"{precision} % of the clusters of senses are right for {name}")
        assert _precision(name, None).startswith(f"{precision} % by hand, of 50 words")


def test_a_gold_clustering_of_the_user_tells_how_many_clusters_are_right() -> None:
    assert _precision("de-en", ClusterScore(0.25, correct=3, inferred=4, gold=9)) == "75 % of 4 (--gold)"


def test_a_pair_that_was_not_measured_is_said() -> None:
    (said,) = doubt_precision("et-lv")
    assert "has not been measured for et-lv" in said


def test_coverage_is_averaged_over_systems() -> None:
    """As Table 8 of Raganato et al. (2019): the mean of each system's share of items with a word found."""
    suite = suite_of_bank(2)
    words = [item.expected[0] for item in suite.items]
    outputs = {"all": words, "half": [word if place % 2 else "x" for place, word in enumerate(words)]}
    result = score_sense_outputs(suite, outputs, SenseOptions(resamples=0), annotator=None)
    assert result.mean_coverage == pytest.approx({"coverage_forms": 75.0, "coverage": 75.0})
    assert "mean of 2 systems: 75.00 %" in " ".join(REPORTS.get("text")(result).split())
    alone = score_sense_outputs(suite, {"all": words}, SenseOptions(resamples=0), annotator=None)
    assert alone.mean_coverage == {}
