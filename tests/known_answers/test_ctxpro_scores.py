"""Table 6 of Wicks & Post (2023): DeepL's outputs with and without context, scored as published."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from endophora.suites.formats import read_suite
from endophora.suites.outputs import read_outputs
from endophora.suites.scoring import SuiteOptions, score_outputs


def expected(folder: Path) -> list[tuple[str, str, int, float]]:
    text = (folder / "expected_scores.txt").read_text("utf-8")
    rows = re.findall(r"^(\S+) (\S+) n=(\d+) score=(\S+)$", text, re.M)
    return [(suite, system, int(count), float(score)) for suite, system, count, score in rows]


@pytest.mark.parametrize("matching", ["auto", "ascii"])
def test_the_published_scores_are_reproduced(shared: Path, matching: str) -> None:
    folder = shared / "known-answers" / "ctxpro"
    rows = expected(folder)
    assert len(rows) == 4
    for name, system, count, score in rows:
        suite = read_suite(folder / f"{name}.json.gz")
        outputs = read_outputs(suite, {system: folder / f"deepl.{name}.{system}"})
        result = score_outputs(suite, outputs, SuiteOptions(matching=matching, resamples=0))
        found = result.score(system)
        assert (found.counted, round(found.value or 0, 1)) == (count, score), (name, system)


def test_the_hits_are_those_of_the_published_tool(shared: Path) -> None:
    """Counted with the published tool and its sentence splitter on the same files."""
    folder = shared / "known-answers" / "ctxpro"
    hits = {
        ("auxiliary.opensubtitles.en-de.test", "sentences"): 249,
        ("auxiliary.opensubtitles.en-de.test", "contexts"): 1272,
        ("mini.animacy.opensubtitles.pl-en.test", "sentences"): 1450,
        ("mini.animacy.opensubtitles.pl-en.test", "contexts"): 1775,
    }
    for (name, system), count in hits.items():
        suite = read_suite(folder / f"{name}.json.gz")
        outputs = read_outputs(suite, {system: folder / f"deepl.{name}.{system}"})
        assert score_outputs(suite, outputs, SuiteOptions(resamples=0)).score(system).correct == count
