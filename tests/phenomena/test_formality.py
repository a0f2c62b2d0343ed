"""Formality on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, rules

from endophora.errors import InputError
from endophora.languages import load_language
from endophora.phenomena.formality import FormalityTagger

EN, DE, FR = load_language("en"), load_language("de"), load_language("fr")
POLITE = ("can/AUX | you/PRON", "können/AUX | Sie/PRON", "0-0 1-1")


def german(*segments, **options):
    return [(o.segment, o.expected, o.rule) for o in FormalityTagger(EN, DE, **options).tag(document(segments))]


def french(*segments, **options):
    return [(o.segment, o.expected, o.rule) for o in FormalityTagger(EN, FR, **options).tag(document(segments))]


def test_first_word_of_a_level_is_not_tagged():
    assert german(POLITE) == []
    assert german(POLITE, POLITE) == [(1, "Sie", "formal")]


def test_another_level_is_no_support():
    assert german(POLITE, ("you/PRON", "du/PRON", "0-0")) == []


@pytest.mark.parametrize("form", ["dich", "dir", "deinem", "euch", "eure"])
def test_all_cases_of_the_informal_address_are_one_level(form):
    found = german(("you/PRON", "du/PRON", "0-0"), ("you/PRON", f"{form}/PRON", "0-0"))
    assert found == [(1, form, "informal")]


def test_small_sie_is_not_the_polite_form():
    assert german(POLITE, ("they/PRON", "sie/PRON", "0-0")) == []


def test_initial_sie_is_polite_if_linked_to_you():
    assert german(POLITE, ("you/PRON", "Sie/PRON", "0-0")) == [(1, "Sie", "formal")]


@pytest.mark.parametrize("pronoun", ["they", "she", "her"])
def test_initial_sie_is_not_polite_if_linked_to_the_third_person(pronoun):
    assert german(POLITE, (f"{pronoun}/PRON", "Sie/PRON", "0-0")) == []


def test_initial_unlinked_sie_is_polite_if_only_the_second_person_occurs():
    assert german(POLITE, ("you/PRON", "Sie/PRON", "")) == [(1, "Sie", "formal")]
    assert german(POLITE, ("you/PRON | they/PRON", "Sie/PRON", "")) == []


def test_initial_stands_after_a_quotation_mark_but_not_after_a_comma():
    quoted = ("x/NOUN", "sagte/VERB | „/PUNCT | Sie/PRON", "")
    clause = ("x/NOUN", "wenn/SCONJ | ,/PUNCT | Sie/PRON", "")
    assert german(POLITE, quoted) == []
    assert german(POLITE, clause) == [(1, "Sie", "formal")]


def test_ihr_is_the_informal_plural_only_if_linked_to_you():
    du = ("you/PRON", "du/PRON", "0-0")
    assert german(du, ("you/PRON", "ihr/PRON", "0-0")) == [(1, "ihr", "informal")]
    assert german(du, ("her/PRON", "ihr/PRON", "0-0")) == []
    assert german(du, ("your/PRON", "ihr/PRON", "0-0")) == []


def test_initial_ihr_is_a_polite_possessive_if_linked_to_your():
    assert german(POLITE, ("your/PRON", "Ihr/DET", "0-0")) == [(1, "Ihr", "formal")]


def test_untranslated_word_is_no_address():
    du = ("you/PRON", "du/PRON", "0-0")
    assert german(du, ("du/PRON | Soleil/PROPN", "du/PRON | Soleil/PROPN", "0-0 1-1")) == []


IMPERATIVE = ("come/VERB Mood=Imp", "komm/VERB VerbForm=Fin Mood=Imp", "0-0")


def test_imperative_shows_the_level():
    assert german(IMPERATIVE, IMPERATIVE) == [(1, "komm", "informal")]
    assert german(IMPERATIVE, IMPERATIVE, variant="words") == []


def test_polite_imperative_is_left_to_its_pronoun():
    polite = ("come/VERB Mood=Imp", "Kommen/VERB VerbForm=Fin Mood=Imp | Sie/PRON", "0-0")
    assert german(IMPERATIVE, polite) == []


def test_imperative_needs_one_in_the_source():
    assert german(IMPERATIVE, ("held/VERB Mood=Ind", "halte/VERB VerbForm=Fin Mood=Imp", "0-0")) == []


def test_french_imperatives_differ_by_number():
    tu = ("come/VERB Mood=Imp", "viens/VERB VerbForm=Fin Mood=Imp Number=Sing Person=2", "0-0")
    vous = ("come/VERB Mood=Imp", "venez/VERB VerbForm=Fin Mood=Imp Number=Plur Person=2", "0-0")
    nous = ("come/VERB Mood=Imp", "allons/VERB VerbForm=Fin Mood=Imp Number=Plur Person=1", "0-0")
    assert french(tu, vous, nous, tu, vous) == [(3, "viens", "informal"), (4, "venez", "formal")]


def test_french_possessives_are_determiners():
    tu = ("you/PRON", "tu/PRON", "0-0")
    assert french(tu, ("your/PRON", "ton/DET", "0-0")) == [(1, "ton", "informal")]
    assert french(tu, ("tone/NOUN", "ton/NOUN", "0-0")) == []


def test_french_appointment_is_no_address():
    vous = ("you/PRON", "vous/PRON", "0-0")
    assert french(vous, ("appointment/NOUN", "rendez/NOUN | vous/PRON", "0-0")) == []


def test_form_of_address_is_support_but_not_tagged():
    madam = ("Madam/NOUN", "Madame/NOUN :vocative", "0-0")
    assert french(madam, madam) == []
    assert french(madam, ("you/PRON", "vous/PRON", "0-0")) == [(1, "vous", "formal")]


def test_support_is_the_earlier_word_with_its_source():
    occurrence = FormalityTagger(EN, DE).tag(document([POLITE, ("x/NOUN", "x/NOUN", ""), POLITE]))[0]
    assert occurrence.source_tokens == (1,)
    assert occurrence.support is not None
    assert occurrence.support.target_tokens == ((0, 1),)
    assert occurrence.support.source_tokens == ((0, 1),)
    assert occurrence.support.distance == 2


def test_word_linked_to_you_counts_whatever_its_part_of_speech():
    tu = ("you/PRON", "tu/NOUN", "0-0")
    assert french(tu, tu) == [(1, "tu", "informal")]
    participle = ("fell/VERB | silent/ADJ", "est/AUX | tu/VERB", "0-0 1-1")
    assert french(tu, participle) == []


def test_verb_with_a_subject_is_no_imperative():
    statement = ("come/VERB Mood=Imp", "il/PRON >1 :nsubj | vient/VERB VerbForm=Fin Number=Sing", "0-1")
    assert french(("come/VERB Mood=Imp", "viens/VERB VerbForm=Fin Number=Sing", "0-0"), statement) == []


def levels(verbs, *segments):
    """Return what a language tags whose verbs have the levels of some rules."""
    parts = ["formality: [{level: familiar, forms: [sen], source: grammar}]", f"formality_verbs: [{verbs}]"]
    language = rules("\n".join(parts))
    return [(o.segment, o.expected, o.rule) for o in FormalityTagger(EN, language).tag(document(segments))]


POLITE_VERB = ("go/VERB", "iki/VERB lemma=iku | masu/AUX lemma=masu | ./PUNCT", "0-0")
PLAIN_VERB = ("go/VERB", "iku/VERB lemma=iku | ./PUNCT", "0-0")


def test_predicate_shows_its_level_by_its_lemma_whoever_is_spoken_of():
    rule = "{level: polite, lemmas: [masu], addressed: any, source: grammar}"
    assert levels(rule, POLITE_VERB, POLITE_VERB, PLAIN_VERB) == [(1, "masu", "polite")]


def test_predicate_shows_its_level_by_what_follows_and_precedes_it():
    final = r"{level: plain, upos: [VERB], pattern: u$, after: '\s*[.]', addressed: any, source: grammar}"
    embedded = ("go/VERB", "iku/VERB | to/ADP | itta/VERB | ./PUNCT", "0-0")
    assert levels(final, PLAIN_VERB, PLAIN_VERB, embedded, POLITE_VERB) == [(1, "iku", "plain")]
    humble = r"{level: humble, upos: [VERB], lemmas: [suru], before: '\bo-\w+\s$', addressed: any, source: grammar}"
    raised = ("help/VERB", "o-tasuke/NOUN | suru/VERB", "0-1")
    assert levels(humble, raised, ("do/VERB", "tasuke/NOUN | suru/VERB", "0-1"), raised) == [(2, "suru", "humble")]


def test_lemma_pattern_finds_an_honorific_suffix():
    rule = r"{level: honorific, lemma_pattern: '[+]si[+]', addressed: any, source: grammar}"
    raised = ("go/VERB", "kasyess/VERB lemma=ka+si+ess", "0-0")
    assert levels(rule, raised, ("go/VERB", "kass/VERB lemma=ka+ess", "0-0"), raised) == [(2, "kasyess", "honorific")]


def test_possessive_suffix_needs_a_possessor_of_the_second_person():
    rule = "{level: familiar, upos: [NOUN], features: {'Person[psor]': '2'}, addressed: possessor, source: grammar}"
    yours = ("your/PRON >1 :nmod:poss | house/NOUN", "evin/NOUN Person[psor]=2", "1-0")
    genitive = ("the/DET >1 :det | house/NOUN", "evin/NOUN Person[psor]=2", "1-0")
    assert levels(rule, yours, genitive, yours) == [(2, "evin", "familiar")]
    beside = ("your/PRON >1 :nmod:poss | house/NOUN", "sen/PRON >1 :nmod:poss | evin/NOUN Person[psor]=2", "0-0 1-1")
    assert levels(rule, yours, beside) == [(1, "sen", "familiar")]


def test_pattern_must_be_a_regular_expression():
    with pytest.raises(InputError, match="no regular expression"):
        levels("{level: plain, pattern: '(', addressed: any, source: grammar}")
