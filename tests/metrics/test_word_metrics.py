"""ROUGE-L, CIDEr, METEOR of a few words, computed by hand; the ratio and the sizes that all metrics share."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.metrics.records import check_sizes, ratio
from endophora.metrics.word_metrics import CIDEr, CIDErD, Meteor, Pattern, RougeL


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("a b c d", "a x c", 100 * 2 * (2 / 4 * 2 / 3) / (2 / 4 + 2 / 3)),
        ("b a", "a b", 50.0),
        ("A B", "a b", 100.0),
        ("x", "a b", 0.0),
        ("", "a", 0.0),
    ],
)
def test_rouge_l_is_the_f_of_the_common_subsequence(output: str, reference: str, expected: float):
    assert RougeL().statistics([output], [[reference]]).tolist() == [[pytest.approx(expected), 1.0]]


def test_rouge_l_with_beta_two():
    # P 1, R 1/2: 5 · 1/2 / (1/2 + 4).
    (row,) = RougeL(argument="beta=2").statistics(["a"], [["a b"]])
    assert row[0] == pytest.approx(100 * 2.5 / 4.5)
    assert RougeL().signature().split("|")[:4] == ["nrefs:1", "case:lc", "tok:13a", "beta:1"]
    assert RougeL(argument="beta=.5").signature(short=True).split("|")[3] == "b:0.5"


def test_rouge_l_leaves_out_empty_references():
    sums = RougeL().statistics(["a", "a", ""], [["", "", ""], ["a", "", ""]])
    assert sums.tolist() == [[100, 1], [0, 0], [0, 0]]
    assert RougeL().score(sums.sum(axis=0)) == 100
    assert np.isnan(RougeL().score(sums[1]))


@pytest.mark.parametrize(
    ("words", "others", "expected"),
    [("abcbdab", "bdcaba", 4), ("aaa", "aa", 2), ("abc", "", 0), ("", "abc", 0), ("ab", "ba", 1), ("axbxc", "abc", 3)],
)
def test_the_longest_common_subsequence(words: str, others: str, expected: int):
    assert Pattern(words).common(others) == expected
    assert Pattern(words).length == len(words)


def cosine(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True)) / sqrt(sum(a * a for a in one) * sum(b * b for b in two))


def test_cider_weighs_ngrams_by_how_few_segments_have_them():
    # Of two segments, one has b, c, "a b" and "a c"; both have a, which weighs nothing.
    rows = CIDEr().statistics(["a b b", "a c"], [["a b", "a c"]])
    weight = log(2)
    # Unigrams b b against b: 1. Bigrams "a b", "b b" against "a b": 1 / √2. Of four orders.
    assert rows[0].tolist() == pytest.approx([10 * (1 + cosine((weight, weight), (weight, 0))) / 4, 1])
    assert rows[1].tolist() == pytest.approx([10 * 2 / 4, 1])


def test_cider_d_clips_and_punishes_another_length():
    rows = CIDErD().statistics(["a b b", "a c"], [["a b", "a c"]])
    # Unigrams: min(2, 1) · 1 / (2 · 1). One word too many: e to the -1 / (2 · 36).
    assert rows[0, 0] == pytest.approx(10 * (1 / 2 + 1 / sqrt(2)) / 4 * exp(-1 / 72))
    assert rows[1, 0] == pytest.approx(5)


def test_cider_takes_the_mean_over_references():
    rows = CIDEr().statistics(["a b", "c d"], [["a b", "c d"], ["x y", "c d"]])
    # Of each of the two orders both words, or the pair, are the same in one reference and different in the other.
    assert rows[:, 0].tolist() == pytest.approx([10 * (2 / 4) / 2, 10 * 2 / 4])
    assert CIDEr().signature().split("|")[3] == "order:4"


def test_cider_of_one_segment_or_empty_references_counts_nowhere():
    assert CIDEr().statistics(["a b"], [["a b"]]).tolist() == [[0, 0]]
    assert CIDEr().statistics(["a b", "c"], [["", "c"]])[:, 1].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("output", "reference", "row"),
    [
        ("a b c d", "a b x c d", [4, 5, 4, 2]),
        ("c d a b", "a b c d", [4, 4, 4, 2]),
        ("a b", "a b", [2, 2, 2, 1]),
        ("b a", "a b", [2, 2, 2, 2]),
        ("x", "a", [1, 1, 0, 0]),
        ("A", "a", [1, 1, 1, 1]),
    ],
)
def test_meteor_counts_matches_and_chunks(output: str, reference: str, row: list[float]):
    pytest.importorskip("nltk")
    assert Meteor().statistics([output], [[reference]]).tolist() == [row]


def test_meteor_weighs_recall_nine_times_and_punishes_chunks():
    pytest.importorskip("nltk")
    metric = Meteor()
    # P 1, R .8, F = .8 / (.9 + .08); two chunks of four matches: 1 - .5 / 8.
    assert metric.score(np.array([4.0, 5, 4, 2])) == pytest.approx(100 * 0.8 / 0.98 * (1 - 0.5 / 8))
    assert metric.score(np.array([5.0, 4, 4, 2])) == pytest.approx(100 * 0.8 / (0.72 + 0.1) * (1 - 0.5 / 8))
    assert metric.score(np.array([0.0, 4, 0, 0])) == 0
    assert np.isnan(metric.score(np.array([3.0, 0, 0, 0])))
    assert metric.signature().split("|")[3:5] == ["stem:none", "wordnet:none"]
    assert Meteor("en").signature().split("|")[3] == "stem:snowball-en"


def test_meteor_takes_the_reference_with_the_best_score():
    pytest.importorskip("nltk")
    assert Meteor().statistics(["a b"], [["a x"], ["a b"], ["b a"]]).tolist() == [[2, 2, 2, 1]]
    assert Meteor().statistics(["a b"], [[""], ["x"]]).tolist() == [[2, 1, 0, 0]]
    assert Meteor().statistics(["a b"], [[""]]).tolist() == [[0, 0, 0, 0]]


def test_a_ratio_of_records_is_undefined_where_there_is_nothing_below():
    above, below = np.array([1.0, 2, 0]), np.array([2.0, 0, 4])
    assert ratio(above, below) == pytest.approx([0.5, np.nan, 0], nan_ok=True)
    assert ratio(above, below, 7.0).tolist() == [0.5, 7, 0]
    assert ratio(above, -below, 7.0).tolist() == [7, 7, 7]


def test_unequal_sizes_of_records_are_all_told():
    with pytest.raises(InputError) as raised:
        check_sizes("ab", ["ab", "a"], [0], ["s"] * 3)
    assert [(one.code, one.cause) for one in raised.value.faults] == [
        ("E070", "2 segments of output against 1 of reference 2"),
        ("E070", "2 segments of output against 3 of the source"),
        ("E070", "2 segments of output against 1 of document ids"),
    ]
    with pytest.raises(InputError, match="E072"):
        check_sizes("ab", [])
    check_sizes("ab", [], needed=False)
    check_sizes("ab", ["cd"], [0, 0], ["s", "t"])
