"""Subjects that the source leaves out, on documents written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import document, resolution

from endophora.errors import InputError
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.dropped_subjects import DroppedSubjectTagger

SHE = "She/PRON Case=Nom Person=3 Number=Sing Gender=Fem PronType=Prs >1 :nsubj | left/VERB"
IT = SHE.replace("She", "It").replace("Fem", "Neut")
I = SHE.replace("She", "I").replace("Person=3", "Person=1").replace(" Gender=Fem", "")  # noqa: E741
CAR = ("coche/NOUN", "car/NOUN Number=Sing", "0-0")


def found(*segments, resolutions=(), code="es"):
    made = replace(document(list(segments)), target_resolutions=tuple(resolutions))
    return DroppedSubjectTagger(load_language(code), load_language("en")).tag(made)


@pytest.mark.parametrize(
    ("source", "target", "links", "rules"),
    [
        ("salió/VERB Person=3 Number=Sing VerbForm=Fin", SHE, "0-1", ["she"]),
        ("ella/PRON >1 :nsubj | salió/VERB Person=3 VerbForm=Fin", SHE, "0-0 1-1", []),
        ("ella/PRON | salió/VERB Person=3 VerbForm=Fin", SHE, "1-1", []),  # a pronoun that nothing translates
        ("Ana/PROPN >1 :nsubj | salió/VERB Person=3 VerbForm=Fin", SHE, "1-1", []),
        ("Ana/PROPN >1 :nsubj | vino/VERB | salió/VERB Person=3 VerbForm=Fin >1 :conj", SHE, "2-1", []),
        ("salir/VERB VerbForm=Inf", SHE, "0-1", []),
        ("salgo/VERB Person=1 Number=Sing VerbForm=Fin", I, "0-1", []),  # the verb tells
        ("离开/VERB", I, "0-1", ["i"]),
        ("grande/ADJ >1 :amod | casa/NOUN", SHE, "0-1", []),
        ("salió/VERB Person=3 Number=Sing VerbForm=Fin", IT, "0-1", []),  # it has no antecedent
    ],
)
def test_a_subject_without_a_word_is_found(source, target, links, rules):
    assert [one.rule for one in found((source, target, links))] == rules


def test_it_has_an_antecedent_on_the_english_side_and_its_translation():
    pair = ("arrancó/VERB Person=3 Number=Sing VerbForm=Fin", IT, "0-1")
    (occurrence,) = found(CAR, pair, resolutions=[resolution(1, 0, (0, 0, 0.8))])
    assert (occurrence.segment, occurrence.source_tokens, occurrence.target_tokens) == (1, (0,), (0,))
    assert occurrence.support.target_tokens == ((0, 0),)
    assert occurrence.support.source_tokens == ((0, 0),)
    assert (occurrence.support.distance, occurrence.support.probability) == (1, 0.8)
    assert not found(CAR, pair, resolutions=[resolution(1, 0, (0, 0, 0.3))])


@pytest.mark.parametrize("pair", [("de", "en"), ("es", "fr")])
def test_it_is_of_pairs_into_english_from_languages_that_leave_subjects_out(pair):
    with pytest.raises(InputError, match="E190"):
        make_taggers(pair[1], TaggerOptions(phenomena=("dropped_subjects",)), pair[0])
