"""The antecedent of a pronoun by rule: the noun it refers to, its translation, and what grammar bars.

The checks are strict (Wicks and Post 2023, §5.2): the head of the antecedent and the head of its translation must be
common nouns, and gender and number are those of the head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
from endophora.phenomena.binding import role_of
from endophora.phenomena.pronoun_cases import Pair
from endophora.phenomena.records import (
    AnnotatedDocument,
    Support,
    placed,
    placed_phrase,
    translated_head,
    translated_span,
)
from endophora.phenomena.verdicts import Reason

_SURE_LINK = 0.25
"""Least confidence of the surest link of a noun that translates another."""

_AS_GOOD = 0.5
"""Least part of the most likely mention's probability that a nearer one of the same head must have to count."""

_DISAGREE = frozenset({Reason.HEAD_GENDER, Reason.HEAD_NUMBER})

_OWN = frozenset({"det", "amod", "nummod", "compound", "flat", "case", "nmod"})
_AGREEING = frozenset({"det", "amod"})
_POSSESSED_ROLES = frozenset({"nsubj", "obj", "root", "obl", "conj"})


@dataclass(frozen=True, slots=True)
class Belief:
    """When an antecedent is believed: its least probability, and its least share of that of all nouns together.

    ``names`` is the probability of all names together from which no other noun is believed; ``here`` the least
    probability of a noun of the pronoun's own segment, which has more rivals than one that was spoken of before.
    """

    least: float
    share: float = 0.0
    names: float = 1.1
    here: float = 0.0


def believed(
    document: AnnotatedDocument,
    resolution: Resolution | None,
    belief: Belief,
    barred: Set[str] = frozenset(),
    possible: Callable[[int, int], bool] | None = None,
) -> tuple[Antecedent | None, float]:
    """Return the mention of the noun to which a pronoun refers, and the noun's probability.

    A repeated noun shares its probability with its other mentions, so mentions of one head word count together. Of
    them, it is the nearest that is at least half as likely as the most likely. ``barred`` are lemmas, lower case, of
    nouns that the pronoun does not stand for; ``possible`` says of a segment and a head whether it may take it up.
    """
    groups: defaultdict[str, list[Antecedent]] = defaultdict(list)
    names = 0.0
    for found in resolution.antecedents if resolution is not None else ():
        if possible is not None and not possible(found.segment, found.head):
            continue
        groups[_head(document, found).lemma.lower()].append(found)
        names += found.probability if _head(document, found).upos == "PROPN" else 0.0
    allowed = [some for lemma, some in groups.items() if lemma not in barred]
    total = sum(map(_mass, allowed))
    if not allowed:
        return None, 0.0
    best = max(allowed, key=_mass)
    mass = _mass(best)
    rivals = 0.0 if _head(document, best[0]).upos == "PROPN" else names
    here = belief.here if resolution is not None and all(one.segment == resolution.segment for one in best) else 0.0
    if mass < max(belief.least, belief.share * total, here) or rivals >= belief.names:
        return None, mass
    top = max(found.probability for found in best)
    likely = [found for found in best if found.probability >= _AS_GOOD * top]
    return max(likely, key=lambda found: (found.segment, found.head)), mass


def _mass(mentions: Sequence[Antecedent]) -> float:
    return sum(found.probability for found in mentions)


def _head(document: AnnotatedDocument, antecedent: Antecedent) -> Token:
    return document.source[antecedent.segment].tokens[antecedent.head]


def by_coreference(
    document: AnnotatedDocument,
    pair: Pair,
    resolution: Resolution | None,
    belief: Belief,
    barred: Set[str] = frozenset(),
    possible: Callable[[int, int], bool] | None = None,
) -> tuple[Reason, Support | None]:
    """Check the antecedent of a pronoun, as :func:`believed` finds it, against its rule.

    Nouns whose translation has another gender or number than the rule asks for are passed over: the translator has
    taken another one up.
    """

    def may_agree(segment: int, head: int) -> bool:
        """Return whether a noun may be taken up, and its translation is not known to disagree with the form."""
        if possible is not None and not possible(segment, head):
            return False
        return _translation(document, pair, segment, head, (head,))[0] not in _DISAGREE

    antecedent, probability = believed(document, resolution, belief, barred, may_agree)
    if antecedent is None:
        antecedent, probability = believed(document, resolution, belief, barred, possible)
        if antecedent is None:
            return Reason.NO_CHAIN, None
    if _head(document, antecedent).upos != "NOUN":
        return Reason.NO_NOUN, None
    reason, span = _translation(document, pair, antecedent.segment, antecedent.head, antecedent.tokens)
    if reason is not Reason.HIT:
        return reason, None
    phrase = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
    return reason, _support(pair, phrase, span, min(1.0, probability))


