"""Pronouns that the target leaves out and its verb shows, on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, resolution, rules

from endophora.phenomena.pronouns import PronounTagger

RULES = """\
pronouns:
  - label: it
    source_forms: [it]
    alternatives: {Masc: [on], Fem: [ona], Neut: [ono]}
    verbs: {Tense: Past, Number: Sing}
    verb_pattern: ł[ao]?$
    unmarked_values: [Neut]
    source: grammar
  - label: them
    source_forms: [them]
    alternatives: {Masc: [ich]}
    target_features: {Case: Acc}
    source: grammar
  - label: its
    source_forms: [its]
    alternatives: {Masc: [jego], Fem: [jej]}
    endings: {Masc: [h], Fem: [ha]}
    ending_features: {Number: Sing}
    source: grammar
  - label: object
    source_forms: [it]
    alternatives: {}
    endings: {Masc: [rlo], Fem: [rla]}
    ending_upos: [VERB]
    unmarked_values: [Masc]
    source: grammar
  - label: predicate
    source_forms: [it]
    alternatives: {Masc: [on], Fem: [ona]}
    verbs: {Number: Sing}
    verb_upos: [ADJ]
    unmarked_values: [Masc]
    source: grammar
  - label: this
    source_forms: [this]
    alternatives: {Masc: [ten], Fem: [ta]}
    unless_predicate: [NOUN]
    source: grammar
