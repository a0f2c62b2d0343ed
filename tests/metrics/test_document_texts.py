"""chrF and TER of documents are sacreBLEU's of the joined documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF, TER

from endophora.errors import InputError
from endophora.metrics import load_metric

SCORERS: dict[str, Callable[[], CHRF | TER]] = {"d-chrf": CHRF, "d-chrf++": lambda: CHRF(word_order=2), "d-ter": TER}
SEGMENTS = st.lists(
    st.tuples(
        st.integers(0, 2), *[st.lists(st.sampled_from(["ab", "b,", "Äc"]), min_size=1, max_size=4).map(" ".join)] * 3
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40)
@given(segments=SEGMENTS)
@pytest.mark.parametrize("name", SCORERS)
def test_score_of_documents_is_sacrebleus_of_joined_documents(name: str, segments: list[tuple[int, str, str, str]]):
    numbers = sorted({segment[0] for segment in segments})
    documents = [numbers.index(segment[0]) for segment in segments]
    outputs, *references = ([segment[column] for segment in segments] for column in (1, 2, 3))
    joined = [
        [
            " ".join(text for text, own in zip(texts, documents, strict=True) if own == document)
            for document in range(len(numbers))
        ]
        for texts in (outputs, *references)
    ]
    metric = load_metric(name, "de")
    counts = metric.statistics(outputs, references, documents)
    assert counts.shape == (len(numbers), len(metric.columns))
    expected = SCORERS[name]().corpus_score(joined[0], joined[1:]).score
    assert metric.score(counts.sum(axis=0)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", SCORERS)
def test_document_metric_says_so_and_forgives_a_sentence_break_elsewhere(name: str):
    metric = load_metric(name, "de")
    assert metric.level == "document"
    assert metric.signature().startswith("level:document|nrefs:1|")
    assert metric.signature(short=True).startswith("lv:document|#:1|")
    outputs, references = ["Er kam spät", "und ging früh"], [["Er kam spät und", "ging früh"]]
    best = 100 if metric.higher_is_better else 0
    assert metric.score(metric.statistics(outputs, references, [0, 0])[0]) == pytest.approx(best)
    assert not np.isclose(float(load_metric(name[2:], "de").score(metric_counts(name, outputs, references))), best)


def metric_counts(name: str, outputs: list[str], references: list[list[str]]) -> np.ndarray:
    """Return the sums of the same metric over segments."""
    return load_metric(name[2:], "de").statistics(outputs, references).sum(axis=0)


@pytest.mark.parametrize("name", SCORERS)
def test_document_metric_without_documents_is_an_error(name: str):
    with pytest.raises(InputError, match="E074"):
        load_metric(name, "de").statistics(["a"], [["a"]])
