"""What stands for a verb left out in the source: hand-worked answers to *Do you know that she left?*."""

from __future__ import annotations

import pytest
from tests.phenomena.handmade import document

from endophora.align.priors import Priors
from endophora.judgments.restored import restored
from endophora.languages import load_language
from endophora.phenomena.ellipsis import EllipsisTagger, load_rule_detector

ASKED = (
    "You/PRON Person=2 >1 :nsubj | know/VERB lemma=know :root | that/SCONJ >4 :mark | she/PRON Person=3 >4 :nsubj"
    " | left/VERB lemma=leave >1 :ccomp",
    "Du/PRON >1 :nsubj | weißt/VERB lemma=wissen :root | dass/SCONJ >4 | sie/PRON >4 | ging/VERB lemma=gehen >1 :ccomp",
    "0-0 1-1 2-2 3-3 4-4",
)
ANSWER = "I/PRON Person=1 >1 :nsubj | do/AUX lemma=do :root | ./PUNCT >1 :punct"


@pytest.mark.parametrize(
    ("target", "links", "about"),
    [
        ("Ich/PRON >1 :nsubj | weiß/VERB lemma=wissen :root", "0-0", "said"),  # who is asked knows, she left
        ("Ich/PRON >1 :nsubj | ging/VERB lemma=gehen :root", "0-0", ""),
        ("Ich/PRON >1 :nsubj | esse/VERB lemma=essen :root", "0-0", "new"),
        ("Das/PRON >1 :obj | tue/VERB lemma=tun :root | ich/PRON >1 :nsubj", "0-2 1-1", "otherwise"),
        ("Ich/PRON >1 :nsubj | tue/VERB lemma=tun :root", "0-0 1-1", "new"),  # no pro-form beside it
        ("Ich/PRON :root | auch/ADV >0 :advmod", "0-0", "otherwise"),
        ("Ja/INTJ >1 | habe/AUX lemma=haben :root | ich/PRON >1 :nsubj", "0-2 1-1", "otherwise"),  # left out as well
        ("Ich/PRON >2 :nsubj | kann/AUX lemma=können >2 :aux | essen/VERB lemma=essen :root", "0-0 1-1", "new"),
        ("Ich/PRON >2 :nsubj | kann/AUX lemma=können >2 :aux | wissen/VERB lemma=wissen :root", "0-0 1-1", "said"),
        # A modal that is no auxiliary: the verb is its complement.
        ("Ich/PRON >1 :nsubj | kann/VERB lemma=können | wissen/VERB lemma=wissen >1 :xcomp", "0-0 1-1", "said"),
        # What translates *do* is what stands for it, not a full verb beside it.
        ("Ich/PRON >1 | habe/AUX lemma=haben | ,/PUNCT | glaube/VERB >1 :parataxis", "0-0 1-1", "otherwise"),
        ("Ehrensache/NOUN :root", "1-0", "otherwise"),
        ("Ja/INTJ :root | ich/PRON >0 :nsubj", "0-1 1-0", None),  # a link to a word that says nothing
    ],
)
def test_what_stands_for_a_verb_left_out(target: str, links: str, about: str | None):
    tagger = EllipsisTagger(load_rule_detector("en"), local=True, target=load_language("de"))
    found = list(restored(document([ASKED, (ANSWER, target, links)]), tagger, Priors()))
    assert [choice.about for choice in found] == ([] if about is None else [about])


CLAUSE = (
    "If/SCONJ >2 :mark | he/PRON Person=3 >2 :nsubj | does/AUX lemma=do >6 :advcl | ,/PUNCT >2 :punct | we/PRON"
    " Person=1 >6 :nsubj | will/AUX >6 :aux | listen/VERB lemma=listen :root"
)
PARTICLE = "If/SCONJ >2 | I/PRON Person=1 >2 :nsubj | did/AUX lemma=do :root"
AGREED = "Yeah/INTJ >2 | I/PRON Person=1 >2 :nsubj | do/AUX lemma=do :root"


@pytest.mark.parametrize(
    ("source", "target", "links", "about"),
    [
        (CLAUSE, "мы/PRON >2 | будем/AUX lemma=быть >2 :aux | слушать/VERB :root", "4-0 5-1 6-2", []),
        (CLAUSE, "Сделает/VERB lemma=сделать >3 | мы/PRON >3 | будем/AUX lemma=быть >3 :aux | слушать/VERB :root",
         "2-0 4-1 5-2 6-3", ["new"]),
        (PARTICLE, "если/SCONJ >1 | б/AUX lemma=б Mood=Cnd :root", "0-0", []),  # a particle of mood says no verb
        (AGREED, "Нет/PART lemma=нет :root | ,/PUNCT | ./PUNCT", "", []),  # it is the *yeah*
        (AGREED, "А/CCONJ >1 | я/PRON :root | нет/PART lemma=нет >1", "1-1", ["otherwise"]),
    ],
)  # fmt: skip
def test_what_belongs_to_another_word_does_not_stand_for_a_verb_left_out(source: str, target: str, links: str, about):
    tagger = EllipsisTagger(load_rule_detector("en"), local=True, target=load_language("ru"))
    found = list(restored(document([ASKED, (source, target, links)]), tagger, Priors()))
    assert [choice.about for choice in found] == about


