"""COMET on a suite's segments, with a stand-in for its worker."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from suite_items import make_item, make_suite

from comet_folder import make_environment
from endophora.errors import InputError
from endophora.metrics import comet
from endophora.suites.scoring import SuiteOptions, score_outputs

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a first line")


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ENDOPHORA_COMET", str(make_environment(tmp_path)))
    yield
    for client, _ in comet._running.values():
        client.close()
    comet._running.clear()


@pytest.mark.usefixtures("worker")
def test_comet_reads_source_reference_and_the_segments_own_output() -> None:
    suite = make_suite(make_item(0, source="a b", reference="x y z"), make_item(1, source="a", reference="x"))
    outputs = ["context <eos> p q", "context <eos> p"]
    options = SuiteOptions(separator="<eos>", metrics=("comet:fake/model",), resamples=0)
    result = score_outputs(suite, {"s": outputs}, options)
    (name,) = result.metrics
    assert result.score("s", "metric", name).value == pytest.approx(((200 + 20 + 3) + (100 + 10 + 1)) / 2)


@pytest.mark.usefixtures("worker")
def test_a_metric_that_reads_the_segments_before_is_refused() -> None:
    """The items of a suite do not follow one another: the line before is no context."""
    suite = make_suite(make_item(0), make_item(1))
    with pytest.raises(InputError):
        score_outputs(suite, {"s": ["a", "b"]}, SuiteOptions(metrics=("doc-comet:fake/model",), resamples=0))
