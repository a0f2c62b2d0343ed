"""How sure the noun of gender and animacy must be, which earlier words count, and what is one word: worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import document, resolution

from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.gender import AnimacyTagger, GenderTagger
from endophora.phenomena.inflection import InflectionTagger
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger
from endophora.phenomena.verdicts import Reason, Verdict, furthest

DE, EN, ES, RU = map(load_language, ("de", "en", "es", "ru"))
LAMP = ("the/DET >1 | lamp/NOUN", "die/DET >1 | Lampe/NOUN Gender=Fem Number=Sing", "0-0 1-1")
VASE = ("the/DET >1 | vase/NOUN", "die/DET >1 | Vase/NOUN Gender=Fem Number=Sing", "0-0 1-1")
BOOK = ("the/DET >1 | book/NOUN", "das/DET >1 | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
ACME = ("Acme/PROPN", "Acme/PROPN", "0-0")
SIE = ("It/PRON Case=Nom >1 :nsubj | broke/VERB", "Sie/PRON Case=Nom >1 :nsubj | brach/VERB", "0-0 1-1")
ES_FELL = (SIE[0], SIE[1].replace("Sie", "Es"), SIE[2])
WEAR = ("wear/VERB lemma=wear | it/PRON Case=Acc >0 :obj", "trage/VERB | es/PRON Case=Acc >0 :obj", "0-0 1-1")
DIESE = ("It/PRON Case=Nom >1 :nsubj | broke/VERB", "Die/PRON Case=Nom >1 :nsubj | brach/VERB", "0-0 1-1")


@pytest.mark.parametrize(
    ("pair", "noun", "least"),
    [
        (SIE, LAMP, 0.25),  # a form that shows that there is a noun
        (ES_FELL, BOOK, 0.7),  # one that also stands for nothing
        (WEAR, BOOK, 0.25),  # the object of a verb of things
        ((WEAR[0].replace("wear", "know"), *WEAR[1:]), BOOK, 0.7),  # of a verb of clauses
        ((WEAR[0].replace(":obj", ":obl"), *WEAR[1:]), BOOK, 0.7),
        ((WEAR[0].replace("wear/VERB", "wear/AUX"), *WEAR[1:]), BOOK, 0.7),
        (DIESE, LAMP, 0.75),  # a demonstrative may stand for persons and for what was said
    ],
)
def test_the_least_probability_of_the_noun_depends_on_the_form_and_the_verb(pair, noun, least):
    for probability, found in ((least, 1), (least - 0.01, 0)):
        place = pair[0].split(" | ").index(next(word for word in pair[0].split(" | ") if word.lower()[:3] == "it/"))
        made = document([noun, pair], [resolution(1, place, (0, 1, probability))])
        assert len(GenderTagger(DE).tag(made)) == found


@pytest.mark.parametrize(
    ("lamp", "other", "named", "found"),
    [
        (0.6, 0.25, 0.0, 1),  # seven tenths of all
        (0.6, 0.26, 0.0, 0),
        (0.6, 0.0, 0.09, 1),
        (0.6, 0.0, 0.1, 0),  # a name may be meant
    ],
)
def test_other_nouns_and_names_speak_against_one_in_gender_more_than_in_animacy(lamp, other, named, found):
    told = resolution(3, 0, (0, 1, lamp), (1, 1, other), (2, 0, named))
    made = document([LAMP, VASE, ACME, SIE], [told])
    assert len(GenderTagger(DE).tag(made)) == found
    turned = replace(
        document([(one[1], one[0], one[2]) for one in (LAMP, VASE, ACME, SIE)]), target_resolutions=(told,)
    )
    assert len(AnimacyTagger(DE).tag(turned)) == 1


@pytest.mark.parametrize(("probability", "found"), [(0.35, 1), (0.34, 0)])
def test_animacy_has_a_least_probability_of_its_own(probability, found):
    turned = document([(one[1], one[0], one[2]) for one in (LAMP, SIE)])
    turned = replace(turned, target_resolutions=(resolution(1, 0, (0, 1, probability)),))
    (made,) = make_taggers("en", TaggerOptions(("animacy",)), "de")
    for tagger in (AnimacyTagger(DE), made):
        occurrences = tagger.tag(turned)
        assert [(one.phenomenon, one.expected, one.segment) for one in occurrences] == [("animacy", "It", 1)] * found
        verdict = tagger.verdicts(turned, 1)["NOM.FEM.SING"]
        assert (verdict.reason is Reason.HIT, verdict.occurrence) == (bool(found), occurrences[0] if found else None)


@pytest.mark.parametrize(("noun", "pair"), [(LAMP, SIE), (BOOK, WEAR)])
def test_a_noun_of_the_pronouns_own_segment_must_be_likelier_in_gender_and_not_in_animacy(noun, pair):
    later = [side.replace(">1", ">4").replace(">0", ">3").replace("Sie", "sie") for side in pair[:2]]
    one, other = (f"{first} | ,/PUNCT | {second}" for first, second in zip(noun[:2], later, strict=True))
    links, pronoun = "0-0 1-1 2-2 3-3 4-4", 3 + (pair is WEAR)
    for probability, found in ((0.45, 1), (0.44, 0)):
        told = resolution(0, pronoun, (0, 1, probability))
        assert len(GenderTagger(DE).tag(document([(one, other, links)], [told]))) == found
    turned = replace(document([(other, one, links)]), target_resolutions=(told,))
    assert len(AnimacyTagger(DE).tag(turned)) == (pair is SIE)


def test_published_rules_ask_for_less():
    weak = document([LAMP, SIE], [resolution(1, 0, (0, 1, 0.2))])
    assert [len(GenderTagger(DE, rules_as=each).tag(weak)) for each in ("published", "corrected")] == [1, 0]
    weaker = document([LAMP, SIE], [resolution(1, 0, (0, 1, 0.19))])
    assert GenderTagger(DE, rules_as="published").tag(weaker) == []
    assert GenderTagger(DE).signature != GenderTagger(DE, rules_as="published").signature


@pytest.mark.parametrize(
    ("ending", "least"), [("comprarla", 0.25), ("comprarlo", 0.25)], ids=["of one gender", "of a verb of things"]
)
def test_an_ending_is_as_sure_as_its_pronoun(ending, least):
    gender = "Fem" if ending.endswith("a") else "Masc"
    noun = ("the/DET >1 | lamp/NOUN", f"x/DET >1 | cosa/NOUN Gender={gender} Number=Sing", "0-0 1-1")
    pair = ("buy/VERB lemma=buy | it/PRON Case=Acc >0 :obj", f"{ending}/VERB VerbForm=Inf", "0-0")
    for probability, found in ((least, 1), (least - 0.01, 0)):
        made = document([noun, pair], [resolution(1, 1, (0, 1, probability))])
        assert len(GenderTagger(ES).tag(made)) == found
    unsure = document([noun, (pair[0].replace("buy", "know"), *pair[1:])], [resolution(1, 1, (0, 1, 0.6))])
    assert len(GenderTagger(ES).tag(unsure)) == (1 if gender == "Fem" else 0)  # *lo* is also what was said


STREET = ("and/CCONJ | street/NOUN", "а/CCONJ | улицу/NOUN Case=Acc", "1-1")
SEES = ("see/VERB | lamp/NOUN", "видишь/VERB | лампу/NOUN Case=Acc", "0-0 1-1")


def inflected(*segments, label: str = "ACC.ELL", **options) -> Verdict:
    return InflectionTagger(RU, **options).verdicts(document(segments), len(segments) - 1)[label]


def test_an_inflected_noun_has_the_nearest_earlier_noun_as_support():
    near = ("a/DET | house/NOUN | a/DET | car/NOUN", "дом/NOUN Case=Acc | машину/NOUN Case=Acc", "1-0:.3 0-0:.2 3-1")
    found = inflected(SEES, near, ("x/X", "x/X", ""), STREET).occurrence
    assert found is not None
    assert (found.source_tokens, found.target_tokens, found.expected) == ((1,), (1,), "улицу")
    assert found.support is not None
    assert (found.support.target_tokens, found.support.source_tokens, found.support.distance) == (
        ((1, 0),),
        ((1, 1),),
        2,
    )


@pytest.mark.parametrize(("window", "reason"), [(2, Reason.HIT), (1, Reason.CASE_NOT_EARLIER)])
def test_an_earlier_noun_stands_in_the_window(window, reason):
    assert inflected(SEES, ("x/X", "x/X", ""), STREET, window=window).reason is reason


def test_the_window_reaches_ten_segments_back():
    between = [("x/X", "x/X", "")]
    assert inflected(SEES, *between * 9, STREET).reason is Reason.HIT
    assert inflected(SEES, *between * 10, STREET).reason is Reason.CASE_NOT_EARLIER


@pytest.mark.parametrize(
    ("source", "target", "links", "reason"),
    [
        ("street/NOUN", "улицу/NOUN Case=Acc,Gen", "0-0", Reason.HIT),
        ("street/NOUN", "на/ADP Case=Loc | улицу/NOUN Case=Acc", "0-1", Reason.HIT),  # a preposition asks for one
        ("street/NOUN", "большая/ADJ Case=Nom | улицу/NOUN Case=Acc", "0-1", Reason.OTHER_CASE),
        ("street/NOUN", "большую/ADJ Case=Acc", "0-0", Reason.OTHER_CASE),
        ("street/NOUN", "улицу/NOUN", "0-0", Reason.OTHER_CASE),
        ("was/AUX | street/NOUN", "улицу/NOUN Case=Acc", "1-0", Reason.SOURCE_VERB),
        ("street/NOUN", "была/AUX | улицу/NOUN Case=Acc", "0-1", Reason.TARGET_VERB),
        ("big/ADJ", "улицу/NOUN Case=Acc", "0-0", Reason.NOUN_NOT_LINKED),
    ],
)
def test_a_noun_in_a_case_is_alone_with_words_of_that_case(source, target, links, reason):
    assert inflected(SEES, (source, target, links)).reason is reason


def test_of_several_nouns_the_last_that_is_linked_counts():
    pair = (
        "street/NOUN | house/NOUN | now/ADV",
        "улицу/NOUN Case=Acc | дом/NOUN Case=Acc | ну/NOUN Case=Acc",
        "0-0 1-1",
    )
    found = inflected(SEES, pair).occurrence
    assert found is not None
    assert (found.source_tokens, found.target_tokens) == ((1,), (1,))
    assert InflectionTagger(RU).tag(document([pair])) == []  # nothing is before the first segment


def test_verdicts_come_in_the_order_of_their_checks():
    order = [Reason.NO_PAIR, Reason.EXPLETIVE, Reason.NO_CHAIN, Reason.HEAD_NUMBER, Reason.NOUN_NOT_LINKED, Reason.HIT]
    for index, reason in enumerate(order):
        assert furthest(map(Verdict, order[: index + 1]), Reason.NO_PAIR).reason is reason
        assert furthest(map(Verdict, reversed(order[: index + 1])), Reason.NO_PAIR).reason is reason


VIRUS = ("virus/NOUN lemma=virus", "Virus/NOUN lemma=Virus", "0-0")


def repeated(*segments, **options) -> list[int]:
    return [one.segment for one in LexicalCohesionTagger(EN, DE, repetitions=1, **options).tag(document(segments))]


@pytest.mark.parametrize(
    ("source", "target", "links", "found"),
    [
        ("VIRUS/NOUN lemma=VIRUS", "Viren/NOUN lemma=VIRUS", "0-0", [1]),  # whatever the case of the lemma
        ("virus/X lemma=virus", "Virus/NOUN lemma=Virus", "0-0", []),
        ("virus/NOUN lemma=virus", "Virus/X lemma=Virus", "0-0", []),
        ("virus/NOUN lemma=virus", "Virus/NOUN lemma=Virus", "", []),
        ("a/DET | virus/NOUN lemma=virus", "Virus/NOUN lemma=Virus", "0-0:.9 1-0:.5", []),
        ("a/DET | virus/NOUN lemma=virus", "Virus/NOUN lemma=Virus", "0-0:.5 1-0:.9", [1]),
    ],
)
def test_a_pair_is_one_of_lemmas_that_are_surest_of_each_other(source, target, links, found):
    assert repeated(VIRUS, (source, target, links)) == found


def test_the_variant_of_forms_takes_the_surest_word_of_each_source_word():
    twice = ("virus/NOUN | virus/NOUN", "Virus/NOUN | Keim/NOUN", "0-0:.9 1-0:.4")
    found = LexicalCohesionTagger(EN, DE, "surface", 1).tag(document([VIRUS, twice]))
    assert [(one.source_tokens, one.target_tokens, one.rule) for one in found] == [
        ((0,), (0,), "surface"),
        ((1,), (0,), "surface"),
    ]
    assert [one.source_tokens for one in LexicalCohesionTagger(EN, DE, "lemma", 1).tag(document([VIRUS, twice]))] == [
        (0,)
    ]


def test_numbers_and_signs_are_no_words():
    assert repeated(*[("12/NOUN", "12/NOUN", "0-0")] * 2) == []
    assert repeated(*[("B12/NOUN", "B12/NOUN", "0-0")] * 2) == [1]


def test_a_form_has_the_lemma_that_it_has_most_often_or_else_first():
    first, second = (("bank/NOUN lemma=bank", f"Banken/NOUN lemma={lemma}", "0-0") for lemma in ("Bank", "Banke"))
    bank = ("bank/NOUN lemma=bank", "Bank/NOUN lemma=Bank", "0-0")
    assert repeated(bank, first) == [1]
    assert repeated(bank, first, second) == [1, 2]
    assert repeated(bank, second, second, first) == [2, 3]  # *Banken* is of *Banke* in this document
