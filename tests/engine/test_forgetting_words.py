"""A worker's pipelines forget the words of a shard, and what they say of the next one does not change."""

from __future__ import annotations

import random

import pytest

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.components import affix_keys
from endophora.annotate.loading import load_annotator


def texts(shard: int) -> list[str]:
    """Sentences with names that no other shard has."""
    draw = random.Random(shard)
    names = ["".join(draw.choices("abdegiklmnoprstu", k=9)).capitalize() for _ in range(60)]
    return [
        f"{one} told {other} that it wasn't there, and {one}'s friends hadn't seen it."
        for one, other in zip(names[::2], names[1::2], strict=True)
    ]


@pytest.fixture
def annotator() -> SpacyAnnotator:
    found = load_annotator("en")
    assert isinstance(found, SpacyAnnotator)
    return found


def test_forgetting_changes_no_annotation(annotator: SpacyAnnotator, monkeypatch: pytest.MonkeyPatch):
    expected = [list(annotator.annotate(texts(shard))) for shard in range(3)]
    for most in (0, 10**9):
        monkeypatch.setattr("endophora.annotate.annotator._MOST_WORDS", most)
        for shard in range(3):
            with annotator.forgetting():
                assert list(annotator.annotate(texts(shard))) == expected[shard]


def test_words_are_gone_after_a_shard(annotator: SpacyAnnotator, monkeypatch: pytest.MonkeyPatch):
    # Past the limit the tables of words are built again; labels that were met for the first time stay in them.
    monkeypatch.setattr("endophora.annotate.annotator._MOST_WORDS", 0)
    for shard in range(10, 13):
        with annotator.forgetting():
            list(annotator.annotate(texts(shard)))
            assert len(annotator.nlp.vocab) > 60
        assert len(annotator.nlp.vocab) == 0
        assert not {text.split()[0] for text in texts(shard)} & set(annotator.nlp.vocab.strings)


def test_words_below_the_limit_leave_the_tables_as_they_are(annotator: SpacyAnnotator):
    before = dict(annotator.nlp.vocab.lex_attr_getters)
    with annotator.forgetting():
        list(annotator.annotate(texts(20)))
    assert len(annotator.nlp.vocab) > 60
    assert annotator.nlp.vocab.lex_attr_getters == before


def test_remembered_keys_are_those_of_the_form(annotator: SpacyAnnotator):
    list(annotator.annotate(texts(30)))
    nodes = [node for _, pipe in annotator.nlp.pipeline if hasattr(pipe, "model") for node in pipe.model.walk()]
    keys = next(node._func for node in nodes if node.name == "affixes")
    doc = annotator.nlp.make_doc("Unheard-of names, ĳ and 日本")
    arrays, _ = keys(None, [doc, doc[:0].as_doc()], False)
    assert arrays[0].tolist() == [affix_keys(t.orth, t.text, keys.prefixes, keys.suffixes) for t in doc]
    assert arrays[0].dtype == "uint64"
    assert arrays[0].flags.writeable
    assert arrays[1].shape == (0, arrays[0].shape[1])
