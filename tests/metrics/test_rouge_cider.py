"""ROUGE-L and CIDEr, held against their definitions worked out independently."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.metrics import load_metric
from endophora.metrics.records import TextMetric
from endophora.metrics.word_metrics import Pattern
from endophora.version import __version__

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)


def _longest(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Return the length of the longest common subsequence, by its recursion."""

    @cache
    def at(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        return 1 + at(i + 1, j + 1) if a[i] == b[j] else max(at(i + 1, j), at(i, j + 1))

    return at(0, 0)


def _score(name: str, hypotheses: list[str], *references: list[str]) -> float:
    metric = load_metric(name, "en")
    assert isinstance(metric, TextMetric)
    return float(metric.score(metric.statistics(hypotheses, references).sum(axis=0)))


CAPTIONS = [
    "a man rides a brown horse on the beach",
    "two dogs play with a red ball",
    "the train stands at the old station",
]
CAPTIONS += ["the the the the"]
FIRST = [
    "a man is riding a horse along the beach",
    "two dogs are playing with a ball",
    "a train is standing in the station",
]
FIRST += ["a cat sleeps on the mat"]
SECOND = ["someone rides a brown horse by the sea", "dogs play with a red ball in the grass", "the train stands still"]
SECOND += ["the cat lies on a mat"]


@pytest.mark.parametrize(
    ("name", "references", "expected"),
    [
        ("cider-d", [FIRST, SECOND], 2.3420800026290785),  # pycocoevalcap 1.2, Cider
        ("rouge-l:beta=1.2", [FIRST], 50.06404460518384),  # pycocoevalcap 1.2, Rouge
        ("rouge-l", [FIRST, SECOND], 54.0530303030303),  # rouge-score 0.1.2, rougeL without stemming
    ],
)
def test_scores_are_those_of_the_published_scorers(name: str, references: list[list[str]], expected: float):
    assert _score(name, CAPTIONS, *references) == pytest.approx(expected, abs=1e-9)


def test_cider_d_of_each_segment_is_that_of_the_published_scorer():
    metric = load_metric("cider-d", "en")
    found = metric.statistics(CAPTIONS, [FIRST, SECOND])[:, 0]
    np.testing.assert_allclose(found, [2.69674317, 4.63545942, 2.03611742, 0], atol=5e-9)


@given(WORDS, WORDS)
def test_rouge_common_subsequence_is_the_recursions(a: list[str], b: list[str]):
    assert Pattern(a).common(b) == _longest(tuple(a), tuple(b))


def test_rouge_common_subsequence_of_texts_longer_than_a_machine_word():
    a, b = [str(i % 7) for i in range(150)], [str(i % 5) for i in range(130)]
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    assert Pattern(a).common(b) == table[-1, -1]


def test_rouge_l_of_lins_examples():
    # Lin (2004), §3.1: "police killed the gunman" is the reference.
    reference = ["police killed the gunman"]
    assert _score("rouge-l", ["police kill the gunman"], reference) == pytest.approx(75)
    assert _score("rouge-l", ["the gunman kill police"], reference) == pytest.approx(50)
    assert _score("rouge-l", ["the gunman police killed"], reference) == pytest.approx(50)


def test_rouge_l_with_beta_weighs_recall():
    # P = 3/3, R = 3/5; with β² = 1.44, F = 2.44 · .6 / (.6 + 1.44)
    assert _score("rouge-l:beta=1.2", ["a b c"], ["a b x c y"]) == pytest.approx(100 * 2.44 * 0.6 / 2.04)
    assert _score("rouge-l", ["a b c"], ["a b x c y"]) == pytest.approx(100 * 2 * 0.6 / 1.6)


def test_rouge_l_takes_the_best_reference_of_each_segment_and_the_mean_of_segments():
    found = _score("rouge-l", ["a b", "c", ""], ["a b", "x", "x"], ["x", "c d", ""])
    assert found == pytest.approx((100 + 100 * 2 / 3 + 0) / 3)


def test_rouge_l_leaves_out_segments_whose_references_are_empty():
    assert _score("rouge-l", ["a", "a"], ["a", ""]) == pytest.approx(100)
    assert math.isnan(_score("rouge-l", ["a"], [" "]))


@pytest.mark.parametrize("name", ["rouge-l:beta=0", "rouge-l:beta=x", "rouge-l:beta=nan", "rouge-l:1.2", "cider:x"])
def test_options_that_there_are_not_are_errors(name: str):
    with pytest.raises(InputError, match="E140"):
        load_metric(name, "en")


def _vector(words: list[str], n: int, space: list[tuple[str, ...]], idf: dict[tuple[str, ...], float]) -> np.ndarray:
    counts = Counter(zip(*(words[i:] for i in range(n)), strict=False))
    return np.array([counts[ngram] * idf[ngram] for ngram in space])


def _cider_by_vectors(hypotheses: list[str], references: list[list[str]], *, d: bool) -> float:
    """Work CIDEr out with dense vectors over all n-grams (equations 1 to 3; for D, §6)."""
    scores: list[float] = []
    for segment, hypothesis in enumerate(hypotheses):
        total = 0.0
        for n in range(1, 5):
            sets = [
                {g for text in texts for g in zip(*(text.split()[i:] for i in range(n)), strict=False)}
                for texts in zip(*references, strict=True)
            ]
            own = {g for text in hypotheses for g in zip(*(text.split()[i:] for i in range(n)), strict=False)}
            space = sorted(set().union(own, *sets))
            idf = {g: math.log(len(sets) / max(1, sum(g in each for each in sets))) for g in space}
            here = _vector(hypothesis.split(), n, space, idf)
            for reference in references:
                words = reference[segment].split()
                there = _vector(words, n, space, idf)
                norms = float(np.linalg.norm(here) * np.linalg.norm(there))
                product = float((np.minimum(here, there) if d else here) @ there)
                penalty = math.exp(-((len(hypothesis.split()) - len(words)) ** 2) / 72) if d else 1.0
                total += penalty * product / norms / 4 / len(references) if norms else 0.0
        scores.append(10 * total)
    return float(np.mean(scores))


TEXTS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8).map(" ".join)


