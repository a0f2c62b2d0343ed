"""Verbs that show a level of address by their person, on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, rules

from endophora.languages import load_language
from endophora.phenomena.formality import FormalityTagger

RULES = """\
formality:
  - {level: informal, forms: [ty, cię], source: grammar}
  - {level: formal, forms: [pan], linked: segment, source: grammar}
  - {level: informal, forms: [cebie], linked: always, source_relations: [obj], source: grammar}
formality_verbs:
  - {level: informal, features: {Person: "2"}, addressed: subject, source: grammar}
  - {level: informal, features: {Mood: Imp}, addressed: imperative, source: grammar}
  - {level: informal, features: {Person: "3"}, addressed: subject, bare: true, source: grammar}
  - {level: informal, endings: [arte], addressed: possessor, source: grammar}
"""
TAGGER = FormalityTagger(load_language("en"), rules(RULES))
EARLIER = ("you/PRON", "cię/PRON", "0-0")


def tagged(source, target, links):
    return [occurrence.expected for occurrence in TAGGER.tag(document([EARLIER, (source, target, links)]))]


@pytest.mark.parametrize(
    ("source", "links"),
    [
        ("you/PRON >1 :nsubj | know/VERB", "1-0"),
        ("you/PRON >1 :nsubj | know/VERB", "0-0"),
        ("you/PRON >2 :nsubj | can/AUX >2 :aux | know/VERB", "1-0"),
        ("you/PRON >2 :nsubj | are/AUX >2 :cop | tired/ADJ", "1-0"),
        ("you/PRON >1 :nsubj | come/VERB | and/CCONJ >3 :cc | see/VERB >1 :conj", "3-0"),
    ],
)
def test_verb_shows_the_level_if_the_source_has_a_subject_of_the_second_person(source, links):
    assert tagged(source, "wiesz/VERB Person=2", links) == ["wiesz"]


@pytest.mark.parametrize(
    ("source", "links"),
    [
        ("she/PRON >1 :nsubj | knows/VERB", "1-0"),
        ("she/PRON >1 :nsubj | sees/VERB | you/PRON >1 :obj", "2-0"),
        ("you/PRON >1 :nsubj | know/VERB | she/PRON >3 :nsubj | came/VERB >1 :ccomp", "3-0"),
        ("you/PRON >1 :nsubj | know/VERB", ""),
    ],
)
def test_verb_shows_no_level_otherwise(source, links):
    assert tagged(source, "wiesz/VERB Person=2", links) == []


def test_verb_beside_its_pronoun_is_left_to_the_pronoun():
    source = "you/PRON >1 :nsubj | know/VERB"
    assert tagged(source, "ty/PRON >1 :nsubj | wiesz/VERB Person=2", "0-0 1-1") == ["ty"]
    assert tagged(source, "ty/PRON >2 :nsubj | możesz/AUX Person=2 >2 :aux | wiedzieć/VERB", "0-0 1-1") == ["ty"]


def test_another_subject_beside_the_verb_is_no_pronoun_of_address():
    assert tagged("you/PRON >1 :nsubj | know/VERB", "dom/NOUN >1 :nsubj | wiesz/VERB Person=2", "1-1") == ["wiesz"]


def test_negative_imperative_of_the_source_has_its_mood_at_the_auxiliary():
    source = "do/AUX Mood=Imp >2 :aux | not/PART >2 :advmod | go/VERB VerbForm=Inf"
    assert tagged(source, "nie/PART >1 :advmod | idź/VERB Mood=Imp", "2-1") == ["idź"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("go/VERB VerbForm=Inf :root", ["idź"]),
        ("do/AUX >2 :aux | not/PART >2 :advmod | go/VERB VerbForm=Inf :root", ["idź"]),
        ("does/AUX Person=3 >2 :aux | not/PART >2 :advmod | matter/VERB VerbForm=Inf :root", []),
        ("he/PRON >1 :nsubj | go/VERB VerbForm=Inf :root", []),
        ("to/PART >1 :mark | go/VERB VerbForm=Inf :root", []),
        ("Anna/PROPN >1 :nsubj | go/VERB Mood=Imp :root", ["idź"]),  # a name that is called
        ("they/PRON >1 :nsubj | go/VERB Mood=Imp :root", []),
    ],
)
def test_bare_verb_without_a_subject_is_an_imperative(source, expected):
    assert tagged(source, "idź/VERB Mood=Imp", f"{source.count('|')}-0") == expected


def test_what_follows_an_imperative_is_not_its_subject():
    go = "see/VERB Mood=Imp :root"
    assert tagged(go, "idź/VERB Mood=Imp | on/PRON >0 :nsubj", "0-0") == ["idź"]
    assert tagged(go, "on/PRON >1 :nsubj | idź/VERB Mood=Imp", "0-1") == []


def test_clitic_linked_to_a_subject_is_the_object_of_the_translated_verb():
    source = "I/PRON >1 :nsubj | promise/VERB | you/PRON >1 :obj"
    assert tagged(source, "cebie/PRON >1 :obj | wiem/VERB", "0-0 1-1") == ["cebie"]
    assert tagged("I/PRON >1 :nsubj | promise/VERB | him/PRON >1 :obj", "cebie/PRON >1 :obj | wiem/VERB", "1-1") == []
    third = "she/PRON >1 :nsubj | gives/VERB | him/PRON Person=3 >1 :iobj | you/PRON >1 :obj"
    assert tagged(third, "cebie/PRON >1 :obj | wiem/VERB", "2-0 1-1") == []  # it translates another object


def test_verb_of_the_third_person_is_an_address_only_if_nobody_else_is_its_subject():
    knows = "you/PRON >1 :nsubj | know/VERB"
    assert tagged(knows, "wie/VERB Person=3", "1-0") == ["wie"]
    assert tagged(knows, "człowiek/NOUN >1 :nsubj | wie/VERB Person=3", "1-1") == []


def test_object_pronoun_is_no_address_if_the_source_word_is_a_subject():
    assert tagged("see/VERB | you/PRON >0 :obj", "cebie/PRON", "1-0") == ["cebie"]
    assert tagged("you/PRON >1 :nsubj | see/VERB", "cebie/PRON", "0-0") == []


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("do/AUX | you/PRON | know/VERB", "wie/VERB | pan/NOUN", "1-1", ["pan"]),
        ("do/AUX | you/PRON | know/VERB", "wie/VERB | pan/NOUN", "2-1", ["pan"]),
        ("do/AUX | you/PRON | know/VERB", "wie/VERB | pan/NOUN", "", ["pan"]),
        ("the/DET | man/NOUN | knows/VERB", "wie/VERB | pan/NOUN", "", []),
        ("you/PRON | know/VERB | the/DET | man/NOUN", "wie/VERB | pan/NOUN", "3-1", []),
        ("you/PRON | know/VERB | Mr/PROPN | Nowak/PROPN", "wie/VERB | pan/NOUN | Nowak/PROPN", "3-2", []),
    ],
)
def test_title_is_an_address_where_someone_is_spoken_to_and_no_name_follows(source, target, links, expected):
    earlier = ("you/PRON", "pan/NOUN", "0-0")
    assert [found.expected for found in TAGGER.tag(document([earlier, (source, target, links)]))] == expected


def test_object_that_is_an_ending_of_its_verb():
    assert tagged("help/VERB | you/PRON >0 :obj", "ayudarte/NOUN", "0-0") == ["ayudarte"]
    assert tagged("a/DET | part/NOUN", "parte/NOUN", "1-0") == []


BY_SEGMENT = (
    RULES
    + """\
  - {level: informal, features: {Person: "2"}, addressed: segment, source: grammar}
  - {level: informal, features: {Person: "3"}, addressed: segment, bare: true, source: grammar}
