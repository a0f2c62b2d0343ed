"""What else pronouns may stand for: a target one another source pronoun, a source one others of its sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from endophora.annotate.records import AnnotatedText, Token
from endophora.phenomena.pronoun_pairs import (
    OBJECTS,
    POSSESSIVE,
    QUANTIFIERS,
    PronounPair,
    clear_role_of,
    governed,
    is_led,
)
from endophora.phenomena.records import AnnotatedDocument, sources_of, targets_of, verb_group

_FORMS = frozenset({"PRON", "DET"})
_PERSONS = frozenset({"Masc", "Fem"})
"""Genders of source pronouns that are a person's: *he* and *she*, not *it*."""
_NAME_PARTS = frozenset({"flat", "compound"})
_CROSSED = (
    *((role, "nsubj") for role in OBJECTS),
    ("expl", "obj"),
    *(("nsubj", other) for other in OBJECTS),
    ("obj", "iobj"),
    ("obj", "obl"),
)
"""Roles of a source pronoun, and of a target pronoun that is then rather another's."""


def is_of_other(document: AnnotatedDocument, pair: PronounPair) -> bool:
    """Return whether a target pronoun is rather that of another source pronoun, which is in its role and has no other.

    *Lighting it, he smoked*, which became *Er zündete sie an*; *it pleases her*, *le piace*: the aligner knows words,
    not roles.
    """
    source, target = document.source[pair.segment].tokens, document.target[pair.segment].tokens
    if _is_of_somebody(document, pair) or _is_translators_own(document, pair):
        return True
    if target[pair.target].upos not in _FORMS:
        return False  # a verb with an ending has no role among pronouns
    role, shown = source[pair.source].relation, clear_role_of(document, pair.segment, pair.target)
    # What looks like a plural object of a singular may be a dative (*le ho detto tutto*, I told it to her).
    numbers = {token.features.get("Number", "") for token in (source[pair.source], target[pair.target])}
    dative = role == shown == "obj" and numbers == {"Sing", "Plur"}
    if not dative and not any(role.startswith(one) and shown == other for one, other in _CROSSED):
        return role == "nsubj" and shown == "nmod"  # a translator's own (*their faces*, *el rostro de ellos*)
    if _is_at_another(document, pair, role, shown):
        return True
    roles = ("nsubj",) if shown == "nsubj" else OBJECTS
    links = document.links[pair.segment]
    # Linked to both, it is the other's if that is known: *that* has another word (*Das sagt sie*); *er* is no object.
    known = target[pair.target].features.get("Case") == "Nom" or any(
        link.source == pair.source and link.target != pair.target for link in links
    )
    same = numbers if len(numbers) == 1 else {"Sing", "Plur"}
    linked = {pair.source, *(link.source for link in links if not (known and link.target == pair.target))}
    start, end = _sentence(document.source[pair.segment], pair.source)
    return any(
        token.upos == "PRON"
        and token.features
        and (token.relation in roles or (roles == ("nsubj",) and is_led(source, index)))
        and index not in linked  # not *there*
        and _has_person(token, "3")
        and token.features.get("Number", "") in {*same, ""}
        for index, token in enumerate(source[start:end], start)
    )


def _is_translators_own(document: AnnotatedDocument, pair: PronounPair) -> bool:
    """Return whether a possessive is at a noun that nobody possesses in the source (*seine Stadt*, the town).

    That noun translates another one than what is possessed, and this has a translation of its own.
    """
    source, target = document.source[pair.segment].tokens, document.target[pair.segment].tokens
    links = document.links[pair.segment]
    owned, here = source[pair.source].head, target[pair.target].head
    if source[pair.source].relation != POSSESSIVE or "Poss" not in target[pair.target].features or min(owned, here) < 0:
        return False
    theirs, others = sources_of(here, links)[:1], [at for at in targets_of(owned, links) if at != here]
    # A part of what is possessed is no other noun (*seine Schuhfabrik*, its shoe factory).
    apart = bool(theirs) and owned not in sources_of(here, links) and source[theirs[0]].upos == "NOUN"
    apart = apart and source[theirs[0]].relation.startswith(("nsubj", *OBJECTS))
    return apart and bool(others) and not any(one.head == theirs[0] and "Poss" in one.features for one in source)


