"""Pairs of an English pronoun and a form of another language, by the tables of extraction (Wicks and Post 2023, §3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from endophora.annotate.records import NOUNS, VERBS, AnnotatedText, Token
from endophora.corefer.records import Resolution
from endophora.languages.base import matches
from endophora.languages.extraction import PronounCase
from endophora.phenomena.impersonal import normal
from endophora.phenomena.pronoun_pairs import EXPLETIVE, linked_pronouns, role_of
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, sources_of, span_text, targets_of
from endophora.phenomena.verdicts import Reason, Verdict, furthest

_OBJECTS = ("obj", "iobj", "obl")
_SUBJECTS = ("nsubj", EXPLETIVE)
_ENGLISH_UPOS = frozenset({"PRON", "NOUN", "ADJ"})
_NO_CONTENT = frozenset({"ADP", "AUX", "DET", "PART", "PUNCT", "SCONJ"})
_OTHERS = frozenset({"2", "3"})

_ROLES = {"nsubj": "Nom", "obj": "Acc", "iobj": "Dat"}
"""Relations that say the case of a pronoun where its features do not."""

_EQUAL_FORMS = frozenset({"Nom", "Acc"})


def has_case(token: Token, wanted: str) -> bool:
    """Return whether a token may be of a case, or with a hyphen before it of another; its relation may show it, too."""
    if not wanted:
        return True
    found = token.features.get("Case", _ROLES.get(token.relation.partition(":")[0], "")).split(",")
    return wanted[1:] not in found if wanted.startswith("-") else wanted in found


@dataclass(frozen=True, slots=True)
class Pair:
    """An English pronoun and the words that translate it, by one rule; the last of the words is the pronoun.

    ``reason`` is ``HIT`` if the forms and cases are those of the rule; ``expletive`` says whether the parser of either
    side has it that the pronoun stands for nothing.
    """

    case: PronounCase
    segment: int
    source: int
    target: tuple[int, ...]
    reason: Reason
    expletive: bool


Resolutions = Mapping[tuple[int, int], Resolution]
"""Resolved pronouns by segment and token."""


class PronounCases:
    """The rules of one phenomenon, asked for the pairs of a segment."""

    def __init__(self, cases: Iterable[PronounCase]) -> None:
        self.cases: tuple[PronounCase, ...] = tuple(cases)
        self._by_english: defaultdict[str, list[PronounCase]] = defaultdict(list)
        for case in self.cases:
            for form in sorted(case.english):
                self._by_english[form].append(case)

    def pairs(self, document: AnnotatedDocument, segment: int) -> Iterator[Pair]:
        """Yield the pairs of a segment whose forms are those of a rule, ordered by target word, then by rule."""
        source = document.source[segment]
        pronouns = ((index, token) for index, token in enumerate(source.tokens) if token.upos in _ENGLISH_UPOS)
        hits = [index for index, token in pronouns if normal(token.form) in self._by_english]
        if not hits:
            return
        found = list(linked_pronouns(hits, document, segment).items())
        for index in hits:
            found.extend((word, index) for word in _verbs_of(index, document, segment))
        pairs = list(self._fitting(found, document, segment))
        paired = {pair.source for pair in pairs}
        missed: list[tuple[int, int]] = []
        for index in hits:
            if index not in paired:
                words = (*targets_of(index, document.links[segment]), *self._beside_verb(index, document, segment))
                missed.extend((word, index) for word in words)
        pairs.extend(self._fitting(missed, document, segment))
        paired = {pair.source for pair in pairs}
        left = [
            (word, index) for index in hits if index not in paired for word in self._alone(index, document, segment)
        ]
        yield from sorted((*pairs, *self._fitting(left, document, segment)), key=lambda pair: pair.target)

    def _fitting(self, linked: Iterable[tuple[int, int]], document: AnnotatedDocument, segment: int) -> Iterator[Pair]:
        """Yield the pairs of target word and pronoun that are forms of a rule."""
        source, target = document.source[segment], document.target[segment]
        for word, index in sorted(dict.fromkeys(linked)):
            token, other = source.tokens[index], target.tokens[word]
            expletive = token.relation.startswith(EXPLETIVE) or other.relation.startswith(EXPLETIVE)
            for case in self._by_english[normal(token.form)]:
                words = _words(case, target, word, role_of(document, segment, word))
                if words:
                    yield Pair(case, segment, index, words, _reason(case, token, target, word), expletive)

    def _beside_verb(self, pronoun: int, document: AnnotatedDocument, segment: int) -> list[int]:
        """Return the one form of a rule that has the pronoun's role with the translation of its verb.

        Where a language leaves its subjects out, aligners give its object pronouns to English subjects (*I* – *lo*): an
        object may be linked to a subject, and a subject to nothing.
        """
        source, target = document.source[segment].tokens, document.target[segment].tokens
        token, links = source[pronoun], document.links[segment]
        roles = next((roles for roles in (_OBJECTS, _SUBJECTS) if token.relation.startswith(roles)), None)
        if token.head < 0 or roles is None:
            return []
        forms = self._forms_of(token)
        verbs = _clitic_hosts(target, {link.target for link in links if link.source == token.head})
        found = [
            index
            for index, word in enumerate(target)
            if word.head in verbs
            and normal(word.form) in forms
            and (word.relation.startswith(roles) or (roles is _OBJECTS and _is_object(document, segment, index)))
            and all(roles is _OBJECTS and _is_astray(source, token, other) for other in sources_of(index, links))
        ]
        return found if len(found) == 1 else []

    def _alone(self, pronoun: int, document: AnnotatedDocument, segment: int) -> list[int]:
        """Return the one form of a rule that has the pronoun's kind of role, if nothing else can be its source.

        Clitics are short and frequent, and aligners leave them without a link. The English pronoun is the only one of
        its forms in that role; no noun is linked to the form, and no other pronoun that it may translate is without a
        translation of its own.
        """
        source, target, links = (
            document.source[segment].tokens,
            document.target[segment].tokens,
            document.links[segment],
        )
        token = source[pronoun]
        is_subject = token.relation.startswith(_SUBJECTS)
        forms = self._forms_of(token)

        def is_rival(place: int, other: Token) -> bool:
            """Return whether another English word may be what the form translates."""
            if place == pronoun or other.upos != "PRON" or other.relation.startswith(_SUBJECTS) is not is_subject:
                return False
            if normal(other.form) in self._by_english:
                return bool(forms & self._forms_of(other))
            free = not any(target[word].upos in {"PRON", "DET"} for word in targets_of(place, links))
            return other.features.get("Person") in _OTHERS and free

        if token.relation.startswith(EXPLETIVE) or any(is_rival(*one) for one in enumerate(source)):
            return []
        found = [
            index
            for index, word in enumerate(target)
            if normal(word.form) in forms
            and (word.relation.startswith("nsubj") if is_subject else _is_object(document, segment, index))
        ]
        if len(found) != 1:
            return []
        meant = {other for other in sources_of(target[found[0]].head, links) if source[other].upos in VERBS}
        if meant and meant.isdisjoint(_clitic_hosts(source, {token.head})):
            return []
        linked = (source[other] for other in sources_of(found[0], links))
        free = (
            other.upos in _NO_CONTENT or (not is_subject and other.relation.startswith(_SUBJECTS)) for other in linked
        )
        return found if all(free) else []

    def _forms_of(self, token: Token) -> set[str]:
        return {words[-1] for case in self._by_english[normal(token.form)] for words in case.words}


class PairTagger:
    """A tagger whose rules are tables of pronouns: they are asked for each pair of an English pronoun and a form."""

    phenomenon: str

    def __init__(self, cases: Iterable[PronounCase], signature: str) -> None:
        self.signature = signature
        self._cases = PronounCases(cases)

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return one occurrence a pronoun, of the first rule that holds."""
        found: dict[tuple[int, tuple[int, ...]], Occurrence] = {}
        resolutions = document.resolved()
        for segment in range(len(document.source)):
            for pair in self._cases.pairs(document, segment):
                occurrence = self._verdict(document, pair, resolutions).occurrence
                if occurrence is not None:
                    found.setdefault((segment, pair.target), occurrence)
        return list(found.values())

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        by_label: dict[str, list[Verdict]] = {case.label: [] for case in self._cases.cases}
        resolutions = document.resolved()
        for pair in self._cases.pairs(document, segment):
            by_label[pair.case.label].append(self._verdict(document, pair, resolutions))
        return {label: furthest(some, Reason.NO_PAIR) for label, some in by_label.items()}

    def _verdict(self, document: AnnotatedDocument, pair: Pair, resolutions: Resolutions) -> Verdict:
        reason, support = pair.reason, None
        if reason is Reason.HIT:
            reason, support = self._check(document, pair, resolutions)
        if reason is not Reason.HIT:
            return Verdict(reason)
        expected = span_text(document.target[pair.segment], pair.target)
        place = document.id, pair.segment, self.phenomenon, pair.case.label
        return Verdict(reason, Occurrence(*place, (pair.source,), pair.target, expected, support))

    def _check(
        self, document: AnnotatedDocument, pair: Pair, resolutions: Resolutions
    ) -> tuple[Reason, Support | None]:
        """Return whether a pair whose forms are those of its rule is an occurrence, and what supports it."""
        del document, pair, resolutions
        return Reason.HIT, None