DONE = (
    "You/PRON Person=2 >1 :nsubj | did/VERB lemma=do :root | it/PRON >1 :obj",
    "Du/PRON >1 :nsubj | tatest/VERB lemma=tun :root | es/PRON >1 :obj",
    "0-0 1-1 2-2",
)


@pytest.mark.parametrize(("before", "about"), [([DONE, ASKED], "new"), ([DONE], "said")])
def test_a_verb_that_may_stand_for_any_says_what_it_translates_in_the_clause_that_is_answered(before, about: str):
    tagger = EllipsisTagger(load_rule_detector("en"), local=True, target=load_language("de"))
    answer = (ANSWER, "Ich/PRON >1 :nsubj | tue/VERB lemma=tun :root", "0-0 1-1")
    assert [one.about for one in restored(document([*before, answer]), tagger, Priors())] == [about]


@pytest.mark.parametrize(
    ("target", "links", "about"),
    [
        ("Er/PRON >1 :nsubj | hat/VERB lemma=haben :root | zwei/NUM >3 :nummod | Hunde/NOUN lemma=Hund >1 :obj",
         "0-0 1-1 2-2", ["said"]),
        ("Er/PRON >1 :nsubj | hat/VERB lemma=haben :root | zwei/NUM >1 :obj", "0-0 1-1 2-2", ["otherwise"]),
        # A noun that is far away, or translates another word, is not the one left out.
        ("Er/PRON >1 | hat/VERB lemma=haben | zwei/NUM >1 | ,/PUNCT | wie/ADV | er/PRON | mir/PRON | sagt/VERB"
         " | ,/PUNCT | Hunde/NOUN lemma=Hund >1", "0-0 1-1 2-2", ["otherwise"]),
        ("Er/PRON >1 | hat/VERB lemma=haben | zwei/NUM >1 | Hunde/NOUN lemma=Hund", "0-0 1-1 2-2 3-3", ["otherwise"]),
        ("Er/PRON >1 :nsubj | hat/VERB lemma=haben :root | zwei/NUM >3 :nummod | Tische/NOUN lemma=Tisch >1 :obj",
         "0-0 1-1 2-2", []),
        ("Er/PRON >1 :nsubj | hat/VERB lemma=haben :root | zwei/NUM >4 :nummod | neue/ADJ >4 | Tische/NOUN >1 :obj",
         "0-0 1-1 2-2", []),
    ],
)  # fmt: skip
def test_what_stands_for_a_noun_left_out(target: str, links: str, about: list[str]):
    assert nouns_about(target, links) == about


def test_a_noun_said_four_segments_ago_is_not_the_one_left_out():
    said = "Er/PRON >1 | hat/VERB lemma=haben | zwei/NUM >3 :nummod | Hunde/NOUN lemma=Hund >1"
    assert nouns_about(said, "0-0 1-1 2-2", between=2) == ["said"]
    assert nouns_about(said, "0-0 1-1 2-2", between=3) == []


def nouns_about(target: str, links: str, between: int = 0) -> list[str]:
    theirs = "I/PRON >1 :nsubj | have/VERB :root | dogs/NOUN >1 :obj"
    asked = (theirs, "Ich/PRON >1 | habe/VERB | Hunde/NOUN lemma=Hund", "0-0 1-1 2-2")
    answer = "He/PRON >1 :nsubj | has/VERB :root | two/NUM >1 :obj | ./PUNCT >1"
    tagger = EllipsisTagger(load_rule_detector("en"), local=True, target=load_language("de"))
    silence = [("well/INTJ", "na/INTJ", "0-0")] * between
    found = restored(document([asked, *silence, (answer, target, links)]), tagger, Priors())
    return [choice.about for choice in found]


