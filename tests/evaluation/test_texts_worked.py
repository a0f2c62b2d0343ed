"""Statistics of text metrics: which jobs there are, which are new, and that they are computed once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from worked import SOURCE, TEXTS, corpus

from endophora.evaluation import texts as module
from endophora.evaluation.setup import Setup
from endophora.evaluation.texts import TextJob, kept, new_jobs, text_jobs, text_statistics
from endophora.metrics import load_metric
from endophora.store import Store


def test_texts_of_each_metric_and_system_are_a_job_with_all_references():
    jobs = text_jobs(corpus(2, references=("ref", "again")), ["bleu", "chrf"])
    assert [(job.metric, job.hypotheses) for job in jobs] == [
        (metric, TEXTS[system] * 2) for metric in ("bleu", "chrf") for system in ("good", "bad")
    ]
    assert {job.references for job in jobs} == {(TEXTS["ref"] * 2,) * 2}
    assert {job.documents for job in jobs} == {(0, 0, 1, 1)}
    assert {job.sources for job in jobs} == {SOURCE * 2}


def test_texts_whose_statistics_are_kept_are_no_new_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    jobs, setup = text_jobs(corpus(1), ["bleu"]), Setup("en", "de", store=tmp_path / "s.db")
    assert new_jobs(Setup("en", "de"), jobs) == []
    assert new_jobs(setup, jobs) == jobs
    first = text_statistics(setup, jobs[:1])
    assert new_jobs(setup, jobs) == jobs[1:]
    bleu = load_metric("bleu", "de")
    job = jobs[0]
    own = bleu.statistics(job.hypotheses, job.references, job.documents, sources=job.sources)
    assert np.array_equal(first[0], own)
    # What is kept is read, and not computed.
    monkeypatch.setattr(module, "do_job", None)
    assert np.array_equal(text_statistics(setup, jobs[:1])[0], own)
    assert new_jobs(Setup("en", "fr", store=tmp_path / "s.db"), jobs) == jobs


def test_texts_in_order_of_the_jobs_whether_a_metric_is_computed_here_or_by_others(monkeypatch: pytest.MonkeyPatch):
    jobs = [TextJob(name, (word,), (("a b",),), (0,), ("x",)) for name in ("bleu", "chrf") for word in ("a b", "c d e")]
    usual = text_statistics(Setup("en", "de"), jobs)
    monkeypatch.setattr(module, "_is_parallel", lambda metric, language: metric != "bleu")
    assert new_jobs(Setup("en", "de"), jobs) == []
    for one, other in zip(text_statistics(Setup("en", "de"), jobs), usual, strict=True):
        assert np.array_equal(one, other)


def test_texts_are_computed_where_nothing_is_kept_and_never_again():
    store, calls = Store(None), list[int]()

    def compute() -> np.ndarray:
        calls.append(1)
        return np.array([[1.5, 2.0]])

    for _ in range(2):
        assert kept(store, b"key", compute).tolist() == [[1.5, 2.0]]
    assert kept(store, b"other", compute).dtype == np.float64
    assert len(calls) == 2
