"""Embeddings of senses, and the threshold chosen by a gold clustering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import spacy
from lxml import etree

from endophora.errors import InputError, MissingModelError
from endophora.suites.senses.build import draw_curves
from endophora.suites.senses.clusters import (
    STEPS,
    Cluster,
    ClusterScore,
    Counts,
    choose_threshold,
    compare_with_gold,
    steps_around,
    try_thresholds,
)
from endophora.suites.senses.embeddings import load_similarity
from endophora.suites.senses.inventory import Sense, SourceWord

WORD = SourceWord("bank", "NOUN")


def cluster(*words: str, id: str = "", signs: str = "") -> Cluster:
    return Cluster(words, (Sense(id, "", words, frozenset(signs.split())),))


def matrix(name: str, *clusters: Cluster, counts: Counts | None = None):
    return load_similarity(name, {WORD: clusters}, counts or Counts({}, 0)).matrix(WORD, clusters)


def test_word_vectors_are_averaged_over_a_clusters_words(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("4 2\nufer 1 0\nRand 0 2\nBank 1 1\nx 5 5\n", "utf-8")
    found = matrix(f"words:{tmp_path / 'v.vec'}", cluster("Ufer", "Rand"), cluster("Bank"), cluster("none"))
    assert found[0, 1] == pytest.approx(1.0)
    assert np.isnan(found[0, 2])


def test_vectors_of_a_spacy_model_are_those_of_a_file(tmp_path: Path) -> None:
    vectors = {"ufer": [1.0, 0.0], "rand": [1.0, 1.0], "bank": [0.0, 1.0]}
    lines = [f"{word} {first} {second}" for word, (first, second) in vectors.items()]
    (tmp_path / "x.vec").write_text("\n".join(("3 2", *lines)) + "\n", "utf-8")
    model = spacy.blank("de")
    model.vocab.reset_vectors(width=2)
    for word, values in vectors.items():
        model.vocab.set_vector(word, np.array(values, dtype=np.float32))
    model.to_disk(tmp_path / "model")
    lexicon = {WORD: (cluster("Ufer", "Rand"), cluster("Bank"))}
    found, expected = (
        load_similarity(name, lexicon, Counts({}, 0)).matrix(WORD, lexicon[WORD])
        for name in (f"spacy:{tmp_path / 'model'}", f"words:{tmp_path / 'x.vec'}")
    )
    assert found == pytest.approx(expected)
    assert 0 < found[0, 1] < 1


def test_a_spacy_model_that_is_absent_or_has_no_vectors_is_told(tmp_path: Path) -> None:
    spacy.blank("de").to_disk(tmp_path / "model")
    for name in ("no_such_model", tmp_path / "model"):
        with pytest.raises(MissingModelError, match="E334"):
            load_similarity(f"spacy:{name}", {WORD: (cluster("Ufer"),)}, Counts({}, 0))


def test_synset_vectors_are_found_by_id_also_with_a_pages_name_behind(tmp_path: Path) -> None:
    (tmp_path / "nasari.txt").write_text("bn:1n__Bank 1 0\nbn:2n 0.6 0.8\n", "utf-8")
    found = matrix(f"synsets:{tmp_path / 'nasari.txt'}", cluster("a", id="bn:1n"), cluster("b", id="bn:2n"))
    assert found[0, 1] == pytest.approx(0.6)


def test_senses_that_share_translations_are_alike() -> None:
    clusters = (cluster("phone", signs="fr:t es:t ru:t"), cluster("telephone", signs="fr:t es:t it:t"), cluster("sign"))
    found = matrix("signs", *clusters)
    assert found[0, 1] == pytest.approx(2 / (3 + 1))
    assert np.isnan(found[0, 2])


def test_senses_that_explain_one_another_are_alike() -> None:
    glosses = (
        "woman: adult female person",
        "lady: a polite woman",
        "wife: married partner",
        "woman: a wife",
    )
    clusters = [Cluster((text[:4],), (Sense(text, text, ()),)) for text in glosses]
    clusters.append(cluster("Frau"))
    found = load_similarity("glosses", {}, Counts({}, 0)).matrix(WORD, clusters)
    assert found[0, :4].tolist() == [0, 1, 0, 0]  # neither its own headword nor that of another without a word of it
    assert found[2, :4].tolist() == [0, 0, 0, 1]
    assert np.array_equal(found, found.T, equal_nan=True)
    assert np.isnan(found[4]).all()


def test_words_that_translate_the_same_other_words_are_alike() -> None:
    other = SourceWord("beginn", "NOUN")
    counts = Counts({WORD: {"start": 9, "beginning": 9, "ladder": 9}, other: {"start": 9, "beginning": 9}}, 99)
    found = matrix("corpus", cluster("start"), cluster("beginning"), cluster("ladder"), counts=counts)
    # WORD has 27 links and the other 18: only the other's part of the product counts.
    weights = {word: 9 / total**0.5 for word, total in ((WORD, 27), (other, 18))}
    norm = sum(weight**2 for weight in weights.values())
    assert found[0, 1] == pytest.approx(weights[other] ** 2 / norm)
    assert found[0, 2] == 0.0


def test_of_several_embeddings_the_most_alike_counts_in_the_measure_of_the_first() -> None:
    other = SourceWord("beginn", "NOUN")
    counts = Counts({WORD: {"a": 2, "b": 2}, other: {"a": 2, "b": 2}}, 9)
    signed = (cluster("a", signs="x"), cluster("b", signs="x"))
    assert matrix("signs", *signed)[0, 1] == pytest.approx(0.5)
    assert matrix("corpus", *signed, counts=counts)[0, 1] == pytest.approx(0.5)
    assert matrix("signs+corpus", *signed, counts=counts)[0, 1] == pytest.approx(0.5 * 0.25 / 0.02)
    assert matrix("signs+corpus", cluster("a"), cluster("b"), counts=counts)[0, 1] == pytest.approx(0.5 * 0.25 / 0.02)
    assert matrix("signs+corpus", *signed)[0, 1] == pytest.approx(0.5)
    assert np.isnan(matrix("signs+corpus", cluster("a"), cluster("b"))[0, 1])


@pytest.mark.parametrize("name", ["nothing", "words:", "signs+x"])
def test_unknown_embeddings_are_told(name: str) -> None:
    with pytest.raises(InputError, match="E220"):
        matrix(name, cluster("a"))
    assert load_similarity("none", {}, Counts({}, 0)) is None


GOLD = {"bank": (frozenset({"ufer", "rand"}), frozenset({"bank"})), "arm": (frozenset({"arm"}), frozenset({"waffe"}))}


@pytest.mark.parametrize(
    ("clusters", "correct", "inferred"),
    [
        ([{"ufer", "rand"}, {"bank"}], 2, 2),
        ([{"ufer"}, {"rand"}, {"bank"}], 1, 3),  # falsely kept separate
        ([{"ufer", "bank"}], 0, 1),  # falsely merged
        ([{"ufer", "neu"}, {"bank"}, {"ganz neu"}], 2, 2),  # what gold does not have does not count
    ],
)
def test_a_cluster_is_right_as_the_paper_says(clusters, correct, inferred) -> None:
    found = compare_with_gold({"bank": [frozenset(words) for words in clusters]}, GOLD)
    assert (found.correct, found.inferred, found.gold) == (correct, inferred, 4)
    assert found.recall == correct / 4


def test_f_scores_are_weighted_harmonic_means() -> None:
    """The paper's Table 3: precision 67 %, recall 28 % give F1 40 % and F0.5 52 %."""
    score = ClusterScore(0.3, 67 * 28, 100 * 28, 67 * 100)
    assert (round(score.precision, 2), round(score.recall, 2)) == (0.67, 0.28)
    assert (round(score.f(1), 2), round(score.f(0.5), 2)) == (0.39, 0.52)
    assert ClusterScore(0.3, 0, 0, 0).f(1) == 0.0


