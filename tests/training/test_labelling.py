"""UniMorph's bundles, and rules and lexicons for raw text, as facts about UD labels: examples worked by hand."""

from __future__ import annotations

import pytest

from endophora.training.conllu import Sentence, Word
from endophora.training.labelling import Facts
from endophora.training.recipe import RECIPES
from endophora.training.silver import Noun, Rule, SilverRules, noun_facts, opens, seen_classes
from endophora.training.unimorph import surface_words, unimorph_facts


@pytest.mark.parametrize(
    ("bundle", "upos", "label", "expected"),
    [
        # The bundle's values replace the teacher's, where the teacher's label has the feature at all.
        (
            "N;FEM;SG;DAT",
            "NOUN",
            {"Case": "Acc", "Gender": "Masc", "Number": "Sing"},
            "Case=Dat|Gender=Fem|Number=Sing",
        ),
        (
            "V;FIN;IND;PST;3;PL",
            "AUX",
            {"Mood": "Ind", "Number": "Sing", "Person": "3", "Tense": "Past", "VerbForm": "Fin"},
            "Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin",
        ),
        ("IND;IPFV;FIN;V;3;SG", "VERB", {"Tense": "Pres", "VerbForm": "Fin"}, "Tense=Imp|VerbForm=Fin"),
        # A class, a verb form or a case that the bundle excludes rules a label out.
        ("N;FEM;SG;DAT", "VERB", {}, None),
        ("V;NFIN", "VERB", {"VerbForm": "Fin", "Mood": "Ind"}, None),
        ("ADV", "ADJ", {"Case": "Nom", "Degree": "Pos"}, None),
        ("ADV", "ADJ", {"Degree": "Pos"}, "Degree=Pos"),
        # UD gives plural articles no gender, though the bundle does.
        ("DET;DEF;PL;NOM;FEM", "DET", {"Case": "Nom", "Gender": "Fem", "Number": "Plur"}, None),
        ("_", "PUNCT", {}, "_"),
        ("_", "NOUN", {}, None),
    ],
)
def test_bundles_put_labels_right(bundle: str, upos: str, label: dict[str, str], expected: str | None):
    corrected = unimorph_facts(bundle).correct(upos, label)
    assert corrected == (None if expected is None else (upos, expected))


def test_words_that_a_contraction_hides_are_merged_into_it():
    words = tuple(Word(form, lemma=form) for form in ("Le", "toit", "de", "les", "maisons", "de", "elle", "."))
    surface = surface_words(Sentence(words), "Le toit des maisons d'elle.")
    assert surface == ()  # “d'elle” has no “de”: the words cannot be aligned, and nothing is guessed
    surface = surface_words(Sentence(words[:5] + words[7:]), "Le toit des maisons.")
    assert [(w.form, w.lemma, w.space) for w in surface] == [
        ("Le", "Le", True),
        ("toit", "toit", True),
        ("des", "_", True),
        ("maisons", "maisons", False),
        (".", ".", False),
    ]


def words(text: str) -> list[Word]:
    return [Word(form) for form in text.split()]


@pytest.mark.parametrize(
    ("text", "other", "index", "expected"),
    [
        ("Haben Sie Zeit ?", "do you have time?", 1, {"Person": "2", "Polite": "Form"}),
        ("Sie haben Zeit .", "you have time.", 0, {"Person": "2", "Polite": "Form"}),
        ("Sie hat Zeit .", "she has time.", 0, {"Person": "3", "Number": "Sing", "Gender": "Fem"}),
        ("Sie haben Zeit .", "they have time.", 0, {"Person": "3", "Number": "Plur"}),
        ("Ich sehe dich .", "i see you.", 2, {"Person": "2", "Case": "Acc", "Number": "Sing"}),
        ("Habt ihr Zeit ?", "do you have time?", 0, {"Person": "2", "Number": "Plur", "VerbForm": "Fin"}),
        ("Das ist Ihr Hund .", "this is your dog.", 2, {"Person": "2", "Polite": "Form", "Poss": "Yes"}),
        ("Gib mir das !", "give me that!", 0, {"Mood": "Imp", "Person": "2", "Number": "Sing"}),
    ],
)
def test_german_persons_are_known_from_form_and_translation(
    text: str, other: str, index: int, expected: dict[str, str]
):
    facts = SilverRules.read(RECIPES / "silver-de.yaml").facts(words(text), index, other)
    assert facts is not None
    assert {name: facts.sets.get(name) for name in expected} == expected


def test_an_ambiguous_word_is_left_to_the_teacher():
    rules = SilverRules.read(RECIPES / "silver-de.yaml")
    assert rules.facts(words("Sie haben Zeit ."), 0, "you and they have time.") is None
    assert rules.facts(words("Das ist ihr Haus ."), 2, "that is her house.") is None


def test_lemmas_of_second_persons_come_from_the_table_or_the_ending():
    rules = SilverRules.read(RECIPES / "silver-de.yaml")
    rule = Rule(form=".*", lemma="from_form")
    assert [rules.lemma(rule, form) for form in ("bist", "Kannst", "machst", "spieltest", "so")] == [
        "sein",
        "können",
        "machen",
        "spielen",
        None,
    ]


def test_a_compound_takes_gender_and_lemma_of_its_last_noun():
    table = SilverRules.read(RECIPES / "silver-de.yaml").lexicon
    assert table is not None
    nouns = {"Türen": Noun(("Fem",), ("Plur",), ("Acc", "Dat"), ("Tür",), frozenset({"NOUN"}))}
    facts = noun_facts("Haustüren", nouns, table)
    assert facts is not None
    assert (facts.features["Gender"], facts.lemma, facts.upos) == (("Fem",), "Haustür", frozenset({"NOUN"}))
    assert noun_facts("Zebra", nouns, table) is None


def test_openers_and_seen_classes():
    text = words("Ja . „ Nein , Tom")
    assert [opens(text, i) for i in range(6)] == [True, False, True, True, False, False]
    sentences = [
        Sentence((Word("wenn", upos="SCONJ"), Word("Wenn", upos="X"), Word("a"))),
        Sentence((Word("wenn", upos="ADV"),)),
    ]
    assert seen_classes(sentences) == {"wenn": frozenset({"SCONJ", "ADV"})}


def test_what_a_rule_sets_comes_last():
    facts = Facts(frozenset({"PRON"}), {"Case": ("Acc",)}, sets={"Person": "2", "Gender": None})
    assert facts.correct("PRON", {"Case": "Nom", "Gender": "Fem"}) == ("PRON", "Case=Acc|Person=2")
