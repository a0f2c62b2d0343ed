"""Which target word a source pronoun has become: a word that is linked or in its role, a verb, an ending."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.schema import PronounRule
from endophora.phenomena.records import (
    AnnotatedDocument,
    dependents,
    group_of,
    mutual_links,
    remembered,
    sources_of,
    subjects,
    targets_of,
    verb_group,
)

EXPLETIVE = "expl"
"""The relation of a pronoun that stands for nothing, in all treebanks of Universal Dependencies."""

OBJECTS = ("obj", "iobj", "obl")
POSSESSIVE = "nmod:poss"
_ROLES = {"Acc": "obj", "Dat": "iobj"}
"""Roles of pronouns by a case that no subject has."""
FREE = frozenset({"PRON", "DET"})
"""Classes that pronouns are tagged as."""
_BESIDE = frozenset({"PRON", "DET", "ADV", "PART"})
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_BEHIND = 2
"""Words behind a verb among which a pronoun of it may be (*dis-le-lui*)."""
_UNTOLD = frozenset({"det", "dep"})
"""Relations that parsers give object pronouns which they take for articles, or cannot place."""

QUANTIFIERS = frozenset({"Ind", "Neg", "Tot"})
"""Types of pronouns that a pronoun of the same sentence takes up (*someone … they*), and that are no candidates."""

_STRAIGHT = frozenset({"Nom", "Acc"})
"""Cases of personal pronouns that are predicates, not possessives."""

_NOT_FINITE = frozenset({"Inf", "Ger"})

_SUBORDINATE = ("acl", "advcl", "ccomp")
"""Clauses whose verb has a relative pronoun, where that has the form of a demonstrative (*Beute, die gemacht wird*)."""

_RELATIVE_IN = 3
"""Words after a pronoun, of which one is the relative that explains it."""


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A linked pair of pronouns for which a rule holds."""

    rule: PronounRule
    segment: int
    source: int
    target: int
    values: frozenset[str]
    unmarked: bool


def linked_pronouns(pronouns: Sequence[int], document: AnnotatedDocument, segment: int) -> dict[int, int]:
    """Return the target tokens of source pronouns: target token → pronoun.

    An unlinked pronoun is given the one unlinked pronoun that is in the same relation to the translation of its
    verb: aligners know words rather than roles, and miss a rare translation such as *it* → *sie*. So is one that is
    linked to an expletive, and keeps that if there is none: parsers take many a pronoun for an expletive (*il*); and
    one that is linked to an article (*la tiré a la basura*).
    """
    source, target = document.source[segment].tokens, document.target[segment].tokens
    links = document.links[segment]
    others = [link for link in links if _is_poor(document, segment, link.target, pronoun=link.source in pronouns)]
    if others:
        links = [link for link in links if link not in others]
    found = {token: pronoun for token, pronoun in mutual_links(links).items() if pronoun in pronouns}
    linked_sources, linked_targets = {link.source for link in links}, {link.target for link in links}
    missing = [index for index in pronouns if index not in linked_sources and source[index].head >= 0]
    if not missing:
        return found
    # Models take object pronouns for the articles that have their form, but know their role.
    free = [index for index, token in enumerate(target) if token.upos in FREE and index not in linked_targets]
    # Where subjects are left out, aligners give the verb's objects to them (*lo hago*, I do it).
    loose = [
        index
        for index, token in enumerate(target)
        if token.upos in FREE and index in linked_targets and index not in found and _is_loose(source, index, links)
    ]
    verbs = {(group_of(source, link.source), group_of(target, link.target)) for link in links}
    for pronoun in missing:
        head, role = governed(source, pronoun)
        roles = OBJECTS if role in OBJECTS else (role,)
        alike = [
            index
            for index in (*free, *(loose if role in OBJECTS else ()))
            if role_of(document, segment, index).partition(":")[0] in roles
            and any((head, verb) in verbs for verb in _verbs_of(target, index, role in OBJECTS))
        ]
        if len(alike) == 1:
            found.setdefault(alike[0], pronoun)
    if others:
        taken = set(found.values())
        kept = mutual_links(document.links[segment]).items()
        found.update((token, pronoun) for token, pronoun in kept if pronoun in missing and pronoun not in taken)
    return found


def _is_poor(document: AnnotatedDocument, segment: int, index: int, *, pronoun: bool) -> bool:
    """Return whether a target word translates little: an expletive, or the article of a noun if it is for a pronoun."""
    token = document.target[segment].tokens[index]
    article = pronoun and token.upos == "DET" and token.features.get("PronType") == "Art"
    return token.relation.startswith(EXPLETIVE) or (article and role_of(document, segment, index) == "det")


