from __future__ import annotations

from collections import Counter
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from endophora.metrics.ngrams import NgramTable, totals

WORDS = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=9)
TEXTS = st.integers(0, 5).flatmap(
    lambda size: st.lists(st.lists(WORDS, min_size=size, max_size=size), min_size=2, max_size=4)
)


def counted(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


@given(TEXTS, st.sampled_from([1, 100, 2**62]))
def test_matches_are_those_of_counting_each_segment_by_hand(texts: list[list[list[str]]], largest: int):
    hypothesis, *references = texts
    expected = [
        [sum((counted(words, n) & max_counts([r[i] for r in references], n)).values()) for n in range(1, 5)]
        for i, words in enumerate(hypothesis)
    ]
    totals_of = [
        [sum(max_counts([r[i] for r in references], n).values()) for n in range(1, 5)] for i in range(len(hypothesis))
    ]
    # Names of n-grams that would get too large are made of places in their stead.
    with mock.patch("endophora.metrics.ngrams._LARGEST", largest):
        table = NgramTable(references, 4)
    assert table.matches(hypothesis).tolist() == expected
    assert table.counts().tolist() == totals_of


def max_counts(texts: list[list[str]], n: int) -> Counter[tuple[str, ...]]:
    union: Counter[tuple[str, ...]] = Counter()
    for words in texts:
        union |= counted(words, n)
    return union


def test_an_ngram_of_another_segment_does_not_match():
    table = NgramTable([["ab", "cd"]], 2)
    assert table.matches(["cd", "cd"]).tolist() == [[0, 0], [2, 1]]


def test_an_ngram_does_not_reach_across_segments():
    table = NgramTable([["ab", "cd"]], 2)
    assert table.matches(["bc", "bc"]).tolist() == [[1, 0], [1, 0]]


def test_totals_of_texts_shorter_than_the_order_are_zero():
    assert totals(np.array([0.0, 1.0, 4.0]), 3).tolist() == [[0, 0, 0], [1, 0, 0], [4, 3, 2]]
