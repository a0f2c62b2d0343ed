"""The metrics of texts, held against sacreBLEU's own scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from endophora.errors import InputError, MissingModelError
from endophora.metrics import METRICS, load_metric
from endophora.metrics.records import TextMetric
from endophora.metrics.texts import join_documents

REFERENCES = [
    [
        "Die Brücke ist alt, aber sie trägt noch.",
        "„Haben Sie den Schlüssel?“, fragte der Wirt.",
        "Nein.",
        "Sie liegt im Regal (ganz oben) neben der Lampe.",
        "Um 7.30 Uhr fuhr der erste Zug, um 8,5 der zweite.",
    ],
    [
        "Alt ist die Brücke, doch sie hält noch.",
        "„Hast du den Schlüssel?“, wollte der Wirt wissen.",
        "Nein, nein.",
        "Oben im Regal liegt sie, neben der Lampe.",
        "Der erste Zug fuhr um halb acht.",
    ],
]
OUTPUTS = [
    [
        "Die Brücke ist alt, aber es trägt noch.",
        "„Hast du den Schlüssel?“ fragte der Wirt.",
        "Nein",
        "",
        "Um 7.30 Uhr fuhr der erste Zug , um 8,5 der zweite Zug.",
    ],
    ["alt Brücke", "x", "y z", "Sie liegt im Regal (ganz oben).", "Der Zug fuhr um 7.30 Uhr"],
    ["", "", "", "", ""],
]
SCORERS: dict[str, Callable[[], BLEU | CHRF | TER]] = {
    "bleu": BLEU,
    "chrf": CHRF,
    "chrf++": lambda: CHRF(word_order=2),
    "ter": TER,
}


SEVEN = "one two three four five six seven"


@pytest.mark.parametrize(
    "lengths", [(6, 8), (8, 6), (6, 8, 7), (5, 9), (9, 5), (8, 8), (3, 9, 5)], ids=lambda lengths: str(lengths)
)
def test_of_references_equally_near_in_length_the_shorter_counts_as_in_sacrebleu(lengths: tuple[int, ...]):
    words = [*SEVEN.split(), "eight", "nine"]
    references = [[" ".join(words[:length])] for length in lengths]
    metric = load_metric("bleu", "en")
    found = metric.score(metric.statistics([SEVEN], references).sum(axis=0))
    assert found == pytest.approx(BLEU(effective_order=False).corpus_score([SEVEN], references).score, abs=1e-9)


@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES], ids=["one reference", "two references"])
@pytest.mark.parametrize("outputs", OUTPUTS, ids=["near", "far", "empty"])
@pytest.mark.parametrize("name", SCORERS)
def test_corpus_score_is_sacrebleus(name: str, outputs: list[str], references: list[list[str]]):
    metric = load_metric(name, "de")
    found = metric.score(metric.statistics(outputs, references).sum(axis=0))
    assert found == pytest.approx(SCORERS[name]().corpus_score(outputs, references).score, abs=1e-9)


@pytest.mark.parametrize("name", SCORERS)
def test_scores_of_all_resamples_at_once_are_sacrebleus_one_by_one(name: str):
    metric = load_metric(name, "de")
    drawn = np.random.default_rng(7).integers(5, size=(60, 5))
    counts = metric.statistics(OUTPUTS[0], REFERENCES)
    expected = [
        SCORERS[name]()
        .corpus_score([OUTPUTS[0][i] for i in draw], [[reference[i] for i in draw] for reference in REFERENCES])
        .score
        for draw in drawn
    ]
    np.testing.assert_allclose(metric.score(counts[drawn].sum(axis=1)), expected, atol=1e-9)


TEXT = st.text(st.sampled_from("ab Äß.,(7\u3000\u2028日"), max_size=12)


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXT, TEXT.filter(str.strip), TEXT.filter(str.strip)), min_size=1, max_size=4))
@example([("", "7", "7"), ("7aaaaaaaa.a,", "777777.,a", "777")])  # two references tie except for rounding
@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf++"])
def test_score_of_any_texts_is_sacrebleus(name: str, lines: list[tuple[str, str, str]]):
    outputs, *references = map(list, zip(*lines, strict=True))
    metric = load_metric(name, "")
    found = metric.score(metric.statistics(outputs, references).sum(axis=0))
    assert found == pytest.approx(SCORERS[name]().corpus_score(outputs, references).score, abs=1e-9)


@settings(max_examples=40)
@given(TEXT, TEXT.filter(str.strip))
@example("a b", "a b c d")
@example("", "a")
def test_effective_order_is_sacrebleus_for_single_sentences(output: str, reference: str):
    metric = load_metric("bleu:effective-order", "")
    expected = BLEU(effective_order=True).sentence_score(output, [reference]).score
    assert metric.score(metric.statistics([output], [[reference]]))[0] == pytest.approx(expected, abs=1e-9)


def test_effective_order_stands_in_the_signature_and_nothing_else_is_an_option():
    assert "|eff:yes|" in load_metric("bleu:effective-order", "de").signature()
    assert "|eff:yes|" in load_metric("d-bleu:effective-order", "de").signature()
    assert "|eff:no|" in load_metric("bleu", "de").signature()
    with pytest.raises(InputError, match="E140"):
        load_metric("bleu:effective", "de")


@pytest.mark.parametrize("name", SCORERS)
def test_a_reference_without_words_gives_no_score(name: str):
    metric = load_metric(name, "de")
    assert np.isnan(metric.score(metric.statistics(["word"], [[" "]]).sum(axis=0)))


def test_document_bleu_is_bleu_of_whole_documents():
    metric = load_metric("d-bleu", "de")
    documents = [0, 0, 1, 1, 1]
    counts = metric.statistics(OUTPUTS[0], REFERENCES[:1], documents)
    joined = [" ".join(OUTPUTS[0][:2]), " ".join(OUTPUTS[0][2:])]
    expected = BLEU().corpus_score(joined, [[" ".join(REFERENCES[0][:2]), " ".join(REFERENCES[0][2:])]])
    assert counts.shape == (2, len(metric.columns))
    assert metric.score(counts.sum(axis=0)) == pytest.approx(expected.score, abs=1e-9)
    assert metric.signature().startswith("level:document|nrefs:1|case:mixed")


def test_document_bleu_forgives_a_sentence_break_elsewhere_and_bleu_does_not():
    outputs, references = ["Er kam spät", "und ging früh wieder heim"], [["Er kam spät und", "ging früh wieder heim"]]
    scores = [
        float(metric.score(metric.statistics(outputs, references, [0, 0]).sum(axis=0)))
        for metric in (load_metric("d-bleu", "de"), load_metric("bleu", "de"))
    ]
    assert scores[0] == pytest.approx(100)
    assert scores[1] < 90


def test_documents_are_joined_in_order_by_spaces():
    assert join_documents(["a", "b", "c"], [0, 1, 0]) == ["a c", "b"]


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf++", "ter"])
def test_signature_is_sacrebleus(name: str):
    scorer = SCORERS[name]()
    scorer.corpus_score(OUTPUTS[0], REFERENCES)
    signature = scorer.get_signature()
    metric = load_metric(name, "de")
    assert metric.signature(references=2) == signature.format()
    assert metric.signature(references=2, short=True) == signature.format(short=True)


def test_statistics_of_new_references_are_not_those_of_the_last():
    metric = load_metric("chrf", "de")
    first = metric.statistics(["Nein."], [["Nein."]])
    second = metric.statistics(["Nein."], [["Doch."]])
    assert metric.score(first[0]) == pytest.approx(100)
    assert metric.score(second[0]) < 20


def test_columns_name_every_statistic():
    needing = {"comet", "doc-comet", "average", "extrema", "greedy"}  # a model, or word vectors
    for name in (name for name in METRICS if name not in needing):
        metric = load_metric(name, "de")
        assert isinstance(metric, TextMetric)
        assert metric.statistics(["x"], [["x"]], [0]).shape == (1, len(metric.columns)), name


def test_unequal_lengths_are_all_reported():
    with pytest.raises(InputError) as raised:
        load_metric("bleu", "de").statistics(["a"], [["a", "b"], ["a"], []], [0, 0])
    assert [fault.code for fault in raised.value.faults] == ["E070", "E070", "E070"]
    assert "1 segments of output against 2 of reference 1" in raised.value.faults[0].cause


def test_no_reference_is_an_error():
    with pytest.raises(InputError, match="E072"):
        load_metric("bleu", "de").statistics(["a"], [])


def test_document_bleu_without_documents_is_an_error():
    with pytest.raises(InputError, match="E074"):
        load_metric("d-bleu", "de").statistics(["a"], [["a"]])


def test_a_tokenizer_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_ja_mecab.MeCab", None)
    with pytest.raises(MissingModelError, match=r"E073.*sacrebleu\[ja\]"):
        METRICS.get("bleu")(language="ja").statistics(["犬"], [["犬"]])