def _verbs_of(target: Sequence[Token], index: int, climbs: bool) -> Iterator[int]:
    """Yield the verb of a pronoun; objects may stand before the verb that theirs depends on (*la vamos a robar*)."""
    head = target[index].head
    yield head
    for at in dependents(target).get(head, ()) if climbs and head > index else ():
        if target[at].upos == "VERB" and target[at].features.get("VerbForm") in _NOT_FINITE:
            yield at


def nearer_pronoun(
    document: AnnotatedDocument, segment: int, token: int, found: Mapping[int, int], pronouns: Sequence[int]
) -> int:
    """Return the pronoun that a target word translates: that linked or, if it is not at its verb, one that is.

    Of two that are alike (*they expected … when they were*) aligners take one for the other. The other has no word
    of its own, and the same role as the target word. ``found``: target words of pronouns.
    """
    source = document.source[segment].tokens
    subject = clear_role_of(document, segment, token).startswith("nsubj")
    free = (one for one in pronouns if one not in found.values() and source[one].head >= 0)
    alike = [
        one
        for one in free
        if (governed(source, one)[1] == "nsubj") is subject and is_beside(document, segment, one, token)
    ]
    return alike[0] if len(alike) == 1 and not is_beside(document, segment, found[token], token) else found[token]


def is_beside(document: AnnotatedDocument, segment: int, pronoun: int, token: int) -> bool:
    """Return whether a target word belongs to the translation of the verb or noun that a pronoun belongs to."""
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    head, theirs = target[token].head, source[pronoun].head
    if head < 0 or theirs < 0:
        return False
    linked = {one for at in verb_group(target, head) for one in sources_of(at, links)}
    return not linked.isdisjoint(verb_group(source, governed(source, pronoun)[0]))


def governed(source: Sequence[Token], pronoun: int) -> tuple[int, str]:
    """Return what a pronoun depends on, and its role there: that of the quantifier in *they betrayed all of them*.

    One with a preposition is an oblique, be it a noun's (*the horns are of one piece with it*).
    """
    token = source[pronoun]
    whole = source[token.head]
    if token.relation == "nmod" and whole.head >= 0 and whole.features.get("PronType") in QUANTIFIERS:
        token = whole
    elif token.relation == "nmod" and any(one.head == pronoun and one.relation == "case" for one in source):
        return token.head, "obl"
    return token.head, token.relation.partition(":")[0]


def places_of_forms(tokens: Sequence[Token], rules: Iterable[PronounRule]) -> list[int]:
    """Return where the forms of some rules stand in a text, in order."""
    places = _places(tokens)
    forms = {form for rule in rules for some in rule.alternatives.values() for form in some}
    return sorted([index for form in forms & places.keys() for index in places[form]])


@remembered
def _places(tokens: Sequence[Token]) -> Mapping[str, Sequence[int]]:
    """Return form in lower case → where it stands in a text."""
    found = defaultdict[str, list[int]](list)
    for index, token in enumerate(tokens):
        found[token.form.lower()].append(index)
    return found


def free_forms(
    document: AnnotatedDocument,
    segment: int,
    pronoun: int,
    place: Literal["verb", "segment", "any role"],
    words: Sequence[int],
) -> list[int]:
    """Return those of some target words that may be a pronoun whose link is missing.

    They are beside its verb, or in the whole segment.

    ``any role``: beside the verb, whatever the parser takes them for, if they are linked to nothing. A possessive
    stands beside the noun that is possessed.

    No noun or verb is linked to them. An article is one if the translation of a verb follows it (*la probaré*). A
    capital within a sentence is of a word of address (*ziehen Sie ihn*). A passive's subject is another verb's object
    (*it is listed*, *man findet sie*).
    """
    source, links = document.source[segment].tokens, document.links[segment]
    target = document.target[segment].tokens
    if source[pronoun].relation == POSSESSIVE:
        owned = targets_of(source[pronoun].head, links)
        return [
            index
            for index in words
            if "Poss" in target[index].features
            and (
                target[index].head in owned if place == "verb" else not sources_of(index, links) and place == "segment"
            )
        ]
    group = verb_group(source, source[pronoun].head)
    linked = {link.target for link in links if link.source in group}
    verbs = {*linked, *(group_of(target, at) for at in linked)}
    role, number = governed(source, pronoun)[1], source[pronoun].features.get("Number", "")
    passive = source[pronoun].relation == "nsubj:pass"
    found: list[int] = []
    for index in words:
        token = target[index]
        if token.upos not in FREE or number not in ("", token.features.get("Number", number)):
            continue
        if index and token.form[:1].isupper() and target[index - 1].upos != "PUNCT":
            continue
        subject = clear_role_of(document, segment, index).startswith("nsubj") and not _is_second_subject(target, index)
        if place == "any role":
            if sources_of(index, links) or token.relation == "det":  # the article of a noun said again
                continue
        elif subject is not (role == "nsubj") and (subject or not passive):
            continue
        after = next((at for at in range(index + 1, len(target)) if target[at].upos not in _BESIDE), index)
        own = after > index and not verbs.isdisjoint((after, group_of(target, after)))
        if token.upos == "DET" and not own and target[after].upos not in VERBS:
            continue
        if any(source[other].upos in _CONTENT for other in sources_of(index, links)):
            continue
        if place == "segment" or own or token.head in verbs or any(0 < index - at <= _BEHIND for at in verbs):
            found.append(index)
    return found