def test_the_threshold_with_the_best_score_is_chosen() -> None:
    lexicon = {WORD: (cluster("Ufer", signs="a b c"), cluster("Rand", signs="a b c"), cluster("Bank", signs="d e f"))}
    curve = try_thresholds(lexicon, load_similarity("signs", lexicon, Counts({}, 0)), GOLD)
    assert tuple(score.threshold for score in curve) == STEPS
    assert choose_threshold(curve) == 0.15
    assert curve[0].correct == curve[0].inferred == curve[0].gold == 2


def test_thresholds_lie_about_the_usual_one_as_the_papers_do() -> None:
    assert steps_around(0.3) == STEPS
    assert steps_around(0.02)[0] == pytest.approx(0.01)


def test_the_drawing_is_svg_without_script_or_link() -> None:
    drawn = draw_curves([ClusterScore(0.15, 1, 2, 4), ClusterScore(0.65, 2, 2, 4)])
    root = etree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(root.findall(".//{*}polyline")) == 8
    assert not root.findall(".//{*}script")
    assert "0.65" in root.get("aria-label")


@pytest.mark.parametrize(("usual", "marks"), [(0.3, 11), (0.02, 6)])
def test_marks_of_the_axis_are_left_out_where_they_would_touch(usual: float, marks: int) -> None:
    root = etree.fromstring(draw_curves([ClusterScore(step, 1, 2, 4) for step in steps_around(usual)]))
    texts = [text.text for text in root.findall(".//{*}text")]
    assert sum(text.replace(".", "").isdigit() for text in texts) == 2 * marks
    assert texts.count("threshold γ") == 2
    assert len(root.findall(".//{*}circle")) == 1
