"""Auxiliaries without a verb and what they stand for, on documents written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import document, rules, text

from endophora.phenomena.auxiliary import AuxiliaryTagger, is_only_verb
from endophora.phenomena.item_details import details_of
from endophora.phenomena.records import Support
from endophora.phenomena.verdicts import Reason

RULES = rules(
    """\
extraction:
  auxiliary:
    - {label: DO, lemma: do, forbidden: [tun, haben], source: grammar}
    - {label: WILL, lemma: will, forbidden: [werden], source: grammar}
"""
)
TAGGER = AuxiliaryTagger(RULES)
KNOW = ("you/PRON >1 | know/VERB", "du/PRON >1 | weisst/VERB lemma=wissen", "0-0 1-1")
NOTHING = ("oh/INTJ", "oh/INTJ", "0-0")


def verdict(*segments, label="DO", tagger=TAGGER):
    return tagger.verdicts(document(segments), len(segments) - 1)[label]


SENTENCES = replace(
    text("We/PRON | know/VERB | ./PUNCT | You/PRON | do/AUX lemma=do | ./PUNCT | They/PRON | left/VERB | ./PUNCT"),
    sentences=(0, 3, 6),
)


@pytest.mark.parametrize(
    ("written", "index", "alone"),
    [
        ("I/PRON | do/AUX", 1, True),
        ("I/PRON | do/AUX | know/VERB", 1, False),
        ("I/PRON | am/AUX lemma=be | do/AUX", 2, False),
        ("Do/AUX lemma=DO | do/AUX lemma=do | doing/VERB lemma=Do", 1, True),
        ("knowing/NOUN lemma=know | do/AUX", 1, True),
    ],
)
def test_the_only_verb_has_no_other_verb_or_auxiliary_with_it(written: str, index: int, alone: bool):
    assert is_only_verb(text(written), index, "segment") is alone
    assert is_only_verb(text(written), index, "sentence") is alone


def test_the_scope_is_the_segment_or_the_sentence_of_the_auxiliary():
    assert not is_only_verb(SENTENCES, 4, "segment")
    assert is_only_verb(SENTENCES, 4, "sentence")
    inverted = text("We/PRON | know/VERB | Do/AUX | you/PRON | leave/VERB")
    assert is_only_verb(replace(inverted, sentences=(0, 2, 4)), 2, "sentence")
    assert not is_only_verb(replace(SENTENCES, sentences=(0, 6)), 4, "sentence")
    assert not is_only_verb(replace(SENTENCES, sentences=(0, 3)), 4, "sentence")
    assert not is_only_verb(replace(SENTENCES, sentences=()), 4, "sentence")
    last = text("You/PRON | do/AUX | ./PUNCT | left/VERB")
    assert is_only_verb(replace(last, sentences=(0, 3)), 1, "sentence")


def test_the_scope_is_an_option_of_the_tagger():
    made = document([KNOW, ("", "ich/PRON | weiß/VERB lemma=wissen", "4-1")])
    made = replace(made, source=(made.source[0], SENTENCES))
    assert TAGGER.verdicts(made, 1)["DO"].reason is Reason.OTHER_VERB
    by_sentence = AuxiliaryTagger(RULES, scope="sentence")
    (found,) = by_sentence.tag(made)
    assert (found.rule, found.source_tokens, found.target_tokens, found.expected) == ("DO", (4,), (1,), "weiß")
    assert found.support == Support(((0, 1),), ((0, 1),), 1, 1.0)
    assert by_sentence.signature != TAGGER.signature != AuxiliaryTagger(RULES, window=3).signature


def test_each_rule_looks_for_its_own_auxiliary():
    answer = ("I/PRON | will/AUX", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1")
    assert verdict(KNOW, answer).reason is Reason.NO_AUXILIARY
    assert verdict(KNOW, answer, label="WILL").reason is Reason.HIT
    assert [found.rule for found in TAGGER.tag(document([KNOW, answer]))] == ["WILL"]


TRANSLATIONS = {
    "a linked verb": ("Ann/PROPN | weiß/VERB lemma=wissen", "1-1", (Reason.HIT, 1)),
    "the verb of a linked auxiliary": (
        "Ann/PROPN | wird/AUX lemma=werden >2 :aux | wissen/VERB lemma=wissen",
        "1-1",
        (Reason.HIT, 2),
    ),
    "the verb of a linked passive auxiliary that comes after it": (
        "wissen/VERB lemma=wissen | wird/AUX lemma=werden >0 :aux:pass",
        "1-1",
        (Reason.HIT, 0),
    ),
    "an auxiliary without a head": ("Ann/PROPN | weiß/AUX lemma=wissen >-1 :root", "1-1", (Reason.HIT, 1)),
    "an auxiliary of a noun": ("Ann/PROPN | weiß/AUX lemma=wissen >0 :aux", "1-1", (Reason.HIT, 1)),
    "an auxiliary of an auxiliary": (
        "hat/AUX lemma=haben :root | weiß/AUX lemma=wissen >0 :aux",
        "1-1",
        (Reason.FORBIDDEN, None),
    ),
    "a copula of a pronoun": ("sie/PRON | weiß/AUX lemma=wissen >0 :cop", "1-1", (Reason.HIT, 1)),
    "a copula of an adjective": ("klug/ADJ | weiß/AUX lemma=wissen >0 :cop", "1-1", (Reason.NO_VERB, None)),
    "a linked word that is no verb, and the only verb": (
        "so/ADV | weiß/VERB lemma=wissen",
        "1-0",
        (Reason.HIT, 1),
    ),
    "the only verb, said twice": (
        "weiß/VERB lemma=wissen | ,/PUNCT | weiß/VERB lemma=wissen",
        "",
        (Reason.HIT, 2),
    ),
    "one of two verbs without a link": ("weiß/VERB lemma=wissen | sieht/VERB lemma=sehen", "", (Reason.NO_VERB, None)),
    "the only verb, which translates a noun": ("Ann/PROPN | weiß/VERB lemma=wissen", "0-1", (Reason.NO_VERB, None)),
    "no verb": ("so/ADV | nicht/PART", "", (Reason.NO_VERB, None)),
    "an auxiliary beside the only verb": (
        "hat/AUX lemma=haben | weiß/VERB lemma=wissen",
        "",
        (Reason.HIT, 1),
    ),
}


@pytest.mark.parametrize("case", TRANSLATIONS)
def test_what_translates_an_auxiliary(case: str):
    target, links, (reason, token) = TRANSLATIONS[case]
    found = verdict(KNOW, ("Ann/PROPN | does/AUX lemma=do", target, links))
    assert found.reason is reason
    assert (found.occurrence.target_tokens if found.occurrence else None) == (None if token is None else (token,))


@pytest.mark.parametrize(
    ("form", "links", "reason"),
    [
        ("VerbForm=Part", "1-0", Reason.HIT),
        ("VerbForm=Inf", "1-0", Reason.HIT),
        ("VerbForm=Fin", "1-0", Reason.FORBIDDEN),
        ("VerbForm=Part", "1-0:.9 1-1:.1", Reason.HIT),
        ("VerbForm=Fin", "1-0:.1 1-1:.9", Reason.HIT),
        ("VerbForm=Fin", "1-0:.9 1-1:.1", Reason.FORBIDDEN),
    ],
)
def test_of_a_forbidden_verb_and_one_that_is_not_finite_it_is_the_latter(form: str, links: str, reason: Reason):
    target = f"hast/VERB lemma=Haben | gewusst/VERB lemma=wissen {form}"
    found = verdict(KNOW, ("you/PRON | do/AUX", target, links))
    assert found.reason is reason
    assert found.occurrence is None or found.occurrence.target_tokens == (1,)


def test_of_a_forbidden_verb_and_two_others_it_is_none():
    target = "hast/VERB lemma=haben | gewusst/VERB lemma=wissen VerbForm=Inf | sehen/VERB VerbForm=Inf"
    assert verdict(KNOW, ("you/PRON | do/AUX", target, "1-0")).reason is Reason.FORBIDDEN
    both = "hast/VERB lemma=haben | getan/VERB lemma=tun VerbForm=Part"
    assert verdict(KNOW, ("you/PRON | do/AUX", both, "1-0")).reason is Reason.FORBIDDEN


ANSWER = ("I/PRON | do/AUX", "ich/PRON | Weiß/VERB lemma=wissen", "0-0 1-1")


@pytest.mark.parametrize(
    ("earlier", "reason"),
    [
        (("know/VERB", "weiss/VERB lemma=wissen", "0-0"), Reason.HIT),  # by its lemma
        (("know/VERB", "weiß/VERB lemma=other", "0-0"), Reason.HIT),  # by its form
        (("know/VERB", "sah/VERB lemma=sehen", "0-0"), Reason.NOT_EARLIER),
        (("does/VERB lemma=do", "weiss/VERB lemma=wissen", "0-0"), Reason.NO_SOURCE_VERB),
        (("know/NOUN", "weiss/VERB lemma=wissen", "0-0"), Reason.NO_SOURCE_VERB),
        (("has/AUX >1 :aux | known/VERB", "weiss/VERB lemma=wissen", "0-0"), Reason.HIT),  # by its auxiliary
        (("so/ADV | know/VERB", "weiss/VERB lemma=wissen", "0-0"), Reason.HIT),  # the only verb without a link
        (("see/VERB | know/VERB", "weiss/VERB lemma=wissen", ""), Reason.NO_SOURCE_VERB),
        (("see/VERB | know/VERB", "weiss/VERB lemma=wissen | sieht/VERB", "0-1"), Reason.HIT),
        (("see/VERB | know/VERB", "weiss/VERB lemma=wissen | Blick/NOUN", "0-1"), Reason.NO_SOURCE_VERB),
    ],
)
def test_the_verb_must_have_translated_another_verb_before(earlier: tuple[str, str, str], reason: Reason):
    assert verdict(earlier, ANSWER).reason is reason


def test_support_is_the_nearest_use_that_translates_another_verb():
    do = ("I/PRON | do/VERB lemma=do", "ich/PRON | weiss/VERB lemma=wissen", "1-1")
    made = document([KNOW, KNOW, NOTHING, do, ANSWER])
    (found,) = [one for one in TAGGER.tag(made) if one.segment == 4]
    assert found.support == Support(((1, 1),), ((1, 1),), 3, 1.0)
    assert [one.segment for one in AuxiliaryTagger(RULES, window=3).tag(made) if one.segment == 4] == [4]
    assert verdict(KNOW, KNOW, NOTHING, do, ANSWER, tagger=AuxiliaryTagger(RULES, window=2)).occurrence is None


def test_details_name_both_verbs_and_both_segments():
    made = document([KNOW, NOTHING, ("I/PRON | Did/AUX lemma=do", "ich/PRON | Weiß/VERB lemma=wissen", "1-1")])
    (found,) = TAGGER.tag(made)
    assert list(details_of(found, made).items()) == [
        ("src verb", "Did"),
        ("expected", "Weiß"),
        ("ante distance", 2),
        ("ref verb lemma", "wissen"),
        ("ref segment", "ich Weiß"),
        ("ref ante segment", "du weisst"),
        ("src verb lemma", "do"),
        ("src segment", "I Did"),
        ("src ante segment", "you know"),
        ("src ante verb lemma", "know"),
    ]
