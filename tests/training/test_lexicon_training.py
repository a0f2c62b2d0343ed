"""A dictionary's readings become the labels that fit: here a few readings of Morfeusz and of pymorphy3, written out."""

from __future__ import annotations

from endophora.annotate.forms import NAME, WORD
from endophora.training.agreement import AgreementRecipe
from endophora.training.lexicon import fitting
from endophora.training.readings import TagTable
from endophora.training.recipe import RECIPES

POLISH = {
    "mamy": [("mama", "subst:sg:gen:f"), ("mama", "subst:pl:nom.acc.voc:f"), ("mieć", "fin:pl:pri:imperf")],
    "Mamy": [("mama", "subst:sg:gen:f"), ("mama", "subst:pl:nom.acc.voc:f"), ("mieć", "fin:pl:pri:imperf")],
    "wisła": [],
    "Wisła": [("Wisła", "subst:sg:nom:f")],
}
LABELS = [
    "Case=Gen|Gender=Fem|Number=Sing|POS=NOUN",
    "Case=Nom|Gender=Fem|Number=Plur|POS=NOUN",
    "Case=Nom|Gender=Fem|Number=Sing|POS=NOUN",
    "Aspect=Imp|Mood=Ind|Number=Plur|POS=VERB|Person=1|Tense=Pres|VerbForm=Fin|Voice=Act",
    "Aspect=Imp|Mood=Ind|Number=Plur|POS=VERB|Person=2|Tense=Pres|VerbForm=Fin|Voice=Act",
    "Case=Nom|Gender=Fem|Number=Sing|POS=PROPN",
    "POS=ADV",
]


def test_the_labels_of_all_readings_fit_and_a_capital_is_an_entry_of_its_own_where_it_makes_a_difference():
    table = TagTable.read(RECIPES / "tags-pl.yaml")
    found = fitting(["mamy", "wisła"], table, POLISH.__getitem__, LABELS)
    assert found == {WORD + "mamy": frozenset({0, 1, 3}), NAME + "Wisła": frozenset({5})}


def test_where_no_label_is_a_reading_those_nearest_to_one_fit():
    table = TagTable.read(RECIPES / "tags-ru.yaml")
    labels = [
        "Animacy=Inan|Case=Nom|Gender=Masc|Number=Sing|POS=NOUN",
        "Animacy=Inan|Case=Acc|Gender=Fem|Number=Plur|POS=NOUN",
        "POS=VERB",
    ]
    readings = {"стол": [("стол", "NOUN,inan,masc sing,accs")], "Стол": [("стол", "NOUN,inan,masc sing,accs")]}
    assert fitting(["стол"], table, readings.__getitem__, labels) == {WORD + "стол": frozenset({0})}


def test_the_recipes_name_a_dictionary():
    for language in ("pl", "ru"):
        recipe = AgreementRecipe.read(RECIPES / f"agreement-{language}.yaml")
        assert recipe.forms is None
        assert recipe.lexicon is not None
        assert recipe.lexicon.language == language
