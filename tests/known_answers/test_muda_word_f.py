"""The word F-measures that the published tools give for real tags on a Japanese reference and two systems."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from endophora.metrics.records import TaggedTokens
from endophora.metrics.word_f import OTHER, WordF


def read_tagged(text: Path, tags: Path) -> list[TaggedTokens]:
    """Read tokens and their ``+``-joined tags; ``other`` stands for none."""
    with gzip.open(text, "rt", encoding="utf-8") as words, gzip.open(tags, "rt", encoding="utf-8") as labels:
        return [
            TaggedTokens(
                tuple(line.split()),
                tuple(frozenset(label.split("+")) - {OTHER} for label in labelled.split()),
            )
            for line, labelled in zip(words, labels, strict=True)
        ]


@pytest.fixture(scope="module")
def known(shared: Path) -> dict:
    return json.loads((shared / "known-answers/muda/multited_expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tagged(shared: Path) -> dict[str, list[TaggedTokens]]:
    folder = shared / "known-answers/muda"
    return {
        name: read_tagged(folder / f"multited.{name}.jpn.gz", folder / f"multited.{name}.jpn.tag.gz")
        for name in ("ref", "sys1", "sys2")
    }


@pytest.mark.parametrize("system", ["sys1", "sys2"])
def test_paper_variant_gives_the_figures_of_compare_mt(system: str, known: dict, tagged: dict) -> None:
    expected = known["compare_mt_multilabel_fmeas"][system]
    metric = WordF(tuple(expected))
    sums = metric.statistics(tagged[system], tagged["ref"]).sum(axis=0)
    assert dict(zip(metric.tags, metric.score(sums).round(4).tolist(), strict=True)) == expected


@pytest.mark.parametrize("system", ["sys1", "sys2"])
def test_muda_variant_gives_the_precision_recall_and_f_of_the_published_tagger(
    system: str, known: dict, tagged: dict
) -> None:
    expected = known["muda"][system]
    metric = WordF(tuple(expected), variant="muda")
    sums = metric.statistics(tagged[system], tagged["ref"]).sum(axis=0)
    for tag, *found in zip(metric.tags, metric.precision(sums), metric.recall(sums), metric.score(sums), strict=True):
        assert found == pytest.approx(expected[tag], abs=1e-12), tag


def test_the_two_variants_differ_on_the_same_tags(tagged: dict) -> None:
    sums = [
        metric.score(metric.statistics(tagged["sys1"], tagged["ref"]).sum(axis=0))
        for metric in (WordF(("lexical",)), WordF(("lexical",), variant="muda"))
    ]
    assert [round(float(value[0]), 4) for value in sums] == [0.3708, 0.1359]