"""
)
SEGMENT = FormalityTagger(load_language("en"), rules(BY_SEGMENT))


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        ("you/PRON >1 :nsubj | know/VERB", "wiesz/VERB Person=2", "", ["wiesz"]),
        ("listen/VERB Mood=Imp", "wiesz/VERB Person=2", "", ["wiesz"]),
        ("he/PRON >1 :nsubj | knows/VERB", "wiesz/VERB Person=2", "", []),
        ("you/PRON >1 :nsubj | know/VERB", "wie/VERB Person=3", "", ["wie"]),
        ("your/PRON >1 :nmod:poss | thoughts/NOUN", "wie/VERB Person=3", "1-0", ["wie"]),
        ("your/PRON >1 :nmod:poss | thoughts/NOUN", "wie/VERB Person=3", "", []),
        ("you/PRON >1 :nsubj | know/VERB | he/PRON >3 :nsubj | sleeps/VERB", "wie/VERB Person=3", "3-0", []),
        ("you/PRON >1 :nsubj | know/VERB", "wie/VERB Person=3 | to/VERB", "1-1", []),
        ("you/PRON >1 :nsubj | know/VERB", "on/PRON Person=3 >1 :nsubj | wie/VERB Person=3", "", []),
    ],
)
def test_a_verb_without_a_link_is_told_by_the_second_person_of_its_segment(source, target, links, expected):
    found = SEGMENT.tag(document([EARLIER, (source, target, links)]))
    assert [occurrence.expected for occurrence in found] == expected


def test_an_object_of_some_verbs_translates_a_subject():
    spanish = FormalityTagger(load_language("en"), load_language("es"))
    earlier = ("you/PRON", "usted/PRON", "0-0")
    for lemma, expected in (("gustar", ["le"]), ("decir", [])):
        like = ("you/PRON >1 :nsubj | like/VERB", f"le/PRON >1 :iobj | x/VERB lemma={lemma}", "0-0 1-1")
        assert [found.expected for found in spanish.tag(document([earlier, like]))] == expected


NAMES = RULES + "  - {level: informal, endings: [ez], addressed: form, source: grammar}\n"


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("good/ADJ", "prenez/PROPN :root", ["prenez"]),
        ("good/ADJ", "prenez/PRON :nsubj >1 | voir/VERB", ["prenez"]),
        ("player/NOUN", "gomez/PROPN :nsubj >1 | marque/VERB", []),
        ("canal/NOUN", "à/ADP :case >1 | suez/PROPN", []),
        ("Lópéz/NOUN", "lopez/VERB", ["lopez"]),
        ("lópéz/NOUN", "lopez/VERB", []),
    ],
)
def test_name_in_a_nouns_place_or_with_other_accents_is_no_verb(source, target, expected):
    made = FormalityTagger(load_language("en"), rules(NAMES))
    assert [one.expected for one in made.tag(document([EARLIER, (source, target, "")]))] == expected


THERE = RULES.replace(
    "formality_verbs:",
    "  - {level: informal, forms: [vi], features: {Person: '2'}, unless_expletive: '\\s(sono|si)\\b', source: x}\n"
    "formality_verbs:",
)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("vi/PRON Person=2 Number=Plur :expl >1 | sono/VERB", []),
        ("vi/PRON Person=2 Number=Plur :expl >2 | si/PRON | vede/VERB", []),
        ("vi/PRON Person=2 Number=Plur :iobj >1 | sono/VERB", ["vi"]),
        ("vi/PRON Person=2 Number=Plur :expl >1 | troverai/VERB Person=2 Number=Sing", ["troverai"]),
        ("vi/PRON Person=2 Number=Plur :expl >1 | alzate/VERB Person=2 Number=Plur", ["vi", "alzate"]),
        ("vi/PRON Person=2 Number=Plur :expl >1 | dico/VERB Person=1 Number=Sing", ["vi"]),
    ],
)
def test_expletive_is_an_adverb_by_what_follows_or_by_its_verbs_number(target, expected):
    made = FormalityTagger(load_language("en"), rules(THERE))
    source = "you/PRON >1 :nsubj | see/VERB"
    assert [one.expected for one in made.tag(document([EARLIER, (source, target, "0-0 1-1")]))] == expected


CLITICS = """\
formality:
  - {level: informal, forms: [ty], source: grammar}
  - level: informal
    forms: [le]
    linked: always
    source_relations: [obj]
    governors: [gustar]
    source: grammar
