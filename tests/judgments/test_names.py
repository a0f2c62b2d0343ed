"""Which forms of a Russian name are one name, and which words of a source are names: worked by hand."""

from __future__ import annotations

import pytest
from tests.phenomena.handmade import document

from endophora.judgments.names import NameUse, all_endings, is_one_name
from endophora.judgments.reading import read_choices
from endophora.judgments.words import is_same_name
from endophora.languages import load_language
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger

RUSSIAN = load_language("ru").content_words.name_endings


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (NameUse("Марин"), NameUse("Марина"), True),  # of the first, a man, the second is a genitive
        (NameUse("Марин", alone=True), NameUse("Марина", alone=True), False),  # two nominatives
        (NameUse("Марин"), NameUse("Марина", nominative=True), False),  # none of whose cases has no ending
        (NameUse("Марин", nominative=True), NameUse("Марина"), True),
        (NameUse("Мариной"), NameUse("Марина", nominative=True), True),
        (NameUse("Мариной"), NameUse("Марин"), False),  # endings of two declensions
        (NameUse("Роберта"), NameUse("Роберт", nominative=True), True),
        (NameUse("Хабах", number="Sing"), NameUse("Хаба", number="Sing"), False),  # a plural, of one person
        (NameUse("Хабах", number="Plur"), NameUse("Хаба", number="Sing"), True),
        (NameUse("Даны"), NameUse("Дана"), True),
        (NameUse("Дани"), NameUse("Дана"), False),  # и follows г, к, х and hushes alone
        (NameUse("Ники"), NameUse("Ника"), True),
        (NameUse("Гёте"), NameUse("Гете"), False),
        (NameUse("Ильёй"), NameUse("Ильей"), True),  # the ending has either letter
    ],
)
def test_the_place_of_a_name_tells_its_case_and_number(one: NameUse, other: NameUse, same: bool):
    assert is_one_name(one, other, RUSSIAN) == same == is_one_name(other, one, RUSSIAN)


def test_where_nothing_else_is_known_any_ending_of_a_declension_will_do():
    assert is_same_name("Хабах", "Хаба", all_endings(RUSSIAN))
    assert not is_same_name("Хабах", "Хабо", all_endings(RUSSIAN))
    assert is_one_name(NameUse("Anna", alone=True), NameUse("Annas", alone=True), ())  # of no known declensions


SAW = "I/PRON >1 :nsubj | saw/VERB :root | "
SEEN = "Я/PRON >1 :nsubj | видел/VERB :root | "


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Brook/NOUN >1 :obj", "PROPN"),  # a capital amid a sentence
        ("brook/NOUN >1 :obj", "NOUN"),
        ("BROOK/NOUN >1 :obj", "NOUN"),
        ("Brook/ADJ >1 :amod", "ADJ"),  # a part of a name, that agrees with the rest
    ],
)
def test_a_capital_amid_a_sentence_tells_a_name_that_an_annotator_misses(word: str, kind: str):
    rest = " | dogs/NOUN >1 :obj | bark/NOUN >1 :obj | cats/NOUN >1 :obj"  # its nouns have no capitals
    segments = [(SAW + word + rest, SEEN + "Брука/PROPN >1 :obj", "0-0 1-1 2-2")] * 2
    tagger = LexicalCohesionTagger(load_language("en"), load_language("ru"))
    shown = read_choices(document(segments), [tagger], ()).shown
    assert {choice.upos for choice in shown if choice.about == "brook"} == {kind}
