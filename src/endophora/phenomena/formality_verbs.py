"""Which words have the form that a rule for verbs of a formality level asks for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.schema import FormalityVerb

_VERBS = frozenset({"VERB", "AUX"})

_REACH = 40
"""Characters of text around a word that a rule may look at."""


class VerbIndex:
    """The rules that a word may fit, without trying all of them on every word."""

    def __init__(self, verbs: Sequence[FormalityVerb]) -> None:
        self._verbs = tuple(verbs)
        self._by_form: defaultdict[str, set[int]] = defaultdict(set)
        self._by_lemma: defaultdict[str, set[int]] = defaultdict(set)
        self._others: set[int] = set()
        for number, verb in enumerate(self._verbs):
            for form in verb.forms:
                self._by_form[form].add(number)
            for lemma in verb.lemmas if not verb.forms else ():
                self._by_lemma[lemma].add(number)
            if not verb.forms and not verb.lemmas:
                self._others.add(number)

    def candidates(self, token: Token, form: str) -> Iterator[FormalityVerb]:
        """Yield the rules that may hold for a word, in order."""
        numbers = self._by_form.get(form, set[int]()) | self._by_lemma.get(token.lemma.lower(), set[int]())
        for number in sorted(numbers | self._others):
            yield self._verbs[number]


def fits(verb: FormalityVerb, text: AnnotatedText, index: int) -> bool:
    """Tell whether a word has the form that a verb rule asks for, and stands where it asks for."""
    token = text.tokens[index]
    upos = verb.upos or (_VERBS if verb.features else frozenset[str]())
    if (upos and token.upos not in upos) or not matches(token.features, verb.features):
        return False
    form, lemma = token.form.lower(), token.lemma.lower()
    if (verb.forms and form not in verb.forms) or (verb.lemmas and lemma not in verb.lemmas):
        return False
    if (verb.endings and not form.endswith(verb.endings)) or form in verb.unless_forms:
        return False
    if verb.unless_endings and form.endswith(verb.unless_endings):
        return False
    if verb.pattern and not re.search(verb.pattern, form):
        return False
    if verb.lemma_pattern and not re.search(verb.lemma_pattern, lemma):
        return False
    if verb.before and not re.search(verb.before, text.text[max(0, token.start - _REACH) : token.start]):
        return False
    return not verb.after or re.match(verb.after, text.text[token.end : token.end + _REACH]) is not None


def group_of(text: AnnotatedText, index: int) -> int:
    """Return the head of the verb group that a word belongs to: of an auxiliary or copula its predicate."""
    token = text.tokens[index]
    return token.head if token.head >= 0 and token.relation.startswith(("aux", "cop")) else index


def subjects_of(text: AnnotatedText, verb: int) -> list[Token]:
    """Return the subjects of a verb, or of the predicate that it is an auxiliary or copula of."""
    heads = {verb, group_of(text, verb)}
    return [token for token in text.tokens if token.head in heads and token.relation.startswith("nsubj")]


def is_imperative(text: AnnotatedText, verb: int) -> bool:
    """Tell whether a verb or one of its auxiliaries (*don't go*) is an imperative."""
    return text.tokens[verb].features.get("Mood") == "Imp" or any(
        token.head == verb and token.relation.startswith("aux") and token.features.get("Mood") == "Imp"
        for token in text.tokens
    )