def _is_second_subject(tokens: Sequence[Token], index: int, *, personal: bool = False) -> bool:
    """Return whether a verb has another subject before a word: it is then its object (*du gibst sie zurück*)."""
    own = (other for other in subjects(tokens, (tokens[index].head,)) if other < index)
    return any(not personal or _is_personal(tokens[other]) for other in own)


def _is_personal(token: Token) -> bool:
    return token.upos == "PRON" and token.features.get("PronType") == "Prs"


def _is_bare(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a pronoun that is an object only with a preposition has none."""
    token = tokens[index]
    both = "Nom" in token.features.get("Case", "").split(",")[1:]  # *Acc,Nom*
    if not both or token.upos != "PRON" or not token.relation.startswith(OBJECTS):
        return False
    own = dependents(tokens).get(index, ())
    return tokens[max(0, index - 1)].upos != "ADP" and not any(tokens[at].relation == "case" for at in own)


def _is_loose(source: Sequence[Token], target: int, links: Sequence[Link]) -> bool:
    """Return whether all that a target word is linked to are subjects and auxiliaries with no better link."""
    return all(
        source[index].relation.startswith(("nsubj", "aux")) and targets_of(index, links)[0] == target
        for index in sources_of(target, links)
    )


def role_of(document: AnnotatedDocument, segment: int, index: int) -> str:
    """Return a target word's relation; a pronoun that a verb has as its article is its object (*la probaré*).

    So is an article that does not agree with its word, which translates a verb: parsers take clitics for the articles
    that have their form, and the verb for a noun or an adjective (*las tiro*, I throw them out). What has another case
    is no subject (*las juntaron*, they gathered them).
    """
    tokens = document.target[segment].tokens
    token = tokens[index]
    if token.relation not in _UNTOLD or token.head < 0:
        case = token.features.get("Case", "") if token.relation.startswith("nsubj") else ""
        return _ROLES.get(case, token.relation)
    head = tokens[token.head]
    finite = token.relation == "dep" or head.features.get("VerbForm") == "Fin"
    if head.upos in VERBS and (token.upos == "PRON" or (token.upos == "DET" and finite)):
        return "obj"
    if token.relation == "dep":
        return token.relation
    if token.upos == "PRON" and token.features.get("PronType") == "Prs":
        return "obj"  # no article
    linked = sources_of(token.head, document.links[segment])
    verb = linked and document.source[segment].tokens[linked[0]].upos == "VERB"
    # An elided article has no gender (l'étude); a head without one is no noun (la voglio).
    agrees = all(head.features.get(name) == token.features.get(name, head.features.get(name))
                 for name in ("Gender", "Number"))  # fmt: skip
    return "obj" if verb and (token.upos == "PRON" or head.upos == "ADJ" or not agrees) else token.relation


def clear_role_of(document: AnnotatedDocument, segment: int, index: int) -> str:
    """Return a target pronoun's role where its parse cannot be right.

    The second of two personal pronouns is no subject (*er streckte sie aus*); a form that is a nominative, too, and an
    object only with a preposition, is one without it (*mas ellos tuvieron temor*).
    """
    tokens, role = document.target[segment].tokens, role_of(document, segment, index)
    if _is_bare(tokens, index):
        return "nsubj"
    second = role.startswith("nsubj") and _is_personal(tokens[index])
    return "obj" if second and _is_second_subject(tokens, index, personal=True) else role


def values_of(
    rule: PronounRule, source: AnnotatedText, index: int, text: AnnotatedText, word: int, role: str
) -> frozenset[str]:
    """Return the values of the agreement feature that a target form stands for under a rule; empty if it is none."""
    target = text.tokens[word]
    form = target.form.lower()
    values = frozenset(value for value, forms in rule.alternatives.items() if form in forms)
    if not values:
        return values
    shows = bool(rule.agreement) and form not in rule.unmarked
    if not is_looked_at(rule, source, index, shows) or not matches(target.features, rule.target_features):
        return frozenset()
    if rule.target_upos and target.upos not in rule.target_upos and not target.form.startswith("-"):
        return frozenset()
    if _is_relative(text.tokens, word) or _is_explained(text.tokens, word):
        return frozenset()
    person = source.tokens[index].features.get("Person", "")
    own = target.features.get("Person", person) if "Poss" not in target.features else person
    if person and own != person and target.features.get("Number") == "Plur":
        return frozenset()  # *ihr* of *you*
    if rule.target_relations and role not in rule.target_relations:
        return frozenset()
    own = dependents(text.tokens).get(word, ())
    return frozenset() if rule.target_governs.difference(text.tokens[at].relation for at in own) else values


def _is_relative(tokens: Sequence[Token], word: int) -> bool:
    """Return whether what may be a demonstrative or a relative pronoun is the latter: its verb is not second."""
    head = tokens[word].head
    if "Rel" not in tokens[word].features.get("PronType", "") or head < 0:
        return False
    group = verb_group(tokens, head)
    second = word + 1 in group and any(
        place > word + 1 and token.upos != "PUNCT" and (place in group or token.head in group)
        for place, token in enumerate(tokens)
    )
    return not second and tokens[head].relation.startswith(_SUBORDINATE)


def _is_explained(tokens: Sequence[Token], word: int) -> bool:
    """Return whether a relative clause after a word says what it means (*der, welcher*; *aquellos de quienes*)."""
    after = tokens[word + 1 : word + 1 + _RELATIVE_IN]
    place = next((at for at, token in enumerate(after, word + 1) if token.upos not in {"PUNCT", "ADP"}), word)
    clause = tokens[place].head
    return (
        "Rel" in tokens[place].features.get("PronType", "")
        and clause > place
        and tokens[clause].head == word
        and tokens[clause].relation.startswith("acl")
    )


def is_looked_at(rule: PronounRule, source: AnnotatedText, index: int, shows: bool = False) -> bool:
    """Return whether a source word whose form a rule lists is a pronoun of that rule that stands for something.

    A translation that shows a noun tells more of it than the parse, by which it may be an expletive.
    """
    token = source.tokens[index]
    if token.upos not in rule.source_upos or (token.relation.startswith(EXPLETIVE) and not shows):
        return False
    if "Rel" in token.features.get("PronType", ""):
        return False
    subject = token.head >= 0 and token.relation.startswith("nsubj")
    if subject and source.tokens[token.head].upos in rule.unless_predicate:
        return False
    if _asks_which(source.tokens, index, rule.unless_predicate):
        return False
    own = dependents(source.tokens).get(index, ())
    return not any(source.tokens[at].relation in rule.unless_governs for at in own)


def _asks_which(tokens: Sequence[Token], pronoun: int, nouns: Set[str]) -> bool:
    """Return whether a pronoun is the predicate of a noun that is asked for: *which book is that?*."""
    own = [at for at in dependents(tokens).get(pronoun, ()) if tokens[at].relation == "nsubj"]
    return any(
        tokens[place].upos in nouns
        and any(
            tokens[at].relation == "det" and tokens[at].features.get("PronType") == "Int"
            for at in dependents(tokens).get(place, ())
        )
        for place in own
    )


def is_of_person(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a word is the subject or expletive of a personal pronoun, its predicate (*it was he, it's us*)."""
    token = tokens[index]
    if token.head < 0 or not token.relation.startswith(("nsubj", EXPLETIVE)):
        return False
    said = tokens[token.head]
    if said.upos == "AUX" and said.head == token.head + 1:  # the copula in its place
        said = tokens[said.head]
    return said.upos == "PRON" and said.features.get("Case") in _STRAIGHT and "Person" in said.features


def is_led(tokens: Sequence[Token], index: int) -> bool:
    """Return whether an object is what another verb has as its subject (*let him give it*)."""
    token = tokens[index]
    return token.relation == "obj" and any(one.head == token.head and one.relation == "xcomp" for one in tokens)
