"""Pronoun choice: a pronoun that agrees with an antecedent in an earlier sentence (Fernandes et al. 2023, §4.2).

A language that drops its subjects still chooses: *it fell* is Polish *spadł* of a roof, *spadła* of a lamp. And so
does one whose possessives and objects are endings: *its door* is Arabic *bābuhu* of a house, *bābuhā* of a room.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
from endophora.languages.base import matches
from endophora.languages.schema import LanguageRules, PronounRule
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.impersonal import ImpersonalPronouns
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    Support,
    group_of,
    mutual_links,
    placed,
    placed_phrase,
    sources_of,
    subjects,
    targets_of,
    verb_group,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_ATTRIBUTES = frozenset({"amod", "acl"})
"""Relations of adjectives and participles that agree with their noun and are no predicates."""


def _has_subject(text: AnnotatedText, index: int) -> bool:
    """Return whether the verb group of a word has a subject, be it a clause; one after it must agree in number."""
    group, number = verb_group(text.tokens, index), text.tokens[index].features.get("Number", "")
    return any(
        token.head in group
        and token.relation.startswith(("nsubj", "csubj"))
        and (place < index or number in token.features.get("Number", number))
        for place, token in enumerate(text.tokens)
    )


def _shared(tokens: Sequence[Token], verb: int) -> set[int]:
    """Return the words of a verb's group, and of the verbs that share its subject (*they came and were seen*)."""
    group = verb_group(tokens, verb)
    conjuncts = (
        index
        for index, token in enumerate(tokens)
        if token.relation == "conj" and token.head in group and not subjects(tokens, (index,))
    )
    return {*group, *conjuncts}


def dropped_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target verb without a subject that stands for a source subject, and its value of the agreement.

    It is linked to the pronoun or to its verb, and has the features of the rule's ``verbs``.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.verbs or token.head < 0 or not token.relation.startswith("nsubj"):
        return None
    theirs = {*_shared(source.tokens, token.head), pronoun}
    for index, candidate in enumerate(target.tokens):
        value = candidate.features.get(rule.agreement)
        if candidate.upos not in rule.verb_upos or value not in rule.alternatives or candidate.relation in _ATTRIBUTES:
            continue
        if rule.verb_pattern and not re.search(rule.verb_pattern, candidate.form.lower()):
            continue
        if not matches(candidate.features, rule.verbs) or theirs.isdisjoint(sources_of(index, links)[:1]):
            continue
        if any(t.head == index and t.lemma.lower() in rule.unless_auxiliaries for t in target.tokens):
            continue
        if not _has_subject(target, index):
            return index, value
    return None


def suffixed_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target word whose ending stands for a source possessive or object, and its value of the agreement.

    The word is linked to what the pronoun depends on; of several endings that fit, the longest counts.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.endings or token.head < 0 or not token.relation.startswith(("nmod", "obj", "iobj", "obl")):
        return None
    endings = sorted(
        ((ending, value) for value, listed in rule.endings.items() for ending in listed),
        key=lambda pair: (-len(pair[0]), pair),
    )
    for index, candidate in enumerate(target.tokens):
        if candidate.upos not in rule.ending_upos or not matches(candidate.features, rule.ending_features):
            continue
        linked = sources_of(index, links)
        if not linked or not (linked[0] == token.head or pronoun in linked):
            continue
        form = candidate.form.lower()
        value = next((value for ending, value in endings if form.endswith(ending) and form != ending), None)
        if value is not None:
            return index, value
    return None


EXPLETIVE = "expl"
"""The relation of a pronoun that stands for nothing, in all treebanks of Universal Dependencies."""

_OBJECTS = ("obj", "iobj", "obl")
_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
_FREE = frozenset({"PRON", "DET"})
_VERBS = frozenset({"VERB", "AUX"})

_LEAST = 0.2
"""Probability that antecedents in earlier sentences must have together, even if the target's form supports a noun."""

_UNKNOWN = 0.8
"""Weight of an antecedent of whose translation no gender is known."""