def _clitic_hosts(tokens: Sequence[Token], verbs: set[int]) -> set[int]:
    """Return verbs, and those above them to which a pronoun of theirs may climb (Spanish *lo voy a usar*)."""
    found = set(verbs)
    for verb in verbs:
        above = tokens[verb].head
        if above >= 0 and tokens[verb].relation.startswith("xcomp") and tokens[above].upos in VERBS:
            found.add(above)
        found.update(
            place for place, token in enumerate(tokens) if token.head == verb and token.relation.startswith("aux")
        )
    return found


def _is_astray(source: Sequence[Token], pronoun: Token, other: int) -> bool:
    """Return whether an object that a source word is linked to is not its translation, but that of another pronoun.

    So it is of subjects and auxiliaries, and of a person beside another verb (*I want you to have it*, *quiero que lo
    tengas*).
    """
    token = source[other]
    person = token.upos == "PRON" and token.features.get("Person") in {"1", "2"} and token.head != pronoun.head
    return person or token.relation.startswith((*_SUBJECTS, "aux"))


def _is_object(document: AnnotatedDocument, segment: int, index: int) -> bool:
    """Return whether a word is an object pronoun: by its role, its case, or as an article that a verb has.

    One that has a relative clause looks forward (Spanish *lo que*).
    """
    tokens = document.target[segment].tokens
    token = tokens[index]
    case, role = token.features.get("Case"), role_of(document, segment, index).partition(":")[0]
    # Models take an object before a verb for its subject (*no las veo*), but know its case.
    if token.head < 0 or (role == "nsubj" and (case is None or "Nom" in case.split(","))):
        return False
    if any(other.head == index and other.relation.startswith("acl") for other in tokens):
        return False
    if role == "det" and tokens[token.head].upos not in VERBS:
        return False
    return role in (*_OBJECTS, "det") if case is None else case.split(",") != ["Nom"]


