"""The antecedent of a pronoun by rule: the noun it refers to, its translation, and what grammar bars.

A pronoun and a noun that are arguments of one verb are two things (Chomsky 1981, principle B: *the dog licked it*), and
so are a noun and a pronoun in its own clause (*the advantage that it has*) or a pronoun and what a clause without its
own subject, of which the pronoun is the subject, says (*coming from the best schools, they …*). *Its turnover …
it* takes up whose turnover it is. All is read from Universal Dependencies, so that no language is named.

The checks are strict (Wicks and Post 2023, §5.2): the head of the antecedent and the head of its translation must be
common nouns, and gender and number are those of the head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
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

_SUBJECTS, _OBJECTS = frozenset({"nsubj"}), frozenset({"obj", "iobj"})
_LOWER = frozenset({"obj", "iobj", "obl"})
_OWN_CLAUSES = frozenset({"acl", "ccomp"})
_PARTICIPLES = frozenset({"Part", "Ger"})
_NOMINAL = frozenset({"NOUN", "PROPN"})
_PERSON = ("Person", "Number", "Gender")


def cannot_stand_for(text: AnnotatedText, pronoun: int, noun: int) -> bool:
    """Return whether the grammar of a sentence bars a pronoun from taking up a noun of the same segment."""
    tokens = text.tokens
    predicate = tokens[pronoun].head
    if predicate < 0 or predicate == pronoun:
        return False
    role = _role(tokens[pronoun])
    if tokens[pronoun].features.get("PronType") == "Dem":
        return False
    return (
        _is_possessor(tokens, pronoun, noun)
        or predicate == noun
        or (role in _SUBJECTS and _is_under_subject(tokens, predicate, noun))
        or (role in _OBJECTS and tokens[noun].head == predicate and _role(tokens[noun]) in _SUBJECTS | _OBJECTS)
        or (role in _SUBJECTS | _OBJECTS and _in_own_clause(tokens, predicate, noun, role))
        or (role in _SUBJECTS and _is_shell(tokens, predicate, noun, pronoun))
        or (role in _SUBJECTS and _is_said_by_other(tokens, pronoun, noun))
        or _is_said_of_noun(tokens, noun)
    )


def _role(token: Token) -> str:
    return token.relation.partition(":")[0]


def _is_under_subject(tokens: Sequence[Token], predicate: int, noun: int) -> bool:
    """Return whether a noun is an object or a circumstance of a verb, or of a clause that has the verb's subject.

    A noun that only names the topic has a preposition of two words (*as for the reforms, they …*).
    """
    head = tokens[noun].head
    cases = [index for index, token in enumerate(tokens) if token.head == noun and token.relation == "case"]
    topic = len(cases) > 1 or any(token.head in cases and token.relation == "fixed" for token in tokens)
    lower = _role(tokens[noun]) in _LOWER and not topic
    clause = noun if _role(tokens[noun]) == "advcl" else head
    if lower and head == predicate:
        return True
    if clause < 0 or tokens[clause].head != predicate or _role(tokens[clause]) != "advcl":
        return False
    without_subject = not any(token.head == clause and _role(token) in _SUBJECTS for token in tokens)
    return without_subject and (clause == noun or lower)


def _in_own_clause(tokens: Sequence[Token], predicate: int, noun: int, role: str) -> bool:
    """Return whether the verb of a pronoun is that of a clause that belongs to the noun (*a design enabling it*).

    Of objects, in participles only, and not in infinitives: models take clauses of place and purpose for the noun's own
    (*put the book where you found it, for you to love it*).
    """
    verb = tokens[predicate]
    form = verb.features.get("VerbForm")
    has_auxiliary = any(token.head == predicate and _role(token) == "aux" for token in tokens)
    wanted = role in _SUBJECTS or (form in _PARTICIPLES and not has_auxiliary)
    own = verb.head == noun or (tokens[noun].relation == "conj" and tokens[noun].head == verb.head)
    return own and wanted and _role(verb) in _OWN_CLAUSES and form != "Inf"


def _is_shell(tokens: Sequence[Token], predicate: int, noun: int, pronoun: int) -> bool:
    """Return whether a clause with the pronoun as its subject says what a noun is: *the trouble is that it …*."""
    if _role(tokens[noun]) not in _SUBJECTS:
        return False
    verb, head = tokens[predicate], tokens[noun].head
    if head == predicate:
        return any(token.relation == "mark" and token.head == predicate for token in tokens[noun:pronoun])
    return _role(verb) == "ccomp" and verb.head == head and tokens[head].upos == "AUX"


def _is_said_by_other(tokens: Sequence[Token], pronoun: int, noun: int) -> bool:
    """Return whether another says the pronoun's clause, in its number: *the deal …: the bank announced it would …*.

    Who says something mostly says it of himself; a resolver that looks at nouns one by one gives him too little.
    """
    clause = tokens[pronoun].head
    while _role(tokens[clause]) == "advcl" and tokens[clause].head >= 0:
        clause = tokens[clause].head
    if _role(tokens[clause]) != "ccomp":
        return False
    speaker = _subject_of(tokens, tokens[clause].head, pronoun)
    if speaker is None or speaker == noun or tokens[speaker].upos not in _NOMINAL:
        return False
    return tokens[speaker].features.get("Number") == tokens[pronoun].features.get("Number")


def _subject_of(tokens: Sequence[Token], verb: int, before: int) -> int | None:
    """Return the subject of a verb before a token; of a coordinated one or a participle, that of the verb above."""
    for _ in tokens:
        if verb < 0:
            return None
        own = [place for place, token in enumerate(tokens[:before]) if token.head == verb and _role(token) == "nsubj"]
        if own:
            return own[-1]
        if _role(tokens[verb]) not in {"conj", "advcl"}:
            return None
        verb = tokens[verb].head
    return None


def _is_said_of_noun(tokens: Sequence[Token], noun: int) -> bool:
    """Return whether a noun only says what another one is: *chess is a sport: it …*."""
    children = [token for token in tokens if token.head == noun]
    return any(token.relation == "cop" for token in children) and any(
        _role(token) in _SUBJECTS and (token.upos in _NOMINAL or token.features.get("PronType") == "Ind")
        for token in children
    )


def _is_possessor(tokens: Sequence[Token], pronoun: int, noun: int) -> bool:
    """Return whether a noun's possessive is of the pronoun's own person, number and gender."""
    own = tokens[pronoun].features
    return any(
        token.head == noun
        and token.features.get("Poss") == "Yes"
        and "Person" in token.features
        and all(token.features.get(name) == own.get(name) for name in _PERSON)
        for token in tokens[:pronoun]
    )


_SURE_LINK = 0.25
"""Least confidence of the surest link of a noun that translates another."""

_AS_GOOD = 0.5
"""Least part of the likeliest mention's probability that a nearer one of the same head must have to count."""

