"""METEOR, held against NLTK's own score and worked out by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError, MissingModelError
from endophora.metrics import load_metric
from endophora.version import __version__

pytest.importorskip("nltk")
Stemmer = pytest.importorskip("Stemmer")


class _NoWordnet:
    def synsets(self, word: str) -> list[object]:
        return []


class _Snowball:
    stem = staticmethod(Stemmer.Stemmer("en").stemWord)


def _score(name: str, hypotheses: list[str], *references: list[str], language: str = "en") -> float:
    metric = load_metric(name, language)
    return float(metric.score(metric.statistics(hypotheses, references).sum(axis=0)))


WORDS = st.lists(st.sampled_from(["cat", "cats", "sat", "sitting", "the", "mat", "on"]), min_size=1, max_size=9)


@given(WORDS, WORDS, WORDS)
def test_meteor_of_a_segment_is_nltks(hypothesis: list[str], first: list[str], second: list[str]):
    from nltk.translate.meteor_score import meteor_score

    expected = 100 * meteor_score([first, second], hypothesis, stemmer=_Snowball(), wordnet=_NoWordnet())
    found = _score("meteor", [" ".join(hypothesis)], [" ".join(first)], [" ".join(second)])
    assert found == pytest.approx(expected, abs=1e-9)


def test_meteor_by_hand():
    # Matches: the cat sat on the mat, all 6, in one chunk; P = 6/6, R = 6/7; F = PR / (.9 P + .1 R)
    f_mean = (6 / 7) / (0.9 + 0.1 * 6 / 7)
    found = _score("meteor", ["the cat sat on the mat"], ["the cat sat on the mat today"])
    assert found == pytest.approx(100 * f_mean * (1 - 0.5 * (1 / 6) ** 3))
    # Banerjee and Lavie (2005), §2.2: the order costs up to one half.
    assert _score("meteor", ["mat cat"], ["cat mat"]) == pytest.approx(50)


def test_meteor_of_a_corpus_comes_from_summed_matches_and_chunks():
    metric = load_metric("meteor", "en")
    counts = metric.statistics(["a b x", "c d"], [["a b", "d c"]])
    np.testing.assert_array_equal(counts, [[3, 2, 2, 1], [2, 2, 2, 2]])
    precision, recall, chunks = 4 / 5, 4 / 4, 3 / 4
    expected = 100 * precision * recall / (0.9 * precision + 0.1 * recall) * (1 - 0.5 * chunks**3)
    assert metric.score(counts.sum(axis=0)) == pytest.approx(expected)


def test_meteor_stems_in_the_texts_language():
    assert _score("meteor", ["Häuser"], ["Haus"], language="de") == pytest.approx(50)
    assert _score("meteor", ["Häuser"], ["Haus"], language="en") == 0
    signature = load_metric("meteor", "de").signature(references=2)
    assert signature.startswith("nrefs:2|case:lc|tok:")
    assert "|stem:snowball-de|wordnet:none|nltk:" in signature
    assert signature.endswith(f"|version:{__version__}")
    assert "|stem:none|wordnet:none|" in load_metric("meteor", "uk").signature()


def test_meteor_matches_synonyms_with_a_wordnet(tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text("00000001-n\teng:lemma\tcar\n00000001-n\teng:lemma\tautomobile\n", encoding="utf-8")
    assert _score("meteor", ["the car"], ["the automobile"]) == pytest.approx(25)
    assert _score(f"meteor:wordnet={path}", ["the car"], ["the automobile"]) == pytest.approx(100 * (1 - 0.5 / 8))


def test_meteor_of_nothing():
    assert _score("meteor", [""], ["a"]) == 0
    assert np.isnan(_score("meteor", ["a"], [" "]))
    assert _score("meteor", ["a b", "c"], ["a b", ""]) == pytest.approx(100 * (1 - 0.5 / 8))


def test_meteor_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingModelError, match=r"E143.*endophora\[meteor\]"):
        load_metric("meteor", "en").statistics(["a"], [["b"]])


def test_meteor_refuses_what_is_no_option():
    with pytest.raises(InputError, match="E140"):
        load_metric("meteor:alpha=1", "en")
