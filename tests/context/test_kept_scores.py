"""Scores are read from the store as they were written, and a model is asked once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cxmi_example import GAINS, document
from fake_scorer import FakeScorer
from hypothesis import given
from hypothesis import strategies as st

from endophora.context.context_read import KeptAnswers, decode_scores, encode_scores
from endophora.context.cxmi import CxmiOptions, measure_cxmi
from endophora.context.pointwise import ContextCondition, measure_pointwise
from endophora.context.samples import Material
from endophora.models.records import ModelInput, ScoredTarget, Sides
from endophora.store import Store

SAMPLES = document("a", ["wir", "sie kommen", "geht"])
CONDITIONS = [ContextCondition(Sides.BOTH, 1), ContextCondition(Sides.BOTH, 2)]

numbers = st.integers(0, 99)


@given(st.text(), st.lists(st.tuples(st.text(), numbers, numbers, st.floats(allow_nan=False))))
def test_scores_are_read_as_they_were_written(target, rows):
    pieces, starts, ends, values = zip(*rows, strict=True) if rows else ((), (), (), ())
    spans = tuple(zip(starts, ends, strict=True))
    read = decode_scores(target, encode_scores(ScoredTarget(target, pieces, spans, np.array(values, dtype=np.float64))))
    assert (read.target, read.pieces, read.spans) == (target, pieces, spans)
    assert read.logprobs.tolist() == list(values)


def test_a_second_run_asks_the_model_nothing_and_a_larger_one_only_what_is_new(tmp_path: Path):
    scorer = FakeScorer(GAINS)
    with Store(tmp_path / "store") as store:
        first = measure_pointwise(SAMPLES, CONDITIONS[:1], scorer, store)
        asked = len(scorer.asked)
    with Store(tmp_path / "store") as store:
        again = measure_pointwise(SAMPLES, CONDITIONS[:1], scorer, store)
        assert len(scorer.asked) == asked
        measure_pointwise(SAMPLES, CONDITIONS, scorer, store)
        assert [given for given, _ in scorer.asked[asked:]] == [CONDITIONS[1].cut(SAMPLES[2].whole)]
    assert [one.words.tolist() for one in first] == [one.words.tolist() for one in again]


def test_another_model_is_asked_for_itself():
    with Store() as store:
        one, other = FakeScorer(GAINS), FakeScorer()
        other.signature = "another"
        given = [ModelInput("a", ("b",))]
        (first,) = KeptAnswers(store).score(one, given, ["sie"])
        (second,) = KeptAnswers(store).score(other, given, ["sie"])
        assert first.total == pytest.approx(second.total + GAINS["sie"] + GAINS["</s>"])


def test_figures_do_not_depend_on_the_store():
    text = Material("documents", ("en", "de"), tuple(SAMPLES), (), "words")
    with Store() as store:
        kept = measure_cxmi(text, FakeScorer(GAINS), CxmiOptions(size=2, resamples=100), store=store).result
    assert kept == measure_cxmi(text, FakeScorer(GAINS), CxmiOptions(size=2, resamples=100)).result
