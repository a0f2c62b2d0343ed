"""Lexical cohesion on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document, rules

from endophora.languages import load_language
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger

EN, DE = load_language("en"), load_language("de")
PAIR = ("virus/NOUN lemma=virus", "Virus/NOUN lemma=Virus", "0-0")


def tagger(**options):
    return LexicalCohesionTagger(EN, DE, **options)


def test_fourth_use_is_the_first_that_is_tagged():
    found = tagger().tag(document([PAIR] * 5))
    assert [occurrence.segment for occurrence in found] == [3, 4]


def test_support_names_the_earlier_uses_and_the_distance_to_the_nearest():
    found = tagger().tag(document([*[PAIR] * 3, ("a/DET", "ein/DET", ""), PAIR]))
    assert len(found) == 1
    support = found[0].support
    assert support is not None
    assert support.target_tokens == ((0, 0), (1, 0), (2, 0))
    assert support.source_tokens == ((0, 0), (1, 0), (2, 0))
    assert support.distance == 2


def test_uses_in_the_same_segment_do_not_count():
    twice = ("virus/NOUN | virus/NOUN", "Virus/NOUN | Virus/NOUN", "0-0 1-1")
    assert tagger().tag(document([twice, PAIR])) == tagger().tag(document([PAIR, PAIR])) == []
    assert [o.segment for o in tagger().tag(document([twice, twice, PAIR]))] == [2]


@pytest.mark.parametrize("repetitions", [1, 2, 4])
def test_threshold_is_the_number_of_earlier_uses(repetitions):
    found = tagger(repetitions=repetitions).tag(document([PAIR] * 6))
    assert [occurrence.segment for occurrence in found] == list(range(repetitions, 6))


def test_inflected_forms_are_one_word_for_lemmas_and_two_for_surface_forms():
    plural = ("houses/NOUN lemma=house", "Häuser/NOUN lemma=Haus", "0-0")
    singular = ("house/NOUN lemma=house", "Haus/NOUN lemma=Haus", "0-0")
    mixed = document([singular, plural, singular, plural])
    assert len(tagger().tag(mixed)) == 1
    assert tagger(variant="surface").tag(mixed) == []


def test_another_translation_of_the_same_word_is_another_pair():
    other = ("virus/NOUN", "Erreger/NOUN lemma=Erreger", "0-0")
    assert tagger().tag(document([PAIR, PAIR, PAIR, other])) == []


def test_function_words_and_light_verbs_are_no_content_words():
    assert tagger().tag(document([("the/DET", "das/DET", "0-0")] * 5)) == []
    assert tagger().tag(document([("have/VERB lemma=have", "haben/VERB lemma=haben", "0-0")] * 5)) == []


def test_only_mutual_links_count():
    weak = ("virus/NOUN | other/NOUN lemma=othr", "Virus/NOUN lemma=Virus", "0-0:.4 1-0:.9")
    assert tagger().tag(document([weak] * 3 + [PAIR])) == []


def test_each_document_starts_anew():
    assert tagger().tag(document([PAIR] * 3)) == []
    assert tagger().tag(document([PAIR] * 3, name="other")) == []


def test_a_form_has_one_lemma_in_a_document():
    odd = ("virus/NOUN lemma=virus", "Virus/NOUN lemma=Viru", "0-0")
    assert [o.segment for o in tagger().tag(document([PAIR, odd, PAIR, odd]))] == [3]


def test_particles_beyond_the_boundary_of_a_lemma_are_no_part_of_the_word():
    language = rules("content_words: {upos: [NOUN], boundary: +, source: grammar}")
    forms = ("학교는", "학교에"), ("학교가", "학교를")
    pairs = [("school/NOUN", f"{form}/NOUN lemma={form[:2]}+{form[2]}", "0-0") for row in forms for form in row]
    found = LexicalCohesionTagger(EN, language).tag(document(pairs))
    assert [occurrence.expected for occurrence in found] == ["학교를"]
    assert LexicalCohesionTagger(EN, DE).tag(document(pairs)) == []
