"""Choosing parts of speech once more: features keep to their sentence, and labels to their shares."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from scipy import special as _special
from spacy.tokens import Doc

from endophora.annotate.forms import WORD, FormClasses
from endophora.annotate.rescoring import Rescorer, Surroundings
from endophora.errors import InputError

log_softmax, softmax = cast("Any", _special).log_softmax, cast("Any", _special).softmax
NLP = spacy.blank("de")
FORMS = FormClasses.of({WORD + "hat": "f"})
LABELS = ["AUX", "VERB", "VERB", "X"]
UNSURE = np.log(np.array([[0.5, 0.2, 0.2, 0.1]], np.float32))


def parsed(*rows: tuple[str, int, str], text: int = 0) -> Doc:
    words, heads, relations = zip(*rows, strict=True)
    return Doc(NLP.vocab, list(words), heads=list(heads), deps=list(relations), user_data={"text": text})


HAS_DOG = parsed(("Sie", 1, "nsubj"), ("hat", 1, "ROOT"), ("Hunde", 1, "obj"), ("Er", 4, "nsubj"), ("bellt", 4, "ROOT"))


def model(*templates: str, bits: int = 8) -> Rescorer:
    result = Rescorer()
    result.templates, result.names = templates, ("AUX", "VERB", "X")
    result.weights, result.scales = np.zeros((1 << bits, 3), np.float32), np.ones(3, np.float32)
    return result


def test_a_feature_moves_the_part_of_speech_and_leaves_its_labels_their_shares():
    words = Surroundings([HAS_DOG], FORMS)
    scores = np.repeat(UNSURE, len(HAS_DOG), axis=0) + np.float32(3.0)  # any scores whose softmax is the same
    rescorer = model("relation")
    hashes = rescorer.features(rescorer.opinions(scores, LABELS), words)
    rescorer.weights[hashes[1, 0], 1] = np.log(10)
    found = softmax(rescorer.rescored(scores, LABELS, words), axis=1)
    assert found[0] == pytest.approx([0.5, 0.2, 0.2, 0.1], rel=1e-4)  # another relation
    assert found[1] == pytest.approx(np.array([0.5, 2.0, 2.0, 0.1]) / 4.6, rel=1e-4)
    assert found[1].tolist() == pytest.approx(found[4].tolist())  # the other root


def test_scales_sharpen_the_opinion_of_the_network():
    words = Surroundings([parsed(("hat", 0, "ROOT"))], FORMS)
    rescorer = model("form")
    rescorer.scales[:] = 2
    parts = np.array([0.5, 0.4, 0.1]) ** 2
    found = softmax(rescorer.rescored(UNSURE, LABELS, words), axis=1)[0]
    assert found == pytest.approx(np.array([parts[0], parts[1] / 2, parts[1] / 2, parts[2]]) / parts.sum(), rel=1e-3)


def test_opinions_are_log_probabilities_of_parts_of_speech():
    scores = np.array([[2.0, -1.0, 0.5, 0.0]], np.float32)
    expected = np.logaddexp.reduce(log_softmax(scores)[0, 1:3])
    assert model("form").opinions(scores, LABELS)[0, 1] == pytest.approx(expected, rel=1e-4)


def test_neighbours_are_of_the_same_sentence():
    words = Surroundings([HAS_DOG, parsed(("Ja", 0, "ROOT"))], FORMS)
    assert words.opens.tolist() == [True, False, False, True, False, True]
    forms = words.columns["form"]
    left, right = words.neighbours(forms, -1), words.neighbours(forms, 2)
    assert left[1:3].tolist() == forms[:2].tolist()
    assert right[0] == forms[2]
    nothing = {left[0], left[3], left[5], *right[1:].tolist()}
    assert len(nothing) == 1
    assert nothing.isdisjoint(forms.tolist())


def test_words_know_their_heads_children_and_classes():
    words = Surroundings([HAS_DOG], FORMS)
    assert words.heads.tolist() == [1, 1, 1, 4, 4]
    children = words.columns["children"]
    assert children[1] != children[4] != children[0] == 0
    assert len(set(words.columns["side"].tolist())) == 3
    kinds = words.columns["class"]
    assert kinds[1] != kinds[4]
    assert kinds[0] == kinds[3]


def test_texts_side_by_side_have_the_features_that_they_have_alone():
    rescorer = model("tag^ form", "class-1 shape", "tag-1 tag tag+1", "children relation")
    other = parsed(("Ja", 0, "ROOT"), ("bitte", 0, "advmod"))
    scores = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)
    opinions = rescorer.opinions(scores, LABELS)
    together = rescorer.features(opinions, Surroundings([HAS_DOG, parsed_nothing(), other], FORMS))
    alone = [
        rescorer.features(opinions[:5], Surroundings([HAS_DOG], FORMS)),
        rescorer.features(opinions[5:], Surroundings([other], FORMS)),
    ]
    assert together.tolist() == np.concatenate(alone).tolist()


def parsed_nothing() -> Doc:
    return Doc(NLP.vocab)


def test_a_property_that_words_do_not_have_is_a_fault():
    with pytest.raises(InputError, match="E342"):
        model("colour").features(np.zeros((1, 3), np.float32), Surroundings([parsed(("hat", 0, "ROOT"))], FORMS))


@given(
    st.lists(st.floats(-8, 8, width=16), min_size=12, max_size=12),
    st.lists(st.sampled_from(["form", "tag^ tag", "class-1 shape"]), min_size=1, unique=True),
)
def test_what_is_written_is_read(weights: list[float], templates: list[str]):
    written = model(*templates, bits=2)
    written.weights = np.array(weights, np.float32).reshape(4, 3)
    with TemporaryDirectory() as folder:
        written.to_disk(Path(folder))
        read = Rescorer().from_disk(Path(folder))
        assert (read.templates, read.names) == (written.templates, written.names)
        assert read.weights.tolist() == written.weights.tolist()
        assert read.scales.tolist() == written.scales.tolist()
        Rescorer().to_disk(Path(folder))
        assert not len(Rescorer().from_disk(Path(folder)).weights)