_STILL_NONE = 0.3
"""Weight that standing for nothing keeps where the target's form supports a noun."""

_AS_GOOD = 0.5
"""Least part of the most likely mention's probability that a nearer one of the same noun must have to be named."""


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A linked pair of pronouns for which a rule holds."""

    rule: PronounRule
    segment: int
    source: int
    target: int
    values: frozenset[str]
    unmarked: bool


class PronounTagger:
    """Tags the translation of an ambiguous pronoun whose antecedent is not in the sentence.

    Args:
        variant: ``window``: the antecedent must be believed to be in an earlier sentence, and is the support;
            ``sentence``: there must be no believed antecedent in the same sentence, and the first segment of a
            document is never tagged.
        threshold: part of the probability of all candidates that agree with the form which those in earlier sentences
            must have together (variant ``sentence``: probability from which an antecedent is believed).
        unmarked: the same for forms that the rules call unmarked, of the whole probability.
        source: rules of the source language, which say which nouns its pronouns do not stand for (English *it*, no
            person); the variant ``sentence`` asks for no noun.
    """

    phenomenon = "pronouns"

    def __init__(
        self,
        target: LanguageRules,
        variant: Literal["window", "sentence"] = "window",
        threshold: float = 0.5,
        unmarked: float = 0.5,
        source: LanguageRules | None = None,
    ) -> None:
        files = rules_signature(*((target,) if source is None else (source, target)))
        self.signature = f"{variant},{threshold:g},{unmarked:g},{files}"
        self._variant = variant
        self._not_for = source.extracted.not_for if source is not None else {}
        self._empty = [ImpersonalPronouns(some.extracted.impersonal if some else ()) for some in (source, target)]
        self._threshold = threshold
        self._unmarked = unmarked
        self._rules: defaultdict[str, list[PronounRule]] = defaultdict(list)
        for rule in target.pronouns:
            if variant not in rule.variants:
                continue
            for form in sorted(rule.source_forms):
                self._rules[form].append(rule)

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        resolutions = document.resolved()
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        occurrences: list[Occurrence] = []
        for segment in range(len(document.source)):
            for pair in self.pairs(document, segment):
                if pair.rule.antecedent == "none":
                    known = memory[pair.rule.label]
                    tagged = known.count > 0
                    support = known.support(segment) if tagged else None
                    known.add(segment, (pair.source,), (pair.target,))
                else:
                    tagged, support = self._judge(document, pair, resolutions)
                if tagged:
                    place = document.id, segment, self.phenomenon, pair.rule.label
                    form = document.target[segment].tokens[pair.target].form
                    occurrences.append(Occurrence(*place, (pair.source,), (pair.target,), form, support))
        return occurrences

    def pairs(self, document: AnnotatedDocument, segment: int) -> list[PronounPair]:
        """Return a segment's linked pronouns for which a rule holds, ordered by target token."""
        source = document.source[segment]
        hits = [index for index, token in enumerate(source.tokens) if token.form.lower() in self._rules]
        if not hits:
            return []
        linked = linked_pronouns(hits, document, segment)
        pairs: list[PronounPair] = []
        for target, index in sorted(linked.items()):
            token = document.target[segment].tokens[target]
            for rule in self._rules[source.tokens[index].form.lower()]:
                if values := _values(rule, source, index, token, _role(document.target[segment].tokens, target)):
                    pairs.append(PronounPair(rule, segment, index, target, values, token.form.lower() in rule.unmarked))
                    break
        expressed = {pair.source for pair in pairs}
        pairs.extend(self._dropped(document, segment, [index for index in hits if index not in expressed]))
        return sorted(pairs, key=lambda pair: pair.target)

    def _dropped(self, document: AnnotatedDocument, segment: int, pronouns: Sequence[int]) -> Iterator[PronounPair]:
        """Yield source pronouns that are no words of the target, with the words that show what they stand for."""
        source = document.source[segment]
        for index in pronouns:
            for rule in self._rules[source.tokens[index].form.lower()]:
                if not is_looked_at(rule, source, index):
                    continue
                place = rule, document, segment, index
                if found := dropped_pronoun(*place) or suffixed_pronoun(*place):
                    word, value = found
                    yield PronounPair(rule, segment, index, word, frozenset({value}), value in rule.unmarked_values)
                    break

    def _judge(
        self, document: AnnotatedDocument, pair: PronounPair, resolutions: Mapping[tuple[int, int], Resolution]
    ) -> tuple[bool, Support | None]:
        """Return whether a pronoun is tagged, and its antecedent as support."""
        resolution = resolutions.get((pair.segment, pair.source))
        if self._variant == "sentence":
            if pair.segment == 0:
                return False, None
            best = resolution.antecedent(self._threshold) if resolution is not None else None
            if best is not None and not _is_earlier(document, pair, best):
                return False, None
            return True, _support(document, best) if best is not None else None
        if (
            resolution is None
            or _is_of_other(document, pair)
            or (pair.unmarked and self._is_impersonal(document, pair))
        ):
            return False, None
        return self._believe(document, pair, resolution)

    def _is_impersonal(self, document: AnnotatedDocument, pair: PronounPair) -> bool:
        """Return whether a form that may stand for nothing does: by the words beside it, or as a name for a predicate.

        What a noun says of it, it does not take its gender from: *it is a car*, *es ist ein Auto*.
        """
        sides = (document.source[pair.segment], pair.source), (document.target[pair.segment], pair.target)
        return any(
            rules.hold(*side) or _has_nominal_predicate(*side) for rules, side in zip(self._empty, sides, strict=True)
        )

    def _believe(
        self, document: AnnotatedDocument, pair: PronounPair, resolution: Resolution
    ) -> tuple[bool, Support | None]:
        """Return whether a pronoun's noun is believed to be in an earlier sentence, and that noun as support.

        Each candidate counts with its probability, and less if the gender of its translation is unknown; one of
        another gender does not count. Against the earlier ones stand those of the pronoun's own sentence and, where
        the target's form may stand for no noun, that it stands for none. A form that does not may stand for a noun
        that is not in the window; then it is not in the pronoun's sentence either.
        """
        token = document.source[pair.segment].tokens[pair.source]
        weighed = [
            (found, found.probability * weight)
            for found in resolution.antecedents
            if (weight := _agreement(document, pair, found)) and _may_be(document, pair, found)
        ]
        # A noun that is repeated in the pronoun's own sentence is no context from before it.
        here = {_lemma(document, found) for found, _ in weighed if not _is_earlier(document, pair, found)}
        barred = self._not_for.get(token.form.lower(), frozenset[str]())
        earlier: list[tuple[Antecedent, float]] = []
        against = 0.0
        for found, mass in weighed:
            lemma = _lemma(document, found)
            if _is_earlier(document, pair, found) and lemma not in here and lemma.lower() not in barred:
                earlier.append((found, mass))
            else:
                against += mass
        mass = sum(some for _, some in earlier)
        # A possessive and a form that also stands for nothing do not tell that there is a noun nearby.
        unsure = pair.unmarked or token.features.get("Poss") == "Yes"
        against += resolution.non_referential * (1.0 if unsure else _STILL_NONE)
        if unsure:
            against += max(0.0, 1 - resolution.non_referential - sum(one.probability for one in resolution.antecedents))
        threshold = self._unmarked if pair.unmarked else self._threshold
        if mass < max(_LEAST, threshold * (mass + against)):
            return False, None
        return True, _best(document, earlier)


