"""Tables of senses and of vectors of a few lines, and what the metrics over them count, by hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.languages import load_language
from endophora.metrics import METRICS, load_document_metric, load_metric, reads_annotations
from endophora.metrics.embeddings import EmbeddingAverage, GreedyMatching, VectorExtrema, read_vectors
from endophora.metrics.lexical import LexicalCohesion
from endophora.metrics.ngrams import NgramTable, flatten, index_items
from endophora.metrics.records import Reading, TaggedTokens
from endophora.metrics.word_f import WordF
from endophora.metrics.wordnet import Relations, SynsetTable, load_wordnet, read_tab
from endophora.version import __version__

ENGLISH = load_language("en")
TABLE = (
    "# toy\ten\n1-n\tlemma\tBig_Boat\n2-v\ten:lemma\tship\n3-n\tlemma\tship\n3-n\tdef\tsomething\n4-s\tlemma\tship\n"
)


def senses(table: SynsetTable, lemma: str) -> list[list[str]]:
    return [sorted(table.senses(lemma, upos)) for upos in ("", "NOUN", "VERB", "ADJ", "ADV", "PRON")]


def test_senses_of_a_table_are_by_part_of_speech(tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text(TABLE, "utf-8")
    table = read_tab(path)
    assert table.name == "toy.tab"
    assert senses(table, "ship") == [["2-v", "3-n", "4-s"], ["3-n"], ["2-v"], ["4-s"], [], []]
    assert senses(table, "big boat") == [["1-n"], ["1-n"], [], [], [], []]
    assert senses(table, "something") == [[]] * 6
    assert table.related("1-n") == Relations(frozenset(), frozenset(), frozenset())


@pytest.mark.parametrize("name", ["toy.tab.gz", "toy.tsv.gz"])
def test_a_table_may_be_compressed_and_is_read_once_for_each_content(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(TABLE.encode()))
    first = load_wordnet(str(path))
    assert first is load_wordnet(str(path))
    assert first.senses("ship", "VERB") == {"2-v"}
    path.write_bytes(gzip.compress(TABLE.replace("2-v", "5-v").encode()))
    assert load_wordnet(str(path)).senses("ship", "VERB") == {"5-v"}


@pytest.mark.parametrize("line", ["1-x\tlemma\ta", "1\tlemma\ta", "1-n\tlemma", "1-nv\tlemma\ta", "-\tlemma\ta"])
def test_a_line_that_is_none_of_a_wordnet_is_told(line: str, tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text(f"1-n\tlemma\ta\n{line}\n", "utf-8")
    with pytest.raises(InputError) as raised:
        read_tab(path)
    assert [(one.code, one.line) for one in raised.value.faults] == [("E142", 2)]


def reading(*lemmas: tuple[str, str]) -> Reading:
    return Reading("", (), lemmas=lemmas)


def test_lexical_devices_have_their_shares_and_the_signature_its_wordnet():
    table = SynsetTable("toy", {word: {"n": frozenset({"A"})} for word in ("boat", "ship")})
    texts = [reading(("boat", "NOUN"), ("ship", "NOUN")), reading(("boat", "NOUN")), reading(("x", "NOUN"))]
    lc, rc = LexicalCohesion(ENGLISH, table), LexicalCohesion(ENGLISH, table, repetition_only=True)
    plain = LexicalCohesion(ENGLISH)
    assert lc.statistics(texts, [], [0, 0, 2]).tolist() == [[3, 1, 1, 0, 0], [0] * 5, [1, 0, 0, 0, 0]]
    sums = np.array([4.0, 1, 1, 0, 1])
    assert lc.figures(sums).tolist() == [0.75, 0.25, 0.25, 0, 0.25]
    assert rc.figures(sums).tolist() == [0.25]
    assert plain.figures(sums).tolist() == [0.75]
    assert lc.parts == ("LC", "LC repetition", "LC synonym", "LC superordinate", "LC collocation")
    assert (rc.parts, plain.parts) == (("RC",), ("LC",))
    assert lc.signature() == f"level:document|wordnet:toy|rules:en-{ENGLISH.hash}|version:{__version__}"
    assert plain.signature(short=True) == f"lv:document|wn:none|r:en-{ENGLISH.hash}|v:{__version__}"
    assert lc.precision_and_recall(sums) is None


def vectors(folder: Path, text: str = "a 1 0\nb 0 1\nc -2 0\nd 3 4\n") -> Path:
    path = folder / "v.txt"
    path.write_text(text, "utf-8")
    return path


def test_vectors_of_words_are_read_with_a_first_line_or_without(tmp_path: Path):
    for text in ("a 1 0\nb 0 .5\n", "2 2\na 1 0\nb 0 .5\n"):
        found = {word: vector.tolist() for word, vector in read_vectors(vectors(tmp_path, text))}
        assert found == {"a": [1, 0], "b": [0, 0.5]}
    assert [word for word, _ in read_vectors(vectors(tmp_path), ["b", "x"])] == ["b"]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("3 2\na 1 0\nb 0 1\n", "E145", None),
        ("a 1 0\nb 0\n", "E144", 2),
        ("2 2\na 1 0\nb 0 x\n", "E144", 3),
        ("a 1 0\nb 0 inf\n", "E144", 2),
        ("2 0\n", "E144", 1),
        ("a\n", "E144", 1),
        ("", "E005", None),
    ],
)
def test_what_is_wrong_with_vectors_has_its_line(text: str, code: str, line: int | None, tmp_path: Path):
    with pytest.raises(InputError) as raised:
        list(read_vectors(vectors(tmp_path, text)))
    assert [(one.code, one.line) for one in raised.value.faults] == [(code, line)]


def test_embedding_rows_have_score_segments_and_known_words(tmp_path: Path):
    metric = EmbeddingAverage(argument=str(vectors(tmp_path)))
    rows = metric.statistics(["a b x", "x", "a", "A"], [["a", "a", "x", "a"]])
    assert rows.tolist() == [
        [pytest.approx(1 / np.sqrt(2)), 1, 3, 4],
        [0, 1, 1, 2],
        [0, 0, 1, 2],
        [pytest.approx(1), 1, 2, 2],  # in lower case
    ]
    assert metric.coverage(rows.sum(axis=0)) == 7 / 10


@pytest.mark.parametrize(
    ("output", "reference", "average", "extrema", "greedy"),
    [
        ("a", "c", -1, -1, -1),
        ("a b", "d", 7 / (5 * np.sqrt(2)), 7 / (5 * np.sqrt(2)), (0.8 + (0.6 + 0.8) / 2) / 2),
        ("a c", "c", 1, 1, (1 + (1 - 1) / 2) / 2),
    ],
)
def test_embedding_similarities(
    output: str, reference: str, average: float, extrema: float, greedy: float, tmp_path: Path
):
    argument = str(vectors(tmp_path))
    found = [
        made(argument=argument).statistics([output], [[reference]])[0, 0]
        for made in (EmbeddingAverage, VectorExtrema, GreedyMatching)
    ]
    assert found == pytest.approx([average, extrema, greedy])


def test_extrema_take_the_negative_of_two_values_equally_far(tmp_path: Path):
    metric = VectorExtrema(argument=str(vectors(tmp_path, "p 2 1\nq -2 1\nr -1 0\n")))
    assert metric.statistics(["p q"], [["r"]])[0, 0] == pytest.approx(2 / np.sqrt(5))


def test_unknown_words_may_take_the_mean(tmp_path: Path):
    metric = EmbeddingAverage(argument=f"{vectors(tmp_path, 'a 1 0' + chr(10) + 'b 0 1' + chr(10))},unknown=mean")
    assert metric.statistics(["x"], [["a"]]).tolist() == [[pytest.approx(1 / np.sqrt(2)), 1, 1, 2]]


def test_few_known_words_are_said(tmp_path: Path):
    metric = EmbeddingAverage(argument=str(vectors(tmp_path)))
    sums = {"few": np.array([1.0, 1, 49, 100]), "half": np.array([1.0, 1, 50, 100])}
    assert metric.warn(sums) == (
        "Embedding average: v.txt has vectors of few words of output and reference (few 49 %); "
        "the score is of those alone"
    )
    assert metric.warn({"half": sums["half"]}) == ""


def test_ngrams_are_counted_in_the_reference_that_has_most():
    table = NgramTable([[["a", "b", "a", "b"], ["x"]], [["a", "a"], []]], 2)
    # a twice, b twice; "a b" twice, "b a", "a a" once.
    assert table.counts().tolist() == [[4, 4], [1, 0]]
    assert table.matches([["a", "a", "a", "b"], ["x", "x"]]).tolist() == [[3, 2], [1, 0]]
    assert table.matches([[], ["a"]]).tolist() == [[0, 0], [0, 0]]


def test_items_of_ngrams_are_numbered_as_they_come():
    flat = index_items(["b", "a", "b"], np.array([1, 0, 2]))
    assert (list(flat.vocabulary), flat.items.tolist(), flat.lengths.tolist()) == (["b", "a"], [0, 1, 0], [1, 0, 2])
    assert flatten(flat) is flat
    assert flatten(["ab", "", "b"]).items.tolist() == [0, 1, 1]


def tagged(*words: tuple[str, str]) -> TaggedTokens:
    return TaggedTokens(tuple(form for form, _ in words), tuple(frozenset(tags.split()) for _, tags in words))


@pytest.mark.parametrize(("variant", "counts"), [("paper", [[1, 1, 1], [1, 1, 2]]), ("muda", [[1, 1, 1], [0, 1, 1]])])
def test_word_f_matches_tags_by_variant(variant: str, counts: list[list[float]]):
    hypothesis = tagged(("it", "p"), ("you", ""), ("we", "f"))
    metric = WordF(["p", "f"], variant)
    (row,) = metric.statistics([hypothesis], [tagged(("you", "f"), ("it", "p"))])
    assert row.tolist() == counts
    assert metric.signature() == f"nrefs:1|variant:{variant}|version:{__version__}"
    assert metric.signature(references=2, short=True) == f"#:2|va:{variant}|v:{__version__}"


def test_word_f_precision_and_recall_of_tags():
    metric, sums = WordF(["p"]), np.array([[1.0, 2, 4], [0, 0, 1], [0, 1, 0]])
    assert metric.precision(sums) == pytest.approx([1 / 4, 0, np.nan], nan_ok=True)
    assert metric.recall(sums) == pytest.approx([1 / 2, np.nan, 0], nan_ok=True)
    assert metric.score(sums).tolist() == [pytest.approx(2 / 6), 0, 0]


def test_metrics_are_loaded_by_name_once():
    bleu = load_metric("bleu", "de")
    assert bleu is load_metric("bleu", "de")
    assert bleu is not load_metric("bleu", "fr")
    assert "eff:yes" in load_metric("bleu:effective-order", "de").signature()
    assert [load_metric(name, "de").name for name in ("d-bleu", "chrf", "chrf++", "d-chrf", "d-chrf++", "d-ter")] == [
        "d-BLEU", "chrF2", "chrF2++", "d-chrF2", "d-chrF2++", "d-TER",
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"E078.*“ter” takes no “:x=1:2”.*name it as ter"):
        load_metric("ter:x=1:2", "de")


def test_metrics_of_annotated_texts_are_told_from_the_others():
    assert all(reads_annotations(name) for name in ("blonde", "blonde:paper", "blonde+", "lc", "rc"))
    assert not any(reads_annotations(name) for name in ("bleu", "comet:x", *METRICS))
    with pytest.raises(InputError):
        reads_annotations("nothing")
    assert load_document_metric("rc", ENGLISH).name == "RC"
    assert "variant:paper" in load_document_metric("blonde:paper", ENGLISH).signature()


def test_lexical_scores_have_the_shape_of_the_sums():
    sums = np.array([[4.0, 1, 0, 0, 0], [2, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
    assert LexicalCohesion(ENGLISH).score(sums) == pytest.approx([0.25, 1, np.nan], nan_ok=True)


def test_embedding_signature_keeps_case(tmp_path: Path):
    said = EmbeddingAverage("en", str(vectors(tmp_path))).signature(short=True).split("|")
    assert said[:3] == ["#:1", "c:mixed", "tok:13a"]
    assert said[3].startswith("vec:v.txt-")
    assert said[4] == "u:skip"


@pytest.mark.parametrize("argument", ["", "unknown=mean", "v.txt,unknown=none"])
def test_embedding_arguments_that_are_wrong_have_a_code(argument: str):
    with pytest.raises(InputError, match="E140"):
        EmbeddingAverage(argument=argument)
