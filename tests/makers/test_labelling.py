"""UniMorph's bundles, and rules and lexicons for raw text, as facts about UD labels: examples worked by hand."""

from __future__ import annotations

import pytest

from endophora_makers.conllu import Sentence, Word
from endophora_makers.labelling import Facts
from endophora_makers.recipe import RECIPES
from endophora_makers.silver import Noun, Rule, SilverRules, noun_facts, opens, seen_classes
from endophora_makers.unimorph import surface_words, unimorph_facts


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


def test_enclitics_stay_on_their_verb_where_asked():
    words = tuple(
        Word(f, lemma=f, features=b) for f, b in (("dar", "V;NFIN"), ("se", "PRO"), ("lo", "PRO"), (".", "_"))
    )
    (merged, _) = surface_words(Sentence(words), "dárselo.", merge=True)
    assert (merged.form, merged.lemma, merged.features, merged.space) == ("dárselo", "dar", "V;NFIN", False)
    two = Sentence((Word("dar", lemma="dar"), Word("le", lemma="él")))
    assert [w.form for w in surface_words(two, "darle", merge=True)] == ["darle"]
    assert [w.form for w in surface_words(two, "darle")] == ["dar", "le"]
    italian = Sentence(tuple(Word(f) for f in ("a", "l'", "altra", ".")))
    assert [w.form for w in surface_words(italian, "all'altra.", merge=True)] == ["all'", "altra", "."]


@pytest.mark.parametrize(
    ("bundle", "language", "label", "expected"),
    [
        ("DET;DEF;PL;FEM", "es", {"Gender": "Masc", "Number": "Plur"}, "Gender=Fem|Number=Plur"),  # las
        ("DET;DEF;PL;FEM", "fr", {"Gender": "Masc", "Number": "Plur"}, None),  # les
        ("PRO;3;{ACC/DAT}", "es", {"Case": "Acc,Dat", "Person": "3"}, "Case=Acc,Dat|Person=3"),
        ("DET;{DAT/GEN};SG", "ro", {"Case": "Acc,Nom", "Number": "Sing"}, "Case=Dat,Gen|Number=Sing"),
    ],
)
def test_bundles_are_read_as_their_language_has_them(
    bundle: str, language: str, label: dict[str, str], expected: str | None
):
    corrected = unimorph_facts(bundle, language).correct("DET" if "DET" in bundle else "PRON", label)
    assert (corrected[1] if corrected else None) == expected


def test_a_rule_may_hold_for_some_parts_of_speech_only():
    facts = SilverRules.read(RECIPES / "silver-es.yaml").facts(words("Tú cantas bien ."), 1, "you sing well.")
    assert facts is not None
    verb = {"Mood": "Ind", "Number": "Plur", "Person": "3", "VerbForm": "Fin"}
    assert facts.correct("VERB", verb) == ("VERB", "Mood=Ind|Number=Sing|Person=2|VerbForm=Fin")
    assert facts.correct("NOUN", {"Gender": "Masc", "Number": "Plur"}) == ("NOUN", "Gender=Masc|Number=Plur")
    assert facts.correct("VERB", {"VerbForm": "Inf"}) is None


@pytest.mark.parametrize(
    ("language", "text", "other", "index", "expected"),
    [
        ("es", "¿ Cómo está usted ?", "how are you?", 3, {"Person": "2", "Polite": "Form"}),
        ("es", "Dime la verdad .", "tell me the truth.", 0, {"Mood": "Imp", "Person": "2"}),
        ("es", "Dime la verdad .", "you told me.", 0, {}),
        ("pt", "Não te vi .", "i did not see you.", 1, {"Person": "2", "Number": "Sing"}),
        ("it", "Come sta Lei ?", "how are you?", 2, {"Person": "3", "Gender": "Fem"}),
        ("it", "Tu sei qui .", "you are here.", 1, {"Person": "2", "Mood": "Ind"}),
        ("it", "Sono sei gatti .", "they are six cats.", 1, {}),
        ("ro", "Unde sunteți dumneavoastră ?", "where are you?", 2, {"Person": "2", "Strength": "Strong"}),
        ("ro", "Eu voi pleca .", "i will leave.", 1, {"Person": "1"}),
        ("nl", "Hebt u tijd ?", "do you have time?", 1, {"Person": "2", "PronType": "Prs"}),
    ],
)
def test_second_persons_of_other_languages(language: str, text: str, other: str, index: int, expected: dict[str, str]):
    facts = SilverRules.read(RECIPES / f"silver-{language}.yaml").facts(words(text), index, other)
    assert {name: facts.sets.get(name) if facts else None for name in expected} == expected


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


def test_a_rule_may_ask_for_the_word_after():
    rule = Rule(form="[lL]as", next="veo|hay", upos=("PRON",))
    words = [Word(form) for form in ("No", "las", "veo", ",", "las", "casas", "veo", "las")]
    assert [rule.applies(words, index, "") for index in range(len(words))] == [i == 1 for i in range(len(words))]


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