def _has_nominal_predicate(text: AnnotatedText, index: int) -> bool:
    """Return whether a word is the subject of a noun without a preposition."""
    token = text.tokens[index]
    if token.head < 0 or not token.relation.startswith("nsubj") or text.tokens[token.head].upos not in _NOMINAL:
        return False
    own = [other for other in text.tokens if other.head == token.head]
    return any(other.relation == "cop" for other in own) and not any(other.relation == "case" for other in own)


def _is_of_other(document: AnnotatedDocument, pair: PronounPair) -> bool:
    """Return whether a target subject that a source object is linked to is rather that of an unlinked source subject.

    *Lighting it, he smoked*, which became *Er zündete sie an*: the aligner knows words, not roles.
    """
    source, target = document.source[pair.segment].tokens, document.target[pair.segment].tokens
    if not source[pair.source].relation.startswith(_OBJECTS) or target[pair.target].relation != "nsubj":
        return False
    linked = {link.source for link in document.links[pair.segment]}
    return any(
        token.upos == "PRON" and token.relation == "nsubj" and index not in linked and _has_person(token, "3")
        for index, token in enumerate(source)
    )


def _has_person(token: Token, person: str) -> bool:
    return token.features.get("Person", person) == person and token.features.get("PronType", "Prs") == "Prs"