@settings(max_examples=40)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=2, max_size=5))
@pytest.mark.parametrize("name", ["cider", "cider-d"])
def test_cider_is_that_of_dense_vectors(name: str, lines: list[tuple[str, str, str]]):
    hypotheses, *references = map(list, zip(*lines, strict=True))
    expected = _cider_by_vectors(hypotheses, references, d=name.endswith("-d"))
    assert _score(name, hypotheses, *references) == pytest.approx(expected, abs=1e-9)


def test_cider_of_the_references_themselves_is_ten_where_every_order_has_weight():
    lines = ["a b c d e", "f g h i j"]
    assert _score("cider", lines, lines) == pytest.approx(10)
    assert _score("cider-d", lines, lines) == pytest.approx(10)


def test_cider_d_punishes_repetition_that_cider_rewards():
    references = ["the red fox runs over there", "a blue bird sings up high"]
    honest, padded = "the red fox sleeps over here", "the red fox fox fox fox fox fox"
    other = references[1]
    ratio = [
        _score(name, [padded, other], references) / _score(name, [honest, other], references)
        for name in ("cider", "cider-d")
    ]
    assert ratio[0] > ratio[1]


def test_cider_of_a_single_segment_or_of_empty_references_is_no_score():
    assert math.isnan(_score("cider", ["a b"], ["a b"]))
    assert math.isnan(_score("cider-d", ["a", "b"], ["", ""]))


@pytest.mark.parametrize("name", ["cider", "cider-d", "rouge-l"])
def test_the_signature_says_how_words_are_counted(name: str):
    metric = load_metric(name, "en")
    items = dict(item.split(":", 1) for item in metric.signature(references=2).split("|"))
    short = dict(item.split(":", 1) for item in metric.signature(references=2, short=True).split("|"))
    assert (items["nrefs"], items["case"], items["version"]) == ("2", "lc", __version__)
    assert items["tok"]
    assert items.get("order", "4") == "4"
    assert list(short.values()) == list(items.values())
    assert (short["#"], short["c"], short["v"]) == ("2", "lc", __version__)
