"""Texts judged without a reference: by their own register, their own translations, their own nouns."""

import pytest

from endophora.judgments.alone import LoneText
from endophora.judgments.records import Choice, Choices


def verdicts(shown: list[Choice], **more) -> list[str]:
    found = LoneText("d", Choices(tuple(shown), **more)).judgments()
    return [judgment.verdict for _, judgment in found if judgment.verdict]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ("formal", []),  # the first word breaks nothing
        ("formal formal formal", ["right", "right"]),
        ("formal formal informal", ["right", "wrong"]),
        ("informal formal formal", ["wrong", "right"]),  # the first word of the level that there is most sets it
        ("formal informal", ["wrong"]),  # equally many: the first counts
    ],
)
def test_words_of_address_keep_the_level_that_the_document_has_most(levels: str, expected: list[str]):
    words = [Choice("formality", at, (0,), (0,), level) for at, level in enumerate(levels.split())]
    assert verdicts(words) == expected


def test_each_conversation_has_a_level_of_its_own():
    spoken = "formal: informal:1 informal:1 formal: informal:2 formal:2"
    pairs = [one.split(":") for one in spoken.split()]
    words = [Choice("formality", at, (0,), (0,), level, about) for at, (level, about) in enumerate(pairs)]
    assert sorted(verdicts(words)) == ["right", "right", "wrong"]


def test_a_plural_of_every_level_breaks_no_level():
    pairs = [("informal", "Sing"), ("formal", "Plur"), ("informal", "Sing"), ("formal", "Sing")]
    words = [Choice("formality", at, (0,), (0,), one, number=number) for at, (one, number) in enumerate(pairs)]
    assert verdicts(words) == ["right", "wrong"]
    told = [*words, Choice("formality", 4, (0,), (0,), "informal", number="Own")]  # *vosotros*
    assert verdicts(told) == ["wrong", "right", "wrong", "right"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("informal informal formal:either", ["right", "wrong"]),  # nobody else is addressed
        ("informal informal formal:several", ["right"]),
        ("informal informal formal:either formal:several", ["right"]),
        ("informal informal formal:one formal:several", ["right", "wrong"]),
        ("formal:several formal:either formal:either formal:several informal informal", ["right"]),
        ("formal:either formal:several formal:either", ["right"]),
        ("formal:several formal:either", ["right"]),
        ("formal:one formal:one formal:several informal", ["right", "wrong"]),
    ],
)
def test_a_polite_form_breaks_no_level_where_it_may_be_a_plural(words: str, expected: list[str]):
    """Russian *ты* to one and *вы* to all are no two registers."""
    pairs = [(*one.split(":"), "")[:2] for one in words.split()]
    assert verdicts([Choice("formality", at, (0,), (0,), *one[:1], number=one[1]) for at, one in enumerate(pairs)]) == (
        expected
    )


def test_a_title_is_of_no_level():
    """*Sir* goes with any."""
    words = [Choice("formality", at, (0,), (0,), level) for at, level in enumerate(["informal"] * 2 + ["formal"])]
    assert verdicts(words) == ["right", "wrong"]
    assert verdicts([*words[:2], words[2]._replace(upos="NOUN")]) == ["right"]


def test_respect_for_a_person_is_no_other_level():
    """*お着きになりますか* among *です* and *ます*."""
    words = [Choice("formality", at, (0,), (0,), level) for at, level in enumerate(["polite", "polite", "plain"])]
    raised = [words[0]._replace(segment=at, shown="honorific", number="respect") for at in range(3, 6)]
    assert verdicts([*words, *raised]) == ["right", "wrong"]


def uses(lemmas: str, upos: str) -> list[Choice]:
    return [Choice("lexical_cohesion", at, (0,), (0,), lemma, "x", upos) for at, lemma in enumerate(lemmas.split())]


@pytest.mark.parametrize(
    ("lemmas", "upos", "expected"),
    [
        ("фрэн фрэн", "PROPN", ["right"]),
        ("фрэн фран", "PROPN", ["wrong"]),
        ("anna annas", "PROPN", ["wrong"]),  # forms of one name are one word before they are judged
        ("raum raum zimmer", "NOUN", []),  # a noun said twice is no term
        ("raum raum raum zimmer", "NOUN", ["wrong"]),
        ("raum zimmer raum raum", "NOUN", []),  # it varies anyway
        ("strafe strafe strafe geldstrafe", "NOUN", ["right"]),
        ("raum raum raum zimmer", "VERB", []),
    ],
)
def test_names_from_the_second_use_and_terms_from_the_fourth_keep_their_translation(lemmas, upos, expected):
    assert verdicts(uses(lemmas, upos)) == expected


