"""The look at the surface: whatever words a tokenizer makes of a text, a candidate is not missed."""

from __future__ import annotations

from functools import cache

import pytest
import spacy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from endophora.extraction.select import AuxiliarySurface, PronounSurface, Texts
from endophora.languages import load_language
from endophora.languages.extraction import ExtractionRules, PronounCase
from endophora.phenomena.impersonal import normal

LANGUAGES = ("de", "es", "fr", "it", "pl", "pt", "ru")
GLUE = st.sampled_from([" ", " ", "", "-", "'", "’", ".", ",", "…", '"', "\u0301", "?! ", "\u00a0"])
WORDS = "house It it's itll don't Elle t'aime dámelo we ей nie X 2"
FILLER = st.sampled_from(WORDS.split())


@cache
def tokenizer(language: str) -> spacy.Language:
    return spacy.blank(language)


@cache
def rules(language: str) -> ExtractionRules:
    return load_language(language).extracted


def words(language: str, text: str) -> list[str]:
    return [normal(token.text) for token in tokenizer(language).make_doc(text)]


def texts(source: str, target: str) -> Texts:
    return Texts([source], [target])


def known(language: str) -> list[PronounCase]:
    found = rules(language)
    return [*found.cases("gender"), *found.cases("formality")]


@cache
def surface(language: str) -> PronounSurface:
    return PronounSurface(known(language))


@cache
def auxiliaries(*, cut: bool) -> AuxiliarySurface:
    return AuxiliarySurface(rules("de"), rules("en"), (lambda one: words("en", one)) if cut else None)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, str, str]:
    language = draw(st.sampled_from(LANGUAGES))
    case = draw(st.sampled_from(known(language)))
    sides = []
    for forms in (sorted(case.english), [" ".join(form) for form in case.words]):
        parts = draw(st.lists(st.one_of(st.sampled_from(forms), FILLER), min_size=1, max_size=4))
        text = "".join(draw(st.sampled_from([str.lower, str.capitalize]))(part) + draw(GLUE) for part in parts)
        sides.append(text)
    return language, sides[0], sides[1]


@settings(max_examples=400)
@given(cases())
@example(("pt", "it ", "dele\u0301dele-deledele "))
def test_words_of_a_rule_are_always_seen(case: tuple[str, str, str]):
    language, english, other = case
    sources, targets = set(words("en", english)), words(language, other)
    holds = any(
        rule.english & sources
        and any(
            token.endswith(form[-1]) and token != form[-1] if rule.table.endings else token == normal(form[-1])
            for form in rule.words
            for token in targets
        )
        for rule in known(language)
    )
    if holds:
        assert surface(language)(texts(english, other)) == [0]


FORMS = "do does Didn't won't he'll I'd will would wouldn't they’ll done"
AUXILIARIES = st.sampled_from(FORMS.split())


@settings(max_examples=300)
@given(st.lists(st.one_of(AUXILIARIES, FILLER), min_size=1, max_size=5), st.lists(GLUE, min_size=5, max_size=5))
def test_forms_of_auxiliaries_are_always_seen(parts: list[str], glue: list[str]):
    text = "".join(part + mark for part, mark in zip(parts, glue, strict=False))
    english, german = rules("en"), rules("de")
    forms = {normal(form) for rule in german.auxiliary for form in english.auxiliary_forms[rule.lemma]}
    there = not forms.isdisjoint(words("en", text))
    assert auxiliaries(cut=True)(texts(text, "")) == ([0] if there else [])
    if there:
        assert auxiliaries(cut=False)(texts(text, "")) == [0]


@pytest.mark.parametrize(
    ("language", "english", "other"),
    [
        ("fr", "I love you.", "Je t'aime."),
        ("fr", "I love you.", "Je t’aime."),
        ("es", "I saw it.", "Quiero verlo."),
        ("de", "It'll break.", "Sie geht kaputt."),
    ],
)
def test_forms_that_touch_other_words_are_seen(language: str, english: str, other: str):
    assert PronounSurface(known(language))(texts(english, other)) == [0]


@pytest.mark.parametrize(("english", "other"), [("With me.", "Sie ist hier."), ("It is.", "Wasser ist da.")])
def test_parts_of_words_are_no_candidates(english: str, other: str):
    assert PronounSurface(rules("de").cases("gender"))(texts(english, other)) == []