formality_verbs:
  - {level: informal, features: {Person: "3"}, addressed: subject, bare: true, source: grammar}
  - {level: informal, forms: [jest], addressed: predicate, bare: true, source: grammar}
  - {level: informal, upos: [NOUN], endings: [as], linked_upos: [VERB], addressed: subject, source: grammar}
  - {level: informal, forms: [daj], addressed: imperative, source: grammar}
"""


def clitics(source, target, links):
    tagger = FormalityTagger(load_language("en"), rules(CLITICS))
    return [one.expected for one in tagger.tag(document([("you/PRON", "ty/PRON", "0-0"), (source, target, links)]))]


@pytest.mark.parametrize(("role", "found"), [("obj", ["zna"]), ("nsubj", [])])
def test_what_translates_an_object_is_no_subject_whatever_the_parser_says(role, found):
    source = f"you/PRON >1 :nsubj | know/VERB | Tom/PROPN >1 :{role}"
    assert clitics(source, "zna/VERB Person=3 | Tom/PROPN >0 :nsubj", "1-0 2-1") == found


@pytest.mark.parametrize(("subject", "found"), [("you", ["jest"]), ("she", [])])
def test_copula_shows_the_level_of_what_is_said_of_a_second_person(subject, found):
    source = f"{subject}/PRON >2 :nsubj | are/AUX >2 :cop | ready/ADJ"
    assert clitics(source, "jest/AUX >1 :cop | gotowa/ADJ", "2-1") == found


def test_copula_of_a_predicate_whose_subject_is_a_clause_shows_none():
    source = "you/PRON >2 :nsubj | are/AUX >2 :cop | free/ADJ | to/PART >4 :mark | come/VERB >2 :xcomp"
    assert clitics(source, "jest/AUX >1 :cop | wolno/ADJ | przyjść/VERB >1 :csubj", "2-1 4-2") == []


@pytest.mark.parametrize(("upos", "found"), [("VERB", ["palas"]), ("NOUN", [])])
def test_word_that_models_take_for_a_noun_is_a_verb_if_it_translates_one(upos, found):
    assert clitics(f"you/PRON >1 :nsubj | smoke/{upos}", "palas/NOUN", "1-0") == found


def test_dative_is_of_whose_the_thing_is_in_the_source():
    source = "he/PRON >1 :nsubj | checks/VERB | your/PRON >3 :nmod:poss | arm/NOUN >1 :obj"
    target = "le/PRON >1 :{} | revisa/VERB | brazo/NOUN >1 :obj"
    assert clitics(source, target.format("iobj"), "1-1 3-2") == ["le"]
    assert clitics(source, target.format("obj"), "1-1 3-2") == []


def test_dative_of_a_verb_whose_english_has_it_as_its_subject():
    source, links = "you/PRON >1 :nsubj | like/VERB | music/NOUN >1 :obj", "1-1 2-2"
    target = "le/PRON >1 :iobj | gusta/VERB lemma={} | música/NOUN >1 :nsubj"
    assert clitics(source, target.format("gustar"), links) == ["le"]
    assert clitics(source, target.format("ver"), links) == []


def test_imperative_keeps_its_object_of_the_first_person_which_parsers_take_for_a_subject():
    source = "give/VERB Mood=Imp | me/PRON >0 :iobj"
    assert clitics(source, "daj/VERB | mi/PRON Person=1 >0 :nsubj", "0-0 1-1") == ["daj"]
    assert clitics(source, "mi/PRON Person=1 >1 :nsubj | daj/VERB", "0-1 1-0") == ["daj"]
    assert clitics("give/VERB Mood=Imp | I/PRON >0 :nsubj", "daj/VERB | mi/PRON Person=1 >0 :nsubj", "0-0 1-1") == []


def test_imperative_is_linked_to_the_particle_of_its_verb():
    source = "come/VERB Mood=Imp | back/ADV >0 :advmod"
    assert clitics(source, "daj/VERB :root", "1-0") == ["daj"]
    assert clitics("just/ADV >1 :advmod | come/VERB Mood=Imp", "daj/VERB :root", "0-0") == []


@pytest.mark.parametrize(("upos", "found"), [("VERB", ["palas"]), ("NOUN", [])])
def test_noun_shows_no_possible_level_unless_it_translates_a_verb(upos, found):
    tagger = FormalityTagger(load_language("en"), rules(CLITICS))
    text = document([(f"smoke/{upos}", "palas/NOUN", "0-0")])
    assert [text.target[segment].tokens[index].form for segment, index, *_ in tagger.possible(text)] == found


def test_subject_before_an_imperative_is_one_though_it_translates_an_object():
    source = "stop/VERB Mood=Imp | that/PRON >0 :obj"
    assert clitics(source, "to/PRON Person=3 >1 :nsubj | daj/VERB", "0-1 1-0") == []
    assert clitics(source, "daj/VERB | to/PRON Person=3 >0 :nsubj", "0-0 1-1") == ["daj"]


def test_verb_with_an_expletive_subject_is_no_imperative():
    assert clitics("make/VERB Mood=Imp", "on/PRON >1 :expl:subj | daj/VERB", "0-1") == []


@pytest.mark.parametrize(("mark", "found"), [("", []), (" | do/ADP >2 :mark", ["jest"])])
def test_copula_of_a_predicate_with_a_bare_infinitive_shows_none(mark, found):
    source = "you/PRON >2 :nsubj | are/AUX >2 :cop | free/ADJ | to/PART >4 :mark | come/VERB >2 :xcomp"
    target = f"jest/AUX >1 :cop | wolno/ADJ | przyjść/VERB VerbForm=Inf >1 :xcomp{mark}"
    assert clitics(source, target, "2-1 4-2") == found


@pytest.mark.parametrize(("upos", "found"), [("VERB", ["ty"]), ("ADJ", ["jest", "ty"])])
def test_auxiliary_of_a_verb_to_which_the_address_is_a_dative_shows_none(upos, found):
    source = "you/PRON >1 :nsubj | liked/VERB | it/PRON >1 :obj"
    assert clitics(source, f"jest/AUX >2 :aux | ty/PRON >2 :iobj | dane/{upos}", "1-2") == found


@pytest.mark.parametrize(("role", "clitic", "found"), [("obl", "", ["zna"]), ("obl", "mi", []), ("nsubj", "", [])])
def test_what_translates_an_oblique_is_no_subject_of_a_verb_without_an_object(role, clitic, found):
    source = f"you/PRON >1 :nsubj | familiar/ADJ | with/ADP >3 :case | Tom/PROPN >1 :{role}"
    if clitic:
        assert clitics(source, "mi/PRON >1 :iobj | zna/VERB Person=3 | Tom/PROPN >1 :nsubj", "1-1 3-2") == found
    else:
        assert clitics(source, "zna/VERB Person=3 | Tom/PROPN >0 :nsubj", "1-0 3-1") == found


@pytest.mark.parametrize(("mark", "found"), [("!", ["zna"]), (",", [])])
def test_word_of_another_sentence_is_no_subject(mark, found):
    target = f"Salud/NOUN >2 :nsubj | {mark}/PUNCT >0 :punct | zna/VERB Person=3"
    assert clitics("you/PRON >1 :nsubj | know/VERB", target, "1-2") == found


@pytest.mark.parametrize(("adverb", "found"), [("ever/ADV >2 :advmod", ["ha"]), ("he/PRON >2 :nsubj", [])])
def test_auxiliary_that_is_linked_to_no_verb_is_said_of_whom_its_verb_is(adverb, found):
    subject = "you/PRON >2 :nsubj" if found else "then/ADV >2 :advmod"
    source = f"{subject} | {adverb} | played/VERB"
    assert clitics(source, "ha/AUX Person=3 >1 :aux | jugado/VERB", "1-0 2-1") == found


@pytest.mark.parametrize(("others", "found"), [("", ["tem"]), (" | ty/PRON >1 :iobj", ["ty"])])
def test_pronoun_to_which_alone_the_second_person_is_linked_is_no_other_subject(others, found):
    target = f"que/PRON Person=3 >1 :nsubj | tem/VERB Person=3{others}"
    assert clitics("you/PRON >1 :nsubj | have/VERB", target, f"0-0 1-1{' 0-2' if others else ''}") == found


@pytest.mark.parametrize(
    ("second", "found"), [("second/VERB >0 :conj", ["daj", "idź"]), ("they/PRON >0 :conj", ["daj"])]
)
def test_second_of_two_imperatives_is_one_though_models_take_it_for_a_present(second, found):
    tagger = FormalityTagger(
        load_language("en"), rules(CLITICS + "  - {level: informal, forms: [idź], addressed: imperative, source: g}\n")
    )
    source = f"give/VERB Mood=Imp | {second} Mood=Ind lemma={second.partition('/')[0]}"
    text = document([("you/PRON", "ty/PRON", "0-0"), (source, "daj/VERB | idź/VERB >0 :conj", "0-0 1-1")])
    assert [one.expected for one in tagger.tag(text)] == found


@pytest.mark.parametrize(("relation", "found"), [("nmod", ["le"]), ("nmod:poss", [])])
def test_dative_of_all_of_you(relation, found):
    source = f"I/PRON >1 :nsubj | ask/VERB | all/DET >1 :obj | you/PRON >2 :{relation}"
    assert clitics(source, "le/PRON >1 :obj | pido/VERB Person=1", "1-1") == found


def level(language, source, target, links):
    tagger = FormalityTagger(load_language("en"), load_language(language))
    text = document([(source, target, links)])
    return [(text.target[0].tokens[index].form, shown) for _, index, shown, *_ in tagger.words(text)]


@pytest.mark.parametrize(("mood", "found"), [("Imp", ["Souvenez", "-vous"]), ("Ind", ["-vous"])])
def test_french_imperative_has_vous_as_its_object(mood, found):
    target = "Souvenez/VERB Person=2 Mood=Ind VerbForm=Fin | -vous/PRON >0 :nsubj"
    assert [form for form, _ in level("fr", f"remember/VERB Mood={mood}", target, "0-0")] == found


@pytest.mark.parametrize(("before", "found"), [("", [("aie", "informal")]), ("que/SCONJ >1 :mark | ", [])])
def test_french_form_of_tu_at_the_beginning_is_an_imperative(before, found):
    assert level("fr", "fear/NOUN", f"{before}aie/VERB VerbForm=Fin | peur/NOUN", "") == found


@pytest.mark.parametrize(("clitic", "found"), [("la/PRON >2 :obj", [("lleves", "informal")]), ("hay/VERB", [])])
def test_spanish_subjunctive_after_no_and_a_pronoun_is_an_imperative(clitic, found):
    assert level("es", "gone/ADJ", f"no/ADV | {clitic} | lleves/VERB Person=2 Mood=Sub VerbForm=Fin", "") == found


@pytest.mark.parametrize(("upos", "found"), [("NOUN", [("Gosta", "formal")]), ("DET", [])])
def test_portuguese_verb_that_models_take_for_a_noun(upos, found):
    article = "" if found else " | a/DET >0 :det"
    source = "do/AUX >2 :aux | you/PRON >2 :nsubj | like/VERB"
    assert level("pt", source, f"Gosta/NOUN :root{article}", "2-0") == found