def _lemma(document: AnnotatedDocument, antecedent: Antecedent) -> str:
    return document.source[antecedent.segment].tokens[antecedent.head].lemma


def _is_earlier(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether an antecedent is in an earlier sentence than the pronoun; a segment may have several."""
    if antecedent.distance:
        return True
    sentences = document.source[pair.segment].sentences
    return bisect_right(sentences, antecedent.head) < bisect_right(sentences, pair.source)


def linked_pronouns(pronouns: Sequence[int], document: AnnotatedDocument, segment: int) -> dict[int, int]:
    """Return the target tokens of source pronouns: target token → pronoun.

    An unlinked pronoun is given the one unlinked pronoun that is in the same relation to the translation of its
    verb: aligners know words rather than roles, and miss a rare translation such as *it* → *sie*.
    """
    source, target = document.source[segment].tokens, document.target[segment].tokens
    links = [link for link in document.links[segment] if not target[link.target].relation.startswith(EXPLETIVE)]
    found = {token: pronoun for token, pronoun in mutual_links(links).items() if pronoun in pronouns}
    linked_sources, linked_targets = {link.source for link in links}, {link.target for link in links}
    missing = [index for index in pronouns if index not in linked_sources and source[index].head >= 0]
    # Models take object pronouns for the articles that have their form, but know their role.
    free = [index for index, token in enumerate(target) if token.upos in _FREE and index not in linked_targets]
    # Where subjects are left out, aligners give the verb's objects to them (*lo hago*, I do it).
    loose = [
        index
        for index, token in enumerate(target)
        if token.upos in _FREE and index in linked_targets and index not in found and _is_loose(source, index, links)
    ]
    if not missing or not (free or loose):
        return found
    verbs = {(group_of(source, link.source), group_of(target, link.target)) for link in links}
    for pronoun in missing:
        head, role = source[pronoun].head, source[pronoun].relation.partition(":")[0]
        roles = _OBJECTS if role in _OBJECTS else (role,)
        alike = [
            index
            for index in (*free, *(loose if role in _OBJECTS else ()))
            if _role(target, index).partition(":")[0] in roles and (head, target[index].head) in verbs
        ]
        if len(alike) == 1:
            found.setdefault(alike[0], pronoun)
    return found


def _is_loose(source: Sequence[Token], target: int, links: Sequence[Link]) -> bool:
    """Return whether all that a target word is linked to are subjects and auxiliaries with no better link."""
    return all(
        source[index].relation.startswith(("nsubj", "aux")) and targets_of(index, links)[0] == target
        for index in sources_of(target, links)
    )


def _role(tokens: Sequence[Token], index: int) -> str:
    """Return a word's relation; a pronoun that a verb has as its article is its object (*la probaré*)."""
    token = tokens[index]
    clitic = token.relation == "det" and token.upos == "PRON" and token.head >= 0
    return "obj" if clitic and tokens[token.head].upos in _VERBS else token.relation


def _values(rule: PronounRule, source: AnnotatedText, index: int, target: Token, role: str) -> frozenset[str]:
    """Return the values of the agreement feature that a target form stands for under a rule; empty if it is none."""
    if not is_looked_at(rule, source, index) or not matches(target.features, rule.target_features):
        return frozenset()
    if rule.target_upos and target.upos not in rule.target_upos:
        return frozenset()
    barred = rule.target_relations and role not in rule.target_relations
    if barred or target.relation.startswith(EXPLETIVE):
        return frozenset()
    form = target.form.lower()
    return frozenset(value for value, forms in rule.alternatives.items() if form in forms)


def is_looked_at(rule: PronounRule, source: AnnotatedText, index: int) -> bool:
    """Return whether a source word whose form a rule lists is a pronoun of that rule that stands for something."""
    token = source.tokens[index]
    if token.upos not in rule.source_upos or token.relation.startswith(EXPLETIVE):
        return False
    subject = token.head >= 0 and token.relation.startswith("nsubj")
    if subject and source.tokens[token.head].upos in rule.unless_predicate:
        return False
    return not any(other.head == index and other.relation in rule.unless_governs for other in source.tokens)


def _agreement(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> float:
    """Return the weight of an antecedent: 1 if its linked noun has the gender of the pronoun, 0 if another, or between.

    Where the gender is not known, nothing speaks against the antecedent, and nothing for it.
    """
    if not pair.rule.agreement:
        return 1.0
    linked = targets_of(antecedent.head, document.links[antecedent.segment])
    mention = [document.source[antecedent.segment].tokens[index] for index in antecedent.tokens]
    coordinated = any(token.head == antecedent.head and token.relation.startswith("conj") for token in mention)
    if not linked or coordinated:
        return _UNKNOWN  # the gender of a coordination is not that of its head
    noun = document.target[antecedent.segment].tokens[linked[0]]
    value = noun.features.get(pair.rule.agreement)
    if noun.upos != "NOUN" or value is None:
        return _UNKNOWN
    pronoun = document.source[pair.segment].tokens[pair.source]
    if noun.features.get("Number") == "Plur" and pronoun.features.get("Number", "Sing") == "Sing":
        return _UNKNOWN  # a singular in the source, a plural noun in the target: its gender may not show
    return 1.0 if value in pair.values else 0.0


def _may_be(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether grammar lets a pronoun take up a noun of its own segment."""
    if antecedent.segment != pair.segment:
        return True
    return not cannot_stand_for(document.source[pair.segment], pair.source, antecedent.head)


def _best(document: AnnotatedDocument, weighed: Sequence[tuple[Antecedent, float]]) -> Support:
    """Return the most likely noun as support: mentions of one lemma together, of them the nearest that is likely."""
    masses: defaultdict[str, float] = defaultdict(float)
    for found, mass in weighed:
        masses[_lemma(document, found)] += mass
    lemma = max(masses, key=lambda each: masses[each])
    mentions = [pair for pair in weighed if _lemma(document, pair[0]) == lemma]
    top = max(mass for _, mass in mentions)
    nearest = max(
        (found for found, mass in mentions if mass >= _AS_GOOD * top), key=lambda found: (found.segment, found.head)
    )
    support = _support(document, nearest)
    return replace(support, probability=min(1.0, sum(found.probability for found, _ in mentions)))


def _support(document: AnnotatedDocument, antecedent: Antecedent) -> Support:
    """Return an antecedent and the target words linked to it as supporting context."""
    links = document.links[antecedent.segment]
    mention = frozenset(antecedent.tokens)
    linked = sorted({link.target for link in links if link.source in mention})
    phrase = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
    return Support(phrase, placed(antecedent.segment, linked), antecedent.distance, antecedent.probability)


def make_tagger(setup: TaggerSetup) -> PronounTagger:
    """Return the tagger of pronoun choice."""
    options = setup.options
    return PronounTagger(
        setup.target, options.pronouns, options.antecedent, options.pronouns_unmarked, source=setup.source
    )
