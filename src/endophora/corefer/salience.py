"""A resolver for every language: the most salient noun that agrees, by what Universal Dependencies say.

Subjects, near sentences and what pronouns have taken up before are salient (Lappin and Leass 1994). Grammatical gender
and number rule nouns out; in a language with natural gender it resolves the pronouns of persons, which
:mod:`endophora.corefer.ranker` does not. In languages that leave subjects out, a finite verb of the third person
without a subject is a pronoun too, and stands at the verb.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.entities import entities_of, gathered
from endophora.corefer.mentions import Discourse, Lexicon, Mention, find_mentions, read_data, read_discourse, role_of
from endophora.corefer.natural import ALL, HE, SHE, THEY, kinds_of, natural_pronoun
from endophora.corefer.records import Resolution
from endophora.corefer.resolvers import as_antecedent, token_in_segment
from endophora.languages.load import load_language

_ROLES: Mapping[str, float] = {"subj": 1.0, "pass": 0.8, "root": 0.4, "obj": 0.2, "iobj": 0.2, "poss": 0.0}
_OTHER, _FARTHER, _NAME, _PRONOUN, _SAME_ROLE, _OUTSIDE = -0.4, -0.9, 0.3, 1.5, 0.3, -1.0
_CLAUSE = frozenset({"nsubj", "obj", "iobj"})
QUOTES, _ACROSS, _SPEAKER = frozenset('"“”„«»「」『』'), -1.0, -2.5
"""Marks of direct speech; against a pronoun on its other side, and against who speaks for a pronoun within it."""
_LEAST, _TRACE = 0.02, 1e-6
"""Shares that are reported, and that are passed on: what pronouns pass on to others never ends."""
_CLOSE = 2
"""Sentences within which another pronoun is what the last one was."""


@dataclass(frozen=True, slots=True)
class _Anaphor:
    index: int
    suits: frozenset[str]  # natural pronoun, or the genders that its form shows
    number: str
    role: str
    quoted: bool


class Salience:
    """Weighs the nouns before a pronoun by salience.

    Args:
        language: with natural gender its *he* and *she* are resolved; else pronouns of the third person, and the
            predicates of subjects that are left out.
        window: how many segments back a noun is looked for.
    """

    def __init__(self, *, language: str = "en", window: int = 5) -> None:
        rules = load_language(language)
        self._window, self._kinds, self._pro_drop = window, kinds_of(rules), rules.pro_drop
        self.signature = f"salience-2-{language}-{rules.hash}|window:{window}"
        known = read_data(f"{language}.json")
        self._speech = frozenset[str](known["expletive"]["report"]) if known is not None else frozenset[str]()
        self._lexicon = Lexicon(language, {}, {}, frozenset(), {}, defaultdict(frozenset))

    def resolve(
        self,
        source: Sequence[AnnotatedText],
        target: Sequence[AnnotatedText] | None = None,
        links: Sequence[Sequence[Link]] | None = None,
    ) -> list[Resolution]:
        """Resolve the pronouns of one document; the target side is not used."""
        del target, links
        row = read_discourse(source)
        nouns = find_mentions(row, self._lexicon)
        entities = entities_of(row, nouns, self._lexicon)
        fits = self._fits(row, nouns)
        speakers = [noun for noun in nouns if noun.role == "subj" and row.lemma(noun.governor) in self._speech]
        places = [noun.index for noun in nouns], [noun.segment for noun in nouns], [noun.index for noun in speakers]
        found: list[tuple[_Anaphor, dict[int, float]]] = []
        resolutions: list[Resolution] = []
        for anaphor in self._anaphors(row):
            speaker = _speaker(row, speakers, places[2], anaphor)
            own = -1 if speaker is None else entities[speaker.order]
            # Of a long document the nouns of the window alone are looked at.
            first = bisect_left(places[1], row.segment[anaphor.index] - self._window)
            near = range(first, bisect_left(places[0], anaphor.index))
            shares = self._shares(row, [(nouns[at], fits[at]) for at in near], anaphor, entities, own, found[-8:])
            found.append((anaphor, {order: p for order, p in shares.items() if p >= _TRACE}))
            here = Mention(anaphor.index, (anaphor.index,), row.segment[anaphor.index], 0, "", "", -1)
            ranked = gathered({order: p for order, p in shares.items() if p >= _LEAST}, entities)
            known = tuple(as_antecedent(row, nouns[order], here, p) for order, p in ranked)
            outside = max(0.0, 1 - sum(shares.values()))
            place = here.segment, token_in_segment(row, anaphor.index)
            resolutions.append(Resolution(*place, known, 0.0, outside))
        return resolutions

    def _anaphors(self, row: Discourse) -> Iterator[_Anaphor]:
        quoted = False
        for index, token in enumerate(row.tokens):
            begins = index == 0 or row.segment[index - 1] != row.segment[index]
            quoted = (quoted and not begins) ^ (token.form in QUOTES)
            if self._kinds is not None:
                shown = natural_pronoun(token)
                if shown in (HE, SHE):
                    yield _Anaphor(index, frozenset({shown}), "Sing", role_of(row, index), quoted)
            elif is_third(token):
                suffix = "[psor]" if token.features.get("Poss") == "Yes" else ""
                gender = token.features.get(f"Gender{suffix}", "")
                genders = frozenset(gender.split(",")) if gender else frozenset[str]()
                yield _Anaphor(index, genders, token.features.get(f"Number{suffix}", ""), role_of(row, index), quoted)
            elif self._pro_drop and _is_bare(row, index):
                yield _Anaphor(index, frozenset(), token.features.get("Number", ""), "subj", quoted)

    def _fits(self, row: Discourse, nouns: Sequence[Mention]) -> list[tuple[frozenset[str], str, float]]:
        """Return of each noun what takes it up (empty for anything), its number, and how likely it is a person."""
        found: list[tuple[frozenset[str], str, float]] = []
        for noun in nouns:
            token = row.tokens[noun.index]
            if self._kinds is None:
                gender = "" if noun.coordinated else token.features.get("Gender", "")
                found.append((frozenset(filter(None, gender.split(","))), noun.number, 0.0))
                continue
            suits = frozenset({THEY}) if noun.coordinated else self._kinds.pronouns(row.tokens, noun.index)
            found.append((suits, noun.number, 0.8 if suits != ALL else -0.6 if noun.proper else -1.2))
        return found

    def _shares(
        self,
        row: Discourse,
        nouns: Sequence[tuple[Mention, tuple[frozenset[str], str, float]]],
        anaphor: _Anaphor,
        entities: Sequence[int],
        speaker: int,
        earlier: Sequence[tuple[_Anaphor, dict[int, float]]],
    ) -> dict[int, float]:
        """Return order of a noun → the probability that a pronoun stands for it, hardly that it is its own speaker."""
        sentence = row.sentence[anaphor.index]
        powers, passed = dict[int, float](), list[tuple[float, dict[int, float]]]()
        for noun, (suits, number, likely) in nouns:
            agrees = not suits or not anaphor.suits or suits & anaphor.suits
            if not agrees or _is_barred(row, anaphor, noun):
                continue
            if number and anaphor.number and number != anaphor.number:
                continue
            score = likely + _ROLES.get(noun.role, _OTHER) + _FARTHER * (sentence - noun.sentence)
            score += _NAME * noun.proper + _SAME_ROLE * (noun.role == anaphor.role)
            score += _SPEAKER * (entities[noun.order] == speaker)
            powers[noun.order] = exp(score)
        for other, shares in earlier:
            away = sentence - row.sentence[other.index]
            if away > _CLOSE or (other.number and anaphor.number and other.number != anaphor.number):
                continue
            if other.suits and anaphor.suits and not other.suits & anaphor.suits:
                continue
            score = (
                _PRONOUN + _ROLES.get(other.role, _OTHER) + _FARTHER * away + _SAME_ROLE * (other.role == anaphor.role)
            )
            passed.append((exp(score + _ACROSS * (other.quoted != anaphor.quoted)), shares))
        total = sum(powers.values()) + sum(power for power, _ in passed) + exp(_OUTSIDE)
        found = {order: power / total for order, power in powers.items()}
        for power, shares in passed:
            for order, share in shares.items():
                less = exp(_SPEAKER) if entities[order] == speaker else 1.0
                found[order] = found.get(order, 0.0) + less * share * power / total
        return found


def _speaker(row: Discourse, speakers: Sequence[Mention], places: Sequence[int], anaphor: _Anaphor) -> Mention | None:
    """Return who says the words that a pronoun is in: named behind it in its sentence, or last before it."""
    if not anaphor.quoted:
        return None
    behind, before = bisect_right(places, anaphor.index), bisect_left(places, anaphor.index) - 1
    if behind < len(speakers) and speakers[behind].sentence == row.sentence[anaphor.index]:
        return speakers[behind]
    near = before >= 0 and row.segment[anaphor.index] - speakers[before].segment <= _CLOSE
    return speakers[before] if near else None


def is_third(token: Token) -> bool:
    """Return whether a word is a personal pronoun or possessive of the third person."""
    features = token.features
    person = features.get("Person[psor]") or features.get("Person")
    return token.upos in {"PRON", "DET"} and person == "3" and features.get("PronType", "Prs") in {"Prs", "Int,Rel", ""}


def _is_bare(row: Discourse, index: int) -> bool:
    """Return whether a word is a predicate of the third person, or of none that is shown, without a subject."""
    token = row.tokens[index]
    if token.upos != "VERB" or token.features.get("Person", "3") != "3" or row.relation[index] in {"amod", "acl"}:
        return False
    if token.features.get("VerbForm", "Fin") != "Fin" or token.features.get("Mood") == "Imp":
        return False
    return not any(row.relation[child] in {"nsubj", "csubj"} for child in row.children[index])


def _is_barred(row: Discourse, anaphor: _Anaphor, noun: Mention) -> bool:
    """Return whether grammar bars a pronoun from a noun: arguments of one verb, a possessor within its own noun."""
    head = row.head[anaphor.index]
    if head < 0:
        return False
    if row.relation[anaphor.index] in _CLAUSE and row.head[noun.index] == head and row.relation[noun.index] in _CLAUSE:
        return True
    return noun.index == head or anaphor.index in noun.tokens
