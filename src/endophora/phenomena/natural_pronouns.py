"""Pronoun choice into English: *he*, *she*, *it* or *they*, which an earlier sentence decides.

German *sie* is *she*, *it* or *they*, Spanish *su* is *his*, *her*, *its* or *their*, and where Chinese or Polish leave
a subject out, it may be any: natural gender is of persons and things, and the source's words tell neither. The
antecedent is looked for on the English side; a pronoun that has one translation only is no choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.corefer.natural import ALL, HE, IT, SHE, THEY, kinds_of, natural_pronoun
from endophora.corefer.records import Antecedent, Resolution
from endophora.corefer.salience import QUOTES, Salience, is_third
from endophora.languages.schema import LanguageRules
from endophora.phenomena.antecedents import Belief, believed
from endophora.phenomena.binding import cannot_stand_for, role_of
from endophora.phenomena.dropped_subjects import verb_without_subject
from endophora.phenomena.impersonal import ImpersonalPronouns, normal
from endophora.phenomena.records import (
    AnnotatedDocument,
    Occurrence,
    Support,
    placed_phrase,
    sources_of,
    swap_sides,
    translated_span,
)
from endophora.phenomena.tagging import rules_signature

_PRONOMINAL = frozenset({"PRON", "DET"})
_SUBJECT, _OBJECT, _POSSESSOR = "subject", "object", "possessor"
_PERSON = Belief(0.4, 0.5)
"""When the antecedent of *he* and *she* is believed."""


class NaturalPronoun(NamedTuple):
    """An English pronoun, and what the source has in its place.

    Attributes:
        source: the linked pronouns; of a subject or possessor that the source leaves out, its predicate or noun; empty
            where none of these is known.
        shown: *he*, *she*, *it* or *they*; another personal pronoun as it is written.
        told: the one of these that the source's pronoun has as its only translation; empty where there is a choice.
    """

    segment: int
    target: int
    source: tuple[int, ...]
    shown: str
    role: str
    told: str


class NaturalPronounTagger:
    """Tags *he*, *she*, *it*, *they* and their forms, if the source leaves a choice and the antecedent stands before.

    Args:
        source: rules of the source language: what its pronouns tell, and whether it leaves subjects out.
        english: rules of English.
        least: belief in an antecedent of *it* and *they*, of the probability of all.
    """

    phenomenon = "pronouns"

    def __init__(self, source: LanguageRules, english: LanguageRules, least: float = 0.5) -> None:
        self._thing = Belief(least, least)
        self._told = {form: shown for shown, forms in source.told.items() for form in forms}
        self._pro_drop = source.pro_drop
        self._empty = ImpersonalPronouns(english.extracted.impersonal)
        self._not_for = english.extracted.not_for
        kinds = kinds_of(english)
        if kinds is None:
            raise ValueError(english.language)
        self.kinds = kinds
        self._persons = Salience(language=english.language)
        belief = f"{least:g},{_PERSON.least:g},{_PERSON.share:g}"
        self.signature = f"natural,{belief},{self._persons.signature},{rules_signature(source, english)}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the occurrences in order; the rule is *he*, *she*, *it* or *they*."""
        turned, found = swap_sides(document), list[Occurrence]()
        resolved = turned.resolved()
        resolved |= {(one.segment, one.token): one for one in self._persons.resolve(document.target)}
        for pronoun in self.pronouns(document):
            if not pronoun.source or pronoun.told == pronoun.shown or pronoun.shown not in (HE, SHE, IT, THEY):
                continue
            place = pronoun.segment, pronoun.target
            support = self._support(turned, pronoun, resolved.get(place))
            if support is not None and support.distance:
                form = document.target[pronoun.segment].tokens[pronoun.target].form
                where = document.id, pronoun.segment, self.phenomenon, pronoun.shown
                found.append(Occurrence(*where, pronoun.source, (pronoun.target,), form, support))
        return found

    def pronouns(self, document: AnnotatedDocument) -> Iterator[NaturalPronoun]:
        """Yield the personal pronouns of a text that translate no noun, and what stands for them in the source."""
        turned = swap_sides(document)
        for segment, text in enumerate(document.target):
            source, links = document.source[segment].tokens, document.links[segment]
            for index, token in enumerate(text.tokens):
                shown = natural_pronoun(token) or _speaker(token)
                if not shown:
                    continue
                role, linked = _role(token), sources_of(index, links)
                own = tuple(sorted(at for at in linked if self._is_pronoun(source[at])))
                told = self._shows(source[own[0]], shown) if own else ""
                if not own:
                    if any(source[at].upos in NOUNS for at in linked):
                        continue
                    own = self._dropped(turned, segment, index, role)
                yield NaturalPronoun(segment, index, own, shown, role, told)

    def _is_pronoun(self, token: Token) -> bool:
        told = token.upos in _PRONOMINAL and token.form.lower() in self._told
        return is_third(token) or (told and token.features.get("PronType") != "Art")  # *los*, *les* are articles too

    def _shows(self, token: Token, shown: str) -> str:
        """Return what a source pronoun tells: its one translation, or the plural; a neuter one is *it* if it may be."""
        told = self._told.get(token.form.lower(), "")
        possessive = token.features.get("Poss") == "Yes"
        number = token.features.get("Number[psor]" if possessive else "Number")
        if not told and number == "Plur" and (not possessive or "Number[psor]" in token.features):
            return THEY
        return IT if not told and shown == IT and token.features.get("Gender") == "Neut" and not possessive else told

    def _dropped(self, turned: AnnotatedDocument, segment: int, index: int, role: str) -> tuple[int, ...]:
        """Return the predicate whose subject the source leaves out, or the noun whose possessor it does."""
        if role == _SUBJECT and self._pro_drop:
            verb = verb_without_subject(turned, segment, index)
            return () if verb is None else (verb,)
        if role != _POSSESSOR:
            return ()
        head = turned.source[segment].tokens[index].head
        tokens, links = turned.target[segment].tokens, turned.links[segment]
        nouns = [link.target for link in links if link.source == head and tokens[link.target].upos == "NOUN"]
        owned = any(token.head in nouns and self._is_pronoun(token) for token in tokens)
        return () if owned else tuple(nouns[:1])

    def _support(
        self, turned: AnnotatedDocument, pronoun: NaturalPronoun, resolution: Resolution | None
    ) -> Support | None:
        """Return the antecedent on the English side, and its translation; ``None`` where none is believed."""
        text = turned.source[pronoun.segment]
        thing = pronoun.shown in (IT, THEY)
        if resolution is None or (pronoun.shown == IT and self._empty.hold(text, pronoun.target)):
            return None
        barred = self._not_for.get(normal(text.tokens[pronoun.target].form), frozenset[str]())
        possible = partial(self._is_possible, turned, pronoun) if thing else None
        antecedent, probability = believed(turned, resolution, self._thing if thing else _PERSON, barred, possible)
        if antecedent is None or _is_said_again(turned, antecedent, pronoun):
            return None
        if not thing and self._has_person(text, pronoun):
            return None
        english = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
        span = translated_span(antecedent.head, antecedent.tokens, turned.links[antecedent.segment])
        heads = [link.target for link in turned.links[antecedent.segment] if link.source == antecedent.head]
        head = next((at for at in heads if at in span), None)
        other = tuple((antecedent.segment, at) for at in span if at != head)
        other += ((antecedent.segment, head),) if head is not None else ()
        return Support(other, english, pronoun.segment - antecedent.segment, min(1.0, probability))

    def _has_person(self, text: AnnotatedText, pronoun: NaturalPronoun) -> bool:
        """Return whether a pronoun's segment has a person as a subject before it, or after what opens the clause."""
        tokens, marks = text.tokens, 0
        for index in range(pronoun.target - 1, -1, -1):
            marks += tokens[index].form in QUOTES
            if not marks % 2 and self._may_be(text, pronoun, index):
                return True
        after = range(pronoun.target + 1, len(tokens))
        return any(_is_ahead(tokens, pronoun.target, at) for at in after if self._may_be(text, pronoun, at))

    def _may_be(self, text: AnnotatedText, pronoun: NaturalPronoun, index: int) -> bool:
        token = text.tokens[index]
        if token.upos not in NOUNS or not token.relation.startswith("nsubj"):
            return False
        # The name of a clause's subject owns what is his or hers there, whatever else is known of the name.
        if token.upos == "PROPN" and pronoun.role == _POSSESSOR and token.head in _above(text.tokens, pronoun.target):
            return True
        suits = self.kinds.pronouns(text.tokens, index)
        known = suits != ALL or token.upos == "NOUN"
        return known and pronoun.shown in suits and not cannot_stand_for(text, pronoun.target, index)

    def _is_possible(self, turned: AnnotatedDocument, pronoun: NaturalPronoun, segment: int, head: int) -> bool:
        text = turned.source[segment]
        return not (segment == pronoun.segment and cannot_stand_for(text, pronoun.target, head))