THINK = (
    "Do/AUX >2 :aux | you/PRON Person=2 >2 :nsubj | think/VERB :root",
    "Вы/PRON >1 :nsubj | думаете/VERB lemma=думать :root",
    "1-0 2-1",
)
KNOW = ("We/PRON Person=1 >1 :nsubj | know/VERB :root", "Мы/PRON >1 :nsubj | знаем/VERB lemma=знать :root", "0-0 1-1")
WENT = (
    "I/PRON Person=1 >1 :nsubj | said/VERB :root | you/PRON Person=2 >3 :nsubj | went/VERB >1 :ccomp",
    "Я/PRON >1 | сказал/VERB lemma=сказать :root | ты/PRON >3 | пошёл/VERB lemma=пойти >1 :ccomp",
    "0-0 1-1 2-2 3-3",
)
COULD = (
    "I/PRON Person=1 >2 :nsubj | could/AUX >2 :aux | take/VERB :root | it/PRON >2 :obj",
    "Я/PRON >1 :nsubj | мог/VERB lemma=мочь :root | взять/VERB >1 :xcomp",
    "0-0 1-1 2-2",
)
LIKE = (
    "I/PRON Person=1 >2 :nsubj | 'd/AUX lemma=would >2 :aux | like/VERB :root | that/PRON >2 :obj",
    "Я/PRON >1 :nsubj | хочу/VERB lemma=хотеть :root",
    "0-0 1-1",
)
ALSO = ("I/PRON Person=1 >1 :nsubj | did/AUX lemma=do :root", "Видел/VERB lemma=видеть :root", "0-0")
READY = ("I/PRON Person=1 >2 :nsubj | am/AUX lemma=be >2 :cop | ready/ADJ :root", "Хочу/VERB lemma=хотеть :root", "0-0")
CARE = ("You/PRON Person=2 >1 :nsubj | care/VERB :root", "Вы/PRON | заботитесь/VERB lemma=заботиться :root", "0-0 1-1")
DOING = (
    "I/PRON Person=1 >3 :nsubj | did/AUX >3 :aux | n't/PART >3 | do/VERB :root | it/PRON >3 :obj",
    "Я/PRON >2 | не/PART >2 | делал/VERB lemma=делать :root | этого/PRON >2",
    "0-0 2-1 3-2 4-3",
)
RUSSIAN = EllipsisTagger(load_rule_detector("en"), local=True, target=load_language("ru"))
I_DID = "I/PRON Person=1 >1 :nsubj | did/AUX lemma=do :root"
YOU_DID = "You/PRON Person=2 >1 :nsubj | did/AUX lemma=do :root"


@pytest.mark.parametrize(
    ("before", "answer", "verb", "about"),
    [
        ([THINK, KNOW], I_DID, "знаем", "said"),  # the nearest clause of either person
        ([THINK, KNOW], I_DID, "думаем", ""),
        ([WENT], YOU_DID, "пошёл", "said"),
        ([WENT], YOU_DID, "сказал", ""),  # it governs the clause whose subject is the same
        ([COULD], I_DID, "взял lemma=взять", "said"),
        ([COULD], I_DID, "мог lemma=мочь", "new"),  # a modal of the source is no verb that *do* takes up
        ([LIKE], I_DID, "хотел lemma=хотеть", "said"),  # … but may be all that stands for one
        ([KNOW, ALSO], YOU_DID, "видел lemma=видеть", "said"),  # restored before
        ([KNOW, READY], YOU_DID, "хотел lemma=хотеть", "new"),  # a copula is not taken up
        ([CARE], I_DID, "забочусь lemma=забочуться", "said"),  # a lemma made up, of one stem
    ],
)
def test_a_verb_left_out_is_one_of_the_clause_that_is_taken_up(before: list, answer: str, verb: str, about: str):
    form, *lemma = verb.split()
    segment = (answer, f"Я/PRON >1 :nsubj | {form}/VERB {' '.join(lemma)} :root", "0-0")
    assert [one.about for one in restored(document([*before, segment]), RUSSIAN, Priors())][-1] == about


def test_a_pro_form_of_a_verb_that_was_itself_said_says_it():
    target = "Ты/PRON >1 :nsubj | сделал/VERB lemma=сделать :root | это/PRON >1 :obj"
    for before, about in ((DOING, "said"), (CARE, "otherwise")):
        segments = [before, (YOU_DID, target, "0-0")]
        assert [one.about for one in restored(document(segments), RUSSIAN, Priors())] == [about]


@pytest.mark.parametrize(("verb", "about"), [("думают lemma=думать", "said"), ("знают lemma=знать", "new")])
def test_a_verb_of_a_clause_within_the_subject_is_not_taken_up(verb: str, about: str):
    source = "People/NOUN >3 :nsubj | I/PRON PronType=Prs >2 :nsubj | know/VERB >0 :acl:relcl | do/AUX lemma=do :root"
    form, lemma = verb.split()
    target = f"Люди/NOUN >4 :nsubj | которых/PRON >3 | я/PRON >3 | знаю/VERB lemma=знать >0 | {form}/VERB {lemma} :root"
    segments = [THINK, (source, target, "0-0 1-2 2-3")]
    assert [one.about for one in restored(document(segments), RUSSIAN, Priors())] == [about]
