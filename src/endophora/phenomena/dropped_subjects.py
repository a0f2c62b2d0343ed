"""Subjects that the source leaves out and English names: *llegó tarde* → *he*, *she* or *it was late*.

The languages that leave subjects out (``pro_drop`` in the rule files) say of them no more than the verb shows, and
Chinese and Japanese nothing at all: which English pronoun it is, an earlier sentence decides. The pronoun's antecedent
is looked for on the English side, whose resolver is the one there is; the source has none, so that what a source
pronoun stands for is not asked. All is read from Universal Dependencies, so that no language is named.
"""

from __future__ import annotations

from functools import partial

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages import LanguageRules
from endophora.phenomena.antecedents import Belief, believed
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.impersonal import ImpersonalPronouns, normal
from endophora.phenomena.pronoun_pairs import EXPLETIVE
from endophora.phenomena.records import (
    AnnotatedDocument,
    Occurrence,
    Support,
    placed_phrase,
    sources_of,
    swap_sides,
    targets_of,
    translated_span,
    verb_group,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_PREDICATIVE = ("conj", "advcl", "ccomp", "parataxis")
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET"})
_CLAUSES = ("conj", "advcl", "xcomp", "ccomp", "parataxis")
_SUBJECTS = ("nsubj", "csubj")
_THING = "Neut"

_BELIEF = Belief(0.45, 0.5)
"""When the antecedent of a pronoun is believed, names as well as nouns."""

_EMPTY = 0.2
"""Probability of standing for nothing from which *it* is believed to."""


class DroppedSubjectTagger:
    """Finds English subject pronouns of which the source has no word; their support is the antecedent, if it is known.

    A pronoun of a person that the source's verb shows is no choice, nor one whose subject the source's sentence names;
    *it* counts only if it has an antecedent, since it stands for nothing so often.
    """

    phenomenon = "dropped_subjects"

    def __init__(self, source: LanguageRules, english: LanguageRules) -> None:
        belief = f"{_BELIEF.least:g},{_BELIEF.share:g},{_EMPTY:g}"
        self.signature = f"{belief},{rules_signature(source, english)}"
        self._empty = ImpersonalPronouns(english.extracted.impersonal)
        self._not_for = english.extracted.not_for
        self._second = source.persons.second

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the pronouns in order; the rule is the pronoun itself."""
        found: list[Occurrence] = []
        turned = swap_sides(document)
        resolutions = turned.resolved()
        for segment, text in enumerate(turned.source):
            for index, token in enumerate(text.tokens):
                if not _is_subject(token):
                    continue
                verb = verb_without_subject(turned, segment, index)
                if verb is None or _is_told(turned.target[segment], verb, token):
                    continue
                if token.features["Person"] == "2" and self._is_addressed(turned.target[segment], verb):
                    continue
                thing = token.features.get("Gender") == _THING
                resolution = resolutions.get((segment, index))
                if thing and resolution is not None and resolution.non_referential >= _EMPTY:
                    continue
                if thing and self._empty.hold(text, index):
                    continue
                support = self._support(turned, segment, index)
                if support is None and thing:
                    continue
                place = document.id, segment, self.phenomenon, normal(token.form)
                found.append(Occurrence(*place, (verb,), (index,), token.form, support))
        return found

    def _is_addressed(self, text: AnnotatedText, verb: int) -> bool:
        """Return whether a predicate has a word of the second person within it, where annotators cut words too long."""
        return any(word in text.tokens[verb].form for word in self._second)

    def _support(self, turned: AnnotatedDocument, segment: int, pronoun: int) -> Support | None:
        """Return the antecedent on the English side, and its translation, as a support of the document itself."""
        resolution = turned.resolved().get((segment, pronoun))
        token = turned.source[segment].tokens[pronoun]
        form, thing = normal(token.form), token.features.get("Gender") == _THING
        possible = partial(self._is_possible, turned, segment, pronoun)
        barred = self._not_for.get(form, frozenset[str]())
        antecedent, probability = believed(turned, resolution, _BELIEF, barred, possible)
        if antecedent is None or (thing and turned.source[antecedent.segment].tokens[antecedent.head].upos != "NOUN"):
            return None
        english = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
        span = translated_span(antecedent.head, antecedent.tokens, turned.links[antecedent.segment])
        other = tuple((antecedent.segment, place) for place in span)
        return Support(other, english, segment - antecedent.segment, min(1.0, probability))

    def _is_possible(self, turned: AnnotatedDocument, at: int, pronoun: int, segment: int, head: int) -> bool:
        text = turned.source[segment]
        return not (segment == at and cannot_stand_for(text, pronoun, head)) and not self._empty.hold(text, head)


def _is_subject(token: Token) -> bool:
    """Return whether a token is a personal pronoun that is the subject of a verb."""
    personal = token.upos == "PRON" and token.features.get("PronType", "Prs") == "Prs" and "Person" in token.features
    return personal and token.relation.startswith("nsubj") and not token.relation.startswith(EXPLETIVE)


def verb_without_subject(turned: AnnotatedDocument, segment: int, pronoun: int) -> int | None:
    """Return the source predicate that translates that of an English subject, if nobody is named as its subject.

    That is, neither the pronoun nor a subject of the predicate, or of a clause above it, has a word in the source. No
    source pronoun is left without a translation: it may be the subject where the parser or the aligner missed it.
    """
    source, other, links = turned.source[segment].tokens, turned.target[segment], turned.links[segment]
    if any(other.tokens[place].upos in _NOMINAL for place in targets_of(pronoun, links)):
        return None
    group = verb_group(source, source[pronoun].head) if source[pronoun].head >= 0 else []
    order = sorted(group, key=lambda place: place != source[pronoun].head)
    linked = [place for word in order for place in targets_of(word, links) if _is_predicate(other.tokens[place])]
    if not linked:
        return None
    verb = linked[0]
    for place, token in enumerate(other.tokens):
        # A pronoun that is linked to a verb alone (*'re*) may as well be the subject.
        if token.upos == "PRON" and not any(source[word].upos in _NOMINAL for word in sources_of(place, links)):
            return None
    return None if _has_subject(other, verb) else verb


def _is_predicate(token: Token) -> bool:
    """Return whether a word is a verb, or an adjective that is a predicate of its own."""
    if token.upos == "ADJ":
        return token.head < 0 or token.relation.startswith(_PREDICATIVE)
    return token.upos in VERBS


def _has_subject(text: AnnotatedText, verb: int) -> bool:
    """Return whether a predicate, or one that it depends on or that joins it, has a subject."""
    tokens = text.tokens
    for _ in tokens:
        group = verb_group(tokens, verb)
        if any(token.head in group and token.relation.startswith(_SUBJECTS) for token in tokens):
            return True
        head = (
            group[0] if len(group) == 1 else next((place for place in group if tokens[place].head not in group), verb)
        )
        if tokens[head].head < 0 or not tokens[head].relation.startswith(_CLAUSES):
            return False
        verb = tokens[head].head
    return False


def _is_told(text: AnnotatedText, verb: int, english: Token) -> bool:
    """Return whether the source's predicate shows which pronoun is its subject, or has no subject at all.

    A finite verb of the first or second person shows it, and one of the third person in the plural (*they*); an
    infinitive and an imperative have none.
    """
    group = [text.tokens[place] for place in verb_group(text.tokens, verb)]
    forms = {token.features["VerbForm"] for token in group if "VerbForm" in token.features}
    if (forms and "Fin" not in forms) or any(token.features.get("Mood") == "Imp" for token in group):
        return True
    persons = {token.features["Person"] for token in group if "Person" in token.features}
    if not persons:
        return False
    numbers = {token.features.get("Number", "") for token in group}
    return persons != {"3"} or english.features.get("Person") != "3" or "Plur" in numbers


def make_tagger(setup: TaggerSetup) -> DroppedSubjectTagger:
    """Return the tagger of subjects that the source leaves out."""
    return DroppedSubjectTagger(setup.source, setup.target)
