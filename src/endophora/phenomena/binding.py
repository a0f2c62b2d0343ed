"""What grammar bars a pronoun from standing for in its own segment.

A pronoun and a noun that are arguments of one verb are two things (Chomsky 1981, principle B: *the dog licked it*), and
so are a noun and a pronoun in its own clause (*the advantage that it has*) or a pronoun and what a clause without its
own subject, of which the pronoun is the subject, says (*coming from the best schools, they …*). *Its turnover …
it* takes up whose turnover it is. All is read from Universal Dependencies, so that no language is named.
"""

from __future__ import annotations

from collections.abc import Sequence

from endophora.annotate.records import NOUNS, AnnotatedText, Token

_SUBJECTS, _OBJECTS = frozenset({"nsubj"}), frozenset({"obj", "iobj"})
_LOWER = frozenset({"obj", "iobj", "obl"})
_OWN_CLAUSES = frozenset({"acl", "ccomp"})
_WITHOUT_SUBJECT = frozenset({"xcomp", "advcl", "conj"})
_PARTICIPLES = frozenset({"Part", "Ger"})
_PERSON = ("Person", "Number", "Gender")


def cannot_stand_for(text: AnnotatedText, pronoun: int, noun: int) -> bool:
    """Return whether the grammar of a sentence bars a pronoun from taking up a noun of the same segment."""
    tokens = text.tokens
    predicate = tokens[pronoun].head
    if predicate < 0 or predicate == pronoun:
        return False
    role = role_of(tokens[pronoun])
    if tokens[pronoun].features.get("PronType") == "Dem":
        return False
    return (
        _is_possessor(tokens, pronoun, noun)
        or predicate == noun
        or (role in _SUBJECTS and _is_under_subject(tokens, predicate, noun))
        or (role in _OBJECTS and tokens[noun].head == predicate and role_of(tokens[noun]) in _SUBJECTS | _OBJECTS)
        or (role in _SUBJECTS | _OBJECTS and _in_own_clause(tokens, predicate, noun, role))
        or (role in _LOWER and _is_controller(tokens, predicate, noun))
        or (role in _SUBJECTS and _is_shell(tokens, predicate, noun, pronoun))
        or (role in _SUBJECTS and _is_said_by_other(tokens, pronoun, noun))
        or _is_said_of_noun(tokens, noun)
    )


def role_of(token: Token) -> str:
    """Return the relation of a token to its head, without its subtype."""
    return token.relation.partition(":")[0]


def _is_under_subject(tokens: Sequence[Token], predicate: int, noun: int) -> bool:
    """Return whether a noun is an object or a circumstance of a verb, or of a clause that has the verb's subject.

    A noun that only names the topic has a preposition of two words (*as for the reforms, they …*).
    """
    head = tokens[noun].head
    cases = [index for index, token in enumerate(tokens) if token.head == noun and token.relation == "case"]
    topic = len(cases) > 1 or any(token.head in cases and token.relation == "fixed" for token in tokens)
    lower = role_of(tokens[noun]) in _LOWER and not topic
    clause = noun if role_of(tokens[noun]) == "advcl" else head
    if lower and head == predicate:
        return True
    if clause < 0 or tokens[clause].head != predicate or role_of(tokens[clause]) != "advcl":
        return False
    without_subject = not any(token.head == clause and role_of(token) in _SUBJECTS for token in tokens)
    return without_subject and (clause == noun or lower)


def _in_own_clause(tokens: Sequence[Token], predicate: int, noun: int, role: str) -> bool:
    """Return whether the verb of a pronoun is that of a clause that belongs to the noun (*a design enabling it*).

    Of objects, in participles only, and not in infinitives: models take clauses of place and purpose for the noun's own
    (*put the book where you found it, for you to love it*).
    """
    verb = tokens[predicate]
    form = verb.features.get("VerbForm")
    has_auxiliary = any(token.head == predicate and role_of(token) == "aux" for token in tokens)
    wanted = role in _SUBJECTS or (form in _PARTICIPLES and not has_auxiliary)
    own = verb.head == noun or (tokens[noun].relation == "conj" and tokens[noun].head == verb.head)
    return own and wanted and role_of(verb) in _OWN_CLAUSES and form != "Inf"


def _is_controller(tokens: Sequence[Token], predicate: int, noun: int) -> bool:
    """Return whether a noun is who does what a verb without a subject says: *the scientists wait to identify them*.

    Of a complement it is the object of the verb above if that has one (*they asked the guard to open it*); of an
    infinitive that belongs to a noun, the subject of the noun's verb (*they have given each a name to identify them*).
    """
    for _ in tokens:
        kind, above = role_of(tokens[predicate]), tokens[predicate].head
        named = kind == "acl" and tokens[predicate].features.get("VerbForm") == "Inf"
        if above < 0 or (kind not in _WITHOUT_SUBJECT and not named) or _has_subject(tokens, predicate):
            return False
        if named:
            above = tokens[above].head
        own = {role_of(token): place for place, token in enumerate(tokens) if token.head == above >= 0}
        controller = own.get("obj", own.get("nsubj")) if kind == "xcomp" else own.get("nsubj")
        if controller is not None or above < 0:
            return controller == noun
        predicate = above
    return False


def _has_subject(tokens: Sequence[Token], verb: int) -> bool:
    return any(token.head == verb and role_of(token) in {"nsubj", "csubj"} for token in tokens)


def _is_shell(tokens: Sequence[Token], predicate: int, noun: int, pronoun: int) -> bool:
    """Return whether a clause with the pronoun as its subject says what a noun is: *the trouble is that it …*."""
    if role_of(tokens[noun]) not in _SUBJECTS:
        return False
    verb, head = tokens[predicate], tokens[noun].head
    if head == predicate:
        return any(token.relation == "mark" and token.head == predicate for token in tokens[noun:pronoun])
    return role_of(verb) == "ccomp" and verb.head == head and tokens[head].upos == "AUX"


def _is_said_by_other(tokens: Sequence[Token], pronoun: int, noun: int) -> bool:
    """Return whether another says the pronoun's clause, in its number: *the deal …: the bank announced it would …*.

    Who says something mostly says it of himself; a resolver that looks at nouns one by one gives him too little.
    """
    clause = tokens[pronoun].head
    while role_of(tokens[clause]) == "advcl" and tokens[clause].head >= 0:
        clause = tokens[clause].head
    if role_of(tokens[clause]) != "ccomp":
        return False
    speaker = _subject_of(tokens, tokens[clause].head, pronoun)
    if speaker is None or speaker == noun or tokens[speaker].upos not in NOUNS:
        return False
    return tokens[speaker].features.get("Number") == tokens[pronoun].features.get("Number")


def _subject_of(tokens: Sequence[Token], verb: int, before: int) -> int | None:
    """Return the subject of a verb before a token; of a coordinated one or a participle, that of the verb above."""
    for _ in tokens:
        if verb < 0:
            return None
        own = [place for place, token in enumerate(tokens[:before]) if token.head == verb and role_of(token) == "nsubj"]
        if own:
            return own[-1]
        if role_of(tokens[verb]) not in {"conj", "advcl"}:
            return None
        verb = tokens[verb].head
    return None


def _is_said_of_noun(tokens: Sequence[Token], noun: int) -> bool:
    """Return whether a noun only says what another one is: *chess is a sport: it …*."""
    children = [token for token in tokens if token.head == noun]
    return any(token.relation == "cop" for token in children) and any(
        role_of(token) in _SUBJECTS and (token.upos in NOUNS or token.features.get("PronType") == "Ind")
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
