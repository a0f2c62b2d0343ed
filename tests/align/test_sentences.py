"""Sentences are aligned to those that translate them, one by one or several together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.align import sentences as module
from endophora.align.ratios import Ratios
from endophora.align.sentences import SentenceAligner

SOURCE = [
    "The old man went to the sea.",
    "He had a small boat, and he was alone.",
    "The weather was good.",
    "In 1952 he caught a big fish!",
    "His friends waited for him in the village until the evening.",
]
TARGET = [
    "Der alte Mann ging zum Meer.",
    "Er hatte ein kleines Boot.",
    "Und er war allein.",
    "Das Wetter war gut, und 1952 fing er einen großen Fisch!",
    "Seine Freunde warteten bis zum Abend im Dorf auf ihn.",
]


def beads(source, target, pair=("en", "de")):
    return [(list(a), list(b)) for a, b in SentenceAligner(*pair).align(source, target)]


def test_sentences_are_joined_where_a_translation_joins_or_splits_them():
    assert beads(SOURCE, TARGET) == [([0], [0]), ([1], [1, 2]), ([2, 3], [3]), ([4], [4])]


def test_sentences_without_counterpart_stand_alone():
    more = "Meine Tante verkauft übrigens seit gestern Kartoffeln und Zwiebeln auf dem Markt von Toulouse."
    target = [*TARGET[:3], more, *TARGET[3:]]
    assert beads(SOURCE, target) == [([0], [0]), ([1], [1, 2]), ([], [3]), ([2, 3], [4]), ([4], [5])]
    assert beads([], TARGET[:1]) == [([], [0])]


def test_pairs_without_priors_are_aligned_by_way_of_english():
    source = ["Das Haus ist groß.", "Die Katze schläft.", "Wir trinken Wasser."]
    target = ["La maison est grande.", "Le chat dort.", "Nous buvons de l'eau."]
    assert beads(source, target, ("de", "fr")) == [([at], [at]) for at in range(3)]
    rows, columns, ratios = Ratios("de", "fr").pairs(["haus", "katze"], ["maison", "chat"])
    found = dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), ratios.tolist(), strict=True))
    assert min(found[0, 0], found[1, 1]) > 20 * max(found.get((0, 1), 0.1), found.get((1, 0), 0.1))


@given(st.lists(st.text(max_size=20), max_size=6), st.lists(st.text(max_size=20), max_size=6))
@settings(max_examples=40, deadline=None)
def test_every_sentence_of_both_sides_is_in_one_bead_in_order(source, target):
    found = beads(source, target)
    assert [at for one, _ in found for at in one] == list(range(len(source)))
    assert [at for _, other in found for at in other] == list(range(len(target)))


def test_a_narrow_band_finds_the_same(monkeypatch):
    source, target = SOURCE * 12, TARGET * 12
    whole = beads(source, target)
    monkeypatch.setattr(module, "BLOCK", 7)
    narrow = SentenceAligner("en", "de", module.SentenceWeights(band=8)).align(source, target)
    assert [(list(a), list(b)) for a, b in narrow] == whole
    assert len(whole) == 48


def test_lengths_say_as_gale_and_church_do():
    # 2 · (1 − Φ(|δ|)) with δ = (t − s·c) / √(s²·length): 10 characters more of 100 at s² = 6.8, by a table of Φ.
    said = module._by_length(100.0, np.array([110.0]), 1.0, 6.8)
    assert said[0] == pytest.approx(np.log(2 * (1 - 0.6459)), abs=0.01)
