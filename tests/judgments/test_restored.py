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
