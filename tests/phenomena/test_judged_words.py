"""What a text translates the words by that its source has again, on documents written by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from handmade import document

from endophora.align.priors import Priors, shipped_priors
from endophora.judgments.translations import translations
from endophora.languages import load_language
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger

EN, DE, ES, RU, ZH = (load_language(code) for code in ("en", "de", "es", "ru", "zh"))
GERMAN, SPANISH, RUSSIAN, CHINESE = (LexicalCohesionTagger(EN, each) for each in (DE, ES, RU, ZH))
BANK = ("the/DET | bank/NOUN", "die/DET | Bank/NOUN", "0-0 1-1")


def shown(
    rows: Sequence[tuple[str, str, str]], tagger: LexicalCohesionTagger = GERMAN
) -> list[tuple[str, int, tuple[int, ...], str]]:
    found = translations(document(rows), tagger, Priors())
    return [(choice.about, choice.segment, choice.target_tokens, choice.shown) for choice in found]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (("a/DET | bank/NOUN", "ein/DET | Ufer/NOUN", "0-0 1-1"), [((1,), "ufer")]),
        (("a/DET | bank/NOUN", "ein/DET | Ufer/NOUN", "0-0"), [((1,), "ufer")]),  # the only nouns without a link
        (("a/DET | bank/NOUN", "Ufer/NOUN | Haus/NOUN", ""), []),  # which of two is not known
        (("a/DET | bank/NOUN", "beraten/VERB", "1-0"), [((0,), "")]),  # a verb stands for no noun
        (("a/DET | house/NOUN", "ein/DET | Haus/NOUN", "0-0 1-1"), None),  # neither word comes again
    ],
)
def test_words_of_two_segments_have_their_linked_lemma(second, expected):
    again = [("bank", 0, (1,), "bank"), *(("bank", 1, *each) for each in expected or ())]
    assert shown([BANK, second]) == ([] if expected is None else again)


def test_a_word_of_one_segment_alone_is_none_that_comes_again():
    twice = ("bank/NOUN | or/CCONJ | bank/NOUN", "Bank/NOUN | oder/CCONJ | Ufer/NOUN", "0-0 1-1 2-2")
    assert shown([twice]) == []


def fran(*forms: str) -> list[tuple[str, str, str]]:
    return [("Fran/PROPN :nsubj >1 | sings/VERB", f"{form}/PROPN :obl >1 | поёт/VERB", "0-0 1-1") for form in forms]


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (("Фрэна", "Фрэном"), ["Фрэна", "Фрэна"]),  # forms of one name are shown as the first of them
        (("Фрэна", "Франа"), ["Фрэна", "Франа"]),
        (("Фрэна", "Франа", "Франом"), ["Фрэна", "Франа", "Франа"]),
    ],
)
def test_names_are_told_apart_by_their_declensions(forms: tuple[str, ...], expected: list[str]):
    assert [name for lemma, *_, name in shown(fran(*forms), RUSSIAN) if lemma == "fran"] == expected


@pytest.mark.parametrize("link", ["0-0 1-2", "0-2"])
def test_a_link_that_went_astray_is_put_right_where_the_name_stands_elsewhere(link: str):
    astray = ("Fran/PROPN | sings/VERB", "Москва/PROPN | Фрэн/PROPN | поёт/VERB", link)
    found = shown([*fran("Фрэн", "Фрэн"), astray], RUSSIAN)
    assert [each for each in found if each[0] == "fran"][-1] == ("fran", 2, (1,), "Фрэн")


@pytest.mark.parametrize(("word", "expected"), [("norte/ADJ", "Norte"), ("sol/NOUN", "")])
def test_a_name_written_as_a_word_is_the_name(word: str, expected: str):
    named = ("the/DET | North/PROPN", "el/DET | Norte/PROPN", "0-0 1-1")
    wing = ("the/DET | north/NOUN | wing/NOUN", f"el/DET | ala/NOUN | {word}", "0-0 1-2 2-1")
    found = shown([named, named, wing], SPANISH)
    assert [each for each in found if each[0] == "north"][-1] == ("north", 2, (2,), expected)


def test_a_name_that_is_none_in_the_target_is_a_word():
    monday = [("on/ADP | Monday/PROPN", f"в/ADP | {word}/NOUN", "0-0 1-1") for word in ("понедельник", "вторник")]
    (first, second) = translations(document(monday), RUSSIAN, Priors())
    assert [(each.shown, each.upos, each.part) for each in (first, second)] == [
        ("понедельник", "NOUN", "terms"),
        ("вторник", "NOUN", "terms"),
    ]


def test_a_link_to_the_translation_of_another_name_is_none():
    anna = ("Anna/PROPN | sings/VERB", "Анна/PROPN | поёт/VERB", "0-0 1-1")
    astray = ("Fran/PROPN | and/CCONJ | Anna/PROPN", "Анна/PROPN", "0-0:.5 2-0")
    assert [name for lemma, *_, name in shown([*fran("Фрэн", "Фрэн"), anna, astray], RUSSIAN) if lemma == "fran"] == [
        "Фрэн",
        "Фрэн",
        "",
    ]


@pytest.mark.parametrize(
    ("target", "links", "expected"),
    [
        # One word for two of the source, in another spelling: the name's, and no other word's.
        ("Nardland/PROPN | wächst/VERB", "0-0:.5 1-0 2-1", "Nardland"),
        ("Anna/PROPN | wächst/VERB", "0-0:.5 1-0 2-1", ""),
        # A word like the name that translates another one is no better translation than what is linked.
        ("Nardland/PROPN | Norden/NOUN | wächst/VERB", "0-0 1-1 2-2", "Nardland"),
        ("Oslo/PROPN | Nordland/PROPN | wächst/VERB", "0-0 1-1 2-2", "Nordland"),
    ],
)
def test_a_name_in_another_spelling_is_its_translation(target: str, links: str, expected: str):
    source = "North/PROPN | Country/PROPN | grows/VERB"
    known = (source, "Nordland/PROPN | wächst/VERB", "0-0 2-1")
    assert ("north", 2, expected) in [(*one[:2], one[3]) for one in shown([known, known, (source, target, links)])]


def test_a_word_without_a_link_is_found_where_its_translation_stands_free():
    name = ("Fran/PROPN", "Поёт/VERB | Фрэн/PROPN", "")
    assert ("fran", 2, (1,), "Фрэн") in shown([*fran("Фрэн", "Фрэн"), name], RUSSIAN)
    noun = ("bank/NOUN | or/CCONJ | so/ADV", "gute/ADJ | Bank/NOUN | oder/CCONJ | Ufer/NOUN", "1-2")
    assert ("bank", 2, (1,), "bank") in shown([BANK, BANK, noun])


def test_a_name_without_spaces_around_it_is_found_in_the_text_whatever_words_it_is_cut_into():
    bjorn = ("Bjorn/PROPN | left/VERB", "比约恩/PROPN | 离开/VERB", "0-0 1-1")
    astray = ("Bjorn/PROPN | told/VERB | players/NOUN", "比约恩对/VERB | 队员/NOUN", "0-1:.5 1-0 2-1")
    assert ("bjorn", 2, (0,), "比约恩") in shown([bjorn, bjorn, astray], CHINESE)


def test_a_name_of_one_sign_is_not_found_within_other_words():
    china = ("China/PROPN :nsubj >1 | grows/VERB", "中/PROPN :nsubj >1 | 成长/VERB", "0-0 1-1")
    japan = ("China/PROPN :nsubj >1 | grows/VERB", "其中/PRON | 日本/PROPN :nsubj >2 | 成长/VERB", "0-1 1-2")
    assert ("china", 2, (1,), "日本") in shown([china, china, japan], CHINESE)


def test_an_adjective_of_the_noun_that_is_used_is_the_same_word():
    mass = ("mass/NOUN | grows/VERB", "Masse/NOUN | wächst/VERB", "0-0 1-1")
    massive = ("mass/NOUN | grows/VERB", "massereich/ADJ | wird/VERB", "0-0 1-1")
    assert [one for lemma, *_, one in shown([mass, mass, massive]) if lemma == "mass"] == [
        "masse",
        "masse",
        "massereich",
    ]


@pytest.mark.parametrize(("relation", "expected"), [("nsubj", "码头"), ("obl", "")])
def test_another_word_in_the_role_of_the_noun_is_its_translation(relation: str, expected: str):
    """*码头* is no known translation of *harbour*; as an oblique it may be linked by mistake."""
    before = ("harbour/NOUN", "港口/NOUN", "0-0")
    said = "harbour/NOUN >1 :nsubj | opens/VERB"
    other = (said, f"码头/NOUN >1 :{relation} | 开放/VERB", "0-0 1-1")
    found = translations(document([before, before, other]), CHINESE, shipped_priors("en", "zh"))
    assert [choice.shown for choice in found] == ["港口", "港口", expected]
