"""Training makes a pipeline that can be loaded, segments keep their trees, and the scorer counts as by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import spacy
from test_treebanks import archive, row

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.components import folded
from endophora.annotate.weights import load_pipeline
from endophora.errors import InputError
from endophora_makers.annotators import Progress, fit, gather, train_annotator, with_trees
from endophora_makers.conllu import Sentence, Word
from endophora_makers.examples import make_example, segments, varied
from endophora_makers.recipe import Augment, load_recipe
from endophora_makers.scoring import score_annotator

RECIPE = """
language: en
components: [parser, morphologizer, endophora_lemmatizer]
network: {width: 16, depth: 1, pieces: 2, hidden: 16, form_rows: 50, shape_rows: 9, prefixes: {}, suffixes: {"2": 9}}
training: {words: 4000, batch: 40, rate: 0.01, warmup: 1}
sources: [{name: t, archive: t.tar.xz, files: [t/train.conllu]}]
tests: [{name: t, archive: t.tar.xz, files: [t/test.conllu]}]
"""


def sentence(*words: str) -> str:
    first, verb = row("1", words[0], "PRON", 2, "nsubj"), row("2", words[1], "VERB", 0, "root", "SpaceAfter=No")
    return "\n".join((first, verb, row("3", ".", "PUNCT", 2, "punct"))) + "\n\n"


def test_a_pipeline_is_trained_saved_and_loaded(tmp_path: Path):
    train = "".join(sentence(a, b) for a in ("I", "you", "we", "they") for b in ("see", "go", "eat", "run")) * 3
    archive(tmp_path / "t.tar.xz", {"t/train.conllu": train, "t/test.conllu": sentence("He", "sleeps")})
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    reports: list[Progress] = []
    train_annotator("en", tmp_path, tmp_path / "out", recipe=tmp_path / "recipe.yaml", progress=reports.append)
    nlp = load_pipeline(tmp_path / "out")
    (text,) = SpacyAnnotator(nlp, "en", "t").annotate(["We run."])
    assert [(t.upos, t.lemma) for t in text.tokens] == [("PRON", "we"), ("VERB", "run"), ("PUNCT", ".")]
    assert [t.head for t in text.tokens] == [1, -1, 1]


def test_sentences_without_a_tree_get_the_one_of_a_pipeline_and_others_keep_theirs(tmp_path: Path):
    train = "".join(sentence(a, b) for a in ("I", "you", "we", "they") for b in ("see", "go", "eat", "run")) * 3
    archive(tmp_path / "t.tar.xz", {"t/train.conllu": train, "t/test.conllu": sentence("He", "sleeps")})
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    plan = load_recipe("en", tmp_path / "recipe.yaml")
    fitted = fit(plan, gather(plan, tmp_path), plan.training.words)
    bare = Sentence((Word("We", upos="PRON"), Word("run", space=False), Word(".")))
    flat = Sentence((Word("We", head=-1), Word("run", head=0), Word(".", head=0)))
    found = list(with_trees([bare, flat, bare], fitted))
    assert [[word.head for word in one.words] for one in found] == [[1, -1, 1], [-1, 0, 0], [1, -1, 1]]
    assert [word.relation for word in found[0].words] == ["nsubj", "root", "punct"]
    assert [word.upos for word in found[0].words] == ["PRON", "_", "_"]


def test_text_that_is_all_in_the_tests_too_is_nothing_to_learn_from(tmp_path: Path):
    archive(tmp_path / "t.tar.xz", dict.fromkeys(("t/train.conllu", "t/test.conllu"), sentence("He", "sleeps")))
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    with pytest.raises(InputError, match=r"\[E082\].*all are in its tests.*name treebanks with other sentences"):
        train_annotator("en", tmp_path, tmp_path / "out", recipe=tmp_path / "recipe.yaml")
    assert not (tmp_path / "out").exists()


def test_segments_keep_every_word_and_move_heads():
    one = Sentence((Word("a", head=1), Word("b", head=-1, space=False)), document="d")
    two = Sentence((Word("c", head=-1), Word("d", head=0)), document="d")
    other = Sentence((Word("e", head=-1),), document="other")
    for seed in range(20):
        found = list(segments([one, two, other], Random(seed)))
        assert [w.form for segment in found for w in segment] == ["a", "b", "c", "d", "e"]
        assert found[-1] == other.words
        if len(found) == 2:
            assert [w.head for w in found[0]] == [1, -1, -1, 2]
            assert found[0][1].space


def test_a_varied_word_has_no_lemma_label():
    words = (Word("Go", "go", "VERB", head=-1), Word("!", "!", "PUNCT", head=0))
    assert [(w.form, w.lemma) for w in varied(words, Augment(upper=1.0), Random(0))] == [("GO", "_"), ("!", "_")]
    assert varied(words, Augment(unpunctuated=1.0), Random(0)) == words[:1]
    assert varied(words, Augment(), Random(0)) == words


def test_what_is_not_annotated_is_missing_not_empty():
    words = [Word("Tu", "toi", "PRON", features="Person=2"), Word("x"), Word(".", ".", "PUNCT")]
    example = make_example(spacy.blank("fr").vocab, words, {})
    assert example.get_aligned("POS", as_string=True) == ["PRON", "", "PUNCT"]
    assert example.get_aligned("MORPH", as_string=True) == ["Person=2", "", "_"]


def test_a_form_is_folded_unless_its_lemma_is_capitalised():
    assert [folded("Tu", "toi"), folded("Häuser", "Haus"), folded("IST", "sein")] == ["tu", "Häuser", "ist"]


def test_the_scorer_counts_as_by_hand():
    nlp = spacy.blank("en")
    words = (
        Word("Go", "go", "VERB", features="Mood=Imp", head=-1, relation="root"),
        Word("home", "home", "ADV", head=0),
    )
    scores = score_annotator(SpacyAnnotator(nlp, "en", "blank"), [Sentence(words)])
    # The blank pipeline says no part of speech and takes the form for the lemma: one lemma of two is right.
    assert scores.words == 2
    assert (scores.gold["UPOS"], scores.gold["LEMMA"]) == (0.0, 50.0)
    assert "Mood" not in scores.gold
    assert scores.own["TOKENS"] == 100.0
