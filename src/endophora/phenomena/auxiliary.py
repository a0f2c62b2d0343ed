"""Auxiliaries: an English *do, will, would* that stands for a verb left out (Wicks and Post 2023, §2.2.1 and §3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.extraction import AuxiliaryRule
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, sources_of, targets_of
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.phenomena.verdicts import LOOK_BACK, Reason, SegmentTagger, Verdict

Scope = Literal["segment", "sentence"]

_CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "NUM"})
_PREDICATES = frozenset({"VERB", "AUX", "NOUN", "PROPN", "ADJ"})
_NOT_FINITE = frozenset({"Part", "Inf"})


class AuxiliaryTagger(SegmentTagger[AuxiliaryRule]):
    """Finds verbs that translate an auxiliary alone, and what verb it stands for.

    No other English verb may be in the auxiliary's ``scope``. The support is the nearest earlier use of the verb and
    the English verb that it translates.
    """

    phenomenon = "auxiliary"

    def __init__(self, rules: LanguageRules, scope: Scope = "segment", window: int = LOOK_BACK) -> None:
        super().__init__(rules.extracted.auxiliary, f"{scope},{window},{rules_signature(rules)}", window)
        self._scope: Scope = scope

    def _verdict(self, rule: AuxiliaryRule, document: AnnotatedDocument, segment: int) -> Verdict:
        source = document.source[segment]
        places = [index for index, token in enumerate(source.tokens) if token.lemma.lower() == rule.lemma]
        if not places:
            return Verdict(Reason.NO_AUXILIARY)
        alone = [index for index in places if is_only_verb(source, index, self._scope)]
        if not alone:
            return Verdict(Reason.OTHER_VERB)
        verbs = [(index, verb) for index in alone if (verb := _translation(document, segment, index)) is not None]
        if not verbs:
            return Verdict(Reason.NO_VERB)
        auxiliary, verb = verbs[0]
        tokens = document.target[segment].tokens
        if tokens[verb].lemma.lower() in rule.forbidden:
            # Where models join nothing, it is the one other verb, not finite: *du hast nicht gespült*.
            others = [other for other, token in enumerate(tokens) if token.upos == "VERB" and other != verb]
            if len(others) != 1 or tokens[others[0]].features.get("VerbForm") not in _NOT_FINITE:
                return Verdict(Reason.FORBIDDEN)
            verb = others[0]
        token = tokens[verb]
        if token.lemma.lower() in rule.forbidden:
            return Verdict(Reason.FORBIDDEN)
        form = token.form.lower()
        words = self._words_before(document, segment)
        earlier = [place[:2] for place in words if place[2].lemma == token.lemma or place[2].form.lower() == form]
        if not earlier:
            return Verdict(Reason.NOT_EARLIER)
        for before, index in earlier:
            meant = _source_verb(document, before, index, rule.lemma)
            if meant is not None:
                support = Support(((before, meant),), ((before, index),), segment - before)
                place = document.id, segment, self.phenomenon, rule.label
                return Verdict(Reason.HIT, Occurrence(*place, (auxiliary,), (verb,), token.form, support))
        return Verdict(Reason.NO_SOURCE_VERB)


def is_only_verb(text: AnnotatedText, index: int, scope: Scope) -> bool:
    """Return whether an auxiliary has no verb with it, other forms of itself apart."""
    first, end = 0, len(text.tokens)
    if scope == "sentence":
        first = max((start for start in text.sentences if start <= index), default=0)
        end = min((start for start in text.sentences if start > index), default=end)
    lemma = text.tokens[index].lemma.lower()
    return not any(token.upos in VERBS and token.lemma.lower() != lemma for token in text.tokens[first:end])


def _translation(document: AnnotatedDocument, segment: int, index: int) -> int | None:
    """Return the target verb that translates an auxiliary.

    Of an auxiliary with its verb (*du wirst es sehen*) it is the verb; a modal alone (*ich will nicht*) is one itself.
    Aligners know *do* as a word that has no translation. Where it is linked to no verb, it is the only verb of the
    segment, however often said, if no word of content is linked to it: English has no other verb to be its source.
    """
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    for other in targets_of(index, links):
        token = target[other]
        if token.relation.startswith("aux") and token.head >= 0 and target[token.head].upos == "VERB":
            return token.head
        if _is_verb(token, target):
            return other
    # A parser that does not join an auxiliary to its verb leaves two.
    full = [other for other, token in enumerate(target) if token.upos == "VERB"]
    verbs = full or [other for other, token in enumerate(target) if _is_verb(token, target)]
    same = len({target[other].lemma for other in verbs}) == 1
    free = same and all(source[other].upos not in _CONTENT for verb in verbs for other in sources_of(verb, links))
    return verbs[-1] if free else None


def _is_verb(token: Token, tokens: Sequence[Token]) -> bool:
    """Return whether a token is a verb, or an auxiliary that stands for one because it has none.

    Models take a modal alone (*das will ich nicht*) for the copula of a pronoun or particle, or for the auxiliary of a
    noun or adverb: an auxiliary has a verb with it, or a predicate with a copula.
    """
    if token.upos != "AUX":
        return token.upos == "VERB"
    if token.head < 0 or not token.relation.startswith(("aux", "cop")):
        return True
    head = tokens[token.head].upos
    if token.relation.startswith("cop"):
        return head not in _PREDICATES
    return head not in VERBS and not any(_belongs(other, token.head, "cop") for other in tokens)


def _belongs(token: Token, head: int, relation: str) -> bool:
    return token.head == head and token.relation.partition(":")[0] == relation


def _source_verb(document: AnnotatedDocument, segment: int, target: int, lemma: str) -> int | None:
    """Return the English verb that a target word translates, if it is another than the auxiliary.

    It is the verb that the word is linked to, or whose auxiliary it is linked to; or what its own auxiliary is linked
    to (*geschlafen habe*: *slept* and *habe*), of which a modal is linked to the verb above (*got to take*: *muss*); or
    else the only English verb that is linked to no other target verb.
    """
    tokens, links = document.source[segment].tokens, document.links[segment]
    others = document.target[segment].tokens
    found = _linked_verbs(tokens, links, target)
    if not found:
        auxiliaries = [index for index, token in enumerate(others) if _belongs(token, target, "aux")]
        above = [verb for index in auxiliaries for verb in _linked_verbs(tokens, links, index)]
        below = {
            token.head: index
            for index, token in reversed(list(enumerate(tokens)))
            if token.upos == "VERB" and token.relation.partition(":")[0] == "xcomp"
        }
        found = [below.get(verb, verb) for verb in above]
    if not found:
        taken = {link.source for link in links if link.target != target and others[link.target].upos == "VERB"}
        free = [index for index, token in enumerate(tokens) if token.upos == "VERB" and index not in taken]
        found = free if len(free) == 1 else []
    return found[0] if found and tokens[found[0]].lemma.lower() != lemma else None


def _linked_verbs(tokens: Sequence[Token], links: Sequence[Link], target: int) -> list[int]:
    """Return the English verbs that a target word is linked to, itself or their auxiliary."""
    linked = sources_of(target, links)
    heads = [tokens[index].head for index in linked if tokens[index].relation.startswith("aux")]
    return [index for index in (*linked, *heads) if index >= 0 and tokens[index].upos == "VERB"]


def make_tagger(setup: TaggerSetup) -> AuxiliaryTagger:
    """Return the tagger of auxiliaries."""
    return AuxiliaryTagger(setup.target, setup.options.auxiliary)
