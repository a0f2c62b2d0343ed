"""BLEU, chrF and TER of a few words, counted and computed by hand."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.metrics.string_metrics import (
    BLEU,
    TER,
    ChrF,
    ChrFPlusPlus,
    DocumentBLEU,
    DocumentChrF,
    DocumentTER,
    split_words,
)
from endophora.metrics.texts import PlainTextMetric, join_documents, make_splitter, read_number, read_options


def counts(metric: PlainTextMetric, output: str, *references: str) -> dict[str, float]:
    row = metric.statistics([output], [[each] for each in references])[0]
    return {name: value for name, value in zip(metric.columns, row.tolist(), strict=True) if value}


def score(metric: BLEU | ChrF | TER, output: str, *references: str) -> float:
    return float(metric.score(metric.statistics([output], [[each] for each in references])[0]))


def test_bleu_counts_words_and_ngrams():
    assert counts(BLEU(), "a b c d e", "a b c x e") == {
        "hypothesis_length": 5,
        "reference_length": 5,
        "matched_1": 4,
        "matched_2": 2,
        "matched_3": 1,
        "total_1": 5,
        "total_2": 4,
        "total_3": 3,
        "total_4": 2,
    }


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("a b c d e", "a b c x e", 100 * (4 / 5 * 2 / 4 * 1 / 3 * 1 / (2 * 2)) ** 0.25),
        ("a b x c d", "a b y c d", 100 * (4 / 5 * 2 / 4 * 1 / (2 * 3) * 1 / (4 * 2)) ** 0.25),
        ("a b c d", "a b c d e f", 100 * exp(1 - 6 / 4)),
        ("a b c d e", "a b c d", 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        ("a b c", "a b c", 0.0),
        ("x y z w", "a b c d", 0.0),
    ],
)
def test_bleu_is_the_mean_precision_times_brevity(output: str, reference: str, expected: float):
    assert score(BLEU(), output, reference) == pytest.approx(expected, abs=1e-9)


def test_bleu_of_effective_order_leaves_out_the_orders_that_are_too_long():
    # Of two words, one of two unigrams matches, the bigram does not: 1/2 and 1/(2 · 1).
    assert score(BLEU(argument="effective-order"), "a b", "a c") == pytest.approx(50)
    assert score(BLEU(argument="effective-order"), "a b c", "a b c") == pytest.approx(100)


def test_bleu_keeps_case_unless_it_is_told_otherwise():
    assert counts(BLEU(), "A b", "a b")["matched_1"] == 1
    assert counts(BLEU(lowercase=True), "A b", "a b")["matched_1"] == 2
    assert "case:mixed" in BLEU().signature()
    assert "case:lc" in BLEU(lowercase=True).signature()


def test_bleu_takes_the_tokenizer_that_is_named():
    assert counts(BLEU(tokenize="char"), "ab", "ab")["matched_2"] == 1
    assert counts(BLEU(tokenize="none"), "a.", "a .")["hypothesis_length"] == 1
    assert "tok:char" in BLEU(tokenize="char").signature()


def test_bleu_takes_an_ngram_as_often_as_the_reference_that_has_it_most():
    assert counts(BLEU(), "a a a", "a b c d", "a a d")["matched_1"] == 2
    assert counts(BLEU(), "a a a", "a b c d", "a a d e f")["reference_length"] == 4


def test_document_bleu_of_texts_says_its_level_in_the_signature():
    assert DocumentBLEU().signature().startswith("level:document|nrefs:1|")
    assert DocumentBLEU().signature(references=2, short=True).startswith("lv:document|#:2|")
    assert not BLEU().signature().startswith("level")


def test_metrics_of_document_texts_have_a_row_for_each_document():
    sums = DocumentTER().statistics(["a b", "c", "d"], [["a b", "c", "x"]], [0, 0, 1])
    assert sums.tolist() == [[0, 3], [1, 1]]
    assert DocumentChrF().statistics(["ab", "c"], [["a", "bc"]], [0, 0])[0, :3].tolist() == [3, 3, 3]


def test_chrf_counts_characters_of_the_orders_that_the_reference_has():
    assert counts(ChrF(), "abc", "ab") == {
        "hypothesis_c1": 3,
        "reference_c1": 2,
        "matched_c1": 2,
        "hypothesis_c2": 2,
        "reference_c2": 1,
        "matched_c2": 1,
    }


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("ab", "ac", 25.0),  # precision and recall (1/2 + 0) / 2
        ("abc", "ab", 87.5),  # P (2/3 + 1/2) / 2 = 7/12, R 1: 5 P R / (4 P + R)
        ("ab", "abc", 100 * 5 * 7 / 12 / (4 + 7 / 12)),  # P 1, R 7/12
        ("a b", "ab", 100.0),
        ("x", "ab", 0.0),
        ("", "ab", 0.0),
    ],
)
def test_chrf_weighs_recall_twice(output: str, reference: str, expected: float):
    assert score(ChrF(), output, reference) == pytest.approx(expected, abs=1e-9)


def test_chrf_goes_to_six_characters():
    assert counts(ChrF(), "abcdefg", "abcdefg")["matched_c6"] == 2
    assert len(ChrF().columns) == 18


def test_chrf_keeps_case_unless_it_is_told_otherwise():
    assert score(ChrF(), "A", "a") == 0
    assert score(ChrF(lowercase=True), "A", "a") == pytest.approx(100)
    assert "case:mixed|eff:yes|nc:6|nw:0|space:no" in ChrF().signature()
    assert "case:lc" in ChrF(lowercase=True).signature()


def test_chrf_takes_the_reference_with_the_best_score():
    assert score(ChrF(), "ab", "xy", "ab", "ac") == pytest.approx(100)
    assert counts(ChrF(), "ab", "abc", "ab")["reference_c1"] == 2


def test_chrf_plus_plus_counts_words_besides():
    found = counts(ChrFPlusPlus(), "a b", "a c")
    assert {key: value for key, value in found.items() if "_w" in key} == {
        "hypothesis_w1": 2,
        "reference_w1": 2,
        "matched_w1": 1,
        "hypothesis_w2": 1,
        "reference_w2": 1,
    }
    # Orders c1, c2, w1, w2: (1/2 + 0 + 1/2 + 0) / 4 on both sides.
    assert score(ChrFPlusPlus(), "a b", "a c") == pytest.approx(25)
    assert score(ChrFPlusPlus(lowercase=True), "A B", "a b") == pytest.approx(100)
    assert "nw:2" in ChrFPlusPlus().signature()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ab c.", ["ab", "c", "."]),
        ("(a)", ["(a", ")"]),
        ("(a", ["(", "a"]),
        (". a", [".", "a"]),
        ("“a”", ["“a”"]),
        ("a.b", ["a.b"]),
        ("?!", ["?", "!"]),
        ("", []),
    ],
)
def test_chrf_words_lose_one_mark(text: str, words: list[str]):
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("output", "references", "edits", "length"),
    [
        ("a b c", ["a x c"], 1, 3),
        ("b a", ["a b"], 1, 2),  # a shift
        ("a", ["a b c"], 2, 3),
        ("a b c", ["a"], 2, 1),
        ("a b", ["a b", "a b c d"], 0, 3),  # fewest edits, mean length
    ],
)
def test_ter_counts_edits_and_words(output: str, references: list[str], edits: float, length: float):
    (row,) = TER().statistics([output], [[each] for each in references])
    assert row.tolist() == [edits, length]
    assert TER().score(row) == pytest.approx(100 * edits / length)


def test_ter_splits_marks_off_only_where_it_is_told_to():
    assert TER().statistics(["a ."], [["a."]]).tolist() == [[2, 1]]
    assert TER(normalized=True).statistics(["a ."], [["a."]]).tolist() == [[0, 2]]
    assert "norm:no" in TER().signature()
    assert "norm:yes" in TER(normalized=True).signature()
    assert not TER.higher_is_better


def test_the_splitter_of_texts_lowers_case_unless_it_is_told_otherwise():
    assert make_splitter("en").split("Oh, A. ") == ["oh", ",", "a", "."]
    assert make_splitter("en", lowercase=False).split("Oh") == ["Oh"]
    assert make_splitter("en").name == "13a"
    assert make_splitter("zh").name == "zh"
    assert make_splitter("zh", tokenize="char").split("ab") == ["a", "b"]


def test_texts_of_a_document_without_segments_are_empty():
    assert join_documents(["a", "b", "c"], [0, 2, 0]) == ["a c", "", "b"]
    assert join_documents([], []) == []


def test_texts_options_of_an_argument_are_read():
    assert read_options("m", " beta=2 , file=a=b ,", ("beta", "file")) == {"beta": "2", "file": "a=b"}
    assert read_options("m", "x.xml", ("wordnet",), "wordnet") == {"wordnet": "x.xml"}
    assert read_options("m", "", ("wordnet",), "wordnet") == {}


@pytest.mark.parametrize(
    ("argument", "faults"), [("beta", 1), ("beta=", 1), ("gamma=1", 1), ("beta=1,beta=2", 1), ("a=1,beta=2,b=1", 2)]
)
def test_texts_each_wrong_option_of_an_argument_is_a_fault(argument: str, faults: int):
    with pytest.raises(InputError) as error:
        read_options("m", argument, ("beta",))
    assert [fault.code for fault in error.value.faults] == ["E140"] * faults


def test_texts_a_number_of_an_argument_is_above_zero():
    assert read_number("m", {"beta": ".5"}, "beta", 1.0) == 0.5
    assert read_number("m", {"gamma": ".5"}, "beta", 3.0) == 3.0
    for text in ("0", "-1", "inf", "nan", "x"):
        with pytest.raises(InputError, match="E140"):
            read_number("m", {"beta": text}, "beta", 1.0)


def test_scores_of_string_metrics_are_undefined_without_a_reference_word():
    for metric in (BLEU(), ChrF(), TER()):
        assert np.isnan(metric.score(metric.statistics(["a"], [[""]])[0]))


def test_short_signatures_of_string_metrics():
    assert BLEU().signature(short=True).startswith("#:1|c:mixed|e:no|tok:13a|s:exp|v:")
    assert ChrF().signature(short=True).startswith("#:1|c:mixed|e:yes|nc:6|nw:0|s:no|v:")
    assert TER().signature(references=2, short=True).startswith("#:2|c:lc|t:tercom|nr:no|pn:yes|as:no|v:")