def test_a_word_that_nearly_always_has_one_translation_is_not_judged():
    house = [use._replace(certain=0.97) for use in uses("haus haus haus heim", "NOUN")]
    assert verdicts(house) == []


@pytest.mark.parametrize(
    ("values", "about", "probabilities", "expected"),
    [
        ("Fem", "Sing", (0.5, 0.1), ["right"]),
        ("Fem", "Sing", (0.4, 0.1), []),
        ("Masc", "Sing", (0.7, 0.05), ["wrong"]),
        ("Masc", "Sing", (0.5, 0.05), []),  # to call it wrong takes more
        ("Fem", "Sing", (0.2, 0.05), []),  # too little is known
        ("Fem", "Sing", (0.4, 0.4), []),  # as much for either
        ("Neut", "unmarked", (0.65, 0.0), []),  # such a form also stands for no noun
        ("Neut", "unmarked", (0.8, 0.0), ["wrong"]),
    ],
)
def test_a_pronoun_is_judged_where_the_source_leaves_little_doubt(values, about, probabilities, expected):
    word = Choice("pronouns", 1, (1,), (1,), values, about)
    nouns = {(0, 2): (2, "Fem", "Sing"), (0, 5): (5, "Masc", "Sing")}
    antecedents = {(1, 1): tuple(zip(nouns, probabilities, strict=True))}
    assert verdicts([word], nouns=nouns, antecedents=antecedents) == expected


def test_a_gender_that_the_annotator_guesses_makes_nothing_wrong():
    word = Choice("pronouns", 1, (1,), (1,), "Masc", "Sing")
    more = {"nouns": {(0, 2): (2, "Fem", "Sing")}, "antecedents": {(1, 1): (((0, 2), 0.9),)}}
    assert verdicts([word], **more) == ["wrong"]
    assert verdicts([word], **more, guessed=frozenset({(0, 2)})) == []
    assert verdicts([word._replace(shown="Fem")], **more, guessed=frozenset({(0, 2)})) == ["right"]


@pytest.mark.parametrize(
    ("place", "gender", "expected"),
    [
        ((1, 4), "Neut", []),  # it stands for *das Werk*, which is there for another *it*
        ((1, 4), "Fem", ["wrong"]),
        ((0, 4), "Neut", []),
        ((1, 1), "Neut", ["wrong"]),  # in the place of the pronoun itself
    ],
)
def test_a_pronoun_may_stand_for_a_noun_that_the_text_has_for_another_pronoun(place, gender, expected):
    word = Choice("pronouns", 1, (1,), (1,), "Neut", "Sing")
    nouns = {(0, 2): (2, "Fem", "Sing"), place: (5, gender, "Sing")}
    antecedents = {(1, 1): (((0, 2), 0.95),), place: (((0, 2), 0.95),)}
    assert verdicts([word], nouns=nouns, antecedents=antecedents) == expected


def test_a_plural_asks_nothing_of_a_singular():
    word = Choice("pronouns", 1, (1,), (1,), "Neut", "unmarked")
    more = {"nouns": {(0, 2): (2, "Fem", "Plur")}, "antecedents": {(1, 1): (((0, 2), 0.9),)}}
    assert verdicts([word], **more) == []  # the GPS → die Koordinaten … it → es
    assert verdicts([word._replace(shown="Masc", about="Plur")], **more) == ["wrong"]
    more["nouns"] = {(0, 2): (2, "Fem", "Sing")}
    plural = [word._replace(shown=gender, about="Plur") for gender in ("Masc", "Fem")]
    assert verdicts(plural, **more) == ["right"]  # la gente … los is no error
    more["nouns"] = {(0, 2): (2, "Masc", "Sing")}
    assert verdicts(plural, **more) == ["right", "wrong"]  # le peuple … ils, and never elles


def test_a_restored_verb_must_have_been_said():
    words = [
        Choice("ellipsis", 1, (1,), (1,), "tragen", "said"),
        Choice("ellipsis", 2, (1,), (1,), "denken", "new"),
    ]
    assert verdicts(words) == ["right", "wrong"]
