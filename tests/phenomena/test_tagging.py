"""The table of taggers, and options."""

from __future__ import annotations

import pytest
from handmade import document

from endophora.align.records import Link
from endophora.errors import InputError
from endophora.languages.schema import EXTRACTION, INTO_ENGLISH
from endophora.phenomena import PHENOMENA, TAGGERS, TaggerOptions, make_taggers, tag_document
from endophora.phenomena.records import best_targets, mutual_links


def test_no_tagger_is_lost_or_renamed():
    assert PHENOMENA == ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")
    assert EXTRACTION == ("gender", "animacy", "formality_cases", "auxiliary", "inflection")
    assert TAGGERS.names() == (*PHENOMENA, *EXTRACTION, *INTO_ENGLISH)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_taggers_are_made_in_the_order_asked_for(language):
    names = ("verb_form", "formality", "lexical_cohesion", "pronouns")
    taggers = make_taggers(language, TaggerOptions(phenomena=names))
    assert tuple(tagger.phenomenon for tagger in taggers) == names
    assert all(language in tagger.signature for tagger in taggers)


def test_signature_changes_with_every_option():
    names = tuple(name for name in PHENOMENA if name != "ellipsis")
    variants = [
        TaggerOptions(names),
        TaggerOptions(names, lexical_cohesion="surface"),
        TaggerOptions(names, repetitions=2),
        TaggerOptions(names, formality="words"),
        TaggerOptions(names, pronouns="sentence"),
        TaggerOptions(names, antecedent=0.6),
        TaggerOptions(names, pronouns_unmarked=0.8),
        TaggerOptions(names, verb_form="tense"),
    ]
    signatures = {tuple(tagger.signature for tagger in make_taggers("de", options)) for options in variants}
    assert len(signatures) == len(variants)


def test_all_wrong_options_are_reported_at_once():
    with pytest.raises(InputError) as caught:
        make_taggers("de", TaggerOptions(repetitions=0, antecedent=2))
    assert [fault.code for fault in caught.value.faults] == ["E065", "E065"]


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(InputError, match=r"E090.*formality"):
        make_taggers("de", TaggerOptions(phenomena=("formalty",)))
    with pytest.raises(InputError, match=r"E030.*de"):
        make_taggers("dee")


def test_occurrences_of_a_document_are_ordered_by_place():
    pair = ("you/PRON | see/VERB VerbForm=Fin", "Sie/PRON | Virus/NOUN lemma=Virus", "0-0 1-1")
    taggers = make_taggers("de", TaggerOptions(phenomena=("lexical_cohesion", "formality"), repetitions=1))
    found = tag_document(document([pair, pair, pair]), taggers)
    assert [(o.segment, o.target_tokens, o.phenomenon) for o in found] == [
        (1, (0,), "formality"),
        (1, (1,), "lexical_cohesion"),
        (2, (0,), "formality"),
        (2, (1,), "lexical_cohesion"),
    ]


def test_empty_text_has_no_occurrences():
    taggers = make_taggers("fr", TaggerOptions(phenomena=("lexical_cohesion", "formality", "pronouns", "verb_form")))
    assert tag_document(document([("", "", "")] * 3), taggers) == []
    assert tag_document(document([]), taggers) == []


def test_of_equally_sure_links_the_first_counts():
    links = [Link(0, 2, 0.5), Link(0, 1, 0.5), Link(1, 1, 0.4), Link(2, 0, 0.5), Link(1, 0, 0.5)]
    assert mutual_links(links) == {2: 0, 0: 2}
    assert best_targets(links) == {0: 2, 1: 0, 2: 0}