def by_possessed(document: AnnotatedDocument, pair: Pair, window: int) -> tuple[Reason, Support | None]:
    """Check the noun that a possessive without one stands for (*mine*) against its rule.

    No resolver knows these. It is the nearest noun before it that has a possessor, as in *your car … mine*, or else the
    nearest one that is a subject, an object or a predicate.
    """
    source = document.source[pair.segment].tokens[pair.source]
    if source.relation in {"nmod:poss", "det"}:
        return Reason.NO_NOUN, None
    found = list(_nouns_before(document, pair, window))
    owned = [item for item in found if _has_possessor(document.source[item[0]], item[1])]
    if not found:
        return Reason.NO_CHAIN, None
    segment, head = (owned or found)[0]
    tokens = document.source[segment].tokens[:head]
    modifiers = (index for index, token in enumerate(tokens) if token.head == head and role_of(token) in _OWN)
    span = (*modifiers, head)
    reason, translation = _translation(document, pair, segment, head, span)
    phrase = placed_phrase(segment, span, head)
    return reason, _support(pair, phrase, translation, 1.0) if reason is Reason.HIT else None


def _nouns_before(document: AnnotatedDocument, pair: Pair, window: int) -> Iterator[tuple[int, int]]:
    """Yield (segment, token) of subjects, objects and predicates before a pronoun, nearest first."""
    for segment in range(pair.segment, max(-1, pair.segment - window - 1), -1):
        tokens = document.source[segment].tokens
        end = pair.source if segment == pair.segment else len(tokens)
        for index in range(end - 1, -1, -1):
            token = tokens[index]
            if token.upos == "NOUN" and (role_of(token) in _POSSESSED_ROLES or token.head < 0):
                yield segment, index


def _has_possessor(text: AnnotatedText, head: int) -> bool:
    return any(token.head == head and token.relation == "nmod:poss" for token in text.tokens)


def _translation(
    document: AnnotatedDocument, pair: Pair, segment: int, head: int, tokens: Sequence[int]
) -> tuple[Reason, tuple[int, ...]]:
    """Check the translation of an antecedent against a rule; return the reason and the span."""
    target, links = document.target[segment], document.links[segment]
    span = translated_span(head, tokens, links)
    found = translated_head(head, span, target, links) if span else None
    if found is None:
        return Reason.NO_LINK, span
    if max((link.confidence for link in links if link.target == found), default=1.0) < _SURE_LINK:
        return Reason.NO_LINK, span
    found = _noun_of(target.tokens, found)
    span, noun, case = tuple(sorted({*span, found})), target.tokens[found], pair.case
    # Models take a name for a noun, but English writes no other noun with a capital.
    name = noun.form[:1].isupper() and document.source[segment].tokens[head].form == noun.form
    if name or (noun.upos != "NOUN" and not (noun.upos == "ADJ" and role_of(noun) in _POSSESSED_ROLES)):
        return Reason.HEAD_UPOS, span
    if case.gender and case.gender not in noun.features.get("Gender", "").split(","):
        return Reason.HEAD_GENDER, span
    if case.number and case.number not in noun.features.get("Number", "").split(","):
        return Reason.HEAD_NUMBER, span
    return Reason.HIT, span


def _noun_of(tokens: Sequence[Token], found: int) -> int:
    """Return a noun for its article or adjective, where aligners have linked that alone (*una emisora*, a station)."""
    head = tokens[found].head
    return head if role_of(tokens[found]) in _AGREEING and head >= 0 and tokens[head].upos == "NOUN" else found


def _support(
    pair: Pair, phrase: tuple[tuple[int, int], ...], translation: Sequence[int], probability: float
) -> Support:
    segment = phrase[-1][0]
    return Support(phrase, placed(segment, translation), pair.segment - segment, probability)
