"""Phenomena that are looked for backwards are tagged in documents into English too."""

from __future__ import annotations

import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.setup import Setup, Toolbox
from endophora.phenomena import TaggerOptions

PAIRS = (("Die Lampe ist neu.", "The lamp is new."), ("Sie ist sehr teuer.", "It is very expensive."))


def test_animacy_is_tagged_into_english():
    segments = tuple(
        Segment(source, {"ref": target}, {}, Location("memory", line))
        for line, (source, target) in enumerate(PAIRS, start=1)
    )
    corpus = Corpus("de", "en", (Document("d", segments),), ("ref",), ())
    done = evaluate(corpus, Setup("de", "en", taggers=TaggerOptions(phenomena=("animacy",))))
    (found,) = done.occurrences
    assert (found.segment, found.rule, found.expected) == (1, "NOM.FEM.SING", "It")
    assert found.support is not None
    assert (0, 1) in found.support.source_tokens
    assert "corefer of target:" in done.result.signature


def test_phenomena_without_antecedents_need_no_resolver():
    def tools(phenomenon: str) -> Toolbox:
        return Setup("zh", "en", taggers=TaggerOptions(phenomena=(phenomenon,)), store=None).load()

    assert tools("lexical_cohesion").loaded.resolver is None
    loaded = tools("pronouns").loaded
    assert loaded.resolver is not None
    assert loaded.target_resolver is not None


def test_between_two_languages_of_noun_classes_there_are_no_rules_of_pronouns():
    with pytest.raises(InputError, match=r"\[E060\]"):
        _ = Setup("de", "fr", taggers=TaggerOptions(phenomena=("pronouns",)), store=None).load().taggers
