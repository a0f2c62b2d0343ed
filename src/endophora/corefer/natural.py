"""Natural gender: which of *he, she, it, they* an English noun is taken up by; persons and things, not noun classes."""

from __future__ import annotations

from collections.abc import Sequence

from endophora.annotate.records import NOUNS, Token
from endophora.corefer.mentions import NounTypes, load_lexicon
from endophora.corefer.ranker import load_weights
from endophora.languages.schema import LanguageRules, NaturalGender

HE, SHE, IT, THEY = "he", "she", "it", "they"
ALL = frozenset({HE, SHE, IT, THEY})
_PERSON = frozenset({HE, SHE, THEY})
_THINGS = frozenset({"abstract", "event", "object", "organization", "place", "plant", "substance", "time"})
_ONE = frozenset({"organization", "place"})
"""Kinds of names that are one thing in the plural, too."""
_GENDERS = {"Masc": HE, "Fem": SHE, "Neut": IT}
_TITLED = 3
"""Words before a name among which a title or another noun says who it is (*Mrs John Smith*)."""


def natural_pronoun(token: Token) -> str:
    """Return which of *he, she, it, they* a word is a form of; empty for another word."""
    features = token.features
    if token.upos not in {"PRON", "DET"} or features.get("Person") != "3" or features.get("PronType", "Prs") != "Prs":
        return ""
    return THEY if features.get("Number") == "Plur" else _GENDERS.get(features.get("Gender", ""), "")


class Kinds:
    """What is known of the nouns of one language with natural gender."""

    def __init__(self, rules: NaturalGender, types: NounTypes, collective: frozenset[str]) -> None:
        self._rules, self._types, self._collective = rules, types, collective

    def pronouns(self, tokens: Sequence[Token], index: int, other: Token | None = None) -> frozenset[str]:
        """Return the pronouns that may take up a noun; all of them where nothing is known of it.

        ``other`` is the noun's translation into a language whose nouns have gender: of a person, a feminine one says
        that it is a woman (*Lehrerin*), a masculine one may be said of anyone.
        """
        token, rules = tokens[index], self._rules
        lemma = token.lemma.lower()
        label = token.entity.partition("-")[2]
        if token.features.get("Number") == "Plur" and (named := self._types.of("", label)) != "person":
            return frozenset({IT, THEY} if named in _ONE else {THEY})  # the United States, and its people
        gender = self._gender(tokens, index)
        if gender:
            return frozenset({gender})
        if lemma in rules.either:
            return ALL - {THEY}
        kind = self._types.of(lemma, label)
        if lemma in rules.persons or lemma.rpartition("-")[2] in rules.persons or kind == "person":
            told = other is not None and other.features.get("Gender") == "Fem" and other.upos == "NOUN"
            return frozenset({SHE, THEY}) if told and lemma not in rules.epicene else _PERSON
        if lemma in self._collective or kind == "organization":
            return frozenset({IT, THEY})
        if kind in _THINGS and (token.upos == "NOUN" or token.entity):
            return frozenset({IT})
        return ALL

    def _gender(self, tokens: Sequence[Token], index: int) -> str:
        """Return *he* or *she* where a noun, or a title before a name, says which."""
        first = max(0, index - _TITLED) if tokens[index].upos == "PROPN" else index
        for at in range(index, first - 1, -1):
            if tokens[at].upos not in NOUNS:
                break
            word = tokens[at].lemma.lower().rstrip(".")
            if word in self._rules.feminine:
                return SHE
            if word in self._rules.masculine:
                return HE
        return ""


def kinds_of(rules: LanguageRules) -> Kinds | None:
    """Return what is known of a language's nouns; ``None`` where its rules know no natural gender."""
    if rules.natural_gender is None:
        return None
    types, words = load_weights(rules.language).types, load_lexicon(rules.language).words
    return Kinds(rules.natural_gender, types, words["collective"])