def _is_at_another(document: AnnotatedDocument, pair: PronounPair, role: str, shown: str) -> bool:
    """Return whether a target pronoun is another's by the words at its verb.

    The subject beside an object that translates nothing (*they laid it*, *legten sie dieselbe*), a demonstrative that
    is no object, and a dative beside a pronoun as the subject (*if it is an accident*, *hat er ihm nicht geschadet*).
    """
    target = document.target[pair.segment].tokens
    token, taken = target[pair.target], {link.target for link in document.links[pair.segment]}
    beside = [(at, one) for at, one in enumerate(target) if one.head == token.head and at != pair.target]
    if role in OBJECTS and shown == "nsubj":
        pointing = "Prs" not in token.features.get("PronType", "Prs")
        loose = (one for at, one in beside if one.relation in OBJECTS and at not in taken)
        return pointing or any(one.upos in _FORMS for one in loose)
    acting = any(one.relation == "nsubj" and one.upos == "PRON" for _, one in beside)
    return role == "nsubj" and token.features.get("Case") == "Dat" and acting


def _is_of_somebody(document: AnnotatedDocument, pair: PronounPair) -> bool:
    """Return whether a target pronoun is rather that of a *he*, *him* or *her* beside, which has no other.

    It stands where that would be translated, beside its verb or its noun, and not where the pair's source pronoun would
    (*he laid it on his head*, *положил на голову его*), or it stands beside neither and no link leads to it. Beside a
    verb of both (*it was said to him*, *сказано ему*) it has the role of that.
    """
    source, target = document.source[pair.segment].tokens, document.target[pair.segment].tokens
    links, head = document.links[pair.segment], target[pair.target].head
    if pair.rule.agreement != "Gender" or target[pair.target].upos not in _FORMS:
        return False  # a verb with an ending (*vendiólos*) has another place in the sentence
    beside = {one for at in (verb_group(target, head) if head >= 0 else ()) for one in sources_of(at, links)}
    beside |= {source[one].head for one in beside if source[one].relation == "compound:prt"}
    shown = _family(target[pair.target], clear_role_of(document, pair.segment, pair.target))

    def is_beside(index: int) -> bool:
        governor = source[index].head
        return governor >= 0 and not beside.isdisjoint(verb_group(source, governor))

    own, role = is_beside(pair.source), _family(source[pair.source], governed(source, pair.source)[1])
    loose = not own and pair.source not in sources_of(pair.target, links)
    genders = pair.values & _PERSONS
    # What a verb's object never is (*put it on his head*, *возложили ему на голову*).
    dative = target[pair.target].features.get("Case") == "Dat" and source[pair.source].relation == "obj"
    for index, token in enumerate(source):
        if token.upos != "PRON" or not _has_person(token, "3") or token.features.get("Gender") not in genders:
            continue
        if any(at != pair.target and target[at].upos in _FORMS for at in targets_of(index, links)):
            continue
        alike, theirs = _family(token, governed(source, index)[1]) == shown != role, is_beside(index)
        if dative or loose or (theirs and not own) or (alike and theirs is own):
            return True
    return False


def _family(token: Token, role: str) -> str:
    """Return whether a pronoun with a role is a subject, an object of any kind, or a possessive."""
    if role.startswith((POSSESSIVE, "det")) or "Poss" in token.features:
        return POSSESSIVE
    return "nsubj" if role.startswith("nsubj") else "obj" if role.startswith(OBJECTS) else role


def _has_person(token: Token, person: str) -> bool:
    return token.features.get("Person", person) == person and token.features.get("PronType", "Prs") == "Prs"


def _sentence(text: AnnotatedText, index: int) -> tuple[int, int]:
    """Return where a word's sentence starts and ends."""
    own = bisect_right(text.sentences, index)
    bounds = (0, *text.sentences, len(text.tokens))
    return bounds[own], bounds[own + 1]


def before_in_sentence(text: AnnotatedText, index: int) -> Sequence[Token]:
    """Return the words of a word's sentence that are before it."""
    return text.tokens[_sentence(text, index)[0] : index]


def has_others(pronoun: Token, before: Sequence[Token]) -> bool:
    """Return whether words of its sentence may be what a pronoun stands for, though they are no candidates of its.

    *Someone … they*; and two names, of which none has the number of *they*.
    """
    names = sum(
        word.upos == "PROPN" and word.relation.partition(":")[0] not in _NAME_PARTS
        for word in before
        if pronoun.features.get("Number") == "Plur"
    )
    return names > 1 or any(word.features.get("PronType") in QUANTIFIERS for word in before)


def are_joined(pronoun: Token, before: Sequence[Token]) -> bool:
    """Return whether names before a plural pronoun in its sentence are joined (*Ann and Ben said that they …*)."""
    several = pronoun.features.get("Number") == "Plur"
    return several and any(word.upos == "PROPN" and word.relation == "conj" for word in before)
