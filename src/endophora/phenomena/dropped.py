"""Pronouns that are no words of the target language: left out and shown by the verb, or an ending of the noun.

A language that drops its subjects still chooses: *it fell* is Polish *spadł* of a roof, *spadła* of a lamp. And so
does one whose possessives and objects are endings: *its door* is Arabic *bābuhu* of a house, *bābuhā* of a room.
"""

from __future__ import annotations

import re

from endophora.annotate.records import AnnotatedText
from endophora.languages.base import matches
from endophora.languages.schema import PronounRule
from endophora.phenomena.formality_verbs import group_of
from endophora.phenomena.links import sources_of
from endophora.phenomena.records import AnnotatedDocument

_ATTRIBUTES = frozenset({"amod", "acl"})
"""Relations of adjectives and participles that agree with their noun and are no predicates."""


def _group(text: AnnotatedText, index: int) -> frozenset[int]:
    """Return the verb group that a word belongs to: a predicate, its auxiliaries and its copula."""
    head = group_of(text, index)
    members = (
        other
        for other, candidate in enumerate(text.tokens)
        if candidate.head == head and candidate.relation.startswith(("aux", "cop"))
    )
    return frozenset((head, *members))


def _has_subject(text: AnnotatedText, index: int) -> bool:
    """Tell whether the verb group of a word has a subject, be it a clause."""
    group = _group(text, index)
    return any(token.head in group and token.relation.startswith(("nsubj", "csubj")) for token in text.tokens)


def dropped_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target verb that stands for a source pronoun without a subject of its own.

    Returns:
        The verb and its value of the rule's ``agreement``; ``None`` if the rule has no ``verbs``, if the pronoun is no
        subject, or if no verb without a subject that is linked to it or to its verb has the features.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.verbs or token.head < 0 or not token.relation.startswith("nsubj"):
        return None
    theirs = _group(source, token.head) | {pronoun}
    for index, candidate in enumerate(target.tokens):
        value = candidate.features.get(rule.agreement)
        if candidate.upos not in rule.verb_upos or value not in rule.alternatives or candidate.relation in _ATTRIBUTES:
            continue
        if rule.verb_pattern and not re.search(rule.verb_pattern, candidate.form.lower()):
            continue
        if not matches(candidate.features, rule.verbs) or theirs.isdisjoint(sources_of(index, links)[:1]):
            continue
        if not _has_subject(target, index):
            return index, value
    return None


def suffixed_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target word one of whose endings stands for a source possessive or object.

    Returns:
        The word and the value of the rule's ``agreement`` that its ending stands for, the longest ending first;
        ``None`` if the rule has no ``endings``, or if no word that is linked to what the pronoun depends on has one.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.endings or token.head < 0 or not token.relation.startswith(("nmod", "obj", "iobj", "obl")):
        return None
    endings = sorted(
        ((ending, value) for value, listed in rule.endings.items() for ending in listed),
        key=lambda pair: (-len(pair[0]), pair),
    )
    for index, candidate in enumerate(target.tokens):
        if candidate.upos not in rule.ending_upos or not matches(candidate.features, rule.ending_features):
            continue
        linked = sources_of(index, links)
        if not linked or not (linked[0] == token.head or pronoun in linked):
            continue
        form = candidate.form.lower()
        value = next((value for ending, value in endings if form.endswith(ending) and form != ending), None)
        if value is not None:
            return index, value
    return None
