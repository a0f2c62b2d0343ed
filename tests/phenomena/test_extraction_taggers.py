"""Gender, animacy, formality by case, auxiliaries and inflection on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, resolution

from endophora.languages import load_language
from endophora.phenomena.auxiliary import AuxiliaryTagger
from endophora.phenomena.formality_cases import FormalityCaseTagger
from endophora.phenomena.gender import AnimacyTagger, GenderTagger
from endophora.phenomena.inflection import InflectionTagger
from endophora.phenomena.item_details import details_of
from endophora.phenomena.records import Occurrence, swap_occurrence, swap_sides
from endophora.phenomena.verdicts import Reason, Verdict, furthest

LAMP = ("the/DET >1 | lamp/NOUN Number=Sing", "die/DET >1 | Lampe/NOUN Gender=Fem Number=Sing", "0-0 1-1")
IT = "It/PRON Case=Nom >1 :nsubj | broke/VERB"
SIE = "Sie/PRON Case=Nom >1 :nsubj | brach/VERB"


def gender(segments, *resolutions, code="de"):
    made = document(segments, resolutions)
    return GenderTagger(load_language(code)), made


def reasons(found, made, segment, code="NOM.FEM.SING"):
    return found.verdicts(made, segment)[code].reason


def test_gender_names_pronoun_antecedent_and_translation():
    found, made = gender([LAMP, (IT, SIE, "0-0 1-1")], resolution(1, 0, (0, 1, 0.9)))
    (occurrence,) = found.tag(made)
    assert (occurrence.rule, occurrence.expected) == ("NOM.FEM.SING", "Sie")
    assert (occurrence.source_tokens, occurrence.target_tokens) == ((0,), (0,))
    assert occurrence.support.source_tokens == ((0, 1),)
    assert occurrence.support.target_tokens == ((0, 1),)
    assert (occurrence.support.distance, occurrence.support.probability) == (1, 0.9)


def noun(written):
    return (LAMP[0], f"die/DET >1 | {written}", "0-0 1-1")


@pytest.mark.parametrize(
    ("earlier", "pair", "antecedents", "reason"),
    [
        (LAMP, (IT, SIE, "1-1"), [(0, 1, 0.9)], Reason.HIT),  # the same role beside the linked verbs
        (LAMP, (IT, SIE.replace("Sie", "Er"), "0-0 1-1"), [(0, 1, 0.9)], Reason.NO_PAIR),
        (LAMP, (IT, SIE.replace("Nom", "Dat"), "0-0 1-1"), [(0, 1, 0.9)], Reason.TARGET_CASE),
        (LAMP, (IT, SIE, "0-0 1-1"), [], Reason.NO_CHAIN),
        (LAMP, (IT, SIE, "0-0 1-1"), [(0, 1, 0.2)], Reason.NO_CHAIN),
        (noun("Anna/PROPN Gender=Fem Number=Sing"), (IT, SIE, "0-0 1-1"), [(0, 1, 0.9)], Reason.HEAD_UPOS),
        (noun("Licht/NOUN Gender=Neut Number=Sing"), (IT, SIE, "0-0 1-1"), [(0, 1, 0.9)], Reason.HEAD_GENDER),
        (noun("Lampen/NOUN Gender=Fem Number=Plur"), (IT, SIE, "0-0 1-1"), [(0, 1, 0.9)], Reason.HEAD_NUMBER),
        ((LAMP[0], LAMP[1], ""), (IT, SIE, "0-0 1-1"), [(0, 1, 0.9)], Reason.NO_LINK),
        ((LAMP[0].replace("NOUN", "PROPN"), *LAMP[1:]), (IT, SIE, "0-0 1-1"), [(0, 1, 0.9)], Reason.NO_NOUN),
    ],
)
def test_gender_says_why_not(earlier, pair, antecedents, reason):
    found, made = gender([earlier, pair], resolution(1, 0, *antecedents))
    assert reasons(found, made, 1) is reason
    assert ("NOM.FEM.SING" in {one.rule for one in found.tag(made)}) is (reason is Reason.HIT)


@pytest.mark.parametrize(
    ("before", "reason"), [("Dann/ADV", Reason.NO_PAIR), (",/PUNCT", Reason.NO_PAIR), ("„/PUNCT", Reason.HIT)]
)
def test_a_capital_inside_a_sentence_is_a_polite_pronoun(before, reason):
    pair = (IT, f"{before} | Sie/PRON Case=Nom >2 :nsubj | brach/VERB", "0-1 1-2")
    found, made = gender([LAMP, pair], resolution(1, 0, (0, 1, 0.9)))
    assert reasons(found, made, 1) is reason


def test_nominative_and_accusative_of_one_form_are_told_by_both_roles():
    pair = ("I/PRON >1 :nsubj | saw/VERB | it/PRON Case=Acc >1 :obj", "sah/VERB | sie/PRON Case=Nom >0 :obj", "1-0 2-1")
    found, made = gender([LAMP, pair], resolution(1, 2, (0, 1, 0.9)))
    assert [one.rule for one in found.tag(made)] == ["ACC.FEM.SING"]


def test_english_case_is_asked_for_where_the_rule_has_one():
    pair = (IT.replace("Nom", "Acc"), "Elle/PRON >1 :nsubj | casse/VERB", "0-0 1-1")
    found, made = gender([LAMP, pair], resolution(1, 0, (0, 1, 0.9)), code="fr")
    assert reasons(found, made, 1) is Reason.SOURCE_CASE
    assert [one.rule for one in found.tag(made)] == ["DISJ.FEM.SING"]


def test_mentions_of_one_noun_count_together_and_the_nearest_is_the_antecedent():
    found, made = gender([LAMP, LAMP, (IT, SIE, "0-0 1-1")], resolution(2, 0, (0, 1, 0.3), (1, 1, 0.25)))
    (occurrence,) = found.tag(made)
    assert occurrence.support.distance == 1
    assert occurrence.support.probability == pytest.approx(0.55)


def test_form_that_also_stands_for_nothing_needs_a_surer_antecedent():
    thing = ("the/DET >1 | book/NOUN", "das/DET >1 | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
    pair = (IT, SIE.replace("Sie", "Es"), "0-0 1-1")
    for probability, reason in ((0.6, Reason.NO_CHAIN), (0.8, Reason.HIT)):
        found, made = gender([thing, pair], resolution(1, 0, (0, 1, probability)))
        assert reasons(found, made, 1, "NOM.NEUT.SING") is reason
    found, made = gender([thing, (IT.replace("nsubj", "expl"), *pair[1:])], resolution(1, 0, (0, 1, 0.9)))
    assert reasons(found, made, 1, "NOM.NEUT.SING") is Reason.EXPLETIVE


@pytest.mark.parametrize(
    ("code", "english", "other", "verb"),
    [
        ("fr", "is/AUX >2 | recommended/VERB | to/PART", "Il/PRON", "est/AUX >2 | recommandé/VERB | de/ADP"),
        ("fr", "was/AUX >2 | bad/ADJ", "Il/PRON", "ne/ADV >2 | s'agit/VERB | de/ADP"),
        ("de", "is/AUX >2 | clear/ADJ | that/SCONJ", "Es/PRON", "ist/AUX >2 | klar/ADJ | ,/PUNCT"),
        ("de", "makes/VERB | no/DET | sense/NOUN | to/PART", "Es/PRON", "hat/VERB | Sinn/NOUN"),
    ],
)
def test_words_beside_a_pronoun_tell_that_it_stands_for_nothing(code, english, other, verb):
    thing = {
        "fr": ("le/DET >1 | livre/NOUN Gender=Masc Number=Sing"),
        "de": ("das/DET >1 | Buch/NOUN Gender=Neut Number=Sing"),
    }[code]
    start = ("the/DET >1 | book/NOUN", thing, "0-0 1-1")
    pair = (f"It/PRON Case=Nom >2 :nsubj | {english}", f"{other} Case=Nom >2 :nsubj | {verb}", "0-0 2-2")
    found, made = gender([start, pair], resolution(1, 0, (0, 1, 0.95)), code=code)
    rule = {"fr": "NOM.MASC.SING", "de": "NOM.NEUT.SING"}[code]
    assert reasons(found, made, 1, rule) is Reason.EXPLETIVE
    plain = ("It/PRON Case=Nom >1 :nsubj | fell/VERB", f"{other} Case=Nom >1 :nsubj | tomba/VERB", "0-0 1-1")
    found, made = gender([start, plain], resolution(1, 0, (0, 1, 0.95)), code=code)
    assert reasons(found, made, 1, rule) is Reason.HIT


def test_plural_that_also_stands_for_several_persons_needs_a_surer_antecedent():
    thing = ("the/DET >1 | points/NOUN", "les/DET >1 | points/NOUN Gender=Masc Number=Plur", "0-0 1-1")
    pair = ("They/PRON Case=Nom >1 :nsubj | won/VERB", "Ils/PRON >1 :nsubj | gagnèrent/VERB", "0-0 1-1")
    for probability, reason in ((0.7, Reason.NO_CHAIN), (0.8, Reason.HIT)):
        found, made = gender([thing, pair], resolution(1, 0, (0, 1, probability)), code="fr")
        assert reasons(found, made, 1, "NOM.MASC.PLUR") is reason


def test_it_is_no_person_and_no_name():
    wife = ("my/PRON >1 | wife/NOUN", "meine/DET >1 | Frau/NOUN Gender=Fem Number=Sing", "0-0 1-1")
    found, made = gender([wife, (IT, SIE, "0-0 1-1")], resolution(1, 0, (0, 1, 0.9)))
    assert reasons(found, made, 1) is Reason.NO_CHAIN
    name = ("Vega/NOUN", "Vega/NOUN Gender=Fem Number=Sing", "0-0")
    found, made = gender([name, (IT, SIE, "0-0 1-1")], resolution(1, 0, (0, 0, 0.9)))
    assert reasons(found, made, 1) is Reason.HEAD_UPOS


def test_a_verb_in_the_plural_has_a_polite_pronoun_as_its_subject():
    for number, reason in (("Plur", Reason.VERB_NUMBER), ("Sing", Reason.HIT)):
        pair = (IT, f"{SIE} VerbForm=Fin Number={number}", "0-0 1-1")
        found, made = gender([LAMP, pair], resolution(1, 0, (0, 1, 0.9)))
        assert reasons(found, made, 1) is reason


def test_a_plural_written_like_the_infinitive_has_a_polite_pronoun_as_its_subject():
    for verb, reason in (
        ("brechen/VERB VerbForm=Inf", Reason.VERB_NUMBER),
        ("brechen/VERB VerbForm=Part", Reason.HIT),
        ("brechen/VERB VerbForm=Inf | zu/PART >1 :mark", Reason.HIT),
        ("brechen/VERB VerbForm=Inf | zu/PART >0 :mark", Reason.VERB_NUMBER),
        ("brechen/VERB VerbForm=Inf | wird/AUX >1 :aux VerbForm=Fin Number=Sing", Reason.HIT),
        ("brechen/VERB VerbForm=Inf | werden/AUX >1 :aux VerbForm=Fin Number=Plur", Reason.VERB_NUMBER),
    ):
        pair = (IT, f"Sie/PRON Case=Nom >1 :nsubj | {verb}", "0-0 1-1")
        found, made = gender([LAMP, pair], resolution(1, 0, (0, 1, 0.9)))
        assert reasons(found, made, 1) is reason


def test_only_where_both_roles_agree_a_form_is_in_another_case_than_a_model_says():
    german = "sah/VERB | sie/PRON Case=Nom >0 :obj"
    for english, rules in (("Acc", ["ACC.FEM.SING"]), ("Nom", [])):
        source = f"I/PRON >1 :nsubj | saw/VERB | it/PRON Case={english} >1 :obj"
        found, made = gender([LAMP, (source, german, "1-0 2-1")], resolution(1, 2, (0, 1, 0.9)))
        assert [one.rule for one in found.tag(made) if one.rule.startswith("ACC")] == rules


def test_a_second_subject_of_one_verb_is_its_object():
    book = ("the/DET >1 | book/NOUN", "das/DET >1 | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
    english = "you/PRON >1 :nsubj | read/VERB | it/PRON Case=Acc >1 :obj"
    german = "man/PRON >2 :nsubj | es/PRON Case=Nom >2 :nsubj | liest/VERB"
    found, made = gender([book, (english, german, "0-0 1-2 2-1")], resolution(1, 2, (0, 1, 0.9)))
    assert [one.rule for one in found.tag(made)] == ["ACC.NEUT.SING"]


def test_what_stands_after_a_preposition_is_no_subject():
    book = ("the/DET >1 | book/NOUN", "das/DET >1 | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
    english = "he/PRON >1 :nsubj | talked/VERB | about/ADP >3 :case | it/PRON Case=Acc >1 :obl"
    pair = (english, "Es/PRON Case=Nom >1 :nsubj | war/VERB", "3-0 1-1")
    found, made = gender([book, pair], resolution(1, 3, (0, 1, 0.9)))
    assert reasons(found, made, 1, "NOM.NEUT.SING") is Reason.SOURCE_CASE


def test_possessive_agrees_with_the_thing_possessed():
    earlier = (
        "Your/PRON >1 :nmod:poss | car/NOUN >2 :nsubj | hit/VERB | the/DET >4 :det | wall/NOUN >2 :obj",
        "Ta/DET >1 | voiture/NOUN Gender=Fem Number=Sing | a | le/DET >4 | mur/NOUN Gender=Masc Number=Sing".replace(
            "| a |", "| heurta/VERB |"
        ),
        "0-0 1-1 2-2 3-3 4-4",
    )
    pair = ("Mine/PRON >1 :nsubj | stopped/VERB", "La/DET >1 | mienne/PRON >2 | stoppa/VERB", "0-1 1-2")
    found, made = gender([earlier, pair], code="fr")
    (occurrence,) = found.tag(made)
    assert occurrence.rule == "GEN.FEM.SING.1S"
    assert occurrence.support.source_tokens == ((0, 0), (0, 1))
    his = (pair[0].replace("nsubj", "nmod:poss"), *pair[1:])
    assert reasons(found, gender([earlier, his], code="fr")[1], 1, "GEN.FEM.SING.1S") is Reason.NO_NOUN


def test_form_of_two_words_must_stand_so_in_the_text():
    earlier = ("a/DET >1 | house/NOUN :obj", "une/DET >1 | maison/NOUN Gender=Fem Number=Sing", "0-0 1-1")
    ours = ("Ours/PRON >1 :nsubj | stood/VERB", "La/DET >1 | nôtre/PRON >2 | tint/VERB", "0-1 1-2")
    found, made = gender([earlier, ours], code="fr")
    (occurrence,) = found.tag(made)
    assert (occurrence.expected, occurrence.target_tokens) == ("La nôtre", (0, 1))
    assert details_of(occurrence, made)["expected"] == "la nôtre"
    found, made = gender([earlier, (ours[0], ours[1].replace("La/", "Ma/"), ours[2])], code="fr")
    assert found.tag(made) == []


@pytest.mark.parametrize("object_", ["obj", "iobj"])
def test_clitic_that_is_linked_to_the_subject_and_ending_of_a_verb(object_):
    book = ("the/DET >1 | book/NOUN", "el/DET >1 | libro/NOUN Gender=Masc Number=Sing", "0-0 1-1")
    bought = f"I/PRON >1 :nsubj | bought/VERB | it/PRON Case=Acc >1 :{object_}"
    for target, links, rule, expected in (
        ("Lo/PRON >1 :obj | compré/VERB", "0-0 1-1", "ACC.MASC.SING", "Lo"),
        ("comprarlo/VERB VerbForm=Inf", "1-0", "ACC.MASC.SING.ENCL", "comprarlo"),
    ):
        found, made = gender([book, (bought, target, links)], resolution(1, 2, (0, 1, 0.9)), code="es")
        assert [(one.rule, one.expected) for one in found.tag(made)] == [(rule, expected)]
    found, made = gender([book, (bought, "burlo/VERB VerbForm=Fin", "1-0")], resolution(1, 2, (0, 1, 0.9)), code="es")
    assert found.tag(made) == []


def test_animacy_is_gender_the_other_way_round():
    made = swap_sides(document([LAMP, (IT, SIE, "0-0 1-1")], [resolution(1, 0, (0, 1, 0.9))]))
    assert made.source[0].tokens[1].form == "Lampe"
    assert made.resolutions == ()
    (occurrence,) = AnimacyTagger(load_language("de")).tag(made)
    assert (occurrence.phenomenon, occurrence.rule, occurrence.expected) == ("animacy", "NOM.FEM.SING", "It")
    details = details_of(occurrence, made)
    assert list(details)[:2] == ["expected", "src pronoun"]
    assert (details["expected"], details["src pronoun"]) == ("it", "sie")
    assert (details["src ante head"], details["ref ante head"]) == ("Lampe", "lamp")
    assert (details["src ante head gender"], details["ref ante head gender"]) == ("Fem", "")
    assert details["src segment"] == "Sie brach"


def test_reversal_twice_changes_nothing():
    made = document([LAMP, (IT, SIE, "0-1 1-0")], [resolution(1, 0, (0, 1, 0.9))])
    assert swap_sides(swap_sides(made)) == made
    (occurrence,) = GenderTagger(load_language("de")).tag(document([LAMP, (IT, SIE, "0-0 1-1")], made.resolutions))
    there = swap_occurrence(occurrence, swap_sides(made), "animacy")
    assert swap_occurrence(there, made, "gender") == occurrence


def test_formality_is_every_you_with_a_form_and_needs_no_earlier_word():
    made = document([("You/PRON Case=Nom | she/PRON", "Du/PRON Case=Nom | sie/PRON Case=Nom", "0-0 1-1")])
    (occurrence,) = FormalityCaseTagger(load_language("de")).tag(made)
    assert (occurrence.rule, occurrence.expected, occurrence.support) == ("NOM.INFORM.SING", "Du", None)
    assert details_of(occurrence, made)["ref pronoun"] == "du"


KNOW = ("you/PRON >1 | know/VERB", "du/PRON >1 | weißt/VERB lemma=wissen", "0-0 1-1")


@pytest.mark.parametrize(
    ("source", "target", "links", "reason"),
    [
        ("I/PRON | do/AUX", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1", Reason.HIT),
        ("I/PRON | do/AUX", "ich/PRON | weiß/VERB lemma=wissen", "0-0", Reason.HIT),  # the only verb
        ("I/PRON | do/AUX", "ich/PRON | will/AUX lemma=wissen :root", "0-0 1-1", Reason.HIT),  # a modal alone
        ("I/PRON | do/AUX", "ich/PRON | habe/AUX lemma=haben >2 :aux | gewusst/VERB lemma=wissen", "1-1", Reason.HIT),
        ("I/PRON | can/AUX", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1", Reason.NO_AUXILIARY),
        ("I/PRON | do/AUX | see/VERB", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1", Reason.OTHER_VERB),
        ("I/PRON | do/AUX", "ich/PRON | auch/ADV", "0-0 1-1", Reason.NO_VERB),
        ("I/PRON | do/AUX", "ich/PRON | tue/VERB lemma=tun", "0-0 1-1", Reason.FORBIDDEN),
        ("I/PRON | do/AUX", "ich/PRON | sehe/VERB lemma=sehen", "0-0 1-1", Reason.NOT_EARLIER),
        ("I/PRON | do/AUX | did/VERB lemma=do", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1", Reason.HIT),
    ],
)
def test_auxiliary_says_why_not(source, target, links, reason):
    made = document([KNOW, (source, target, links)])
    found = AuxiliaryTagger(load_language("de"))
    assert found.verdicts(made, 1)["DO.ELL"].reason is reason
    assert bool(found.tag(made)) is (reason is Reason.HIT)


def test_auxiliary_needs_an_earlier_verb_of_another_kind():
    answer = ("I/PRON | do/AUX", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1")
    found = AuxiliaryTagger(load_language("de"))
    (occurrence,) = found.tag(document([KNOW, answer]))
    assert occurrence.support.source_tokens == ((0, 1),)
    assert occurrence.support.target_tokens == ((0, 1),)
    assert found.tag(document([answer, answer])) == []
    assert found.verdicts(document([answer, answer]), 1)["DO.ELL"].reason is Reason.NO_SOURCE_VERB
    assert AuxiliaryTagger(load_language("de"), window=1).tag(document([KNOW, LAMP, answer])) == []


@pytest.mark.parametrize(
    ("relation", "beside", "reason"),
    [
        (":aux", "wirklich/ADV", Reason.HIT),  # ich will das wirklich: what a model takes for the head is no verb
        (":aux", "Frauen/NOUN", Reason.HIT),
        (":aux", "weiter/VERB lemma=weitern", Reason.NOT_EARLIER),  # the verb is the other one
        (":aux", "groß/ADJ | sein/AUX >2 :cop", Reason.NO_VERB),  # a predicate with a copula has its modal
        (":cop", "Frauen/NOUN", Reason.NO_VERB),
    ],
)
def test_auxiliary_is_translated_by_a_modal_that_has_no_verb(relation, beside, reason):
    earlier = ("you/PRON | want/VERB", "du/PRON | willst/VERB lemma=wollen", "0-0 1-1")
    answer = ("I/PRON | do/AUX", f"ich/PRON | will/AUX lemma=wollen >2 {relation} | {beside}", "0-0 1-1")
    found = AuxiliaryTagger(load_language("de")).verdicts(document([earlier, answer]), 1)["DO.ELL"]
    assert found.reason is reason


@pytest.mark.parametrize(
    ("english", "german", "links", "verb"),
    [
        (
            "know/VERB | slept/VERB >0",
            "weißt/VERB lemma=x | geschlafen/VERB lemma=schlafen | habe/AUX >1 :aux",
            "1-2",
            1,
        ),
        ("got/VERB | take/VERB >0 :xcomp", "muss/AUX >1 :aux | geschlafen/VERB lemma=schlafen", "0-0", 1),
        ("know/VERB | slept/VERB >0", "weißt/VERB lemma=x | geschlafen/VERB lemma=schlafen | habe/AUX", "1-2", None),
    ],
)
def test_earlier_verb_may_be_linked_by_its_auxiliary(english, german, links, verb):
    answer = ("I/PRON | did/AUX lemma=do", "ich/PRON | schlief/VERB lemma=schlafen", "0-0 1-1")
    found = AuxiliaryTagger(load_language("de")).tag(document([(english, german, links), answer]))
    assert [one.support.source_tokens for one in found] == ([((0, verb),)] if verb else [])


def test_auxiliary_of_a_perfect_tense_is_not_the_verb_where_no_model_joins_them():
    washed = "gespült/VERB lemma=spülen VerbForm=Part"
    earlier = ("I/PRON | washed/VERB", f"ich/PRON | habe/AUX lemma=haben | {washed}", "0-0 1-2")
    for links in ("0-0 1-1", "0-0"):
        answer = ("you/PRON | did/AUX lemma=do", f"du/PRON | hast/VERB lemma=haben | {washed}", links)
        found = AuxiliaryTagger(load_language("de")).tag(document([earlier, answer]))
        assert [one.expected for one in found] == (["gespült"] if "1-1" in links else [])
    answer = (answer[0], answer[1].replace("hast/VERB", "hast/AUX"), "0-0")
    assert [one.expected for one in AuxiliaryTagger(load_language("de")).tag(document([earlier, answer]))] == [
        "gespült"
    ]


RUSSIAN = ("see/VERB | lamp/NOUN", "видишь/VERB | лампу/NOUN Case=Acc", "0-0 1-1")


@pytest.mark.parametrize(
    ("source", "target", "links", "reason"),
    [
        ("and/CCONJ | street/NOUN", "а/CCONJ | улицу/NOUN Case=Acc", "1-1", Reason.HIT),
        ("see/VERB | street/NOUN", "а/CCONJ | улицу/NOUN Case=Acc", "1-1", Reason.SOURCE_VERB),
        ("and/CCONJ | street/NOUN", "вижу/VERB | улицу/NOUN Case=Acc", "1-1", Reason.TARGET_VERB),
        ("and/CCONJ | street/NOUN", "а/CCONJ | улица/NOUN Case=Nom", "1-1", Reason.OTHER_CASE),
        ("and/CCONJ | street/NOUN", "улицу/NOUN Case=Acc | города/NOUN Case=Gen", "1-0", Reason.OTHER_CASE),
        ("and/CCONJ | street/NOUN", "а/CCONJ | улицу/NOUN Case=Acc", "0-1", Reason.NOUN_NOT_LINKED),
    ],
)
def test_inflection_says_why_not(source, target, links, reason):
    made = document([RUSSIAN, (source, target, links)])
    found = InflectionTagger(load_language("ru"))
    assert found.verdicts(made, 1)["ACC.ELL"].reason is reason
    occurrences = found.tag(made)
    assert bool(occurrences) is (reason is Reason.HIT)
    assert [one.support.target_tokens for one in occurrences] == [((0, 1),)] * len(occurrences)
    assert found.verdicts(document([LAMP, (source, target, links)]), 1)["ACC.ELL"].reason in {
        Reason.CASE_NOT_EARLIER,
        reason,
    }


def test_rules_as_published_take_any_word_with_a_case_for_a_noun():
    made = document([RUSSIAN, ("Me/PRON", "Меня/PRON Case=Acc", "0-0")])
    assert InflectionTagger(load_language("ru")).tag(made) == []
    (occurrence,) = InflectionTagger(load_language("ru"), rules_as="published").tag(made)
    assert (occurrence.rule, occurrence.expected) == ("ACC.ELL", "Меня")


TABLE = ("the/DET >1 | table/NOUN Number=Sing", "la/DET >1 | mesa/NOUN Gender=Fem Number=Sing", "0-0 1-1")
WE_BUY_IT = "We/PRON Case=Nom Person=1 >1 :nsubj | buy/VERB | it/PRON Case=Acc Person=3 >1 :obj"


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        (WE_BUY_IT, "la/DET >1 :det | compramos/VERB", "1-1", True),  # an article of a verb is none
        (WE_BUY_IT, "la/PRON Case=Acc >1 :obj | vamos/VERB | a/ADP >3 | comprar/VERB >1 :xcomp", "1-3", True),
        (WE_BUY_IT, "la/PRON Case=Acc >1 :obj | compramos/VERB", "0-0", True),  # a subject has no translation
        (
            f"{WE_BUY_IT} | from/ADP >4 | her/PRON Case=Acc Person=3 >1 :obl",
            "la/PRON Case=Acc >1 :obj | deja/VERB",
            "",
            False,
        ),
        (WE_BUY_IT, "la/DET >1 :det | compra/NOUN", "", False),
        (WE_BUY_IT, "la/PRON Case=Acc >3 :obj | que/PRON >2 | viene/VERB >0 :acl | compramos/VERB", "", False),
    ],
)
def test_a_clitic_without_a_link_is_that_of_the_one_pronoun_it_can_translate(source, target, links, found):
    tagger, made = gender([TABLE, (source, target, links)], resolution(1, 2, (0, 1, 0.9)), code="es")
    assert [one.rule for one in tagger.tag(made)] == ["ACC.FEM.SING"] * found


def test_a_noun_whose_translation_disagrees_is_passed_over():
    book = ("the/DET >1 | book/NOUN Number=Sing", "das/DET >1 | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
    found, made = gender([LAMP, book, (IT, SIE, "0-0 1-1")], resolution(2, 0, (0, 1, 0.55), (1, 1, 0.4)))
    (occurrence,) = found.tag(made)
    assert occurrence.support.source_tokens == ((0, 1),)


def test_details_are_of_test_sets_only():
    with pytest.raises(ValueError, match="not made of verb_form"):
        details_of(Occurrence("d", 0, "verb_form", "Past", (), (0,), "x"), document([LAMP]))


def test_verdict_that_came_furthest_counts():
    assert furthest([], Reason.NO_PAIR).reason is Reason.NO_PAIR
    some = [Verdict(Reason.HEAD_GENDER), Verdict(Reason.TARGET_CASE)]
    assert furthest(some, Reason.NO_PAIR).reason is Reason.HEAD_GENDER
    assert furthest([*some, Verdict(Reason.HIT)], Reason.NO_PAIR).reason is Reason.HIT


def test_a_noun_that_says_when_is_no_antecedent_of_gender():
    for relation, expected in (("obj", Reason.HIT), ("obl:unmarked", Reason.NO_CHAIN)):
        month = (f"month/NOUN Number=Sing :{relation}", "Woche/NOUN Gender=Fem Number=Sing", "0-0")
        found, made = gender([month, (IT, SIE, "0-0 1-1")], resolution(1, 0, (0, 0, 0.9)))
        assert reasons(found, made, 1) is expected


def test_a_possessive_is_no_translation_of_it():
    club = ("club/NOUN Number=Sing", "klub/NOUN Gender=Masc Number=Sing", "0-0")
    showed = "it/PRON >1 :nsubj | showed/VERB"
    for relation, expected in (("obj", Reason.HIT), ("nmod:poss", Reason.TARGET_CASE)):
        other = f"jego/PRON Case=Gen >1 :{relation} | zdania/NOUN"
        found, made = gender([club, (showed, other, "0-0 1-1")], resolution(1, 0, (0, 0, 0.9)), code="pl")
        assert reasons(found, made, 1, "GEN.MASC.SING") is expected


def test_an_object_that_is_linked_to_a_person_of_another_verb_translates_it():
    lamp = ("lamp/NOUN Number=Sing", "objeto/NOUN Gender=Masc Number=Sing", "0-0")
    english = (
        "want/VERB | {}/PRON Person=2 >0 :obj | to/PART >3 | wear/VERB >0 :xcomp lemma=wear | it/PRON Case=Acc >3 :obj"
    )
    spanish = "quiero/VERB | que/SCONJ >3 | lo/PRON Case=Acc >3 :obj | lleves/VERB >0 :ccomp"
    pair = (english.format("you"), spanish, "0-0 1-2 3-3")
    found, made = gender([lamp, pair], resolution(1, 4, (0, 0, 0.9)), code="es")
    assert [one.expected for one in found.tag(made)] == ["lo"]
    own = (pair[0].replace("Person=2 >0", "Person=2 >3"), *pair[1:])
    found, made = gender([lamp, own], resolution(1, 4, (0, 0, 0.9)), code="es")
    assert found.tag(made) == []
