"""UniMorph bundles of written words: the weightiest part's, with what its clitic says."""

from __future__ import annotations

import re

from endophora_makers.conllu import Sentence, Word
from endophora_makers.orthographic_unimorph import written_words

SPELLING = [(re.compile("ة"), "ت"), (re.compile("لال"), "لل")]


def words(*parts: tuple[str, str]) -> Sentence:
    return Sentence(tuple(Word(form, features=bundle) for form, bundle in parts))


def test_letters_that_change_where_words_meet_are_no_hindrance():
    # “and her city is for the boy.” in our own words
    her_city = (("و", "CONJ"), ("مدينة", "N;SG;NOM"), ("ها", "PRO;3;SG;FEM"))
    sentence = words(*her_city, ("ل", "ADP"), ("الولد", "N;SG;GEN;DEF"), (".", "_"))
    city, boy, stop = written_words(sentence, "ومدينتها للولد.", SPELLING)
    assert (city.form, city.features, city.space) == ("ومدينتها", "N;SG;NOM", True)
    assert city.misc == "Gender[psor]=Fem|Number[psor]=Sing|Person[psor]=3"
    assert (boy.form, boy.features, boy.space) == ("للولد", "N;SG;GEN;DEF", False)
    assert stop.form == "."


def test_an_object_of_a_verb_has_a_layer_of_its_own():
    (saw,) = written_words(words(("رأى", "V;PFV;3;SG;MASC"), ("هم", "PRO;3;PL;MASC")), "رأىهم", SPELLING)
    assert saw.misc == "Gender[obj]=Masc|Number[obj]=Plur|Person[obj]=3"


def test_words_that_are_not_those_of_the_text_give_nothing():
    assert written_words(words(("كتاب", "N;SG")), "قلم", SPELLING) == ()
    assert written_words(words(("كتاب", "N;SG")), "كتاب قلم", SPELLING) == ()
    assert written_words(words(("كتاب", "N;SG"), ("قلم", "N;SG")), "كتاب", SPELLING) == ()