def _above(tokens: Sequence[Token], index: int) -> Iterator[int]:
    """Yield what a word depends on, up to the root."""
    while (index := tokens[index].head) >= 0:
        yield index


def _is_ahead(tokens: Sequence[Token], pronoun: int, subject: int) -> bool:
    """Return whether a pronoun is part of what is said before the subject of its clause (*in his speech, Obama …*)."""
    at = tokens[pronoun].head
    while at >= 0 and role_of(tokens[at]) not in {"obl", "advcl"}:
        at = tokens[at].head
    return at >= 0 and tokens[at].head == tokens[subject].head


def _is_said_again(turned: AnnotatedDocument, antecedent: Antecedent, pronoun: NaturalPronoun) -> bool:
    """Return whether a noun, or a part of a name, stands before the pronoun in its own segment too."""
    before = {token.lemma for token in turned.source[pronoun.segment].tokens[: pronoun.target] if token.upos in NOUNS}
    tokens = turned.source[antecedent.segment].tokens
    return any(tokens[at].upos in NOUNS and tokens[at].lemma in before for at in (antecedent.head, *antecedent.tokens))


def _speaker(token: Token) -> str:
    """Return a personal pronoun of the first or second person."""
    personal = token.upos == "PRON" and token.features.get("Person") in {"1", "2"}
    return token.lemma.lower() if personal else ""


def _role(token: Token) -> str:
    if token.relation.startswith("nsubj"):
        return _SUBJECT
    return _POSSESSOR if token.features.get("Poss") == "Yes" else _OBJECT
