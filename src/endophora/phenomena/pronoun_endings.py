"""Pronouns that are no words of their own in the target: what a predicate or an ending shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.schema import PronounRule
from endophora.phenomena.pronoun_pairs import governed
from endophora.phenomena.records import (
    AnnotatedDocument,
    dependents,
    group_of,
    sources_of,
    subjects,
    targets_of,
    verb_group,
)

_JOINED = frozenset({"conj", "parataxis"})
"""Relations of predicates that may share the subject of the one before."""

_NAMING = frozenset({"det", "nmod:poss"})
"""Relations of words whose head names someone: what is put in (*it works, trust me, my dear*) is no predicate then."""

_ATTRIBUTES = frozenset({"amod", "acl"})
"""Relations of adjectives and participles that agree with their noun and are no predicates."""


def _has_subject(text: AnnotatedText, index: int) -> bool:
    """Return whether the verb group of a word has a subject, be it a clause; one after it must agree in number."""
    group, number = verb_group(text.tokens, index), text.tokens[index].features.get("Number", "")
    own = ((place, text.tokens[place]) for head in group for place in dependents(text.tokens).get(head, ()))
    return any(
        token.relation.startswith(("nsubj", "csubj"))
        and (place < index or number in token.features.get("Number", number))
        for place, token in own
    )


def _shared(tokens: Sequence[Token], verb: int) -> set[int]:
    """Return the words of a verb's group, and of the predicates that share its subject (*they came and were seen*)."""
    group = verb_group(tokens, verb)
    conjuncts = (
        index
        for index, token in enumerate(tokens)
        if token.relation in _JOINED
        and token.head in group
        and not subjects(tokens, (index,))
        and not (token.relation == "parataxis" and any(o.head == index and o.relation in _NAMING for o in tokens))
    )
    return {*group, *conjuncts}


def _said(tokens: Sequence[Token], verb: int) -> set[int]:
    """Return the adjectives and participles that a verb says of its subject (*it looks dead, they want to be seen*)."""
    found: set[int] = set()
    above = [verb]
    while above:
        head = above.pop()
        if _has_object(tokens, head):
            continue  # of the object (*they made it red*)
        own = [at for at in dependents(tokens).get(head, ()) if tokens[at].relation == "xcomp"]
        found.update(own)
        above.extend(own)
    return found


def _has_object(tokens: Sequence[Token], verb: int) -> bool:
    return any(tokens[at].relation == "obj" for at in dependents(tokens).get(verb, ()))


def _is_misread(document: AnnotatedDocument, segment: int, rule: PronounRule, index: int) -> bool:
    """Return whether a noun in the plural translates an adjective, and has no article: it is one (*sono sicure*)."""
    linked = sources_of(index, document.links[segment])[:1]
    adjective = any(document.source[segment].tokens[at].upos == "ADJ" for at in linked)
    target = document.target[segment].tokens
    plural = "ADJ" in rule.verb_upos and rule.verbs.get("Number") == "Plur" and target[index].upos == "NOUN"
    return plural and adjective and not _has_article(target, index)


def _above(tokens: Sequence[Token], index: int) -> Iterator[int]:
    """Yield a predicate, and the verbs whose subject is its own (*parecen vacías, quieren ser famosas*)."""
    yield index
    while tokens[index].relation.startswith("xcomp") and tokens[index].head >= 0:
        index = tokens[index].head
        yield index


def dropped_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target verb without a subject that stands for a source subject, and its value of the agreement.

    It is linked to the pronoun or to its verb, and has the features of the rule's ``verbs``.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.verbs or token.head < 0 or not token.relation.startswith("nsubj"):
        return None
    theirs = {*_shared(source.tokens, token.head), pronoun, *_said(source.tokens, token.head)}
    for index, candidate in enumerate(target.tokens):
        value = candidate.features.get(rule.agreement)
        if value not in rule.alternatives or candidate.relation in _ATTRIBUTES:
            continue
        if candidate.upos not in rule.verb_upos and not _is_misread(document, segment, rule, index):
            continue
        if rule.verb_pattern and not re.search(rule.verb_pattern, candidate.form.lower()):
            continue
        if not matches(candidate.features, rule.verbs) or theirs.isdisjoint(sources_of(index, links)[:1]):
            continue
        own = dependents(target.tokens).get(index, ())
        helpers = [target.tokens[at] for at in own]
        passive = any(one.relation == "aux:pass" for one in helpers)  # *ha sido inspirada*
        if not passive and any(one.lemma.lower() in rule.unless_auxiliaries for one in helpers):
            continue
        if not any(_has_subject(target, at) for at in _above(target.tokens, index)):
            return index, value
    return None


def suffixed_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int, *, misread: bool = False
) -> tuple[int, str] | None:
    """Return the target word whose ending stands for a source possessive or object, and its value of the agreement.

    The word is linked to what the pronoun depends on, or to a particle of it (*break it down*) or what it makes of its
    object (*keep them hidden*: *ocultarlos*), or it is the auxiliary of such a word (*averli visti*); of several
    endings that fit, the longest counts. Annotators take many a verb with an object for a name or a noun (*¡Mátalo!*);
    it has no article then. ``misread``: so is what is linked to nothing as its verb is (*bendíjolos*).
    """
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    head, role = governed(source, pronoun)
    if not rule.endings or head < 0 or not role.startswith(("nmod", "obj", "iobj", "obl")):
        return None
    endings = sorted(
        ((ending, value) for value, listed in rule.endings.items() for ending in listed),
        key=lambda pair: (-len(pair[0]), pair),
    )
    parts = ("compound:prt", "xcomp") if role == "obj" else ("compound:prt",)
    own = (at for at in dependents(source).get(head, ()) if source[at].relation in parts)
    theirs = {head, *(at for at in own if not _has_object(source, at))}
    is_verb, bare = source[head].upos in VERBS, misread and not targets_of(head, links)
    for index, candidate in enumerate(target):
        linked = sources_of(index, links) or sources_of(group_of(target, index), links) or ([head] if bare else [])
        verb = is_verb and not theirs.isdisjoint(linked if misread else linked[:1]) and not _has_article(target, index)
        if not verb and not (candidate.upos in rule.ending_upos and matches(candidate.features, rule.ending_features)):
            continue
        if not linked or not (verb or linked[0] == head or pronoun in linked):
            continue
        form = candidate.form.lower()
        if rule.verb_pattern and not re.search(rule.verb_pattern, form):
            continue
        value = next((value for ending, value in endings if form.endswith(ending) and form != ending), None)
        if value is not None:
            return index, value
    return None


def _has_article(tokens: Sequence[Token], index: int) -> bool:
    return any(tokens[at].relation.startswith(("det", "case")) for at in dependents(tokens).get(index, ()))