def _words(case: PronounCase, target: AnnotatedText, index: int, role: str) -> tuple[int, ...]:
    """Return the words that end at a target token, of that role, and are a form of a rule; empty if they are none."""
    token = target.tokens[index]
    table = case.table
    barred = bool(table.unless_features) and matches(token.features, table.unless_features)
    if token.upos not in table.upos or barred or (table.unless_capital and _raised(target, index)):
        return ()
    if table.endings:
        form = normal(token.form)
        return (index,) if any(form.endswith(words[-1]) and form != words[-1] for words in case.words) else ()
    # Models give a possessive without its noun the relation of one with it; only the head differs.
    determines = token.head >= 0 and target.tokens[token.head].upos in NOUNS
    if determines and role.partition(":")[0] in table.unless_relations:
        return ()
    for words in case.words:
        start = index - len(words) + 1
        if start >= 0 and _same(target.tokens[start : index + 1], words):
            return tuple(range(start, index + 1))
    return ()


def _raised(text: AnnotatedText, index: int) -> bool:
    """Return whether a word has a capital that neither a sentence's beginning nor a mark before it accounts for."""
    before = text.tokens[index - 1] if index and index not in text.sentences else None
    return (
        text.tokens[index].form[:1].isupper() and before is not None and (before.upos != "PUNCT" or before.form == ",")
    )


