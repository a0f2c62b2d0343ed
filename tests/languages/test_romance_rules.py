"""Rule files of Spanish, Portuguese, Italian and Romanian, beside the tables of the paper, its slips set right."""

from __future__ import annotations

import pytest
from rules import choices, levels

from endophora.languages import load_language

CODES = ("es", "pt", "it", "ro")


@pytest.mark.parametrize(
    ("code", "level", "forms"),
    [
        ("es", "informal", "tú tu tus ti contigo tuyo te tuya vosotros vuestro vuestra vuestras os"),
        ("es", "formal", "usted"),
        ("it", "informal", "tu tuo tua tuoi"),
        ("it", "formal", "lei suo sua suoi"),
        ("pt", "informal", "tu tua teu teus tuas te"),
        ("pt", "formal", "você sua seu seus suas lhe"),
        ("ro", "informal", "tu voi tău ta tale tine"),
        ("ro", "polite", "dumneata mata matale"),
        ("ro", "formal", "dumneavoastră dânsul dânsa dumnealui dumneaei dumnealor"),
    ],
)
def test_levels_have_the_words_of_table_10(code, level, forms):
    assert set(forms.split()) <= levels(code)[level]


def test_personal_pronouns_of_the_third_person_are_no_romanian_level():
    everything = set().union(*levels("ro").values())
    assert everything.isdisjoint({"el", "ea", "ei", "ele"})


@pytest.mark.parametrize(
    ("code", "source", "forms"),
    [
        ("es", "it", "él ella"),
        ("es", "they", "ellos ellas"),
        ("es", "them", "ellos ellas"),
        ("es", "this", "ésta éste esto"),
        ("es", "that", "esa ese"),
        ("es", "these", "estos estas"),
        ("es", "those", "aquellos aquellas ésos ésas"),
        ("it", "it", "esso essa"),
        ("it", "them", "essi esse"),
        ("it", "this", "questa questo"),
        ("it", "that", "quella quello"),
        ("it", "these", "queste questi"),
        ("it", "those", "quelle quelli"),
        ("pt", "it", "ele ela o a"),
        ("pt", "them", "eles elas os as"),
        ("pt", "they", "eles elas"),
        ("pt", "this", "este esta esse essa"),
        ("pt", "that", "esse essa"),
        ("pt", "these", "estes estas esses essas"),
        ("pt", "those", "esses essas"),
        ("ro", "it", "el ea"),
        ("ro", "they", "ei ele"),
        ("ro", "them", "ei ele"),
    ],
)
def test_pronouns_have_the_choices_of_table_11(code, source, forms):
    assert {(source, form) for form in forms.split()} <= choices(code)


def test_italian_plurals_are_not_spanish_and_portuguese_tells_this_from_that():
    assert {form for _, form in choices("it")}.isdisjoint({"ellos", "ellas"})
    assert ("that", "este") not in choices("pt")
    assert ("that", "aquele") in choices("pt")


@pytest.mark.parametrize(
    ("code", "labels"),
    [("es", "Imp Pqp Fut"), ("it", "Imp Pqp Fut"), ("pt", "Pqp"), ("ro", "Imp Past Fut")],
)
def test_verb_forms_are_those_of_table_12_and_more(code, labels):
    rules = load_language(code)
    assert set(labels.split()) == rules.tenses.values
    assert set(labels.split()) <= {rule.label for rule in rules.verb_forms}


@pytest.mark.parametrize("code", CODES)
def test_examples_show_what_is_tagged_and_what_is_not(code):
    rules = load_language(code)
    assert rules.pro_drop
    for phenomenon in rules.phenomena:
        examples = rules.examples.get(phenomenon, ())
        assert len(examples) >= 8, phenomenon
        assert any(not example.occurrences for example in examples), phenomenon
        assert sum(bool(example.occurrences) for example in examples) >= 3, phenomenon
