"""Metrics of another distribution are found by their entry points, and score like our own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from endophora import metrics
from endophora.errors import InputError
from endophora.languages import load_language
from endophora.metrics import DOCUMENT_METRICS, METRICS, load_document_metric, load_metric, reads_annotations
from endophora.metrics.records import DocumentMetric, Reading, TextMetric
from endophora.statistics.significance import bootstrap
from endophora.statistics.units import choose_units

DOCS = Path(__file__).resolve().parents[2] / "docs" / "own-metric.md"

DOCUMENT_METRIC = '''
"""Distinct words per word of a document."""

import numpy as np


class Variety:
    name, higher_is_better, maximum, level = "Variety", True, 1.0, "document"
    columns, parts = ("types", "tokens"), ("Variety",)

    def signature(self, *, references=1, short=False):
        return "version:0"

    def statistics(self, hypotheses, references, documents=None):
        words = [[] for _ in range(max(documents) + 1)]
        for reading, document in zip(hypotheses, documents, strict=True):
            words[document] += reading.tokens
        return np.array([(len(set(each)), len(each)) for each in words], dtype=float)

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]

    def figures(self, sums):
        return self.score(sums)[..., np.newaxis]

    def precision_and_recall(self, sums):
        return None


def make(rules, argument):
    return Variety()
'''


def _example() -> str:
    """Return the code of the documentation's example of a metric of one's own."""
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    [block] = [block for block in blocks if "class LengthRatio" in block]
    return block


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution with a metric of texts, one of annotated texts, and something that is no metric."""
    (tmp_path / "outside_texts.py").write_text(_example(), encoding="utf-8")
    (tmp_path / "outside_documents.py").write_text(DOCUMENT_METRIC, encoding="utf-8")
    info = tmp_path / "outside_metrics-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-metrics\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[endophora.metric]\nlength-ratio = outside_texts:LengthRatio\nlevel-of-noise = outside_documents:__doc__\n"
        "[endophora.document_metric]\nvariety = outside_documents:make\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for registry, names in ((METRICS, ("length-ratio",)), (DOCUMENT_METRICS, ("variety",))):
        for name in names:
            registry._entries.pop(name, None)
    for module in ("outside_texts", "outside_documents"):
        sys.modules.pop(module, None)
    metrics._metric.cache_clear()


@pytest.mark.usefixtures("outside")
def test_plug_in_metric_of_texts_is_found_and_scores():
    assert "length-ratio" in METRICS
    assert not reads_annotations("length-ratio")
    metric = load_metric("length-ratio", "de")
    assert isinstance(metric, TextMetric)
    counts = metric.statistics(["ein Haus", "da"], [["ein Haus am See", "da"]])
    assert metric.score(counts.sum(axis=0)) == pytest.approx(3 / 5)
    with pytest.raises(InputError, match="E078"):
        load_metric("length-ratio:x", "de")


@pytest.mark.usefixtures("outside")
def test_plug_in_metric_is_resampled_like_any_other():
    metric = load_metric("length-ratio", "de")
    systems = [["ein Haus", "da"], ["ein Haus am See", "da ja"]]
    counts = np.stack([metric.statistics(output, [["ein Haus am See", "da"]]) for output in systems])
    result = bootstrap(counts, metric.score, choose_units(["a", "b"]))
    np.testing.assert_allclose(result.scores, [3 / 5, 6 / 5])


@pytest.mark.usefixtures("outside")
def test_plug_in_metric_of_annotated_texts_is_found_and_scores():
    assert reads_annotations("variety")
    metric = load_document_metric("variety", load_language("de"))
    assert isinstance(metric, DocumentMetric)
    readings = [Reading("a b", ("a", "b")), Reading("a", ("a",))]
    assert metric.score(metric.statistics(readings, [], [0, 0])[0]) == pytest.approx(2 / 3)


@pytest.mark.usefixtures("outside")
def test_plug_in_that_is_no_metric_is_an_error():
    with pytest.raises(InputError, match="E091"):
        load_metric("level-of-noise", "de")


def test_plug_in_that_is_not_installed_is_unknown():
    with pytest.raises(InputError, match="E090"):
        load_metric("length-ratio", "de")