def _verbs_of(pronoun: int, document: AnnotatedDocument, segment: int) -> list[int]:
    """Return the target verbs of which an English object pronoun may be an ending: the translations of its verb."""
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if token.head < 0 or not token.relation.startswith(("obj", "iobj")):
        return []
    linked = {*targets_of(pronoun, links)[:1], *targets_of(token.head, links)[:1]}
    return [index for index in sorted(linked) if target.tokens[index].upos in VERBS]


def _same(tokens: Sequence[Token], words: Sequence[str]) -> bool:
    return all(normal(token.form) == word for token, word in zip(tokens, words, strict=True))


def _reason(case: PronounCase, english: Token, target: AnnotatedText, word: int) -> Reason:
    """Return whether an English word and a form of a rule are in the rule's cases and number, or why not."""
    other = target.tokens[word]
    if not has_case(english, case.english_case):
        return Reason.SOURCE_CASE
    if not has_case(_told_by_roles(english, target, word), case.case):
        return Reason.TARGET_CASE
    # A form that shows another case is no subject, even if the parser says so (Spanish "no las veo").
    subject = other.relation.startswith("nsubj") and (case.case or has_case(other, "Nom"))
    if case.gender and case.number and subject:
        numbers = {token.features.get("Number", case.number) for token in _finite_verbs(target, other.head)}
        siblings = [token for token in target.tokens if token.head == other.head]
        particle = any(token.upos == "PART" and token.relation == "mark" for token in siblings)
        infinitive = other.head >= 0 and target.tokens[other.head].features.get("VerbForm") == "Inf"
        if not numbers and infinitive and not particle:
            # It is a plural written like the infinitive, which has no subject (German "dass sie … beitragen").
            return Reason.VERB_NUMBER
        if numbers and not any(case.number in number.split(",") for number in numbers):
            return Reason.VERB_NUMBER
    return Reason.HIT


def has_preposition(text: AnnotatedText, index: int) -> bool:
    """Return whether a word has a preposition before it."""
    return any(token.head == index and token.relation == "case" for token in text.tokens[:index])


def may_be_of_other(document: AnnotatedDocument, pair: Pair) -> bool:
    """Return whether another English pronoun may be what a form translates: *even if it's no farm that he runs* → *er*.

    That is one of those which the form translates too (``also``), and to which no other pronoun is linked.
    """
    target, links = document.target[pair.segment].tokens, document.links[pair.segment]
    others = pair.case.table.also.get(normal(target[pair.target[-1]].form), frozenset[str]())
    return any(
        normal(token.form) in others
        and token.upos == "PRON"
        and not any(
            target[word].upos in {"PRON", "DET"} for word in targets_of(place, links) if word not in pair.target
        )
        for place, token in enumerate(document.source[pair.segment].tokens)
        if place != pair.source
    )


def _finite_verbs(text: AnnotatedText, head: int) -> list[Token]:
    """Return the finite verbs of a predicate: itself, its auxiliaries, its copula."""
    own = [
        token
        for place, token in enumerate(text.tokens)
        if place == head or (token.head == head and token.relation.startswith(("aux", "cop")))
    ]
    return [token for token in own if token.features.get("VerbForm") == "Fin"]


def _told_by_roles(english: Token, target: AnnotatedText, word: int) -> Token:
    """Return a pronoun in the case of its role where models mistake one of two equal forms (German *sie*, *es*).

    Only nominative and accusative, and only where the English pronoun has that case too. A second subject of one verb
    is none: *wenn man es liest*.
    """
    other = target.tokens[word]
    role = _ROLES.get(other.relation.partition(":")[0], "")
    known = other.features.get("Case", "")
    subjects = [token for token in target.tokens if token.head == other.head and token.relation.startswith("nsubj")]
    if role == known == "Nom" and english.features.get("Case") == "Acc" and any(one is not other for one in subjects):
        role = "Acc"
    if role != known and {role, known} <= _EQUAL_FORMS and english.features.get("Case") == role:
        return other._replace(features={**other.features, "Case": role})
    return other