"""
TAGGER = PronounTagger(rules(RULES))
LAMP = ("lamp/NOUN", "lampa/NOUN Gender=Fem Number=Sing", "0-0")
ROOF = ("roof/NOUN", "dach/NOUN Gender=Masc Number=Sing", "0-0")
FELL = "it/PRON Number=Sing >1 :nsubj | fell/VERB"
SPADLA = "spadła/VERB Gender=Fem Number=Sing Tense=Past"


def tagged(earlier, source, target, links, probability=0.6):
    resolutions = [resolution(1, 0, (0, 0, probability))]
    return [found.expected for found in TAGGER.tag(document([earlier, (source, target, links)], resolutions))]


@pytest.mark.parametrize("links", ["1-0", "0-0", "0-0 1-0"])
def test_verb_that_shows_the_gender_stands_for_the_pronoun(links):
    assert tagged(LAMP, FELL, SPADLA, links) == ["spadła"]


def test_auxiliary_shows_it_as_well():
    source = "it/PRON >2 :nsubj | was/AUX >2 :cop | new/ADJ"
    target = "była/AUX Gender=Fem Number=Sing Tense=Past >1 :cop | nowa/ADJ"
    assert tagged(LAMP, source, target, "1-0 2-1") == ["była"]


def test_noun_of_another_gender_is_no_antecedent():
    assert tagged(ROOF, FELL, SPADLA, "1-0") == []


def test_expressed_pronoun_is_tagged_in_its_place():
    assert tagged(LAMP, FELL, "ona/PRON >1 :nsubj | " + SPADLA, "0-0 1-1") == ["ona"]


@pytest.mark.parametrize("relation", ["nsubj", "csubj", "nsubj:pass"])
def test_verb_with_a_subject_stands_for_no_pronoun(relation):
    assert tagged(LAMP, FELL, f"to/PRON >1 :{relation} | {SPADLA}", "1-1") == []


def test_verb_whose_features_are_not_asked_for_shows_nothing():
    assert tagged(LAMP, FELL, "spada/VERB Number=Sing Tense=Pres", "1-0") == []


@pytest.mark.parametrize(
    "source", ["it/PRON >1 :expl | fell/VERB", "he/PRON >1 :nsubj | fell/VERB", "it/PRON >1 :obj | saw/VERB"]
)
def test_other_source_words_are_not_left_out(source):
    assert tagged(LAMP, source, SPADLA, "1-0") == []


def test_verb_whose_form_is_another_person_shows_nothing():
    assert tagged(LAMP, FELL, SPADLA.replace("spadła", "spadłam"), "1-0") == []


def test_value_that_also_stands_for_nothing_needs_a_surer_noun():
    window = ("window/NOUN", "okno/NOUN Gender=Neut Number=Sing", "0-0")
    fell = "spadło/VERB Gender=Neut Number=Sing Tense=Past"
    assert tagged(window, FELL, fell, "1-0", 0.3) == []
    assert tagged(window, FELL, fell, "1-0", 0.6) == ["spadło"]


@pytest.mark.parametrize(("case", "expected"), [("Acc", ["ich"]), ("Gen", [])])
def test_form_may_need_features(case, expected):
    assert tagged(ROOF, "them/PRON Number=Plur", f"ich/PRON Case={case}", "0-0") == expected


ITS = "its/PRON Poss=Yes >1 :nmod:poss | door/NOUN"


@pytest.mark.parametrize(
    ("earlier", "word", "links", "expected"),
    [
        (LAMP, "babuha/NOUN Number=Sing", "1-0", ["babuha"]),
        (LAMP, "babuha/NOUN Number=Sing", "0-0", ["babuha"]),
        (ROOF, "babuh/NOUN Number=Sing", "1-0", ["babuh"]),
        (ROOF, "babuha/NOUN Number=Sing", "1-0", []),  # the roof is no possessor of what is feminine
        (LAMP, "babuha/NOUN Number=Plur", "1-0", []),
        (LAMP, "babuha/VERB Number=Sing", "1-0", []),
        (LAMP, "babuha/NOUN Number=Sing", "", []),
        (LAMP, "bab/NOUN Number=Sing", "1-0", []),
        (LAMP, "ha/NOUN Number=Sing", "1-0", []),
    ],
)
def test_ending_stands_for_the_possessor(earlier, word, links, expected):
    assert tagged(earlier, ITS, word, links, 0.9) == expected


def test_possessive_that_is_a_word_is_tagged_in_its_place():
    assert tagged(LAMP, ITS, "jej/PRON | babuha/NOUN Number=Sing", "0-0 1-1", 0.9) == ["jej"]


@pytest.mark.parametrize(
    ("earlier", "verb", "probability", "expected"),
    [
        (LAMP, "hacerla", 0.4, ["hacerla"]),
        (ROOF, "hacerlo", 0.3, []),
        (ROOF, "hacerlo", 0.6, ["hacerlo"]),
        (LAMP, "hacer", 0.8, []),
    ],
)
def test_object_that_is_an_ending_of_its_verb(earlier, verb, probability, expected):
    source = "it/PRON Number=Sing >1 :obj | make/VERB"
    assert tagged(earlier, source, f"{verb}/VERB", "1-0", probability) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hidden/ADJ >1 :xcomp", ["ocultarla"]),
        ("eat/VERB >1 :xcomp | bread/NOUN >2 :obj", []),  # the verb's object is another
        ("eat/VERB >1 :conj", []),
    ],
)
def test_object_that_is_an_ending_of_what_is_made_of_it(said: str, expected: list[str]):
    assert tagged(LAMP, f"it/PRON Number=Sing >1 :obj | keep/VERB | {said}", "ocultarla/VERB", "2-0", 0.4) == expected


@pytest.mark.parametrize(("predicate", "expected"), [("big/ADJ", ["ta"]), ("chance/NOUN", [])])
def test_subject_that_agrees_with_its_predicate_is_no_choice(predicate, expected):
    asked = f"this/PRON Number=Sing | is/AUX >0 :cop | {predicate} >0 :nsubj | which/DET PronType=Int >2 :det"
    assert tagged(LAMP, asked, "ta/PRON", "0-0") == expected
    assert tagged(LAMP, asked.replace("Int", "Dem"), "ta/PRON", "0-0") == ["ta"]  # that pair are these
    source = f"this/PRON Number=Sing >1 :nsubj | {predicate}"
    assert tagged(LAMP, source, "ta/PRON | x/NOUN", "0-0", 0.8) == expected


@pytest.mark.parametrize(
    ("earlier", "gender", "relation", "probability", "expected"),
    [
        (LAMP, "Fem", "cop", 0.4, ["nowa"]),
        (ROOF, "Masc", "cop", 0.3, []),
        (ROOF, "Masc", "cop", 0.6, ["nowa"]),
        (LAMP, "Fem", "nsubj", 0.8, []),
    ],
)
def test_predicate_adjective_shows_the_gender_too(earlier, gender, relation, probability, expected):
    source = "it/PRON Number=Sing >2 :nsubj | is/AUX >2 :cop | new/ADJ"
    target = f"jest/AUX >1 :{relation} | nowa/ADJ Gender={gender} Number=Sing"
    assert tagged(earlier, source, target, "1-0 2-1", probability) == expected


@pytest.mark.parametrize(("relation", "expected"), [("parataxis", ["nowa"]), ("advmod", [])])
def test_what_is_said_of_the_same_subject_shows_the_gender(relation, expected):
    source = f"it/PRON Number=Sing >2 :nsubj | is/AUX >2 :cop | toy/NOUN | new/ADJ >2 :{relation}"
    assert tagged(LAMP, source, "nowa/ADJ Gender=Fem Number=Sing", "3-0", 0.8) == expected
    called = f"{source} | my/PRON >3 :nmod:poss"  # trust me, my dear
    assert tagged(LAMP, called, "nowa/ADJ Gender=Fem Number=Sing", "3-0", 0.8) == []


def test_attribute_shows_nothing():
    source = "it/PRON Number=Sing >2 :nsubj | is/AUX >2 :cop | new/ADJ"
    target = "jest/AUX | coś/NOUN | nowa/ADJ Gender=Fem Number=Sing >1 :amod"
    assert tagged(LAMP, source, target, "1-0 2-2", 0.8) == []


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        # Annotators take a verb with an object for a noun, which has an article.
        ("it/PRON Number=Sing >1 :obj | make/VERB", "hacerla/PROPN", "1-0", ["hacerla"]),
        ("it/PRON Number=Sing >1 :obj | make/VERB", "la/DET >1 :det | hacerla/PROPN", "1-1", []),
        ("it/PRON Number=Sing >1 :obj | make/NOUN", "hacerla/PROPN", "1-0", []),
        # Linked to the particle, or the auxiliary of what is linked.
        ("it/PRON Number=Sing >1 :obj | break/VERB | down/ADP >1 :compound:prt", "romperla/VERB", "2-0", ["romperla"]),
        ("it/PRON Number=Sing >1 :obj | seen/VERB", "haberla/VERB >1 :aux | visto/VERB", "1-1", ["haberla"]),
    ],
)
def test_a_verb_with_its_object_is_known_by_what_it_is_linked_to(source, target, links, expected):
    assert tagged(LAMP, source, target, links, 0.9) == expected


@pytest.mark.parametrize(
    ("made", "target", "expected"),
    [
        ("", "wygląda/VERB | nowa/ADJ >0 :xcomp Gender=Fem Number=Sing", ["nowa"]),  # it looks new
        (
            " | wall/NOUN >1 :obj",
            "wygląda/VERB | nowa/ADJ >0 :xcomp Gender=Fem Number=Sing",
            [],
        ),  # it makes the wall new
        ("", "lampa/NOUN >1 :nsubj | wygląda/VERB | nowa/ADJ >1 :xcomp Gender=Fem Number=Sing", []),
    ],
)
def test_adjective_that_a_verb_says_of_its_subject_shows_the_gender(made, target, expected):
    source = "it/PRON Number=Sing >1 :nsubj | looks/VERB | new/ADJ >1 :xcomp" + made
    links = f"1-{target.split(' | ').index('wygląda/VERB')} 2-{len(target.split(' | ')) - 1}"
    assert tagged(LAMP, source, target, links, 0.9) == expected
