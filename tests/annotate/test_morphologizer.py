"""The agreeing morphologizer: spaCy's where it has no rules, written and read whole, and quick to set its labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from spacy.pipeline import morphologizer as _compiled
from spacy.tokens import Doc

from endophora.annotate.agreement import Agreement
from endophora.annotate.components import AgreeingMorphologizer
from endophora.annotate.loading import PIPELINES
from endophora.annotate.weights import load_pipeline

Morphologizer = cast("Any", _compiled).Morphologizer
TEXTS = [
    "Die Frau in der Bank sah den alten Mann.",
    "Peters Kinder spielen.",
    "",
    "„Sie können gehen“, sagte er dem Sohn.",
]


@pytest.fixture(scope="module")
def german():
    return load_pipeline(PIPELINES / "de")


def analysed(nlp: Any) -> list[list[tuple[str, str]]]:
    return [[(token.pos_, str(token.morph)) for token in doc] for doc in nlp.pipe(TEXTS)]


def test_articles_and_adjectives_agree_with_their_nouns(german: Any):
    doc = german("Sie wartete in der Bank auf den alten Mann.")
    cases = {token.text: (token.morph.get("Case", []), token.morph.get("Gender", [])) for token in doc}
    assert cases["der"] == cases["Bank"] == (["Dat"], ["Fem"])
    assert cases["den"] == cases["alten"] == cases["Mann"] == (["Acc"], ["Masc"])


def test_without_rules_it_labels_as_spacys_does(german: Any):
    component = cast("AgreeingMorphologizer", german.get_pipe("morphologizer"))
    docs = [german(text) for text in TEXTS]
    rules, component.rules = component.rules, Agreement()
    try:
        ours, theirs = component.predict(docs), Morphologizer.predict(component, docs)
    finally:
        component.rules = rules
    assert [list(each) for each in ours] == [list(each) for each in theirs]


def test_labels_are_set_as_spacy_sets_them(german: Any):
    component = german.get_pipe("morphologizer")
    words = ["a", "b", "c", "d"]
    for start in range(0, len(component.labels) - len(words), 40):
        chosen = [np.arange(start, start + len(words))]
        ours, theirs = Doc(german.vocab, words=words), Doc(german.vocab, words=words)
        component.set_annotations([ours], chosen)
        Morphologizer.set_annotations(component, [theirs], chosen)
        assert [(t.pos_, str(t.morph)) for t in ours] == [(t.pos_, str(t.morph)) for t in theirs]


def test_rules_and_forms_are_read_as_written(german: Any, tmp_path: Path):
    german.to_disk(tmp_path / "de")
    assert analysed(load_pipeline(tmp_path / "de")) == analysed(german)


def test_the_size_of_a_batch_changes_nothing(german: Any):
    alone = [[(token.pos_, str(token.morph)) for token in german(text)] for text in TEXTS]
    assert alone == analysed(german)