_DISAGREE = frozenset({Reason.HEAD_GENDER, Reason.HEAD_NUMBER})

_OWN = frozenset({"det", "amod", "nummod", "compound", "flat", "case", "nmod"})
_POSSESSED_ROLES = frozenset({"nsubj", "obj", "root", "obl", "conj"})


@dataclass(frozen=True, slots=True)
class Belief:
    """When an antecedent is believed: its least probability, and its least share of that of all nouns together.

    ``names`` is the probability of all names together from which no other noun is believed.
    """

    least: float
    share: float = 0.0
    names: float = 1.1


def believed(
    document: AnnotatedDocument,
    resolution: Resolution | None,
    belief: Belief,
    barred: Set[str] = frozenset(),
    possible: Callable[[int, int], bool] | None = None,
) -> tuple[Antecedent | None, float]:
    """Return the mention of the noun to which a pronoun refers, and the noun's probability.

    A noun said again shares its probability with its other mentions, so mentions of one head word count together. Of
    them, it is the nearest that is at least half as likely as the likeliest. ``barred`` are lemmas, lower case, of
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
    if mass < max(belief.least, belief.share * total) or rivals >= belief.names:
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
    modifiers = (index for index, token in enumerate(tokens) if token.head == head and _role(token) in _OWN)
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
            if token.upos == "NOUN" and (_role(token) in _POSSESSED_ROLES or token.head < 0):
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
    noun, case = target.tokens[found], pair.case
    # Models take a name for a noun, but English writes no other noun with a capital.
    name = noun.form[:1].isupper() and document.source[segment].tokens[head].form == noun.form
    if noun.upos != "NOUN" or name:
        return Reason.HEAD_UPOS, span
    if case.gender and case.gender not in noun.features.get("Gender", "").split(","):
        return Reason.HEAD_GENDER, span
    if case.number and case.number not in noun.features.get("Number", "").split(","):
        return Reason.HEAD_NUMBER, span
    return Reason.HIT, span


def _support(
    pair: Pair, phrase: tuple[tuple[int, int], ...], translation: Sequence[int], probability: float
) -> Support:
    segment = phrase[-1][0]
    return Support(phrase, placed(segment, translation), pair.segment - segment, probability)
